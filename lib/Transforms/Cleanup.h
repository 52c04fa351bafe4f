// Simplification, CSE and dead values as plain functions, for callers that run without a pass manager.
#ifndef TENFERRO_TRANSFORMS_CLEANUP_H
#define TENFERRO_TRANSFORMS_CLEANUP_H

#include <cstdint>

namespace mlir {
class Block;
class Location;
class Operation;
namespace func {
class FuncOp;
}
} // namespace mlir

namespace tenferro::compiler {

/// Exact algebra to a fixpoint (see `SimplifyPass`). Returns the number of rewrites.
int64_t simplify(mlir::func::FuncOp function);

/// Puts bodies in place of the custom calls of a function and strips opaque ones of their rules (see
/// `InlineCustomCallsPass`). Returns how many it inlined.
int64_t inlineCustomCalls(mlir::func::FuncOp function);

/// Merges equal pure operations of each block and fuses their locations. Returns how many were merged.
int64_t mergeEqualOperations(mlir::func::FuncOp function);

/// Erases unused pure operations of a block, from the last to the first. Returns how many.
int64_t eraseDeadOperations(mlir::Block &block);

/// The location of an operation that stands for both: `kept` with `merged` fused in, nothing lost and nothing twice.
mlir::Location fuseLocations(mlir::Location kept, mlir::Location merged);

} // namespace tenferro::compiler

#endif // TENFERRO_TRANSFORMS_CLEANUP_H
