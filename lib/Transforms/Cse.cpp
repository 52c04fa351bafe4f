// tenferro-cse: merges equal pure operations and keeps the locations of all of them.
#include "lib/Transforms/Cleanup.h"
#include "lib/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tenferro::compiler {

#define GEN_PASS_DEF_CSEPASS
#include "lib/Transforms/Passes.h.inc"

namespace {

/// Operations as keys: equal names, operands, attributes and result types, wherever they came from.
struct ByMeaning : llvm::DenseMapInfo<mlir::Operation *> {
  static unsigned getHashValue(const mlir::Operation *op) {
    return mlir::OperationEquivalence::computeHash(
        const_cast<mlir::Operation *>(op), mlir::OperationEquivalence::directHashValue,
        mlir::OperationEquivalence::ignoreHashValue, mlir::OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const mlir::Operation *a, const mlir::Operation *b) {
    if (a == b)
      return true;
    if (a == getEmptyKey() || a == getTombstoneKey() || b == getEmptyKey() || b == getTombstoneKey())
      return false;
    return mlir::OperationEquivalence::isEquivalentTo(const_cast<mlir::Operation *>(a),
                                                      const_cast<mlir::Operation *>(b),
                                                      mlir::OperationEquivalence::IgnoreLocations);
  }
};

struct CsePass : impl::CsePassBase<CsePass> {
  void runOnOperation() override { merged += mergeEqualOperations(getOperation()); }
};

} // namespace

mlir::Location fuseLocations(mlir::Location kept, mlir::Location other) {
  if (kept == other)
    return kept;
  return mlir::FusedLoc::get(kept.getContext(), {kept, other});
}

int64_t mergeEqualOperations(mlir::func::FuncOp function) {
  int64_t count = 0;
  for (mlir::Block &block : function.getBody()) {
    llvm::DenseSet<mlir::Operation *, ByMeaning> seen;
    // Locations are fused once per survivor at the end: one by one would copy the growing list each time.
    llvm::MapVector<mlir::Operation *, llvm::SetVector<mlir::Location>> locations;
    for (mlir::Operation &op : llvm::make_early_inc_range(block)) {
      if (op.hasTrait<mlir::OpTrait::IsTerminator>() || op.getNumRegions() || !mlir::isMemoryEffectFree(&op))
        continue;
      auto [entry, isNew] = seen.insert(&op);
      if (isNew)
        continue;
      mlir::Operation *survivor = *entry;
      locations[survivor].insert(op.getLoc());
      op.replaceAllUsesWith(survivor);
      op.erase();
      ++count;
    }
    for (auto &[survivor, others] : locations) {
      others.remove(survivor->getLoc());
      if (others.empty())
        continue;
      llvm::SmallVector<mlir::Location> all{survivor->getLoc()};
      llvm::append_range(all, others);
      survivor->setLoc(mlir::FusedLoc::get(survivor->getContext(), all));
    }
  }
  return count;
}

} // namespace tenferro::compiler
