// The element-wise operations of a session: arithmetic, transcendental, comparison, choice, conversion.
#include "lib/Core/ShapeRules.h"
#include "lib/Eager/Surface/SessionCall.h"

namespace tenferro {

using core::OpKind;
using eager::SessionCall;

#define TENFERRO_BINARY(method, Kind, name)                                                                            \
  EagerTensor EagerSession::method(Operand a, Operand b, Where where) {                                                \
    return SessionCall(*this, name, where).binary(OpKind::Kind, a, b);                                                 \
  }
TENFERRO_BINARY(add, Add, "add")
TENFERRO_BINARY(sub, Sub, "sub")
TENFERRO_BINARY(mul, Mul, "mul")
TENFERRO_BINARY(div, Div, "div")
TENFERRO_BINARY(pow, Pow, "pow")
TENFERRO_BINARY(maximum, Maximum, "maximum")
TENFERRO_BINARY(minimum, Minimum, "minimum")
TENFERRO_BINARY(strongZeroMul, Szmul, "szmul")
TENFERRO_BINARY(rem, Rem, "rem")
TENFERRO_BINARY(floorDivide, FloorDivide, "floor_divide")
TENFERRO_BINARY(atan2, Atan2, "atan2")
TENFERRO_BINARY(hypot, Hypot, "hypot")
TENFERRO_BINARY(logAddExp, Logaddexp, "logaddexp")
TENFERRO_BINARY(xlogy, Xlogy, "xlogy")
#undef TENFERRO_BINARY

#define TENFERRO_UNARY(method, Kind, name)                                                                             \
  EagerTensor EagerSession::method(const EagerTensor &x, Where where) {                                                \
    return SessionCall(*this, name, where).unary(OpKind::Kind, x);                                                     \
  }
TENFERRO_UNARY(neg, Neg, "neg")
TENFERRO_UNARY(abs, Abs, "abs")
TENFERRO_UNARY(sign, Sign, "sign")
TENFERRO_UNARY(exp, Exp, "exp")
TENFERRO_UNARY(expm1, Expm1, "expm1")
TENFERRO_UNARY(log, Log, "log")
TENFERRO_UNARY(log1p, Log1p, "log1p")
TENFERRO_UNARY(sqrt, Sqrt, "sqrt")
TENFERRO_UNARY(rsqrt, Rsqrt, "rsqrt")
TENFERRO_UNARY(tanh, Tanh, "tanh")
TENFERRO_UNARY(sigmoid, Sigmoid, "sigmoid")
TENFERRO_UNARY(erf, Erf, "erf")
TENFERRO_UNARY(erfc, Erfc, "erfc")
TENFERRO_UNARY(exp2, Exp2, "exp2")
TENFERRO_UNARY(log2, Log2, "log2")
TENFERRO_UNARY(log10, Log10, "log10")
TENFERRO_UNARY(cbrt, Cbrt, "cbrt")
TENFERRO_UNARY(sin, Sin, "sin")
TENFERRO_UNARY(cos, Cos, "cos")
TENFERRO_UNARY(tan, Tan, "tan")
TENFERRO_UNARY(asin, Asin, "asin")
TENFERRO_UNARY(acos, Acos, "acos")
TENFERRO_UNARY(atan, Atan, "atan")
TENFERRO_UNARY(sinh, Sinh, "sinh")
TENFERRO_UNARY(cosh, Cosh, "cosh")
TENFERRO_UNARY(asinh, Asinh, "asinh")
TENFERRO_UNARY(acosh, Acosh, "acosh")
TENFERRO_UNARY(atanh, Atanh, "atanh")
TENFERRO_UNARY(silu, Silu, "silu")
TENFERRO_UNARY(floor, Floor, "floor")
TENFERRO_UNARY(ceil, Ceil, "ceil")
TENFERRO_UNARY(round, Round, "round")
TENFERRO_UNARY(trunc, Trunc, "trunc")
TENFERRO_UNARY(isNan, IsNan, "is_nan")
TENFERRO_UNARY(isInf, IsInf, "is_inf")
TENFERRO_UNARY(isFinite, IsFinite, "is_finite")
#undef TENFERRO_UNARY

EagerTensor EagerSession::clamp(Operand x, Operand lower, Operand upper, Where where) {
  SessionCall call(*this, "clamp", where);
  // The dtype of all three: of the first two, then with the third; the first's result follows.
  SessionCall::Pair bounded = call.promotePair(x, lower);
  SessionCall::Pair both = call.promotePair(bounded.a, upper);
  DType dtype = both.a.dtype();
  if (dtype == DType::Bool || isComplex(dtype)) // before anything is broadcast, which complex numbers cannot be yet
    call.fail(ErrorKind::DTypeMismatch, "", "expects ordered numbers, but got " + std::string(name(dtype)), {&both.a});
  EagerTensor low = call.promote(bounded.b, dtype);
  Shape shape = call.check(core::broadcastShapes(call.op(), both.a.shape(), low.shape()));
  shape = call.check(core::broadcastShapes(call.op(), shape, both.b.shape()));
  EagerTensor a = call.broadcast(both.a, shape), b = call.broadcast(low, shape), c = call.broadcast(both.b, shape);
  return call.apply(OpKind::Clamp, {&a, &b, &c});
}

EagerTensor EagerSession::compare(Comparison direction, Operand a, Operand b, Where where) {
  SessionCall call(*this, "compare", where);
  if (static_cast<uint8_t>(direction) > static_cast<uint8_t>(Comparison::Ge))
    call.fail(ErrorKind::InvalidArgument, "direction",
              "expects one of eq, ne, lt, le, gt, ge, but got case " + std::to_string(static_cast<int>(direction)));
  return call.binary(OpKind::Compare, a, b, {static_cast<int64_t>(direction)});
}

EagerTensor EagerSession::equal(Operand a, Operand b, Where where) { return compare(Comparison::Eq, a, b, where); }
EagerTensor EagerSession::notEqual(Operand a, Operand b, Where where) { return compare(Comparison::Ne, a, b, where); }
EagerTensor EagerSession::less(Operand a, Operand b, Where where) { return compare(Comparison::Lt, a, b, where); }
EagerTensor EagerSession::lessEqual(Operand a, Operand b, Where where) { return compare(Comparison::Le, a, b, where); }
EagerTensor EagerSession::greater(Operand a, Operand b, Where where) { return compare(Comparison::Gt, a, b, where); }
EagerTensor EagerSession::greaterEqual(Operand a, Operand b, Where where) {
  return compare(Comparison::Ge, a, b, where);
}

static EagerTensor choose(EagerSession &session, std::string_view op, const EagerTensor &predicate, const Operand &a,
                          const Operand &b, const std::source_location &where) {
  SessionCall call(session, op, where, {&predicate});
  SessionCall::Pair pair = call.promotePair(a, b);
  return call.select(predicate, pair.a, pair.b);
}

EagerTensor EagerSession::where(const EagerTensor &predicate, Operand a, Operand b, Where where) {
  return choose(*this, "where", predicate, a, b, where);
}
EagerTensor EagerSession::select(const EagerTensor &predicate, Operand a, Operand b, Where where) {
  return choose(*this, "select", predicate, a, b, where);
}

EagerTensor EagerSession::convert(const EagerTensor &x, DType dtype, Where where) {
  return SessionCall(*this, "convert", where).apply(OpKind::Convert, {&x}, {static_cast<int64_t>(dtype)});
}
EagerTensor EagerSession::cast(const EagerTensor &x, DType dtype, Where where) {
  return SessionCall(*this, "cast", where).apply(OpKind::Cast, {&x}, {static_cast<int64_t>(dtype)});
}

} // namespace tenferro
