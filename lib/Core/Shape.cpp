// Text, size and strides of shapes.
#include "tenferro/Shape.h"

#include <ostream>

namespace tenferro {

/// Bytes of the widest element (complex128), so that a valid shape is valid for every dtype.
static constexpr int64_t kWidestElement = 16;
static constexpr int64_t kMostBytes = int64_t{1} << 62;

std::string IntList::str() const {
  std::string text = "[";
  for (size_t i = 0; i < size_; ++i) {
    if (i)
      text += ", ";
    text += std::to_string(data_[i]);
  }
  return text += "]";
}

std::ostream &operator<<(std::ostream &out, const IntList &list) { return out << list.str(); }

int64_t Shape::elementCount() const noexcept {
  int64_t count = 1;
  for (int64_t extent : *this)
    count *= extent;
  return count;
}

bool Shape::isValid() const noexcept {
  // An extent of 0 must not hide an overflow: contiguous strides multiply the others.
  int64_t bytes = kWidestElement;
  for (int64_t extent : *this) {
    if (extent < 0)
      return false;
    if (extent > 1 && __builtin_mul_overflow(bytes, extent, &bytes))
      return false;
    if (bytes > kMostBytes)
      return false;
  }
  return true;
}

IntList Shape::contiguousStrides() const {
  IntList strides;
  int64_t step = 1;
  for (int64_t extent : *this) {
    strides.push_back(step);
    step *= extent > 0 ? extent : 1;
  }
  return strides;
}

} // namespace tenferro
