// The scalar body of a kernel, made from the operations of a fused group. For
//
//   ^bb0(%x: tensor<2x3xf64>, %b: tensor<3xf64>):
//     %0 = tenferro.broadcast_in_dim %b [1] : tensor<3xf64> to tensor<2x3xf64>
//     %1 = tenferro.add %x, %0
//
// element (i, j) of %1 asks for element (i, j) of %0, which is element (j) of %b: an operand is read through the axis map
// that the views above it compose to, and is a memory operand of the kernel with that map.
#include "lib/Conversion/TenferroToLinalg/KernelBody.h"

#include "dialects/tenferro/Interfaces.h"
#include "lib/Conversion/TenferroToLinalg/TenferroToLinalg.h"
#include "lib/Transforms/FusionPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <map>

using namespace mlir;

namespace tenferro::compiler {

using core::OpKind;

namespace {

/// The type a value has inside the body: u8 is signless there, bool is i1.
Type scalarType(Type element) {
  return element.isUnsignedInteger(8) ? IntegerType::get(element.getContext(), 8) : element;
}

/// The axis map of operand 0 of a view whose result is read through `axes`.
AxisMap throughView(Operation *op, const core::OpSchema &schema, const AxisMap &axes) {
  ArrayRef<int64_t> from = shapeOf(op->getOperand(0));
  AxisMap source(from.size(), -1);
  if (schema.kind == OpKind::Transpose) {
    IntList permutation = listAttribute(op, "permutation");
    for (size_t i = 0; i < permutation.size(); ++i)
      source[permutation[i]] = axes[i];
    return source;
  }
  IntList dims = listAttribute(op, "dims");
  ArrayRef<int64_t> to = shapeOf(op->getResult(0));
  for (size_t k = 0; k < dims.size(); ++k)
    source[k] = from[k] == to[dims[k]] ? axes[dims[k]] : -1;
  return source;
}

AxisMap without(const AxisMap &axes, int64_t axis) {
  AxisMap rest = axes;
  rest.erase(rest.begin() + axis);
  return rest;
}

AxisMap identity(size_t rank) {
  AxisMap axes;
  for (size_t d = 0; d < rank; ++d)
    axes.push_back(static_cast<int64_t>(d));
  return axes;
}

bool isView(OpKind kind) { return kind == OpKind::Transpose || kind == OpKind::BroadcastInDim; }

/// Walks a group from its results: the one place that knows how each operation reads its operands.
class Walk {
public:
  Walk(ir::FusedOp fused, OpBuilder *builder, SmallVector<KernelInput> inputs, ValueRange elements)
      : inputs_(std::move(inputs)), fused_(fused), builder_(builder), elements_(elements) {}

  LogicalResult run() {
    Block &block = fused_.getBody().front();
    AxisMap all = identity(fused_.getIteration().size());
    // In program order, so that no chain of operations is walked by recursion.
    for (Operation &op : block.without_terminator()) {
      const core::OpSchema *schema = schemaOf(&op);
      if (!schema || !schema->elementwise || shapeOf(op.getResult(0)) != fused_.getIteration())
        continue;
      if (fusionRole(&op) == FusionRole::Elementwise && failed(visit(op.getResult(0), all)))
        return failure();
    }
    for (Value yielded : block.getTerminator()->getOperands()) {
      Operation *op = yielded.getDefiningOp();
      if (op && fusionRole(op) == FusionRole::Reduction)
        yielded = op->getOperand(0);
      if (failed(visit(yielded, all)))
        return failure();
      results_.push_back(lookup(yielded, all));
    }
    return success();
  }

  SmallVector<KernelInput> inputs_;
  SmallVector<Value> results_;

private:
  using Key = std::pair<void *, std::vector<int64_t>>;
  static Key key(Value value, const AxisMap &axes) {
    return {value.getAsOpaquePointer(), std::vector<int64_t>(axes.begin(), axes.end())};
  }
  Value lookup(Value value, const AxisMap &axes) { return values_[key(value, axes)]; }

  /// Makes the scalar of an element of `value` read through `axes`; without a builder only notes what is read.
  LogicalResult visit(Value value, const AxisMap &axes) {
    if (values_.count(key(value, axes)))
      return success();
    FailureOr<Value> made = make(value, axes);
    if (failed(made))
      return failure();
    values_[key(value, axes)] = *made;
    return success();
  }

  FailureOr<Value> make(Value value, const AxisMap &axes) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return readInput({argument.getArgNumber(), axes}, value.getType());
    Operation *op = value.getDefiningOp();
    DenseElementsAttr constant;
    if (matchPattern(op, m_Constant(&constant)) && constant.isSplat())
      return builder_ ? makeConstant(op->getLoc(), constant) : Value();
    const core::OpSchema *schema = schemaOf(op);
    auto elementwise = dyn_cast<ir::ElementwiseOpInterface>(op);
    if (!schema || (!isView(schema->kind) && !elementwise))
      return op->emitOpError("cannot be part of a kernel: expects element-wise operations, transposes, broadcasts and "
                             "splat constants"), failure();
    SmallVector<std::pair<Value, AxisMap>> operands;
    int64_t coordinate = -1;
    if (isView(schema->kind)) {
      operands.push_back({op->getOperand(0), throughView(op, *schema, axes)});
    } else if (schema->kind == OpKind::Iota) {
      coordinate = listAttribute(op, "axis")[0];
    } else if (schema->kind == OpKind::OneHot) {
      coordinate = listAttribute(op, "axis")[0];
      operands.push_back({op->getOperand(0), without(axes, coordinate)});
    } else {
      for (Value operand : op->getOperands())
        operands.push_back({operand, axes});
    }
    SmallVector<Value> scalars;
    for (auto &[operand, map] : operands) {
      if (failed(visit(operand, map)))
        return failure();
      scalars.push_back(lookup(operand, map));
    }
    if (!builder_)
      return Value();
    if (isView(schema->kind))
      return scalars.front();
    if (coordinate >= 0)
      scalars.push_back(makeCoordinate(op->getLoc(), axes[coordinate]));
    return elementwise.buildScalar(*builder_, scalars);
  }

  Value readInput(const KernelInput &input, Type tensor) {
    auto at = llvm::find(inputs_, input);
    if (!builder_) {
      if (at == inputs_.end())
        inputs_.push_back(input);
      return Value();
    }
    Value element = elements_[std::distance(inputs_.begin(), at)];
    if (!cast<RankedTensorType>(tensor).getElementType().isSignlessInteger(1))
      return element;
    Value zero = arith::ConstantOp::create(*builder_, fused_.getLoc(), builder_->getI8IntegerAttr(0));
    return arith::CmpIOp::create(*builder_, fused_.getLoc(), arith::CmpIPredicate::ne, element, zero);
  }

  Value makeConstant(Location loc, DenseElementsAttr constant) {
    Type type = scalarType(constant.getElementType());
    if (isa<FloatType>(type))
      return arith::ConstantOp::create(*builder_, loc,
                                       cast<TypedAttr>(FloatAttr::get(type, constant.getSplatValue<APFloat>())));
    return arith::ConstantOp::create(*builder_, loc,
                                     cast<TypedAttr>(IntegerAttr::get(type, constant.getSplatValue<APInt>())));
  }

  /// The coordinate along an axis of the iteration space as i64. Loops are numbered from the slowest.
  Value makeCoordinate(Location loc, int64_t axis) {
    if (axis < 0)
      return arith::ConstantOp::create(*builder_, loc, builder_->getI64IntegerAttr(0));
    int64_t loop = static_cast<int64_t>(fused_.getIteration().size()) - 1 - axis;
    Value index = linalg::IndexOp::create(*builder_, loc, static_cast<uint64_t>(loop));
    return arith::IndexCastOp::create(*builder_, loc, builder_->getI64Type(), index);
  }

  ir::FusedOp fused_;
  OpBuilder *builder_;
  ValueRange elements_;
  std::map<Key, Value> values_;
};

} // namespace

FailureOr<SmallVector<KernelInput>> collectKernelInputs(ir::FusedOp fused) {
  Walk walk(fused, nullptr, {}, {});
  if (failed(walk.run()))
    return failure();
  return walk.inputs_;
}

FailureOr<SmallVector<Value>> buildKernelBody(OpBuilder &builder, ir::FusedOp fused, ArrayRef<KernelInput> inputs,
                                              ValueRange elements) {
  Walk walk(fused, &builder, SmallVector<KernelInput>(inputs), elements);
  if (failed(walk.run()))
    return failure();
  SmallVector<Value> stored;
  for (Value value : walk.results_)
    stored.push_back(value.getType().isSignlessInteger(1)
                         ? arith::ExtUIOp::create(builder, value.getLoc(), builder.getI8Type(), value).getResult()
                         : value);
  return stored;
}

} // namespace tenferro::compiler
