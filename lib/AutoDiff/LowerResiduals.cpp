// tenferro-lower-residuals: uses the values the tape kept in place of computing them again.
#include "lib/AutoDiff/Derive.h"
#include "lib/AutoDiff/Passes.h"

#include "dialects/tenferro/Interfaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace tenferro::compiler {

#define GEN_PASS_DEF_LOWERRESIDUALSPASS
#include "lib/AutoDiff/Passes.h.inc"

int64_t lowerResiduals(mlir::func::FuncOp function) {
  int64_t count = 0;
  for (mlir::Block &block : function.getBody()) {
    // Read all pairs first: once a use is replaced, a residual no longer says whose value it holds.
    llvm::SmallVector<mlir::Operation *> residuals;
    llvm::MapVector<mlir::Value, mlir::Value> keptFor;
    for (mlir::Operation &op : block)
      if (auto residual = llvm::dyn_cast<ir::ResidualOpInterface>(op)) {
        residuals.push_back(&op);
        // The producer is what stays: the residuals between go.
        mlir::Value computed = residual.getComputed();
        while (auto inner = computed.getDefiningOp<ir::ResidualOpInterface>())
          computed = inner.getComputed();
        // An argument is there before everything; another value may come after some uses, and replaces none of them.
        // A perturbation keeps what it perturbs: nothing to replace.
        if (llvm::isa<mlir::BlockArgument>(residual.getKept()) && residual.getKept() != computed)
          keptFor.try_emplace(computed, residual.getKept());
      }
    for (mlir::Operation *op : residuals) {
      op->getResult(0).replaceAllUsesWith(llvm::cast<ir::ResidualOpInterface>(op).getKept());
      op->erase();
      ++count;
    }
    for (auto [computed, kept] : keptFor)
      computed.replaceAllUsesWith(kept);
    for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (mlir::isOpTriviallyDead(&op)) {
        op.erase();
        ++count;
      }
  }
  return count;
}

namespace {

struct LowerResidualsPass : impl::LowerResidualsPassBase<LowerResidualsPass> {
  void runOnOperation() override { removed += lowerResiduals(getOperation()); }
};

} // namespace
} // namespace tenferro::compiler
