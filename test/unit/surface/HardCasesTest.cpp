// Cases that have gone wrong in other libraries and that a line of test/Cases/ cannot say: derivatives that are proven absent, counts,
// and whole families of arguments at every order. Tests are named by the case's id in the collection they come from, if it has one.
#include "test/unit/surface/Support.h"

namespace tenferro::test {
namespace {

TENFERRO_SURFACE_SUITE(HardCases);

TEST_P(HardCases, T18_PositionsAreInactive) {
  EagerTensor x = variable(vec({1, 3, 2}));
  EXPECT_FALSE(rt->gradOptional(engine, s.cast(argmax(x), DType::F64), x).has_value());
}

TEST_P(HardCases, T18_StepFunctionsAreInactive) {
  EagerTensor x = variable(0.5);
  EXPECT_FALSE(rt->gradOptional(engine, sign(x), x).has_value());
  EXPECT_FALSE(rt->gradOptional(engine, s.cast(s.cast(x, DType::I32), DType::F64), x).has_value());
}

TEST_P(HardCases, SaturatedFunctionsAreFlatAtInfinity) {
  for (auto function : {tanh, sigmoid, erf}) {
    EagerTensor x = variable(vec({kInf, -kInf}));
    EagerTensor y = function(x);
    for (int order = 1; order <= 3; ++order) {
      y = gradSum(y, x);
      EXPECT_TRUE(near(y, {2}, {0, 0})) << order;
    }
  }
}

TEST_P(HardCases, RampsAreStraightFarOut) {
  // A cotangent of 100 times the largest numbers is infinite, and the curvature that multiplies it 0.
  for (auto function : {silu, gelu, geluTanh, softplus}) {
    EagerTensor x = variable(vec({kInf, -kInf, 1.7e308, -1.7e308, 1e4, -1e4}));
    EagerTensor y = function(x), forward = y, ones = constant(Tensor::full({6}, 1.0));
    for (int order = 1; order <= 3; ++order) {
      y = gradSum(y, x) * 100.0;
      forward = rt->jvp(engine, forward, x, ones);
      EXPECT_TRUE(near(y, {6}, order == 1 ? std::vector<double>{100, 0, 100, 0, 100, 0} : std::vector<double>(6, 0)))
          << order;
      EXPECT_TRUE(near(forward, {6}, order == 1 ? std::vector<double>{1, 0, 1, 0, 1, 0} : std::vector<double>(6, 0)))
          << order;
    }
  }
}

TEST_P(HardCases, E15_LongChainsAreVisitedOnce) {
  auto visits = [&](int length) {
    EagerTensor x = variable(matrix(2, 2, {0, 1, 1, 0})), y = x;
    for (int i = 1; i < length; ++i)
      y = matmul(y, x);
    uint64_t before = rt->visitedCount();
    EXPECT_TRUE(near(y, {2, 2}, {1, 0, 0, 1})); // a swap, an even number of times
    // The derivative by one factor is the transposed product of the others, a swap again; with a sum of ones behind:
    // all ones each.
    EXPECT_TRUE(near(gradSum(y, x), {2, 2}, std::vector<double>(4, length)));
    return rt->visitedCount() - before;
  };
  uint64_t one = visits(16), four = visits(64);
  EXPECT_LE(four, 5 * one);
}

TEST_P(HardCases, S5_IndicesAreInactive) {
  EagerTensor x = variable(vec({1, 2})), indices = variable(ints({1}));
  auto both = rt->vjpMany(engine, sum(s.take(x, indices, 0)), {x, indices});
  EXPECT_TRUE(both[0].has_value());
  EXPECT_FALSE(both[1].has_value());
}

TEST_P(HardCases, Z8_WeakScalars) {
  EagerTensor x = variable(Tensor::from({2}, {1.f, 2.f}));
  EXPECT_EQ((x * 2).dtype(), DType::F32);
  EXPECT_EQ((x * 2.0).dtype(), DType::F32);
  rt->clearCaches();
  for (double factor : {2.0, 3.0, 4.0})
    EXPECT_EQ(gradSum(x * factor, x).toVector<float>(), (std::vector<float>(2, static_cast<float>(factor))));
  EXPECT_EQ(rt->cacheStats().preparedDerivatives.entries, 1u);
}

TEST_P(HardCases, Z9_CastThroughIntegersIsInactive) {
  EagerTensor x = variable(Tensor::from({1}, {1.5f}));
  EXPECT_FALSE(rt->gradOptional(engine, sum(s.cast(s.cast(x, DType::I32), DType::F32)), x).has_value());
}

TEST_P(HardCases, H13_AnIndependentLossIsInactive) {
  EagerTensor x = variable(3.0);
  EXPECT_FALSE(rt->gradOptional(engine, variable(1.0) * 2.0, x).has_value());
}

TEST_P(HardCases, UntakenBranchesDoNotMatterAtAnyOrder) {
  using Branch = EagerTensor (*)(Operand);
  const std::pair<Branch, Tensor> rows[] = {
      {cbrt, vec({0, -0.0})},       {acosh, vec({1, 0.5, -1})}, {asin, vec({1, -1, 2})},   {acos, vec({1, -1, 2})},
      {atanh, vec({1, -1, 2})},     {log2, vec({0, -1})},       {log10, vec({0, -1})},     {sqrt, vec({0, -1})},
      {rsqrt, vec({0, -1})},        {log1p, vec({-1, -2})},     {log, vec({0, -1})},       {exp2, vec({3000, 1e300})},
      {sinh, vec({3000, -1e300})},  {cosh, vec({3000, 1e300})}, {expm1, vec({3000, 1e300})}};
  for (const auto &[branch, at] : rows) {
    EagerTensor x = variable(at), ones = constant(Tensor::full(at.shape(), 1.0));
    EagerTensor y = where(s.equal(x, x), x * x, branch(x));
    EagerTensor reverse = y, forward = y;
    std::vector<double> want = at.toVector<double>();
    for (int order = 1; order <= 3; ++order) {
      for (double &w : want)
        w = order == 1 ? 2 * w : order == 2 ? 2 : 0;
      EagerTensor pushed = rt->jvp(engine, reverse, x, ones);
      reverse = gradSum(reverse, x);
      forward = rt->jvp(engine, forward, x, ones);
      EXPECT_TRUE(near(pushed, at.shape(), want)) << y << " order " << order;
      EXPECT_TRUE(near(reverse, at.shape(), want)) << y << " order " << order;
      EXPECT_TRUE(near(forward, at.shape(), want)) << y << " order " << order;
    }
  }
}

// Values and slopes by mpmath.
TEST_P(HardCases, GeluKeepsItsTails) {
  EagerTensor x = variable(vec({-10, -20, kInf, -kInf}));
  EagerTensor y = gelu(x);
  std::vector<double> value = y.toVector<double>(), slope = gradSum(y, x).toVector<double>();
  EXPECT_NEAR(value[0] / -7.619853024160526e-23, 1, 1e-13);
  EXPECT_NEAR(value[1] / -5.507248237212468e-88, 1, 1e-13);
  EXPECT_NEAR(slope[0] / -7.618400096464814e-22, 1, 1e-13);
  EXPECT_NEAR(slope[1] / -1.1014360483133464e-86, 1, 1e-13);
  EXPECT_EQ(value[2], kInf);
  EXPECT_EQ(value[3], 0);
  EXPECT_EQ(slope[2], 1);
  EXPECT_EQ(slope[3], 0);
}

// Gradients of normalisations go as 1 / scale, as far as the squares are in range. Those at scale 1 by mpmath.
TEST_P(HardCases, NormalisationsScale) {
  for (bool centres : {false, true}) {
    const std::vector<double> want =
        centres ? std::vector<double>{0.097374650589703465, -0.81634638576573316, 0.2574425693672982, 0.46152916580873149}
                : std::vector<double>{0.39826745946393467, -0.48449031151282774, 0.72673546726924161, 0.55018391307388913};
    auto check = [&](double scale, double epsilon, DType dtype, double tolerance) {
      EagerTensor x = variable(vec({scale, 2 * scale, -3 * scale, 5 * scale})), inside = cast(x, dtype);
      EagerTensor y = centres ? s.layerNorm(inside, 0, {}, {}, epsilon) : s.rmsNorm(inside, 0, {}, epsilon);
      EagerTensor weighted = y * cast(constant(vec({1, -2, 3, 0.5})), dtype);
      EXPECT_TRUE(near(gradSum(weighted, x) * scale, {4}, want, tolerance)) << centres << " at scale " << scale;
    };
    for (double scale : {1e-18, 1e-14, 1.0})
      check(scale, 0, DType::F32, 1e-5);
    for (double scale : {1e-150, 1e-110, 1.0})
      check(scale, 0, DType::F64, 1e-13);
    for (double scale : {1e15, 1e18})
      check(scale, 1e-5, DType::F32, 1e-5);
    for (double scale : {1e110, 1e150})
      check(scale, 1e-5, DType::F64, 1e-13);
  }
}

// A norm is homogeneous: the gradient does not depend on the scale t of x, the second derivative is that at 1 over t, the
// third over t^2. At [1, 2] along [1, -1], by hand: for p = 4 with s = 17, N = s^(1/4) the gradient is (x / N)^3.
TEST_P(HardCases, NormsScaleAtEveryOrder) {
  for (double p : {-1.0, 0.5, 2.0, 4.0, 10.0}) {
    std::vector<double> unit;
    for (double scale : {1.0, 0x1p-500, 0x1p-60, 0x1p60, 0x1p500}) {
      EagerTensor x = variable(vec({scale, 2 * scale})), along = constant(vec({1, -1}));
      EagerTensor first = grad(norm(x, p), x);
      EagerTensor second = grad(sum(first * along), x);
      std::vector<double> got = first.toVector<double>(), curvature = second.toVector<double>();
      if (std::fabs(std::log2(scale)) < 500) { // its square is in range
        EagerTensor third = grad(sum(second * along), x);
        for (double value : third.toVector<double>())
          curvature.push_back(value * scale);
      }
      for (double value : curvature)
        got.push_back(value * scale);
      if (scale == 1) {
        unit = got;
        if (p == 4) {
          double n = std::pow(17.0, 0.25);
          EXPECT_NEAR(got[0], std::pow(1 / n, 3), 1e-15);
          EXPECT_NEAR(got[1], std::pow(2 / n, 3), 1e-15);
        }
      }
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], unit[i], 1e-13 * (1 + std::fabs(unit[i]))) << "p " << p << " scale " << scale << " " << i;
    }
  }
}

TEST_P(HardCases, HuberOfAnInfiniteError) {
  EagerTensor x = variable(vec({kInf, -kInf, 1e200, 0.5}));
  EagerTensor loss = s.huber(x, constant(Tensor::scalar(0.0)), 2, LossReduction::None);
  EXPECT_TRUE(near(loss, {4}, {kInf, kInf, 2e200, 0.125}, 1e-15));
  EXPECT_TRUE(near(gradSum(loss, x), {4}, {2, -2, 2, 0.5}));
  EXPECT_TRUE(near(rt->jvp(engine, loss, x, constant(vec({1, 1, 1, 1}))), {4}, {2, -2, 2, 0.5}));
}

} // namespace
} // namespace tenferro::test
