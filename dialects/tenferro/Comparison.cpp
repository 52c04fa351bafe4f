// Scalar meanings and folds of compare, select, convert and cast.
#include "dialects/tenferro/Comparison.h"

#include "dialects/tenferro/EqualTypes.h"
#include "dialects/tenferro/ScalarBuilder.h"
#include "dialects/tenferro/ScalarCast.h"
#include "dialects/tenferro/ScalarFold.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

#define GET_OP_CLASSES
#include "dialects/tenferro/Comparison.cpp.inc"

using namespace mlir;

namespace tenferro::ir {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static arith::CmpFPredicate floatPredicate(Direction direction) {
  switch (direction) {
  case Direction::EQ:
    return arith::CmpFPredicate::OEQ;
  case Direction::NE:
    return arith::CmpFPredicate::UNE;
  case Direction::LT:
    return arith::CmpFPredicate::OLT;
  case Direction::LE:
    return arith::CmpFPredicate::OLE;
  case Direction::GT:
    return arith::CmpFPredicate::OGT;
  case Direction::GE:
    return arith::CmpFPredicate::OGE;
  }
  llvm_unreachable("a direction");
}

static arith::CmpIPredicate integerPredicate(Direction direction, bool isUnsigned) {
  using P = arith::CmpIPredicate;
  switch (direction) {
  case Direction::EQ:
    return P::eq;
  case Direction::NE:
    return P::ne;
  case Direction::LT:
    return isUnsigned ? P::ult : P::slt;
  case Direction::LE:
    return isUnsigned ? P::ule : P::sle;
  case Direction::GT:
    return isUnsigned ? P::ugt : P::sgt;
  case Direction::GE:
    return isUnsigned ? P::uge : P::sge;
  }
  llvm_unreachable("a direction");
}

Value CompareOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getLhs().getType());
  if (s.isFloat())
    return s.compare(floatPredicate(getDirection()), in[0], in[1]);
  return s.compare(integerPredicate(getDirection(), s.isUnsigned()), in[0], in[1]);
}

OpFoldResult CompareOp::fold(FoldAdaptor operands) { return foldSplats(*this, operands.getOperands()); }

Value SelectOp::buildScalar(OpBuilder &builder, ValueRange in) {
  return arith::SelectOp::create(builder, getLoc(), in[0], in[1], in[2]);
}

OpFoldResult SelectOp::fold(FoldAdaptor operands) {
  if (isSplatOf(operands.getPredicate(), 1))
    return getOnTrue();
  if (isSplatOf(operands.getPredicate(), 0))
    return getOnFalse();
  if (getOnTrue() == getOnFalse())
    return getOnTrue();
  return {};
}

Value ConvertOp::buildScalar(OpBuilder &builder, ValueRange in) {
  return buildScalarCast(builder, getLoc(), in[0], getOperand().getType(), getType());
}

Value CastOp::buildScalar(OpBuilder &builder, ValueRange in) {
  return buildScalarCast(builder, getLoc(), in[0], getOperand().getType(), getType());
}

OpFoldResult ConvertOp::fold(FoldAdaptor operands) {
  if (getOperand().getType() == getType())
    return getOperand();
  return foldSplats(*this, operands.getOperands());
}

OpFoldResult CastOp::fold(FoldAdaptor operands) {
  if (getOperand().getType() == getType())
    return getOperand();
  // Back from a conversion that lost nothing.
  if (auto inner = getOperand().getDefiningOp<ConvertOp>(); inner && inner.getOperand().getType() == getType())
    return inner.getOperand();
  return foldSplats(*this, operands.getOperands());
}

Value IsNanOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getOperand().getType());
  return s.compare(arith::CmpFPredicate::UNO, in[0], in[0]);
}
Value IsInfOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getOperand().getType());
  return s.compare(arith::CmpFPredicate::OEQ, s.make<math::AbsFOp>(in[0]), s.number(kInfinity));
}
Value IsFiniteOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getOperand().getType());
  return s.compare(arith::CmpFPredicate::OLT, s.make<math::AbsFOp>(in[0]), s.number(kInfinity));
}

OpFoldResult IsNanOp::fold(FoldAdaptor operands) { return foldSplats(*this, operands.getOperands()); }
OpFoldResult IsInfOp::fold(FoldAdaptor operands) { return foldSplats(*this, operands.getOperands()); }
OpFoldResult IsFiniteOp::fold(FoldAdaptor operands) { return foldSplats(*this, operands.getOperands()); }

} // namespace tenferro::ir
