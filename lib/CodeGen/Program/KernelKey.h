// The text that tells two kernels apart.
#ifndef TENFERRO_CODEGEN_PROGRAM_KERNELKEY_H
#define TENFERRO_CODEGEN_PROGRAM_KERNELKEY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "runtime/core/KernelAbi.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace tenferro::compiler {

/// Canonical text of a kernel's scalar body, element types, kind of reduction and access: no shapes, no locations, no names.
std::string kernelKey(mlir::linalg::GenericOp generic, llvm::ArrayRef<runtime::Access> access);

/// The dimensions whose coordinate the body reads, ascending.
llvm::SmallVector<int64_t> indexDimensions(mlir::linalg::GenericOp generic);

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_PROGRAM_KERNELKEY_H
