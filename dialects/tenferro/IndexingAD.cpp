// Derivatives of take and scatter_add: each is the other's transpose.
#include "dialects/tenferro/Indexing.h"
#include "dialects/tenferro/RuleBuilder.h"

using namespace mlir;

namespace tenferro::ir {

SmallVector<bool> TakeOp::linearOperands() { return {true, false}; }
SmallVector<Value> TakeOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, {true, false})};
}
SmallVector<Value> TakeOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool> wanted) {
  if (!wanted[0])
    return {Value(), Value()};
  int64_t axis = static_cast<int64_t>(getAxis());
  int64_t extent = cast<ShapedType>(getOperand().getType()).getDimSize(axis);
  return {ScatterAddOp::create(builder, getLoc(), getIndices(), ct[0], axis, extent), Value()};
}

SmallVector<bool> ScatterAddOp::linearOperands() { return {false, true}; }
SmallVector<Value> ScatterAddOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, {false, true})};
}
SmallVector<Value> ScatterAddOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool> wanted) {
  if (!wanted[1])
    return {Value(), Value()};
  return {Value(), TakeOp::create(builder, getLoc(), ct[0], getIndices(), static_cast<int64_t>(getAxis()))};
}

} // namespace tenferro::ir
