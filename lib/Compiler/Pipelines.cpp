// The named pipelines: what happens to a program, top to bottom.
#include "lib/Compiler/Pipelines.h"

#include "lib/AutoDiff/Passes.h"
#include "lib/Conversion/TenferroToLinalg/TenferroToLinalg.h"
#include "lib/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace tenferro::compiler {

void buildCleanupPipeline(OpPassManager &passes) {
  passes.nest<func::FuncOp>().addPass(createLowerResidualsPass());
  passes.addPass(createInlineCustomCallsPass());
  OpPassManager &function = passes.nest<func::FuncOp>();
  function.addPass(createSimplifyPass({/*merge=*/true}));
  function.addPass(createDeadValuesPass());
}

void buildFusePipeline(OpPassManager &passes) { passes.nest<func::FuncOp>().addPass(createFuseElementwisePass()); }

void buildLowerPipeline(OpPassManager &passes) { passes.nest<func::FuncOp>().addPass(createTenferroToLinalgPass()); }

void buildCpuPipeline(OpPassManager &passes) {
  buildCleanupPipeline(passes);
  buildFusePipeline(passes);
  buildLowerPipeline(passes);
  passes.nest<func::FuncOp>().addPass(createPlanBuffersPass());
}

void registerPipelines() {
  PassPipelineRegistration<>("tenferro-cleanup-pipeline", "kept values, exact algebra, CSE, dead values",
                             buildCleanupPipeline);
  PassPipelineRegistration<>("tenferro-cpu-pipeline", "from a program to kernels on buffers, as the compiler runs it",
                             buildCpuPipeline);
}

} // namespace tenferro::compiler
