// What running one operation costs, counted.
#ifndef TENFERRO_COMPILER_OPCOST_H
#define TENFERRO_COMPILER_OPCOST_H

#include "mlir/IR/Operation.h"

#include <cstdint>

namespace tenferro::compiler {

/// Counted, not measured. `flops`: floating-point additions, subtractions, multiplications, divisions and square roots
/// of all elements, a fused multiply-add as two, with each math function as the arithmetic it is expanded to. `bytes`:
/// elements read and written; none for an operation that is a view.
struct OpCost {
  int64_t flops = 0, bytes = 0;
  OpCost &operator+=(const OpCost &other) {
    flops += other.flops;
    bytes += other.bytes;
    return *this;
  }
};

/// `op`: an operation of the dialect on tensors of static shape.
OpCost costOf(mlir::Operation *op);

} // namespace tenferro::compiler

#endif // TENFERRO_COMPILER_OPCOST_H
