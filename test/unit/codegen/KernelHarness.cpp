// Parses and compiles kernels, and loads them as the runtime does.
#include "test/unit/codegen/KernelHarness.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace tenferro::test {

[[noreturn]] static void stop(const std::string &message) {
  std::fprintf(stderr, "kernel harness: %s\n", message.c_str());
  std::exit(1);
}

LoadedKernels::LoadedKernels(const std::vector<uint8_t> &object, std::vector<std::string> symbols)
    : symbols_(std::move(symbols)) {
  auto code = runtime::loadCode(object, symbols_);
  if (!code)
    stop(code.failure().message);
  code_ = *code;
}

void *LoadedKernels::address(const std::string &symbol) const {
  auto found = std::find(symbols_.begin(), symbols_.end(), symbol);
  if (found == symbols_.end())
    stop("no symbol " + symbol);
  return code_->function(found - symbols_.begin());
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

void KernelHarness::addMap(const std::string &symbol, const KernelText &text, std::vector<runtime::Access> access,
                           bool interleaved) {
  mlir::linalg::GenericOp generic;
  auto source = parse(text, generic);
  if (failed(module_->addMap(symbol, generic, access, interleaved)))
    stop("addMap " + symbol);
  symbols_.push_back(symbol);
}

void KernelHarness::addReduce(const std::string &symbol, const KernelText &text, std::vector<runtime::Access> rowAccess,
                              std::vector<runtime::Access> columnAccess) {
  mlir::linalg::GenericOp generic;
  auto source = parse(text, generic);
  if (failed(module_->addReduce(symbol + ".row", symbol + ".column", generic, rowAccess, columnAccess)))
    stop("addReduce " + symbol);
  symbols_.push_back(symbol + ".row");
  symbols_.push_back(symbol + ".column");
}

std::unique_ptr<LoadedKernels> KernelHarness::finish(std::vector<std::string> more) {
  if (failed(mlir::verify(module_->module())))
    stop("kernels do not verify before conversion");
  if (failed(module_->convertToLLVM()) || failed(mlir::verify(module_->module())))
    stop("kernels do not verify after conversion");
  auto object = module_->emitObject();
  if (failed(object))
    stop("emitObject");
  more.insert(more.end(), symbols_.begin(), symbols_.end());
  return std::make_unique<LoadedKernels>(*object, std::move(more));
}

std::vector<runtime::CpuLevel> levels() {
  std::vector<runtime::CpuLevel> levels{runtime::CpuLevel::V3};
  if (__builtin_cpu_supports("x86-64-v4"))
    levels.push_back(runtime::CpuLevel::V4);
  return levels;
}

} // namespace tenferro::test
