// Splitting a positive number into 2^k (1 + f), shared by the functions built on log.
#ifndef TENFERRO_CONVERSION_EXPANDMATH_LOGCORE_H
#define TENFERRO_CONVERSION_EXPANDMATH_LOGCORE_H

#include "lib/Conversion/ExpandMath/Double2.h"

namespace tenferro::compiler {

/// x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), f exact.
struct LogParts {
  mlir::Value f;
  mlir::Value k;      // integral, in the value type
  mlir::Value biased; // k + bias, an integer, before the correction for subnormals
};

/// Splits x > 0, finite. Anything else gives finite nonsense to be replaced by the caller. Subnormals are handled where
/// `special`, if it is not null, is set: as isSpecial(x) says.
LogParts splitLog(MathBuilder &b, mlir::Value x, mlir::Value special);

/// `result`, but the logarithm of 0, of negative numbers, infinity and NaN where x is one; `special` is set there.
mlir::Value fixLogEdges(MathBuilder &b, mlir::Value x, mlir::Value special, mlir::Value result);

/// log(1 + u) for u >= 0 and below 2^60, or, where `isFar`, log(2 far). The last two may be null.
mlir::Value logOfOnePlus(MathBuilder &b, Double2 u, mlir::Value isFar, mlir::Value far);

/// The logarithm of what `parts` describes (f64), or of its 1 + f alone, to about 2^-68 relative.
Double2 logDouble2(MathBuilder &b, const LogParts &parts, bool withExponent);

} // namespace tenferro::compiler

#endif // TENFERRO_CONVERSION_EXPANDMATH_LOGCORE_H
