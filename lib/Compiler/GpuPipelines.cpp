// The pipelines to devices' code, top to bottom.
#include "lib/Compiler/GpuPipelines.h"

#include "lib/CodeGen/Gpu/GpuKernelsPass.h"
#include "lib/CodeGen/Nvvm/NvvmPasses.h"
#include "lib/CodeGen/Spirv/SpirvPasses.h"
#include "lib/Compiler/Pipelines.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tenferro::compiler {

void buildGpuKernelsPipeline(OpPassManager &passes, StringRef target) {
  buildCleanupPipeline(passes);
  buildFusePipeline(passes);
  buildLowerPipeline(passes);
  passes.addPass(createGpuKernelsPass({target.str()})); // functions of math are expanded in it, before anything folds
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void buildSpirvPipeline(OpPassManager &passes, StringRef output) {
  buildGpuKernelsPipeline(passes, "spirv");
  passes.addPass(createGpuToSpirvPass());
  OpPassManager &module = passes.nest<spirv::ModuleOp>();
  module.addPass(spirv::createSPIRVLowerABIAttributesPass());
  module.addPass(createCanonicalizerPass());
  module.addPass(createCSEPass());
  module.addPass(spirv::createSPIRVUpdateVCEPass());
  module.addPass(createSpirvExactArithmeticPass());
  passes.addPass(createWriteSpirvPass({output.str()}));
}

void buildNvvmPipeline(OpPassManager &passes, StringRef chip, StringRef output) {
  buildGpuKernelsPipeline(passes, "nvvm");
  OpPassManager &module = passes.nest<gpu::GPUModuleOp>();
  module.addPass(createSCFToControlFlowPass());
  module.addPass(createGpuToNvvmPass());
  module.addPass(createReconcileUnrealizedCastsPass());
  module.addPass(createCanonicalizerPass());
  module.addPass(createCSEPass());
  passes.addPass(createWritePtxPass({chip.str(), output.str()}));
}

namespace {
struct SpirvOptions : PassPipelineOptions<SpirvOptions> {
  Option<std::string> output{*this, "output", llvm::cl::desc("folder for the SPIR-V files"), llvm::cl::init("")};
};
struct NvvmOptions : PassPipelineOptions<NvvmOptions> {
  Option<std::string> chip{*this, "chip", llvm::cl::desc("compute capability"), llvm::cl::init("sm_80")};
  Option<std::string> output{*this, "output", llvm::cl::desc("folder for the PTX files"), llvm::cl::init("")};
};
} // namespace

void registerGpuDialects(DialectRegistry &registry) {
  registry.insert<gpu::GPUDialect, NVVM::NVVMDialect, spirv::SPIRVDialect>();
}

void registerGpuPipelines() {
  registerGpuCodeGenPasses();
  registerNvvmCodeGenPasses();
  registerSpirvCodeGenPasses();
  PassPipelineRegistration<SpirvOptions>(
      "tenferro-spirv-pipeline", "from a program to SPIR-V kernels for Vulkan 1.3",
      [](OpPassManager &passes, const SpirvOptions &options) { buildSpirvPipeline(passes, options.output); });
  PassPipelineRegistration<NvvmOptions>("tenferro-nvvm-pipeline", "from a program to PTX kernels",
                                        [](OpPassManager &passes, const NvvmOptions &options) {
                                          buildNvvmPipeline(passes, options.chip, options.output);
                                        });
}

} // namespace tenferro::compiler
