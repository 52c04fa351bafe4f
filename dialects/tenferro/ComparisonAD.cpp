// Derivatives of select and of conversions.
#include "dialects/tenferro/Comparison.h"
#include "dialects/tenferro/RuleBuilder.h"

using namespace mlir;

namespace tenferro::ir {

//===-- select
//------------------------------------------------------------------------------------------------------===//

SmallVector<bool> SelectOp::linearOperands() { return {false, true, true}; }
SmallVector<Value> SelectOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, linearOperands())};
}
SmallVector<Value> SelectOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool> wanted) {
  RuleBuilder r(builder, getLoc());
  Value zero = r.splat(getType(), 0);
  return {Value(), wanted[1] ? r.select(getPredicate(), ct[0], zero) : Value(),
          wanted[2] ? r.select(getPredicate(), zero, ct[0]) : Value()};
}

//===-- convert, cast
//-----------------------------------------------------------------------------------------------===//

/// Only a conversion between floats has a derivative.
static bool betweenFloats(Type from, Type to) {
  return isa<FloatType>(getElementTypeOrSelf(from)) && isa<FloatType>(getElementTypeOrSelf(to));
}

template <typename OpTy> static SmallVector<Value> convertTangent(OpTy op, OpBuilder &builder, ArrayRef<Value> dx) {
  if (!betweenFloats(op.getOperand().getType(), op.getType()))
    return {Value()};
  return {OpTy::create(builder, op.getLoc(), op.getType(), dx[0])};
}

template <typename OpTy> static SmallVector<Value> convertBack(OpTy op, OpBuilder &builder, ArrayRef<Value> ct) {
  if (!betweenFloats(op.getOperand().getType(), op.getType()))
    return {Value()};
  return {RuleBuilder(builder, op.getLoc()).cast(ct[0], op.getOperand().getType())};
}

SmallVector<bool> ConvertOp::linearOperands() { return {true}; }
SmallVector<Value> ConvertOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return convertTangent(*this, builder, dx);
}
SmallVector<Value> ConvertOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool>) {
  return convertBack(*this, builder, ct);
}

SmallVector<bool> CastOp::linearOperands() { return {true}; }
SmallVector<Value> CastOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return convertTangent(*this, builder, dx);
}
SmallVector<Value> CastOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool>) {
  return convertBack(*this, builder, ct);
}

} // namespace tenferro::ir
