// Products of many small matrices, where a call of a register tile for each would cost more than its arithmetic.
#ifndef TENFERRO_RUNTIME_LAUNCH_TINYPRODUCTS_H
#define TENFERRO_RUNTIME_LAUNCH_TINYPRODUCTS_H

#include "runtime/core/InlineVector.h"
#include "runtime/launch/LaunchContext.h"
#include "tenferro/DType.h"

namespace tenferro::runtime {

/// C[i, j] = sum over t of A[i, t] B[t, j] for each position of the batch; strides in elements. C is contiguous: rows, columns,
/// batch.
struct TinyProducts {
  DType dtype = DType::F64;
  int64_t rows = 1, columns = 1, terms = 1;
  int64_t aRow = 0, aTerm = 0, bTerm = 0, bColumn = 0;
  struct Dim {
    int64_t extent, a, b;
  };
  InlineVector<Dim, 8> batch; ///< leftmost fastest
  const void *a = nullptr, *b = nullptr;
  void *c = nullptr;

  /// Whether `run` is for products of this size and type.
  static bool fits(DType dtype, int64_t rows, int64_t columns, int64_t terms) noexcept;

  /// The bits of the register tiles: one chain of fused multiply-adds from +0 per element, in ascending order.
  void run(const LaunchContext &context);
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_LAUNCH_TINYPRODUCTS_H
