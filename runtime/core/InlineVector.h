// A growable array of plain values with room for the usual case inside the object: drivers must not allocate.
#ifndef TENFERRO_RUNTIME_CORE_INLINEVECTOR_H
#define TENFERRO_RUNTIME_CORE_INLINEVECTOR_H

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tenferro::runtime {

/// Trivially copyable elements, `N` of them inline; new elements of `resize` are not initialised.
template <typename T, size_t N> class InlineVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
  InlineVector() noexcept {}
  explicit InlineVector(size_t size) { resize(size); }
  InlineVector(size_t size, T value) {
    resize(size);
    std::fill(begin(), end(), value);
  }
  InlineVector(const InlineVector &other) { assign(other); }
  InlineVector(InlineVector &&other) noexcept { take(other); }
  InlineVector &operator=(const InlineVector &other) {
    if (this != &other)
      assign(other);
    return *this;
  }
  InlineVector &operator=(InlineVector &&other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~InlineVector() { release(); }

  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T *data() noexcept { return data_; }
  const T *data() const noexcept { return data_; }
  T &operator[](size_t i) noexcept { return data_[i]; }
  const T &operator[](size_t i) const noexcept { return data_[i]; }
  T *begin() noexcept { return data_; }
  T *end() noexcept { return data_ + size_; }
  const T *begin() const noexcept { return data_; }
  const T *end() const noexcept { return data_ + size_; }
  T &back() noexcept { return data_[size_ - 1]; }

  void push_back(T value) {
    grow(size_ + 1);
    data_[size_++] = value;
  }
  void pop_back() noexcept { --size_; }
  void clear() noexcept { size_ = 0; }
  void resize(size_t size) {
    grow(size);
    size_ = size;
  }
  void erase(size_t position) noexcept {
    std::memmove(data_ + position, data_ + position + 1, (size_ - position - 1) * sizeof(T));
    --size_;
  }

private:
  void grow(size_t size) {
    if (size <= capacity_)
      return;
    size_t capacity = std::max(size, 2 * capacity_);
    auto *grown = static_cast<T *>(::operator new(capacity * sizeof(T)));
    if (size_)
      std::memcpy(static_cast<void *>(grown), data_, size_ * sizeof(T));
    release();
    data_ = grown;
    capacity_ = capacity;
  }
  void assign(const InlineVector &other) {
    resize(other.size_);
    if (size_)
      std::memcpy(static_cast<void *>(data_), other.data_, size_ * sizeof(T));
  }
  void take(InlineVector &other) noexcept {
    if (other.data_ == other.inlineData()) {
      data_ = inlineData();
      capacity_ = N;
      if (other.size_)
        std::memcpy(static_cast<void *>(data_), other.data_, other.size_ * sizeof(T));
    } else {
      data_ = other.data_;
      capacity_ = other.capacity_;
    }
    size_ = other.size_;
    other.data_ = other.inlineData();
    other.size_ = 0;
    other.capacity_ = N;
  }
  void release() noexcept {
    if (data_ != inlineData())
      ::operator delete(data_);
  }
  T *inlineData() noexcept { return reinterpret_cast<T *>(inline_); }

  T *data_ = inlineData();
  size_t size_ = 0;
  size_t capacity_ = N;
  alignas(T) unsigned char inline_[N * sizeof(T)];
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CORE_INLINEVECTOR_H
