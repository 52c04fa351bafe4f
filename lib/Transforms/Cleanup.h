// Simplification, CSE and dead values as plain functions, for callers that run without a pass manager.
#ifndef TENFERRO_TRANSFORMS_CLEANUP_H
#define TENFERRO_TRANSFORMS_CLEANUP_H

#include "llvm/Support/LogicalResult.h"

#include <cstdint>

namespace mlir {
class Block;
class Location;
class Operation;
class ModuleOp;
namespace func {
class FuncOp;
}
} // namespace mlir

namespace tenferro::compiler {

/// Exact algebra to a fixpoint (see `SimplifyPass`). Returns the number of rewrites.
int64_t simplify(mlir::func::FuncOp function);

/// The same, and merges equal operations, in one walk: each is compared when it is in its final form. Returns the number of
/// rewrites and merges.
int64_t simplifyAndMerge(mlir::func::FuncOp function);

/// Puts bodies in place of the custom calls of a function and strips opaque ones of their rules (see
/// `InlineCustomCallsPass`). Returns how many it inlined.
int64_t inlineCustomCalls(mlir::func::FuncOp function);

/// Succeeds if no body calls itself, directly or through others, so that inlining ends. Only IR written by hand can
/// have such a body: a recording is finite.
llvm::LogicalResult checkBodiesEnd(mlir::ModuleOp module);

/// Merges equal pure operations of each block and fuses their locations. Returns how many were merged.
int64_t mergeEqualOperations(mlir::func::FuncOp function);

/// Erases unused pure operations of a block, from the last to the first. Returns how many.
int64_t eraseDeadOperations(mlir::Block &block);

/// Gives arguments without uses the attribute `tenferro.unused`. Returns how many it marked.
int64_t markUnusedArguments(mlir::func::FuncOp function);

/// How many locations an operation carries at most. One that stands for a long chain, or for a constant that thousands
/// of rules made, would otherwise carry them all, and every copy of it would be read through again.
inline constexpr size_t kMostLocations = 32;

/// The location of an operation that stands for both: `kept` with `merged` fused in, nothing twice, and nothing lost up
/// to `kMostLocations`; then the first ones and the one of the smallest trace number stay.
mlir::Location fuseLocations(mlir::Location kept, mlir::Location merged);

} // namespace tenferro::compiler

#endif // TENFERRO_TRANSFORMS_CLEANUP_H
