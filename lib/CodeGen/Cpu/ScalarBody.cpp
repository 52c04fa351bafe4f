// Takes a kernel's body out of its generic and checks it.
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

bool isRaise(Operation &op) { return op.getName().getStringRef() == "tenferro.raise_if"; }

/// Whether the operation would become a call: a math function that has no expansion, or a float remainder.
static bool needsLibrary(Operation &op) {
  if (op.getName().getDialectNamespace() == "arith")
    return isa<arith::RemFOp>(op);
  return !isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::ClampFOp, math::CopySignOp, math::CountLeadingZerosOp,
              math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp, math::IsInfOp,
              math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp, math::RoundOp, math::SqrtOp, math::TruncOp>(op);
}

Type kernelType(Type type) { return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type; }

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

bool ScalarBody::widens() const {
  RareRegions regions(function_.get().getBody().front());
  return llvm::any_of(regions.operations(0), [&](Operation *op) {
    return op->getNumResults() == 1 && kernelType(op->getResult(0).getType()).getIntOrFloatBitWidth() > elementBits();
  });
}

bool ScalarBody::branches() const {
  Block &block = function_.get().getBody().front();
  return llvm::any_of(block, [](Operation &op) { return op.hasAttr(kRareAttribute); });
}

} // namespace tenferro::compiler
