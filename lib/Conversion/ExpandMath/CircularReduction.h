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

/// The parts by subtraction of q pi/2 from `magnitude` = |x|, which is short; `fails` is set where x is too large for that or
/// too near to a multiple of pi/2, and NaN. f32 or f64; r.low is about what r.high lacks, |r.high| may be 0.016 above pi/4.
CircularParts subtractHalfPis(MathBuilder &b, mlir::Value magnitude, mlir::Value &fails);

/// The parts of what `subtractHalfPis` fails for, f64. `fromSingle` as above.
CircularParts reducePayneHanek(MathBuilder &b, mlir::Value magnitude, bool fromSingle);

} // namespace tenferro::compiler

#endif // TENFERRO_CONVERSION_EXPANDMATH_CIRCULARREDUCTION_H
