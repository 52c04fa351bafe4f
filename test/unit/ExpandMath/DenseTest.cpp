// Random and exhaustive measurements against the C library's long double functions (64-bit fractions). The exhaustive
// ones are DISABLED_; run them with --gtest_also_run_disabled_tests after a change to an expansion (minutes).
#include "test/unit/ExpandMath/Functions.h"
#include "test/unit/ExpandMath/JitFunction.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <random>

namespace tenferro::test {

/// Sigmoid as somebody might compose it: 1 / (1 + e) or e / (1 + e) with e = exp(-|x|).
static const char *const kComposedSigmoid = R"(
  %zero = arith.constant $<0.0>$ : $T
  %one = arith.constant $<1.0>$ : $T
  %magnitude = math.absf %x : $T
  %minus = arith.negf %magnitude : $T
  %e = math.exp %minus : $T
  %isPositive = arith.cmpf oge, %x, %zero : $T
  %numerator = arith.select %isPositive, %one, %e : $B, $T
  %denominator = arith.addf %one, %e : $T
  %r = arith.divf %numerator, %denominator : $T)";

#define REFERENCE(formula)                                                                                             \
  [](long double x, [[maybe_unused]] long double y) -> long double { return formula; },                                \
      [](double x, [[maybe_unused]] double y) -> double { return formula; }

const std::vector<Function> &functions() {
  static const std::vector<Function> all = {
      {"exp", "%r = math.exp %x : $T", REFERENCE(std::exp(x)), 1, 1},
      {"expm1", "%r = math.expm1 %x : $T", REFERENCE(std::expm1(x)), 1, 1},
      {"log", "%r = math.log %x : $T", REFERENCE(std::log(x)), 1, 1},
      {"log1p", "%r = math.log1p %x : $T", REFERENCE(std::log1p(x)), 1, 1},
      {"tanh", "%r = math.tanh %x : $T", REFERENCE(std::tanh(x)), 1, 1},
      {"erf", "%r = math.erf %x : $T", REFERENCE(std::erf(x)), 1, 1},
      {"rsqrt", "%r = math.rsqrt %x : $T", REFERENCE(1 / std::sqrt(x)), 1, 1},
      {"sqrt", "%r = math.sqrt %x : $T", REFERENCE(std::sqrt(x)), 0.5, 0.5},
      {"sigmoid", "%r = \"test.sigmoid\"(%x) : ($T) -> $T", REFERENCE(1 / (1 + std::exp(-x))), 1, 1},
      {"composed-sigmoid", kComposedSigmoid, REFERENCE(1 / (1 + std::exp(-x))), 2.5, 2.5},
      {"silu", "%r = \"test.silu\"(%x) : ($T) -> $T", REFERENCE(x / (1 + std::exp(-x))), 1, 1},
      {"hypot", "%r = \"test.hypot\"(%x, %y) : ($T, $T) -> $T", REFERENCE(std::hypot(x, y)), 1, 1, true},
      {"rem", "%r = \"test.rem\"(%x, %y) : ($T, $T) -> $T", REFERENCE(std::fmod(x, y)), 0, 0, true},
      {"sin", "%r = math.sin %x : $T", REFERENCE(std::sin(x)), 1, 1},
      {"cos", "%r = math.cos %x : $T", REFERENCE(std::cos(x)), 1, 1},
      {"tan", "%r = math.tan %x : $T", REFERENCE(std::tan(x)), 1, 1},
      {"asin", "%r = math.asin %x : $T", REFERENCE(std::asin(x)), 1, 1},
      {"acos", "%r = math.acos %x : $T", REFERENCE(std::acos(x)), 1, 1},
      {"atan", "%r = math.atan %x : $T", REFERENCE(std::atan(x)), 1, 1},
      {"sinh", "%r = math.sinh %x : $T", REFERENCE(std::sinh(x)), 1, 1},
      {"cosh", "%r = math.cosh %x : $T", REFERENCE(std::cosh(x)), 1, 1},
      {"asinh", "%r = math.asinh %x : $T", REFERENCE(std::asinh(x)), 1, 1},
      {"acosh", "%r = math.acosh %x : $T", REFERENCE(std::acosh(x)), 1, 1},
      {"atanh", "%r = math.atanh %x : $T", REFERENCE(std::atanh(x)), 1, 1},
      {"exp2", "%r = math.exp2 %x : $T", REFERENCE(std::exp2(x)), 1, 1},
      {"log2", "%r = math.log2 %x : $T", REFERENCE(std::log2(x)), 1, 1},
      {"log10", "%r = math.log10 %x : $T", REFERENCE(std::log10(x)), 1, 1},
      {"cbrt", "%r = math.cbrt %x : $T", REFERENCE(std::cbrt(x)), 1, 1},
      {"erfc", "%r = math.erfc %x : $T", REFERENCE(std::erfc(x)), 1, 1},
      {"atan2", "%r = math.atan2 %x, %y : $T", REFERENCE(std::atan2(x, y)), 1, 1, true},
      {"pow", "%r = math.powf %x, %y : $T", REFERENCE(std::pow(x, y)), 1, 1, true},
  };
  return all;
}

/// Arguments from a few distributions: all bit patterns, moderate sizes, near 0 and near 1; for the second argument of
/// pow such that the result is finite more often than not.
template <class T> static void draw(std::mt19937_64 &random, size_t n, std::vector<T> &x, std::vector<T> &y) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  for (size_t i = 0; i < n; ++i) {
    T a = 0, b = 0;
    switch (random() % 7) {
    case 0:
      a = std::bit_cast<T>(Bits(random()));
      break;
    case 1:
      a = T(uniform(-1, 1));
      break;
    case 2:
      a = T(uniform(-10, 10));
      break;
    case 3:
      a = T(sizeof(T) == 8 ? uniform(-750, 720) : uniform(-105, 90));
      break;
    case 4:
      a = T(1 + uniform(-1, 1) * std::exp2(uniform(-20, 0)));
      break;
    case 5:
      a = T(uniform(-1, 1) * std::exp2(uniform(-30, 8)));
      break;
    case 6:
      a = T(std::exp2(uniform(sizeof(T) == 8 ? -1070 : -148, sizeof(T) == 8 ? 1023 : 127)));
      break;
    }
    double logA = std::log2(std::fabs(double(a)));
    switch (random() % 4) {
    case 0:
      b = T(uniform(-1, 1) * (sizeof(T) == 8 ? 1080 : 152) / (std::fabs(logA) + 1e-9));
      break;
    case 1:
      b = T(int64_t(uniform(-40, 40)));
      break;
    case 2:
      b = T(uniform(-4, 4));
      break;
    case 3:
      b = T((random() % 2 ? 1 : -1) * uniform(0.98, 1.0) * (sizeof(T) == 8 ? 1074 : 149) / (std::fabs(logA) + 1e-9));
      break;
    }
    x.push_back(a);
    y.push_back(b);
  }
}

template <class T> struct Worst {
  double ulp = 0;
  T x = 0, y = 0, got = 0;
  void see(const Function &f, T a, T b, T result) {
    auto want = [&] {
      if constexpr (sizeof(T) == 4)
        return f.referenceF32(a, b);
      else
        return f.reference(a, b);
    }();
    if (T(want) == result)
      return;
    if (double error = ulpError(result, want); error > ulp) {
      ulp = error;
      x = a, y = b, got = result;
    }
  }
  void print(const Function &f) const {
    std::printf("%-8s f%d  %.4f ulp at (%a, %a), got %a\n", f.name, int(sizeof(T) * 8), ulp, double(x), double(y),
                double(got));
  }
};

template <class T> static void measureRandom(size_t rounds) {
  if (cpuLevels().empty())
    GTEST_SKIP() << "needs x86-64-v3";
  for (const Function &f : functions()) {
    JitFunction jit(f.body, sizeof(T) == 8, 8, cpuLevels().back());
    ASSERT_TRUE(jit);
    EXPECT_EQ(jit.calls(), "");
    std::mt19937_64 random(1234);
    Worst<T> worst;
    for (size_t round = 0; round < rounds; ++round) {
      std::vector<T> x, y;
      draw(random, 1 << 16, x, y);
      std::vector<T> got = jit(x, y);
      for (size_t i = 0; i < got.size(); ++i)
        worst.see(f, x[i], y[i], got[i]);
    }
    worst.print(f);
    EXPECT_LE(worst.ulp, sizeof(T) == 8 ? f.maxUlpF64 : f.maxUlpF32) << f.name;
  }
}

TEST(ExpandMathDense, randomF32) { measureRandom<float>(2); }
TEST(ExpandMathDense, randomF64) { measureRandom<double>(2); }
TEST(ExpandMathDense, DISABLED_manyRandomF64) { measureRandom<double>(400); }
TEST(ExpandMathDense, DISABLED_manyRandomF32) { measureRandom<float>(400); }

static const Function *findFunction(std::string_view name) {
  for (const Function &f : functions())
    if (f.name == name)
      return &f;
  return nullptr;
}

/// In f64 between arguments where few of those drawn above fall and the errors are largest.
TEST(ExpandMathDense, worstPlacesF64) {
  if (cpuLevels().empty())
    GTEST_SKIP() << "needs x86-64-v3";
  struct Place {
    const char *name;
    double low, high, maxUlp;
  };
  for (const Place &place :
       {Place{"tanh", 0.165, 0.19, 0.54}, Place{"erf", 1.057, 1.061, 0.98}, Place{"erfc", 0.6875, 0.72, 0.93},
        Place{"sigmoid", -34.312, -34.309, 0.85}, Place{"silu", -34.312, -34.309, 0.88}}) {
    const Function *function = findFunction(place.name);
    ASSERT_TRUE(function);
    JitFunction jit(function->body, true, 8, cpuLevels().back());
    ASSERT_TRUE(jit);
    std::mt19937_64 random(99);
    std::uniform_real_distribution<double> between(place.low, place.high);
    std::vector<double> x(1 << 16);
    for (double &value : x)
      value = between(random);
    std::vector<double> got = jit(x);
    Worst<double> worst;
    for (size_t i = 0; i < x.size(); ++i)
      worst.see(*function, x[i], 0, got[i]);
    worst.print(*function);
    EXPECT_LE(worst.ulp, place.maxUlp) << place.name;
  }
}

/// Every f32 from `low` to `high`, where the two pieces of a function meet and its error is largest.
static void measureWherePiecesMeet(std::string_view name, float low, float high) {
  if (cpuLevels().empty())
    GTEST_SKIP() << "needs x86-64-v3";
  const Function *function = findFunction(name);
  ASSERT_TRUE(function);
  JitFunction jit(function->body, false, 8, cpuLevels().back());
  ASSERT_TRUE(jit);
  std::vector<float> x;
  for (uint32_t bits = std::bit_cast<uint32_t>(low); bits < std::bit_cast<uint32_t>(high); ++bits)
    x.push_back(std::bit_cast<float>(bits));
  std::vector<float> got = jit(x);
  Worst<float> worst;
  for (size_t i = 0; i < x.size(); ++i)
    worst.see(*function, x[i], 0, got[i]);
  worst.print(*function);
  EXPECT_LE(worst.ulp, function->maxUlpF32);
}

TEST(ExpandMathDense, tanhWherePiecesMeetF32) { measureWherePiecesMeet("tanh", 0.9375f, 1.1875f); }
TEST(ExpandMathDense, erfWherePiecesMeetF32) { measureWherePiecesMeet("erf", 0.78125f, 1.0625f); }

/// Every f32.
TEST(ExpandMathDense, DISABLED_exhaustiveF32) {
  if (cpuLevels().empty())
    GTEST_SKIP() << "needs x86-64-v3";
  for (const Function &f : functions()) {
    if (f.isBinary)
      continue;
    JitFunction jit(f.body, false, 8, cpuLevels().back());
    ASSERT_TRUE(jit);
    Worst<float> worst;
    std::vector<float> x(1 << 20);
    for (uint64_t block = 0; block < 4096; ++block) {
      for (size_t i = 0; i < x.size(); ++i)
        x[i] = std::bit_cast<float>(uint32_t(block << 20 | i));
      std::vector<float> got = jit(x);
      for (size_t i = 0; i < got.size(); ++i)
        worst.see(f, x[i], 0, got[i]);
    }
    worst.print(f);
    std::fflush(stdout);
    EXPECT_LE(worst.ulp, f.maxUlpF32) << f.name;
  }
}

} // namespace tenferro::test
