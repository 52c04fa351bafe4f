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
    unused += markUnusedArguments(function);
  }
};

} // namespace

int64_t markUnusedArguments(mlir::func::FuncOp function) {
  mlir::MLIRContext *context = function.getContext();
  llvm::SmallVector<mlir::DictionaryAttr> attributes; // set at once: one by one is quadratic in the arguments
  function.getAllArgAttrs(attributes);
  int64_t marked = 0;
  for (mlir::BlockArgument argument : function.getArguments()) {
    mlir::NamedAttrList list(attributes[argument.getArgNumber()]);
    if (!argument.use_empty() || list.get("tenferro.unused"))
      continue;
    list.set("tenferro.unused", mlir::UnitAttr::get(context));
    attributes[argument.getArgNumber()] = list.getDictionary(context);
    ++marked;
  }
  if (marked)
    function.setAllArgAttrs(attributes);
  return marked;
}

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
