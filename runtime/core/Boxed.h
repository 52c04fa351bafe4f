// A value that is rarely there: one pointer where it is not.
#ifndef TENFERRO_RUNTIME_CORE_BOXED_H
#define TENFERRO_RUNTIME_CORE_BOXED_H

#include <memory>
#include <utility>

namespace tenferro::runtime {

/// A `T` in memory of its own, made when it is first written to; until then it reads as `T()`. A regular value type.
/// Programs hold many of the structures that have one, most of them without it.
template <typename T> class Boxed {
public:
  Boxed() noexcept = default;
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Boxed(const Boxed &other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Boxed(Boxed &&) noexcept = default;
  Boxed &operator=(Boxed other) noexcept {
    value_.swap(other.value_);
    return *this;
  }

  const T &operator*() const noexcept { return value_ ? *value_ : absent(); }
  const T *operator->() const noexcept { return &**this; }
  T &operator*() {
    if (!value_)
      value_ = std::make_unique<T>();
    return *value_;
  }
  T *operator->() { return &**this; }
  /// Memory beside the object.
  size_t bytes() const noexcept { return value_ ? sizeof(T) : 0; }

private:
  static const T &absent() noexcept {
    static const T value{};
    return value;
  }
  std::unique_ptr<T> value_;
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CORE_BOXED_H
