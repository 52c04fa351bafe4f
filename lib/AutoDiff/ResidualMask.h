// What a node of the tape must keep, found by differentiating its operation alone.
#ifndef TENFERRO_AUTODIFF_RESIDUALMASK_H
#define TENFERRO_AUTODIFF_RESIDUALMASK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/LLVM.h"

#include <cstdint>

namespace tenferro::compiler {

/// Bit i of `operands`: the value of operand i is needed.
struct ResidualMask {
  uint32_t operands = 0;
  bool result = false;

  ResidualMask &operator|=(const ResidualMask &other) {
    operands |= other.operands;
    result |= other.result;
    return *this;
  }
};

/// `sample` holds one operation on its arguments, in order, and returns its result. Bit i of `active`: operand i has a
/// derivative. Reverse and forward mode are both looked at; the derived functions are erased again.
mlir::FailureOr<ResidualMask> deriveResidualMask(mlir::func::FuncOp sample, uint32_t active);

} // namespace tenferro::compiler

#endif // TENFERRO_AUTODIFF_RESIDUALMASK_H
