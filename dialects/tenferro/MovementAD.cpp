// Derivatives of operations that move elements: all linear.
#include "dialects/tenferro/Movement.h"
#include "dialects/tenferro/RuleBuilder.h"

using namespace mlir;

namespace tenferro::ir {

static ArrayRef<int64_t> shapeOf(Value value) { return cast<ShapedType>(value.getType()).getShape(); }

SmallVector<bool> ReshapeOp::linearOperands() { return {true}; }
SmallVector<Value> ReshapeOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, {true})};
}
SmallVector<Value> ReshapeOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool>) {
  return {RuleBuilder(builder, getLoc()).reshape(ct[0], getOperand().getType())};
}

SmallVector<bool> TransposeOp::linearOperands() { return {true}; }
SmallVector<Value> TransposeOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, {true})};
}
SmallVector<Value> TransposeOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool>) {
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [i, axis] : llvm::enumerate(getPermutation()))
    inverse[axis] = static_cast<int64_t>(i);
  return {RuleBuilder(builder, getLoc()).transpose(ct[0], inverse)};
}

SmallVector<bool> BroadcastInDimOp::linearOperands() { return {true}; }
SmallVector<Value> BroadcastInDimOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, {true})};
}
SmallVector<Value> BroadcastInDimOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool>) {
  RuleBuilder r(builder, getLoc());
  ArrayRef<int64_t> from = shapeOf(getOperand()), to = shapeOf(getResult());
  // Sum over every axis of the result that repeats: a new one, or a unit axis stretched.
  SmallVector<int64_t> repeated, kept; // kept: operand axes that are not repeated, in the order of the result
  for (int64_t axis = 0; axis < static_cast<int64_t>(to.size()); ++axis) {
    const int64_t *place = llvm::find(getDims(), axis);
    int64_t source = place - getDims().begin();
    if (place != getDims().end() && from[source] == to[axis])
      kept.push_back(source);
    else
      repeated.push_back(axis);
  }
  Value total = r.sum(ct[0], repeated);
  // The kept axes back in the operand's order, then its unit axes between them.
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, kept.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) { return kept[a] < kept[b]; });
  return {r.reshape(r.transpose(total, order), getOperand().getType())};
}

SmallVector<bool> SliceOp::linearOperands() { return {true}; }
SmallVector<Value> SliceOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, {true})};
}
SmallVector<Value> SliceOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool>) {
  SmallVector<int64_t> high, interior;
  for (auto [extent, length, start, stride] :
       llvm::zip_equal(shapeOf(getOperand()), shapeOf(getResult()), getStarts(), getStrides())) {
    high.push_back(extent - start - (length == 0 ? 0 : (length - 1) * stride + 1));
    interior.push_back(stride - 1);
  }
  return {PadOp::create(builder, getLoc(), ct[0], getStarts(), high, interior)};
}

SmallVector<bool> PadOp::linearOperands() { return {true}; }
SmallVector<Value> PadOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, {true})};
}
SmallVector<Value> PadOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool>) {
  SmallVector<int64_t> limits, strides;
  for (auto [extent, low, interior] : llvm::zip_equal(shapeOf(getOperand()), getLow(), getInterior())) {
    limits.push_back(low + (extent == 0 ? 0 : (extent - 1) * (interior + 1) + 1));
    strides.push_back(interior + 1);
  }
  return {SliceOp::create(builder, getLoc(), ct[0], getLow(), limits, strides)};
}

SmallVector<bool> ConcatenateOp::linearOperands() { return SmallVector<bool>(getOperands().size(), true); }
SmallVector<Value> ConcatenateOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, linearOperands())};
}
SmallVector<Value> ConcatenateOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool> wanted) {
  ArrayRef<int64_t> shape = shapeOf(getResult());
  SmallVector<int64_t> starts(shape.size(), 0), limits(shape), strides(shape.size(), 1);
  SmallVector<Value> parts;
  for (auto [operand, isWanted] : llvm::zip_equal(getOperands(), wanted)) {
    limits[getAxis()] = starts[getAxis()] + shapeOf(operand)[getAxis()];
    parts.push_back(isWanted ? SliceOp::create(builder, getLoc(), ct[0], starts, limits, strides).getResult() : Value());
    starts[getAxis()] = limits[getAxis()];
  }
  return parts;
}

SmallVector<bool> ReverseOp::linearOperands() { return {true}; }
SmallVector<Value> ReverseOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, {true})};
}
SmallVector<Value> ReverseOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool>) {
  return {ReverseOp::create(builder, getLoc(), ct[0], getAxes())};
}

SmallVector<bool> ExtractDiagOp::linearOperands() { return {true}; }
SmallVector<Value> ExtractDiagOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, {true})};
}
SmallVector<Value> ExtractDiagOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool>) {
  int64_t a = static_cast<int64_t>(getAxisA()), b = static_cast<int64_t>(getAxisB());
  Value square = EmbedDiagOp::create(builder, getLoc(), ct[0], a, b);
  if (square.getType() == getOperand().getType())
    return {square};
  ArrayRef<int64_t> from = shapeOf(square), to = shapeOf(getOperand());
  SmallVector<int64_t> none(to.size(), 0), rest; // what the longer axis has beyond the diagonal
  for (auto [extent, whole] : llvm::zip_equal(from, to))
    rest.push_back(whole - extent);
  return {PadOp::create(builder, getLoc(), square, none, rest, none)};
}

SmallVector<bool> EmbedDiagOp::linearOperands() { return {true}; }
SmallVector<Value> EmbedDiagOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, {true})};
}
SmallVector<Value> EmbedDiagOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool>) {
  return {ExtractDiagOp::create(builder, getLoc(), ct[0], getAxisA(), getAxisB())};
}

} // namespace tenferro::ir
