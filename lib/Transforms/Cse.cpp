// tenferro-cse: merges equal pure operations and keeps the locations of all of them.
#include "lib/Transforms/Cleanup.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/TraceNumber.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>

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

/// One location for `all` of them, or the first and the one of the smallest trace number.
static mlir::Location fuseAll(mlir::MLIRContext *context, llvm::SmallVector<mlir::Location> all) {
  auto fused = llvm::dyn_cast<mlir::FusedLoc>(mlir::FusedLoc::get(context, all));
  if (!fused || fused.getMetadata() || fused.getLocations().size() <= kMostLocations)
    return mlir::FusedLoc::get(context, all);
  llvm::ArrayRef<mlir::Location> given = fused.getLocations();
  llvm::SmallVector<mlir::Location> kept(given.take_front(kMostLocations - 1));
  kept.push_back(*std::min_element(given.begin() + kMostLocations - 1, given.end(), [](mlir::Location a, mlir::Location b) {
    return traceNumber(a) < traceNumber(b);
  }));
  return mlir::FusedLoc::get(context, kept);
}

mlir::Location fuseLocations(mlir::Location kept, mlir::Location other) {
  if (kept == other)
    return kept;
  auto fused = llvm::dyn_cast<mlir::FusedLoc>(kept);
  if (fused && !fused.getMetadata() && fused.getLocations().size() >= kMostLocations && traceNumber(kept) <= traceNumber(other))
    return kept;
  return fuseAll(kept.getContext(), {kept, other});
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
      survivor->setLoc(fuseAll(survivor->getContext(), all));
    }
  }
  return count;
}

} // namespace tenferro::compiler
