// Derivatives of element-wise arithmetic.
#include "dialects/tenferro/Arithmetic.h"
#include "dialects/tenferro/RuleBuilder.h"

#include <cmath>

using namespace mlir;

namespace tenferro::ir {

//===-- add, sub, neg
//-----------------------------------------------------------------------------------------------===//

SmallVector<bool> AddOp::linearOperands() { return {true, true}; }
SmallVector<Value> AddOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {RuleBuilder(builder, getLoc()).addPresent(dx[0], dx[1])};
}
SmallVector<Value> AddOp::buildCotangents(OpBuilder &, ArrayRef<Value> ct, ArrayRef<bool> wanted) {
  return {wanted[0] ? ct[0] : Value(), wanted[1] ? ct[0] : Value()};
}

SmallVector<bool> SubOp::linearOperands() { return {true, true}; }
SmallVector<Value> SubOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  if (!dx[1])
    return {dx[0]};
  return {dx[0] ? r.sub(dx[0], dx[1]) : r.neg(dx[1])};
}
SmallVector<Value> SubOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool> wanted) {
  RuleBuilder r(builder, getLoc());
  return {wanted[0] ? ct[0] : Value(), wanted[1] ? r.neg(ct[0]) : Value()};
}

SmallVector<bool> NegOp::linearOperands() { return {true}; }
SmallVector<Value> NegOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {RuleBuilder(builder, getLoc()).neg(dx[0])};
}
SmallVector<Value> NegOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool>) {
  return {RuleBuilder(builder, getLoc()).neg(ct[0])};
}

//===-- mul, szmul
//--------------------------------------------------------------------------------------------------===//

SmallVector<bool> MulOp::linearOperands() { return {true, true}; }
bool MulOp::isBilinear() { return true; }
SmallVector<Value> MulOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  Value first = dx[0] ? r.mul(dx[0], getRhs()) : Value();
  return {r.addPresent(first, dx[1] ? r.mul(getLhs(), dx[1]) : Value())};
}
SmallVector<Value> MulOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool> wanted) {
  RuleBuilder r(builder, getLoc());
  return {wanted[0] ? r.mul(ct[0], getRhs()) : Value(), wanted[1] ? r.mul(getLhs(), ct[0]) : Value()};
}

SmallVector<bool> SzmulOp::linearOperands() { return {true, true}; }
bool SzmulOp::isBilinear() { return true; }
SmallVector<Value> SzmulOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  Value first = dx[0] ? r.szmul(dx[0], getRhs()) : Value();
  return {r.addPresent(first, dx[1] ? r.szmul(getLhs(), dx[1]) : Value())};
}
SmallVector<Value> SzmulOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool> wanted) {
  RuleBuilder r(builder, getLoc());
  // The zero test looks at the tangent's side in both: szmul(ct, t) for the slope, szmul(s, ct) for the tangent.
  return {wanted[0] ? r.szmul(ct[0], getRhs()) : Value(), wanted[1] ? r.szmul(getLhs(), ct[0]) : Value()};
}

//===-- div
//---------------------------------------------------------------------------------------------------------===//

/// x / b for a tangent or cotangent x. A divisor that is no constant may be zero, where a zero x must stay zero.
static Value divideLinear(const RuleBuilder &r, Value x, Value b) {
  double constant = 0;
  if (isSplatFloat(b, constant) && constant != 0 && std::isfinite(constant))
    return r.div(x, b);
  RuleBuilder s = r.named("slope");
  return r.szmul(s.div(r.splat(b.getType(), 1), b), x);
}

SmallVector<bool> DivOp::linearOperands() { return {true, false}; }
SmallVector<bool> DivOp::nonlinearOperands() { return {false, true}; }
SmallVector<Value> DivOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {divideLinear(RuleBuilder(builder, getLoc()), dx[0], getRhs())};
}
SmallVector<Value> DivOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool> wanted) {
  return {wanted[0] ? divideLinear(RuleBuilder(builder, getLoc()), ct[0], getRhs()) : Value(), Value()};
}
SmallVector<Value> DivOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  if (!dx[1])
    return {Value()};
  Value slope = r.named("slope").neg(r.div(getResult(), getRhs()));
  return {r.szmul(slope, dx[1])};
}

//===-- abs, pow
//----------------------------------------------------------------------------------------------------===//

SmallVector<Value> AbsOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  return {r.mul(r.named("slope").sign(getOperand()), dx[0])};
}

SmallVector<Value> PowOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc()), s = r.named("slope");
  Value x = getLhs(), y = getRhs(), base, exponent;
  if (dx[0]) {
    // y * x^(y-1). Zero where y is zero, also at x = 0; written with szmul, not select, so that its own derivative in y
    // there is x^-1.
    Value slope = s.szmul(r.pow(x, r.sub(y, r.splat(y.getType(), 1))), y);
    base = r.szmul(slope, dx[0]);
  }
  if (dx[1]) {
    // x^y * log(x), with the limit 0 at x = 0 where y >= 0 (at 0^0 by policy). There log sees 1 instead of 0, so that
    // the slope's own derivatives meet no infinity either.
    Value zero = r.splat(x.getType(), 0);
    Value isCorner = r.mul(r.equal(x, zero), r.lessEqual(zero, y));
    Value logarithm = r.log(r.select(isCorner, r.splat(x.getType(), 1), x));
    exponent = r.szmul(s.szmul(logarithm, getResult()), dx[1]);
  }
  return {r.addPresent(base, exponent)};
}

//===-- rem, clamp
//--------------------------------------------------------------------------------------------------===//

SmallVector<Value> RemOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc()), s = r.named("slope");
  if (!dx[1])
    return {dx[0]};
  // trunc(a / b) from the exact remainder: a / b itself may round up to the next integer.
  Value quotient = r.round(r.div(r.sub(getLhs(), getResult()), getRhs()));
  return {r.addPresent(dx[0], r.szmul(s.neg(quotient), dx[1]))};
}

SmallVector<Value> ClampOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  Value x = getOperand(), lower = getLower(), upper = getUpper(), zero = r.splat(getType(), 0), sum;
  // Where nothing is between the bounds, `lower` has no share.
  auto add = [&](Value tangent, Value isMine) { sum = r.addPresent(sum, r.select(isMine, tangent, zero)); };
  if (dx[0])
    add(dx[0], r.named("active").mul(r.less(lower, x), r.less(x, upper)));
  if (dx[1])
    add(dx[1], r.named("active").mul(r.less(x, lower), r.less(lower, upper)));
  if (dx[2]) // beside a NaN below, too, the result is NaN
    add(dx[2], r.named("active").mul(r.less(upper, x), r.equal(lower, lower)));
  return {sum};
}

//===-- maximum, minimum
//--------------------------------------------------------------------------------------------===//

/// The share of the operand: 1 where it alone equals the result, 1/2 where the other does too, else 0. Shares multiply
/// on the tangent side of szmul, so that a losing lane stays zero whatever its tangent.
static Value share(const RuleBuilder &r, Value isMine, Value isOther, Type type) {
  Value tied = r.select(isOther, r.splat(type, 0.5), r.splat(type, 1));
  return r.named("share").select(isMine, tied, r.splat(type, 0));
}

static Value extremumTangent(const RuleBuilder &r, Value a, Value b, Value result, ArrayRef<Value> dx) {
  Value isA = r.equal(a, result), isB = r.equal(b, result);
  Value first = dx[0] ? r.szmul(dx[0], share(r, isA, isB, a.getType())) : Value();
  Value second = dx[1] ? r.szmul(dx[1], share(r, isB, isA, a.getType())) : Value();
  return r.addPresent(first, second);
}

SmallVector<Value> MaximumOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  return {extremumTangent({builder, getLoc()}, getLhs(), getRhs(), getResult(), dx)};
}
SmallVector<Value> MinimumOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  return {extremumTangent({builder, getLoc()}, getLhs(), getRhs(), getResult(), dx)};
}

} // namespace tenferro::ir
