// A function of an IR file as a compiled program.
#include "tools/tenferro-run/CompileFile.h"

#include "lib/AutoDiff/Derive.h"
#include "lib/Compiler/Context.h"
#include "lib/Compiler/FunctionCompiler.h"
#include "lib/Transforms/Cleanup.h"

#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tenferro::compiler {

static Failure invalid(std::string message) {
  Failure failure;
  failure.kind = ErrorKind::InvalidArgument;
  failure.phase = Phase::Compile;
  failure.op = "tenferro-run";
  failure.message = std::move(message);
  return failure;
}

core::Expected<runtime::CompiledArtifact> compileFile(const std::string &path, const std::string &entry,
                                                      const CompileRequest &options) {
  std::unique_ptr<MLIRContext> context = createContext();
  DialectRegistry registry;
  func::registerInlinerExtension(registry);
  context->appendDialectRegistry(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, context.get());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, sources, ParserConfig(context.get()));
  if (!module)
    return invalid("expects a file of IR, but could not read '" + path + "'");
  // A program is one function. The inliner's own clean-up stays off: what runs is what the file says.
  PassManager inlining(context.get());
  inlining.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  if (failed(inlining.run(*module)))
    return invalid("could not inline the calls of '" + path + "'");
  func::FuncOp chosen;
  for (func::FuncOp function : module->getOps<func::FuncOp>()) {
    if (!entry.empty() && function.getName() != entry)
      continue;
    if (chosen)
      return invalid("expects --entry where the file has several functions");
    chosen = function;
  }
  if (!chosen)
    return invalid(entry.empty() ? "expects a function in '" + path + "'"
                                 : "expects a function '" + entry + "' in '" + path + "'");
  lowerResiduals(chosen);
  if (failed(checkBodiesEnd(*module)))
    return invalid("could not inline the calls of '" + path + "'");
  inlineCustomCalls(chosen);
  for (func::FuncOp function : llvm::make_early_inc_range(module->getOps<func::FuncOp>()))
    if (function != chosen)
      function.erase();
  FunctionCompiler compiler(context.get());
  FailureOr<runtime::CompiledArtifact> artifact =
      compiler.compile(*module, {options.level, options.fuse, /*verify=*/true, options.dump});
  if (failed(artifact))
    return invalid("could not compile '" + chosen.getName().str() + "'");
  return std::move(*artifact);
}

} // namespace tenferro::compiler
