// Element-wise kernels against plain loops: every tail, every mix of access, strided rows, status words.
#include "test/unit/codegen/GuardedArray.h"
#include "test/unit/codegen/KernelHarness.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>

using namespace tenferro::runtime;

namespace tenferro::test {
namespace {

constexpr Access unit = Access::Unit, scalar = Access::Scalar, coordinate = Access::Index;

class MapKernelTest : public ::testing::TestWithParam<CpuLevel> {};
INSTANTIATE_TEST_SUITE_P(Levels, MapKernelTest, ::testing::ValuesIn(levels()),
                         [](const auto &info) { return std::string(info.param == CpuLevel::V4 ? "V4" : "V3"); });

template <typename T> std::string typeText();
template <> std::string typeText<float>() { return "f32"; }
template <> std::string typeText<double>() { return "f64"; }
template <> std::string typeText<int32_t>() { return "i32"; }
template <> std::string typeText<int64_t>() { return "i64"; }
template <> std::string typeText<uint8_t>() { return "i8"; }

/// out = x0 * x1 + x0 over all masks of scalar operands, n of 0 to 140 and some rows, with so many operations more.
template <typename T> void checkMulAdd(CpuLevel level, int more = 0, bool interleaved = false) {
  std::string type = typeText<T>(), suffix = std::is_floating_point_v<T> ? "f" : "i";
  KernelText text{{type, type},
                  {type},
                  "%p = arith.mul" + suffix + " %x0, %x1 : " + type + "\n%s = arith.add" + suffix +
                      " %p, %x0 : " + type,
                  ""};
  // Negating twice changes nothing but the weight of the body.
  std::string value = "%s";
  if (more && suffix == "i")
    text.body += "\n%ones = arith.constant -1 : " + type;
  for (int i = 0; i < more; ++i) {
    std::string next = "%h" + std::to_string(i);
    text.body += "\n" + next + " = " + (suffix == "f" ? "arith.negf " + value : "arith.xori " + value + ", %ones") +
                 " : " + type;
    value = next;
  }
  text.body += "\nlinalg.yield " + value + " : " + type;
  KernelHarness harness(level);
  for (int mask = 0; mask < 3; ++mask)
    harness.addMap("k" + std::to_string(mask), text, {mask & 1 ? scalar : unit, mask & 2 ? scalar : unit, unit},
                   interleaved);
  auto kernels = harness.finish();
  for (int mask = 0; mask < 3; ++mask) {
    auto kernel = kernels->get<MapKernel>("k" + std::to_string(mask));
    for (int64_t n = 0; n <= 140; ++n)
      for (int64_t m : {0, 1, 3}) {
        bool scalarX = mask & 1, scalarY = mask & 2;
        int64_t nx = scalarX ? std::min<int64_t>(n, 1) : n, ny = scalarY ? std::min<int64_t>(n, 1) : n;
        // y's rows run backwards, the result's rows have gaps.
        GuardedArray<T> x(nx * m), y(ny * m), out((n + 2) * m);
        for (size_t i = 0; i < x.size(); ++i)
          x[i] = static_cast<T>(i % 13 + 2);
        for (size_t i = 0; i < y.size(); ++i)
          y[i] = static_cast<T>(i % 7 + 1);
        std::memset(out.data(), 77, out.size() * sizeof(T));
        T filler = out.size() ? out[0] : T{};
        T *yLast = m ? y.data() + ny * (m - 1) : y.data();
        void *args[] = {x.data(), yLast, out.data()};
        int64_t size = sizeof(T);
        int64_t inner[] = {scalarX ? 0 : size, scalarY ? 0 : size, size};
        int64_t outer[] = {nx * size, -ny * size, (n + 2) * size};
        ASSERT_EQ(kernel(args, inner, outer, n, m), kOk);
        for (int64_t row = 0; row < m; ++row)
          for (int64_t i = 0; i < n + 2; ++i) {
            T got = out[row * (n + 2) + i];
            if (i >= n) {
              ASSERT_EQ(got, filler);
              continue;
            }
            T a = x[row * nx + (scalarX ? 0 : i)], b = y[(m - 1 - row) * ny + (scalarY ? 0 : i)];
            ASSERT_EQ(got, static_cast<T>(static_cast<T>(a * b) + a))
                << type << " mask " << mask << " n " << n << " i " << i;
          }
      }
  }
}

TEST_P(MapKernelTest, EveryTypeMaskAndTail) {
  checkMulAdd<float>(GetParam());
  checkMulAdd<double>(GetParam());
  checkMulAdd<int32_t>(GetParam());
  checkMulAdd<int64_t>(GetParam());
  checkMulAdd<uint8_t>(GetParam());
}

TEST_P(MapKernelTest, HeavyBodies) {
  checkMulAdd<float>(GetParam(), 210);
  checkMulAdd<double>(GetParam(), 210);
  checkMulAdd<int32_t>(GetParam(), 210);
  checkMulAdd<uint8_t>(GetParam(), 210);
}

TEST_P(MapKernelTest, InterleavedBodies) {
  for (int more : {14, 210}) {
    checkMulAdd<float>(GetParam(), more, /*interleaved=*/true);
    checkMulAdd<double>(GetParam(), more, /*interleaved=*/true);
    checkMulAdd<int32_t>(GetParam(), more, /*interleaved=*/true);
    checkMulAdd<uint8_t>(GetParam(), more, /*interleaved=*/true);
  }
}

TEST_P(MapKernelTest, InterleavedBodiesThatWiden) {
  // (x0 + 1) / 3 in f64, exact but for the roundings that both sides make.
  KernelText text{{"f32"},
                  {"f32"},
                  "%w = arith.extf %x0 : f32 to f64\n%one = arith.constant 1.0 : f64\n"
                  "%three = arith.constant 3.0 : f64\n%s = arith.addf %w, %one : f64\n%q = arith.divf %s, %three : f64",
                  ""};
  std::string value = "%q";
  for (int i = 0; i < 14; ++i) {
    std::string next = "%h" + std::to_string(i);
    text.body += "\n" + next + " = arith.negf " + value + " : f64";
    value = next;
  }
  text.body += "\n%r = arith.truncf " + value + " : f64 to f32\nlinalg.yield %r : f32";
  KernelHarness harness(GetParam());
  harness.addMap("k", text, {unit, unit}, /*interleaved=*/true);
  auto kernels = harness.finish();
  for (int64_t n = 0; n < 140; ++n) {
    GuardedArray<float> x(n);
    for (int64_t i = 0; i < n; ++i)
      x[i] = 0.37f * i;
    std::vector<float> before(x.data(), x.data() + n);
    void *args[] = {x.data(), x.data()};
    int64_t strides[] = {4, 4};
    ASSERT_EQ(kernels->get<MapKernel>("k")(args, strides, strides, n, 1), kOk);
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(x[i], static_cast<float>((static_cast<double>(before[i]) + 1.0) / 3.0)) << n << " " << i;
  }
}

TEST_P(MapKernelTest, HeavyBodyOfSeveralSizes) {
  // x0 + x1 as f64 and whether it exceeds 10, in place over x0; remainders are copied with each operand's own size.
  KernelText text{{"f64", "f32"},
                  {"f64", "i8"},
                  "%w = arith.extf %x1 : f32 to f64\n%s = arith.addf %x0, %w : f64\n%ten = arith.constant 10.0 : f64\n"
                  "%c = arith.cmpf ogt, %s, %ten : f64\n%b = arith.extui %c : i1 to i8",
                  ""};
  std::string value = "%s";
  for (int i = 0; i < 30; ++i) {
    std::string next = "%h" + std::to_string(i);
    text.body += "\n" + next + " = arith.negf " + value + " : f64";
    value = next;
  }
  text.body += "\nlinalg.yield " + value + ", %b : f64, i8";
  KernelHarness harness(GetParam());
  harness.addMap("k", text, {unit, unit, unit, unit});
  auto kernels = harness.finish();
  for (int64_t n = 0; n < 40; ++n) {
    GuardedArray<double> x(n);
    GuardedArray<float> y(n);
    GuardedArray<uint8_t> above(n);
    for (int64_t i = 0; i < n; ++i)
      x[i] = 0.5 * i, y[i] = 0.25f;
    void *args[] = {x.data(), y.data(), x.data(), above.data()};
    int64_t strides[] = {8, 4, 8, 1};
    ASSERT_EQ(kernels->get<MapKernel>("k")(args, strides, strides, n, 1), kOk);
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(x[i], 0.5 * i + 0.25);
      ASSERT_EQ(above[i], i >= 20);
    }
  }
}

TEST_P(MapKernelTest, NoContraction) {
  // 1 + 2^-23 squared minus 1 + 2^-22 is 2^-46 in one rounding and 0 in two.
  KernelHarness harness(GetParam());
  harness.addMap("k",
                 {{"f32", "f32"},
                  {"f32"},
                  "%p = arith.mulf %x0, %x0 : f32\n%s = arith.subf %p, %x1 : f32\nlinalg.yield %s : f32",
                  ""},
                 {unit, unit, unit});
  auto kernels = harness.finish();
  float x = 1 + 0x1p-23f, y = 1 + 0x1p-22f, out = 5;
  void *args[] = {&x, &y, &out};
  int64_t strides[] = {4, 4, 4};
  EXPECT_EQ(kernels->get<MapKernel>("k")(args, strides, strides, 1, 1), kOk);
  EXPECT_EQ(out, 0.0f);
}

TEST_P(MapKernelTest, BoolsAndMixedWidths) {
  // select(p, f64(a), b) and a < b as bools.
  KernelHarness harness(GetParam());
  harness.addMap(
      "k",
      {{"i8", "f32", "f64"},
       {"f64", "i8"},
       "%zero = arith.constant 0 : i8\n%p = arith.cmpi ne, %x0, %zero : i8\n%a = arith.extf %x1 : f32 to f64\n"
       "%s = arith.select %p, %a, %x2 : f64\n%c = arith.cmpf olt, %a, %x2 : f64\n%b = arith.extui %c : i1 to i8\n"
       "linalg.yield %s, %b : f64, i8",
       ""},
      {unit, unit, scalar, unit, unit});
  auto kernels = harness.finish();
  auto kernel = kernels->get<MapKernel>("k");
  for (int64_t n = 0; n < 40; ++n) {
    GuardedArray<uint8_t> p(n), less(n);
    GuardedArray<float> a(n);
    GuardedArray<double> b(1), out(n);
    b[0] = 10.5;
    for (int64_t i = 0; i < n; ++i)
      p[i] = i % 3 == 0, a[i] = static_cast<float>(i);
    void *args[] = {p.data(), a.data(), b.data(), out.data(), less.data()};
    int64_t inner[] = {1, 4, 0, 8, 1}, outer[] = {0, 0, 0, 0, 0};
    ASSERT_EQ(kernel(args, inner, outer, n, 1), kOk);
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(out[i], i % 3 == 0 ? double(i) : 10.5);
      ASSERT_EQ(less[i], i <= 10);
    }
  }
}

TEST_P(MapKernelTest, Coordinates) {
  KernelHarness harness(GetParam());
  harness.addMap(
      "k",
      {{"i32"},
       {"i64", "i32"},
       "%r = linalg.index 1 : index\n%q = linalg.index 0 : index\n%a = arith.index_cast %r : index to i64\n"
       "%b = arith.index_cast %q : index to i32\n%s = arith.addi %b, %x0 : i32\nlinalg.yield %a, %s : i64, i32",
       ""},
      {unit, coordinate, coordinate, unit, unit});
  auto kernels = harness.finish();
  for (int64_t n : {1, 7, 8, 9, 100}) {
    int64_t m = 3;
    std::vector<int32_t> x(n * m, 1000), sum(n * m);
    std::vector<int64_t> first(n * m);
    // Dimension 0 starts at 5 and runs along rows, dimension 1 starts at 2 and falls by 3 along the row.
    void *args[] = {x.data(), reinterpret_cast<void *>(5), reinterpret_cast<void *>(2), first.data(), sum.data()};
    int64_t inner[] = {4, 0, -3, 8, 4}, outer[] = {4 * n, 1, 0, 8 * n, 4 * n};
    ASSERT_EQ(kernels->get<MapKernel>("k")(args, inner, outer, n, m), kOk);
    for (int64_t j = 0; j < m; ++j)
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(first[j * n + i], 2 - 3 * i);
        ASSERT_EQ(sum[j * n + i], 1000 + 5 + j);
      }
  }
}

/// Operation 0 objects to negative x0, operation 1 to x1 == 0; the sum is inverted `inversions` times, an even number.
void checkStatus(CpuLevel level, int inversions, bool interleaved) {
  std::string inverted, value = "%s";
  for (int i = 0; i < inversions; ++i) {
    std::string next = "%h" + std::to_string(i);
    inverted += next + " = arith.xori " + value + ", %ones : i32\n";
    value = next;
  }
  KernelHarness harness(level);
  harness.addMap(
      "k",
      {{"i32", "i32"},
       {"i32"},
       "%zero = arith.constant 0 : i32\n%n = arith.cmpi slt, %x0, %zero : i32\n%z = arith.cmpi eq, %x1, %zero : i32\n"
       "\"tenferro.raise_if\"(%n) {error = 3 : i32} : (i1) -> ()\n"
       "\"tenferro.raise_if\"(%z) {error = 1 : i32} : (i1) -> ()\n"
       "%s = arith.addi %x0, %x1 : i32\n%ones = arith.constant -1 : i32\n" +
           inverted + "linalg.yield " + value + " : i32",
       ""},
      {unit, unit, unit}, interleaved);
  auto kernels = harness.finish();
  auto kernel = kernels->get<MapKernel>("k");
  for (int64_t n = 1; n < 150; ++n)
    for (int64_t bad : {int64_t(0), n / 2, n - 1}) {
      GuardedArray<int32_t> x(n), y(n), out(n);
      std::fill_n(x.data(), n, 3);
      std::fill_n(y.data(), n, 4);
      void *args[] = {x.data(), y.data(), out.data()};
      int64_t inner[] = {4, 4, 4}, outer[] = {0, 0, 0};
      // Elements beyond n are zero in a masked vector and must raise nothing.
      ASSERT_EQ(kernel(args, inner, outer, n, 2), kOk);
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(out[i], 7);
      y[bad] = 0;
      ASSERT_EQ(kernel(args, inner, outer, n, 2), makeStatus(1, KernelError::DivisionByZero));
      x[n - 1 - bad] = -1;
      ASSERT_EQ(kernel(args, inner, outer, n, 2), makeStatus(0, KernelError::NegativePower));
    }
}

TEST_P(MapKernelTest, SmallestOrdinalIsReported) {
  checkStatus(GetParam(), 0, /*interleaved=*/false);
  checkStatus(GetParam(), 16, /*interleaved=*/true);
}

TEST_P(MapKernelTest, InPlace) {
  KernelHarness harness(GetParam());
  harness.addMap("k", {{"f64"}, {"f64"}, "%s = arith.addf %x0, %x0 : f64\nlinalg.yield %s : f64", ""}, {unit, unit});
  auto kernels = harness.finish();
  GuardedArray<double> x(77);
  for (int i = 0; i < 77; ++i)
    x[i] = i;
  void *args[] = {x.data(), x.data()};
  int64_t strides[] = {8, 8};
  EXPECT_EQ(kernels->get<MapKernel>("k")(args, strides, strides, 77, 1), kOk);
  for (int i = 0; i < 77; ++i)
    EXPECT_EQ(x[i], 2.0 * i);
}

TEST_P(MapKernelTest, RareArgumentsLeaveOthersAlone) {
  // Huge arguments of sin and cos are reduced in a function that both kernels call in the middle of their loops.
  KernelHarness harness(GetParam());
  harness.addMap("both",
                 {{"f64", "f64"},
                  {"f64", "f64", "f64"},
                  "%s = math.sin %x0 : f64\n%c = math.cos %x1 : f64\n%p = arith.mulf %x0, %x1 : f64\n"
                  "linalg.yield %s, %c, %p : f64, f64, f64",
                  ""},
                 {unit, unit, unit, unit, unit});
  harness.addMap("one", {{"f64"}, {"f64"}, "%c = math.cos %x0 : f64\nlinalg.yield %c : f64", ""}, {unit, unit});
  auto kernels = harness.finish();
  constexpr int n = 19;
  GuardedArray<double> x(n), y(n), sines(n), cosines(n), products(n), again(n);
  auto run = [&] {
    void *args[] = {x.data(), y.data(), sines.data(), cosines.data(), products.data()},
         *oneArgs[] = {y.data(), again.data()};
    int64_t strides[] = {8, 8, 8, 8, 8};
    ASSERT_EQ(kernels->get<MapKernel>("both")(args, strides, strides, n, 1), kOk);
    ASSERT_EQ(kernels->get<MapKernel>("one")(oneArgs, strides, strides, n, 1), kOk);
  };
  auto fill = [&] {
    for (int i = 0; i < n; ++i)
      x[i] = 0.3 * i - 2, y[i] = 0.2 * i - 1;
  };
  fill();
  run();
  std::vector<double> usualSines(sines.data(), sines.data() + n), usualCosines(cosines.data(), cosines.data() + n);
  for (int i = 0; i < n; ++i) {
    EXPECT_DOUBLE_EQ(sines[i], std::sin(x[i]));
    EXPECT_DOUBLE_EQ(cosines[i], std::cos(y[i]));
  }
  for (int rare = 0; rare < n; ++rare) {
    fill();
    int other = (rare + 5) % n;
    x[rare] = 1e22, y[other] = 2.5e150;
    run();
    for (int i = 0; i < n; ++i) {
      // Values of 400-bit arithmetic.
      EXPECT_DOUBLE_EQ(sines[i], i == rare ? -0.8522008497671888 : usualSines[i]);
      EXPECT_DOUBLE_EQ(cosines[i], i == other ? 0.852799266200114 : usualCosines[i]);
      EXPECT_EQ(again[i], cosines[i]);
      EXPECT_EQ(products[i], x[i] * y[i]);
    }
  }
}

TEST(CpuModuleTest, FailuresNameTheOperation) {
  KernelHarness harness(CpuLevel::V3);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&harness.context(), [&](mlir::Diagnostic &diagnostic) {
    message = diagnostic.str();
    return mlir::success();
  });
  mlir::linalg::GenericOp generic;
  auto foreign =
      harness.parse({{"f32"}, {"f32"}, "%s = \"other.op\"(%x0) : (f32) -> f32\nlinalg.yield %s : f32", ""}, generic);
  EXPECT_TRUE(failed(harness.module().addMap("k", generic, {unit, unit})));
  EXPECT_NE(message.find("'other.op' op cannot be part of a kernel body"), std::string::npos) << message;
  auto plain = harness.parse({{"f32"}, {"f32"}, "linalg.yield %x0 : f32", ""}, generic);
  EXPECT_TRUE(failed(harness.module().addMap("k", generic, {unit})));
  EXPECT_NE(message.find("expects an access for each of 2 kernel operands, but got 1"), std::string::npos) << message;
  EXPECT_TRUE(failed(harness.module().addReduce("r", "c", generic, {unit, unit}, {unit, unit})));
  EXPECT_NE(message.find("'tenferro.reduction'"), std::string::npos) << message;
}

TEST(CpuModuleTest, SameBodySameObject) {
  // Objects go into a disk cache: the same kernel gives the same bytes.
  std::vector<uint8_t> objects[2];
  for (auto &object : objects) {
    KernelHarness harness(CpuLevel::V4);
    harness.addMap("k", {{"f64"}, {"f64"}, "%s = arith.addf %x0, %x0 : f64\nlinalg.yield %s : f64", ""}, {unit, unit});
    object = *harness.module().emitObject();
  }
  EXPECT_EQ(objects[0], objects[1]);
}

TEST(CpuModuleTest, Latency) {
  // A small fused kernel: relu(x * y + x) in f32. Printed, not judged: machines differ.
  KernelText text{{"f32", "f32"},
                  {"f32"},
                  "%z = arith.constant 0.0 : f32\n%p = arith.mulf %x0, %x1 : f32\n%s = arith.addf %p, %x0 : f32\n"
                  "%c = arith.cmpf ole, %s, %z : f32\n%r = arith.select %c, %z, %s : f32\nlinalg.yield %r : f32",
                  ""};
  for (CpuLevel level : levels()) {
    KernelHarness harness(level);
    mlir::linalg::GenericOp generic;
    auto source = harness.parse(text, generic);
    double best[3] = {1e9, 1e9, 1e9}, first = 0;
    for (int i = 0; i < 30; ++i) {
      auto start = std::chrono::steady_clock::now();
      auto now = [&] {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      };
      compiler::CpuModule module(&harness.context(), level);
      ASSERT_TRUE(succeeded(module.addMap("k", generic, {unit, unit, unit})));
      double built = now();
      ASSERT_TRUE(succeeded(module.convertToLLVM()));
      double converted = now();
      auto object = module.emitObject();
      ASSERT_TRUE(succeeded(object));
      double total = now();
      if (i == 0)
        first = total;
      best[0] = std::min(best[0], built), best[1] = std::min(best[1], converted - built),
      best[2] = std::min(best[2], total - converted);
      if (i == 29)
        std::printf("level v%d: first %.1f ms; best: build %.2f, convert %.2f, emit %.2f ms; object %zu bytes\n",
                    int(level), first, best[0], best[1], best[2], object->size());
    }
  }
}

} // namespace
} // namespace tenferro::test
