// Folding by interpretation: the scalar body is built over constants in a scratch block and arith's own folders run it.
#include "dialects/tenferro/ScalarFold.h"

#include "dialects/tenferro/Interfaces.h"
#include "dialects/tenferro/Structure.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tenferro::ir {

/// The one element of a splat as a scalar constant: u8 becomes signless.
static TypedAttr scalarOf(Attribute attribute) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!elements || !elements.isSplat())
    return {};
  if (isa<FloatType>(elements.getElementType()))
    return cast<TypedAttr>(elements.getSplatValue<Attribute>());
  APInt bits = elements.getSplatValue<APInt>();
  return IntegerAttr::get(IntegerType::get(attribute.getContext(), bits.getBitWidth()), bits);
}

/// Runs one operation of the body. False if it has no exact result.
static bool step(Operation &op, DenseMap<Value, Attribute> &known) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    known[constant] = constant.getValue();
    return true;
  }
  SmallVector<Attribute> operands;
  for (Value operand : op.getOperands())
    operands.push_back(known.lookup(operand));
  if (isa<RaiseIfOp>(op)) {
    auto condition = dyn_cast_or_null<IntegerAttr>(operands[0]);
    return condition && condition.getValue().isZero();
  }
  // Of math, what has one exact answer.
  if (!isa<arith::ArithDialect>(op.getDialect()) &&
      !isa<math::AbsFOp, math::CeilOp, math::FloorOp, math::RoundEvenOp, math::TruncOp>(op))
    return false;
  SmallVector<OpFoldResult> results;
  if (failed(op.fold(operands, results)) || results.size() != 1)
    return false;
  Attribute result = dyn_cast<Attribute>(results[0]);
  if (!result)
    result = known.lookup(cast<Value>(results[0]));
  known[op.getResult(0)] = result;
  return result != nullptr;
}

Attribute foldSplats(Operation *op, ArrayRef<Attribute> operands) {
  auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!elementwise || !type || operands.empty())
    return {};
  SmallVector<TypedAttr> scalars;
  for (Attribute operand : operands) {
    scalars.push_back(scalarOf(operand));
    if (!scalars.back())
      return {};
  }
  Block scratch;
  OpBuilder builder(op->getContext()); // no listener: nothing of the scratch block is seen outside
  builder.setInsertionPointToEnd(&scratch);
  SmallVector<Value> values;
  for (TypedAttr scalar : scalars)
    values.push_back(arith::ConstantOp::create(builder, op->getLoc(), scalar));
  Value result = elementwise.buildScalar(builder, values);
  DenseMap<Value, Attribute> known;
  for (Operation &inner : scratch)
    if (!step(inner, known))
      return {};
  Attribute scalar = known.lookup(result);
  if (auto number = dyn_cast_or_null<FloatAttr>(scalar))
    return DenseElementsAttr::get(type, number.getValue());
  if (auto number = dyn_cast_or_null<IntegerAttr>(scalar))
    return DenseElementsAttr::get(type, number.getValue());
  return {};
}

bool isSplatOf(Attribute attribute, double value) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!elements || !elements.isSplat())
    return false;
  Type element = elements.getElementType();
  if (auto type = dyn_cast<FloatType>(element)) {
    APFloat wanted(value);
    bool inexact = false;
    wanted.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
    return elements.getSplatValue<APFloat>().bitwiseIsEqual(wanted);
  }
  APInt bits = elements.getSplatValue<APInt>();
  return bits == APInt(bits.getBitWidth(), static_cast<uint64_t>(static_cast<int64_t>(value)), false, true);
}

} // namespace tenferro::ir
