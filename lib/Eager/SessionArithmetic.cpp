// The element-wise operations of a session: arithmetic, transcendental, comparison, choice, conversion.
#include "lib/Eager/SessionCall.h"

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
#undef TENFERRO_BINARY

#define TENFERRO_UNARY(method, Kind)                                                                                   \
  EagerTensor EagerSession::method(const EagerTensor &x, Where where) {                                                \
    return SessionCall(*this, #method, where).unary(OpKind::Kind, x);                                                  \
  }
TENFERRO_UNARY(neg, Neg)
TENFERRO_UNARY(abs, Abs)
TENFERRO_UNARY(sign, Sign)
TENFERRO_UNARY(exp, Exp)
TENFERRO_UNARY(expm1, Expm1)
TENFERRO_UNARY(log, Log)
TENFERRO_UNARY(log1p, Log1p)
TENFERRO_UNARY(sqrt, Sqrt)
TENFERRO_UNARY(rsqrt, Rsqrt)
TENFERRO_UNARY(tanh, Tanh)
TENFERRO_UNARY(sigmoid, Sigmoid)
TENFERRO_UNARY(erf, Erf)
#undef TENFERRO_UNARY

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
