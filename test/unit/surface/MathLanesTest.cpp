// Neighbours do not matter: a function of many elements, usual and rare ones side by side, has the bits of each alone,
// at every CPU level.
#include "test/unit/surface/Support.h"

#include <cstring>

using namespace tenferro;
using namespace tenferro::test;

namespace {

/// Usual arguments with rare ones among them, at distances that differ modulo every vector length.
template <typename T> std::vector<T> arguments() {
  using Limits = std::numeric_limits<T>;
  const T rare[] = {T(0),
                    T(-0.0),
                    Limits::infinity(),
                    -Limits::infinity(),
                    Limits::quiet_NaN(),
                    Limits::denorm_min(),
                    -Limits::denorm_min(),
                    Limits::min() / 3,
                    Limits::max(),
                    -Limits::max(),
                    T(3.14159265358979323846),
                    T(1.57079632679489661923),
                    T(-6.28318530717958647692),
                    T(1e5),
                    T(-1e6),
                    T(1e30),
                    T(355),
                    T(710),
                    T(-745),
                    T(1),
                    T(-1),
                    T(2)};
  std::vector<T> values;
  size_t next = 0;
  for (int i = 0; i < 400; ++i)
    values.push_back(i % 19 == 7 || (i > 200 && i < 216) ? rare[next++ % std::size(rare)]
                                                         : T(0.01 * i + 0.003 * (i % 7) - 1));
  return values;
}

template <typename T> bool sameValue(T a, T b) { return (a != a && b != b) || std::memcmp(&a, &b, sizeof(T)) == 0; }

template <typename T> void checkLanes() {
  const std::vector<T> x = arguments<T>();
  std::vector<T> y(x.rbegin(), x.rend());
  const auto n = static_cast<int64_t>(x.size());
  auto rt = EagerRuntime::create();
  std::vector<CpuFeatures> levels{CpuFeatures::V3};
  if (CpuEngine().features() == CpuFeatures::V4)
    levels.push_back(CpuFeatures::V4);
  const std::pair<const char *, EagerTensor (*)(EagerSession &, const EagerTensor &, const EagerTensor &)> functions[] =
      {
          {"exp", [](EagerSession &s, const EagerTensor &a, const EagerTensor &) { return s.exp(a); }},
          {"log", [](EagerSession &s, const EagerTensor &a, const EagerTensor &) { return s.log(a); }},
          {"tanh", [](EagerSession &s, const EagerTensor &a, const EagerTensor &) { return s.tanh(a); }},
          {"erf", [](EagerSession &s, const EagerTensor &a, const EagerTensor &) { return s.erf(a); }},
          {"sin", [](EagerSession &s, const EagerTensor &a, const EagerTensor &) { return s.sin(a); }},
          {"cos", [](EagerSession &s, const EagerTensor &a, const EagerTensor &) { return s.cos(a); }},
          {"tan", [](EagerSession &s, const EagerTensor &a, const EagerTensor &) { return s.tan(a); }},
          {"log2", [](EagerSession &s, const EagerTensor &a, const EagerTensor &) { return s.log2(a); }},
          {"cbrt", [](EagerSession &s, const EagerTensor &a, const EagerTensor &) { return s.cbrt(a); }},
          {"pow", [](EagerSession &s, const EagerTensor &a, const EagerTensor &b) { return s.pow(a, b); }},
      };
  for (const auto &[name, function] : functions) {
    std::vector<T> first;
    for (CpuFeatures level : levels) {
      CpuEngine engine({.threads = 1, .features = level});
      std::vector<T> together, alone;
      rt->session(engine, [&](EagerSession &s) {
        together = function(s, rt->constant(Tensor::from({n}, x)), rt->constant(Tensor::from({n}, y)))
                       .value()
                       .template toVector<T>();
        for (int64_t i = 0; i < n; ++i) {
          EagerTensor a = rt->constant(Tensor::from({1}, std::vector<T>{x[i]})),
                      b = rt->constant(Tensor::from({1}, std::vector<T>{y[i]}));
          alone.push_back(function(s, a, b).value().template toVector<T>()[0]);
        }
      });
      for (int64_t i = 0; i < n; ++i) {
        EXPECT_TRUE(sameValue(together[i], alone[i]))
            << name << " of " << x[i] << ", " << y[i] << ": " << together[i] << ", alone " << alone[i];
        if (!first.empty())
          EXPECT_TRUE(sameValue(together[i], first[i])) << name << " of " << x[i] << ", " << y[i] << " at both levels";
      }
      first = together;
    }
  }
}

} // namespace

TEST(MathLanes, F64) { checkLanes<double>(); }
TEST(MathLanes, F32) { checkLanes<float>(); }
