// From a function over the dialect to an artifact: pipelines, buffer plan, program, machine code.
#ifndef TENFERRO_COMPILER_FUNCTIONCOMPILER_H
#define TENFERRO_COMPILER_FUNCTIONCOMPILER_H

#include "lib/Compiler/CompileInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string_view>

namespace tenferro::compiler {

struct FunctionOptions {
  runtime::CpuLevel level = runtime::CpuLevel::V3;
  bool fuse = true;
  /// Verify the IR after every pass.
  bool verify = false;
  std::function<void(Stage, std::string_view)> dump;
  const std::atomic<bool> *abandoned = nullptr; ///< as in `CompileRequest`

  bool isAbandoned() const { return abandoned && abandoned->load(std::memory_order_relaxed); }
};

/// Compiles modules of one function. Keeps pass managers and the machine code of the last kernels, so one per context and
/// thread. Failures are diagnostics on the context, but for a compile that was abandoned.
class FunctionCompiler {
public:
  explicit FunctionCompiler(mlir::MLIRContext *context) : context_(context) {}

  /// `module` holds the function alone, of one block, with kept values lowered and bodies in place of custom calls; it is left
  /// lowered. `active` is not set.
  mlir::FailureOr<runtime::CompiledArtifact> compile(mlir::ModuleOp module, const FunctionOptions &options);

  /// Programs whose kernels' code was there already.
  uint64_t reusedObjects() const { return reused_; }

  /// Of all functions so far, as they came.
  size_t operations() const { return operations_; }

private:
  mlir::LogicalResult run(void (*build)(mlir::OpPassManager &), std::unique_ptr<mlir::PassManager> &passes,
                          mlir::ModuleOp module, const FunctionOptions &options);
  mlir::LogicalResult generateCode(struct EmittedProgram &emitted, const FunctionOptions &options,
                                   runtime::CompiledArtifact &artifact);

  mlir::MLIRContext *context_;
  std::unique_ptr<mlir::PassManager> fuse_, lower_;
  /// Objects by the keys of their kernels and the level.
  llvm::StringMap<std::vector<uint8_t>> objects_;
  uint64_t reused_ = 0;
  size_t operations_ = 0;
};

/// The text of an operation as a stage dump shows it.
std::string printed(mlir::Operation *op);

} // namespace tenferro::compiler

#endif // TENFERRO_COMPILER_FUNCTIONCOMPILER_H
