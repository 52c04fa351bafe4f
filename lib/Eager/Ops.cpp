// Operators and free functions: the current session's methods, with the line on which the first operand was written.
#include "tenferro/Ops.h"

#include "lib/Eager/Recorder.h"

namespace tenferro {

namespace {

/// The tensor an operand stands for. A number alone becomes a constant: a real one f64, an integer i64.
EagerTensor tensorOf(EagerSession &session, const Operand &operand) {
  switch (operand.kind()) {
  case Operand::Kind::Tensor:
    return *operand.tensor();
  case Operand::Kind::Bool:
    return eager::constantLeaf(session.runtime(), Tensor::scalar(operand.integer() != 0), operand.where());
  case Operand::Kind::Integer:
    return eager::constantLeaf(session.runtime(), Tensor::scalar(operand.integer()), operand.where());
  case Operand::Kind::Real:
    break;
  }
  return eager::constantLeaf(session.runtime(), Tensor::scalar(operand.real()), operand.where());
}

template <typename... Parameters, typename... Arguments>
EagerTensor call(EagerTensor (EagerSession::*method)(const EagerTensor &, Parameters...), const Operand &x,
                 Arguments &&...arguments) {
  EagerSession &session = currentSession();
  return (session.*method)(tensorOf(session, x), std::forward<Arguments>(arguments)..., x.where());
}

} // namespace

EagerTensor operator+(Operand a, Operand b) { return currentSession().add(a, b, a.where()); }
EagerTensor operator-(Operand a, Operand b) { return currentSession().sub(a, b, a.where()); }
EagerTensor operator*(Operand a, Operand b) { return currentSession().mul(a, b, a.where()); }
EagerTensor operator/(Operand a, Operand b) { return currentSession().div(a, b, a.where()); }
EagerTensor operator-(Operand a) { return call(&EagerSession::neg, a); }

EagerTensor pow(Operand a, Operand b) { return currentSession().pow(a, b, a.where()); }
EagerTensor maximum(Operand a, Operand b) { return currentSession().maximum(a, b, a.where()); }
EagerTensor minimum(Operand a, Operand b) { return currentSession().minimum(a, b, a.where()); }
EagerTensor rem(Operand a, Operand b) { return currentSession().rem(a, b, a.where()); }
EagerTensor floorDivide(Operand a, Operand b) { return currentSession().floorDivide(a, b, a.where()); }
EagerTensor atan2(Operand y, Operand x) { return currentSession().atan2(y, x, y.where()); }
EagerTensor hypot(Operand a, Operand b) { return currentSession().hypot(a, b, a.where()); }
EagerTensor logAddExp(Operand a, Operand b) { return currentSession().logAddExp(a, b, a.where()); }
EagerTensor xlogy(Operand a, Operand b) { return currentSession().xlogy(a, b, a.where()); }
EagerTensor clamp(Operand x, Operand lower, Operand upper) {
  return currentSession().clamp(x, lower, upper, x.where());
}
EagerTensor abs(Operand x) { return call(&EagerSession::abs, x); }
EagerTensor sign(Operand x) { return call(&EagerSession::sign, x); }
EagerTensor exp(Operand x) { return call(&EagerSession::exp, x); }
EagerTensor expm1(Operand x) { return call(&EagerSession::expm1, x); }
EagerTensor log(Operand x) { return call(&EagerSession::log, x); }
EagerTensor log1p(Operand x) { return call(&EagerSession::log1p, x); }
EagerTensor sqrt(Operand x) { return call(&EagerSession::sqrt, x); }
EagerTensor rsqrt(Operand x) { return call(&EagerSession::rsqrt, x); }
EagerTensor tanh(Operand x) { return call(&EagerSession::tanh, x); }
EagerTensor sigmoid(Operand x) { return call(&EagerSession::sigmoid, x); }
EagerTensor erf(Operand x) { return call(&EagerSession::erf, x); }
EagerTensor erfc(Operand x) { return call(&EagerSession::erfc, x); }
EagerTensor exp2(Operand x) { return call(&EagerSession::exp2, x); }
EagerTensor log2(Operand x) { return call(&EagerSession::log2, x); }
EagerTensor log10(Operand x) { return call(&EagerSession::log10, x); }
EagerTensor cbrt(Operand x) { return call(&EagerSession::cbrt, x); }
EagerTensor sin(Operand x) { return call(&EagerSession::sin, x); }
EagerTensor cos(Operand x) { return call(&EagerSession::cos, x); }
EagerTensor tan(Operand x) { return call(&EagerSession::tan, x); }
EagerTensor asin(Operand x) { return call(&EagerSession::asin, x); }
EagerTensor acos(Operand x) { return call(&EagerSession::acos, x); }
EagerTensor atan(Operand x) { return call(&EagerSession::atan, x); }
EagerTensor sinh(Operand x) { return call(&EagerSession::sinh, x); }
EagerTensor cosh(Operand x) { return call(&EagerSession::cosh, x); }
EagerTensor asinh(Operand x) { return call(&EagerSession::asinh, x); }
EagerTensor acosh(Operand x) { return call(&EagerSession::acosh, x); }
EagerTensor atanh(Operand x) { return call(&EagerSession::atanh, x); }
EagerTensor silu(Operand x) { return call(&EagerSession::silu, x); }
EagerTensor floor(Operand x) { return call(&EagerSession::floor, x); }
EagerTensor ceil(Operand x) { return call(&EagerSession::ceil, x); }
EagerTensor round(Operand x) { return call(&EagerSession::round, x); }
EagerTensor trunc(Operand x) { return call(&EagerSession::trunc, x); }
EagerTensor isNan(Operand x) { return call(&EagerSession::isNan, x); }
EagerTensor isInf(Operand x) { return call(&EagerSession::isInf, x); }
EagerTensor isFinite(Operand x) { return call(&EagerSession::isFinite, x); }
EagerTensor relu(Operand x) { return call(&EagerSession::relu, x); }
EagerTensor gelu(Operand x) { return call(&EagerSession::gelu, x); }
EagerTensor geluTanh(Operand x) { return call(&EagerSession::geluTanh, x); }
EagerTensor softplus(Operand x) { return call(&EagerSession::softplus, x); }
EagerTensor logSigmoid(Operand x) { return call(&EagerSession::logSigmoid, x); }

EagerTensor where(Operand predicate, Operand a, Operand b) {
  EagerSession &session = currentSession();
  return session.where(tensorOf(session, predicate), a, b, predicate.where());
}

EagerTensor sum(Operand x, const Axes &axes, bool keepDims) { return call(&EagerSession::sum, x, axes, keepDims); }
EagerTensor prod(Operand x, const Axes &axes, bool keepDims) { return call(&EagerSession::prod, x, axes, keepDims); }
EagerTensor sumSquares(Operand x, const Axes &axes, bool keepDims) {
  return call(&EagerSession::sumSquares, x, axes, keepDims);
}
EagerTensor max(Operand x, const Axes &axes, bool keepDims) { return call(&EagerSession::max, x, axes, keepDims); }
EagerTensor min(Operand x, const Axes &axes, bool keepDims) { return call(&EagerSession::min, x, axes, keepDims); }
EagerTensor any(Operand x, const Axes &axes, bool keepDims) { return call(&EagerSession::any, x, axes, keepDims); }
EagerTensor all(Operand x, const Axes &axes, bool keepDims) { return call(&EagerSession::all, x, axes, keepDims); }
EagerTensor argmax(Operand x, std::optional<int64_t> axis, bool keepDims) {
  return call(&EagerSession::argmax, x, axis, keepDims);
}
EagerTensor argmin(Operand x, std::optional<int64_t> axis, bool keepDims) {
  return call(&EagerSession::argmin, x, axis, keepDims);
}
EagerTensor cumsum(Operand x, int64_t axis, bool reverse) { return call(&EagerSession::cumsum, x, axis, reverse); }
EagerTensor mean(Operand x, const Axes &axes, bool keepDims) { return call(&EagerSession::mean, x, axes, keepDims); }
EagerTensor var(Operand x, const Axes &axes, double correction, bool keepDims) {
  return call(&EagerSession::var, x, axes, correction, keepDims);
}
EagerTensor stddev(Operand x, const Axes &axes, double correction, bool keepDims) {
  return call(&EagerSession::stddev, x, axes, correction, keepDims);
}
EagerTensor norm(Operand x, double p, const Axes &axes, bool keepDims) {
  return call(&EagerSession::norm, x, p, axes, keepDims);
}
EagerTensor logsumexp(Operand x, const Axes &axes, bool keepDims) {
  return call(&EagerSession::logsumexp, x, axes, keepDims);
}
EagerTensor softmax(Operand x, int64_t axis) { return call(&EagerSession::softmax, x, axis); }
EagerTensor logSoftmax(Operand x, int64_t axis) { return call(&EagerSession::logSoftmax, x, axis); }
EagerTensor layerNorm(Operand x, int64_t axis, const EagerTensor &weight, const EagerTensor &bias, double epsilon) {
  return call(&EagerSession::layerNorm, x, axis, weight, bias, epsilon);
}
EagerTensor rmsNorm(Operand x, int64_t axis, const EagerTensor &weight, double epsilon) {
  return call(&EagerSession::rmsNorm, x, axis, weight, epsilon);
}
EagerTensor reshape(Operand x, const Shape &shape) { return call(&EagerSession::reshape, x, shape); }
EagerTensor transpose(Operand x, const IntList &permutation) {
  return call<const IntList &, std::source_location>(&EagerSession::transpose, x, permutation);
}
EagerTensor transpose(Operand x) { return call<std::source_location>(&EagerSession::transpose, x); }
EagerTensor broadcastTo(Operand x, const Shape &shape) { return call(&EagerSession::broadcastTo, x, shape); }

EagerTensor concatenate(const std::vector<EagerTensor> &tensors, int64_t axis, std::source_location where) {
  return currentSession().concatenate(tensors, axis, where);
}
EagerTensor stack(const std::vector<EagerTensor> &tensors, int64_t axis, std::source_location where) {
  return currentSession().stack(tensors, axis, where);
}
EagerTensor reverse(Operand x, const Axes &axes) { return call(&EagerSession::reverse, x, axes); }
EagerTensor squeeze(Operand x, const Axes &axes) { return call(&EagerSession::squeeze, x, axes); }
EagerTensor expandDims(Operand x, const IntList &axes) { return call(&EagerSession::expandDims, x, axes); }
EagerTensor tril(Operand x, int64_t k) { return call(&EagerSession::tril, x, k); }
EagerTensor triu(Operand x, int64_t k) { return call(&EagerSession::triu, x, k); }
EagerTensor diag(Operand x, int64_t k) { return call(&EagerSession::diag, x, k); }
EagerTensor trace(Operand x, int64_t offset, int64_t axis1, int64_t axis2) {
  return call(&EagerSession::trace, x, offset, axis1, axis2);
}

EagerTensor matmul(Operand lhs, Operand rhs) {
  EagerSession &session = currentSession();
  return session.matmul(tensorOf(session, lhs), tensorOf(session, rhs), lhs.where());
}
EagerTensor meanSquaredError(Operand prediction, Operand target, LossReduction reduction) {
  EagerSession &session = currentSession();
  return session.meanSquaredError(tensorOf(session, prediction), tensorOf(session, target), reduction,
                                  prediction.where());
}
EagerTensor huber(Operand prediction, Operand target, double delta, LossReduction reduction) {
  EagerSession &session = currentSession();
  return session.huber(tensorOf(session, prediction), tensorOf(session, target), delta, reduction, prediction.where());
}
EagerTensor crossEntropy(Operand logits, Operand targets, const CrossEntropyOptions &options) {
  EagerSession &session = currentSession();
  return session.crossEntropy(tensorOf(session, logits), tensorOf(session, targets), options, logits.where());
}

} // namespace tenferro
