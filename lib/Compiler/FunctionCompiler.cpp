// From a function over the dialect to an artifact: pipelines, buffer plan, program, machine code.
#include "lib/Compiler/FunctionCompiler.h"

#include "lib/CodeGen/Cpu/CpuCodeGen.h"
#include "lib/CodeGen/Program/ProgramEmitter.h"
#include "lib/Compiler/Pipelines.h"
#include "lib/Transforms/BufferPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenferro::compiler {

std::string printed(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, OpPrintingFlags().enableDebugInfo(true, /*prettyForm=*/true));
  os << "\n";
  return text;
}

LogicalResult FunctionCompiler::run(void (*build)(OpPassManager &), std::unique_ptr<PassManager> &passes,
                                    ModuleOp module, const FunctionOptions &options) {
  if (!passes) {
    passes = std::make_unique<PassManager>(context_, ModuleOp::getOperationName());
    build(*passes);
  }
  passes->enableVerifier(options.verify);
  return passes->run(module);
}

LogicalResult FunctionCompiler::generateCode(EmittedProgram &emitted, const FunctionOptions &options,
                                             runtime::CompiledArtifact &artifact) {
  artifact.functions = emitted.functions;
  if (emitted.kernels.empty())
    return success();
  constexpr size_t kMostObjects = 256;
  std::string key = std::to_string(static_cast<int>(options.level));
  for (const KernelRequest &kernel : emitted.kernels)
    key += kernel.key;
  auto known = objects_.find(key);
  if (known != objects_.end() && !options.dump) {
    artifact.object = known->second;
    ++reused_;
    return success();
  }
  CpuModule code(context_, options.level);
  for (KernelRequest &kernel : emitted.kernels) {
    LogicalResult added =
        kernel.isReduction
            ? code.addReduce(kernel.symbols[0], kernel.symbols.size() > 1 ? kernel.symbols[1] : "", kernel.generic,
                             kernel.access, kernel.access)
            : code.addMap(kernel.symbols[0], kernel.generic, kernel.access);
    if (failed(added))
      return failure();
  }
  DumpCallback dump;
  if (options.dump)
    dump = [&](StringRef stage, StringRef text) {
      options.dump(stage == "asm" ? Stage::Asm : Stage::Llvm, std::string_view(text.data(), text.size()));
    };
  FailureOr<std::vector<uint8_t>> object = code.emitObject(dump);
  if (failed(object))
    return failure();
  artifact.object = std::move(*object);
  if (objects_.size() >= kMostObjects)
    objects_.clear();
  objects_[key] = artifact.object;
  return success();
}

FailureOr<runtime::CompiledArtifact> FunctionCompiler::compile(ModuleOp module, const FunctionOptions &options) {
  auto functions = module.getOps<func::FuncOp>();
  if (functions.empty() || std::next(functions.begin()) != functions.end())
    return module.emitOpError("expects one function"), failure();
  func::FuncOp function = *functions.begin();
  if (failed(checkPlannable(function)))
    return failure();

  if (failed(run(buildCleanupPipeline, cleanup_, module, options)))
    return failure();
  if (options.fuse) {
    if (failed(run(buildFusePipeline, fuse_, module, options)))
      return failure();
    if (options.dump)
      options.dump(Stage::Fused, printed(function));
    if (failed(run(buildLowerPipeline, lower_, module, options)))
      return failure();
  }
  BufferPlan plan(function);
  if (options.dump) {
    plan.annotate();
    options.dump(Stage::Lowered, printed(function));
  }
  FailureOr<EmittedProgram> emitted = emitProgram(function, plan);
  if (failed(emitted))
    return failure();
  runtime::CompiledArtifact artifact;
  if (failed(generateCode(*emitted, options, artifact)))
    return failure();
  artifact.program = std::move(emitted->program);
  return artifact;
}

} // namespace tenferro::compiler
