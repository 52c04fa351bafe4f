// The pipelines to devices' code as text, for the tools: libtenferro-compiler does not hold them.
#ifndef TENFERRO_COMPILER_GPUPIPELINES_H
#define TENFERRO_COMPILER_GPUPIPELINES_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace tenferro::compiler {

/// From a program, derived or not, to device kernels and their launches: the CPU's pipeline up to kernels on buffers,
/// then one gpu.func per launch. `target` is spirv or nvvm.
void buildGpuKernelsPipeline(mlir::OpPassManager &passes, llvm::StringRef target);

/// To SPIR-V for Vulkan 1.3. A folder that is not empty takes a file per function.
void buildSpirvPipeline(mlir::OpPassManager &passes, llvm::StringRef output = "");

/// To PTX for `chip`. A folder that is not empty takes a file per function.
void buildNvvmPipeline(mlir::OpPassManager &passes, llvm::StringRef chip, llvm::StringRef output = "");

/// The dialects of the pipelines.
void registerGpuDialects(mlir::DialectRegistry &registry);

/// Registers --tenferro-spirv-pipeline and --tenferro-nvvm-pipeline, and the passes they are made of.
void registerGpuPipelines();

} // namespace tenferro::compiler

#endif // TENFERRO_COMPILER_GPUPIPELINES_H
