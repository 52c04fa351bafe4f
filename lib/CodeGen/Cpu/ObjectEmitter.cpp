// LLVM IR, TargetMachine, object, and the check that the loader will take it.
#include "lib/CodeGen/Cpu/ObjectEmitter.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Scalar/LowerExpectIntrinsic.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <mutex>

using namespace mlir;

extern "C" {
void LLVMInitializeX86TargetInfo(void);
void LLVMInitializeX86Target(void);
void LLVMInitializeX86TargetMC(void);
void LLVMInitializeX86AsmPrinter(void);
}

namespace tenferro::compiler {

static StringRef cpuName(runtime::CpuLevel level) { return level == runtime::CpuLevel::V4 ? "x86-64-v4" : "x86-64-v3"; }

/// The target machine of a level, made on first use and kept; null, with `error` set, if LLVM has no x86 in it.
static llvm::TargetMachine *targetMachine(runtime::CpuLevel level, std::string &error) {
  static std::unique_ptr<llvm::TargetMachine> machines[2];
  auto &machine = machines[level == runtime::CpuLevel::V4];
  if (machine)
    return machine.get();
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  options.EnableFastISel = false;
  machine.reset(target->createTargetMachine(triple, cpuName(level), "", options, llvm::Reloc::PIC_,
                                            llvm::CodeModel::Small, llvm::CodeGenOptLevel::Less));
  return machine.get();
}

static void setAttributes(llvm::Module &module, runtime::CpuLevel level) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", cpuName(level));
    // The generic v4 tuning prefers 256 bits; the kernels' vectors are 512 wide on purpose.
    StringRef width = level == runtime::CpuLevel::V4 ? "512" : "256";
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
    function.addFnAttr("no-builtins"); // a copy loop stays a loop: there is no memcpy to call
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.setDSOLocal(true);
  }
}

/// Null if the loader takes the object, else what is wrong with it.
static std::string objectionTo(llvm::MemoryBufferRef buffer) {
  auto object = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!object)
    return llvm::toString(object.takeError());
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name)
      return "the symbol table does not read";
    if (*flags & llvm::object::SymbolRef::SF_Undefined && !name->empty() && *name != runtime::kRunVectorLoop)
      return "undefined symbol '" + name->str() + "'";
    if (llvm::object::ELFSymbolRef(symbol).getELFType() == llvm::ELF::STT_TLS)
      return "thread-local symbol '" + name->str() + "'";
  }
  for (const llvm::object::SectionRef &section : (*object)->sections())
    for (const llvm::object::RelocationRef &relocation : section.relocations()) {
      uint64_t type = relocation.getType();
      if (type == llvm::ELF::R_X86_64_PC32 || type == llvm::ELF::R_X86_64_PLT32)
        continue;
      SmallVector<char> name;
      relocation.getTypeName(name);
      return "relocation " + std::string(name.begin(), name.end());
    }
  return {};
}

/// Runs the code generator over `module` into `out`.
static bool generate(llvm::TargetMachine &machine, llvm::Module &module, llvm::raw_pwrite_stream &out,
                     llvm::CodeGenFileType type) {
  llvm::legacy::PassManager passes;
  // First of all: whichever pass asks before it is there gets a target that knows no masked access.
  passes.add(llvm::createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
  passes.add(llvm::createEarlyCSEPass());
  if (machine.addPassesToEmitFile(passes, out, nullptr, type, /*DisableVerify=*/true))
    return false;
  passes.run(module);
  return true;
}

FailureOr<std::vector<uint8_t>> emitCpuObject(ModuleOp module, runtime::CpuLevel level, const DumpCallback &dump) {
  // Target machines change while they work.
  static std::mutex working;
  std::lock_guard<std::mutex> lock(working);
  std::string error;
  llvm::TargetMachine *machine = targetMachine(level, error);
  if (!machine)
    return module.emitError("no code generator for x86-64: ") << error;

  MLIRContext *context = module.getContext();
  registerBuiltinDialectTranslation(*context);
  registerLLVMDialectTranslation(*context);
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> ir =
      translateModuleToLLVMIR(module, llvmContext, "kernels", /*disableVerification=*/true);
  if (!ir)
    return module.emitError("kernels do not translate to LLVM IR");
  ir->setDataLayout(machine->createDataLayout());
  ir->setTargetTriple(machine->getTargetTriple());
  setAttributes(*ir, level);
  llvm::FunctionAnalysisManager analyses; // the pass asks for none
  for (llvm::Function &function : *ir)
    if (!function.isDeclaration())
      llvm::LowerExpectIntrinsicPass().run(function, analyses);
  if (dump) {
    std::string text;
    llvm::raw_string_ostream(text) << *ir;
    dump("llvm", text);
    SmallVector<char, 0> assembly;
    llvm::raw_svector_ostream out(assembly);
    if (generate(*machine, *llvm::CloneModule(*ir), out, llvm::CodeGenFileType::AssemblyFile))
      dump("asm", StringRef(assembly.data(), assembly.size()));
  }

  SmallVector<char, 0> object;
  llvm::raw_svector_ostream out(object);
  if (!generate(*machine, *ir, out, llvm::CodeGenFileType::ObjectFile))
    return module.emitError("the code generator does not write objects");
  std::string objection = objectionTo({StringRef(object.data(), object.size()), "kernels"});
  if (!objection.empty())
    return module.emitError("generated kernels cannot be loaded: ") << objection;
  return std::vector<uint8_t>(object.begin(), object.end());
}

} // namespace tenferro::compiler
