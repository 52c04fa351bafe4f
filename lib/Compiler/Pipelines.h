// The named pipelines: what happens to a program, top to bottom.
#ifndef TENFERRO_COMPILER_PIPELINES_H
#define TENFERRO_COMPILER_PIPELINES_H

namespace mlir {
class OpPassManager;
}

namespace tenferro::compiler {

/// From a program, derived or not, to the least that computes it: kept values used, exact algebra, nothing twice, nothing
/// dead.
void buildCleanupPipeline(mlir::OpPassManager &passes);

/// Groups of operations.
void buildFusePipeline(mlir::OpPassManager &passes);

/// Groups to kernels on buffers.
void buildLowerPipeline(mlir::OpPassManager &passes);

/// All of the above, and the buffer plan for people to read: what runs before code generation.
void buildCpuPipeline(mlir::OpPassManager &passes);

/// Registers --tenferro-cleanup-pipeline and --tenferro-cpu-pipeline.
void registerPipelines();

} // namespace tenferro::compiler

#endif // TENFERRO_COMPILER_PIPELINES_H
