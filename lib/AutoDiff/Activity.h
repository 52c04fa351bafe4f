// Which values a derivative has to follow: they depend on an active value and reach a result.
#ifndef TENFERRO_AUTODIFF_ACTIVITY_H
#define TENFERRO_AUTODIFF_ACTIVITY_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir {
class Block;
}

namespace tenferro::compiler {

/// Whether values of this type can have derivatives: tensors of static shape with float or complex elements.
bool isDifferentiable(mlir::Type type);

/// The values of a block that depend on one of `active` through differentiable operations and reach the terminator
/// through such. Integers, booleans and what comes out of a non-differentiable operation are not among them.
llvm::DenseSet<mlir::Value> findActiveValues(mlir::Block &block, llvm::ArrayRef<mlir::Value> active);

} // namespace tenferro::compiler

#endif // TENFERRO_AUTODIFF_ACTIVITY_H
