// Scalar meanings and folds of element-wise arithmetic.
#include "dialects/tenferro/Arithmetic.h"

#include "dialects/tenferro/EqualTypes.h"
#include "dialects/tenferro/ScalarBuilder.h"
#include "dialects/tenferro/ScalarFold.h"

#include "lib/Conversion/ExpandMath/Expansions.h"
#include "runtime/core/KernelAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#define GET_OP_CLASSES
#include "dialects/tenferro/Arithmetic.cpp.inc"

using namespace mlir;

namespace tenferro::ir {

//===-- scalar meanings
//---------------------------------------------------------------------------------------------===//

Value AddOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getLhs().getType());
  if (s.isFloat())
    return s.make<arith::AddFOp>(in[0], in[1]);
  return s.isBool() ? s.make<arith::OrIOp>(in[0], in[1]) : s.make<arith::AddIOp>(in[0], in[1]);
}

Value SubOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getLhs().getType());
  return s.isFloat() ? s.make<arith::SubFOp>(in[0], in[1]) : s.make<arith::SubIOp>(in[0], in[1]);
}

Value MulOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getLhs().getType());
  if (s.isFloat())
    return s.make<arith::MulFOp>(in[0], in[1]);
  return s.isBool() ? s.make<arith::AndIOp>(in[0], in[1]) : s.make<arith::MulIOp>(in[0], in[1]);
}

/// The divisor of an integer division, or 1 where it is zero, which is raised, or -1, where the hardware may trap.
static Value safeDivisor(const ScalarBuilder &s, Value divisor) {
  Value isZero = s.compare(arith::CmpIPredicate::eq, divisor, s.integer(0));
  s.raiseIf(isZero, runtime::KernelError::DivisionByZero);
  Value isUnsafe = isZero;
  if (!s.isUnsigned())
    isUnsafe = s.make<arith::OrIOp>(isZero, s.compare(arith::CmpIPredicate::eq, divisor, s.integer(-1)));
  return s.select(isUnsafe, s.integer(1), divisor);
}

Value DivOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getLhs().getType());
  if (s.isFloat())
    return s.make<arith::DivFOp>(in[0], in[1]);
  Value divisor = safeDivisor(s, in[1]);
  if (s.isUnsigned())
    return s.make<arith::DivUIOp>(in[0], divisor);
  // Division by -1 is negation, which wraps; arith.divsi of the least integer by -1 would be undefined.
  Value quotient = s.make<arith::DivSIOp>(in[0], divisor);
  Value isMinusOne = s.compare(arith::CmpIPredicate::eq, in[1], s.integer(-1));
  return s.select(isMinusOne, s.make<arith::SubIOp>(s.integer(0), in[0]), quotient);
}

Value NegOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getOperand().getType());
  return s.isFloat() ? s.make<arith::NegFOp>(in[0]) : s.make<arith::SubIOp>(s.integer(0), in[0]);
}

Value AbsOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getOperand().getType());
  if (s.isFloat())
    return s.make<math::AbsFOp>(in[0]);
  if (s.isUnsigned())
    return in[0];
  Value negative = s.compare(arith::CmpIPredicate::slt, in[0], s.integer(0));
  return s.select(negative, s.make<arith::SubIOp>(s.integer(0), in[0]), in[0]);
}

Value SignOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getOperand().getType());
  if (s.isFloat()) {
    // Zeros and NaN are themselves.
    Value below = s.select(s.compare(arith::CmpFPredicate::OLT, in[0], s.number(0)), s.number(-1), in[0]);
    return s.select(s.compare(arith::CmpFPredicate::OGT, in[0], s.number(0)), s.number(1), below);
  }
  Value nonzero = s.select(s.compare(arith::CmpIPredicate::eq, in[0], s.integer(0)), s.integer(0), s.integer(1));
  if (s.isUnsigned())
    return nonzero;
  return s.select(s.compare(arith::CmpIPredicate::slt, in[0], s.integer(0)), s.integer(-1), nonzero);
}

Value PowOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getLhs().getType());
  if (s.isFloat())
    return s.make<math::PowFOp>(in[0], in[1]);
  unsigned bits = s.width();
  Value exponent = in[1];
  if (!s.isUnsigned()) {
    Value negative = s.compare(arith::CmpIPredicate::slt, exponent, s.integer(0));
    s.raiseIf(negative, runtime::KernelError::NegativePower);
    exponent = s.select(negative, s.integer(0), exponent);
    --bits;
  }
  // Squaring, one step per bit of the exponent; products wrap.
  Value power = s.integer(1), square = in[0];
  for (unsigned bit = 0; bit < bits; ++bit) {
    Value low = s.make<arith::AndIOp>(exponent, s.integer(1));
    Value isSet = s.compare(arith::CmpIPredicate::ne, low, s.integer(0));
    power = s.select(isSet, s.make<arith::MulIOp>(power, square), power);
    if (bit + 1 == bits)
      break;
    square = s.make<arith::MulIOp>(square, square);
    exponent = s.make<arith::ShRUIOp>(exponent, s.integer(1));
  }
  return power;
}

Value MaximumOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getLhs().getType());
  if (s.isFloat())
    return s.make<arith::MaximumFOp>(in[0], in[1]);
  return s.isUnsigned() ? s.make<arith::MaxUIOp>(in[0], in[1]) : s.make<arith::MaxSIOp>(in[0], in[1]);
}

Value MinimumOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getLhs().getType());
  if (s.isFloat())
    return s.make<arith::MinimumFOp>(in[0], in[1]);
  return s.isUnsigned() ? s.make<arith::MinUIOp>(in[0], in[1]) : s.make<arith::MinSIOp>(in[0], in[1]);
}

Value SzmulOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getLhs().getType());
  Value isZero = s.compare(arith::CmpFPredicate::OEQ, in[1], s.number(0));
  return s.select(isZero, s.number(0), s.make<arith::MulFOp>(in[0], in[1]));
}

Value FloorOp::buildScalar(OpBuilder &builder, ValueRange in) {
  return math::FloorOp::create(builder, getLoc(), in[0]);
}
Value CeilOp::buildScalar(OpBuilder &builder, ValueRange in) { return math::CeilOp::create(builder, getLoc(), in[0]); }
Value RoundOp::buildScalar(OpBuilder &builder, ValueRange in) {
  return math::RoundEvenOp::create(builder, getLoc(), in[0]);
}
Value TruncOp::buildScalar(OpBuilder &builder, ValueRange in) {
  return math::TruncOp::create(builder, getLoc(), in[0]);
}

Value RemOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getLhs().getType());
  if (s.isFloat()) {
    compiler::MathBuilder b(builder, getLoc(), in[0].getType());
    return compiler::expandRem(b, in[0], in[1]);
  }
  // By -1, as by 1, nothing is left.
  Value divisor = safeDivisor(s, in[1]);
  return s.isUnsigned() ? s.make<arith::RemUIOp>(in[0], divisor) : s.make<arith::RemSIOp>(in[0], divisor);
}

Value FloorDivideOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getLhs().getType());
  if (s.isFloat()) {
    compiler::MathBuilder b(builder, getLoc(), in[0].getType());
    return compiler::expandFloorDivide(b, in[0], in[1]);
  }
  Value divisor = safeDivisor(s, in[1]);
  if (s.isUnsigned())
    return s.make<arith::DivUIOp>(in[0], divisor);
  Value quotient = s.make<arith::DivSIOp>(in[0], divisor);
  Value rest = s.make<arith::SubIOp>(in[0], s.make<arith::MulIOp>(quotient, divisor));
  Value isInexact = s.compare(arith::CmpIPredicate::ne, rest, s.integer(0));
  Value differs = s.compare(arith::CmpIPredicate::slt, s.make<arith::XOrIOp>(rest, divisor), s.integer(0));
  Value below = s.make<arith::SubIOp>(quotient, s.integer(1));
  quotient = s.select(s.make<arith::AndIOp>(isInexact, differs), below, quotient);
  Value isMinusOne = s.compare(arith::CmpIPredicate::eq, in[1], s.integer(-1));
  return s.select(isMinusOne, s.make<arith::SubIOp>(s.integer(0), in[0]), quotient);
}

Value ClampOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getOperand().getType());
  if (s.isFloat())
    return s.make<arith::MinimumFOp>(s.make<arith::MaximumFOp>(in[0], in[1]), in[2]);
  if (s.isUnsigned())
    return s.make<arith::MinUIOp>(s.make<arith::MaxUIOp>(in[0], in[1]), in[2]);
  return s.make<arith::MinSIOp>(s.make<arith::MaxSIOp>(in[0], in[1]), in[2]);
}

//===-- folds: only what leaves every bit as it was
//-----------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor operands) {
  // x + -0.0 is x for every x; x + 0.0 is not, for -0.0.
  double nothing = isa<FloatType>(getElementTypeOrSelf(getType())) ? -0.0 : 0.0;
  if (isSplatOf(operands.getRhs(), nothing))
    return getLhs();
  if (isSplatOf(operands.getLhs(), nothing))
    return getRhs();
  return foldSplats(*this, operands.getOperands());
}

OpFoldResult SubOp::fold(FoldAdaptor operands) {
  if (isSplatOf(operands.getRhs(), 0.0))
    return getLhs();
  return foldSplats(*this, operands.getOperands());
}

OpFoldResult MulOp::fold(FoldAdaptor operands) {
  if (isSplatOf(operands.getRhs(), 1.0))
    return getLhs();
  if (isSplatOf(operands.getLhs(), 1.0))
    return getRhs();
  return foldSplats(*this, operands.getOperands());
}

OpFoldResult DivOp::fold(FoldAdaptor operands) {
  if (isSplatOf(operands.getRhs(), 1.0))
    return getLhs();
  return foldSplats(*this, operands.getOperands());
}

OpFoldResult NegOp::fold(FoldAdaptor operands) {
  if (auto inner = getOperand().getDefiningOp<NegOp>())
    return inner.getOperand();
  return foldSplats(*this, operands.getOperands());
}

OpFoldResult SzmulOp::fold(FoldAdaptor operands) {
  // szmul(s, 1) is s; szmul(1, t) is not t, for -0.0. A zero tangent gives +0 whatever the slope.
  if (isSplatOf(operands.getRhs(), 1.0))
    return getLhs();
  if (isSplatOf(operands.getRhs(), 0.0))
    return getRhs();
  return foldSplats(*this, operands.getOperands());
}

OpFoldResult SignOp::fold(FoldAdaptor operands) { return foldSplats(*this, operands.getOperands()); }
OpFoldResult PowOp::fold(FoldAdaptor operands) { return foldSplats(*this, operands.getOperands()); }
OpFoldResult AbsOp::fold(FoldAdaptor operands) { return foldSplats(*this, operands.getOperands()); }
OpFoldResult MaximumOp::fold(FoldAdaptor operands) { return foldSplats(*this, operands.getOperands()); }
OpFoldResult MinimumOp::fold(FoldAdaptor operands) { return foldSplats(*this, operands.getOperands()); }

OpFoldResult FloorOp::fold(FoldAdaptor operands) { return foldSplats(*this, operands.getOperands()); }
OpFoldResult CeilOp::fold(FoldAdaptor operands) { return foldSplats(*this, operands.getOperands()); }
OpFoldResult RoundOp::fold(FoldAdaptor operands) { return foldSplats(*this, operands.getOperands()); }
OpFoldResult TruncOp::fold(FoldAdaptor operands) { return foldSplats(*this, operands.getOperands()); }
OpFoldResult RemOp::fold(FoldAdaptor operands) { return foldSplats(*this, operands.getOperands()); }
OpFoldResult FloorDivideOp::fold(FoldAdaptor operands) { return foldSplats(*this, operands.getOperands()); }
OpFoldResult ClampOp::fold(FoldAdaptor operands) { return foldSplats(*this, operands.getOperands()); }

} // namespace tenferro::ir
