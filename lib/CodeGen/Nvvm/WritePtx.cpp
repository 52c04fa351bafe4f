// From the LLVM and NVVM dialects to PTX, by LLVM's own code generator.
#include "lib/CodeGen/Gpu/OutputFile.h"
#include "lib/CodeGen/Nvvm/NvvmPasses.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Pass.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar.h"

using namespace mlir;

extern "C" {
void LLVMInitializeNVPTXTargetInfo(void);
void LLVMInitializeNVPTXTarget(void);
void LLVMInitializeNVPTXTargetMC(void);
void LLVMInitializeNVPTXAsmPrinter(void);
}

namespace tenferro::compiler {

#define GEN_PASS_DEF_WRITEPTXPASS
#include "lib/CodeGen/Nvvm/Passes.h.inc"

/// The code generator of a chip; null, with `error` set, if LLVM has none. Made for a chip it does not know, it would
/// print a line for each function.
static std::unique_ptr<llvm::TargetMachine> targetMachine(StringRef chip, std::string &error) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    error = "no code generator for NVPTX: " + error;
    return nullptr;
  }
  std::unique_ptr<llvm::MCSubtargetInfo> chips(target->createMCSubtargetInfo(triple, "", ""));
  if (!chips || !chips->isCPUStringValid(chip)) {
    error = "expects a chip such as sm_80, but got '" + chip.str() + "'";
    return nullptr;
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // a multiply-add only where one is written
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, chip, "", options, std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Default));
}

/// Succeeds if PTX can spell the names of a module's symbols; LLVM ends the process at one that it cannot print.
static LogicalResult checkNames(gpu::GPUModuleOp module) {
  for (Operation &op : *module.getBody()) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (!symbol)
      continue;
    StringRef name = symbol.getName();
    bool isIdentifier = !name.empty() && !llvm::isDigit(name.front()) &&
                        llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
    if (!isIdentifier)
      return op.emitError("expects a name of letters, digits, _ and $ on nvvm, but got '") << name << "'";
  }
  return success();
}

namespace {
struct WritePtxPass : impl::WritePtxPassBase<WritePtxPass> {
  using WritePtxPassBase::WritePtxPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    WritePtxPassBase::getDependentDialects(registry);
    registerBuiltinDialectTranslation(registry);
    registerGPUDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
  }

  LogicalResult write(gpu::GPUModuleOp module, llvm::TargetMachine &machine) {
    if (failed(checkNames(module)))
      return failure();
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> ir = translateModuleToLLVMIR(module, context, module.getName());
    if (!ir)
      return module.emitError("does not translate to LLVM IR");
    ir->setDataLayout(machine.createDataLayout());
    ir->setTargetTriple(machine.getTargetTriple());
    SmallString<0> text;
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager passes;
    passes.add(llvm::createEarlyCSEPass());
    if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
      return module.emitError("the code generator does not write PTX");
    passes.run(*ir);
    return writeOutput(module, output, module.getName() + ".ptx", text);
  }

  void runOnOperation() override {
    std::string error;
    std::unique_ptr<llvm::TargetMachine> machine = targetMachine(chip, error);
    if (!machine) {
      emitError(getOperation().getLoc(), error);
      return signalPassFailure();
    }
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      if (failed(write(module, *machine)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace tenferro::compiler
