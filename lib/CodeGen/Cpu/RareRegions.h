// What of a kernel's body only rare values need: the code behind selects that expansions mark with kRareAttribute.
#ifndef TENFERRO_CODEGEN_CPU_RAREREGIONS_H
#define TENFERRO_CODEGEN_CPU_RAREREGIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"

namespace tenferro::compiler {

/// A tree of regions over the operations of a block. Region 0 is what is always computed. Every run of neighbouring
/// marked selects of one condition makes a region, of what only their `true` values need, inside the region that needs
/// the selects. Operations that nothing needs are in no region.
class RareRegions {
public:
  explicit RareRegions(mlir::Block &block);

  /// The operations of a region in their order, without those of regions inside it; of a run only the first select.
  llvm::ArrayRef<mlir::Operation *> operations(unsigned region) const { return regions_[region].operations; }
  /// The region that a run starts, or 0 if `op` does not start one.
  unsigned startedBy(mlir::Operation *op) const { return starts_.lookup(op); }
  llvm::ArrayRef<mlir::arith::SelectOp> selects(unsigned region) const { return regions_[region].selects; }

private:
  struct Region {
    unsigned parent = 0, depth = 0;
    llvm::SmallVector<mlir::arith::SelectOp, 3> selects;
    llvm::SmallVector<mlir::Operation *> operations;
  };
  unsigned commonAncestor(unsigned a, unsigned b) const;

  llvm::SmallVector<Region> regions_;
  llvm::DenseMap<mlir::Operation *, unsigned> starts_;
};

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_CPU_RAREREGIONS_H
