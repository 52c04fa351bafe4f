// Parses the loop around the function's text, expands, lowers to LLVM and hands it to an execution engine.
#include "test/unit/ExpandMath/JitFunction.h"

#include "lib/Conversion/ExpandMath/ExpandMath.h"
#include "lib/Conversion/ExpandMath/Expansions.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tenferro::test {

struct JitFunction::Engine {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<ExecutionEngine> engine;
};

static void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

static const char *const kLoop = R"(
llvm.func @run(%xs: !llvm.ptr, %ys: !llvm.ptr, %out: !llvm.ptr, %n: i64)
    attributes {passthrough = [["min-legal-vector-width", "512"], ["prefer-vector-width", "512"]]} {
  %first = llvm.mlir.constant(0 : i64) : i64
  %step = llvm.mlir.constant(WIDTH : i64) : i64
  llvm.br ^head(%first : i64)
^head(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^exit
^body:
  %px = llvm.getelementptr %xs[%i] : (!llvm.ptr, i64) -> !llvm.ptr, ELEMENT
  %py = llvm.getelementptr %ys[%i] : (!llvm.ptr, i64) -> !llvm.ptr, ELEMENT
  %po = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, ELEMENT
  %x = llvm.load %px {alignment = 4 : i64} : !llvm.ptr -> $T
  %y = llvm.load %py {alignment = 4 : i64} : !llvm.ptr -> $T
  BODY
  llvm.store %r, %po {alignment = 4 : i64} : $T, !llvm.ptr
  %next = llvm.add %i, %step : i64
  llvm.br ^head(%next : i64)
^exit:
  llvm.return
}
)";

JitFunction::JitFunction(const std::string &body, bool isDouble, int width, const std::string &cpu) : width(width) {
  compile(body, isDouble, cpu);
}

/// The expansions that belong to no math op, in place of "test.sigmoid" and the like.
static void expandUnnamed(ModuleOp module) {
  module.walk([](Operation *op) {
    auto [dialect, name] = op->getName().getStringRef().split('.');
    if (dialect != "test")
      return;
    OpBuilder builder(op);
    compiler::MathBuilder b(builder, op->getLoc(), op->getResult(0).getType());
    Value x = op->getOperand(0), result;
    if (name == "sigmoid")
      result = compiler::expandSigmoid(b, x);
    else if (name == "silu")
      result = compiler::expandSilu(b, x);
    else if (name == "hypot")
      result = compiler::expandHypot(b, x, op->getOperand(1));
    else
      result = compiler::expandRem(b, x, op->getOperand(1));
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  });
}

/// The call instructions of the code: none, when the expansion needs no library.
static std::string callsIn(const llvm::Module &module, llvm::TargetMachine &machine) {
  auto clone = llvm::CloneModule(module);
  llvm::SmallString<0> assembly;
  llvm::raw_svector_ostream stream(assembly);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return "cannot emit assembly";
  passes.run(*clone);
  std::string calls;
  for (llvm::StringRef line : llvm::split(assembly, '\n'))
    if (line.trim().starts_with("call") || line.contains("@PLT"))
      calls += line.trim().str() + "; ";
  return calls;
}

void JitFunction::compile(const std::string &body, bool isDouble, const std::string &cpu) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  engine = std::make_unique<Engine>();
  MLIRContext &context = engine->context;
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, math::MathDialect, LLVM::LLVMDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<arith::ArithDialect, math::MathDialect>();
  context.allowUnregisteredDialects();

  std::string element = isDouble ? "f64" : "f32";
  auto shaped = [&](const std::string &of) {
    return width == 1 ? of : "vector<" + std::to_string(width) + "x" + of + ">";
  };
  std::string text = kLoop;
  replaceAll(text, "BODY", body);
  replaceAll(text, "WIDTH", std::to_string(width));
  replaceAll(text, "ELEMENT", element);
  replaceAll(text, "$T", shaped(element));
  replaceAll(text, "$B", shaped("i1"));
  replaceAll(text, "$<", width == 1 ? "" : "dense<");
  replaceAll(text, ">$", width == 1 ? "" : ">");

  engine->module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(bool(engine->module)) << text;
  ASSERT_TRUE(succeeded(compiler::expandMath(*engine->module)));
  expandUnnamed(*engine->module);
  ASSERT_TRUE(succeeded(verify(*engine->module)));
  PassManager passes(&context);
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  ASSERT_TRUE(succeeded(passes.run(*engine->module)));

  auto targetBuilder = llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
  targetBuilder.setCPU(cpu);
  targetBuilder.getFeatures() = llvm::SubtargetFeatures();
  targetBuilder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Standard;
  auto machine = llvm::cantFail(targetBuilder.createTargetMachine());
  auto optimize = makeOptimizingTransformer(2, 0, machine.get());
  auto transform = [&](llvm::Module *module) {
    llvm::Error error = optimize(module);
    called = callsIn(*module, *machine);
    return error;
  };
  ExecutionEngineOptions options;
  options.transformer = transform;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Default;
  auto created = ExecutionEngine::create(*engine->module, options, llvm::cantFail(targetBuilder.createTargetMachine()));
  ASSERT_TRUE(bool(created)) << llvm::toString(created.takeError());
  engine->engine = std::move(*created);
  auto symbol = engine->engine->lookup("run");
  ASSERT_TRUE(bool(symbol)) << llvm::toString(symbol.takeError());
  entry = reinterpret_cast<decltype(entry)>(*symbol);
}

JitFunction::JitFunction(JitFunction &&) = default;
JitFunction::~JitFunction() = default;

std::vector<std::string> cpuLevels() {
  std::vector<std::string> levels;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    levels.push_back("x86-64-v3");
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd"))
    levels.push_back("x86-64-v4");
  return levels;
}

} // namespace tenferro::test
