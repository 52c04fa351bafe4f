// One conversion from gpu, scf, arith, math and memref to SPIR-V.
#include "lib/CodeGen/Spirv/SpirvPasses.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/FuncToSPIRV/FuncToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tenferro::compiler {

#define GEN_PASS_DEF_GPUTOSPIRVPASS
#include "lib/CodeGen/Spirv/Passes.h.inc"

/// What kernels may use: Vulkan 1.3 with 64-bit numbers and bytes in buffers. A device that lacks one of them refuses
/// the modules that use it; nothing is narrowed.
static spirv::TargetEnvAttr targetEnvironment(MLIRContext *context) {
  using spirv::Capability;
  auto triple =
      spirv::VerCapExtAttr::get(spirv::Version::V_1_3,
                                {Capability::Shader, Capability::Float64, Capability::Int64, Capability::Int16,
                                 Capability::Int8, Capability::StorageBuffer8BitAccess, Capability::DenormPreserve,
                                 Capability::SignedZeroInfNanPreserve, Capability::RoundingModeRTE},
                                {spirv::Extension::SPV_KHR_storage_buffer_storage_class,
                                 spirv::Extension::SPV_KHR_8bit_storage, spirv::Extension::SPV_KHR_float_controls},
                                context);
  return spirv::TargetEnvAttr::get(triple, spirv::getDefaultResourceLimits(context), spirv::ClientAPI::Vulkan,
                                   spirv::Vendor::Unknown, spirv::DeviceType::Unknown,
                                   spirv::TargetEnvAttr::kUnknownDeviceID);
}

static std::optional<spirv::StorageClass> storageClassOf(Attribute space) {
  if (!space)
    return spirv::StorageClass::StorageBuffer;
  if (auto gpuSpace = dyn_cast<gpu::AddressSpaceAttr>(space);
      gpuSpace && gpuSpace.getValue() == gpu::AddressSpace::Workgroup)
    return spirv::StorageClass::Workgroup;
  return std::nullopt;
}

/// Upstream's pattern for scf.for stores results at the end of an iteration only: of a loop that makes none they are
/// whatever the memory held. Here they become the initial values.
static void keepInitialValues(scf::ForOp loop) {
  std::optional<int64_t> from = getConstantIntValue(loop.getLowerBound()),
                         to = getConstantIntValue(loop.getUpperBound());
  if (from && to && *from < *to)
    return;
  OpBuilder builder(loop->getContext());
  builder.setInsertionPointAfter(loop);
  auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value runs = arith::CmpIOp::create(builder, loop.getLoc(), less, loop.getLowerBound(), loop.getUpperBound());
  for (auto [result, initial] : llvm::zip_equal(loop.getResults(), loop.getInitArgs())) {
    Value kept = arith::SelectOp::create(builder, loop.getLoc(), runs, result, initial);
    result.replaceAllUsesExcept(kept, kept.getDefiningOp());
  }
}

/// Forms that upstream's patterns take: a group's memory as an allocation, block sizes as the entry point's ABI, no
/// isfinite, whose instruction only OpenCL has, and no trunc, for which there is no pattern.
static LogicalResult prepare(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  OpBuilder builder(context);
  for (auto function : module.getOps<gpu::GPUFuncOp>()) {
    if (!function.isKernel() || !function.getKnownBlockSizeAttr() || function.getNumPrivateAttributions())
      return function.emitOpError("expects a kernel with a 'known_block_size' and without private memory");
    builder.setInsertionPointToStart(&function.getBody().front());
    unsigned buffers = function.getNumWorkgroupAttributions(), first = function.getFunctionType().getNumInputs();
    for (unsigned i = 0; i < buffers; ++i) {
      BlockArgument memory = function.getBody().getArgument(first + i);
      memory.replaceAllUsesWith(
          memref::AllocOp::create(builder, function.getLoc(), cast<MemRefType>(memory.getType())));
    }
    function.getBody().front().eraseArguments(first, buffers);
    function->removeAttr(function.getNumWorkgroupAttributionsAttrName());
    auto size = function.getKnownBlockSizeAttr().asArrayRef();
    function->setAttr(spirv::getEntryPointABIAttrName(),
                      spirv::getEntryPointABIAttr(context, {size[0], size[1], size[2]}));
  }
  module.walk([](scf::ForOp loop) { keepInitialValues(loop); });
  module.walk([&](Operation *op) {
    if (!isa<math::IsFiniteOp, math::TruncOp>(op))
      return;
    builder.setInsertionPoint(op);
    Location loc = op->getLoc();
    Value x = op->getOperand(0), magnitude = math::AbsFOp::create(builder, loc, x), result;
    if (isa<math::TruncOp>(op)) {
      result = math::CopySignOp::create(builder, loc, math::FloorOp::create(builder, loc, magnitude), x);
    } else {
      auto type = cast<FloatType>(x.getType());
      Value infinity = arith::ConstantOp::create(builder, loc,
                                                 builder.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics())));
      result = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, magnitude, infinity);
    }
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  });
  return success();
}

static LogicalResult convert(gpu::GPUModuleOp module, spirv::TargetEnvAttr environment) {
  MLIRContext *context = module.getContext();
  if (failed(prepare(module)))
    return failure();
  spirv::MemorySpaceToStorageClassConverter spaces(storageClassOf);
  spirv::convertMemRefTypesAndAttrs(module, spaces);
  SPIRVConversionOptions options;
  options.emulateLT32BitScalarTypes = false; // bytes are bytes, or an error
  options.emulateUnsupportedFloatTypes = false;
  SPIRVTypeConverter types(environment, options);
  RewritePatternSet patterns(context);
  ScfToSPIRVContext scf;
  populateGPUToSPIRVPatterns(types, patterns);
  populateSCFToSPIRVPatterns(types, scf, patterns);
  arith::populateArithToSPIRVPatterns(types, patterns);
  populateMathToSPIRVPatterns(types, patterns);
  populateMemRefToSPIRVPatterns(types, patterns);
  populateFuncToSPIRVPatterns(types, patterns);
  populateBuiltinFuncToSPIRVPatterns(types, patterns);
  std::unique_ptr<ConversionTarget> target = SPIRVConversionTarget::get(environment);
  return applyFullConversion(module, *target, std::move(patterns));
}

namespace {
struct GpuToSpirvPass : impl::GpuToSpirvPassBase<GpuToSpirvPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    spirv::TargetEnvAttr environment = targetEnvironment(&getContext());
    module->setAttr(spirv::getTargetEnvAttrName(), environment);
    // The kernels stay for the launches to name; copies become SPIR-V.
    OpBuilder builder(&getContext());
    for (gpu::GPUModuleOp kernels : llvm::to_vector(module.getOps<gpu::GPUModuleOp>())) {
      builder.setInsertionPoint(kernels);
      auto copy = cast<gpu::GPUModuleOp>(builder.clone(*kernels));
      if (failed(convert(copy, environment)))
        return signalPassFailure();
    }
  }
};
} // namespace

} // namespace tenferro::compiler
