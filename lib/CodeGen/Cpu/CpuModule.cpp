// Adds kernels to a module and lowers it to the LLVM dialect in one conversion.
#include "lib/CodeGen/Cpu/CpuCodeGen.h"
#include "lib/CodeGen/Cpu/Kernels.h"
#include "lib/CodeGen/Cpu/ObjectEmitter.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using tenferro::runtime::Access;

namespace tenferro::compiler {

void registerCpuCodeGenDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect>();
}

FailureOr<unsigned> weightOf(linalg::GenericOp generic) {
  FailureOr<ScalarBody> body = ScalarBody::extract(generic);
  if (failed(body))
    return failure();
  return body->weight();
}

CpuModule::CpuModule(MLIRContext *context, runtime::CpuLevel level) : context_(context) {
  context->loadDialect<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                       math::MathDialect, scf::SCFDialect>();
  module_ = ModuleOp::create(UnknownLoc::get(context));
  kernels_ = std::make_unique<KernelModule>(KernelModule{*module_, level, {}});
}

CpuModule::~CpuModule() = default;

/// One Access for each operand of the kernel, and outputs as the kernel class writes them.
static LogicalResult checkAccess(linalg::GenericOp generic, const ScalarBody &body, ArrayRef<Access> access) {
  if (access.size() != body.inputs() + body.outputs())
    return generic.emitOpError("expects an access for each of ")
           << body.inputs() + body.outputs() << " kernel operands, but got " << access.size();
  for (unsigned i = 0; i < access.size(); ++i) {
    bool index = i >= body.memoryInputs() && i < body.inputs();
    if ((access[i] == Access::Index) != index)
      return generic.emitOpError("expects access 'index' for coordinates alone, operand ") << i;
    if (i >= body.inputs() && access[i] != Access::Unit)
      return generic.emitOpError("expects outputs to be written with unit stride, operand ") << i;
  }
  return success();
}

LogicalResult CpuModule::addMap(StringRef symbol, linalg::GenericOp generic, ArrayRef<Access> access,
                                bool interleaved) {
  FailureOr<ScalarBody> body = ScalarBody::extract(generic);
  if (failed(body) || failed(checkAccess(generic, *body, access)))
    return failure();
  buildMapKernel(*kernels_, symbol, *body, access, interleaved, generic.getLoc());
  return success();
}

static std::optional<Combine> combineNamed(StringRef name) {
  return llvm::StringSwitch<std::optional<Combine>>(name)
      .Case("sum", Combine::Sum)
      .Case("prod", Combine::Prod)
      .Case("max", Combine::Max)
      .Case("min", Combine::Min)
      .Case("any", Combine::Any)
      .Case("all", Combine::All)
      .Default(std::nullopt);
}

static FailureOr<SmallVector<Combine>> combinesOf(linalg::GenericOp generic, unsigned outputs) {
  Attribute attribute = generic->getAttr("tenferro.reduction");
  SmallVector<Attribute> names;
  if (auto array = dyn_cast_or_null<ArrayAttr>(attribute))
    names.assign(array.begin(), array.end());
  else if (attribute)
    names.assign(outputs, attribute);
  SmallVector<Combine> combines;
  for (Attribute name : names) {
    auto text = dyn_cast<StringAttr>(name);
    std::optional<Combine> combine = text ? combineNamed(text.getValue()) : std::nullopt;
    if (!combine)
      return generic.emitOpError("expects 'tenferro.reduction' to be sum, prod, max, min, any or all, but got ")
             << name;
    combines.push_back(*combine);
  }
  if (combines.size() != outputs)
    return generic.emitOpError("expects 'tenferro.reduction' for each of ") << outputs << " outputs";
  return combines;
}

LogicalResult CpuModule::addReduce(StringRef rowSymbol, StringRef columnSymbol, linalg::GenericOp generic,
                                   ArrayRef<Access> rowAccess, ArrayRef<Access> columnAccess) {
  FailureOr<ScalarBody> body = ScalarBody::extract(generic);
  if (failed(body))
    return failure();
  FailureOr<SmallVector<Combine>> combines = combinesOf(generic, body->outputs());
  if (failed(combines))
    return failure();
  if (!rowSymbol.empty()) {
    if (failed(checkAccess(generic, *body, rowAccess)))
      return failure();
    buildRowReduction(*kernels_, rowSymbol, *body, *combines, rowAccess, generic.getLoc());
  }
  if (!columnSymbol.empty()) {
    if (failed(checkAccess(generic, *body, columnAccess)))
      return failure();
    buildColumnReduction(*kernels_, columnSymbol, *body, *combines, columnAccess, generic.getLoc());
  }
  return success();
}

FailureOr<MatmulTile> CpuModule::addMatmul(StringRef prefix, Type element) {
  if (!element.isF32() && !element.isF64() && !element.isSignlessInteger(32) && !element.isSignlessInteger(64) &&
      !element.isSignlessInteger(8))
    return emitError(UnknownLoc::get(context_), "no matrix product kernels for element type ") << element;
  return buildMatmulKernels(*kernels_, prefix, element, UnknownLoc::get(context_));
}

LogicalResult CpuModule::convertToLLVM() {
  if (converted_)
    return success();
  LLVMConversionTarget target(*context_);
  target.addLegalOp<ModuleOp>();
  LowerToLLVMOptions options(context_);
  options.overrideIndexBitwidth(64);
  LLVMTypeConverter converter(context_, options);
  RewritePatternSet patterns(context_);
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  ConversionConfig config;
  config.allowPatternRollback = false; // nothing to take back: a failure ends the compile
  if (failed(applyFullConversion(*module_, target, std::move(patterns), config)))
    return failure();
  converted_ = true;
  return success();
}

FailureOr<std::vector<uint8_t>> CpuModule::emitObject(const DumpCallback &dump) {
  if (failed(convertToLLVM()))
    return failure();
  return emitCpuObject(*module_, kernels_->level, dump);
}

} // namespace tenferro::compiler
