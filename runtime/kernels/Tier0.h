// The table of precompiled kernels that tenferro-aot generates, one per CPU level.
#ifndef TENFERRO_RUNTIME_KERNELS_TIER0_H
#define TENFERRO_RUNTIME_KERNELS_TIER0_H

#include "runtime/core/KernelAbi.h"
#include "tenferro/DType.h"

#include <cstddef>

namespace tenferro::runtime {

enum class Tier0Class : uint8_t { Map, Reduce, Matmul };

/// One precompiled kernel with its variants.
struct Tier0Kernel {
  const char *name; ///< as `kernelName` spells it: "add.f64", "compare.lt.i32", "cast.f32.i64", "sum.f64", "matmul.f64"
  Tier0Class kind;
  uint8_t inputs;  ///< at most 3
  uint8_t outputs; ///< 1
  DType dtypes[4]; ///< of the inputs, then the output
  Access access[3]; ///< Index where the input is one; Unit otherwise (variants say which are Scalar)
  /// Map: variants[mask], bit i of the mask set where input i is Access::Scalar; null where no input would vary.
  /// Reduce: [0] row kernel, [1] column kernel, inputs unit (MatmulDot: "dot.<dtype>" has two inputs, products summed).
  /// Matmul: variants[c - 1] is the tile of c columns, c = 1..columns.
  void *variants[8];
  uint8_t columns; ///< Matmul only: widest tile
  int32_t rows;    ///< Matmul only: most rows a tile call may take
  uint32_t weight; ///< operations of the body, roughly vector instructions; 0 for Matmul
};

/// The kernels of a level, sorted by name.
const Tier0Kernel *tier0Kernels(CpuLevel level, size_t *count) noexcept;

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_KERNELS_TIER0_H
