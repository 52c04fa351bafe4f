// Every operation and composite at smooth points: push-forwards against central differences, pull-backs against
// push-forwards, and the four nestings of second order against differences of the first.
#include "test/unit/surface/Support.h"

#include <functional>

namespace tenferro::test {
namespace {

TENFERRO_SURFACE_SUITE(Gradient);

using Function = std::function<EagerTensor(EagerSession &, const std::vector<EagerTensor> &)>;
using In = const std::vector<EagerTensor> &;

struct Row {
  const char *name;
  std::vector<Tensor> inputs;
  Function apply;
};

/// Numbers that repeat nowhere, of both signs, away from the kinks at 0.
Tensor sample(const Shape &shape, double scale = 1, double shift = 0, int seed = 0) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.elementCount(); ++i) {
    double x = std::sin(1.7 * static_cast<double>(i + 1) + 2.3 * seed) * 1.1;
    values.push_back(scale * (x + (x < 0 ? -0.15 : 0.15)) + shift);
  }
  return Tensor::from(shape, values);
}
EagerTensor index(EagerSession &s, int64_t value) { return s.constant(Tensor::scalar(value)); }
Tensor positive(const Shape &shape, int seed = 0) { return sample(shape, 0.4, 1.2, seed); }

const Row kRows[] = {
    {"add", {sample({2, 3}), sample({3}, 1, 0, 1)}, [](EagerSession &s, In x) { return s.add(x[0], x[1]); }},
    {"sub", {sample({3}), sample({2, 1}, 1, 0, 1)}, [](EagerSession &s, In x) { return s.sub(x[0], x[1]); }},
    {"mul", {sample({2, 3}), sample({2, 1}, 1, 0, 1)}, [](EagerSession &s, In x) { return s.mul(x[0], x[1]); }},
    {"square", {sample({4})}, [](EagerSession &s, In x) { return s.mul(x[0], x[0]); }},
    {"div", {sample({2, 3}), positive({3}, 1)}, [](EagerSession &s, In x) { return s.div(x[0], x[1]); }},
    {"pow", {positive({4}), sample({4}, 2, 0, 1)}, [](EagerSession &s, In x) { return s.pow(x[0], x[1]); }},
    {"pow_scalar", {sample({4})}, [](EagerSession &s, In x) { return s.pow(x[0], 3); }},
    {"maximum", {sample({4}), sample({4}, 1, 0, 1)}, [](EagerSession &s, In x) { return s.maximum(x[0], x[1]); }},
    {"minimum", {sample({4}), sample({4}, 1, 0, 1)}, [](EagerSession &s, In x) { return s.minimum(x[0], x[1]); }},
    {"szmul", {sample({4}), sample({4}, 1, 0, 1)}, [](EagerSession &s, In x) { return s.strongZeroMul(x[0], x[1]); }},
    {"neg", {sample({3})}, [](EagerSession &s, In x) { return s.neg(x[0]); }},
    {"abs", {sample({5})}, [](EagerSession &s, In x) { return s.mul(s.abs(x[0]), x[0]); }},
    {"sign", {sample({5})}, [](EagerSession &s, In x) { return s.mul(s.sign(x[0]), x[0]); }},
    {"exp", {sample({5})}, [](EagerSession &s, In x) { return s.exp(x[0]); }},
    {"expm1", {sample({5})}, [](EagerSession &s, In x) { return s.expm1(x[0]); }},
    {"log", {positive({5})}, [](EagerSession &s, In x) { return s.log(x[0]); }},
    {"log1p", {positive({5})}, [](EagerSession &s, In x) { return s.log1p(x[0]); }},
    {"sqrt", {positive({5})}, [](EagerSession &s, In x) { return s.sqrt(x[0]); }},
    {"rsqrt", {positive({5})}, [](EagerSession &s, In x) { return s.rsqrt(x[0]); }},
    {"tanh", {sample({5})}, [](EagerSession &s, In x) { return s.tanh(x[0]); }},
    {"sigmoid", {sample({5}, 2)}, [](EagerSession &s, In x) { return s.sigmoid(x[0]); }},
    {"erf", {sample({5})}, [](EagerSession &s, In x) { return s.erf(x[0]); }},
    {"erfc", {sample({5})}, [](EagerSession &s, In x) { return s.erfc(x[0]); }},
    {"exp2", {sample({5})}, [](EagerSession &s, In x) { return s.exp2(x[0]); }},
    {"cbrt", {sample({5})}, [](EagerSession &s, In x) { return s.cbrt(x[0]); }},
    {"sin", {sample({5})}, [](EagerSession &s, In x) { return s.sin(x[0]); }},
    {"cos", {sample({5})}, [](EagerSession &s, In x) { return s.cos(x[0]); }},
    {"atan", {sample({5})}, [](EagerSession &s, In x) { return s.atan(x[0]); }},
    {"sinh", {sample({5})}, [](EagerSession &s, In x) { return s.sinh(x[0]); }},
    {"cosh", {sample({5})}, [](EagerSession &s, In x) { return s.cosh(x[0]); }},
    {"asinh", {sample({5})}, [](EagerSession &s, In x) { return s.asinh(x[0]); }},
    {"silu", {sample({5})}, [](EagerSession &s, In x) { return s.silu(x[0]); }},
    {"softplus", {sample({5})}, [](EagerSession &s, In x) { return s.softplus(x[0]); }},
    {"log2", {positive({5})}, [](EagerSession &s, In x) { return s.log2(x[0]); }},
    {"log10", {positive({5})}, [](EagerSession &s, In x) { return s.log10(x[0]); }},
    {"tan", {sample({5}, 0.4)}, [](EagerSession &s, In x) { return s.tan(x[0]); }},
    {"asin", {sample({5}, 0.4)}, [](EagerSession &s, In x) { return s.asin(x[0]); }},
    {"acos", {sample({5}, 0.4)}, [](EagerSession &s, In x) { return s.acos(x[0]); }},
    {"atanh", {sample({5}, 0.4)}, [](EagerSession &s, In x) { return s.atanh(x[0]); }},
    {"acosh", {sample({5}, 0.5, 2.5)}, [](EagerSession &s, In x) { return s.acosh(x[0]); }},
    {"logsigmoid", {sample({5}, 2)}, [](EagerSession &s, In x) { return s.logSigmoid(x[0]); }},
    {"gelu_tanh", {sample({5}, 2)}, [](EagerSession &s, In x) { return s.geluTanh(x[0]); }},
    {"atan2", {sample({2, 3}), sample({3}, 1, 0, 1)}, [](EagerSession &s, In x) { return s.atan2(x[0], x[1]); }},
    {"hypot", {sample({2, 3}), sample({2, 1}, 1, 0, 1)}, [](EagerSession &s, In x) { return s.hypot(x[0], x[1]); }},
    {"logaddexp", {sample({4}, 2), sample({4}, 2, 0, 1)}, [](EagerSession &s, In x) { return s.logAddExp(x[0], x[1]); }},
    {"xlogy", {sample({4}), positive({4}, 1)}, [](EagerSession &s, In x) { return s.xlogy(x[0], x[1]); }},
    {"rem", {sample({4}, 3), positive({4}, 1)}, [](EagerSession &s, In x) { return s.rem(x[0], x[1]); }},
    {"clamp",
     {sample({2, 3}), sample({3}, 0.3, -0.8, 1), sample({2, 1}, 0.3, 0.8, 2)},
     [](EagerSession &s, In x) { return s.mul(s.clamp(x[0], x[1], x[2]), x[0]); }},
    {"huber",
     {sample({5}, 2), sample({5}, 1, 0, 1)},
     [](EagerSession &s, In x) { return s.huber(x[0], x[1], 0.7, LossReduction::None); }},
    {"floor", {sample({5}, 3)}, [](EagerSession &s, In x) { return s.mul(s.floor(x[0]), x[0]); }},
    {"where",
     {sample({2, 2}), sample({2}, 1, 0, 1)},
     [](EagerSession &s, In x) { return s.mul(s.where(s.greater(x[0], 0.0), x[0], x[1]), x[0]); }},
    {"convert", {sample({3})}, [](EagerSession &s, In x) { return s.exp(s.convert(x[0], DType::F64)); }},
    {"sum", {sample({2, 3, 2})}, [](EagerSession &s, In x) { return s.exp(s.sum(x[0], {0, 2})); }},
    {"sum_keep", {sample({2, 3})}, [](EagerSession &s, In x) { return s.mul(x[0], s.sum(x[0], 1, true)); }},
    {"max", {sample({2, 3})}, [](EagerSession &s, In x) { return s.exp(s.max(x[0], 1)); }},
    {"min", {sample({2, 3})}, [](EagerSession &s, In x) { return s.exp(s.min(x[0], {0}, true)); }},
    {"mean", {sample({2, 3})}, [](EagerSession &s, In x) { return s.exp(s.mean(x[0], 0)); }},
    {"prod", {sample({2, 3})}, [](EagerSession &s, In x) { return s.prod(x[0], 1); }},
    {"prod_all", {sample({2, 3, 2})}, [](EagerSession &s, In x) { return s.exp(s.prod(x[0])); }},
    {"prod_outer", {sample({2, 5, 2})}, [](EagerSession &s, In x) { return s.prod(x[0], {0, 2}, true); }},
    {"sum_squares", {sample({2, 3})}, [](EagerSession &s, In x) { return s.exp(s.sumSquares(x[0], 0)); }},
    {"cumsum", {sample({2, 3})}, [](EagerSession &s, In x) { return s.exp(s.cumsum(x[0], 1)); }},
    {"cumsum_reverse", {sample({3, 2})}, [](EagerSession &s, In x) { return s.exp(s.cumsum(x[0], 0, true)); }},
    {"var", {sample({2, 3})}, [](EagerSession &s, In x) { return s.exp(s.var(x[0], 1, 1)); }},
    {"stddev", {sample({2, 3})}, [](EagerSession &s, In x) { return s.exp(s.stddev(x[0], 0, 0, true)); }},
    {"norm", {sample({2, 3})}, [](EagerSession &s, In x) { return s.exp(s.norm(x[0], 2, 1)); }},
    {"norm_1", {sample({4})}, [](EagerSession &s, In x) { return s.exp(s.norm(x[0], 1)); }},
    {"norm_3", {sample({2, 3})}, [](EagerSession &s, In x) { return s.norm(x[0], 3, 0, true); }},
    {"norm_half", {sample({4})}, [](EagerSession &s, In x) { return s.log(s.norm(x[0], 0.5)); }},
    {"norm_minus_1", {sample({4})}, [](EagerSession &s, In x) { return s.norm(x[0], -1); }},
    {"norm_inf", {sample({2, 3})}, [](EagerSession &s, In x) { return s.exp(s.norm(x[0], HUGE_VAL, 1)); }},
    {"layer_norm",
     {sample({2, 3}), sample({3}, 1, 0, 1), sample({3}, 1, 0, 2)},
     [](EagerSession &s, In x) { return s.layerNorm(x[0], 1, x[1], x[2], 0.1); }},
    {"rms_norm",
     {sample({3, 2}), sample({3}, 1, 0, 1)},
     [](EagerSession &s, In x) { return s.rmsNorm(x[0], 0, x[1], 0.1); }},
    {"logsumexp", {sample({2, 3})}, [](EagerSession &s, In x) { return s.logsumexp(x[0], 1); }},
    {"logsumexp_all", {sample({2, 3})}, [](EagerSession &s, In x) { return s.logsumexp(x[0]); }},
    {"reshape", {sample({2, 3})}, [](EagerSession &s, In x) { return s.exp(s.reshape(x[0], {3, 2})); }},
    {"transpose", {sample({2, 3, 2})}, [](EagerSession &s, In x) { return s.exp(s.transpose(x[0], {2, 0, 1})); }},
    {"broadcast_in_dim",
     {sample({2, 1})},
     [](EagerSession &s, In x) { return s.exp(s.broadcastInDim(x[0], {2, 3, 2}, {0, 1})); }},
    {"slice", {sample({4, 3})}, [](EagerSession &s, In x) { return s.exp(s.slice(x[0], {0, 1}, {4, 3}, {2, 1})); }},
    {"pad", {sample({3})}, [](EagerSession &s, In x) { return s.exp(s.pad(x[0], {-1}, {1}, {1})); }},
    {"concatenate",
     {sample({2, 3}), sample({1, 3}, 1, 0, 1)},
     [](EagerSession &s, In x) { return s.exp(s.concatenate({x[0], x[1], x[0]}, 0)); }},
    {"stack", {sample({3}), sample({3}, 1, 0, 1)}, [](EagerSession &s, In x) { return s.exp(s.stack({x[0], x[1]}, 1)); }},
    {"split",
     {sample({5})},
     [](EagerSession &s, In x) {
       auto parts = s.split(x[0], {2, 3}, 0);
       return s.mul(s.sum(s.exp(parts[0])), parts[1]);
     }},
    {"reverse", {sample({2, 3})}, [](EagerSession &s, In x) { return s.mul(s.exp(s.reverse(x[0], {1})), x[0]); }},
    {"tile", {sample({2, 2})}, [](EagerSession &s, In x) { return s.exp(s.tile(x[0], {3, 1, 2})); }},
    {"repeat", {sample({2, 3})}, [](EagerSession &s, In x) { return s.exp(s.repeat(x[0], 2, 1)); }},
    {"roll", {sample({2, 3})}, [](EagerSession &s, In x) { return s.mul(s.exp(s.roll(x[0], {-1, 4}, {1, 0})), x[0]); }},
    {"squeeze", {sample({1, 3})}, [](EagerSession &s, In x) { return s.exp(s.squeeze(x[0])); }},
    {"expand_dims", {sample({3})}, [](EagerSession &s, In x) { return s.exp(s.expandDims(x[0], {0, 2})); }},
    {"tril", {sample({3, 3, 2})}, [](EagerSession &s, In x) { return s.exp(s.tril(x[0], -1)); }},
    {"triu", {sample({2, 3})}, [](EagerSession &s, In x) { return s.exp(s.triu(x[0], 1)); }},
    {"diag_embeds", {sample({3})}, [](EagerSession &s, In x) { return s.exp(s.diag(x[0], -1)); }},
    {"diag_extracts", {sample({3, 4})}, [](EagerSession &s, In x) { return s.exp(s.diag(x[0], 1)); }},
    {"diagonal", {sample({3, 2, 4})}, [](EagerSession &s, In x) { return s.exp(s.diagonal(x[0], 1, 0, 2)); }},
    {"trace", {sample({2, 3, 3})}, [](EagerSession &s, In x) { return s.exp(s.trace(x[0], 0, 1, 2)); }},
    {"extract_diag", {sample({3, 2, 2})}, [](EagerSession &s, In x) { return s.exp(s.extractDiag(x[0], 2, 0)); }},
    {"embed_diag", {sample({2, 3})}, [](EagerSession &s, In x) { return s.exp(s.embedDiag(x[0], 2, 0)); }},
    {"dynamic_slice",
     {sample({4, 3})},
     [](EagerSession &s, In x) { return s.exp(s.dynamicSlice(x[0], {index(s, 1), index(s, -2)}, {2, 2})); }},
    {"dynamic_update_slice",
     {sample({4}), sample({2}, 1, 0, 1)},
     [](EagerSession &s, In x) { return s.exp(s.dynamicUpdateSlice(x[0], x[1], {index(s, 1)})); }},
    {"gather",
     {sample({4, 3})},
     [](EagerSession &s, In x) {
       EagerTensor places = s.constant(Tensor::from(Shape{2, 3}, std::vector<int64_t>{0, 1, 2, 2, 0, 1}));
       return s.exp(s.gather(x[0], places, {{0}, {1}, {0, 1}, 0}, {2, 1}));
     }},
    {"scatter_add",
     {sample({4, 3}), sample({2, 3}, 1, 0, 1)},
     [](EagerSession &s, In x) {
       EagerTensor places = s.constant(Tensor::from(Shape{2, 3}, std::vector<int64_t>{0, 1, 1, 1, 0, 1}));
       return s.exp(s.scatter(x[0], places, x[1], {{0}, {1}, {0, 1}, 0}));
     }},
    {"scatter_set_twice",
     {sample({4}), sample({4}, 1, 0, 1)},
     [](EagerSession &s, In x) {
       return s.exp(s.scatter(x[0], s.constant(ints({1, 0, 1, 3})), x[1], {{}, {0}, {0}, 1}, ScatterUpdate::Set));
     }},
    {"scatter_mul",
     {sample({4}), sample({5}, 1, 0, 1)},
     [](EagerSession &s, In x) {
       return s.exp(s.scatter(x[0], s.constant(ints({1, 0, 1, 1, 3})), x[1], {{}, {0}, {0}, 1}, ScatterUpdate::Mul));
     }},
    {"scatter_mul_overlapping",
     {sample({4}), sample({3, 2}, 1, 0, 1)},
     [](EagerSession &s, In x) {
       return s.exp(s.scatter(x[0], s.constant(ints({1, 0, 2})), x[1], {{1}, {}, {0}, 1}, ScatterUpdate::Mul));
     }},
    {"scatter_max",
     {sample({4}), sample({4}, 1, 0, 1)},
     [](EagerSession &s, In x) {
       return s.exp(s.scatter(x[0], s.constant(ints({1, 0, 1, 3})), x[1], {{}, {0}, {0}, 1}, ScatterUpdate::Max));
     }},
    {"scatter_min_clipped",
     {sample({4}), sample({4}, 1, 0, 1)},
     [](EagerSession &s, In x) {
       return s.exp(s.scatter(x[0], s.constant(ints({1, -7, 1, 9})), x[1], {{}, {0}, {0}, 1}, ScatterUpdate::Min,
                              IndexMode::Clip));
     }},
    {"take_along_axis",
     {sample({2, 3})},
     [](EagerSession &s, In x) {
       EagerTensor places = s.constant(Tensor::from(Shape{1, 3}, std::vector<int64_t>{1, 0, -1}));
       return s.exp(s.takeAlongAxis(x[0], places, 0));
     }},
    {"scatter_along_axis",
     {sample({2, 3}), sample({2, 2}, 1, 0, 1)},
     [](EagerSession &s, In x) {
       EagerTensor places = s.constant(Tensor::from(Shape{2, 2}, std::vector<int64_t>{2, 0, 2, 0}));
       return s.exp(s.scatterAlongAxis(x[0], places, x[1], 1));
     }},
    {"take",
     {sample({3, 2})},
     [](EagerSession &s, In x) { return s.exp(s.take(x[0], s.constant(ints({2, 0, 2, -1})), 0)); }},
    {"take_flat",
     {sample({3, 2})},
     [](EagerSession &s, In x) { return s.exp(s.take(x[0], s.constant(ints({4, 4, 1})))); }},
    {"scatter_add",
     {sample({3, 2})},
     [](EagerSession &s, In x) { return s.exp(s.scatterAdd(s.constant(ints({1, 1, 0})), x[0], 0, 3)); }},
    {"dot_general",
     {sample({2, 3, 2}), sample({3, 2, 4}, 1, 0, 1)},
     [](EagerSession &s, In x) { return s.dotGeneral(x[0], x[1], {{1}, {0}, {2}, {1}}); }},
    {"matmul", {sample({2, 3}), sample({3, 2}, 1, 0, 1)}, [](EagerSession &s, In x) { return s.matmul(x[0], x[1]); }},
    {"matmul_vector",
     {sample({3}), sample({3, 2}, 1, 0, 1)},
     [](EagerSession &s, In x) { return s.matmul(x[0], x[1]); }},
    {"matmul_self", {sample({2, 2})}, [](EagerSession &s, In x) { return s.matmul(x[0], x[0]); }},
    {"relu", {sample({5})}, [](EagerSession &s, In x) { return s.mul(s.relu(x[0]), x[0]); }},
    {"gelu", {sample({5}, 2)}, [](EagerSession &s, In x) { return s.gelu(x[0]); }},
    {"softmax", {sample({2, 3})}, [](EagerSession &s, In x) { return s.softmax(x[0], 1); }},
    {"log_softmax", {sample({2, 3})}, [](EagerSession &s, In x) { return s.logSoftmax(x[0], 0); }},
    {"mean_squared_error",
     {sample({2, 3}), sample({3}, 1, 0, 1)},
     [](EagerSession &s, In x) { return s.meanSquaredError(x[0], x[1]); }},
    {"cross_entropy",
     {sample({3, 4})},
     [](EagerSession &s, In x) { return s.crossEntropy(x[0], s.constant(ints({1, 0, 3}))); }},
    {"cross_entropy_smoothed",
     {sample({4, 3})},
     [](EagerSession &s, In x) {
       return s.crossEntropy(x[0], s.constant(ints({1, 0, 3})),
                             {.axis = 0, .reduction = LossReduction::None, .labelSmoothing = 0.2});
     }},
    {"cross_entropy_distribution",
     {sample({3, 4}), positive({3, 4}, 1)},
     [](EagerSession &s, In x) { return s.crossEntropy(x[0], x[1], {.reduction = LossReduction::Sum}); }},
    {"network",
     {sample({3, 2}), sample({2, 4}, 1, 0, 1), sample({4}, 1, 0, 2)},
     [](EagerSession &s, In x) { return s.logsumexp(s.tanh(s.add(s.matmul(x[0], x[1]), x[2])), 1); }},
};

/// Checks one row; names the row in every failure.
class Checker {
public:
  Checker(EagerRuntime &rt, ExecutionEngine &engine, const Row &row) : rt_(rt), engine_(engine), row_(row) {}

  void check() {
    std::vector<EagerTensor> x = variables(0);
    EagerTensor y = apply(x);
    seed_ = sample(y.shape(), 1, 0, 7);
    double pushed = 0;
    for (size_t i = 0; i < x.size(); ++i)
      if (auto part = rt_.jvpOptional(engine_, y, x[i], rt_.constant(direction(i))))
        pushed += dot(part->value(), seed_);
    double difference = difference4([&](double t) { return dot(apply(variables(t)).value(), seed_); });
    EXPECT_NEAR(pushed, difference, 1e-9 * (1 + std::fabs(difference))) << row_.name << ": jvp against differences";

    double pulled = pullBack(0);
    EXPECT_NEAR(pulled, pushed, 1e-13 * (1 + std::fabs(pushed))) << row_.name << ": vjp against jvp";

    // <d, H d> for the function <f, seed>, in every nesting of the two modes.
    double secondDifference = difference4([&](double t) { return pullBack(t); });
    auto expectSecond = [&](const char *nesting, double second) {
      EXPECT_NEAR(second, secondDifference, 1e-8 * (1 + std::fabs(secondDifference)))
          << row_.name << ": " << nesting << " against differences";
    };
    expectSecond("vjp of vjp", reverseOverReverse());
    expectSecond("jvp of vjp", forwardOverReverse());
    expectSecond("vjp of jvp", reverseOverForward());
    expectSecond("jvp of jvp", forwardOverForward());
  }

private:
  Tensor direction(size_t input) const {
    return sample(row_.inputs[input].shape(), 1, 0, 11 + static_cast<int>(input));
  }

  static double dot(const Tensor &a, const Tensor &b) {
    std::vector<double> x = a.toVector<double>(), y = b.toVector<double>();
    double total = 0;
    for (size_t i = 0; i < x.size(); ++i)
      total += x[i] * y[i];
    return total;
  }

  /// Inputs moved by t along the directions.
  std::vector<EagerTensor> variables(double t) {
    std::vector<EagerTensor> moved;
    for (size_t i = 0; i < row_.inputs.size(); ++i) {
      std::vector<double> values = row_.inputs[i].toVector<double>(), step = direction(i).toVector<double>();
      for (size_t k = 0; k < values.size(); ++k)
        values[k] += t * step[k];
      moved.push_back(rt_.variable(Tensor::from(row_.inputs[i].shape(), values)));
    }
    return moved;
  }

  EagerTensor apply(const std::vector<EagerTensor> &x) {
    return rt_.session(engine_, [&](EagerSession &s) { return row_.apply(s, x); });
  }

  /// <vjp(x + t d; seed), d>.
  double pullBack(double t) {
    std::vector<EagerTensor> x = variables(t);
    auto gradients = rt_.vjpMany(engine_, apply(x), x, rt_.constant(seed_));
    double total = 0;
    for (size_t i = 0; i < x.size(); ++i)
      if (gradients[i])
        total += dot(gradients[i]->value(), direction(i));
    return total;
  }

  /// The push-forward of y along all directions together; none if y does not move.
  std::optional<EagerTensor> push(const EagerTensor &y, const std::vector<EagerTensor> &x) {
    std::optional<EagerTensor> total;
    if (!y.tracksGrad())
      return total;
    for (size_t i = 0; i < x.size(); ++i)
      if (auto part = rt_.jvpOptional(engine_, y, x[i], rt_.constant(direction(i))))
        total = total ? rt_.session(engine_, [&](EagerSession &s) { return s.add(*total, *part); }) : *part;
    return total;
  }

  /// <vjp(y; cotangent), d> as a tensor that can be differentiated again.
  std::optional<EagerTensor> pull(const EagerTensor &y, const std::vector<EagerTensor> &x, const Tensor &cotangent) {
    std::optional<EagerTensor> total;
    if (!y.tracksGrad())
      return total;
    auto gradients = rt_.vjpMany(engine_, y, x, rt_.constant(cotangent));
    rt_.session(engine_, [&](EagerSession &s) {
      for (size_t i = 0; i < x.size(); ++i)
        if (gradients[i]) {
          EagerTensor part = s.sum(s.mul(*gradients[i], s.constant(direction(i))));
          total = total ? s.add(*total, part) : part;
        }
    });
    return total;
  }

  double reverseOverReverse() {
    std::vector<EagerTensor> x = variables(0);
    auto first = pull(apply(x), x, seed_);
    auto second = first ? pull(*first, x, Tensor::scalar(1.0)) : std::nullopt;
    return second ? second->item<double>() : 0;
  }
  double forwardOverReverse() {
    std::vector<EagerTensor> x = variables(0);
    auto first = pull(apply(x), x, seed_);
    auto second = first ? push(*first, x) : std::nullopt;
    return second ? second->item<double>() : 0;
  }
  double reverseOverForward() {
    std::vector<EagerTensor> x = variables(0);
    auto first = push(apply(x), x);
    auto second = first ? pull(*first, x, seed_) : std::nullopt;
    return second ? second->item<double>() : 0;
  }
  double forwardOverForward() {
    std::vector<EagerTensor> x = variables(0);
    auto first = push(apply(x), x);
    auto second = first ? push(*first, x) : std::nullopt;
    return second ? dot(second->value(), seed_) : 0;
  }

  /// Fourth-order central difference at 0.
  static double difference4(const std::function<double(double)> &f) {
    const double h = 1e-3;
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
  }

  EagerRuntime &rt_;
  ExecutionEngine &engine_;
  const Row &row_;
  Tensor seed_;
};

TEST_P(Gradient, OfEveryOperationMatchesDifferences) {
  for (const Row &row : kRows) {
    SCOPED_TRACE(row.name);
    try {
      Checker(*rt, engine, row).check();
    } catch (const Error &error) {
      ADD_FAILURE() << row.name << ": " << error.what();
    }
  }
}

TEST_P(Gradient, KeepsTheDTypeOfTheInput) {
  EagerTensor x = variable(Tensor::from({2}, {1.f, 2.f})), w = variable(vec({3, 4}));
  EagerTensor loss = sum(x * w);
  EXPECT_EQ(loss.dtype(), DType::F64);
  auto gradients = rt->vjpMany(engine, loss, {x, w});
  EXPECT_EQ(gradients[0]->value().toVector<float>(), (std::vector<float>{3, 4}));
  EXPECT_TRUE(near(*gradients[1], {2}, {1, 2}));
}

TEST_P(Gradient, IntegersAndPredicatesAreInactive) {
  EagerTensor x = variable(vec({1, 2})), n = variable(ints({1, 0}));
  EagerTensor y = sum(s.take(x, n, 0));
  EXPECT_FALSE(rt->gradOptional(engine, y, n).has_value());
  EXPECT_TRUE(near(grad(y, x), {2}, {1, 1}));
  EXPECT_FALSE(s.greater(x, 0.0).tracksGrad());
}

} // namespace
} // namespace tenferro::test
