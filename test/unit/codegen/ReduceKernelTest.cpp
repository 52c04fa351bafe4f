// Reductions bit for bit against a scalar transcription of the tree in runtime/core/KernelAbi.h.
#include "test/unit/codegen/GuardedArray.h"
#include "test/unit/codegen/KernelHarness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace tenferro::runtime;

namespace tenferro::test {
namespace {

constexpr Access unit = Access::Unit, scalar = Access::Scalar;

class ReduceKernelTest : public ::testing::TestWithParam<CpuLevel> {};
INSTANTIATE_TEST_SUITE_P(Levels, ReduceKernelTest, ::testing::ValuesIn(levels()), [](const auto &info) {
  return std::string(info.param == CpuLevel::V4 ? "V4" : "V3");
});

template <typename T> struct Type;
template <> struct Type<float> { static constexpr const char *text = "f32"; };
template <> struct Type<double> { static constexpr const char *text = "f64"; };
template <> struct Type<int32_t> { static constexpr const char *text = "i32"; };
template <> struct Type<int64_t> { static constexpr const char *text = "i64"; };
template <> struct Type<uint8_t> { static constexpr const char *text = "i8"; };

template <typename T> T add(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

template <typename T> T larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<T>::quiet_NaN();
    if (a == b)
      return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
}

template <typename T> T smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<T>::quiet_NaN();
    if (a == b)
      return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}

template <typename T> T times(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// The tree, one lane at a time.
template <typename T> T reduceByTree(const std::vector<T> &elements, const std::string &kind) {
  using Limits = std::numeric_limits<T>;
  T lowest = Limits::has_infinity ? -Limits::infinity() : Limits::min();
  T highest = Limits::has_infinity ? Limits::infinity() : Limits::max();
  auto combine = kind == "sum" ? add<T> : kind == "prod" ? times<T> : kind == "max" ? larger<T> : smaller<T>;
  T nothing = kind == "sum" ? static_cast<T>(-0.0) : kind == "prod" ? T(1) : kind == "max" ? lowest : highest;
  if (elements.empty())
    return kind == "sum" ? T(0) : nothing;
  T lane[32];
  for (T &value : lane)
    value = nothing;
  for (size_t k = 0; k < elements.size(); ++k)
    lane[k % 32] = combine(lane[k % 32], elements[k]);
  for (int half = 16; half; half /= 2)
    for (int j = 0; j < half; ++j)
      lane[j] = combine(lane[j], lane[j + half]);
  return lane[0];
}

template <typename T> bool sameBits(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) && std::isnan(b))
      return true;
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Values of very different magnitude, so that every other order of addition shows.
template <typename T> T sample(uint64_t i) {
  i = (i + 1) * 0x9e3779b97f4a7c15u;
  i ^= i >> 29;
  i *= 0xbf58476d1ce4e5b9u;
  i ^= i >> 32;
  if constexpr (std::is_floating_point_v<T>)
    return std::ldexp(static_cast<T>(static_cast<int64_t>(i >> 20) - (int64_t(1) << 43)), static_cast<int>(i % 41) - 60);
  else
    return static_cast<T>(i);
}

std::vector<int64_t> lengths() {
  std::vector<int64_t> lengths;
  for (int64_t n = 0; n <= 100; ++n)
    lengths.push_back(n);
  lengths.insert(lengths.end(), {127, 128, 129, 1000, 4095, 4096});
  return lengths;
}

/// Reduces n x m elements both ways. Row kernel: n is contiguous; column kernel: m is.
template <typename T> void checkReduction(CpuLevel level, const std::string &kind, bool heavy) {
  std::string type = Type<T>::text, body;
  // A heavy body computes the element again and again: y = x ^ 0 many times, which changes nothing but the weight.
  std::string value = "%x0";
  if (heavy)
    for (int i = 0; i < 70; ++i) {
      std::string next = "%h" + std::to_string(i);
      if (std::is_floating_point_v<T>)
        body += next + "a = arith.negf " + value + " : " + type + "\n" + next + " = arith.negf " + next + "a : " + type + "\n";
      else
        body += next + " = arith.xori " + value + ", %zero : " + type + "\n";
      value = next;
    }
  if (heavy && !std::is_floating_point_v<T>)
    body = "%zero = arith.constant 0 : " + type + "\n" + body;
  body += "linalg.yield " + value + " : " + type;
  KernelHarness harness(level);
  harness.addReduce("k", {{type}, {type}, body, "\"" + kind + "\""}, {unit, unit}, {unit, unit});
  auto kernels = harness.finish();
  auto row = kernels->get<ReduceKernel>("k.row"), column = kernels->get<ReduceKernel>("k.column");
  int64_t size = sizeof(T);
  for (int64_t n : lengths())
    for (int64_t m : {0, 1, 2, 7, 16, 33, 71, 150}) {
      if (n > 1000 && m > 33)
        continue;
      std::vector<std::vector<T>> elements(m);
      GuardedArray<T> rows(n * m), columns(n * m), fromRows(m), fromColumns(m);
      for (int64_t j = 0; j < m; ++j)
        for (int64_t k = 0; k < n; ++k) {
          T x = sample<T>(j * 5000 + k);
          elements[j].push_back(x);
          rows[j * n + k] = x;
          columns[k * m + j] = x;
        }
      void *rowArgs[] = {rows.data(), fromRows.data()}, *columnArgs[] = {columns.data(), fromColumns.data()};
      int64_t rowReduced[] = {size, 0}, rowKept[] = {n * size, size};
      int64_t columnReduced[] = {m * size, 0}, columnKept[] = {size, size};
      ASSERT_EQ(row(rowArgs, rowReduced, rowKept, n, m), kOk);
      ASSERT_EQ(column(columnArgs, columnReduced, columnKept, n, m), kOk);
      for (int64_t j = 0; j < m; ++j) {
        T expected = reduceByTree(elements[j], kind);
        ASSERT_TRUE(sameBits(fromRows[j], expected)) << kind << " " << type << " row n " << n << " m " << m << " j " << j;
        ASSERT_TRUE(sameBits(fromColumns[j], expected)) << kind << " " << type << " column n " << n << " m " << m << " j " << j;
      }
    }
}

TEST_P(ReduceKernelTest, Tree) {
  for (const char *kind : {"sum", "prod", "max", "min"}) {
    checkReduction<float>(GetParam(), kind, false);
    checkReduction<double>(GetParam(), kind, false);
    checkReduction<int32_t>(GetParam(), kind, false);
    checkReduction<int64_t>(GetParam(), kind, false);
    checkReduction<uint8_t>(GetParam(), kind, false);
  }
}

TEST_P(ReduceKernelTest, Truth) {
  KernelHarness harness(GetParam());
  for (std::string kind : {"any", "all"})
    harness.addReduce(kind, {{"i8"}, {"i8"}, "linalg.yield %x0 : i8", "\"" + kind + "\""}, {unit, unit}, {unit, unit});
  auto kernels = harness.finish();
  auto run = [&](const std::string &kind, const std::vector<uint8_t> &truths) {
    auto n = static_cast<int64_t>(truths.size());
    GuardedArray<uint8_t> x(n), result(2);
    std::copy(truths.begin(), truths.end(), x.data());
    int64_t along[] = {1, 1};
    for (bool column : {false, true}) {
      void *args[] = {x.data(), &result[column]};
      EXPECT_EQ(kernels->get<ReduceKernel>(kind + (column ? ".column" : ".row"))(args, along, along, n, 1), kOk);
    }
    EXPECT_EQ(result[0], result[1]) << kind;
    return result[0];
  };
  EXPECT_EQ(run("any", {}), 0);
  EXPECT_EQ(run("all", {}), 1);
  for (size_t n : {1, 2, 31, 32, 33, 64, 100, 257})
    for (size_t odd : {size_t{0}, n / 2, n - 1}) {
      std::vector<uint8_t> none(n, 0), every(n, 1);
      EXPECT_EQ(run("any", none), 0);
      EXPECT_EQ(run("all", every), 1);
      none[odd] = 1;
      every[odd] = 0;
      EXPECT_EQ(run("any", none), 1) << n << " " << odd;
      EXPECT_EQ(run("all", every), 0) << n << " " << odd;
    }
}

TEST_P(ReduceKernelTest, TreeOfHeavyBodies) {
  checkReduction<float>(GetParam(), "sum", true);
  checkReduction<double>(GetParam(), "sum", true);
  checkReduction<int32_t>(GetParam(), "min", true);
}

TEST_P(ReduceKernelTest, SpecialValues) {
  double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  KernelHarness harness(GetParam());
  for (std::string kind : {"sum", "prod", "max", "min"})
    harness.addReduce(kind, {{"f64"}, {"f64"}, "linalg.yield %x0 : f64", "\"" + kind + "\""}, {unit, unit}, {unit, unit});
  auto kernels = harness.finish();
  auto run = [&](const std::string &kind, std::vector<double> x) {
    double results[2];
    int64_t along[] = {8, 8};
    for (bool column : {false, true}) {
      void *args[] = {x.data(), &results[column]};
      auto kernel = kernels->get<ReduceKernel>(kind + (column ? ".column" : ".row"));
      EXPECT_EQ(kernel(args, along, along, x.size(), 1), kOk);
    }
    EXPECT_TRUE(sameBits(results[0], results[1])) << kind;
    return results[0];
  };
  EXPECT_TRUE(sameBits(run("sum", {}), 0.0));
  EXPECT_TRUE(sameBits(run("sum", {-0.0, -0.0}), -0.0));
  EXPECT_TRUE(sameBits(run("sum", {-0.0, 0.0}), 0.0));
  EXPECT_EQ(run("prod", {}), 1);
  EXPECT_TRUE(sameBits(run("prod", {-0.0, 3}), -0.0));
  EXPECT_TRUE(std::isnan(run("prod", {infinity, 0})));
  EXPECT_EQ(run("max", {}), -infinity);
  EXPECT_EQ(run("max", {-infinity, -infinity, -infinity}), -infinity);
  EXPECT_EQ(run("min", {infinity}), infinity);
  EXPECT_TRUE(sameBits(run("max", {-0.0, 0.0, -0.0}), 0.0));
  EXPECT_TRUE(sameBits(run("min", {0.0, -0.0}), -0.0));
  for (size_t at : {0, 5, 31, 32, 70}) {
    std::vector<double> x(71, 1.0);
    x[at] = nan;
    for (const char *kind : {"sum", "prod", "max", "min"})
      EXPECT_TRUE(std::isnan(run(kind, x))) << kind << " " << at;
  }
}

TEST_P(ReduceKernelTest, SeveralOutputsScalarsAndStatus) {
  // Sum of a * b, largest a as i32, with an objection to a == 0; b is one element for a whole run.
  KernelHarness harness(GetParam());
  harness.addReduce("k",
                    {{"f32", "f64"},
                     {"f64", "i32"},
                     "%zero = arith.constant 0.0 : f32\n%z = arith.cmpf oeq, %x0, %zero : f32\n"
                     "\"tenferro.raise_if\"(%z) {error = 1 : i32} : (i1) -> ()\n"
                     "%a = arith.extf %x0 : f32 to f64\n%p = arith.mulf %a, %x1 : f64\n%i = arith.fptosi %x0 : f32 to i32\n"
                     "linalg.yield %p, %i : f64, i32",
                     "[\"sum\", \"max\"]"},
                    {unit, scalar, unit, unit}, {unit, scalar, unit, unit});
  auto kernels = harness.finish();
  for (int64_t n : {0, 1, 5, 31, 32, 40, 100})
    for (int64_t m : {1, 3, 19}) {
      // Along kept: b changes in the row kernel, along reduced: b changes in the column kernel.
      GuardedArray<float> rows(n * m), columns(n * m);
      GuardedArray<double> rowScale(m), columnScale(n), sums[2]{GuardedArray<double>(m), GuardedArray<double>(m)};
      GuardedArray<int32_t> largest[2]{GuardedArray<int32_t>(m), GuardedArray<int32_t>(m)};
      for (int64_t j = 0; j < m; ++j)
        rowScale[j] = 0.1 * static_cast<double>(j + 1);
      for (int64_t k = 0; k < n; ++k)
        columnScale[k] = 0.7 * static_cast<double>(k + 1);
      for (int64_t j = 0; j < m; ++j)
        for (int64_t k = 0; k < n; ++k)
          rows[j * n + k] = columns[k * m + j] = static_cast<float>((k * 7 + j) % 50 + 1) * 0.9f;
      auto both = [&](Status expected) {
        void *rowArgs[] = {rows.data(), n ? rowScale.data() : nullptr, sums[0].data(), largest[0].data()};
        int64_t rowReduced[] = {4, 0, 0, 0}, rowKept[] = {4 * n, 8, 8, 4};
        if (n == 0)
          rowKept[1] = 0; // nothing may be read, not even the scalar
        ASSERT_EQ(kernels->get<ReduceKernel>("k.row")(rowArgs, rowReduced, rowKept, n, m), expected);
        void *columnArgs[] = {columns.data(), columnScale.data(), sums[1].data(), largest[1].data()};
        int64_t columnReduced[] = {4 * m, 8, 0, 0}, columnKept[] = {4, 0, 8, 4};
        ASSERT_EQ(kernels->get<ReduceKernel>("k.column")(columnArgs, columnReduced, columnKept, n, m), expected);
      };
      both(kOk);
      for (int64_t j = 0; j < m; ++j) {
        std::vector<double> byRow, byColumn;
        std::vector<int32_t> integers;
        for (int64_t k = 0; k < n; ++k) {
          double a = rows[j * n + k];
          byRow.push_back(a * rowScale[j]);
          byColumn.push_back(a * columnScale[k]);
          integers.push_back(static_cast<int32_t>(rows[j * n + k]));
        }
        ASSERT_TRUE(sameBits(sums[0][j], reduceByTree(byRow, "sum"))) << n << " " << m << " " << j;
        ASSERT_TRUE(sameBits(sums[1][j], reduceByTree(byColumn, "sum"))) << n << " " << m << " " << j;
        ASSERT_EQ(largest[0][j], reduceByTree(integers, "max"));
        ASSERT_EQ(largest[1][j], reduceByTree(integers, "max"));
      }
      if (n == 0)
        continue;
      rows[n * m - 1] = columns[n * m - 1] = 0;
      both(makeStatus(0, KernelError::DivisionByZero));
    }
}

} // namespace
} // namespace tenferro::test
