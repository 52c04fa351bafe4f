// tenferro-plan-buffers: writes the plan of BufferPlan.h into the IR, for people and tests.
#include "lib/Transforms/BufferPlan.h"
#include "lib/Transforms/Passes.h"

using namespace mlir;

namespace tenferro::compiler {

#define GEN_PASS_DEF_PLANBUFFERSPASS
#include "lib/Transforms/Passes.h.inc"

namespace {
struct PlanBuffersPass : impl::PlanBuffersPassBase<PlanBuffersPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (failed(checkPlannable(function)))
      return signalPassFailure();
    BufferPlan(function).annotate();
  }
};
} // namespace

} // namespace tenferro::compiler
