// A tensor value in host memory: shape, dtype, strides and shared immutable elements.
#ifndef TENFERRO_TENSOR_H
#define TENFERRO_TENSOR_H

#include "tenferro/DType.h"
#include "tenferro/Error.h"
#include "tenferro/Export.h"
#include "tenferro/Shape.h"

#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace tenferro {

namespace runtime {
class Buffer;
struct TensorView;
} // namespace runtime

namespace detail {
struct TensorAccess;
} // namespace detail

/// An immutable tensor value. Copying shares the elements; views (transpose, slice, broadcast) are O(1). Elements are
/// listed column-major: the leftmost index varies fastest. A default-made or moved-from tensor is empty: every use but
/// assignment, printing and destruction is a ValidationError. Thread safety: concurrent reads are safe; assignment to one object
/// needs a lock.
class TENFERRO_EXPORT Tensor {
public:
  Tensor() noexcept;
  Tensor(const Tensor &) noexcept;
  Tensor(Tensor &&) noexcept;
  Tensor &operator=(const Tensor &) noexcept;
  Tensor &operator=(Tensor &&) noexcept;
  ~Tensor();

  /// A tensor of `shape` from its elements, column-major.
  /// Errors: ElementCount if the number of values is not the shape's; InvalidArgument for a negative or overflowing
  /// shape.
  template <typename T> static Tensor from(const Shape &shape, std::initializer_list<T> values) {
    return fromElements(shape, dtypeOf<T>, values.begin(), values.size());
  }
  template <typename T> static Tensor from(const Shape &shape, std::span<const T> values) {
    return fromElements(shape, dtypeOf<T>, values.data(), values.size());
  }
  template <typename T> static Tensor from(const Shape &shape, const std::vector<T> &values) {
    if constexpr (std::is_same_v<T, bool>) {
      std::vector<uint8_t> bytes(values.begin(), values.end());
      return fromElements(shape, DType::Bool, bytes.data(), bytes.size());
    } else {
      return fromElements(shape, dtypeOf<T>, values.data(), values.size());
    }
  }
  /// The same from row-major elements (last index fastest), as NumPy and C list them.
  template <typename T> static Tensor fromRowMajor(const Shape &shape, const std::vector<T> &values) {
    if constexpr (std::is_same_v<T, bool>) {
      std::vector<uint8_t> bytes(values.begin(), values.end());
      return fromRowMajorElements(shape, DType::Bool, bytes.data(), bytes.size());
    } else {
      return fromRowMajorElements(shape, dtypeOf<T>, values.data(), values.size());
    }
  }
  /// From `count` elements of `dtype` at `elements` (copied). Errors: as `from`; InvalidArgument if null and count > 0.
  static Tensor fromElements(const Shape &shape, DType dtype, const void *elements, size_t count);
  static Tensor fromRowMajorElements(const Shape &shape, DType dtype, const void *elements, size_t count);
  /// A rank-0 tensor.
  template <typename T> static Tensor scalar(T value) { return fromElements({}, dtypeOf<T>, &value, 1); }
  /// Every element `value`, or +0. Errors: InvalidArgument for a shape or dtype that is none; OutOfMemory.
  template <typename T> static Tensor full(const Shape &shape, T value) { return filled(shape, dtypeOf<T>, &value); }
  static Tensor zeros(const Shape &shape, DType dtype);

  bool empty() const noexcept; ///< default-made or moved-from
  const Shape &shape() const;
  int64_t rank() const;
  DType dtype() const;
  int64_t elementCount() const;
  const IntList &strides() const; ///< in elements, signed
  bool isContiguous() const;

  /// The elements, column-major. Errors: DTypeMismatch for another type, NotContiguous for a strided view
  /// (`contiguous()` copies).
  template <typename T> const T *data() const { return static_cast<const T *>(dataOf(dtypeOf<T>)); }
  const void *data() const; ///< Errors: NotContiguous
  /// The only element. Errors: ElementCount if there is not exactly one, DTypeMismatch for another type.
  template <typename T> T item() const {
    T value;
    copyOnly(dtypeOf<T>, &value);
    return value;
  }
  /// All elements, column-major, whatever the strides. Errors: DTypeMismatch; OutOfMemory.
  template <typename T> std::vector<T> toVector() const {
    if constexpr (std::is_same_v<T, bool>) {
      std::vector<uint8_t> bytes = room<uint8_t>();
      copyElements(DType::Bool, bytes.data());
      return std::vector<bool>(bytes.begin(), bytes.end());
    } else {
      std::vector<T> values = room<T>();
      copyElements(dtypeOf<T>, values.data());
      return values;
    }
  }
  /// The same with the last index fastest.
  template <typename T> std::vector<T> toRowMajor() const { return transposed(reversedAxes()).template toVector<T>(); }

  /// O(1) views. Errors: as the operations of the same name.
  Tensor transposed(const IntList &permutation) const;
  Tensor sliced(const IntList &starts, const IntList &limits, const IntList &strides) const;
  Tensor broadcastTo(const Shape &shape) const;
  /// A view where the strides allow it, else a copy. Errors: ElementCount.
  Tensor reshaped(const Shape &shape) const;
  /// Itself if contiguous, else a contiguous copy.
  Tensor contiguous() const;

  /// "f64[2, 3] [[1, 3, 5], [2, 4, 6]]": rows read along the last axis, long axes elided.
  std::string str() const;

private:
  friend struct detail::TensorAccess;
  static Tensor filled(const Shape &shape, DType dtype, const void *value);
  template <typename T> std::vector<T> room() const {
    auto count = static_cast<size_t>(elementCount());
    try {
      return std::vector<T>(count);
    } catch (const std::bad_alloc &) {
    } catch (const std::length_error &) {
    }
    raiseNoRoom(count, sizeof(T));
  }
  [[noreturn]] static void raiseNoRoom(size_t count, size_t bytes);
  const void *dataOf(DType dtype) const;
  void copyOnly(DType dtype, void *out) const;
  void copyElements(DType dtype, void *out) const;
  IntList reversedAxes() const;

  struct Impl;
  Impl *impl_ = nullptr; // reference counted
};

TENFERRO_EXPORT std::ostream &operator<<(std::ostream &out, const Tensor &tensor);

} // namespace tenferro

#endif // TENFERRO_TENSOR_H
