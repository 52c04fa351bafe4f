// Counts the scalar body of element-wise operations after expansion, and the terms of the others.
#include "lib/Compiler/OpCost.h"

#include "dialects/tenferro/Creation.h"
#include "dialects/tenferro/Indexing.h"
#include "dialects/tenferro/Interfaces.h"
#include "lib/Conversion/ExpandMath/ExpandMath.h"
#include "lib/Transforms/OpFacts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;

namespace tenferro::compiler {

/// The type of one element as scalar bodies see it: u8 is signless.
static Type scalarType(Value value) {
  Type element = cast<ShapedType>(value.getType()).getElementType();
  if (auto integer = dyn_cast<IntegerType>(element); integer && !integer.isSignless())
    return IntegerType::get(value.getContext(), integer.getWidth());
  return element;
}

static int64_t flopsPerElement(Operation *op, ir::ElementwiseOpInterface elementwise) {
  OpBuilder builder(op->getContext());
  SmallVector<Type> types;
  for (Value operand : op->getOperands())
    types.push_back(scalarType(operand));
  if (isa<ir::IotaOp, ir::OneHotOp>(op)) // the coordinate
    types.push_back(builder.getI64Type());
  OwningOpRef<func::FuncOp> scratch =
      func::FuncOp::create(op->getLoc(), "scalar", builder.getFunctionType(types, TypeRange()));
  Block *body = scratch->addEntryBlock();
  builder.setInsertionPointToEnd(body);
  Value result = elementwise.buildScalar(builder, body->getArguments());
  func::ReturnOp::create(builder, op->getLoc(), result); // keeps the result while functions are expanded
  if (failed(expandMath(*scratch)))
    return 0;
  int64_t flops = 0;
  for (Operation &inner : *body) {
    if (isa<math::FmaOp>(inner))
      flops += 2;
    else if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, math::SqrtOp>(inner))
      flops += 1;
  }
  return flops;
}

OpCost costOf(Operation *op) {
  OpCost cost;
  const core::OpSchema *schema = schemaOf(op);
  if (!schema || schema->view)
    return cost;
  for (Value operand : op->getOperands())
    cost.bytes += bytesOf(operand);
  for (Value result : op->getResults())
    cost.bytes += bytesOf(result);
  const int64_t elements = valueTypeOf(op->getResult(0)).shape.elementCount();
  if (auto elementwise = dyn_cast<ir::ElementwiseOpInterface>(op)) {
    cost.flops = elements * flopsPerElement(op, elementwise);
  } else if (schema->kind == core::OpKind::DotGeneral) {
    int64_t terms = 1;
    for (int64_t axis : listAttribute(op, "lhs_contracting"))
      terms *= shapeOf(op->getOperand(0))[static_cast<size_t>(axis)];
    cost.flops = 2 * terms * elements;
  } else if (schema->family == "Reduction") {
    cost.flops = valueTypeOf(op->getOperand(0)).shape.elementCount();
  }
  return cost;
}

} // namespace tenferro::compiler
