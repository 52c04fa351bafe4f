// Cases that have gone wrong in other libraries. Each test is named by the case's id in the collection they come from.
#include "test/unit/surface/Support.h"

namespace tenferro::test {
namespace {

TENFERRO_SURFACE_SUITE(HardCases);

// Indexing and diagonals.

TEST_P(HardCases, E6_ThreeFoldRepeat) {
  EagerTensor x = variable(Tensor::from(Shape{2, 2, 2}, std::vector<double>{0, 4, 2, 6, 1, 5, 3, 7}));
  EagerTensor line = s.extractDiag(s.extractDiag(x, 0, 1), 0, 1);
  EXPECT_TRUE(near(line, {2}, {0, 7}));
  EXPECT_TRUE(near(gradSum(line, x), {2, 2, 2}, {1, 0, 0, 0, 0, 0, 0, 1}));
}

TEST_P(HardCases, S5_GradientByIndices) {
  EagerTensor x = variable(vec({1, 2, 3})), i = constant(ints({2, 0}));
  EagerTensor y = sum(s.take(x, i, 0));
  std::vector<std::optional<EagerTensor>> gradients = rt->vjpMany(engine, y, {x, i});
  ASSERT_TRUE(gradients[0].has_value());
  EXPECT_TRUE(near(*gradients[0], {3}, {1, 0, 1}));
  EXPECT_FALSE(gradients[1].has_value());
}

TEST_P(HardCases, S3_ScatterMulWithZerosAtAnyOrder) {
  // y = x u0 u1 u2 at one target: d3y / dx du0 du1 = u2, though all of them are 0.
  ScatterDimensions rows{{}, {0}, {0}, 1};
  EagerTensor x = variable(vec({0})), u = variable(vec({0, 0, 7})), i = constant(ints({0, 0, 0}));
  EagerTensor y = sum(s.scatter(x, i, u, rows, ScatterUpdate::Mul));
  EagerTensor byX = grad(y, x);
  EXPECT_TRUE(near(byX, {1}, {0}));
  EagerTensor byXU = grad(sum(byX), u);
  EXPECT_TRUE(near(byXU, {3}, {0, 0, 0}));
  EagerTensor third = rt->vjp(engine, byXU, u, constant(vec({1, 0, 0})));
  EXPECT_TRUE(near(third, {3}, {0, 7, 0}));
}

// Masked branches, norms, square roots.

TEST_P(HardCases, W3_MaskAfterThePower) {
  EagerTensor x = variable(1.0), mask = constant(vec({0, 1}));
  EagerTensor powers = pow(x * mask, 0.5);
  EXPECT_TRUE(near(gradSum(where(s.greater(mask, 0.0), powers, 0.0), x), {}, {0.5}));
}

TEST_P(HardCases, W6_ProductHidesASmoothFunction) {
  EagerTensor x = variable(0.0);
  EXPECT_TRUE(near(grad(x * pow(x, 0.5), x), {}, {0}));
}

TEST_P(HardCases, W7_Norm) {
  EagerTensor x = variable(vec({3, 4}));
  for (const EagerTensor &length : {sqrt(sum(x * x)), norm(x)}) {
    EagerTensor g = grad(length, x);
    EXPECT_TRUE(near(g, {2}, {0.6, 0.8}, 1e-15));
    EXPECT_TRUE(near(rt->vjp(engine, g, x, constant(vec({1, 0}))), {2}, {0.128, -0.096}, 1e-15));
    EXPECT_TRUE(near(rt->vjp(engine, g, x, constant(vec({0, 1}))), {2}, {-0.096, 0.072}, 1e-15));
  }
  EagerTensor zero = variable(vec({0, 0}));
  EXPECT_TRUE(near(norm(zero), {}, {0}));
  EXPECT_TRUE(near(grad(norm(zero), zero), {2}, {0, 0}));
  EXPECT_TRUE(near(rt->jvp(engine, norm(zero), zero, constant(vec({1, -2}))), {}, {0}));
}

TEST_P(HardCases, W8_HessianOfTheSquaredNorm) {
  EagerTensor x = variable(vec({0, 0}));
  EagerTensor g = grad(sum(x * x), x);
  EXPECT_TRUE(near(rt->vjp(engine, g, x, constant(vec({1, 0}))), {2}, {2, 0}));
  EXPECT_TRUE(near(rt->vjp(engine, g, x, constant(vec({0, 1}))), {2}, {0, 2}));
  g = grad(sumSquares(x), x);
  EXPECT_TRUE(near(rt->vjp(engine, g, x, constant(vec({1, -1}))), {2}, {2, -2}));
  // Through the norm, whose derivatives at 0 are 0 by policy: finite. Away from 0 it is 2 I.
  g = grad(norm(x) * norm(x), x);
  EXPECT_TRUE(near(rt->vjp(engine, g, x, constant(vec({1, -1}))), {2}, {0, 0}));
  EagerTensor y = variable(vec({3e-150, -4e-150}));
  g = grad(norm(y) * norm(y), y);
  EXPECT_TRUE(near(rt->vjp(engine, g, y, constant(vec({1, 0}))), {2}, {2, 0}, 1e-14));
}

TEST_P(HardCases, W9_StandardDeviation) {
  EagerTensor x = variable(vec({1, 2, 3}));
  EagerTensor centred = x - mean(x);
  EXPECT_TRUE(near(grad(sqrt(mean(centred * centred)), x), {3}, {-0.40824829046386302, 0, 0.40824829046386302}, 1e-14));
  EXPECT_TRUE(near(grad(stddev(x), x), {3}, {-0.40824829046386302, 0, 0.40824829046386302}, 1e-14));
  EagerTensor equal = variable(vec({1, 1}));
  EXPECT_TRUE(near(stddev(equal), {}, {0}));
  EagerTensor g = grad(stddev(equal), equal);
  EXPECT_TRUE(near(g, {2}, {0, 0}));
  EXPECT_TRUE(near(rt->vjp(engine, g, equal, constant(vec({1, 2}))), {2}, {0, 0}));
}

TEST_P(HardCases, W11_UnbiasedVarianceOfOneElement) {
  EagerTensor x = variable(matrix(1, 1, {1}));
  EagerTensor centred = x - mean(x);
  EagerTensor variance = sum(centred * centred) / 0.0;
  EXPECT_TRUE(near(variance, {}, {kNaN}));
  EXPECT_EQ(grad(variance, x).shape(), (Shape{1, 1}));
  EXPECT_TRUE(near(var(x, {}, 1), {}, {kNaN}));
  EXPECT_EQ(grad(var(x, {}, 1), x).shape(), (Shape{1, 1}));
}

TEST_P(HardCases, W12_SubnormalInputOfSqrt) {
  EagerTensor x = variable(5e-324);
  EXPECT_TRUE(near(grad(sqrt(x), x), {}, {2.2494568972715982e161}, 1e-15));
}

TEST_P(HardCases, W13_RootsAtZero) {
  EagerTensor x = variable(0.0);
  EXPECT_TRUE(near(grad(sqrt(x), x), {}, {kInf}));
  EXPECT_TRUE(near(grad(rsqrt(x), x), {}, {-kInf}));
}

TEST_P(HardCases, W15_CosineSimilarityOfAZeroVector) {
  EagerTensor a = variable(vec({0, 0})), b = constant(vec({1, 0}));
  auto norm = [&](const EagerTensor &v) { return maximum(sqrt(sum(v * v)), 1e-8); };
  EXPECT_TRUE(near(grad(sum(a * b) / (norm(a) * norm(b)), a), {2}, {1e8, 0}, 1e-15));
}

// Ties, clamps, kinks, NaN inputs.

TEST_P(HardCases, T2_TiesInTheMiddle) {
  EagerTensor x = variable(vec({.6, .6, .3}));
  EXPECT_TRUE(near(grad(max(x), x), {3}, {.5, .5, 0}));
}

TEST_P(HardCases, T3_SharesOfTiesSumToOne) {
  EagerTensor x = variable(vec({2, 2, 1}));
  EXPECT_TRUE(near(sum(grad(max(x), x)), {}, {1}));
}

TEST_P(HardCases, T5_BinaryMaximumAtEquality) {
  EagerTensor a = variable(2.0), b = variable(2.0), one = constant(Tensor::scalar(1.0));
  EagerTensor y = maximum(a, b);
  EXPECT_TRUE(near(grad(y, a), {}, {.5}));
  EXPECT_TRUE(near(grad(y, b), {}, {.5}));
  EXPECT_TRUE(near(rt->jvp(engine, y, a, one) + rt->jvp(engine, y, b, one), {}, {1}));
}

TEST_P(HardCases, T6_MaximumAlongAnAxis) {
  EagerTensor x = variable(matrix(2, 2, {1, 2, 2, 1}));
  EXPECT_TRUE(near(gradSum(max(x, 1, true), x), {2, 2}, {0, 1, 1, 0}));
}

TEST_P(HardCases, T10_SecondDerivativeOfReluAtZero) {
  EagerTensor x = variable(0.0);
  EagerTensor g = grad(relu(x), x);
  EXPECT_TRUE(near(g, {}, {0}));
  auto second = rt->gradOptional(engine, g, x);
  EXPECT_TRUE(near(second ? second->value() : Tensor::scalar(0.0), {}, {0}));
}

TEST_P(HardCases, T14_NaNIsNotSwallowed) {
  EagerTensor x = variable(kNaN);
  EXPECT_TRUE(near(relu(x), {}, {kNaN}));
  EXPECT_TRUE(near(minimum(maximum(x, 0.0), 1.0), {}, {kNaN}));
  EXPECT_TRUE(near(maximum(x, 0.0), {}, {kNaN}));
}

TEST_P(HardCases, T15_GradientAtNaNDoesNotDependOnThePlace) {
  EagerTensor x = variable(vec(std::vector<double>(9, kNaN)));
  std::vector<double> g = gradSum(minimum(maximum(x, -1.0), 1.0), x).toVector<double>();
  for (double each : g)
    EXPECT_TRUE(each == g[0] || (std::isnan(each) && std::isnan(g[0])));
}

TEST_P(HardCases, T16_GradientOfRelu6AtNaN) {
  EagerTensor one = variable(kNaN), many = variable(vec(std::vector<double>(33, kNaN)));
  double alone = grad(minimum(relu(one), 6.0), one).item<double>();
  for (double each : gradSum(minimum(relu(many), 6.0), many).toVector<double>())
    EXPECT_TRUE(each == alone || (std::isnan(each) && std::isnan(alone)));
}

TEST_P(HardCases, T18_PositionsAreInactive) {
  EagerTensor x = variable(vec({1, 3, 2}));
  EXPECT_FALSE(rt->gradOptional(engine, s.cast(argmax(x), DType::F64), x).has_value());
  EXPECT_TRUE(near(grad(sum(s.take(x, argmax(x), 0) * s.cast(argmin(x) + 5, DType::F64)), x), {3}, {0, 5, 0}));
}

TEST_P(HardCases, T18_StepFunctionsAreInactive) {
  EagerTensor x = variable(0.5);
  EXPECT_FALSE(rt->gradOptional(engine, sign(x), x).has_value());
  EXPECT_FALSE(rt->gradOptional(engine, s.cast(s.cast(x, DType::I32), DType::F64), x).has_value());
}

// Powers, exponentials, logarithms, saturating functions.

TEST_P(HardCases, P1_PowerAtBaseZeroByTheBase) {
  const double exponents[] = {3, 2, 1, 0.5, 0, -1}, slopes[] = {0, 0, 1, kInf, 0, -kInf};
  for (int i = 0; i < 6; ++i) {
    EagerTensor x = variable(0.0);
    EXPECT_TRUE(near(grad(pow(x, exponents[i]), x), {}, {slopes[i]})) << exponents[i];
  }
}

TEST_P(HardCases, P2_PowerAtBaseZeroByTheExponent) {
  const double exponents[] = {1, 0, -1}, slopes[] = {0, 0, -kInf};
  for (int i = 0; i < 3; ++i) {
    EagerTensor y = variable(exponents[i]);
    EXPECT_TRUE(near(grad(pow(constant(Tensor::scalar(0.0)), y), y), {}, {slopes[i]})) << exponents[i];
  }
}

TEST_P(HardCases, P3_NegativeBaseConstantExponent) {
  EagerTensor x = variable(-2.0);
  EXPECT_TRUE(near(grad(pow(x, 3.0), x), {}, {12}));
}

TEST_P(HardCases, P4_MixedSecondDerivativeOfPower) {
  EagerTensor x = variable(23.0), y = variable(0.0);
  EXPECT_TRUE(near(grad(grad(pow(x, y), x), y), {}, {0.043478260869565216}, 1e-15));
}

TEST_P(HardCases, P5_DerivativesOfAGaussianAtZero) {
  EagerTensor x = variable(0.0);
  EagerTensor y = exp(-pow(x, 2));
  for (double want : {0., -2., 0., 12.}) {
    y = grad(y, x);
    EXPECT_TRUE(near(y, {}, {want}, 1e-14));
  }
}

TEST_P(HardCases, P7_LogsumexpOfMinusInfinity) {
  EagerTensor x = variable(vec({-kInf, -kInf})), z = variable(vec({-kInf, 0}));
  EXPECT_TRUE(near(logsumexp(x), {}, {-kInf}));
  EXPECT_TRUE(near(grad(logsumexp(x), x), {2}, {0, 0}));
  EXPECT_TRUE(near(logsumexp(z), {}, {0}));
  EXPECT_TRUE(near(grad(logsumexp(z), z), {2}, {0, 1}));
}

TEST_P(HardCases, P8_LogsumexpOfOneInfiniteElement) {
  for (double at : {kInf, -kInf}) {
    EagerTensor x = variable(vec({at}));
    EXPECT_TRUE(near(grad(logsumexp(x), x), {1}, {1}));
  }
  EagerTensor pair = variable(vec({3, kInf}));
  EXPECT_TRUE(near(grad(logsumexp(pair), pair), {2}, {0, 1}));
}

TEST_P(HardCases, P10_SecondOrderOfLogaddexpStaysFinite) {
  // x = (t + 2, -2 t) and y = (t / 2 - 1, 3 - t, 2 t + 1), pairwise along a last axis.
  EagerTensor t = variable(-800.0);
  EagerTensor x = t * constant(vec({1, -2})) + constant(vec({2, 0}));
  EagerTensor y = t * constant(vec({0.5, -1, 2})) + constant(vec({-1, 3, 1}));
  EagerTensor left = s.broadcastInDim(x, {2, 3, 1}, {0}), right = s.broadcastInDim(y, {2, 3, 1}, {1});
  EagerTensor pairs = s.pad(left, {0, 0, 0}, {0, 0, 1}, {0, 0, 0}) + s.pad(right, {0, 0, 1}, {0, 0, 0}, {0, 0, 0});
  EagerTensor f = sum(constant(matrix(2, 3, {1, 2, -1, 3, -2, 4})) * logsumexp(pairs, 2));
  EXPECT_TRUE(near(f, {}, {10003}, 1e-14));
  EagerTensor slope = grad(f, t);
  EXPECT_TRUE(near(slope, {}, {-12.5}, 1e-14));
  // Relative: this is the size of the number, not the rounding error of larger ones.
  EagerTensor one = constant(Tensor::scalar(1.0)), pushed = rt->jvp(engine, f, t, one);
  for (const EagerTensor &second :
       {grad(slope, t), rt->jvp(engine, slope, t, one), grad(pushed, t), rt->jvp(engine, pushed, t, one)})
    EXPECT_NEAR(second.item<double>() / 9.6168024122413991e-174, 1, 1e-12);
}

TEST_P(HardCases, P14_SigmoidTail) {
  for (double at : {40., -40.}) {
    EagerTensor x = variable(at);
    EXPECT_NEAR(grad(sigmoid(x), x).item<double>() / 4.248354255291589e-18, 1, 1e-14);
  }
}

TEST_P(HardCases, P15_SaturatedFunctionsStayFinite) {
  EagerTensor x = variable(vec({190, 195, 200}));
  for (double each : gradSum(tanh(x), x).toVector<double>())
    EXPECT_TRUE(std::isfinite(each));
  EagerTensor z = variable(vec({-200, -133, -67, 0}));
  std::vector<double> g = gradSum(1.0 / (1.0 + exp(-z)), z).toVector<double>();
  for (double each : g)
    EXPECT_TRUE(std::isfinite(each));
  EXPECT_EQ(g[3], 0.25);
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

TEST_P(HardCases, P16_TanhTail) {
  EagerTensor x = variable(20.0), narrow = variable(Tensor::scalar(-9.010913848876953f));
  EXPECT_NEAR(grad(tanh(x), x).item<double>() / 1.6993417021166355e-17, 1, 1e-14);
  EXPECT_NEAR(grad(tanh(narrow), narrow).item<float>() / 5.96046e-08, 1, 1e-5);
}

TEST_P(HardCases, P17_SecondDerivativeOfTanhNearZero) {
  EagerTensor x = variable(1e-300);
  EXPECT_NEAR(grad(grad(tanh(x), x), x).item<double>() / -2e-300, 1, 1e-14);
}

TEST_P(HardCases, P25_ErfAtZero) {
  EagerTensor x = variable(0.0);
  EXPECT_TRUE(near(grad(erf(x), x), {}, {1.1283791670955126}, 1e-15));
}

TEST_P(HardCases, P26_XLogYThroughTheStrongZero) {
  auto xlogy = [&](const EagerTensor &x, const EagerTensor &y) { return s.strongZeroMul(log(y), x); };
  EagerTensor zero = variable(0.0), one = variable(1.0), two = variable(2.0);
  EXPECT_TRUE(near(xlogy(zero, zero.detach()), {}, {0}));
  EXPECT_TRUE(near(grad(xlogy(zero, one), one), {}, {0}));
  EXPECT_TRUE(near(grad(xlogy(zero, two), zero), {}, {0.6931471805599453}, 1e-15));
}

// Reductions.

TEST_P(HardCases, R1_ProductsWithZeros) {
  auto slopes = [&](std::vector<double> at) {
    EagerTensor x = variable(vec(std::move(at)));
    return grad(prod(x), x).toVector<double>();
  };
  EXPECT_EQ(slopes({0, 2, 3}), (std::vector<double>{6, 0, 0}));
  EXPECT_EQ(slopes({0, 0, 3}), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(slopes({2, 3, 4}), (std::vector<double>{12, 8, 6}));
  EXPECT_EQ(slopes({2, 0, 3, 4}), (std::vector<double>{0, 24, 0, 0}));
  EXPECT_EQ(slopes({0}), (std::vector<double>{1}));
  EXPECT_EQ(slopes({1e200, 1e200, 0}), (std::vector<double>{0, 0, kInf}));
  EagerTensor scalar = variable(0.0);
  EXPECT_TRUE(near(grad(prod(scalar), scalar), {}, {1}));
}

TEST_P(HardCases, R2_SecondOrderOfProd) {
  EagerTensor x = variable(vec({0, 2, 3}));
  EagerTensor g = grad(prod(x), x);
  EXPECT_TRUE(near(rt->vjp(engine, g, x, constant(vec({1, 0, 0}))), {3}, {0, 3, 2}));
  EXPECT_TRUE(near(rt->vjp(engine, g, x, constant(vec({0, 1, 0}))), {3}, {3, 0, 0}));
  EXPECT_TRUE(near(rt->jvp(engine, g, x, constant(vec({0, 0, 1}))), {3}, {2, 0, 0}));
  // x0 x1 x2 once by each: 1, wherever the zeros are.
  EagerTensor zeros = variable(vec({0, 0, 0}));
  EagerTensor first = rt->vjp(engine, prod(zeros), zeros, constant(Tensor::scalar(1.)));
  EagerTensor second = rt->vjp(engine, first, zeros, constant(vec({1, 0, 0})));
  EXPECT_TRUE(near(rt->vjp(engine, second, zeros, constant(vec({0, 1, 0}))), {3}, {0, 0, 1}));
}

TEST_P(HardCases, V2_SecondOrderOfLayerNorm) {
  // First element of the normalised (t, 0), weighted.
  EagerTensor t = variable(0.7);
  EagerTensor pair = s.reshape(t, {1}) * constant(vec({1, 0}));
  EagerTensor y = sum(layerNorm(pair, 0, {}, {}, 0.25) * constant(vec({1, 2})));
  EXPECT_TRUE(near(grad(grad(y, t), t), {}, {0.7749142079590942}, 1e-14));
}

TEST_P(HardCases, R6_SelectWithAnOddPredicate) {
  EagerTensor x = variable(vec({1, 2}));
  EXPECT_ERROR(s.select(x, x, x), ErrorKind::DTypeMismatch, "select");
}

TEST_P(HardCases, R9_ReductionsOfNothing) {
  EagerTensor x = variable(vec({}));
  EXPECT_TRUE(near(mean(x), {}, {kNaN}));
  EXPECT_TRUE(near(grad(mean(x), x), {0}, {}));
  EXPECT_TRUE(near(sum(x), {}, {0}));
  EXPECT_TRUE(near(prod(x), {}, {1}));
  EXPECT_TRUE(near(norm(x), {}, {0}));
  EXPECT_TRUE(near(var(x), {}, {kNaN}));
  EXPECT_TRUE(near(logsumexp(x), {}, {-kInf}));
  EXPECT_ERROR(max(x), ErrorKind::EmptyReduction, "max");
  EXPECT_ERROR(argmin(x), ErrorKind::EmptyReduction, "argmin");
}

// Broadcasting and contraction.

TEST_P(HardCases, E1_Trace) {
  EagerTensor x = variable(matrix(2, 2, {1, 2, 3, 4}));
  EagerTensor diagonal = s.equal(s.iota({2, 2}, 0, DType::I64), s.iota({2, 2}, 1, DType::I64));
  EagerTensor trace = sum(where(diagonal, x, 0.0));
  EXPECT_TRUE(near(trace, {}, {5}));
  EXPECT_TRUE(near(grad(trace, x), {2, 2}, {1, 0, 0, 1}));
}

TEST_P(HardCases, E7_ThreeOperandsOneLabel) {
  EagerTensor a = variable(vec({1, 2})), b = constant(vec({3, 4})), c = constant(vec({5, 6}));
  EXPECT_TRUE(near(sum(a * b * c), {}, {63}));
  EXPECT_TRUE(near(gradSum(a * b * c, a), {2}, {15, 24}));
}

TEST_P(HardCases, E8_HyperEdge) {
  EagerTensor a = variable(matrix(2, 2, {1, 2, 3, 4})), d = variable(vec({10, 100})),
              b = constant(Tensor::full({2, 2}, 1.0));
  EagerTensor y = matmul(a * d, b);
  EXPECT_TRUE(near(y, {2, 2}, {210, 210, 430, 430}));
  EXPECT_TRUE(near(gradSum(y, d), {2}, {8, 12}));
  EXPECT_TRUE(near(gradSum(y, a), {2, 2}, {20, 200, 20, 200}));
}

TEST_P(HardCases, E9_ProductOfScalars) {
  EagerTensor a = variable(2.0), b = variable(3.0);
  EagerTensor y = s.dotGeneral(a, b, {});
  EXPECT_TRUE(near(y, {}, {6}));
  EXPECT_TRUE(near(grad(y, a), {}, {3}));
  EXPECT_TRUE(near(grad(y, b), {}, {2}));
}

TEST_P(HardCases, E10_ExtentOneBroadcastsAndItsGradientSums) {
  EagerTensor a = variable(matrix(1, 3, {1, 2, 3})), b = constant(matrix(2, 3, {1, 1, 1, 2, 2, 2}));
  EXPECT_TRUE(near(gradSum(a * b, a), {1, 3}, {3, 3, 3}));
}

TEST_P(HardCases, E11_SameTensorTwice) {
  EagerTensor x = variable(matrix(2, 2, {1, 2, 3, 4}));
  EXPECT_TRUE(near(grad(s.dotGeneral(x, x, {{0, 1}, {0, 1}, {}, {}}), x), {2, 2}, {2, 4, 6, 8}));
}

TEST_P(HardCases, E12_ContractionOfNothing) {
  EagerTensor a = variable(Tensor::zeros({2, 0}, DType::F64)), b = variable(Tensor::zeros({0, 3}, DType::F64));
  EagerTensor y = matmul(a, b);
  EXPECT_TRUE(near(y, {2, 3}, {0, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(near(gradSum(y, a), {2, 0}, {}));
  EXPECT_TRUE(near(gradSum(y, b), {0, 3}, {}));
}

TEST_P(HardCases, E13_ShapesOfBroadcastGradients) {
  EagerTensor a = variable(Tensor::from({3, 1}, {1., 2., 3.})), b = variable(matrix(1, 4, {1, 2, 3, 4}));
  EXPECT_TRUE(near(gradSum(a + b, a), {3, 1}, {4, 4, 4}));
  EXPECT_TRUE(near(gradSum(a + b, b), {1, 4}, {3, 3, 3, 3}));
  EagerTensor scalar = variable(1.0);
  EXPECT_TRUE(near(gradSum(scalar + constant(vec({1, 2})), scalar), {}, {2}));
}

TEST_P(HardCases, E14_PullBackThroughABroadcastChain) {
  EagerTensor x = variable(Tensor::full({2, 3}, 1.0)), y = variable(Tensor::full({3}, 1.0));
  EagerTensor z = pow(x + y, 2), ones = constant(Tensor::full({2, 3}, 1.0));
  EXPECT_TRUE(near(rt->vjp(engine, z, x, ones), {2, 3}, {4, 4, 4, 4, 4, 4}));
  EXPECT_TRUE(near(rt->vjp(engine, z, y, ones), {3}, {8, 8, 8}));
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

// Indexing.

TEST_P(HardCases, S1_DuplicateIndices) {
  EagerTensor x = variable(vec({1, 1}));
  EXPECT_TRUE(near(gradSum(s.take(x, constant(ints({0, 0, 1})), 0) * constant(vec({1, 2, 3})), x), {2}, {3, 3}));
}

TEST_P(HardCases, S5_IndicesAreInactive) {
  EagerTensor x = variable(vec({1, 2})), indices = variable(ints({1}));
  auto both = rt->vjpMany(engine, sum(s.take(x, indices, 0)), {x, indices});
  EXPECT_TRUE(both[0].has_value());
  EXPECT_FALSE(both[1].has_value());
}

TEST_P(HardCases, S8_NegativeIndices) {
  EagerTensor x = variable(vec({1, 2, 3}));
  EXPECT_TRUE(near(gradSum(s.take(x, constant(ints({-1, -1})), 0), x), {3}, {0, 0, 2}));
}

TEST_P(HardCases, S10_NegativeAndInteriorPadding) {
  EagerTensor x = variable(vec({1, 2, 3}));
  EXPECT_TRUE(near(s.pad(x, {-1}, {0}, {0}), {2}, {2, 3}));
  EXPECT_TRUE(near(gradSum(s.pad(x, {-1}, {0}, {0}), x), {3}, {0, 1, 1}));
  EXPECT_TRUE(near(rt->vjp(engine, s.pad(x, {0}, {0}, {1}), x, constant(vec({1, 2, 3, 4, 5}))), {3}, {1, 3, 5}));
}

TEST_P(HardCases, S12_MismatchedIndexingIsATypedError) {
  EXPECT_ERROR(s.scatterAdd(constant(ints({0, 1})), constant(vec({1, 2, 3})), 0, 3), ErrorKind::ShapeMismatch,
               "scatter_add");
  EXPECT_ERROR(s.take(constant(vec({1})), constant(vec({0})), 0), ErrorKind::DTypeMismatch, "take");
}

// Shapes, dtypes, tangent types.

TEST_P(HardCases, Z1_BroadcastingAgainstNothing) {
  EagerTensor a = constant(Tensor::zeros({4, 0}, DType::F64)), b = variable(vec({1, 2, 3, 4}));
  EXPECT_TRUE(near(gradSum(a + reshape(b, {4, 1}), b), {4}, {0, 0, 0, 0}));
}

TEST_P(HardCases, Z5_MixedPrecision) {
  EagerTensor x = variable(Tensor::scalar(2.f)), y = variable(3.0);
  auto gradients = rt->vjpMany(engine, x * y, {x, y});
  EXPECT_EQ(gradients[0]->item<float>(), 3);
  EXPECT_EQ(gradients[1]->item<double>(), 2);
}

TEST_P(HardCases, Z6_MixedDTypesInALoss) {
  EagerTensor x = variable(Tensor::from({2}, {1.f, 2.f}));
  EagerTensor loss = meanSquaredError(x, constant(vec({0, 0})));
  EXPECT_EQ(loss.dtype(), DType::F64);
  EXPECT_EQ(grad(loss, x).toVector<float>(), (std::vector<float>{1, 2}));
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
  EagerTensor y = sum(s.cast(s.cast(x, DType::I32), DType::F32) * x);
  EXPECT_EQ(grad(y, x).item<float>(), 1);
  EXPECT_FALSE(rt->gradOptional(engine, sum(s.cast(s.cast(x, DType::I32), DType::F32)), x).has_value());
}

TEST_P(HardCases, Z10_ScalarShapesStay) {
  EagerTensor scalar = variable(2.0), one = variable(vec({2}));
  EXPECT_TRUE(near(gradSum(scalar * one, scalar), {}, {2}));
  EXPECT_TRUE(near(gradSum(scalar * one, one), {1}, {2}));
}

// Higher order, mixed modes.

TEST_P(HardCases, H2_DoubleBackward) {
  EagerTensor x = variable(vec({.5, 1.5, 2.5, 3.5}));
  EagerTensor fourth = sum((x * x) * (x * x));
  EXPECT_TRUE(near(gradSum(grad(fourth, x), x), {4}, {3, 27, 75, 147}, 1e-15));
  EagerTensor y = variable(1.0);
  EagerTensor second = grad(grad(pow(y, 5), y), y);
  EXPECT_TRUE(near(second, {}, {20}, 1e-15));
  EXPECT_TRUE(near(grad(second, y), {}, {60}, 1e-15));
}

TEST_P(HardCases, H3_ThirdOrder) {
  EagerTensor x = variable(2.5);
  EagerTensor y = x * x * x;
  for (double want : {18.75, 15., 6.}) {
    y = grad(y, x);
    EXPECT_TRUE(near(y, {}, {want}));
  }
}

TEST_P(HardCases, H8_HessianVectorProducts) {
  EagerTensor x = variable(vec({1, 2})), v = constant(vec({1, 1}));
  EagerTensor f = sum(x * x * x);
  EXPECT_TRUE(near(rt->jvp(engine, grad(f, x), x, v), {2}, {6, 12}));
  EXPECT_TRUE(near(grad(rt->jvp(engine, f, x, v), x), {2}, {6, 12}));
}

TEST_P(HardCases, H9_OneTensorAddedTwice) {
  EagerTensor x = variable(matrix(2, 3, {1, 2, -3, 4, 5, 6}));
  EagerTensor column = s.slice(x, {0, 2}, {2, 3}, {1, 1});
  EXPECT_TRUE(near(gradSum(abs(column) + abs(column), x), {2, 3}, {0, 0, -2, 0, 0, 2}));
}

TEST_P(HardCases, H10_LogAtOneHalf) {
  EagerTensor x = variable(0.5);
  EXPECT_TRUE(near(grad(log(x), x), {}, {2}));
}

TEST_P(HardCases, H12_PerturbationConfusion) {
  EagerTensor x = variable(1.0), y = variable(1.0);
  EXPECT_TRUE(near(grad(x * grad(x + y, y), x), {}, {1}));
  EagerTensor a = variable(3.0), b = variable(2.0);
  EXPECT_TRUE(near(grad(a * grad(a * b, b), a), {}, {6}));
}

TEST_P(HardCases, H13_CapturedValues) {
  EagerTensor x = variable(3.0);
  EXPECT_TRUE(near(grad(x * x.detach(), x), {}, {3}));
  EXPECT_FALSE(rt->gradOptional(engine, variable(1.0) * 2.0, x).has_value());
}

TEST_P(HardCases, P10_SecondOrderOfLogAddExp) {
  EagerTensor t = variable(-800.0);
  EagerTensor slope = constant(matrix(2, 1, {1, -2})), offset = constant(matrix(2, 1, {2, 0}));
  EagerTensor slopes = constant(matrix(1, 3, {0.5, -1, 2})), offsets = constant(matrix(1, 3, {-1, 3, 1}));
  EagerTensor weights = constant(matrix(2, 3, {1, 2, -1, 3, -2, 4}));
  EagerTensor f = sum(weights * logAddExp(slope * t + offset, slopes * t + offsets));
  EXPECT_TRUE(near(f, {}, {10003}, 1e-12));
  EagerTensor first = grad(f, t);
  EXPECT_TRUE(near(first, {}, {-12.5}, 1e-12));
  double second = grad(first, t).item<double>();
  EXPECT_NEAR(second / 9.6168024e-174, 1, 1e-7);
}

TEST_P(HardCases, T12_ClampThenArcCosine) {
  EagerTensor x = variable(10.0);
  EagerTensor angle = acos(clamp(x, -1, 1));
  EXPECT_TRUE(near(angle, {}, {0}));
  EXPECT_TRUE(near(grad(angle, x), {}, {0}));
  EXPECT_TRUE(near(rt->jvp(engine, angle, x, constant(Tensor::scalar(1.0))), {}, {0}));
}

// Beside an untaken branch whose derivatives are infinite or NaN there is x^2, whose are 2x, 2 and 0, whatever the mode.
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
