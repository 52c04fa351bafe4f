// Parses, compiles and loads kernels with LLVM's own loader.
#include "test/unit/codegen/KernelHarness.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ExecutionEngine/RuntimeDyld.h"
#include "llvm/ExecutionEngine/SectionMemoryManager.h"
#include "llvm/Object/ObjectFile.h"

#include <cstdio>
#include <cstdlib>

namespace tenferro::test {

struct LoadedKernels::State {
  std::vector<uint8_t> bytes;
  llvm::SectionMemoryManager memory;
  llvm::RuntimeDyld loader{memory, memory};
  std::unique_ptr<llvm::object::ObjectFile> object;
};

[[noreturn]] static void stop(const std::string &message) {
  std::fprintf(stderr, "kernel harness: %s\n", message.c_str());
  std::exit(1);
}

LoadedKernels::LoadedKernels(std::vector<uint8_t> bytes) : state_(std::make_unique<State>()) {
  state_->bytes = std::move(bytes);
  llvm::StringRef data(reinterpret_cast<const char *>(state_->bytes.data()), state_->bytes.size());
  auto object = llvm::object::ObjectFile::createObjectFile({data, "kernels"});
  if (!object)
    stop(llvm::toString(object.takeError()));
  state_->object = std::move(*object);
  state_->loader.loadObject(*state_->object);
  state_->loader.resolveRelocations();
  if (state_->loader.hasError())
    stop(state_->loader.getErrorString().str());
  state_->memory.finalizeMemory();
}

LoadedKernels::~LoadedKernels() = default;

uint64_t LoadedKernels::address(const std::string &symbol) const {
  uint64_t address = state_->loader.getSymbol(symbol).getAddress();
  if (!address)
    stop("no symbol " + symbol);
  return address;
}

KernelHarness::KernelHarness(runtime::CpuLevel level) {
  mlir::DialectRegistry registry;
  compiler::registerCpuCodeGenDialects(registry);
  registry.insert<mlir::memref::MemRefDialect>();
  context_ = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context_->allowUnregisteredDialects();
  module_ = std::make_unique<compiler::CpuModule>(context_.get(), level);
}

KernelHarness::~KernelHarness() = default;

mlir::OwningOpRef<mlir::ModuleOp> KernelHarness::parse(const KernelText &text, mlir::linalg::GenericOp &generic) {
  bool reduce = !text.reduction.empty();
  std::string all = "affine_map<(r, k) -> (r, k)>", kept = reduce ? "affine_map<(r, k) -> (k)>" : all;
  std::string maps, arguments, ins, insTypes, outs, outsTypes, block;
  auto operand = [&](const std::string &name, const std::string &type, bool output) {
    std::string memref = output && reduce ? "memref<?x" + type + ">" : "memref<?x?x" + type + ">";
    (maps += maps.empty() ? "" : ", ") += output ? kept : all;
    (arguments += arguments.empty() ? "%" : ", %") += name + "m: " + memref;
    (block += block.empty() ? "%" : ", %") += name + ": " + type;
    (output ? outs : ins) += ((output ? outs : ins).empty() ? "%" : ", %") + name + "m";
    (output ? outsTypes : insTypes) += ((output ? outsTypes : insTypes).empty() ? "" : ", ") + memref;
  };
  for (size_t i = 0; i < text.inputs.size(); ++i)
    operand("x" + std::to_string(i), text.inputs[i], false);
  for (size_t i = 0; i < text.outputs.size(); ++i)
    operand("y" + std::to_string(i), text.outputs[i], true);
  std::string source = "func.func @k(" + arguments + ") {\n linalg.generic {indexing_maps = [" + maps +
                       "], iterator_types = [" + (reduce ? "\"reduction\"" : "\"parallel\"") + ", \"parallel\"]} " +
                       (ins.empty() ? "" : "ins(" + ins + " : " + insTypes + ") ") + "outs(" + outs + " : " + outsTypes +
                       ") " + (reduce ? "attrs = {tenferro.reduction = " + text.reduction + "} " : "") + "{\n^bb0(" +
                       block + "):\n" + text.body + "\n}\n return\n}\n";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, mlir::ParserConfig(context_.get()));
  if (!module)
    stop("the body does not parse:\n" + source);
  module->walk([&](mlir::linalg::GenericOp op) { generic = op; });
  return module;
}

void KernelHarness::addMap(const std::string &symbol, const KernelText &text, std::vector<runtime::Access> access) {
  mlir::linalg::GenericOp generic;
  auto source = parse(text, generic);
  if (failed(module_->addMap(symbol, generic, access)))
    stop("addMap " + symbol);
}

void KernelHarness::addReduce(const std::string &symbol, const KernelText &text, std::vector<runtime::Access> rowAccess,
                              std::vector<runtime::Access> columnAccess) {
  mlir::linalg::GenericOp generic;
  auto source = parse(text, generic);
  if (failed(module_->addReduce(symbol + ".row", symbol + ".column", generic, rowAccess, columnAccess)))
    stop("addReduce " + symbol);
}

std::unique_ptr<LoadedKernels> KernelHarness::finish() {
  if (failed(mlir::verify(module_->module())))
    stop("kernels do not verify before conversion");
  if (failed(module_->convertToLLVM()) || failed(mlir::verify(module_->module())))
    stop("kernels do not verify after conversion");
  auto object = module_->emitObject();
  if (failed(object))
    stop("emitObject");
  return std::make_unique<LoadedKernels>(std::move(*object));
}

std::vector<runtime::CpuLevel> levels() {
  std::vector<runtime::CpuLevel> levels{runtime::CpuLevel::V3};
  if (__builtin_cpu_supports("x86-64-v4"))
    levels.push_back(runtime::CpuLevel::V4);
  return levels;
}

} // namespace tenferro::test
