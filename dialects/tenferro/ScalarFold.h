// Folding of element-wise operations on constants by interpreting their own scalar body.
#ifndef TENFERRO_DIALECT_SCALARFOLD_H
#define TENFERRO_DIALECT_SCALARFOLD_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"

namespace tenferro::ir {

/// The result of an element-wise operation whose operands are all splats, or null. Folds only where every step of the
/// body is exact or rounds once by IEEE 754; a body with a function such as exp, or an error, is left alone.
mlir::Attribute foldSplats(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands);

/// Whether the attribute is a splat of exactly this number (with this sign, if zero).
bool isSplatOf(mlir::Attribute attribute, double value);

} // namespace tenferro::ir

#endif // TENFERRO_DIALECT_SCALARFOLD_H
