// Which operations run together: the decision of fusion, apart from the rewriting.
#ifndef TENFERRO_TRANSFORMS_FUSIONPLAN_H
#define TENFERRO_TRANSFORMS_FUSIONPLAN_H

#include "lib/Transforms/OpFacts.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace tenferro::compiler {

/// The part an operation plays in fusion.
enum class FusionRole {
  Elementwise, ///< member of a group
  Reduction,   ///< ends a group of its own
  Free,        ///< transpose, broadcast, iota, splat constant: read through, repeated in every group that uses it
  View,        ///< slice, reshape, reverse, extract_diag: no work, but not expressible as an operand map
  Alone,       ///< a launch of its own: dot_general, pad, concatenate, gather and the like; also whatever is unknown
};

FusionRole fusionRole(mlir::Operation *op);

/// Operations that become one kernel, in program order. `reduction` (the last of them) may be null.
struct FusionGroup {
  llvm::SmallVector<mlir::Operation *> members;
  mlir::Operation *reduction = nullptr;
};

struct FusionLimits {
  /// Most weight of one group, counted as vector instructions roughly: 1 for arithmetic, 3 for division and square
  /// roots, 12 for division of integers, 24 for a transcendental function.
  ///
  /// It keeps the functions that LLVM sees small enough for linear time. Processor time to generate code for a chain of
  /// 960 mixed operations cut at 100, 200, 400, 800, 1600 and 6400: 1482, 790, 695, 755, 828 and 1152 ms; for its gradient cut
  /// at 100, 400, 800 and 1600: 5.4, 3.0, 2.9 and 2.9 s; for 128 divisions of i32, 32, 64 and 128 a kernel: 387, 448 and
  /// 649 ms. Below the limit the loop around a body costs more than the body, far above it register allocation does.
  int64_t weight = 400;
  /// Most different values a group reads and writes.
  size_t operands = 24;
};

/// Plans the groups of a block.
///
/// The model: time is launches plus memory traffic, so every element-wise operation joins what it can reach without new
/// traffic or repeated work.
///  1. A reduction takes in the operations of its shape whose every use leads to it.
///  2. The rest get stages: an operation is one stage later than everything it cannot run beside (another shape, a
///     reduction, a product, a value read through a view), and then as late as its users allow, so that a slope is computed where it is
///     consumed and not stored in between.
///  3. Operations of one stage and shape that are connected, or read the same value, are a group.
/// Stages never fall along an edge and rise on every edge between groups, so no group waits for itself. A group over the
/// limits is cut in program order.
std::vector<FusionGroup> planFusion(mlir::Block &block, const FusionLimits &limits = {});

} // namespace tenferro::compiler

#endif // TENFERRO_TRANSFORMS_FUSIONPLAN_H
