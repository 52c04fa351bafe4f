// Argument reduction, polynomial and scaling shared by the functions built on e^x.
#ifndef TENFERRO_CONVERSION_EXPANDMATH_EXPCORE_H
#define TENFERRO_CONVERSION_EXPANDMATH_EXPCORE_H

#include "lib/Conversion/ExpandMath/Double2.h"

namespace tenferro::compiler {

/// e^x = 2^n (1 + high + low) with |high| <= ln(2)/2 exact and |low| < 0.08.
struct ExpParts {
  mlir::Value high, low;
  mlir::Value n;      // integral, in the value type
  mlir::Value biased; // n + 2 bias, an integer; positive for every n >= -2 bias
};

/// Reduces x (plus `tail`, if any, a correction below an ulp of x) and evaluates the polynomial. The caller has
/// clamped x so that |n| < 2 bias; a NaN in x comes out in `high`.
/// `keepsReduction` costs two operations and takes the rounding of the reduced argument out of `low`: worth it where
/// the result cancels.
ExpParts reduceExp(MathBuilder &b, mlir::Value x, mlir::Value tail, llvm::ArrayRef<double> coefficients,
                   bool keepsReduction = false);

/// base + high + low: the first sum rounded, its error with `low` apart. For base = 0 or |base| >= |high|.
Double2 addToBase(MathBuilder &b, mlir::Value base, const ExpParts &parts);

/// value * 2^n in two steps, each a power of two in range: it overflows and underflows gradually, rounding once.
mlir::Value scaleByPowerOfTwo(MathBuilder &b, mlir::Value value, const ExpParts &parts);

/// 2^-n for n in [-bias, bias - 1].
mlir::Value inversePowerOfTwo(MathBuilder &b, const ExpParts &parts);

/// 2^n (1 + high + low), rounded once more where the result is subnormal.
mlir::Value finishExp(MathBuilder &b, const ExpParts &parts);

/// The coefficients of (e^r - 1 - r - r^2/2) / r^3 for the builder's element type.
llvm::ArrayRef<double> expCoefficients(const MathBuilder &b);

} // namespace tenferro::compiler

#endif // TENFERRO_CONVERSION_EXPANDMATH_EXPCORE_H
