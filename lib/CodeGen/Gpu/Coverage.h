// Which operations have a device kernel.
#ifndef TENFERRO_CODEGEN_GPU_COVERAGE_H
#define TENFERRO_CODEGEN_GPU_COVERAGE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenferro::compiler {

/// Reports every operation of a lowered function that has no kernel on `target`, each at its location by name and
/// dtype, and every value that is too large for it.
mlir::LogicalResult checkCoverage(mlir::func::FuncOp function, llvm::StringRef target);

/// Reports what a kernel's code holds that no target lowers: a function of the math dialect without an expansion.
mlir::LogicalResult checkKernelCode(mlir::Operation *kernel, llvm::StringRef label, llvm::StringRef target);

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_GPU_COVERAGE_H
