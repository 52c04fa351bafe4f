// Derivatives of element-wise functions. The README beside has the table of slopes and why each is written as it is.
#include "dialects/tenferro/RuleBuilder.h"
#include "dialects/tenferro/Transcendental.h"

using namespace mlir;

namespace tenferro::ir {

static constexpr double kTwoOverSqrtPi = 1.1283791670955125739;

SmallVector<Value> ExpOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  return {RuleBuilder(builder, getLoc()).szmul(getResult(), dx[0])};
}

SmallVector<Value> Expm1Op::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  return {r.szmul(r.named("slope").exp(getOperand()), dx[0])};
}

SmallVector<Value> LogOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  return {r.szmul(r.named("slope").div(r.splat(getType(), 1), getOperand()), dx[0])};
}

SmallVector<Value> Log1pOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  Value one = r.splat(getType(), 1);
  return {r.szmul(r.named("slope").div(one, r.add(one, getOperand())), dx[0])};
}

SmallVector<Value> SqrtOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  return {r.szmul(r.named("slope").div(r.splat(getType(), 0.5), getResult()), dx[0])};
}

SmallVector<Value> RsqrtOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  Value slope = r.named("slope").div(r.mul(r.splat(getType(), -0.5), getResult()), getOperand());
  return {r.szmul(slope, dx[0])};
}

SmallVector<Value> TanhOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  Value one = r.splat(getType(), 1), x = getOperand(), y = getResult();
  Value magnitude = r.abs(x);
  // Near zero 1 - y^2, whose own derivative -2 y y' is right at the smallest x. In the tails y rounds to 1 and nothing
  // is left of that, so 4 e / (1 + e)^2 with e = exp(-2 |x|). All of it is finite: the branch not taken adds exact
  // zeros.
  Value centre = r.sub(one, r.mul(y, y));
  Value e = r.exp(r.mul(r.splat(getType(), -2), magnitude));
  Value below = r.add(one, e);
  Value tail = r.div(r.mul(r.splat(getType(), 4), e), r.mul(below, below));
  Value slope = r.named("slope").select(r.less(magnitude, one), centre, tail);
  return {r.mul(slope, dx[0])};
}

SmallVector<Value> SigmoidOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  Value slope = r.named("slope").mul(getResult(), r.sigmoid(r.neg(getOperand())));
  return {r.mul(slope, dx[0])};
}

SmallVector<Value> ErfOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  // From 28 on the slope is 0 (exp(-784) is, in f64 too). There x is 28: its square would be infinite at infinity, and
  // derivatives of the slope would multiply that infinity by the 0.
  Value x = getOperand(), far = r.splat(getType(), 28);
  Value bounded = r.select(r.less(far, r.abs(x)), far, x);
  Value gauss = r.exp(r.neg(r.mul(bounded, bounded)));
  return {r.mul(r.named("slope").mul(r.splat(getType(), kTwoOverSqrtPi), gauss), dx[0])};
}

} // namespace tenferro::ir
