// tenferro-simplify: exact algebra on tenferro operations.
#include "lib/Transforms/Cleanup.h"
#include "lib/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tenferro::compiler {

#define GEN_PASS_DEF_SIMPLIFYPASS
#include "lib/Transforms/Passes.h.inc"

namespace {

struct SimplifyPass : impl::SimplifyPassBase<SimplifyPass> {
  void runOnOperation() override { rewrites += simplify(getOperation()); }
};

} // namespace

/// Replaces `op` by what its folder says. Constants that a folder makes carry the location of the folded operation.
static bool foldOperation(mlir::Operation &op) {
  if (!op.getNumResults() || op.hasTrait<mlir::OpTrait::ConstantLike>())
    return false;
  mlir::OpBuilder builder(&op);
  llvm::SmallVector<mlir::Value> results;
  if (mlir::failed(builder.tryFold(&op, results)) || results.empty())
    return false;
  op.replaceAllUsesWith(results);
  op.erase();
  return true;
}

int64_t simplify(mlir::func::FuncOp function) {
  int64_t count = 0;
  for (mlir::Block &block : function.getBody()) {
    // Operands come before their users, so one pass forward sees simplified operands; what a rewrite leaves unused goes last.
    for (mlir::Operation &op : llvm::make_early_inc_range(block))
      count += foldOperation(op);
    eraseDeadOperations(block);
  }
  return count;
}

} // namespace tenferro::compiler
