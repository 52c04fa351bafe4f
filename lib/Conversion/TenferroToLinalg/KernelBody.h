// The scalar body of a kernel, made from the operations of a fused group.
#ifndef TENFERRO_CONVERSION_TENFERROTOLINALG_KERNELBODY_H
#define TENFERRO_CONVERSION_TENFERROTOLINALG_KERNELBODY_H

#include "dialects/tenferro/Structure.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

namespace tenferro::compiler {

/// Which axis of the iteration space walks each axis of an operand; -1: none, the coordinate is 0.
using AxisMap = llvm::SmallVector<int64_t>;

/// A memory operand of the kernel: an argument of the fused group under one axis map.
struct KernelInput {
  unsigned argument = 0;
  AxisMap axes;
  friend bool operator==(const KernelInput &, const KernelInput &) = default;
};

/// The memory operands a group reads, in the order of their first use: one per argument and way of reading it.
llvm::FailureOr<llvm::SmallVector<KernelInput>> collectKernelInputs(ir::FusedOp fused);

/// Emits the scalar meaning of a group. `elements` are the inputs' elements as they are in memory, in the order of `inputs`. Returns
/// the elements to store (or to reduce), as they are in memory; fails with a diagnostic.
llvm::FailureOr<llvm::SmallVector<mlir::Value>> buildKernelBody(mlir::OpBuilder &builder, ir::FusedOp fused,
                                                                llvm::ArrayRef<KernelInput> inputs,
                                                                mlir::ValueRange elements);

} // namespace tenferro::compiler

#endif // TENFERRO_CONVERSION_TENFERROTOLINALG_KERNELBODY_H
