// Numbers carried as an unevaluated sum of two, for about twice the bits.
#ifndef TENFERRO_CONVERSION_EXPANDMATH_DOUBLE2_H
#define TENFERRO_CONVERSION_EXPANDMATH_DOUBLE2_H

#include "lib/Conversion/ExpandMath/MathBuilder.h"

namespace tenferro::compiler {

/// high + low.
struct Double2 {
  mlir::Value high, low;
};

/// large + small rounded, and the rounding error: exact for large = 0 or |large| >= |small|.
inline Double2 fastSum(MathBuilder &b, mlir::Value large, mlir::Value small) {
  mlir::Value sum = b.add(large, small);
  return {sum, b.sub(small, b.sub(sum, large))};
}

} // namespace tenferro::compiler

#endif // TENFERRO_CONVERSION_EXPANDMATH_DOUBLE2_H
