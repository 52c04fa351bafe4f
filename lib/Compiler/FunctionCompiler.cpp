// From a function over the dialect to an artifact: pipelines, buffer plan, program, machine code.
#include "lib/Compiler/FunctionCompiler.h"

#include "lib/CodeGen/Cpu/CpuCodeGen.h"
#include "lib/CodeGen/Program/ProgramEmitter.h"
#include "lib/Compiler/Pipelines.h"
#include "lib/Transforms/BufferPlan.h"
#include "lib/Transforms/Cleanup.h"
#include "lib/Transforms/Origin.h"
#include "lib/Transforms/TraceNumber.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenferro::compiler {

/// A location without calls, which would break a line in two: of what came from operation k of a program that operation
/// N calls, line N and column k + 1.
static Location flat(Location location, std::optional<uint32_t> caller = std::nullopt) {
  MLIRContext *context = location.getContext();
  if (auto named = dyn_cast<NameLoc>(location))
    return flat(named.getChildLoc(), caller);
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    SmallVector<Location> parts;
    for (Location part : fused.getLocations())
      parts.push_back(flat(part, caller));
    return FusedLoc::get(parts, fused.getMetadata(), context);
  }
  auto call = dyn_cast<CallSiteLoc>(location);
  if (call && !caller)
    return flat(call.getCallee(), traceNumber(call.getCaller()));
  if (!caller)
    return location;
  return FileLineColLoc::get(context, "trace", *caller, traceNumber(location) + 1);
}

/// A location as one leaf, which is printed behind its operation and nowhere else: "mul: cotangent of operand 0,
/// trace:7:0".
static Location shown(Location location) {
  std::string text;
  FileLineColLoc last;
  for (const Origin &origin : originsOf(flat(location))) {
    auto place = dyn_cast<FileLineColLoc>(origin.place);
    if (!place)
      continue;
    if (last)
      text += ":" + std::to_string(last.getLine()) + ":" + std::to_string(last.getColumn()) + "; ";
    text += origin.term + (origin.term.empty() ? "" : ", ") + place.getFilename().str();
    last = place;
  }
  if (!last)
    return UnknownLoc::get(location.getContext());
  return FileLineColLoc::get(location.getContext(), text, last.getLine(), last.getColumn());
}

std::string printed(Operation *op) {
  OwningOpRef<Operation *> copy = op->clone();
  copy.get()->walk([](Operation *inner) {
    inner->setLoc(shown(inner->getLoc()));
    for (Region &region : inner->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setLoc(shown(argument.getLoc()));
  });
  std::string text, lines;
  llvm::raw_string_ostream os(text);
  copy.get()->print(os, OpPrintingFlags().enableDebugInfo(true, /*prettyForm=*/true));
  for (StringRef line : llvm::split(text, "\n"))
    if (!line.starts_with("#loc")) // names of locations, which nothing uses
      lines += line.str() + "\n";
  return lines;
}

LogicalResult FunctionCompiler::run(void (*build)(OpPassManager &), std::unique_ptr<PassManager> &passes,
                                    ModuleOp module, const FunctionOptions &options) {
  if (!passes) {
    passes = std::make_unique<PassManager>(context_, ModuleOp::getOperationName());
    build(*passes);
  }
  if (options.isAbandoned())
    return failure();
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
    if (options.isAbandoned())
      return failure();
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
  if (failed(code.convertToLLVM()) || options.isAbandoned())
    return failure();
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
  if (failed(checkPlannable(function, &operations_)))
    return failure();

  // What is left of the cleanup pipeline, without walking for what the caller has done.
  simplifyAndMerge(function);
  if (options.dump)
    markUnusedArguments(function);
  if (options.verify && failed(verify(module)))
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
