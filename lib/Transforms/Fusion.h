// Fusion and buffer planning as plain functions, for callers that run without a pass manager.
#ifndef TENFERRO_TRANSFORMS_FUSION_H
#define TENFERRO_TRANSFORMS_FUSION_H

#include "lib/Transforms/FusionPlan.h"

namespace mlir::func {
class FuncOp;
}

namespace tenferro::compiler {

/// Moves groups of element-wise operations and reductions into kernels (see `planFusion`). Returns how many it made.
int64_t fuseElementwise(mlir::func::FuncOp function, const FusionLimits &limits = {});

} // namespace tenferro::compiler

#endif // TENFERRO_TRANSFORMS_FUSION_H
