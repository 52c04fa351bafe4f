// Operators and free functions on the current session (an open session or a Scope).
#ifndef TENFERRO_OPS_H
#define TENFERRO_OPS_H

#include "tenferro/EagerSession.h"

namespace tenferro {
/// Each is the method of EagerSession of its name, with its errors; RuntimeState where there is no current session.
TENFERRO_EXPORT EagerTensor operator+(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor operator-(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor operator*(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor operator/(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor operator-(Operand a);

TENFERRO_EXPORT EagerTensor pow(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor maximum(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor minimum(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor rem(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor floorDivide(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor atan2(Operand y, Operand x);
TENFERRO_EXPORT EagerTensor hypot(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor logAddExp(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor xlogy(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor clamp(Operand x, Operand lower, Operand upper);
TENFERRO_EXPORT EagerTensor abs(Operand x);
TENFERRO_EXPORT EagerTensor sign(Operand x);
TENFERRO_EXPORT EagerTensor exp(Operand x);
TENFERRO_EXPORT EagerTensor expm1(Operand x);
TENFERRO_EXPORT EagerTensor log(Operand x);
TENFERRO_EXPORT EagerTensor log1p(Operand x);
TENFERRO_EXPORT EagerTensor sqrt(Operand x);
TENFERRO_EXPORT EagerTensor rsqrt(Operand x);
TENFERRO_EXPORT EagerTensor tanh(Operand x);
TENFERRO_EXPORT EagerTensor sigmoid(Operand x);
TENFERRO_EXPORT EagerTensor erf(Operand x);
TENFERRO_EXPORT EagerTensor erfc(Operand x);
TENFERRO_EXPORT EagerTensor exp2(Operand x);
TENFERRO_EXPORT EagerTensor log2(Operand x);
TENFERRO_EXPORT EagerTensor log10(Operand x);
TENFERRO_EXPORT EagerTensor cbrt(Operand x);
TENFERRO_EXPORT EagerTensor sin(Operand x);
TENFERRO_EXPORT EagerTensor cos(Operand x);
TENFERRO_EXPORT EagerTensor tan(Operand x);
TENFERRO_EXPORT EagerTensor asin(Operand x);
TENFERRO_EXPORT EagerTensor acos(Operand x);
TENFERRO_EXPORT EagerTensor atan(Operand x);
TENFERRO_EXPORT EagerTensor sinh(Operand x);
TENFERRO_EXPORT EagerTensor cosh(Operand x);
TENFERRO_EXPORT EagerTensor asinh(Operand x);
TENFERRO_EXPORT EagerTensor acosh(Operand x);
TENFERRO_EXPORT EagerTensor atanh(Operand x);
TENFERRO_EXPORT EagerTensor silu(Operand x);
TENFERRO_EXPORT EagerTensor floor(Operand x);
TENFERRO_EXPORT EagerTensor ceil(Operand x);
TENFERRO_EXPORT EagerTensor round(Operand x);
TENFERRO_EXPORT EagerTensor trunc(Operand x);
TENFERRO_EXPORT EagerTensor isNan(Operand x);
TENFERRO_EXPORT EagerTensor isInf(Operand x);
TENFERRO_EXPORT EagerTensor isFinite(Operand x);
TENFERRO_EXPORT EagerTensor relu(Operand x);
TENFERRO_EXPORT EagerTensor gelu(Operand x);
TENFERRO_EXPORT EagerTensor geluTanh(Operand x);
TENFERRO_EXPORT EagerTensor softplus(Operand x);
TENFERRO_EXPORT EagerTensor logSigmoid(Operand x);
/// Comparisons give bool, by element. There is no operator==: handles are compared by `id`.
TENFERRO_EXPORT EagerTensor equal(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor notEqual(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor less(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor lessEqual(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor greater(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor greaterEqual(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor operator<(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor operator<=(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor operator>(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor operator>=(Operand a, Operand b);

TENFERRO_EXPORT EagerTensor convert(Operand x, DType dtype);
TENFERRO_EXPORT EagerTensor cast(Operand x, DType dtype);
TENFERRO_EXPORT EagerTensor where(Operand predicate, Operand a, Operand b);
TENFERRO_EXPORT EagerTensor sum(Operand x, const Axes &axes = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor prod(Operand x, const Axes &axes = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor sumSquares(Operand x, const Axes &axes = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor max(Operand x, const Axes &axes = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor min(Operand x, const Axes &axes = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor any(Operand x, const Axes &axes = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor all(Operand x, const Axes &axes = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor argmax(Operand x, std::optional<int64_t> axis = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor argmin(Operand x, std::optional<int64_t> axis = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor cumsum(Operand x, int64_t axis, bool reverse = false);
TENFERRO_EXPORT EagerTensor mean(Operand x, const Axes &axes = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor var(Operand x, const Axes &axes = {}, double correction = 0, bool keepDims = false);
TENFERRO_EXPORT EagerTensor stddev(Operand x, const Axes &axes = {}, double correction = 0, bool keepDims = false);
TENFERRO_EXPORT EagerTensor norm(Operand x, double p = 2, const Axes &axes = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor logsumexp(Operand x, const Axes &axes = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor softmax(Operand x, int64_t axis);
TENFERRO_EXPORT EagerTensor logSoftmax(Operand x, int64_t axis);
TENFERRO_EXPORT EagerTensor layerNorm(Operand x, int64_t axis, const EagerTensor &weight = {}, const EagerTensor &bias = {}, double epsilon = 1e-5);
TENFERRO_EXPORT EagerTensor rmsNorm(Operand x, int64_t axis, const EagerTensor &weight = {}, double epsilon = 1e-5);
TENFERRO_EXPORT EagerTensor reshape(Operand x, const Shape &shape);
TENFERRO_EXPORT EagerTensor transpose(Operand x, const IntList &permutation);
TENFERRO_EXPORT EagerTensor transpose(Operand x);
TENFERRO_EXPORT EagerTensor broadcastTo(Operand x, const Shape &shape);
TENFERRO_EXPORT EagerTensor concatenate(const std::vector<EagerTensor> &tensors, int64_t axis,
                                        std::source_location where = std::source_location::current());
TENFERRO_EXPORT EagerTensor stack(const std::vector<EagerTensor> &tensors, int64_t axis = 0,
                                  std::source_location where = std::source_location::current());
TENFERRO_EXPORT std::vector<EagerTensor> split(Operand x, const IntList &sizes, int64_t axis);
TENFERRO_EXPORT EagerTensor slice(Operand x, const IntList &starts, const IntList &limits, const IntList &strides);
TENFERRO_EXPORT EagerTensor pad(Operand x, const IntList &low, const IntList &high, const IntList &interior);
TENFERRO_EXPORT EagerTensor take(Operand x, Operand indices, std::optional<int64_t> axis = {});
TENFERRO_EXPORT EagerTensor takeAlongAxis(Operand x, Operand indices, int64_t axis);
TENFERRO_EXPORT EagerTensor oneHot(Operand indices, int64_t depth, int64_t axis = -1, DType dtype = DType::F64);
TENFERRO_EXPORT EagerTensor gather(Operand x, Operand indices, const GatherDimensions &dims, const IntList &sliceSizes,
                                   IndexMode mode = IndexMode::Error);
TENFERRO_EXPORT EagerTensor scatter(Operand x, Operand indices, Operand updates, const ScatterDimensions &dims,
                                    ScatterUpdate update = ScatterUpdate::Add, IndexMode mode = IndexMode::Error);
TENFERRO_EXPORT EagerTensor reverse(Operand x, const Axes &axes = {});
TENFERRO_EXPORT EagerTensor squeeze(Operand x, const Axes &axes = {});
TENFERRO_EXPORT EagerTensor expandDims(Operand x, const IntList &axes);
TENFERRO_EXPORT EagerTensor tril(Operand x, int64_t k = 0);
TENFERRO_EXPORT EagerTensor triu(Operand x, int64_t k = 0);
TENFERRO_EXPORT EagerTensor diag(Operand x, int64_t k = 0);
TENFERRO_EXPORT EagerTensor trace(Operand x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
TENFERRO_EXPORT EagerTensor matmul(Operand lhs, Operand rhs);
TENFERRO_EXPORT EagerTensor meanSquaredError(Operand prediction, Operand target, LossReduction reduction = LossReduction::Mean);
TENFERRO_EXPORT EagerTensor huber(Operand prediction, Operand target, double delta = 1, LossReduction reduction = LossReduction::Mean);
TENFERRO_EXPORT EagerTensor crossEntropy(Operand logits, Operand targets, const CrossEntropyOptions &options = {});

} // namespace tenferro

#endif // TENFERRO_OPS_H
