// Derivatives of saved values and perturbed points.
#include "dialects/tenferro/RuleBuilder.h"
#include "dialects/tenferro/Structure.h"

using namespace mlir;

namespace tenferro::ir {

SmallVector<bool> ResidualOp::linearOperands() { return {true, false}; }
SmallVector<Value> ResidualOp::buildLinear(OpBuilder &, ArrayRef<Value> dx) { return {dx[0]}; }
SmallVector<Value> ResidualOp::buildCotangents(OpBuilder &, ArrayRef<Value> ct, ArrayRef<bool> wanted) {
  return {wanted[0] ? ct[0] : Value(), Value()};
}

Value PerturbOp::getKept() { return getValue(); }
SmallVector<bool> PerturbOp::linearOperands() { return {true, true}; }
SmallVector<Value> PerturbOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  if (dx[0] && dx[1])
    return {RuleBuilder(builder, getLoc()).add(dx[0], dx[1])};
  return {dx[0] ? dx[0] : dx[1]};
}
SmallVector<Value> PerturbOp::buildCotangents(OpBuilder &, ArrayRef<Value> ct, ArrayRef<bool> wanted) {
  return {wanted[0] ? ct[0] : Value(), wanted[1] ? ct[0] : Value()};
}

} // namespace tenferro::ir
