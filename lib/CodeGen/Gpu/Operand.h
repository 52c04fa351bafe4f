// How a kernel reads or writes a buffer: strides and an offset that are constants of the kernel.
#ifndef TENFERRO_CODEGEN_GPU_OPERAND_H
#define TENFERRO_CODEGEN_GPU_OPERAND_H

#include "mlir/IR/Value.h"
#include "tenferro/DType.h"
#include "tenferro/Shape.h"

#include <vector>

namespace tenferro::compiler {

/// A strided view of a flat buffer of the host function, the first dimension of `shape` fastest.
struct Operand {
  mlir::Value buffer; ///< null: no memory, the coordinate along `axis` (an i64)
  int64_t offset = 0; ///< in elements, as the strides
  Shape shape;
  IntList strides;
  DType dtype = DType::F32;
  int64_t axis = 0;

  bool isCoordinate() const { return !buffer; }
};

/// The entries of `list` at `axes`.
IntList pick(const IntList &list, const IntList &axes);

/// The axes of [0, rank) that are in none of the lists, ascending.
IntList axesWithout(int64_t rank, const IntList &a, const IntList &b = {});

/// Dimensions as few as possible that walk the same elements in the same order: neighbours that every list of strides
/// walks as one are merged, extents of 1 dropped. `strides` has one list per operand.
struct LoopDims {
  Shape shape;
  std::vector<IntList> strides;
};
LoopDims mergeDims(const IntList &shape, std::vector<IntList> strides);

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_GPU_OPERAND_H
