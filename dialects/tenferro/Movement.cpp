// Folds of operations that move elements.
#include "dialects/tenferro/Movement.h"

#include "mlir/IR/BuiltinAttributes.h"

#define GET_OP_CLASSES
#include "dialects/tenferro/Movement.cpp.inc"

using namespace mlir;

namespace tenferro::ir {

/// A splat under another shape.
static OpFoldResult resplat(Attribute operand, Type type) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(operand);
  if (!elements || !elements.isSplat())
    return {};
  return elements.resizeSplat(cast<ShapedType>(type));
}

OpFoldResult ReshapeOp::fold(FoldAdaptor operands) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<ReshapeOp>()) {
    setOperand(inner.getOperand());
    return getResult();
  }
  return resplat(operands.getOperand(), getType());
}

Value DetachOp::getKept() { return getOperand(); }

OpFoldResult TransposeOp::fold(FoldAdaptor operands) {
  if (llvm::is_sorted(getPermutation()))
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> composed;
    for (int64_t axis : getPermutation())
      composed.push_back(inner.getPermutation()[axis]);
    setOperand(inner.getOperand());
    setPermutation(composed);
    return getResult();
  }
  return resplat(operands.getOperand(), getType());
}

OpFoldResult BroadcastInDimOp::fold(FoldAdaptor operands) {
  if (getOperand().getType() == getType() && llvm::is_sorted(getDims()))
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<BroadcastInDimOp>()) {
    SmallVector<int64_t> composed;
    for (int64_t axis : inner.getDims())
      composed.push_back(getDims()[axis]);
    setOperand(inner.getOperand());
    setDims(composed);
    return getResult();
  }
  return resplat(operands.getOperand(), getType());
}

OpFoldResult SliceOp::fold(FoldAdaptor operands) {
  if (getOperand().getType() == getType())
    return getOperand();
  return resplat(operands.getOperand(), getType());
}

OpFoldResult ReverseOp::fold(FoldAdaptor operands) {
  if (getAxes().empty())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<ReverseOp>(); inner && inner.getAxes() == getAxes())
    return inner.getOperand();
  return resplat(operands.getOperand(), getType());
}

OpFoldResult ConcatenateOp::fold(FoldAdaptor) {
  return getOperands().size() == 1 ? getOperands().front() : OpFoldResult();
}

OpFoldResult PadOp::fold(FoldAdaptor) { return getOperand().getType() == getType() ? getOperand() : OpFoldResult(); }

} // namespace tenferro::ir
