// Comparing elements of two results: any NaN equals any NaN, everything else bit for bit.
#ifndef TENFERRO_TEST_UNIT_CORPUS_DIFFERENCE_H
#define TENFERRO_TEST_UNIT_CORPUS_DIFFERENCE_H

#include "lib/Core/Graph.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace tenferro::test {

template <typename T> bool sameFloat(const void *a, const void *b) {
  T x, y;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  return std::memcmp(a, b, sizeof(T)) == 0 || (std::isnan(x) && std::isnan(y));
}

/// Index of the first element that differs, or -1. Any NaN equals any NaN.
inline int64_t firstDifference(const core::ValueType &type, const void *a, const void *b) {
  size_t width = byteSize(type.dtype);
  const auto *left = static_cast<const uint8_t *>(a), *right = static_cast<const uint8_t *>(b);
  int64_t count = type.shape.elementCount();
  for (int64_t i = 0; i < count; ++i, left += width, right += width) {
    bool same = type.dtype == DType::F64   ? sameFloat<double>(left, right)
                : type.dtype == DType::F32 ? sameFloat<float>(left, right)
                                           : std::memcmp(left, right, width) == 0;
    if (!same)
      return i;
  }
  return -1;
}

inline std::string elementText(const core::ValueType &type, const void *data, int64_t i) {
  const auto *element = static_cast<const uint8_t *>(data) + static_cast<size_t>(i) * byteSize(type.dtype);
  char text[64];
  if (type.dtype == DType::F64) {
    double value;
    std::memcpy(&value, element, sizeof value);
    std::snprintf(text, sizeof text, "%.17g (%a)", value, value);
  } else if (type.dtype == DType::F32) {
    float value;
    std::memcpy(&value, element, sizeof value);
    std::snprintf(text, sizeof text, "%.9g (%a)", value, value);
  } else {
    int64_t value = 0;
    std::memcpy(&value, element, byteSize(type.dtype));
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value));
  }
  return text;
}

} // namespace tenferro::test

#endif // TENFERRO_TEST_UNIT_CORPUS_DIFFERENCE_H
