// tenferro-cse: merges equal pure operations and keeps the locations of all of them.
#include "lib/Transforms/Cleanup.h"
#include "lib/Transforms/EqualOperations.h"
#include "lib/Transforms/OpFacts.h"
#include "lib/Transforms/Passes.h"
#include "lib/Transforms/TraceNumber.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <algorithm>

namespace tenferro::compiler {

#define GEN_PASS_DEF_CSEPASS
#include "lib/Transforms/Passes.h.inc"

namespace {

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

unsigned EqualOperations::ByMeaning::getHashValue(const mlir::Operation *constant) {
  auto *op = const_cast<mlir::Operation *>(constant);
  auto mix = [](const void *pointer) { return reinterpret_cast<uint64_t>(pointer) * 0x9e3779b97f4a7c15u; };
  uint64_t hash = mix(op->getName().getAsOpaquePointer()) ^ static_cast<size_t>(op->hashProperties());
  hash += mix(op->getRawDictionaryAttrs().getAsOpaquePointer());
  uint64_t operands = 0; // a sum: the order does not matter to commutative operations
  for (mlir::Value operand : op->getOperands())
    operands += mix(operand.getAsOpaquePointer());
  for (mlir::Type type : op->getResultTypes())
    hash = (hash ^ hash >> 32) + mix(type.getAsOpaquePointer());
  hash += (operands ^ operands >> 29) * 0xbf58476d1ce4e5b9u;
  return static_cast<unsigned>(hash ^ hash >> 32);
}

bool EqualOperations::ByMeaning::isEqual(const mlir::Operation *a, const mlir::Operation *b) {
  if (a == b)
    return true;
  if (a == getEmptyKey() || a == getTombstoneKey() || b == getEmptyKey() || b == getTombstoneKey())
    return false;
  auto *first = const_cast<mlir::Operation *>(a), *second = const_cast<mlir::Operation *>(b);
  return first->getName() == second->getName() &&
         mlir::OperationEquivalence::isEquivalentTo(first, second, mlir::OperationEquivalence::IgnoreLocations);
}

bool EqualOperations::merge(mlir::Operation *op) {
  const bool isPure = schemaOf(op) || (!op->hasTrait<mlir::OpTrait::IsTerminator>() && !op->getNumRegions() &&
                                       mlir::isMemoryEffectFree(op)); // what a trace holds is pure
  if (!isPure)
    return false;
  auto [entry, isNew] = seen_.insert(op);
  mlir::Operation *survivor = *entry;
  if (isNew || survivor == op)
    return false;
  locations_[survivor].insert(op->getLoc());
  op->replaceAllUsesWith(survivor);
  op->erase();
  ++count_;
  return true;
}

void EqualOperations::fuseLocations() {
  for (auto &[survivor, others] : locations_) {
    others.remove(survivor->getLoc());
    if (others.empty())
      continue;
    llvm::SmallVector<mlir::Location> all{survivor->getLoc()};
    llvm::append_range(all, others);
    survivor->setLoc(fuseAll(survivor->getContext(), all));
  }
}

int64_t mergeEqualOperations(mlir::func::FuncOp function) {
  int64_t count = 0;
  for (mlir::Block &block : function.getBody()) {
    EqualOperations equal;
    for (mlir::Operation &op : llvm::make_early_inc_range(block))
      equal.merge(&op);
    equal.fuseLocations();
    count += equal.count();
  }
  return count;
}

} // namespace tenferro::compiler
