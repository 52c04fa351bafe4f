// Section by section of the numerics: NaN, infinities, ties, zero-size and rank-0 tensors in every operation. Expected
// values are those of IEEE 754, of NumPy, or worked out by hand.
#include "test/unit/surface/Support.h"

namespace tenferro::test {
namespace {

TENFERRO_SURFACE_SUITE(Semantics);

using Unary = EagerTensor (*)(Operand);
using Binary = EagerTensor (*)(Operand, Operand);

struct UnaryRow {
  const char *name;
  Unary apply;
  std::vector<double> in, out;
  double tolerance = 0;
};

const UnaryRow kUnary[] = {
    {"neg", [](Operand x) { return -x; }, {0.0, -1, kInf, kNaN}, {-0.0, 1, -kInf, kNaN}},
    {"abs", abs, {-0.0, -2, -kInf, kNaN}, {0, 2, kInf, kNaN}},
    {"sign", sign, {-3, 0, 5e-324, -kInf, kNaN}, {-1, 0, 1, -1, kNaN}},
    {"exp", exp, {0, -kInf, kInf, 710, -750, kNaN, 1}, {1, 0, kInf, kInf, 0, kNaN, 2.718281828459045}, 1e-15},
    {"expm1", expm1, {0, -kInf, kInf, 1e-300, kNaN}, {0, -1, kInf, 1e-300, kNaN}},
    {"log", log, {1, 0, -0.0, kInf, -1, kNaN, 5e-324}, {0, -kInf, -kInf, kInf, kNaN, kNaN, -744.4400719213812}, 1e-15},
    {"log1p", log1p, {0, -1, -2, kInf, 1e-300, kNaN}, {0, -kInf, kNaN, kInf, 1e-300, kNaN}},
    {"sqrt", sqrt, {0, 4, -1, kInf, kNaN, 2}, {0, 2, kNaN, kInf, kNaN, 1.4142135623730951}},
    {"rsqrt", rsqrt, {0, 4, -1, kInf, kNaN}, {kInf, 0.5, kNaN, 0, kNaN}},
    {"tanh", tanh, {0, kInf, -kInf, 200, kNaN, 1e-300}, {0, 1, -1, 1, kNaN, 1e-300}},
    {"sigmoid", sigmoid, {0, kInf, -kInf, kNaN, -745}, {0.5, 1, 0, kNaN, 5e-324}},
    {"erf", erf, {0, kInf, -kInf, kNaN, 1}, {0, 1, -1, kNaN, 0.8427007929497149}, 1e-15},
    {"erfc", erfc, {0, kInf, -kInf, kNaN, 10}, {1, 0, 2, kNaN, 2.088487583762545e-45}, 1e-15},
    {"exp2", exp2, {0, 10, -1074, -1080, 1024, -kInf, kNaN}, {1, 1024, 5e-324, 0, kInf, 0, kNaN}},
    {"log2", log2, {1, 8, 5e-324, 0, -1, kInf, kNaN}, {0, 3, -1074, -kInf, kNaN, kInf, kNaN}},
    {"log10", log10, {1, 1e22, 1e-3, 0, -1, kInf, kNaN}, {0, 22, -3, -kInf, kNaN, kInf, kNaN}},
    {"cbrt", cbrt, {0, -0.0, 27, -8, kInf, -kInf, kNaN}, {0, -0.0, 3, -2, kInf, -kInf, kNaN}},
    {"sin", sin, {0, -0.0, kInf, kNaN, 1e22}, {0, -0.0, kNaN, kNaN, -0.8522008497671888}, 1e-15},
    {"cos", cos, {0, -0.0, kInf, kNaN, 1e22}, {1, 1, kNaN, kNaN, 0.5232147853951389}, 1e-15},
    {"tan", tan, {0, -0.0, kInf, kNaN, 1}, {0, -0.0, kNaN, kNaN, 1.5574077246549023}, 1e-15},
    {"asin", asin, {0, -0.0, 1, 2, kNaN}, {0, -0.0, 1.5707963267948966, kNaN, kNaN}, 1e-15},
    {"acos", acos, {1, 0, -1, 2, kNaN}, {0, 1.5707963267948966, 3.141592653589793, kNaN, kNaN}, 1e-15},
    {"atan", atan, {0, -0.0, kInf, -kInf, kNaN}, {0, -0.0, 1.5707963267948966, -1.5707963267948966, kNaN}, 1e-15},
    {"sinh", sinh, {0, -0.0, kInf, -kInf, kNaN, 711}, {0, -0.0, kInf, -kInf, kNaN, kInf}},
    {"cosh", cosh, {0, -0.0, kInf, -kInf, kNaN, 711}, {1, 1, kInf, kInf, kNaN, kInf}},
    {"asinh", asinh, {0, -0.0, kInf, -kInf, kNaN}, {0, -0.0, kInf, -kInf, kNaN}},
    {"acosh", acosh, {1, 0.5, kInf, -kInf, kNaN}, {0, kNaN, kInf, kNaN, kNaN}},
    {"atanh", atanh, {0, -0.0, 1, -1, 2, kNaN}, {0, -0.0, kInf, -kInf, kNaN, kNaN}},
    {"silu", silu, {0, kInf, -kInf, kNaN}, {0, kInf, 0, kNaN}},
    {"softplus", softplus, {0, kInf, -kInf, kNaN}, {0.6931471805599453, kInf, 0, kNaN}, 1e-15},
    {"logsigmoid", logSigmoid, {0, kInf, -kInf, kNaN}, {-0.6931471805599453, 0, -kInf, kNaN}, 1e-15},
    {"gelu_tanh", geluTanh, {0, kInf, -kInf, kNaN}, {0, kInf, 0, kNaN}},
    {"floor", floor, {-0.5, -0.0, 2.5, kInf, kNaN}, {-1, -0.0, 2, kInf, kNaN}},
    {"ceil", ceil, {-0.5, -0.0, 2.5, kInf, kNaN}, {-0.0, -0.0, 3, kInf, kNaN}},
    {"round", round, {-0.5, 1.5, 2.5, kInf, kNaN}, {-0.0, 2, 2, kInf, kNaN}},
    {"trunc", trunc, {-1.5, -0.0, 2.5, kInf, kNaN}, {-1, -0.0, 2, kInf, kNaN}},
    {"relu", relu, {-1, -0.0, 0, 2, kInf, -kInf, kNaN}, {0, 0, 0, 2, kInf, 0, kNaN}},
    {"gelu", gelu, {0, kInf, -kInf, kNaN}, {0, kInf, 0, kNaN}},
};

TEST_P(Semantics, UnaryOperationsOnSpecialValues) {
  for (const UnaryRow &row : kUnary) {
    EXPECT_TRUE(near(row.apply(constant(vec(row.in))), {static_cast<int64_t>(row.in.size())}, row.out, row.tolerance))
        << row.name;
    EXPECT_TRUE(near(row.apply(constant(Tensor::scalar(row.in[0]))), {}, {row.out[0]}, row.tolerance)) << row.name;
    EXPECT_TRUE(near(row.apply(constant(Tensor::zeros({2, 0, 3}, DType::F64))), {2, 0, 3}, {})) << row.name;
    EagerTensor empty = variable(Tensor::zeros({0}, DType::F64));
    EXPECT_TRUE(near(row.apply(empty), {0}, {})) << row.name;
  }
}

struct BinaryRow {
  const char *name;
  Binary apply;
  std::vector<double> a, b, out;
};

const BinaryRow kBinary[] = {
    {"add", operator+, {kInf, kInf, kNaN, -0.0}, {kInf, -kInf, 1, -0.0}, {kInf, kNaN, kNaN, -0.0}},
    {"sub", operator-, {kInf, 1, kNaN}, {kInf, kInf, 1}, {kNaN, -kInf, kNaN}},
    {"mul", operator*, {0, kInf, kNaN, 1e308}, {kInf, -1, 0, 10}, {kNaN, -kInf, kNaN, kInf}},
    {"div", operator/, {1, -1, 0, kInf, 1}, {0, 0, 0, kInf, kInf}, {kInf, -kInf, kNaN, kNaN, 0}},
    {"rem", rem, {7, -7, 1, kInf, 5, kNaN}, {3, 3, 0, 2, kInf, 1}, {1, -1, kNaN, kNaN, 5, kNaN}},
    {"floor_divide", floorDivide, {7, -7, 1, -1, 1}, {2, 2, 0.1, 0, kInf}, {3, -4, 9, -kInf, 0}},
    {"atan2", atan2, {0, 1, kInf, kNaN}, {1, kInf, 1, 1}, {0, 0, 1.5707963267948966, kNaN}},
    {"hypot", hypot, {3, 0, kInf, kNaN}, {4, 0, kNaN, 1}, {5, 0, kInf, kNaN}},
    {"logaddexp", logAddExp, {-kInf, kInf, kInf, kNaN}, {-kInf, kInf, 1, 1}, {-kInf, kInf, kInf, kNaN}},
    {"xlogy", xlogy, {0, 0, 2, kNaN}, {0, kNaN, 1, 1}, {0, kNaN, 0, kNaN}},
    {"maximum", maximum, {1, kNaN, 0, -kInf, 2}, {2, 0, kNaN, kInf, 2}, {2, kNaN, kNaN, kInf, 2}},
    {"minimum", minimum, {1, kNaN, 0, -kInf, 2}, {2, 0, kNaN, kInf, 2}, {1, kNaN, kNaN, -kInf, 2}},
    {"pow",
     pow,
     {0, 0, 0, -2, -2, kNaN, 1, kInf, 2},
     {0, 2, -1, 3, 0.5, 0, kNaN, -1, kInf},
     {1, 0, kInf, -8, kNaN, 1, 1, 0, kInf}},
    {"szmul",
     [](Operand a, Operand b) { return currentSession().strongZeroMul(a, b); },
     {kInf, kNaN, 2, 0, kInf},
     {0, -0.0, 3, kInf, 1},
     {0, 0, 6, kNaN, kInf}},
};

TEST_P(Semantics, BinaryOperationsOnSpecialValues) {
  for (const BinaryRow &row : kBinary) {
    EXPECT_TRUE(
        near(row.apply(constant(vec(row.a)), constant(vec(row.b))), {static_cast<int64_t>(row.a.size())}, row.out))
        << row.name;
    EXPECT_TRUE(
        near(row.apply(constant(Tensor::scalar(row.a[0])), constant(Tensor::scalar(row.b[0]))), {}, {row.out[0]}))
        << row.name;
    EXPECT_TRUE(
        near(row.apply(constant(Tensor::zeros({0, 2}, DType::F64)), constant(Tensor::zeros({0, 2}, DType::F64))),
             {0, 2}, {}))
        << row.name;
  }
}

/// Zeros with their signs, which `near` does not tell apart: true is -0.
TEST_P(Semantics, SignsOfZeros) {
  auto signs = [](const EagerTensor &t) {
    std::vector<bool> negative;
    for (double each : t.toVector<double>()) {
      EXPECT_EQ(each, 0);
      negative.push_back(std::signbit(each));
    }
    return negative;
  };
  using Signs = std::vector<bool>;
  EagerTensor zeros = constant(vec({0.0, -0.0})), swapped = constant(vec({-0.0, 0.0}));
  for (auto odd : {sign, sqrt, expm1, log1p, tanh, erf})
    EXPECT_EQ(signs(odd(zeros)), (Signs{false, true}));
  EXPECT_EQ(signs(-zeros), (Signs{true, false}));
  EXPECT_EQ(signs(abs(zeros)), (Signs{false, false}));
  EXPECT_EQ(signs(relu(zeros)), (Signs{false, false}));
  EXPECT_EQ(signs(zeros + zeros), (Signs{false, true}));
  EXPECT_EQ(signs(zeros - zeros), (Signs{false, false}));
  EXPECT_EQ(signs(zeros * -1.0), (Signs{true, false}));
  EXPECT_EQ(signs(zeros / -kInf), (Signs{true, false}));
  EXPECT_EQ(signs(s.strongZeroMul(-kInf, zeros)), (Signs{false, false}));
  EXPECT_EQ(signs(maximum(zeros, swapped)), (Signs{false, false}));
  EXPECT_EQ(signs(minimum(zeros, swapped)), (Signs{true, true}));
  EXPECT_EQ(signs(pow(zeros, 3)), (Signs{false, true}));
  EXPECT_EQ(signs(pow(zeros, 2)), (Signs{false, false}));
  EXPECT_EQ(signs(max(zeros)), (Signs{false}));
  EXPECT_EQ(signs(min(zeros)), (Signs{true}));
  // A sum starts from nothing, -0; a matrix product from +0.
  EagerTensor negative = constant(Tensor::full({3, 2}, -0.0));
  EXPECT_EQ(signs(sum(negative)), (Signs{true}));
  EXPECT_EQ(signs(sum(negative, 0)), (Signs{true, true}));
  EXPECT_EQ(signs(sum(zeros)), (Signs{false}));
  EXPECT_EQ(signs(sum(constant(vec({})))), (Signs{false}));
  EXPECT_EQ(signs(matmul(negative, constant(vec({1, 1})))), (Signs{false, false, false}));
  EXPECT_EQ(signs(s.pad(swapped, {0}, {0}, {1})), (Signs{true, false, false}));
  EXPECT_EQ(signs(s.cast(s.cast(zeros, DType::F32), DType::F64)), (Signs{false, true}));
}

TEST_P(Semantics, ComparisonsWithNaNAndZeros) {
  EagerTensor a = constant(vec({kNaN, 0.0, 1, kInf, kNaN})), b = constant(vec({1, -0.0, 2, kInf, kNaN}));
  auto bits = [](const EagerTensor &t) { return t.toVector<bool>(); };
  using Bits = std::vector<bool>;
  EXPECT_EQ(bits(s.equal(a, b)), (Bits{false, true, false, true, false}));
  EXPECT_EQ(bits(s.notEqual(a, b)), (Bits{true, false, true, false, true}));
  EXPECT_EQ(bits(s.less(a, b)), (Bits{false, false, true, false, false}));
  EXPECT_EQ(bits(s.lessEqual(a, b)), (Bits{false, true, true, true, false}));
  EXPECT_EQ(bits(s.greater(a, b)), (Bits{false, false, false, false, false}));
  EXPECT_EQ(bits(s.greaterEqual(a, b)), (Bits{false, true, false, true, false}));
  EagerTensor u = constant(Tensor::from({2}, {uint8_t(200), uint8_t(100)}));
  EXPECT_EQ(bits(s.greater(u, 150)), (Bits{true, false})); // unsigned
}

TEST_P(Semantics, IntegersWrapAndTruncate) {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  EagerTensor edge = constant(ints({low, high}));
  EXPECT_EQ((edge + 1).toVector<int64_t>(), (std::vector<int64_t>{low + 1, low}));
  EXPECT_EQ((-edge).toVector<int64_t>(), (std::vector<int64_t>{low, -high}));
  EXPECT_EQ((edge / -1).toVector<int64_t>(), (std::vector<int64_t>{low, -high}));
  EXPECT_EQ((constant(ints({7, -7})) / 2).toVector<int64_t>(), (std::vector<int64_t>{3, -3}));
  EXPECT_EQ(pow(constant(ints({3, -2})), 3).toVector<int64_t>(), (std::vector<int64_t>{27, -8}));
  EXPECT_EQ(sum(edge).item<int64_t>(), -1);
  EXPECT_EQ(abs(edge).toVector<int64_t>(), (std::vector<int64_t>{low, high}));
  EXPECT_EQ((constant(Tensor::from({1}, {uint8_t(3)})) - 5).item<uint8_t>(), 254);
}

TEST_P(Semantics, CastsSaturateAndTruncate) {
  EagerTensor x = constant(vec({1.9, -1.9, 1e30, -1e30, kNaN, kInf}));
  EXPECT_EQ(s.cast(x, DType::I32).toVector<int32_t>(),
            (std::vector<int32_t>{1, -1, 2147483647, -2147483647 - 1, 0, 2147483647}));
  EXPECT_EQ(s.cast(x, DType::U8).toVector<uint8_t>(), (std::vector<uint8_t>{1, 0, 255, 0, 0, 255}));
  EXPECT_EQ(s.cast(constant(vec({0.5, -0.0, kNaN})), DType::Bool).toVector<bool>(),
            (std::vector<bool>{true, false, true}));
  EXPECT_EQ(s.convert(constant(Tensor::from({2}, {uint8_t(255), uint8_t(0)})), DType::F64).toVector<double>(),
            (std::vector<double>{255, 0}));
}

TEST_P(Semantics, ReductionsOfNothingAndOfSpecialValues) {
  EagerTensor empty = constant(Tensor::zeros({0, 3}, DType::F64));
  EXPECT_TRUE(near(sum(empty, 0), {3}, {0, 0, 0}));
  EXPECT_FALSE(std::signbit(sum(empty).item<double>()));
  EXPECT_TRUE(near(mean(empty, 0), {3}, {kNaN, kNaN, kNaN}));
  EXPECT_TRUE(near(sum(empty, 1), {0}, {}));
  EXPECT_TRUE(near(max(empty, 1), {0}, {}));
  EXPECT_ERROR(max(empty, 0), ErrorKind::EmptyReduction, "max");
  EXPECT_ERROR(min(empty), ErrorKind::EmptyReduction, "min");
  EXPECT_TRUE(near(logsumexp(empty, 0), {3}, {-kInf, -kInf, -kInf}));
  EXPECT_TRUE(near(logsumexp(empty, 0, true), {1, 3}, {-kInf, -kInf, -kInf}));
  EXPECT_TRUE(near(sum(constant(vec({kInf, -kInf}))), {}, {kNaN}));
  EXPECT_TRUE(near(max(constant(vec({1, kNaN, kInf}))), {}, {kNaN}));
  EXPECT_TRUE(near(min(constant(vec({-kInf, 3}))), {}, {-kInf}));
  EXPECT_TRUE(near(sum(constant(Tensor::scalar(4.))), {}, {4}));
  EXPECT_TRUE(near(max(constant(Tensor::scalar(4.))), {}, {4}));
}

TEST_P(Semantics, ProductsAndTruthAndSquares) {
  EagerTensor empty = constant(Tensor::zeros({0, 3}, DType::F64));
  EXPECT_TRUE(near(prod(empty, 0), {3}, {1, 1, 1}));
  EXPECT_TRUE(near(sumSquares(empty, 0, true), {1, 3}, {0, 0, 0}));
  EXPECT_TRUE(near(prod(constant(matrix(2, 3, {1, 2, -0.5, 4, kInf, 8})), 1), {2}, {-1, kInf}));
  EXPECT_TRUE(near(prod(constant(vec({kInf, 0}))), {}, {kNaN}));
  EXPECT_EQ(prod(constant(ints({int64_t{1} << 62, 2, 3}))).item<int64_t>(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(sumSquares(constant(ints({3, -4}))).item<int64_t>(), 25);
  EagerTensor truths = constant(Tensor::fromRowMajor({2, 2}, std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(any(truths, 1).toVector<bool>(), (std::vector<bool>{true, false}));
  EXPECT_EQ(all(truths, 1, true).shape(), (Shape{2, 1}));
  EXPECT_FALSE(all(truths).item<bool>());
  EagerTensor none = constant(Tensor::zeros({0}, DType::Bool));
  EXPECT_FALSE(any(none).item<bool>());
  EXPECT_TRUE(all(none).item<bool>());
  EXPECT_ERROR(prod(truths), ErrorKind::DTypeMismatch, "prod");
  EXPECT_ERROR(sumSquares(truths), ErrorKind::DTypeMismatch, "sum_squares");
  EXPECT_ERROR(any(empty), ErrorKind::DTypeMismatch, "any");
  EXPECT_ERROR(all(truths, 2), ErrorKind::AxisOutOfRange, "all");
}

TEST_P(Semantics, PositionsAndRunningSums) {
  EagerTensor x = constant(matrix(2, 3, {1, 5, 5, kNaN, 9, kNaN}));
  EXPECT_EQ(argmax(x, 1).toVector<int64_t>(), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(argmin(x, 1).toVector<int64_t>(), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(argmax(x, -2).toVector<int64_t>(), (std::vector<int64_t>{1, 1, 1}));
  EXPECT_EQ(argmax(x).item<int64_t>(), 1) << "flat, leftmost fastest: the NaN of the second row";
  EXPECT_EQ(argmax(x, {}, true).shape(), (Shape{1, 1}));
  EXPECT_EQ(argmax(x, 0, true).shape(), (Shape{1, 3}));
  EXPECT_EQ(argmin(constant(vec({0.0, -0.0}))).item<int64_t>(), 0);
  EXPECT_EQ(argmin(constant(Tensor::scalar(4.))).item<int64_t>(), 0);
  EXPECT_EQ(argmax(constant(Tensor::zeros({0, 3}, DType::F64)), 1).shape(), (Shape{0}));
  EXPECT_ERROR(argmax(constant(Tensor::zeros({0, 3}, DType::F64)), 0), ErrorKind::EmptyReduction, "argmax");
  EXPECT_ERROR(argmax(x, 2), ErrorKind::AxisOutOfRange, "argmax");

  EagerTensor sums = cumsum(constant(matrix(2, 3, {1, 2, 3, 4, 5, 6})), 1);
  EXPECT_TRUE(near(sums, {2, 3}, {1, 3, 6, 4, 9, 15}));
  EXPECT_TRUE(near(cumsum(constant(matrix(2, 2, {1, 2, 3, 4})), 0, true), {2, 2}, {4, 6, 3, 4}));
  EXPECT_TRUE(near(cumsum(constant(vec({})), 0), {0}, {}));
  EXPECT_TRUE(near(cumsum(constant(vec({1, kInf, -kInf, 1})), 0), {4}, {1, kInf, kNaN, kNaN}));
  EagerTensor v = variable(vec({1, 2, 3}));
  EXPECT_TRUE(near(rt->vjp(engine, cumsum(v, 0), v, constant(vec({1, 10, 100}))), {3}, {111, 110, 100}));
  EXPECT_TRUE(near(rt->jvp(engine, cumsum(v, 0, true), v, constant(vec({1, 10, 100}))), {3}, {111, 110, 100}));
  EXPECT_ERROR(cumsum(constant(Tensor::scalar(1.)), 0), ErrorKind::AxisOutOfRange, "cumsum");
}

TEST_P(Semantics, NormsOfEveryKind) {
  EagerTensor x = variable(matrix(2, 2, {3, -4, 0, 0}));
  for (double p : {0.5, 1.0, 1.5, 2.0, 3.0, 7.0, kInf})
    EXPECT_TRUE(
        near(gradSum(norm(x, p, 1), x), {2, 2},
             {std::pow(3 / norm(x, p, 1).toVector<double>()[0], std::isinf(p) ? 0 : p - 1) * (std::isinf(p) ? 0 : 1),
              -std::pow(4 / norm(x, p, 1).toVector<double>()[0], std::isinf(p) ? 0 : p - 1), 0, 0},
             1e-13))
        << p;
  EXPECT_TRUE(near(norm(x, 0, 1), {2}, {2, 0}));
  EXPECT_FALSE(rt->gradOptional(engine, norm(x, 0), x).has_value());
  EXPECT_TRUE(near(norm(x, 1, 1, true), {2, 1}, {7, 0}));
  EXPECT_TRUE(near(norm(x, kInf), {}, {4}));
  EXPECT_TRUE(near(norm(x, -kInf, 1), {2}, {3, 0}));
  EXPECT_TRUE(near(norm(x, -1, 1), {2}, {12. / 7, 0}, 1e-15));
  EXPECT_TRUE(near(gradSum(norm(x, -1), x), {2, 2}, {0, 0, 0, 0}));
  EXPECT_TRUE(near(norm(x, 2, Axes(IntList())), {2, 2}, {3, 4, 0, 0}));
  // Squares and cubes that overflow or vanish.
  for (double p : {2.0, 3.0, 2.5, -2.0})
    for (double scale : {1e200, 1e-200, 5e-324}) {
      if (p < 0 && scale < 1e-300)
        continue; // the slope underflows
      EagerTensor far = variable(vec({scale, scale}));
      double factor = std::pow(2, 1 / p), rounding = scale < 1e-300 ? 1 : 1e-15;
      EXPECT_TRUE(near(norm(far, p) / scale, {}, {factor}, rounding)) << p << " " << scale;
      EXPECT_TRUE(near(grad(norm(far, p), far), {2}, {factor / 2, factor / 2}, 1e-14)) << p << " " << scale;
    }
  EXPECT_TRUE(near(norm(constant(vec({kInf, 1}))), {}, {kInf}));
  EXPECT_TRUE(near(norm(constant(vec({kNaN, 1})), 3), {}, {kNaN}));
  EXPECT_TRUE(near(norm(constant(vec({-kInf, 1})), -2), {}, {1}));
  EXPECT_TRUE(near(norm(constant(vec({})), 3), {}, {0}));
  EXPECT_ERROR(norm(constant(vec({})), kInf), ErrorKind::EmptyReduction, "norm");
  EXPECT_ERROR(norm(x, kNaN), ErrorKind::InvalidArgument, "norm");
  EXPECT_ERROR(norm(constant(ints({1}))), ErrorKind::DTypeMismatch, "norm");
}

TEST_P(Semantics, VarianceAndNormalisation) {
  EagerTensor x = constant(matrix(2, 3, {1, 2, 3, 5, 5, 5}));
  EXPECT_TRUE(near(var(x, 1), {2}, {2. / 3, 0}, 1e-15));
  EXPECT_TRUE(near(var(x, 1, 1, true), {2, 1}, {1, 0}));
  EXPECT_TRUE(near(stddev(x, 1, 1), {2}, {1, 0}));
  EXPECT_TRUE(near(stddev(constant(vec({1e200, 3e200}))), {}, {1e200}, 1e-15));
  EXPECT_TRUE(near(var(constant(vec({1, 3})), {}, 5), {}, {kInf})) << "n - correction is at least 0";
  EXPECT_ERROR(var(constant(ints({1}))), ErrorKind::DTypeMismatch, "var");
  EXPECT_ERROR(stddev(x, 2), ErrorKind::AxisOutOfRange, "stddev");
  EXPECT_ERROR(var(x, {}, kNaN), ErrorKind::InvalidArgument, "var");

  EXPECT_TRUE(near(layerNorm(constant(vec({1, 3})), 0, {}, {}, 0), {2}, {-1, 1}));
  EXPECT_TRUE(near(layerNorm(x, -1, constant(vec({1, 2, 4})), constant(vec({10, 20, 30})), 1. / 3), {2, 3},
                   {9, 20, 34, 10, 20, 30}, 1e-15));
  EXPECT_TRUE(near(rmsNorm(constant(vec({3, 4})), 0, constant(vec({1, 0.5})), 3.5), {2}, {0.75, 0.5}, 1e-15));
  EXPECT_ERROR(layerNorm(x, 1, constant(vec({1, 2}))), ErrorKind::ShapeMismatch, "layer_norm");
  EXPECT_ERROR(layerNorm(x, 1, {}, {}, -1), ErrorKind::InvalidArgument, "layer_norm");
  EXPECT_ERROR(rmsNorm(x, 2), ErrorKind::AxisOutOfRange, "rms_norm");
  EXPECT_ERROR(rmsNorm(x, 1, {}, kNaN), ErrorKind::InvalidArgument, "rms_norm");
}

TEST_P(Semantics, ExtremaShareTheirGradientAmongTies) {
  EagerTensor x = variable(matrix(2, 3, {1, 5, 5, 2, 2, 2}));
  EXPECT_TRUE(near(gradSum(max(x, 1), x), {2, 3}, {0, 0.5, 0.5, 1. / 3, 1. / 3, 1. / 3}));
  EXPECT_TRUE(near(gradSum(min(x, 0), x), {2, 3}, {1, 0, 0, 0, 1, 1}));
  EagerTensor a = variable(vec({1, 2, 3})), b = variable(vec({3, 2, 1}));
  EXPECT_TRUE(near(gradSum(maximum(a, b), a), {3}, {0, 0.5, 1}));
  EXPECT_TRUE(near(gradSum(minimum(a, b), b), {3}, {0, 0.5, 1}));
}

TEST_P(Semantics, KinksByPolicy) {
  auto slope = [&](Unary f, double at) {
    EagerTensor x = variable(at);
    return grad(f(x), x).item<double>();
  };
  EXPECT_EQ(slope(abs, 0), 0);
  EXPECT_EQ(slope(relu, 0), 0);
  EXPECT_EQ(slope(relu, -0.0), 0);
  EXPECT_EQ(slope(sqrt, 0), kInf);
  EXPECT_EQ(slope(rsqrt, 0), -kInf);
  EXPECT_EQ(slope(abs, -3), -1);
  EagerTensor x = variable(vec({-1, 0, 2}));
  EXPECT_TRUE(near(gradSum(abs(x) * relu(x), x), {3}, {0, 0, 4})); // x^2 right of 0
}

TEST_P(Semantics, LogsumexpAtTheInfinities) {
  auto both = [&](std::vector<double> in, double value, std::vector<double> gradient) {
    EagerTensor x = variable(vec(in));
    EagerTensor y = logsumexp(x);
    EXPECT_TRUE(near(y, {}, {value}, 1e-15));
    EXPECT_TRUE(near(grad(y, x), {static_cast<int64_t>(in.size())}, gradient, 1e-15));
  };
  both({-kInf, -kInf}, -kInf, {0, 0});
  both({-kInf, 0}, 0, {0, 1});
  both({kInf}, kInf, {1});
  both({-kInf}, -kInf, {1});
  both({0, kInf}, kInf, {0, 1});
  both({kInf, kInf, 1}, kInf, {0.5, 0.5, 0});
  both({kNaN, 0}, kNaN, {kNaN, kNaN});
  both({1000, 1000}, 1000.6931471805599, {0.5, 0.5});
  EagerTensor x = variable(matrix(2, 2, {-kInf, -kInf, 0, 0}));
  EXPECT_TRUE(near(logsumexp(x, 1, true), {2, 1}, {-kInf, 0.6931471805599453}, 1e-15));
  EXPECT_TRUE(near(gradSum(where(s.greater(logsumexp(x, 1), -kInf), logsumexp(x, 1), 0.0), x), {2, 2}, {0, 0, 0.5, 0.5},
                   1e-15));
  EagerTensor empty = variable(vec({}));
  EXPECT_TRUE(near(grad(logsumexp(empty), empty), {0}, {}));
}

TEST_P(Semantics, SoftmaxOfDeadAndNaNSlices) {
  EagerTensor x = variable(matrix(4, 2, {-kInf, -kInf, 0, -kInf, kNaN, 0, kInf, 1}));
  EXPECT_TRUE(near(softmax(x, 1), {4, 2}, {0, 0, 1, 0, kNaN, kNaN, kNaN, kNaN}));
  EXPECT_TRUE(near(logSoftmax(x, 1), {4, 2}, {-kInf, -kInf, 0, -kInf, kNaN, kNaN, kNaN, kNaN}));
  EagerTensor dead = variable(vec({-kInf, -kInf})), weights = constant(vec({1, 2}));
  EXPECT_TRUE(near(gradSum(softmax(dead, 0) * weights, dead), {2}, {0, 0}));
  EagerTensor seed = constant(vec({1, 2}));
  EXPECT_TRUE(near(rt->vjp(engine, logSoftmax(dead, 0), dead, seed), {2}, {0, 0}));
  EagerTensor none = variable(Tensor::zeros({2, 0}, DType::F64));
  EXPECT_TRUE(near(softmax(none, 1), {2, 0}, {}));
  EXPECT_TRUE(near(gradSum(logSoftmax(none, 1), none), {2, 0}, {}));
}

TEST_P(Semantics, LossesOnSpecialValues) {
  // A class of probability 0 with no weight does not matter: -log(1/2).
  EagerTensor x = variable(matrix(1, 3, {-kInf, 0, 0}));
  EXPECT_TRUE(near(crossEntropy(x, constant(ints({1}))), {}, {0.6931471805599453}, 1e-15));
  EXPECT_TRUE(near(grad(crossEntropy(x, constant(ints({1}))), x), {1, 3}, {0, -0.5, 0.5}, 1e-15));
  EXPECT_TRUE(near(crossEntropy(x, constant(ints({0}))), {}, {kInf}));
  EXPECT_TRUE(near(crossEntropy(x, constant(matrix(1, 3, {0, 0.5, 0.5}))), {}, {0.6931471805599453}, 1e-15));
  EXPECT_TRUE(
      near(crossEntropy(x, constant(ints({1})), {.reduction = LossReduction::None}), {1}, {0.6931471805599453}, 1e-15));
  EagerTensor none = variable(Tensor::zeros({0, 3}, DType::F64));
  EXPECT_TRUE(near(crossEntropy(none, constant(ints({}))), {}, {kNaN}));
  EXPECT_TRUE(near(crossEntropy(none, constant(ints({})), {.reduction = LossReduction::Sum}), {}, {0}));
  EXPECT_TRUE(near(meanSquaredError(constant(vec({1, kNaN})), constant(vec({1, 1}))), {}, {kNaN}));
  EXPECT_TRUE(near(meanSquaredError(none, none), {}, {kNaN}));
}

TEST_P(Semantics, MovementKeepsEveryBit) {
  EagerTensor x = constant(matrix(2, 2, {kNaN, -0.0, kInf, 5e-324}));
  EXPECT_TRUE(near(transpose(x), {2, 2}, {kNaN, kInf, -0.0, 5e-324}));
  EXPECT_TRUE(std::signbit(transpose(x).value().toRowMajor<double>()[2]));
  EXPECT_TRUE(near(reshape(constant(Tensor::scalar(3.)), {1, 1}), {1, 1}, {3}));
  EXPECT_TRUE(near(reshape(constant(vec({3})), {}), {}, {3}));
  EXPECT_TRUE(near(transpose(constant(Tensor::scalar(3.))), {}, {3}));
  EXPECT_TRUE(near(s.slice(x, {0, 1}, {2, 1}, {1, 1}), {2, 0}, {}));
  EXPECT_TRUE(near(broadcastTo(constant(Tensor::zeros({0}, DType::F64)), {2, 0}), {2, 0}, {}));
}

TEST_P(Semantics, IndexingOfEdges) {
  EagerTensor x = variable(vec({1, 2, 3}));
  EXPECT_TRUE(near(s.take(x, constant(ints({0, 0, 2, -1})), 0), {4}, {1, 1, 3, 3}));
  EXPECT_TRUE(near(s.take(x, constant(Tensor::scalar(int64_t(1))), 0), {}, {2}));
  EXPECT_TRUE(near(s.take(x, constant(ints({})), 0), {0}, {}));
  EXPECT_ERROR(s.take(x, constant(ints({3})), 0), ErrorKind::IndexOutOfRange, "take");
  EXPECT_ERROR(s.take(x, constant(ints({-4})), 0), ErrorKind::IndexOutOfRange, "take");
  EXPECT_ERROR(s.take(constant(vec({})), constant(ints({0})), 0), ErrorKind::IndexOutOfRange, "take");
  EXPECT_TRUE(near(s.scatterAdd(constant(ints({1, 1, -1})), constant(vec({1, 2, 4})), 0, 3), {3}, {0, 3, 4}));
  EXPECT_TRUE(near(s.oneHot(constant(ints({0, 5, -1})), 2), {3, 2}, {1, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(near(s.iota({2, 2}, 1, DType::F64), {2, 2}, {0, 1, 0, 1}));
}

TEST_P(Semantics, ContractionsOfNothingAndOfSpecialValues) {
  EagerTensor a = constant(Tensor::zeros({2, 0}, DType::F64)), b = constant(Tensor::zeros({0, 3}, DType::F64));
  EXPECT_TRUE(near(matmul(a, b), {2, 3}, {0, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(near(matmul(constant(vec({kInf, 0})), constant(vec({0, 1}))), {}, {kNaN}));
  EXPECT_TRUE(near(matmul(constant(vec({kInf, 1})), constant(vec({1, 1}))), {}, {kInf}));
  EXPECT_TRUE(near(s.dotGeneral(constant(Tensor::scalar(2.)), constant(Tensor::scalar(3.)), {}), {}, {6}));
}

} // namespace
} // namespace tenferro::test
