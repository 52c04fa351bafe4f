// The operations of a block by what they compute, so that equal ones are merged as they are met.
#ifndef TENFERRO_TRANSFORMS_EQUALOPERATIONS_H
#define TENFERRO_TRANSFORMS_EQUALOPERATIONS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tenferro::compiler {

/// Meets the operations of one block in order. Operands, attributes and types of those it has met stay as they are.
class EqualOperations {
public:
  /// Erases `op` where an equal one stands before it, which all its uses get. Whether it did.
  bool merge(mlir::Operation *op);
  /// Gives each survivor the locations of what was merged into it. Survivors are still there.
  void fuseLocations();
  int64_t count() const { return count_; }

private:
  /// Operations as keys: equal names, operands, attributes and result types, wherever they came from.
  struct ByMeaning : llvm::DenseMapInfo<mlir::Operation *> {
    static unsigned getHashValue(const mlir::Operation *op);
    static bool isEqual(const mlir::Operation *a, const mlir::Operation *b);
  };

  llvm::DenseSet<mlir::Operation *, ByMeaning> seen_;
  // Locations are fused once per survivor at the end: one by one would copy the growing list each time.
  llvm::MapVector<mlir::Operation *, llvm::SetVector<mlir::Location>> locations_;
  int64_t count_ = 0;
};

} // namespace tenferro::compiler

#endif // TENFERRO_TRANSFORMS_EQUALOPERATIONS_H
