// Derivatives of reading and writing by index: take and scatter_add, gather and scatter are each other's transpose.
#include "dialects/tenferro/Indexing.h"
#include "dialects/tenferro/Creation.h"
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

SmallVector<bool> GatherOp::linearOperands() { return {true, false}; }
SmallVector<Value> GatherOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, {true, false})};
}
SmallVector<Value> GatherOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool> wanted) {
  if (!wanted[0])
    return {Value(), Value()};
  Value zeros = RuleBuilder(builder, getLoc()).splat(getOperand().getType(), 0);
  return {ScatterOp::create(builder, getLoc(), zeros, getIndices(), ct[0], ScatterUpdate::ADD, getOffsetDims(),
                            getCollapsedSliceDims(), getStartIndexMap(), getIndexVectorDim(), getMode()),
          Value()};
}

namespace {

/// The same windows as a scatter's (or a scatter_prefix's), read or written with other values.
template <typename Scatter> class Windows {
public:
  Windows(Scatter scatter, OpBuilder &builder) : scatter_(scatter), builder_(builder) {
    ArrayRef<int64_t> window = scatter.getUpdateWindowDims();
    ArrayRef<int64_t> updates = cast<ShapedType>(scatter->getOperand(2).getType()).getShape();
    int64_t rank = cast<ShapedType>(scatter.getOperand().getType()).getRank();
    for (int64_t axis = 0, k = 0; axis < rank; ++axis)
      sizes_.push_back(llvm::is_contained(scatter.getInsertedWindowDims(), axis) ? 1 : updates[window[k++]]);
  }

  /// What `value`, of the operand's shape, holds where the updates go.
  Value read(Value value) {
    return GatherOp::create(builder_, scatter_.getLoc(), value, scatter_.getIndices(), scatter_.getUpdateWindowDims(),
                            scatter_.getInsertedWindowDims(), scatter_.getScatterDimsToOperandDims(),
                            scatter_.getIndexVectorDim(), sizes_, scatter_.getMode());
  }

  Value write(Value operand, Value updates, ScatterUpdate update) {
    return ScatterOp::create(builder_, scatter_.getLoc(), operand, scatter_.getIndices(), updates, update,
                             scatter_.getUpdateWindowDims(), scatter_.getInsertedWindowDims(),
                             scatter_.getScatterDimsToOperandDims(), scatter_.getIndexVectorDim(), scatter_.getMode());
  }

  /// What each update finds at its target.
  Value prefix(Value operand, Value factors, Value addends, ScanOrder order) {
    return ScatterPrefixOp::create(builder_, scatter_.getLoc(), operand, scatter_.getIndices(), factors, addends, order,
                                   scatter_.getUpdateWindowDims(), scatter_.getInsertedWindowDims(),
                                   scatter_.getScatterDimsToOperandDims(), scatter_.getIndexVectorDim(),
                                   scatter_.getMode());
  }

  /// Whether no element can be written twice: there is one window.
  bool areDistinct() {
    ArrayRef<int64_t> shape = cast<ShapedType>(scatter_.getIndices().getType()).getShape();
    for (auto [axis, extent] : llvm::enumerate(shape))
      if (static_cast<int64_t>(axis) != static_cast<int64_t>(scatter_.getIndexVectorDim()) && extent > 1)
        return false;
    return true;
  }

private:
  Scatter scatter_;
  OpBuilder &builder_;
  SmallVector<int64_t> sizes_;
};

} // namespace

static bool isExtremum(ScatterOp op) {
  return op.getUpdate() == ScatterUpdate::MAX || op.getUpdate() == ScatterUpdate::MIN;
}

SmallVector<bool> ScatterOp::linearOperands() {
  bool isLinear = !isExtremum(*this);
  return {isLinear, false, isLinear && getUpdate() != ScatterUpdate::MUL};
}
SmallVector<bool> ScatterOp::nonlinearOperands() {
  bool isNonlinear = isExtremum(*this);
  return {isNonlinear, false, isNonlinear || getUpdate() == ScatterUpdate::MUL};
}
SmallVector<Value> ScatterOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, linearOperands())};
}

SmallVector<Value> ScatterOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool> wanted) {
  RuleBuilder r(builder, getLoc());
  Windows windows(*this, builder);
  Type updates = getUpdates().getType();
  SmallVector<Value> cotangents(3);
  if (getUpdate() == ScatterUpdate::MUL) // each element by the product of its updates
    return {wanted[0] ? windows.write(ct[0], getUpdates(), ScatterUpdate::MUL) : Value(), Value(), Value()};
  bool replaces = getUpdate() == ScatterUpdate::SET;
  if (wanted[0])
    cotangents[0] = replaces ? windows.write(ct[0], r.splat(updates, 0), ScatterUpdate::SET) : ct[0];
  if (!wanted[2])
    return cotangents;
  cotangents[2] = windows.read(ct[0]);
  if (!replaces || windows.areDistinct())
    return cotangents;
  // The last update of an element stands: each update writes its own number, and reads who is there.
  auto number = RankedTensorType::get(cast<ShapedType>(updates).getShape(), builder.getI64Type());
  auto line = RankedTensorType::get({number.getNumElements()}, builder.getI64Type());
  Value numbers = r.reshape(IotaOp::create(builder, getLoc(), line, 0), number);
  Value none = r.splat(cast<RankedTensorType>(getOperand().getType()).clone(builder.getI64Type()), 0);
  Value stands = r.named("stands").equal(windows.read(windows.write(none, numbers, ScatterUpdate::SET)), numbers);
  cotangents[2] = r.select(stands, cotangents[2], r.splat(updates, 0));
  return cotangents;
}

SmallVector<Value> ScatterOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  RuleBuilder r(builder, getLoc());
  Windows windows(*this, builder);
  Type whole = getOperand().getType(), parts = getUpdates().getType();
  if (getUpdate() == ScatterUpdate::MUL) {
    // The others at the target: the operand and the updates before this one, and those after it. No division, so a zero
    // is a factor as any other.
    if (!dx[2])
      return {Value()};
    Value zeros = r.splat(parts, 0);
    Value others = r.named("others").mul(windows.prefix(getOperand(), getUpdates(), zeros, ScanOrder::Forward),
                                         windows.prefix(r.splat(whole, 1), getUpdates(), zeros, ScanOrder::Reverse));
    return {windows.write(r.splat(whole, 0), r.mul(others, dx[2]), ScatterUpdate::ADD)};
  }
  // As max and min: whoever equals the result shares evenly; nothing equals a NaN.
  Value operandWins = r.equal(getOperand(), getResult());
  Value updateWins = r.equal(getUpdates(), windows.read(getResult()));
  Value none = r.splat(whole, 0), one = r.splat(whole, 1), noUpdate = r.splat(parts, 0);
  Value winners = r.named("winners").select(operandWins, one, none);
  winners = windows.write(winners, r.select(updateWins, r.splat(parts, 1), noUpdate), ScatterUpdate::ADD);
  Value part = r.div(one, r.maximum(winners, one));
  Value moved = dx[0] ? r.szmul(dx[0], r.named("share").select(operandWins, part, none)) : none;
  if (!dx[2])
    return {moved};
  Value share = r.named("share").select(updateWins, windows.read(part), noUpdate);
  return {windows.write(moved, r.szmul(dx[2], share), ScatterUpdate::ADD)};
}

SmallVector<bool> ScatterPrefixOp::linearOperands() { return {true, false, false, true}; }
SmallVector<bool> ScatterPrefixOp::nonlinearOperands() { return {false, false, true, false}; }
SmallVector<Value> ScatterPrefixOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, linearOperands())};
}

SmallVector<Value> ScatterPrefixOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool> wanted) {
  RuleBuilder r(builder, getLoc());
  Windows windows(*this, builder);
  Type whole = getOperand().getType(), parts = getFactors().getType();
  SmallVector<Value> cotangents(4);
  if (wanted[0]) { // an update reads the operand times the factors before it
    Value product = windows.prefix(r.splat(whole, 1), getFactors(), r.splat(parts, 0), getOrder());
    cotangents[0] = windows.write(r.splat(whole, 0), r.mul(product, ct[0]), ScatterUpdate::ADD);
  }
  if (wanted[3]) { // the same recurrence, from the last update to the first
    ScanOrder back = getOrder() == ScanOrder::Forward ? ScanOrder::Reverse : ScanOrder::Forward;
    cotangents[3] = windows.prefix(r.splat(whole, 0), getFactors(), ct[0], back);
  }
  return cotangents;
}

SmallVector<Value> ScatterPrefixOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  if (!dx[2])
    return {Value()};
  RuleBuilder r(builder, getLoc());
  Value zeros = r.splat(getOperand().getType(), 0);
  return {Windows(*this, builder).prefix(zeros, getFactors(), r.mul(getResult(), dx[2]), getOrder())};
}

} // namespace tenferro::ir
