// Verification of kernels and their errors.
#include "dialects/tenferro/Structure.h"

#include "dialects/tenferro/Reduction.h"

#include "runtime/core/KernelAbi.h"

#define GET_OP_CLASSES
#include "dialects/tenferro/Structure.cpp.inc"

using namespace mlir;

namespace tenferro::ir {

LogicalResult RaiseIfOp::verify() {
  int64_t error = static_cast<int64_t>(getError());
  if (error < static_cast<int64_t>(runtime::KernelError::DivisionByZero) ||
      error > static_cast<int64_t>(runtime::KernelError::NegativePower))
    return emitOpError("expects a kernel error of 1 to 3, but got ") << error;
  return success();
}

Type memoryType(Type element) {
  bool isByte = element.isSignlessInteger(1) || element.isUnsignedInteger(8);
  return isByte ? IntegerType::get(element.getContext(), 8) : element;
}

LogicalResult KernelOp::verify() {
  Block &body = getBody().front();
  size_t expected = getInputs().size() + getOutputs().size();
  if (body.getNumArguments() != expected)
    return emitOpError("expects a body of ") << expected << " arguments, but got " << body.getNumArguments();
  SmallVector<Type> tensors(getOperandTypes());
  llvm::append_range(tensors, getResultTypes());
  for (auto [i, type] : llvm::enumerate(tensors)) {
    auto tensor = cast<RankedTensorType>(type);
    auto memref = dyn_cast<MemRefType>(body.getArgument(i).getType());
    if (!memref || !llvm::equal(memref.getShape(), llvm::reverse(tensor.getShape())) ||
        memref.getElementType() != memoryType(tensor.getElementType()))
      return emitOpError("expects argument ")
             << i << " of the body to be a memref of element type and reversed shape of " << tensor << ", but got "
             << body.getArgument(i).getType();
  }
  return success();
}

LogicalResult FusedOp::verify() {
  Block &block = getBody().front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return emitOpError("expects a body that ends in tenferro.yield");
  if (TypeRange(block.getArgumentTypes()) != TypeRange(getInputs().getTypes()))
    return emitOpError("expects a body argument per input, of its type");
  if (TypeRange(yield.getValues().getTypes()) != TypeRange(getResultTypes()))
    return emitOpError("expects a yielded value per result, of its type");
  for (Value value : yield.getValues()) {
    Value iterated = value;
    if (Operation *op = value.getDefiningOp(); isa_and_nonnull<SumOp, ProdOp, MaxOp, MinOp, AnyOp, AllOp>(op)) {
      if (yield.getValues().size() > 1)
        return emitOpError("expects a reduction to be the only result, but got ") << yield.getValues().size();
      iterated = op->getOperand(0);
    }
    if (cast<RankedTensorType>(iterated.getType()).getShape() != getIteration())
      return emitOpError("expects results over the iteration space [")
             << getIteration() << "], but got " << iterated.getType();
  }
  return success();
}

} // namespace tenferro::ir
