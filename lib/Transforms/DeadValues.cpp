// tenferro-dead-values: erases unused operations and marks unused arguments.
#include "lib/Transforms/Cleanup.h"
#include "lib/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

namespace tenferro::compiler {

#define GEN_PASS_DEF_DEADVALUESPASS
#include "lib/Transforms/Passes.h.inc"

namespace {

struct DeadValuesPass : impl::DeadValuesPassBase<DeadValuesPass> {
  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    for (mlir::Block &block : llvm::reverse(function.getBody()))
      erased += eraseDeadOperations(block);
    for (mlir::BlockArgument argument : function.getArguments())
      if (argument.use_empty() && !function.getArgAttr(argument.getArgNumber(), "tenferro.unused")) {
        function.setArgAttr(argument.getArgNumber(), "tenferro.unused", mlir::UnitAttr::get(&getContext()));
        ++unused;
      }
  }
};

} // namespace

int64_t eraseDeadOperations(mlir::Block &block) {
  int64_t count = 0;
  for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (mlir::isOpTriviallyDead(&op)) {
      op.erase();
      ++count;
    }
  return count;
}

} // namespace tenferro::compiler
