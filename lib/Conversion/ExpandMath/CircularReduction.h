// Argument reduction shared by sin, cos and tan.
#ifndef TENFERRO_CONVERSION_EXPANDMATH_CIRCULARREDUCTION_H
#define TENFERRO_CONVERSION_EXPANDMATH_CIRCULARREDUCTION_H

#include "lib/Conversion/ExpandMath/Double2.h"

namespace tenferro::compiler {

/// |x| = q pi/2 + r modulo 2 pi, |r| <= pi/4 or hardly more.
struct CircularParts {
  Double2 r;
  mlir::Value quadrant; // an integer whose two low bits are those of q
};

/// Reduces an f64 to a relative error of r far below 2^-53 whatever x is; one that came from f32 (`fromSingle`) in a
/// third of the work. Infinity and NaN give a NaN.
CircularParts reduceCircular(MathBuilder &b, mlir::Value x, bool fromSingle);

} // namespace tenferro::compiler

#endif // TENFERRO_CONVERSION_EXPANDMATH_CIRCULARREDUCTION_H
