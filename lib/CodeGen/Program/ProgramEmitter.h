// From a planned function to the program the executor runs, and the list of kernels it needs compiled.
#ifndef TENFERRO_CODEGEN_PROGRAM_PROGRAMEMITTER_H
#define TENFERRO_CODEGEN_PROGRAM_PROGRAMEMITTER_H

#include "lib/CodeGen/Program/KernelLaunch.h"
#include "lib/Transforms/BufferPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/program/Program.h"

#include <string>
#include <vector>

namespace tenferro::compiler {

/// A program without code yet, and the kernels its launches name by function number.
struct EmittedProgram {
  runtime::Program program;
  std::vector<KernelRequest> kernels;
  std::vector<std::string> functions; ///< symbols by function number
  /// The operation each launch comes from: a kernel, an operation with a driver of its own, the view or the return that
  /// needs a copy.
  std::vector<mlir::Operation *> origins;
};

/// Emits the launches of a function whose values `plan` has placed. Operations in a kernel (lowered to linalg) become
/// JIT functions, equal ones one; every other operation runs on its precompiled kernel or driver. Fails with a
/// diagnostic on an operation that has neither.
mlir::FailureOr<EmittedProgram> emitProgram(mlir::func::FuncOp function, const BufferPlan &plan);

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_PROGRAM_PROGRAMEMITTER_H
