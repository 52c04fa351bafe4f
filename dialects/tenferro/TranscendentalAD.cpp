// Derivatives of element-wise functions. The README beside has the table of slopes and why each is written as it is.
#include "dialects/tenferro/RuleBuilder.h"
#include "dialects/tenferro/Transcendental.h"

#include <limits>
#include <numbers>

using namespace mlir;

namespace tenferro::ir {

static constexpr double kTwoOverSqrtPi = 1.1283791670955125739;
static constexpr double kLn2 = std::numbers::ln2, kLog10OfE = std::numbers::log10e;
static constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

/// factor exp(-x^2). From 28 on it is 0 (exp(-784) is, in f64 too). There x is 28: its square would be infinite at
/// infinity, and derivatives of the slope would multiply that infinity by the 0.
static Value gaussSlope(const RuleBuilder &r, Value x, double factor) {
  Value far = r.splat(x.getType(), 28);
  Value bounded = r.select(r.less(far, r.abs(x)), far, x);
  Value gauss = r.exp(r.neg(r.mul(bounded, bounded)));
  return r.named("slope").mul(r.splat(x.getType(), factor), gauss);
}

SmallVector<Value> ErfOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  return {r.mul(gaussSlope(r, getOperand(), kTwoOverSqrtPi), dx[0])};
}

SmallVector<Value> ErfcOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  return {r.mul(gaussSlope(r, getOperand(), -kTwoOverSqrtPi), dx[0])};
}

SmallVector<Value> SiluOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  // Left of zero both terms are accurate and the result is not 1 - something. From 800 on sigmoid(-x) is 0 (in f64 too);
  // there y is 800: derivatives of the slope would multiply an infinite y, or its infinite product with a cotangent, by
  // that 0.
  Value x = getOperand(), bounded = r.minimum(getResult(), r.splat(getType(), 800));
  Value slope = r.named("slope").add(r.sigmoid(x), r.mul(bounded, r.sigmoid(r.neg(x))));
  return {r.mul(slope, dx[0])};
}

//===-- circular functions
//------------------------------------------------------------------------------------------===//

SmallVector<Value> SinOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  return {r.mul(r.named("slope").cos(getOperand()), dx[0])};
}

SmallVector<Value> CosOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  return {r.mul(r.named("slope").neg(r.sin(getOperand())), dx[0])};
}

SmallVector<Value> TanOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  Value square = r.mul(getResult(), getResult());
  return {r.mul(r.named("slope").add(r.splat(getType(), 1), square), dx[0])};
}

/// 1 - x^2 as (1 - x) (1 + x), accurate next to -1 and 1. Around 0 as it stands, whose own derivative -2x is right at
/// the smallest x; both are finite, so the one not taken adds exact zeros.
static Value oneMinusSquare(const RuleBuilder &r, Value x) {
  Value one = r.splat(x.getType(), 1);
  Value centre = r.sub(one, r.mul(x, x));
  Value outer = r.mul(r.sub(one, x), r.add(one, x));
  return r.select(r.less(r.abs(x), r.splat(x.getType(), 0.5)), centre, outer);
}

SmallVector<Value> AsinOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  return {r.szmul(r.named("slope").rsqrt(oneMinusSquare(r, getOperand())), dx[0])};
}

SmallVector<Value> AcosOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  return {r.szmul(r.named("slope").neg(r.rsqrt(oneMinusSquare(r, getOperand()))), dx[0])};
}

SmallVector<Value> AtanOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  // 1 / (1 + x^2) without the square, which overflows.
  Value one = r.splat(getType(), 1);
  Value inverse = r.div(one, r.hypot(one, getOperand()));
  return {r.mul(r.named("slope").mul(inverse, inverse), dx[0])};
}

SmallVector<Value> Atan2Op::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  // With h = hypot(y, x) the slopes are x / h / h and -y / h / h. At the origin and at infinity they are 0: there h is
  // taken to be 1, so that what is selected away makes no NaN.
  Value y = getLhs(), x = getRhs(), zero = r.splat(getType(), 0);
  Value h = r.hypot(y, x);
  Value isEdge = r.add(r.equal(h, zero), r.isInf(h));
  Value safe = r.select(isEdge, r.splat(getType(), 1), h);
  auto term = [&](Value side, Value tangent) {
    return r.szmul(r.named("slope").select(isEdge, zero, r.div(r.div(side, safe), safe)), tangent);
  };
  Value first = dx[0] ? term(x, dx[0]) : Value(), second = dx[1] ? term(r.neg(y), dx[1]) : Value();
  return {r.addPresent(first, second)};
}

SmallVector<Value> HypotOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  // a / h; 0 at the origin, the sign of an infinite operand, which is the limit along any line but the diagonals.
  Value h = getResult(), zero = r.splat(getType(), 0);
  Value isOrigin = r.equal(h, zero);
  Value safe = r.select(r.add(isOrigin, r.isInf(h)), r.splat(getType(), 1), h);
  auto term = [&](Value side, Value tangent) {
    Value quotient = r.select(r.isInf(h), zero, r.div(side, safe));
    Value slope = r.select(r.isInf(side), r.sign(side), r.select(isOrigin, zero, quotient));
    return r.szmul(slope, tangent);
  };
  Value first = dx[0] ? term(getLhs(), dx[0]) : Value(), second = dx[1] ? term(getRhs(), dx[1]) : Value();
  return {r.addPresent(first, second)};
}

//===-- hyperbolic functions
//----------------------------------------------------------------------------------------===//

SmallVector<Value> SinhOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  return {r.szmul(r.named("slope").cosh(getOperand()), dx[0])};
}

SmallVector<Value> CoshOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  return {r.szmul(r.named("slope").sinh(getOperand()), dx[0])};
}

SmallVector<Value> AsinhOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  Value one = r.splat(getType(), 1);
  return {r.mul(r.named("slope").div(one, r.hypot(one, getOperand())), dx[0])};
}

SmallVector<Value> AcoshOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  // Two roots, as x^2 - 1 cancels next to 1 and overflows far out. Not a product of them: its derivatives would multiply
  // an infinite root by the zero of an unused lane.
  Value one = r.splat(getType(), 1), x = getOperand();
  Value below = r.rsqrt(r.sub(x, one)), above = SqrtOp::create(builder, getLoc(), r.add(x, one));
  return {r.szmul(r.named("slope").div(below, above), dx[0])};
}

SmallVector<Value> AtanhOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  return {r.szmul(r.named("slope").div(r.splat(getType(), 1), oneMinusSquare(r, getOperand())), dx[0])};
}

//===-- powers and logarithms
//---------------------------------------------------------------------------------------===//

SmallVector<Value> Exp2Op::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  // Not ln(2) y: just where y overflows, the slope does not yet.
  Value half = r.exp2(r.sub(getOperand(), r.splat(getType(), 1)));
  return {r.szmul(r.named("slope").mul(r.splat(getType(), 2 * kLn2), half), dx[0])};
}

SmallVector<Value> Log2Op::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  return {r.szmul(r.named("slope").div(r.splat(getType(), 1 / kLn2), getOperand()), dx[0])};
}

SmallVector<Value> Log10Op::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  return {r.szmul(r.named("slope").div(r.splat(getType(), kLog10OfE), getOperand()), dx[0])};
}

SmallVector<Value> CbrtOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  // Divided twice and not by the square, whose derivatives would multiply what is infinite at 0 by the zero of an unused
  // lane.
  Value third = r.div(r.splat(getType(), 1.0 / 3), getResult());
  return {r.szmul(r.named("slope").div(third, getResult()), dx[0])};
}

SmallVector<Value> LogaddexpOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  // Equal infinities are 0 apart; where both are -inf nothing can change the result.
  Value a = getLhs(), b = getRhs(), zero = r.splat(getType(), 0);
  Value isEdge = r.mul(r.equal(a, b), r.isInf(a));
  Value isDead = r.equal(getResult(), r.splat(getType(), -kInfinity));
  Value distance = r.select(isEdge, zero, r.sub(a, b));
  auto term = [&](Value distance, Value tangent) {
    return r.mul(r.named("slope").select(isDead, zero, r.sigmoid(distance)), tangent);
  };
  Value first = dx[0] ? term(distance, dx[0]) : Value(), second = dx[1] ? term(r.neg(distance), dx[1]) : Value();
  return {r.addPresent(first, second)};
}

SmallVector<Value> XlogyOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  Value x = getLhs(), y = getRhs(), zero = r.splat(getType(), 0), first, second;
  if (dx[0])
    first = r.szmul(r.named("slope").log(y), dx[0]);
  if (dx[1]) {
    // x / y, a division of x so that its own derivative in x at 0 is 1 / y; where both are zero it is by 1.
    Value isCorner = r.mul(r.equal(x, zero), r.equal(y, zero));
    second = r.szmul(r.named("slope").div(x, r.select(isCorner, r.splat(getType(), 1), y)), dx[1]);
  }
  return {r.addPresent(first, second)};
}

} // namespace tenferro::ir
