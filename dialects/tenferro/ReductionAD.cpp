// Derivatives of reductions.
#include "dialects/tenferro/Reduction.h"
#include "dialects/tenferro/RuleBuilder.h"

using namespace mlir;

namespace tenferro::ir {

/// The axes of the operand that a reduction keeps, in order: where the result's axes lie in it.
static SmallVector<int64_t> keptAxes(Type operand, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> kept;
  for (int64_t i = 0, rank = cast<ShapedType>(operand).getRank(); i < rank; ++i)
    if (!llvm::is_contained(axes, i))
      kept.push_back(i);
  return kept;
}

SmallVector<bool> SumOp::linearOperands() { return {true}; }
SmallVector<Value> SumOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, {true})};
}
SmallVector<Value> SumOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool>) {
  Type type = getOperand().getType();
  return {RuleBuilder(builder, getLoc()).broadcast(ct[0], keptAxes(type, getAxes()), type)};
}

/// The tangent of max or min: each element equal to the result gets an even share, the shares of a slice sum to 1. A
/// slice whose result is NaN equals nothing and gets nothing.
static Value extremumTangent(const RuleBuilder &r, Value x, Value result, ArrayRef<int64_t> axes, Value dx) {
  Type type = x.getType(), reduced = result.getType();
  SmallVector<int64_t> kept = keptAxes(type, axes);
  Value wins = r.equal(x, r.broadcast(result, kept, type));
  Value one = r.splat(type, 1), zero = r.splat(type, 0);
  Value winners = r.named("winners").sum(r.select(wins, one, zero), axes);
  Value least = r.splat(reduced, 1);
  Value part = r.div(least, r.maximum(winners, least));
  Value share = r.named("share").select(wins, r.broadcast(part, kept, type), zero);
  // The share is on the tangent side of szmul: a losing lane stays zero whatever its tangent.
  return r.sum(r.szmul(dx, share), axes);
}

SmallVector<Value> MaxOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  return {extremumTangent({builder, getLoc()}, getOperand(), getResult(), getAxes(), dx[0])};
}
SmallVector<Value> MinOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  return {extremumTangent({builder, getLoc()}, getOperand(), getResult(), getAxes(), dx[0])};
}

} // namespace tenferro::ir
