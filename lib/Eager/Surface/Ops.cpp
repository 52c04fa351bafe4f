// Operators and free functions: the current session's methods, with the line on which the first operand was written.
#include "tenferro/Ops.h"

#include "lib/Eager/Surface/SessionCall.h"
#include "lib/Eager/ThreadState.h"

namespace tenferro {

using eager::sessionFor;

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
EagerTensor call(std::string_view op, EagerTensor (EagerSession::*method)(const EagerTensor &, Parameters...),
                 const Operand &x, Arguments &&...arguments) {
  EagerSession &session = sessionFor(op, x.where());
  if (const EagerTensor *tensor = x.tensor()) [[likely]] // a copy of the handle would count
    return (session.*method)(*tensor, std::forward<Arguments>(arguments)..., x.where());
  return (session.*method)(tensorOf(session, x), std::forward<Arguments>(arguments)..., x.where());
}

} // namespace

// What a session's method of that name does, without copying the operands once more.
static EagerTensor binary(std::string_view op, core::OpKind kind, const Operand &a, const Operand &b) {
  return eager::SessionCall(sessionFor(op, a.where()), op, a.where()).binary(kind, a, b);
}
EagerTensor operator+(Operand a, Operand b) { return binary("add", core::OpKind::Add, a, b); }
EagerTensor operator-(Operand a, Operand b) { return binary("sub", core::OpKind::Sub, a, b); }
EagerTensor operator*(Operand a, Operand b) { return binary("mul", core::OpKind::Mul, a, b); }
EagerTensor operator/(Operand a, Operand b) { return binary("div", core::OpKind::Div, a, b); }
EagerTensor operator-(Operand a) { return call("neg", &EagerSession::neg, a); }

EagerTensor pow(Operand a, Operand b) { return sessionFor("pow", a.where()).pow(a, b, a.where()); }
EagerTensor maximum(Operand a, Operand b) { return sessionFor("maximum", a.where()).maximum(a, b, a.where()); }
EagerTensor minimum(Operand a, Operand b) { return sessionFor("minimum", a.where()).minimum(a, b, a.where()); }
EagerTensor rem(Operand a, Operand b) { return sessionFor("rem", a.where()).rem(a, b, a.where()); }
EagerTensor floorDivide(Operand a, Operand b) {
  return sessionFor("floorDivide", a.where()).floorDivide(a, b, a.where());
}
EagerTensor atan2(Operand y, Operand x) { return sessionFor("atan2", y.where()).atan2(y, x, y.where()); }
EagerTensor hypot(Operand a, Operand b) { return sessionFor("hypot", a.where()).hypot(a, b, a.where()); }
EagerTensor logAddExp(Operand a, Operand b) { return sessionFor("logAddExp", a.where()).logAddExp(a, b, a.where()); }
EagerTensor xlogy(Operand a, Operand b) { return sessionFor("xlogy", a.where()).xlogy(a, b, a.where()); }
EagerTensor clamp(Operand x, Operand lower, Operand upper) {
  return sessionFor("clamp", x.where()).clamp(x, lower, upper, x.where());
}
EagerTensor abs(Operand x) { return call("abs", &EagerSession::abs, x); }
EagerTensor sign(Operand x) { return call("sign", &EagerSession::sign, x); }
EagerTensor exp(Operand x) { return call("exp", &EagerSession::exp, x); }
EagerTensor expm1(Operand x) { return call("expm1", &EagerSession::expm1, x); }
EagerTensor log(Operand x) { return call("log", &EagerSession::log, x); }
EagerTensor log1p(Operand x) { return call("log1p", &EagerSession::log1p, x); }
EagerTensor sqrt(Operand x) { return call("sqrt", &EagerSession::sqrt, x); }
EagerTensor rsqrt(Operand x) { return call("rsqrt", &EagerSession::rsqrt, x); }
EagerTensor tanh(Operand x) { return call("tanh", &EagerSession::tanh, x); }
EagerTensor sigmoid(Operand x) { return call("sigmoid", &EagerSession::sigmoid, x); }
EagerTensor erf(Operand x) { return call("erf", &EagerSession::erf, x); }
EagerTensor erfc(Operand x) { return call("erfc", &EagerSession::erfc, x); }
EagerTensor exp2(Operand x) { return call("exp2", &EagerSession::exp2, x); }
EagerTensor log2(Operand x) { return call("log2", &EagerSession::log2, x); }
EagerTensor log10(Operand x) { return call("log10", &EagerSession::log10, x); }
EagerTensor cbrt(Operand x) { return call("cbrt", &EagerSession::cbrt, x); }
EagerTensor sin(Operand x) { return call("sin", &EagerSession::sin, x); }
EagerTensor cos(Operand x) { return call("cos", &EagerSession::cos, x); }
EagerTensor tan(Operand x) { return call("tan", &EagerSession::tan, x); }
EagerTensor asin(Operand x) { return call("asin", &EagerSession::asin, x); }
EagerTensor acos(Operand x) { return call("acos", &EagerSession::acos, x); }
EagerTensor atan(Operand x) { return call("atan", &EagerSession::atan, x); }
EagerTensor sinh(Operand x) { return call("sinh", &EagerSession::sinh, x); }
EagerTensor cosh(Operand x) { return call("cosh", &EagerSession::cosh, x); }
EagerTensor asinh(Operand x) { return call("asinh", &EagerSession::asinh, x); }
EagerTensor acosh(Operand x) { return call("acosh", &EagerSession::acosh, x); }
EagerTensor atanh(Operand x) { return call("atanh", &EagerSession::atanh, x); }
EagerTensor silu(Operand x) { return call("silu", &EagerSession::silu, x); }
EagerTensor floor(Operand x) { return call("floor", &EagerSession::floor, x); }
EagerTensor ceil(Operand x) { return call("ceil", &EagerSession::ceil, x); }
EagerTensor round(Operand x) { return call("round", &EagerSession::round, x); }
EagerTensor trunc(Operand x) { return call("trunc", &EagerSession::trunc, x); }
EagerTensor isNan(Operand x) { return call("isNan", &EagerSession::isNan, x); }
EagerTensor isInf(Operand x) { return call("isInf", &EagerSession::isInf, x); }
EagerTensor isFinite(Operand x) { return call("isFinite", &EagerSession::isFinite, x); }
EagerTensor relu(Operand x) { return call("relu", &EagerSession::relu, x); }
EagerTensor gelu(Operand x) { return call("gelu", &EagerSession::gelu, x); }
EagerTensor geluTanh(Operand x) { return call("geluTanh", &EagerSession::geluTanh, x); }
EagerTensor softplus(Operand x) { return call("softplus", &EagerSession::softplus, x); }
EagerTensor logSigmoid(Operand x) { return call("logSigmoid", &EagerSession::logSigmoid, x); }

EagerTensor equal(Operand a, Operand b) { return sessionFor("equal", a.where()).equal(a, b, a.where()); }
EagerTensor notEqual(Operand a, Operand b) { return sessionFor("notEqual", a.where()).notEqual(a, b, a.where()); }
EagerTensor less(Operand a, Operand b) { return sessionFor("less", a.where()).less(a, b, a.where()); }
EagerTensor lessEqual(Operand a, Operand b) { return sessionFor("lessEqual", a.where()).lessEqual(a, b, a.where()); }
EagerTensor greater(Operand a, Operand b) { return sessionFor("greater", a.where()).greater(a, b, a.where()); }
EagerTensor greaterEqual(Operand a, Operand b) {
  return sessionFor("greaterEqual", a.where()).greaterEqual(a, b, a.where());
}
EagerTensor operator<(Operand a, Operand b) { return less(a, b); }
EagerTensor operator<=(Operand a, Operand b) { return lessEqual(a, b); }
EagerTensor operator>(Operand a, Operand b) { return greater(a, b); }
EagerTensor operator>=(Operand a, Operand b) { return greaterEqual(a, b); }

EagerTensor where(Operand predicate, Operand a, Operand b) {
  EagerSession &session = sessionFor("where", predicate.where());
  return session.where(tensorOf(session, predicate), a, b, predicate.where());
}

EagerTensor convert(Operand x, DType dtype) { return call("convert", &EagerSession::convert, x, dtype); }
EagerTensor cast(Operand x, DType dtype) { return call("cast", &EagerSession::cast, x, dtype); }

EagerTensor sum(Operand x, const Axes &axes, bool keepDims) {
  return call("sum", &EagerSession::sum, x, axes, keepDims);
}
EagerTensor prod(Operand x, const Axes &axes, bool keepDims) {
  return call("prod", &EagerSession::prod, x, axes, keepDims);
}
EagerTensor sumSquares(Operand x, const Axes &axes, bool keepDims) {
  return call("sumSquares", &EagerSession::sumSquares, x, axes, keepDims);
}
EagerTensor max(Operand x, const Axes &axes, bool keepDims) {
  return call("max", &EagerSession::max, x, axes, keepDims);
}
EagerTensor min(Operand x, const Axes &axes, bool keepDims) {
  return call("min", &EagerSession::min, x, axes, keepDims);
}
EagerTensor any(Operand x, const Axes &axes, bool keepDims) {
  return call("any", &EagerSession::any, x, axes, keepDims);
}
EagerTensor all(Operand x, const Axes &axes, bool keepDims) {
  return call("all", &EagerSession::all, x, axes, keepDims);
}
EagerTensor argmax(Operand x, std::optional<int64_t> axis, bool keepDims) {
  return call("argmax", &EagerSession::argmax, x, axis, keepDims);
}
EagerTensor argmin(Operand x, std::optional<int64_t> axis, bool keepDims) {
  return call("argmin", &EagerSession::argmin, x, axis, keepDims);
}
EagerTensor cumsum(Operand x, int64_t axis, bool reverse) {
  return call("cumsum", &EagerSession::cumsum, x, axis, reverse);
}
EagerTensor mean(Operand x, const Axes &axes, bool keepDims) {
  return call("mean", &EagerSession::mean, x, axes, keepDims);
}
EagerTensor var(Operand x, const Axes &axes, double correction, bool keepDims) {
  return call("var", &EagerSession::var, x, axes, correction, keepDims);
}
EagerTensor stddev(Operand x, const Axes &axes, double correction, bool keepDims) {
  return call("stddev", &EagerSession::stddev, x, axes, correction, keepDims);
}
EagerTensor norm(Operand x, double p, const Axes &axes, bool keepDims) {
  return call("norm", &EagerSession::norm, x, p, axes, keepDims);
}
EagerTensor logsumexp(Operand x, const Axes &axes, bool keepDims) {
  return call("logsumexp", &EagerSession::logsumexp, x, axes, keepDims);
}
EagerTensor softmax(Operand x, int64_t axis) { return call("softmax", &EagerSession::softmax, x, axis); }
EagerTensor logSoftmax(Operand x, int64_t axis) { return call("logSoftmax", &EagerSession::logSoftmax, x, axis); }
EagerTensor layerNorm(Operand x, int64_t axis, const EagerTensor &weight, const EagerTensor &bias, double epsilon) {
  return call("layerNorm", &EagerSession::layerNorm, x, axis, weight, bias, epsilon);
}
EagerTensor rmsNorm(Operand x, int64_t axis, const EagerTensor &weight, double epsilon) {
  return call("rmsNorm", &EagerSession::rmsNorm, x, axis, weight, epsilon);
}
EagerTensor reshape(Operand x, const Shape &shape) { return call("reshape", &EagerSession::reshape, x, shape); }
EagerTensor transpose(Operand x, const IntList &permutation) {
  return call<const IntList &, std::source_location>("transpose", &EagerSession::transpose, x, permutation);
}
EagerTensor transpose(Operand x) { return call<std::source_location>("transpose", &EagerSession::transpose, x); }
EagerTensor broadcastTo(Operand x, const Shape &shape) {
  return call("broadcastTo", &EagerSession::broadcastTo, x, shape);
}

EagerTensor concatenate(const std::vector<EagerTensor> &tensors, int64_t axis, std::source_location where) {
  return sessionFor("concatenate", where).concatenate(tensors, axis, where);
}
EagerTensor stack(const std::vector<EagerTensor> &tensors, int64_t axis, std::source_location where) {
  return sessionFor("stack", where).stack(tensors, axis, where);
}
std::vector<EagerTensor> split(Operand x, const IntList &sizes, int64_t axis) {
  EagerSession &session = sessionFor("split", x.where());
  return session.split(tensorOf(session, x), sizes, axis, x.where());
}
EagerTensor slice(Operand x, const IntList &starts, const IntList &limits, const IntList &strides) {
  return call("slice", &EagerSession::slice, x, starts, limits, strides);
}
EagerTensor pad(Operand x, const IntList &low, const IntList &high, const IntList &interior) {
  return call("pad", &EagerSession::pad, x, low, high, interior);
}
EagerTensor take(Operand x, Operand indices, std::optional<int64_t> axis) {
  EagerSession &session = sessionFor("take", x.where());
  return session.take(tensorOf(session, x), tensorOf(session, indices), axis, x.where());
}
EagerTensor takeAlongAxis(Operand x, Operand indices, int64_t axis) {
  EagerSession &session = sessionFor("takeAlongAxis", x.where());
  return session.takeAlongAxis(tensorOf(session, x), tensorOf(session, indices), axis, x.where());
}
EagerTensor oneHot(Operand indices, int64_t depth, int64_t axis, DType dtype) {
  return call("oneHot", &EagerSession::oneHot, indices, depth, axis, dtype);
}
EagerTensor gather(Operand x, Operand indices, const GatherDimensions &dims, const IntList &sliceSizes,
                   IndexMode mode) {
  EagerSession &session = sessionFor("gather", x.where());
  return session.gather(tensorOf(session, x), tensorOf(session, indices), dims, sliceSizes, mode, x.where());
}
EagerTensor scatter(Operand x, Operand indices, Operand updates, const ScatterDimensions &dims, ScatterUpdate update,
                    IndexMode mode) {
  EagerSession &session = sessionFor("scatter", x.where());
  return session.scatter(tensorOf(session, x), tensorOf(session, indices), tensorOf(session, updates), dims, update,
                         mode, x.where());
}
EagerTensor reverse(Operand x, const Axes &axes) { return call("reverse", &EagerSession::reverse, x, axes); }
EagerTensor squeeze(Operand x, const Axes &axes) { return call("squeeze", &EagerSession::squeeze, x, axes); }
EagerTensor expandDims(Operand x, const IntList &axes) {
  return call("expandDims", &EagerSession::expandDims, x, axes);
}
EagerTensor tril(Operand x, int64_t k) { return call("tril", &EagerSession::tril, x, k); }
EagerTensor triu(Operand x, int64_t k) { return call("triu", &EagerSession::triu, x, k); }
EagerTensor diag(Operand x, int64_t k) { return call("diag", &EagerSession::diag, x, k); }
EagerTensor trace(Operand x, int64_t offset, int64_t axis1, int64_t axis2) {
  return call("trace", &EagerSession::trace, x, offset, axis1, axis2);
}

EagerTensor matmul(Operand lhs, Operand rhs) {
  EagerSession &session = sessionFor("matmul", lhs.where());
  return session.matmul(tensorOf(session, lhs), tensorOf(session, rhs), lhs.where());
}
EagerTensor meanSquaredError(Operand prediction, Operand target, LossReduction reduction) {
  EagerSession &session = sessionFor("meanSquaredError", prediction.where());
  return session.meanSquaredError(tensorOf(session, prediction), tensorOf(session, target), reduction,
                                  prediction.where());
}
EagerTensor huber(Operand prediction, Operand target, double delta, LossReduction reduction) {
  EagerSession &session = sessionFor("huber", prediction.where());
  return session.huber(tensorOf(session, prediction), tensorOf(session, target), delta, reduction, prediction.where());
}
EagerTensor crossEntropy(Operand logits, Operand targets, const CrossEntropyOptions &options) {
  EagerSession &session = sessionFor("crossEntropy", logits.where());
  return session.crossEntropy(tensorOf(session, logits), tensorOf(session, targets), options, logits.where());
}

} // namespace tenferro
