// Finds and calls precompiled kernels by name.
#ifndef TENFERRO_TEST_UNIT_TIER0_KERNELS_H
#define TENFERRO_TEST_UNIT_TIER0_KERNELS_H

#include "runtime/kernels/Tier0.h"

#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace tenferro::test {

using runtime::CpuLevel;

/// Levels this machine runs.
inline std::vector<CpuLevel> levels() {
  std::vector<CpuLevel> levels{CpuLevel::V3};
  if (__builtin_cpu_supports("x86-64-v4"))
    levels.push_back(CpuLevel::V4);
  return levels;
}

inline const runtime::Tier0Kernel *find(CpuLevel level, const std::string &name) {
  size_t count = 0;
  const runtime::Tier0Kernel *kernels = runtime::tier0Kernels(level, &count);
  for (size_t i = 0; i < count; ++i)
    if (name == kernels[i].name)
      return &kernels[i];
  return nullptr;
}

template <typename T> struct Dtype;
template <> struct Dtype<float> { static constexpr const char *text = "f32"; };
template <> struct Dtype<double> { static constexpr const char *text = "f64"; };
template <> struct Dtype<int32_t> { static constexpr const char *text = "i32"; };
template <> struct Dtype<int64_t> { static constexpr const char *text = "i64"; };
template <> struct Dtype<uint8_t> { static constexpr const char *text = "u8"; };
template <> struct Dtype<bool> { static constexpr const char *text = "bool"; };

/// Values at which arithmetic goes wrong first.
template <typename T> std::vector<T> samples() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>)
    return {false, true};
  else if constexpr (std::is_floating_point_v<T>)
    return {T(0), T(-0.0), T(1), T(-1), T(0.5), T(-2.5), T(3), T(1e10), T(-7.25e9), T(255.9), T(1e30), T(-1e30),
            Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::lowest(), Limits::min(),
            Limits::denorm_min(), -Limits::denorm_min()};
  else if constexpr (std::is_unsigned_v<T>)
    return {0, 1, 2, 3, 7, 16, 100, 127, 128, 200, 254, 255};
  else
    return {0, 1, -1, 2, -2, 3, 7, -13, 100, 255, 256, -129, 46341, Limits::max(), Limits::min(), T(Limits::min() + 1)};
}

/// Equal bits, or both NaN.
template <typename T> bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (a != a && b != b)
      return true;
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// A vector whose data() exists for bool too.
template <typename T> struct Buffer {
  std::vector<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>> values;
  explicit Buffer(size_t n) : values(n) {}
  void *data() { return values.data(); }
};

} // namespace tenferro::test

#endif // TENFERRO_TEST_UNIT_TIER0_KERNELS_H
