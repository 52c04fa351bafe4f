// Operators and free functions on the current session (an open session or a Scope).
#ifndef TENFERRO_OPS_H
#define TENFERRO_OPS_H

#include "tenferro/EagerSession.h"

namespace tenferro {

TENFERRO_EXPORT EagerTensor operator+(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor operator-(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor operator*(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor operator/(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor operator-(Operand a);

TENFERRO_EXPORT EagerTensor pow(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor maximum(Operand a, Operand b);
TENFERRO_EXPORT EagerTensor minimum(Operand a, Operand b);
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
TENFERRO_EXPORT EagerTensor relu(Operand x);
TENFERRO_EXPORT EagerTensor gelu(Operand x);
TENFERRO_EXPORT EagerTensor where(Operand predicate, Operand a, Operand b);
TENFERRO_EXPORT EagerTensor sum(Operand x, const Axes &axes = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor max(Operand x, const Axes &axes = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor min(Operand x, const Axes &axes = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor mean(Operand x, const Axes &axes = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor logsumexp(Operand x, const Axes &axes = {}, bool keepDims = false);
TENFERRO_EXPORT EagerTensor softmax(Operand x, int64_t axis);
TENFERRO_EXPORT EagerTensor logSoftmax(Operand x, int64_t axis);
TENFERRO_EXPORT EagerTensor reshape(Operand x, const Shape &shape);
TENFERRO_EXPORT EagerTensor transpose(Operand x, const IntList &permutation);
TENFERRO_EXPORT EagerTensor transpose(Operand x);
TENFERRO_EXPORT EagerTensor broadcastTo(Operand x, const Shape &shape);
TENFERRO_EXPORT EagerTensor matmul(Operand lhs, Operand rhs);
TENFERRO_EXPORT EagerTensor meanSquaredError(Operand prediction, Operand target, LossReduction reduction = LossReduction::Mean);
TENFERRO_EXPORT EagerTensor crossEntropy(Operand logits, Operand targets, const CrossEntropyOptions &options = {});

} // namespace tenferro

#endif // TENFERRO_OPS_H
