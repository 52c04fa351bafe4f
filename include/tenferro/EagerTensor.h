// A tensor of a runtime: a value, and the record of how it was computed when that is tracked.
#ifndef TENFERRO_EAGERTENSOR_H
#define TENFERRO_EAGERTENSOR_H

#include "tenferro/Engine.h"
#include "tenferro/Tensor.h"

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <source_location>
#include <type_traits>
#include <vector>

namespace tenferro {

class EagerRuntime;
class Gradients;

namespace eager {
class Record;
} // namespace eager
namespace detail {
struct EagerAccess;
} // namespace detail

/// Handle of a tensor in a runtime: cheap to copy; copies are the same tensor (one gradient slot). Empty when
/// default-made or moved-from: any use but assignment and printing is a ValidationError.
/// Thread safety: distinct handles may be used from any threads, also of the same tensor; assignment to one handle object needs a lock.
class TENFERRO_EXPORT EagerTensor {
public:
  EagerTensor() noexcept = default;
  EagerTensor(const EagerTensor &) noexcept;
  EagerTensor(EagerTensor &&) noexcept;
  EagerTensor &operator=(const EagerTensor &) noexcept;
  EagerTensor &operator=(EagerTensor &&) noexcept;
  ~EagerTensor();

  bool empty() const noexcept { return record_ == nullptr; }
  const Shape &shape(std::source_location where = std::source_location::current()) const;
  int64_t rank(std::source_location where = std::source_location::current()) const;
  DType dtype(std::source_location where = std::source_location::current()) const;
  /// Unique in the process, never reused; stays when `assign` changes the value.
  uint64_t id(std::source_location where = std::source_location::current()) const;
  /// Whether derivatives with respect to it, or through it, are recorded.
  bool tracksGrad(std::source_location where = std::source_location::current()) const;
  /// The runtime it belongs to.
  std::shared_ptr<EagerRuntime> runtime(std::source_location where = std::source_location::current()) const;

  /// The value: immutable, shared, outlives the handle.
  /// Errors: RuntimeState inside a function that is being recorded.
  Tensor value(std::source_location where = std::source_location::current()) const;
  /// The only element. Errors: ElementCount if there is not exactly one, DTypeMismatch for another type.
  template <typename T> T item(std::source_location where = std::source_location::current()) const {
    T value;
    copyOnly(dtypeOf<T>, &value, where);
    return value;
  }
  /// All elements, column-major. Errors: as `value`; DTypeMismatch for another type.
  template <typename T> std::vector<T> toVector(std::source_location where = std::source_location::current()) const {
    return valueOf(dtypeOf<T>, where).template toVector<T>();
  }

  /// The accumulated gradient of a variable: shape and dtype of the tensor; none before a backward reached it, after
  /// a clear, and for everything that is not a variable.
  std::optional<Tensor> grad(std::source_location where = std::source_location::current()) const;
  void clearGrad(std::source_location where = std::source_location::current()) const; ///< empties a variable's slot

  /// Gradients of this scalar by the variables it depends on, added to their slots. Errors: NonScalarGrad unless rank 0 or one
  /// element; ValidationError if nothing it depends on is tracked; errors raised by the program itself.
  Gradients backward(ExecutionEngine &engine, std::source_location where = std::source_location::current()) const;
  /// The same with a cotangent of this tensor's shape and dtype. Errors: ShapeMismatch, DTypeMismatch.
  Gradients backwardWith(ExecutionEngine &engine, const Tensor &seed,
                         std::source_location where = std::source_location::current()) const;

  /// The same value, untracked.
  EagerTensor detach(std::source_location where = std::source_location::current()) const;
  /// Gives a variable a new value of the same shape and dtype, however computed: the next version of the same leaf (same id and
  /// slot). What was recorded keeps the old value. Errors: InvalidArgument if it is not a variable; ShapeMismatch, DTypeMismatch.
  void assign(const Tensor &value, std::source_location where = std::source_location::current()) const;
  void assign(const EagerTensor &value, std::source_location where = std::source_location::current()) const;

  /// "f64[3] [1, 2, 3] variable".
  std::string str(std::source_location where = std::source_location::current()) const;

private:
  friend struct detail::EagerAccess;
  explicit EagerTensor(eager::Record *record) noexcept : record_(record) {}
  void copyOnly(DType dtype, void *out, const std::source_location &where) const;
  Tensor valueOf(DType dtype, const std::source_location &where) const;
  eager::Record *record_ = nullptr; // intrusively counted
};

namespace detail {
/// A tensor where it is printed: an operator takes no default argument, a conversion does.
struct PrintedTensor {
  PrintedTensor(const EagerTensor &printed, std::source_location place = std::source_location::current())
      : tensor(printed), where(place) {}
  const EagerTensor &tensor;
  std::source_location where;
};
} // namespace detail

/// `str` to a stream: `out << tensor`. Errors: RuntimeState inside a function that is being recorded.
TENFERRO_EXPORT std::ostream &operator<<(std::ostream &out, const detail::PrintedTensor &printed);

/// What a call of backward computed, by variable.
class TENFERRO_EXPORT Gradients {
public:
  struct Entry {
    uint64_t id; ///< of the variable
    Tensor gradient;
  };
  /// How many variables were reached.
  size_t size() const noexcept { return entries_.size(); }
  /// This call's gradient of `variable`, none if it was not reached.
  std::optional<Tensor> of(const EagerTensor &variable) const;
  std::vector<Entry>::const_iterator begin() const noexcept { return entries_.begin(); }
  std::vector<Entry>::const_iterator end() const noexcept { return entries_.end(); }

private:
  friend struct detail::EagerAccess;
  std::vector<Entry> entries_;
};

/// An operand as written: a tensor or a scalar, with the place in the user's source where it was written. Made
/// implicitly; not meant to be stored. A scalar takes the other operand's dtype (a float beside an integer or bool tensor is a
/// DTypeMismatch) and enters the program as data: a new value is not a new program.
class TENFERRO_EXPORT Operand {
public:
  Operand(const EagerTensor &tensor, std::source_location where = std::source_location::current())
      : tensor_(&tensor), where_(where) {}
  template <typename T>
    requires std::is_arithmetic_v<T>
  Operand(T value, std::source_location where = std::source_location::current()) : where_(where) {
    if constexpr (std::is_same_v<T, bool>) {
      kind_ = Kind::Bool;
      integer_ = value;
    } else if constexpr (std::is_integral_v<T>) {
      kind_ = Kind::Integer;
      integer_ = static_cast<int64_t>(value);
      if (value > 0 && integer_ < 0) { // above the largest i64: only a float can hold it
        kind_ = Kind::Real;
        real_ = static_cast<double>(value);
      }
    } else {
      kind_ = Kind::Real;
      real_ = static_cast<double>(value);
    }
  }

  enum class Kind : uint8_t { Tensor, Bool, Integer, Real };
  Kind kind() const noexcept { return kind_; }
  const EagerTensor *tensor() const noexcept { return tensor_; }
  int64_t integer() const noexcept { return integer_; }
  double real() const noexcept { return kind_ == Kind::Real ? real_ : static_cast<double>(integer_); }
  const std::source_location &where() const noexcept { return where_; }

private:
  Kind kind_ = Kind::Tensor;
  const EagerTensor *tensor_ = nullptr;
  int64_t integer_ = 0;
  double real_ = 0;
  std::source_location where_;
};

} // namespace tenferro

#endif // TENFERRO_EAGERTENSOR_H
