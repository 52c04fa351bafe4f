// Kernels whose result has one right value: arithmetic, comparisons, selection, conversions, indices.
#include "test/unit/tier0/Kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace tenferro::runtime;

namespace tenferro::test {
namespace {

class ExactKernelTest : public ::testing::TestWithParam<CpuLevel> {};
INSTANTIATE_TEST_SUITE_P(Levels, ExactKernelTest, ::testing::ValuesIn(levels()), [](const auto &info) {
  return std::string(info.param == CpuLevel::V4 ? "V4" : "V3");
});

template <typename T> using Memory = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

/// Runs a kernel of two inputs on all pairs of samples, with each input in turn along rows or one element for a row.
template <typename T, typename R, typename Reference>
void checkBinary(CpuLevel level, const std::string &name, Reference reference) {
  const Tier0Kernel *kernel = find(level, name);
  ASSERT_NE(kernel, nullptr) << name;
  std::vector<T> values = samples<T>();
  int64_t count = values.size(), size = sizeof(Memory<T>), resultSize = sizeof(Memory<R>);
  for (unsigned mask = 0; mask < 3; ++mask) {
    // Row j has sample j in one input, and all samples in the other.
    Buffer<T> row(count), other(count), spread(count);
    Buffer<R> out(count);
    for (int64_t i = 0; i < count; ++i)
      row.values[i] = values[i];
    for (int64_t j = 0; j < count; ++j) {
      for (auto &value : spread.values)
        value = values[j];
      bool second = mask & 2;
      void *fixed = mask ? static_cast<void *>(&row.values[j]) : spread.data();
      void *args[] = {second || !mask ? row.data() : fixed, second || !mask ? fixed : row.data(), out.data()};
      int64_t inner[] = {mask & 1 ? 0 : size, mask & 2 ? 0 : size, resultSize}, outer[] = {0, 0, 0};
      auto function = reinterpret_cast<MapKernel>(kernel->variants[mask]);
      ASSERT_EQ(function(args, inner, outer, count, 1), kOk) << name;
      for (int64_t i = 0; i < count; ++i) {
        T a = second || !mask ? values[i] : values[j], b = second || !mask ? values[j] : values[i];
        Memory<R> expected = reference(a, b);
        ASSERT_TRUE(same(out.values[i], expected))
            << name << " mask " << mask << ": " << +a << ", " << +b << " gives " << +out.values[i] << ", expected " << +expected;
      }
    }
  }
}

template <typename T, typename R, typename Reference>
void checkUnary(CpuLevel level, const std::string &name, Reference reference) {
  const Tier0Kernel *kernel = find(level, name);
  ASSERT_NE(kernel, nullptr) << name;
  std::vector<T> values = samples<T>();
  int64_t count = values.size();
  Buffer<T> in(count);
  Buffer<R> out(count);
  for (int64_t i = 0; i < count; ++i)
    in.values[i] = values[i];
  void *args[] = {in.data(), out.data()};
  int64_t inner[] = {sizeof(Memory<T>), sizeof(Memory<R>)}, outer[] = {0, 0};
  ASSERT_EQ(reinterpret_cast<MapKernel>(kernel->variants[0])(args, inner, outer, count, 1), kOk) << name;
  for (int64_t i = 0; i < count; ++i) {
    Memory<R> expected = reference(values[i]);
    ASSERT_TRUE(same(out.values[i], expected))
        << name << ": " << +values[i] << " gives " << +out.values[i] << ", expected " << +expected;
  }
}

template <typename T> T wrap(__int128 value) { return static_cast<T>(static_cast<uint64_t>(value)); }

template <typename T> void checkArithmetic(CpuLevel level) {
  std::string dtype = std::string(".") + Dtype<T>::text;
  constexpr bool isFloat = std::is_floating_point_v<T>;
  checkBinary<T, T>(level, "add" + dtype, [](T a, T b) -> T {
    if constexpr (isFloat)
      return a + b;
    else
      return wrap<T>(__int128(a) + b);
  });
  checkBinary<T, T>(level, "sub" + dtype, [](T a, T b) -> T {
    if constexpr (isFloat)
      return a - b;
    else
      return wrap<T>(__int128(a) - b);
  });
  checkBinary<T, T>(level, "mul" + dtype, [](T a, T b) -> T {
    if constexpr (isFloat)
      return a * b;
    else
      return wrap<T>(__int128(a) * b);
  });
  checkBinary<T, T>(level, "maximum" + dtype, [](T a, T b) -> T {
    if constexpr (isFloat) {
      if (a != a || b != b)
        return std::numeric_limits<T>::quiet_NaN();
      if (a == b)
        return std::signbit(a) ? b : a;
    }
    return a > b ? a : b;
  });
  checkBinary<T, T>(level, "minimum" + dtype, [](T a, T b) -> T {
    if constexpr (isFloat) {
      if (a != a || b != b)
        return std::numeric_limits<T>::quiet_NaN();
      if (a == b)
        return std::signbit(a) ? a : b;
    }
    return a < b ? a : b;
  });
  checkUnary<T, T>(level, "neg" + dtype, [](T a) -> T {
    if constexpr (isFloat)
      return -a;
    else
      return wrap<T>(-__int128(a));
  });
  checkUnary<T, T>(level, "abs" + dtype, [](T a) -> T {
    if constexpr (isFloat)
      return std::fabs(a);
    else
      return a < 0 ? wrap<T>(-__int128(a)) : a;
  });
  checkUnary<T, T>(level, "sign" + dtype, [](T a) -> T {
    if (a > 0)
      return 1;
    if (a < 0)
      return static_cast<T>(-1);
    return a; // zeros keep their sign, NaN stays
  });
}

TEST_P(ExactKernelTest, Arithmetic) {
  checkArithmetic<float>(GetParam());
  checkArithmetic<double>(GetParam());
  checkArithmetic<int32_t>(GetParam());
  checkArithmetic<int64_t>(GetParam());
  checkArithmetic<uint8_t>(GetParam());
  checkBinary<bool, bool>(GetParam(), "add.bool", [](bool a, bool b) { return a || b; });
  checkBinary<bool, bool>(GetParam(), "mul.bool", [](bool a, bool b) { return a && b; });
}

template <typename T> void checkFloats(CpuLevel level) {
  std::string dtype = std::string(".") + Dtype<T>::text;
  checkBinary<T, T>(level, "div" + dtype, [](T a, T b) -> T { return a / b; });
  checkBinary<T, T>(level, "szmul" + dtype, [](T s, T t) -> T { return t == 0 ? T(0) : s * t; });
  checkUnary<T, T>(level, "sqrt" + dtype, [](T a) -> T { return std::sqrt(a); });
  checkUnary<T, T>(level, "floor" + dtype, [](T a) -> T { return std::floor(a); });
  checkUnary<T, T>(level, "ceil" + dtype, [](T a) -> T { return std::ceil(a); });
  checkUnary<T, T>(level, "round" + dtype, [](T a) -> T { return std::nearbyint(a); });
  checkUnary<T, T>(level, "trunc" + dtype, [](T a) -> T { return std::trunc(a); });
  checkUnary<T, bool>(level, "is_nan" + dtype, [](T a) { return std::isnan(a); });
  checkUnary<T, bool>(level, "is_inf" + dtype, [](T a) { return std::isinf(a); });
  checkUnary<T, bool>(level, "is_finite" + dtype, [](T a) { return std::isfinite(a); });
  checkBinary<T, T>(level, "rem" + dtype, [](T a, T b) -> T { return std::fmod(a, b); });
}

TEST_P(ExactKernelTest, FloatArithmetic) {
  checkFloats<float>(GetParam());
  checkFloats<double>(GetParam());
}

/// Division and powers of integers, with their errors.
template <typename T> void checkFallible(CpuLevel level) {
  std::string dtype = std::string(".") + Dtype<T>::text;
  auto run = [&](const std::string &name, std::vector<T> a, std::vector<T> b, std::vector<T> &out) {
    out.assign(a.size(), 77);
    void *args[] = {a.data(), b.data(), out.data()};
    int64_t inner[] = {sizeof(T), sizeof(T), sizeof(T)}, outer[] = {0, 0, 0};
    const Tier0Kernel *kernel = find(level, name + dtype);
    EXPECT_NE(kernel, nullptr);
    return reinterpret_cast<MapKernel>(kernel->variants[0])(args, inner, outer, a.size(), 1);
  };
  std::vector<T> a, b, out;
  for (T x : samples<T>())
    for (T y : samples<T>())
      if (y != 0)
        a.push_back(x), b.push_back(y);
  ASSERT_EQ(run("div", a, b, out), kOk);
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(out[i], wrap<T>(__int128(a[i]) / b[i])) << dtype << " " << +a[i] << " / " << +b[i];
  ASSERT_EQ(run("rem", a, b, out), kOk);
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(out[i], wrap<T>(__int128(a[i]) % b[i])) << dtype << " " << +a[i] << " rem " << +b[i];
  ASSERT_EQ(run("floor_divide", a, b, out), kOk);
  for (size_t i = 0; i < a.size(); ++i) {
    __int128 quotient = __int128(a[i]) / b[i], rest = __int128(a[i]) % b[i];
    ASSERT_EQ(out[i], wrap<T>(quotient - (rest != 0 && (rest < 0) != (b[i] < 0))))
        << dtype << " floor " << +a[i] << " / " << +b[i];
  }
  b[b.size() / 2] = 0;
  for (const char *name : {"div", "rem", "floor_divide"})
    EXPECT_EQ(run(name, a, b, out), makeStatus(0, KernelError::DivisionByZero)) << name;

  a.clear(), b.clear();
  for (T x : samples<T>())
    for (T y : {0, 1, 2, 3, 5, 8, 31, 63, 64, 100, 127})
      a.push_back(x), b.push_back(y);
  ASSERT_EQ(run("pow", a, b, out), kOk);
  for (size_t i = 0; i < a.size(); ++i) {
    uint64_t power = 1;
    for (T n = 0; n < b[i]; ++n)
      power *= static_cast<uint64_t>(a[i]);
    ASSERT_EQ(out[i], static_cast<T>(power)) << dtype << " " << +a[i] << " ^ " << +b[i];
  }
  if (std::is_signed_v<T>) {
    b[1] = static_cast<T>(-1);
    EXPECT_EQ(run("pow", a, b, out), makeStatus(0, KernelError::NegativePower));
  }
}

TEST_P(ExactKernelTest, FallibleIntegers) {
  checkFallible<int32_t>(GetParam());
  checkFallible<int64_t>(GetParam());
  checkFallible<uint8_t>(GetParam());
}

template <typename T> void checkComparisons(CpuLevel level) {
  std::string dtype = std::string(".") + Dtype<T>::text;
  checkBinary<T, bool>(level, "compare.eq" + dtype, [](T a, T b) { return a == b; });
  checkBinary<T, bool>(level, "compare.ne" + dtype, [](T a, T b) { return a != b; });
  checkBinary<T, bool>(level, "compare.lt" + dtype, [](T a, T b) { return a < b; });
  checkBinary<T, bool>(level, "compare.le" + dtype, [](T a, T b) { return a <= b; });
  checkBinary<T, bool>(level, "compare.gt" + dtype, [](T a, T b) { return a > b; });
  checkBinary<T, bool>(level, "compare.ge" + dtype, [](T a, T b) { return a >= b; });
}

TEST_P(ExactKernelTest, Comparisons) {
  checkComparisons<float>(GetParam());
  checkComparisons<double>(GetParam());
  checkComparisons<int32_t>(GetParam());
  checkComparisons<int64_t>(GetParam());
  checkComparisons<uint8_t>(GetParam());
  checkComparisons<bool>(GetParam());
}

template <typename T> void checkSelect(CpuLevel level) {
  const Tier0Kernel *kernel = find(level, std::string("select.") + Dtype<T>::text);
  ASSERT_NE(kernel, nullptr);
  int64_t size = sizeof(Memory<T>);
  for (unsigned mask = 0; mask < 7; ++mask)
    for (int64_t n : {1, 17, 70}) {
      Buffer<bool> p(n);
      Buffer<T> a(n), b(n), out(n);
      for (int64_t i = 0; i < n; ++i) {
        p.values[i] = i * 7 % 3 != 0;
        a.values[i] = static_cast<Memory<T>>(i % 2);
        b.values[i] = static_cast<Memory<T>>(std::is_same_v<T, bool> ? (i + 1) % 2 : 90 + i);
      }
      void *args[] = {p.data(), a.data(), b.data(), out.data()};
      int64_t inner[] = {mask & 1 ? 0 : 1, mask & 2 ? 0 : size, mask & 4 ? 0 : size, size}, outer[] = {0, 0, 0, 0};
      ASSERT_EQ(reinterpret_cast<MapKernel>(kernel->variants[mask])(args, inner, outer, n, 1), kOk);
      for (int64_t i = 0; i < n; ++i) {
        bool taken = p.values[mask & 1 ? 0 : i];
        auto expected = taken ? a.values[mask & 2 ? 0 : i] : b.values[mask & 4 ? 0 : i];
        ASSERT_TRUE(same(out.values[i], expected)) << kernel->name << " mask " << mask << " n " << n << " i " << i;
      }
    }
}

TEST_P(ExactKernelTest, Select) {
  checkSelect<float>(GetParam());
  checkSelect<double>(GetParam());
  checkSelect<int32_t>(GetParam());
  checkSelect<int64_t>(GetParam());
  checkSelect<uint8_t>(GetParam());
  checkSelect<bool>(GetParam());
}

/// To an integer: toward zero, saturating, NaN gives 0. To bool: is not zero.
template <typename To, typename From> To cast(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_floating_point_v<From>) {
    if (value != value)
      return 0;
    // The limits as powers of two, which the float types hold.
    double above = std::ldexp(1.0, std::numeric_limits<To>::digits);
    if (value >= above)
      return std::numeric_limits<To>::max();
    double below = std::is_unsigned_v<To> ? 0.0 : -above;
    return value <= below ? std::numeric_limits<To>::min() : static_cast<To>(value);
  } else {
    __int128 wide = value, low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    return static_cast<To>(wide < low ? low : wide > high ? high : wide);
  }
}

template <typename From> void checkCasts(CpuLevel level) {
  std::string from = std::string("cast.") + Dtype<From>::text + ".";
  checkUnary<From, float>(level, from + "f32", cast<float, From>);
  checkUnary<From, double>(level, from + "f64", cast<double, From>);
  checkUnary<From, int32_t>(level, from + "i32", cast<int32_t, From>);
  checkUnary<From, int64_t>(level, from + "i64", cast<int64_t, From>);
  checkUnary<From, uint8_t>(level, from + "u8", cast<uint8_t, From>);
  checkUnary<From, bool>(level, from + "bool", cast<bool, From>);
}

TEST_P(ExactKernelTest, Casts) {
  checkCasts<float>(GetParam());
  checkCasts<double>(GetParam());
  checkCasts<int32_t>(GetParam());
  checkCasts<int64_t>(GetParam());
  checkCasts<uint8_t>(GetParam());
  checkCasts<bool>(GetParam());
}

TEST_P(ExactKernelTest, IotaAndOneHot) {
  const Tier0Kernel *iota = find(GetParam(), "iota.u8");
  std::vector<uint8_t> bytes(300);
  void *iotaArgs[] = {reinterpret_cast<void *>(3), bytes.data()};
  int64_t iotaInner[] = {1, 1}, iotaOuter[] = {100, 100};
  ASSERT_EQ(reinterpret_cast<MapKernel>(iota->variants[0])(iotaArgs, iotaInner, iotaOuter, 100, 3), kOk);
  for (int i = 0; i < 300; ++i)
    ASSERT_EQ(bytes[i], static_cast<uint8_t>(i + 3)) << i; // wraps

  // Coordinates along rows with one index for each row, then coordinates across rows.
  const Tier0Kernel *oneHot = find(GetParam(), "one_hot.i64.f32");
  std::vector<int64_t> indices{2, 0, -1, 9};
  std::vector<float> out(4 * 5);
  void *args[] = {indices.data(), nullptr, out.data()};
  int64_t inner[] = {0, 1, 4}, outer[] = {8, 0, 20};
  ASSERT_EQ(reinterpret_cast<MapKernel>(oneHot->variants[1])(args, inner, outer, 5, 4), kOk);
  for (int row = 0; row < 4; ++row)
    for (int i = 0; i < 5; ++i)
      ASSERT_EQ(out[row * 5 + i], indices[row] == i ? 1.0f : 0.0f);
  int64_t inner2[] = {8, 0, 4}, outer2[] = {0, 1, 16};
  ASSERT_EQ(reinterpret_cast<MapKernel>(oneHot->variants[0])(args, inner2, outer2, 4, 5), kOk);
  for (int row = 0; row < 5; ++row)
    for (int i = 0; i < 4; ++i)
      ASSERT_EQ(out[row * 4 + i], indices[i] == row ? 1.0f : 0.0f);
}

TEST_P(ExactKernelTest, IntegerReductions) {
  std::vector<uint8_t> x(100);
  int64_t sum = 0;
  for (int i = 0; i < 100; ++i)
    sum += x[i] = static_cast<uint8_t>(i * 37 + 11);
  auto run = [&](const char *name) {
    uint8_t result = 0;
    void *args[] = {x.data(), &result};
    int64_t reduced[] = {1, 0}, kept[] = {0, 0};
    EXPECT_EQ(reinterpret_cast<ReduceKernel>(find(GetParam(), name)->variants[0])(args, reduced, kept, 100, 1), kOk);
    return result;
  };
  EXPECT_EQ(run("sum.u8"), static_cast<uint8_t>(sum));
  EXPECT_EQ(run("max.u8"), *std::max_element(x.begin(), x.end())); // unsigned
  EXPECT_EQ(run("min.u8"), *std::min_element(x.begin(), x.end()));
}

} // namespace
} // namespace tenferro::test
