// What a launch computes for one element of its iteration space.
#ifndef TENFERRO_CODEGEN_GPU_ELEMENTBODY_H
#define TENFERRO_CODEGEN_GPU_ELEMENTBODY_H

#include "lib/CodeGen/Gpu/KernelWriter.h"

namespace tenferro::compiler {

/// Emits the elements a map stores or a reduction combines, as they are in memory. `origin` is a `tenferro.kernel`, an
/// element-wise operation, or anything else, of which the element is the first input's. `inputs` are strided over the
/// iteration space, whose coordinates are given.
llvm::SmallVector<mlir::Value> buildElements(KernelWriter &writer, mlir::Operation *origin,
                                             llvm::ArrayRef<Operand> inputs, mlir::ValueRange coordinates);

/// Succeeds unless `origin` is a kernel whose body cannot be copied: it computes scalars from its inputs alone, by
/// arith and math. Else a diagnostic says what is in the way.
mlir::LogicalResult checkBody(mlir::Operation *origin);

/// Whether it can raise an error.
bool isFallible(mlir::Operation *origin);

/// Whether it reads coordinates, so that the iteration space has to stay as it is.
bool readsCoordinates(llvm::ArrayRef<Operand> inputs);

/// The name of the kernel.
std::string labelOf(mlir::Operation *origin);

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_GPU_ELEMENTBODY_H
