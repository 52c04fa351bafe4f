// Assigns operations to regions from the last one up: an operation belongs where all its users are.
#include "lib/CodeGen/Cpu/RareRegions.h"

#include "lib/Conversion/ExpandMath/ExpandMath.h"

using namespace mlir;

namespace tenferro::compiler {

static arith::SelectOp asRare(Operation *op) {
  auto select = dyn_cast_or_null<arith::SelectOp>(op);
  return select && select->hasAttr(kRareAttribute) ? select : nullptr;
}

static bool continuesRun(arith::SelectOp select) {
  auto before = asRare(select->getPrevNode());
  return before && before.getCondition() == select.getCondition();
}

RareRegions::RareRegions(Block &block) : regions_(1) {
  llvm::DenseMap<Operation *, unsigned> home;    // the region that computes an operation
  llvm::DenseMap<Operation *, unsigned> chooses; // of a marked select: the region of its run
  llvm::SmallPtrSet<Operation *, 8> dead; // computed for nothing: they would hold what they use outside of regions
  unsigned run = 0;
  for (Operation &op : llvm::reverse(block)) {
    std::optional<unsigned> needed;
    for (OpOperand &use : op.getUses()) {
      Operation *user = use.getOwner();
      if (dead.contains(user))
        continue;
      unsigned region = use.getOperandNumber() == 1 && chooses.contains(user) ? chooses[user] : home[user];
      needed = needed ? commonAncestor(*needed, region) : region;
    }
    if (&op == block.getTerminator())
      continue;
    auto select = asRare(&op);
    if (!needed && op.getNumResults() && !select) {
      dead.insert(&op);
      continue;
    }
    unsigned region = needed.value_or(0);
    if (!select) {
      home[&op] = region;
      regions_[region].operations.push_back(&op);
      continue;
    }
    // The selects of a run have one home. The last one comes first.
    if (!run) {
      run = regions_.size();
      regions_.push_back({region, /*depth, until the parent is known=*/~0u, {}, {}});
    }
    Region &mine = regions_[run];
    mine.parent = commonAncestor(mine.parent, region);
    mine.selects.push_back(select);
    chooses[&op] = run;
    if (continuesRun(select))
      continue;
    mine.depth = regions_[mine.parent].depth + 1;
    for (arith::SelectOp each : mine.selects)
      home[each] = mine.parent;
    std::reverse(mine.selects.begin(), mine.selects.end());
    regions_[mine.parent].operations.push_back(&op);
    starts_[&op] = run;
    run = 0;
  }
  for (Region &region : regions_)
    std::reverse(region.operations.begin(), region.operations.end());
}

unsigned RareRegions::commonAncestor(unsigned a, unsigned b) const {
  while (a != b)
    (regions_[a].depth >= regions_[b].depth ? a : b) = regions_[regions_[a].depth >= regions_[b].depth ? a : b].parent;
  return a;
}

} // namespace tenferro::compiler
