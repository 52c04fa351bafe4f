// The extents of a tensor. Axis 0 varies fastest in memory (column-major).
#ifndef TENFERRO_SHAPE_H
#define TENFERRO_SHAPE_H

#include "tenferro/Export.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iosfwd>
#include <string>

namespace tenferro {

/// A short list of 64-bit integers with room for eight inside the object: extents, strides, axes, permutations.
/// A regular value type. Thread safety: as std::vector.
class TENFERRO_EXPORT IntList {
public:
  using value_type = int64_t;
  static constexpr size_t kInline = 8;

  IntList() = default;
  IntList(std::initializer_list<int64_t> values) { assign(values.begin(), values.size()); }
  IntList(const int64_t *values, size_t count) { assign(values, count); }
  IntList(size_t count, int64_t value) { resize(count, value); }
  template <typename It>
    requires requires(It it) { *it; }
  IntList(It first, It last) {
    for (; first != last; ++first)
      push_back(static_cast<int64_t>(*first));
  }
  IntList(const IntList &other) { assign(other.data_, other.size_); }
  IntList(IntList &&other) noexcept { take(other); }
  IntList &operator=(const IntList &other) {
    if (this != &other)
      assign(other.data_, other.size_);
    return *this;
  }
  IntList &operator=(IntList &&other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~IntList() { release(); }

  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  int64_t *data() noexcept { return data_; }
  const int64_t *data() const noexcept { return data_; }
  int64_t &operator[](size_t i) noexcept { return data_[i]; }
  int64_t operator[](size_t i) const noexcept { return data_[i]; }
  int64_t *begin() noexcept { return data_; }
  int64_t *end() noexcept { return data_ + size_; }
  const int64_t *begin() const noexcept { return data_; }
  const int64_t *end() const noexcept { return data_ + size_; }
  int64_t back() const noexcept { return data_[size_ - 1]; }
  void clear() noexcept { size_ = 0; }
  void reserve(size_t count) {
    if (count <= capacity_)
      return;
    size_t capacity = std::max(count, 2 * capacity_);
    auto *grown = new int64_t[capacity];
    std::memcpy(grown, data_, size_ * sizeof(int64_t));
    if (data_ != inline_)
      delete[] data_;
    data_ = grown;
    capacity_ = capacity;
  }
  void push_back(int64_t value) {
    reserve(size_ + 1);
    data_[size_++] = value;
  }
  void pop_back() noexcept { --size_; }
  void resize(size_t count, int64_t value = 0) {
    reserve(count);
    for (size_t i = size_; i < count; ++i)
      data_[i] = value;
    size_ = count;
  }
  void insert(size_t position, int64_t value) {
    push_back(value);
    std::rotate(data_ + position, data_ + size_ - 1, data_ + size_);
  }
  void erase(size_t position) {
    std::copy(data_ + position + 1, data_ + size_, data_ + position);
    --size_;
  }

  friend bool operator==(const IntList &a, const IntList &b) noexcept {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }

  /// "[2, 3]".
  std::string str() const;

private:
  void assign(const int64_t *values, size_t count) {
    size_ = 0;
    reserve(count);
    if (count)
      std::memcpy(data_, values, count * sizeof(int64_t));
    size_ = count;
  }
  void take(IntList &other) noexcept {
    if (other.data_ == other.inline_) {
      std::memcpy(inline_, other.inline_, other.size_ * sizeof(int64_t));
      data_ = inline_;
      capacity_ = kInline;
    } else {
      data_ = other.data_;
      capacity_ = other.capacity_;
    }
    size_ = other.size_;
    other.data_ = other.inline_;
    other.size_ = 0;
    other.capacity_ = kInline;
  }
  void release() noexcept {
    if (data_ != inline_)
      delete[] data_;
  }

  int64_t *data_ = inline_;
  size_t size_ = 0;
  size_t capacity_ = kInline;
  int64_t inline_[kInline];
};

/// As `str`: "[2, 3]".
TENFERRO_EXPORT std::ostream &operator<<(std::ostream &out, const IntList &list);

/// The extents of a tensor, each at least 0; rank 0 is a scalar.
class TENFERRO_EXPORT Shape : public IntList {
public:
  using IntList::IntList;
  Shape() = default;
  explicit Shape(const IntList &extents) : IntList(extents) {}

  int64_t rank() const noexcept { return static_cast<int64_t>(size()); }

  /// Product of the extents; 1 for rank 0. The extents must pass `isValid`.
  int64_t elementCount() const noexcept;

  /// No negative extent, and elements and bytes (of the widest dtype) fit in 62 bits.
  bool isValid() const noexcept;

  /// Column-major strides of a contiguous tensor of this shape, in elements.
  IntList contiguousStrides() const;
};

} // namespace tenferro

#endif // TENFERRO_SHAPE_H
