// The expansion of each math function over arith ops and math.fma: straight-line code, the same for scalars and vectors
// of any width, so the same bits everywhere. Accuracy (max error in ulp, all arguments) stands at each function.
#ifndef TENFERRO_CONVERSION_EXPANDMATH_EXPANSIONS_H
#define TENFERRO_CONVERSION_EXPANDMATH_EXPANSIONS_H

#include "lib/Conversion/ExpandMath/MathBuilder.h"

namespace tenferro::compiler {

mlir::Value expandExp(MathBuilder &b, mlir::Value x);
mlir::Value expandExpm1(MathBuilder &b, mlir::Value x);
mlir::Value expandTanh(MathBuilder &b, mlir::Value x);
mlir::Value expandLog(MathBuilder &b, mlir::Value x);
mlir::Value expandLog1p(MathBuilder &b, mlir::Value x);
mlir::Value expandErf(MathBuilder &b, mlir::Value x);
mlir::Value expandPow(MathBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value expandRsqrt(MathBuilder &b, mlir::Value x);
/// 1 / (1 + e^-x), which no math op names.
mlir::Value expandSigmoid(MathBuilder &b, mlir::Value x);

} // namespace tenferro::compiler

#endif // TENFERRO_CONVERSION_EXPANDMATH_EXPANSIONS_H
