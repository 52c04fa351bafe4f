// Residual masks: whatever of an operation's operands and result its derivative still reads.
#include "lib/AutoDiff/ResidualMask.h"

#include "lib/AutoDiff/Derive.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenferro::compiler {

/// What `derived` reads of the sample's arguments and result; the copy of the sample's operation, if it is still there,
/// has the location of the original.
static ResidualMask readsOf(mlir::func::FuncOp derived, mlir::Operation *original) {
  mlir::Block &block = derived.getBody().front();
  unsigned count = original->getNumOperands();
  mlir::Operation *copy = nullptr;
  for (mlir::Operation &op : block) {
    if (op.getName() != original->getName() || op.getLoc() != original->getLoc())
      continue;
    copy = &op;
    break;
  }
  ResidualMask mask;
  mask.result = copy && !copy->use_empty();
  for (unsigned i = 0; i < count; ++i)
    for (mlir::Operation *user : block.getArgument(i).getUsers())
      if (user != copy)
        mask.operands |= 1u << i;
  return mask;
}

mlir::FailureOr<ResidualMask> deriveResidualMask(mlir::func::FuncOp sample, uint32_t active) {
  mlir::Block &block = sample.getBody().front();
  mlir::Operation *op = &block.front();
  if (block.getOperations().size() != 2 || op->getNumResults() != 1 || op->getNumOperands() > 32 ||
      !llvm::equal(op->getOperands(), block.getArguments()) ||
      !llvm::equal(block.getTerminator()->getOperands(), op->getResults()))
    return sample.emitError("a sample expects one operation on the arguments in order, and its result returned");
  llvm::SmallVector<mlir::Value> wrt;
  for (mlir::BlockArgument argument : block.getArguments())
    if (active >> argument.getArgNumber() & 1)
      wrt.push_back(argument);
  ResidualMask mask;
  VjpOptions reverse;
  reverse.result = sample.getSymName().str() + ".mask";
  mlir::FailureOr<Derived> derived = buildVjp(sample, wrt, reverse);
  if (mlir::failed(derived))
    return mlir::failure();
  mask |= readsOf(derived->function, op);
  derived->function.erase();
  JvpOptions forward;
  forward.result = reverse.result;
  derived = buildJvp(sample, wrt, forward);
  if (mlir::failed(derived))
    return mlir::failure();
  mask |= readsOf(derived->function, op);
  derived->function.erase();
  return mask;
}

} // namespace tenferro::compiler
