// What the tests of the C++ interface share: a runtime per tier, short constructors, comparisons that know NaN and
// infinity.
#ifndef TENFERRO_TEST_SURFACE_SUPPORT_H
#define TENFERRO_TEST_SURFACE_SUPPORT_H

#include "tenferro/tenferro.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tenferro::test {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

inline Tensor vec(std::vector<double> values) {
  return Tensor::from(Shape{static_cast<int64_t>(values.size())}, values);
}
inline Tensor ints(std::vector<int64_t> values) {
  return Tensor::from(Shape{static_cast<int64_t>(values.size())}, values);
}
/// Rows as one reads them.
inline Tensor matrix(int64_t rows, int64_t columns, std::vector<double> values) {
  return Tensor::fromRowMajor({rows, columns}, values);
}

/// |got - want| <= tolerance (1 + |want|), or both NaN, or the same infinity; shapes are equal. Values are row-major.
inline ::testing::AssertionResult near(const Tensor &got, const Shape &shape, const std::vector<double> &want,
                                       double tolerance = 0) {
  if (!(got.shape() == shape))
    return ::testing::AssertionFailure() << "expected shape " << shape.str() << ", got " << got.str();
  std::vector<double> values;
  if (got.dtype() == DType::F32) {
    std::vector<float> narrow = got.toRowMajor<float>();
    values.assign(narrow.begin(), narrow.end());
  } else {
    values = got.toRowMajor<double>();
  }
  if (values.size() != want.size())
    return ::testing::AssertionFailure() << "expected " << want.size() << " values, got " << got.str();
  for (size_t i = 0; i < want.size(); ++i) {
    bool same = std::isnan(want[i])   ? std::isnan(values[i])
                : std::isinf(want[i]) ? values[i] == want[i]
                                      : std::fabs(values[i] - want[i]) <= tolerance * (1 + std::fabs(want[i]));
    if (!same)
      return ::testing::AssertionFailure()
             << "element " << i << ": expected " << want[i] << ", got " << values[i] << " in " << got.str();
  }
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult near(const EagerTensor &got, const Shape &shape, const std::vector<double> &want,
                                       double tolerance = 0) {
  return near(got.value(), shape, want, tolerance);
}

/// Derivatives op by op on precompiled kernels, compiled, and compiled behind: every test runs all ways.
class Surface : public ::testing::TestWithParam<CompilePolicy> {
protected:
  std::shared_ptr<EagerRuntime> rt = EagerRuntime::create({.policy = GetParam()});
  CpuEngine engine{CpuEngineOptions{.threads = 1}};
  Scope scope{rt, engine};
  EagerSession &s = currentSession();

  EagerTensor variable(const Tensor &value) { return rt->variable(value); }
  EagerTensor variable(double value) { return rt->variable(Tensor::scalar(value)); }
  EagerTensor constant(const Tensor &value) { return rt->constant(value); }
  EagerTensor grad(const EagerTensor &y, const EagerTensor &x) { return rt->grad(engine, y, x); }
  /// Gradient of the sum of y.
  EagerTensor gradSum(const EagerTensor &y, const EagerTensor &x) { return rt->grad(engine, sum(y), x); }
};

#define TENFERRO_SURFACE_SUITE(Suite)                                                                                  \
  class Suite : public ::tenferro::test::Surface {};                                                                   \
  INSTANTIATE_TEST_SUITE_P(                                                                                            \
      Tier, Suite,                                                                                                     \
      ::testing::Values(CompilePolicy::Never, CompilePolicy::Immediate, CompilePolicy::Background),                    \
      [](const auto &info) {                                                                                           \
        return info.param == CompilePolicy::Never ? "0" : info.param == CompilePolicy::Immediate ? "1" : "behind";     \
      })

/// The error that the statement raises is of this kind and about this operation.
#define EXPECT_ERROR(statement, expectedKind, expectedOp)                                                              \
  try {                                                                                                                \
    (void)(statement);                                                                                                 \
    ADD_FAILURE() << "expected an error of " << expectedOp;                                                            \
  } catch (const ::tenferro::Error &error) {                                                                           \
    EXPECT_EQ(::tenferro::name(error.kind()), ::tenferro::name(expectedKind)) << error.what();                         \
    EXPECT_EQ(error.op(), expectedOp) << error.what();                                                                 \
  }

} // namespace tenferro::test

#endif // TENFERRO_TEST_SURFACE_SUPPORT_H
