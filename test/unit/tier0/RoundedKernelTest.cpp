// Transcendental kernels against long double libm, and equal bits at both levels and at every position of a vector.
#include "test/unit/tier0/Kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace tenferro::runtime;

namespace tenferro::test {
namespace {

struct Function {
  const char *name;
  double low, high;
  std::function<long double(long double)> reference;
};

const std::vector<Function> &functions() {
  static const std::vector<Function> list{
      {"exp", -80, 80, [](long double x) { return expl(x); }},
      {"expm1", -5, 5, [](long double x) { return expm1l(x); }},
      {"log", 1e-6, 1e6, [](long double x) { return logl(x); }},
      {"log1p", -0.9, 20, [](long double x) { return log1pl(x); }},
      {"tanh", -9, 9, [](long double x) { return tanhl(x); }},
      {"erf", -4, 4, [](long double x) { return erfl(x); }},
      {"rsqrt", 1e-3, 1e3, [](long double x) { return 1 / sqrtl(x); }},
      {"sigmoid", -20, 20, [](long double x) { return 1 / (1 + expl(-x)); }},
      {"sin", -100, 100, [](long double x) { return sinl(x); }},
      {"cos", -100, 100, [](long double x) { return cosl(x); }},
      {"tan", -100, 100, [](long double x) { return tanl(x); }},
      {"asin", -1, 1, [](long double x) { return asinl(x); }},
      {"acos", -1, 1, [](long double x) { return acosl(x); }},
      {"atan", -50, 50, [](long double x) { return atanl(x); }},
      {"sinh", -80, 80, [](long double x) { return sinhl(x); }},
      {"cosh", -80, 80, [](long double x) { return coshl(x); }},
      {"asinh", -1000.0, 1000.0, [](long double x) { return asinhl(x); }},
      {"acosh", 1, 1000.0, [](long double x) { return acoshl(x); }},
      {"atanh", -1, 1, [](long double x) { return atanhl(x); }},
      {"exp2", -120, 120, [](long double x) { return exp2l(x); }},
      {"log2", 1e-6, 1e6, [](long double x) { return log2l(x); }},
      {"log10", 1e-6, 1e6, [](long double x) { return log10l(x); }},
      {"cbrt", -1000.0, 1000.0, [](long double x) { return cbrtl(x); }},
      {"erfc", -5, 9, [](long double x) { return erfcl(x); }},
  };
  return list;
}

template <typename T> std::vector<T> run(CpuLevel level, const std::string &name, std::vector<T> x) {
  std::vector<T> y(x.size());
  void *args[] = {x.data(), y.data()};
  int64_t inner[] = {sizeof(T), sizeof(T)}, outer[] = {0, 0};
  const Tier0Kernel *kernel = find(level, name + "." + Dtype<T>::text);
  EXPECT_NE(kernel, nullptr) << name;
  EXPECT_EQ(reinterpret_cast<MapKernel>(kernel->variants[0])(args, inner, outer, x.size(), 1), kOk);
  return y;
}

template <typename T> void checkAccuracy(CpuLevel level) {
  for (const Function &function : functions()) {
    std::vector<T> x;
    for (int i = 0; i < 2003; ++i)
      x.push_back(static_cast<T>(function.low + (function.high - function.low) * (i * 0.618033988749895 - std::floor(i * 0.618033988749895))));
    std::vector<T> y = run(level, function.name, x);
    for (size_t i = 0; i < x.size(); ++i) {
      T exact = static_cast<T>(function.reference(x[i]));
      if (std::isinf(exact)) { // at the end of a domain
        ASSERT_EQ(y[i], exact) << function.name << "." << Dtype<T>::text << " at " << x[i];
        continue;
      }
      T ulp = std::nextafter(std::fabs(exact), std::numeric_limits<T>::infinity()) - std::fabs(exact);
      ASSERT_NEAR(y[i], exact, ulp) << function.name << "." << Dtype<T>::text << " at " << x[i];
    }
  }
}

TEST(RoundedKernelTest, Accuracy) {
  for (CpuLevel level : levels()) {
    checkAccuracy<float>(level);
    checkAccuracy<double>(level);
  }
}

template <typename T> void checkBits() {
  for (const Function &function : functions()) {
    std::vector<T> x = samples<T>();
    for (int i = 0; i < 50; ++i)
      x.push_back(static_cast<T>(function.low + (function.high - function.low) * i / 50));
    std::vector<T> first = run(CpuLevel::V3, function.name, x);
    for (CpuLevel level : levels()) {
      std::vector<T> all = run(level, function.name, x);
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_TRUE(same(all[i], first[i])) << function.name << " at " << x[i];
        T alone = run(level, function.name, std::vector<T>{x[i]})[0];
        ASSERT_TRUE(same(alone, first[i])) << function.name << " alone at " << x[i];
      }
    }
  }
}

TEST(RoundedKernelTest, EqualBitsEverywhere) {
  checkBits<float>();
  checkBits<double>();
}

} // namespace
} // namespace tenferro::test
