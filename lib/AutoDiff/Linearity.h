// What it means for an operation to be linear in what it is given.
#ifndef TENFERRO_AUTODIFF_LINEARITY_H
#define TENFERRO_AUTODIFF_LINEARITY_H

#include "dialects/tenferro/DerivativeDialectInterface.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace tenferro::compiler {

/// Succeeds if `op` is linear in exactly those operands that are among `linear`; else says which operand is wrong.
mlir::LogicalResult checkLinearOperation(mlir::Operation *op, const llvm::DenseSet<mlir::Value> &linear,
                                         const ir::DerivativeDialectInterface &dialect);

} // namespace tenferro::compiler

#endif // TENFERRO_AUTODIFF_LINEARITY_H
