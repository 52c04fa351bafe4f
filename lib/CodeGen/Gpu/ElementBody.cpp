// Builds the scalar body of a launch inside a device kernel.
#include "lib/CodeGen/Gpu/ElementBody.h"

#include "dialects/tenferro/Structure.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tenferro::compiler {

static linalg::GenericOp genericOf(Operation *origin) {
  auto kernel = dyn_cast_or_null<ir::KernelOp>(origin);
  return kernel ? cast<linalg::GenericOp>(kernel.getBody().front().front()) : linalg::GenericOp();
}

LogicalResult checkBody(Operation *origin) {
  linalg::GenericOp generic = genericOf(origin);
  if (!generic)
    return success();
  Block &body = *generic.getBlock();
  for (BlockArgument output : body.getArguments().drop_front(generic.getNumDpsInputs()))
    if (!output.use_empty())
      return generic.emitOpError("expects a body that does not read its outputs, but output ")
             << output.getArgNumber() - generic.getNumDpsInputs() << " is read";
  auto how = generic->getAttrOfType<StringAttr>("tenferro.reduction");
  if (how && (how == "any" || how == "all") && !body.getTerminator()->getOperandTypes().front().isInteger(8))
    return generic.emitOpError("expects bools to reduce by ") << how;
  for (Operation &op : body) {
    bool isScalar = isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) && op.getNumResults() == 1;
    if (!isScalar && !isa<linalg::IndexOp, linalg::YieldOp, ir::RaiseIfOp>(op))
      return op.emitOpError("expects scalar operations of arith and math around it");
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != &body)
        return op.emitOpError("expects operands from the body it is in");
    for (Type type : op.getResultTypes())
      if (!type.isIndex() && !type.isF32() && !type.isF64() && !type.isSignlessInteger())
        return op.emitOpError("expects f32, f64 or signless integers, but got ") << type;
  }
  return success();
}

/// The scalar body of a kernel, copied. Bools are bytes in it already.
static SmallVector<Value> copyBody(KernelWriter &writer, linalg::GenericOp generic, ArrayRef<Operand> inputs,
                                   ValueRange coordinates) {
  Block &body = *generic.getBlock();
  IRMapping map;
  for (unsigned i = 0; i < generic.getNumDpsInputs(); ++i)
    map.map(body.getArgument(i), writer.load(inputs[i], coordinates));
  for (Operation &op : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) // loops are numbered from the slowest
      map.map(index.getResult(), coordinates[coordinates.size() - 1 - index.getDim()]);
    else
      writer.ops().clone(op, map);
  }
  SmallVector<Value> elements;
  for (Value value : body.getTerminator()->getOperands())
    elements.push_back(map.lookup(value));
  return elements;
}

/// The scalar meaning of an operation that runs alone.
static Value applyOperation(KernelWriter &writer, ir::ElementwiseOpInterface op, ArrayRef<Operand> inputs,
                            ValueRange coordinates) {
  OpBuilder &ops = writer.ops();
  SmallVector<Value> scalars;
  for (const Operand &input : inputs) {
    if (input.isCoordinate()) {
      scalars.push_back(arith::IndexCastOp::create(ops, writer.loc(), ops.getI64Type(),
                                                   coordinates[static_cast<size_t>(input.axis)]));
      continue;
    }
    Value element = writer.load(input, coordinates);
    if (input.dtype == DType::Bool)
      element =
          arith::CmpIOp::create(ops, writer.loc(), arith::CmpIPredicate::ne, element, writer.zero(element.getType()));
    scalars.push_back(element);
  }
  Value result = op.buildScalar(ops, scalars);
  if (result.getType().isSignlessInteger(1))
    result = arith::ExtUIOp::create(ops, writer.loc(), ops.getI8Type(), result);
  return result;
}

SmallVector<Value> buildElements(KernelWriter &writer, Operation *origin, ArrayRef<Operand> inputs,
                                 ValueRange coordinates) {
  if (linalg::GenericOp generic = genericOf(origin))
    return copyBody(writer, generic, inputs, coordinates);
  if (auto op = dyn_cast_or_null<ir::ElementwiseOpInterface>(origin))
    return {applyOperation(writer, op, inputs, coordinates)};
  return {writer.load(inputs.front(), coordinates)};
}

bool isFallible(Operation *origin) {
  bool raises = false;
  if (linalg::GenericOp generic = genericOf(origin)) {
    generic.walk([&](ir::RaiseIfOp) { raises = true; });
    return raises;
  }
  auto op = dyn_cast_or_null<ir::ElementwiseOpInterface>(origin);
  if (!op)
    return false;
  // Ask the scalar meaning itself, in a block that is thrown away.
  Block scratch;
  OpBuilder builder(origin->getContext());
  builder.setInsertionPointToStart(&scratch);
  SmallVector<Value> scalars;
  for (Value operand : op->getOperands()) {
    Type element = cast<RankedTensorType>(operand.getType()).getElementType();
    scalars.push_back(scratch.addArgument(
        element.isUnsignedInteger() ? builder.getIntegerType(element.getIntOrFloatBitWidth()) : element, op.getLoc()));
  }
  scalars.push_back(
      scratch.addArgument(builder.getI64Type(), op.getLoc())); // the coordinate, of those that ask for one
  op.buildScalar(builder, scalars);
  scratch.walk([&](ir::RaiseIfOp) { raises = true; });
  return raises;
}

bool readsCoordinates(ArrayRef<Operand> inputs) {
  return llvm::any_of(inputs, [](const Operand &input) { return input.isCoordinate(); });
}

std::string labelOf(Operation *origin) {
  if (auto kernel = dyn_cast_or_null<ir::KernelOp>(origin))
    return kernel.getLabel().str();
  return origin->getName().stripDialect().str();
}

} // namespace tenferro::compiler
