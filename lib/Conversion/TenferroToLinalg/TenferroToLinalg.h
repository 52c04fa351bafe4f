// Fused groups on tensors become kernels on buffers.
#ifndef TENFERRO_CONVERSION_TENFERROTOLINALG_TENFERROTOLINALG_H
#define TENFERRO_CONVERSION_TENFERROTOLINALG_TENFERROTOLINALG_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"

namespace tenferro::ir {
class FusedOp;
}

namespace tenferro::compiler {

#define GEN_PASS_DECL
#include "lib/Conversion/TenferroToLinalg/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lib/Conversion/TenferroToLinalg/Passes.h.inc"

/// Replaces every `tenferro.fused` of the function by a `tenferro.kernel`. Fails with a diagnostic on an operation that
/// cannot be part of one.
mlir::LogicalResult convertToLinalg(mlir::func::FuncOp function);

/// Fills the body of a kernel: at the builder's insertion point, a `linalg.generic` that computes `fused` from `buffers`, the
/// memrefs of its inputs and outputs. Null after a diagnostic.
mlir::linalg::GenericOp buildGeneric(mlir::OpBuilder &builder, ir::FusedOp fused, mlir::ValueRange buffers);

/// A tensor as a buffer, dimensions reversed: the last dimension of a memref varies fastest.
mlir::MemRefType bufferType(mlir::Type tensor);

} // namespace tenferro::compiler

#endif // TENFERRO_CONVERSION_TENFERROTOLINALG_TENFERROTOLINALG_H
