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

/// x + y rounded, and the rounding error, whichever is larger.
inline Double2 twoSum(MathBuilder &b, mlir::Value x, mlir::Value y) {
  mlir::Value sum = b.add(x, y);
  mlir::Value yPart = b.sub(sum, x);
  return {sum, b.add(b.sub(x, b.sub(sum, yPart)), b.sub(y, yPart))};
}

/// x * y rounded, and the rounding error.
inline Double2 twoProduct(MathBuilder &b, mlir::Value x, mlir::Value y) {
  mlir::Value product = b.mul(x, y);
  return {product, b.fma(x, y, b.neg(product))};
}

/// The product of two sums, to about twice the bits.
inline Double2 multiply(MathBuilder &b, Double2 x, Double2 y) {
  Double2 product = twoProduct(b, x.high, y.high);
  product.low = b.fma(x.low, y.high, b.fma(x.high, y.low, product.low));
  return product;
}

/// numerator - quotient * denominator, for a quotient that is nearly right.
inline mlir::Value remainder(MathBuilder &b, mlir::Value quotient, Double2 numerator, Double2 denominator) {
  return b.add(b.fnma(quotient, denominator.high, numerator.high), b.fnma(quotient, denominator.low, numerator.low));
}

/// numerator / denominator: the rough quotient, and what its remainder adds.
inline Double2 divide(MathBuilder &b, Double2 numerator, Double2 denominator) {
  mlir::Value reciprocal = b.div(b.constant(1.0), denominator.high);
  mlir::Value rough = b.mul(numerator.high, reciprocal);
  return {rough, b.mul(remainder(b, rough, numerator, denominator), reciprocal)};
}

/// The square root of a sum that is positive or 0.
inline Double2 squareRoot(MathBuilder &b, Double2 x) {
  mlir::Value root = b.sqrt(x.high);
  mlir::Value remainder = b.add(b.fnma(root, root, x.high), x.low);
  mlir::Value low = b.div(remainder, b.add(root, root));
  return {root, b.select(b.equal(root, b.constant(0.0)), root, low)};
}

} // namespace tenferro::compiler

#endif // TENFERRO_CONVERSION_EXPANDMATH_DOUBLE2_H
