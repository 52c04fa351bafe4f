// Programs as text for people: each operation with what it stands for behind it.
#ifndef TENFERRO_COMPILER_EXPLAIN_H
#define TENFERRO_COMPILER_EXPLAIN_H

#include "lib/Compiler/CompileInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace tenferro::compiler {

/// The lines of a source file behind and above the operations of a function.
struct Annotations {
  /// What is said of an operation's place, behind its term; may give an empty text.
  llvm::function_ref<std::string(mlir::Location)> place;
  /// A line above operations whose place differs from that of the operation before; may give an empty text.
  llvm::function_ref<std::string(mlir::Location)> heading;
  /// What is said of an argument; if set, arguments stand one below the other and attributes of the function are left
  /// out.
  llvm::function_ref<std::string(mlir::BlockArgument)> argument;
};

/// The function as MLIR, valid as input again, with comments: behind each operation of a derivative "// mul: cotangent
/// of operand 0". `state` was made for the function or an operation around it.
std::string explainFunction(mlir::func::FuncOp function, mlir::AsmState &state, const Annotations &annotations);

/// The same for all functions of a module, with the places of the source they were read from.
std::string explainModule(mlir::ModuleOp module);

/// The texts behind `compiler::explain`, in an MLIR context with all dialects. Fails with a diagnostic.
mlir::FailureOr<std::string> explainRequest(mlir::MLIRContext *context, const ExplainRequest &request);

} // namespace tenferro::compiler

#endif // TENFERRO_COMPILER_EXPLAIN_H
