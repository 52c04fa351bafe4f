// Checks a kernel's body, and clones it operation by operation with vector types.
#include "lib/CodeGen/Cpu/ScalarBody.h"

#include "lib/CodeGen/Cpu/RareRegions.h"
#include "lib/Conversion/ExpandMath/ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

#include <set>

using namespace mlir;

namespace tenferro::compiler {

static bool isRaise(Operation &op) { return op.getName().getStringRef() == "tenferro.raise_if"; }

/// Whether the operation would become a call: a math function that has no expansion, or a float remainder.
static bool needsLibrary(Operation &op) {
  if (op.getName().getDialectNamespace() == "arith")
    return isa<arith::RemFOp>(op);
  return !isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::ClampFOp, math::CopySignOp, math::CountLeadingZerosOp,
              math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp, math::IsInfOp,
              math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp, math::RoundOp, math::SqrtOp, math::TruncOp>(op);
}

/// Coordinates are i64 in kernels.
static Type kernelType(Type type) { return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type; }

FailureOr<ScalarBody> ScalarBody::extract(linalg::GenericOp generic) {
  ScalarBody body;
  Block &source = *generic.getBlock();
  MLIRContext *context = generic.getContext();
  body.memoryInputs_ = generic.getNumDpsInputs();
  for (BlockArgument argument : source.getArguments().drop_front(body.memoryInputs_))
    if (!argument.use_empty())
      return generic.emitOpError("kernel body reads its output; the combination of a reduction is an attribute");

  std::set<uint64_t> dimensions;
  source.walk([&](linalg::IndexOp op) { dimensions.insert(op.getDim()); });
  body.indexInputs_ = dimensions.size();

  OpBuilder builder(context);
  for (BlockArgument argument : source.getArguments().take_front(body.memoryInputs_))
    body.inputTypes_.push_back(argument.getType());
  body.inputTypes_.append(dimensions.size(), builder.getI64Type());
  Operation *yield = source.getTerminator();
  body.outputTypes_.assign(yield->operand_type_begin(), yield->operand_type_end());

  body.function_ =
      func::FuncOp::create(generic.getLoc(), "body", builder.getFunctionType(body.inputTypes_, body.outputTypes_));
  Block *block = body.function_->addEntryBlock();
  builder.setInsertionPointToEnd(block);
  IRMapping map;
  for (unsigned i = 0; i < body.memoryInputs_; ++i)
    map.map(source.getArgument(i), block->getArgument(i));
  for (Operation &op : source.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      unsigned position = std::distance(dimensions.begin(), dimensions.find(index.getDim()));
      Value coordinate = block->getArgument(body.memoryInputs_ + position);
      map.map(index.getResult(),
              arith::IndexCastOp::create(builder, op.getLoc(), builder.getIndexType(), coordinate).getResult());
      continue;
    }
    builder.clone(op, map);
  }
  SmallVector<Value> results;
  for (Value value : yield->getOperands())
    results.push_back(map.lookupOrDefault(value));
  for (Value value : results)
    if (value.getParentBlock() != block)
      return generic.emitOpError("kernel body yields a value from outside itself");
  func::ReturnOp::create(builder, generic.getLoc(), results);
  if (failed(expandMath(body.function_.get())) || failed(body.inspect()))
    return failure();
  return body;
}

LogicalResult ScalarBody::inspect() {
  Block &block = function_->getBody().front();
  auto see = [&](Operation *op, Type type) -> LogicalResult {
    type = kernelType(type);
    bool fits = type.isF32() || type.isF64() || type.isSignlessInteger(1) || type.isSignlessInteger(8) ||
                type.isSignlessInteger(16) || type.isSignlessInteger(32) || type.isSignlessInteger(64);
    if (!fits)
      return op->emitOpError("kernel body expects f32, f64 or signless integers, but got ") << type;
    widestBits_ = std::max(widestBits_, type.getIntOrFloatBitWidth());
    return success();
  };
  for (Type type : inputTypes_)
    if (failed(see(function_.get(), type)))
      return failure();
  memoryBits_ = widestBits_;
  for (Type type : outputTypes_)
    memoryBits_ = std::max(memoryBits_, kernelType(type).getIntOrFloatBitWidth());
  for (Operation &op : block.without_terminator()) {
    if (isRaise(op)) {
      auto error = op.getAttrOfType<IntegerAttr>("error");
      if (!error || op.getNumOperands() != 1 || !op.getOperand(0).getType().isSignlessInteger(1))
        return op.emitOpError("expects one i1 operand and an integer attribute 'error'");
      fallible_ = true;
      continue;
    }
    StringRef dialect = op.getName().getDialectNamespace();
    if ((dialect != "arith" && dialect != "math") || op.getNumResults() != 1 || op.getNumRegions() != 0)
      return op.emitOpError("cannot be part of a kernel body: expects scalar arith or math operations");
    if (needsLibrary(op))
      return op.emitOpError("cannot be part of a kernel body: it has no expansion, and kernels call no library");
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != &block)
        return op.emitOpError("kernel body uses a value from outside itself");
    if (failed(see(&op, op.getResult(0).getType())))
      return failure();
    weight_ += !isa<arith::ConstantOp>(op);
  }
  return success();
}

/// index_cast between i64 and index is nothing here; between other widths it is an extension or truncation.
static Value castCoordinate(KernelBuilder &builder, Value value, Type element, unsigned lanes, bool isSigned) {
  unsigned from = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth(), to = element.getIntOrFloatBitWidth();
  Type type = builder.vectorType(element, lanes);
  if (from == to)
    return value;
  if (from > to)
    return arith::TruncIOp::create(builder.ops(), builder.loc(), type, value);
  return isSigned ? Value(arith::ExtSIOp::create(builder.ops(), builder.loc(), type, value))
                  : Value(arith::ExtUIOp::create(builder.ops(), builder.loc(), type, value));
}

/// Whether any lane of a vector of i1 is set.
static Value anyLane(KernelBuilder &builder, Value condition) {
  OpBuilder &ops = builder.ops();
  Location loc = builder.loc();
  Type bits = ops.getIntegerType(cast<VectorType>(condition.getType()).getNumElements());
  Value word = LLVM::BitcastOp::create(ops, loc, bits, condition);
  Value zero = arith::ConstantOp::create(ops, loc, bits, ops.getIntegerAttr(bits, 0));
  return arith::CmpIOp::create(ops, loc, arith::CmpIPredicate::ne, word, zero);
}

/// Lowers `status` to this operation's where a lane of `condition` within `mask` is set.
static void raise(KernelBuilder &builder, Value condition, Value mask, runtime::Status raised, Value &status) {
  OpBuilder &ops = builder.ops();
  Location loc = builder.loc();
  if (mask)
    condition = arith::AndIOp::create(ops, loc, condition, mask);
  Value lowered = arith::MinUIOp::create(ops, loc, status, builder.i64(static_cast<int64_t>(raised)));
  status = arith::SelectOp::create(ops, loc, anyLane(builder, condition), lowered, status);
}

namespace {

/// Clones a body's operations with vector types.
struct VectorBody {
  KernelBuilder &builder;
  unsigned lanes;
  Value mask;
  Value &status;
  RareRegions regions;
  IRMapping map;
  uint64_t ordinal = 0;

  void region(unsigned number) {
    for (Operation *op : regions.operations(number))
      if (unsigned inside = regions.startedBy(op))
        rare(inside);
      else
        clone(*op);
  }

  /// The region's operations behind a branch that is taken where any lane selects their values.
  void rare(unsigned number) {
    OpBuilder &ops = builder.ops();
    Location loc = builder.loc();
    SmallVector<arith::SelectOp> selects(regions.selects(number));
    Value condition = map.lookup(selects[0].getCondition());
    Value never = arith::ConstantIntOp::create(ops, loc, 0, 1);
    Value any = LLVM::ExpectOp::create(ops, loc, anyLane(builder, condition), never);
    SmallVector<Value> values;
    for (arith::SelectOp select : selects)
      values.push_back(map.lookup(select.getFalseValue()));
    builder.when(any, values, [&](SmallVectorImpl<Value> &values) {
      region(number);
      for (size_t i = 0; i < values.size(); ++i)
        values[i] = arith::SelectOp::create(ops, loc, condition, map.lookup(selects[i].getTrueValue()), values[i]);
    });
    for (size_t i = 0; i < values.size(); ++i)
      map.map(selects[i].getResult(), values[i]);
  }

  void clone(Operation &op) {
    OpBuilder &ops = builder.ops();
    if (isRaise(op)) {
      auto error = static_cast<runtime::KernelError>(op.getAttrOfType<IntegerAttr>("error").getInt());
      raise(builder, map.lookup(op.getOperand(0)), mask, runtime::makeStatus(ordinal++, error), status);
      return;
    }
    Value result = op.getResult(0);
    Type element = kernelType(result.getType());
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      Attribute value = constant.getValue();
      if (result.getType().isIndex())
        value = ops.getI64IntegerAttr(cast<IntegerAttr>(value).getInt());
      map.map(result, builder.constant(value, builder.vectorType(element, lanes)));
    } else if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
      map.map(result,
              castCoordinate(builder, map.lookup(op.getOperand(0)), element, lanes, isa<arith::IndexCastOp>(op)));
    } else if (isa<arith::MaximumFOp, arith::MinimumFOp>(op)) {
      Value a = map.lookup(op.getOperand(0)), b = map.lookup(op.getOperand(1));
      map.map(result, builder.floatExtremum(a, b, isa<arith::MaximumFOp>(op)));
    } else {
      // Every other operation of the two dialects is element-wise: the same operation on vectors.
      Operation *copy = op.clone(map);
      copy->getResult(0).setType(builder.vectorType(element, lanes));
      map.map(result, ops.insert(copy)->getResult(0));
    }
  }
};

} // namespace

SmallVector<Value> ScalarBody::apply(KernelBuilder &builder, unsigned lanes, ValueRange inputs, Value mask,
                                     Value &status) const {
  Block &block = function_.get().getBody().front();
  VectorBody body{builder, lanes, mask, status, RareRegions(block), {}};
  body.map.map(block.getArguments(), inputs);
  Operation *end = block.getTerminator();
  body.region(0);
  SmallVector<Value> results;
  for (Value value : end->getOperands())
    results.push_back(body.map.lookup(value));
  return results;
}

} // namespace tenferro::compiler
