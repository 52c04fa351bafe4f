// sinh and cosh from e^|x| = 2^n (1 + p) and its reciprocal 2^-n (1 - p / (1 + p)), so that nothing cancels near 0 and
// nothing overflows before the result; asinh, acosh and atanh from log(1 + u), with u as a sum of two. f32 computes in
// f64.
#include "lib/Conversion/ExpandMath/ExpCore.h"
#include "lib/Conversion/ExpandMath/Expansions.h"
#include "lib/Conversion/ExpandMath/LogCore.h"
#include "lib/Conversion/ExpandMath/Wide.h"

using namespace mlir;

namespace tenferro::compiler {

/// (e^|x| - e^-|x|) / 2, or their half sum.
static Value halfOfPair(MathBuilder &b, Value x, bool isSum) {
  Value one = b.constant(1.0), zero = b.constant(0.0);
  Value magnitude = b.clampAbove(b.abs(x), 711.0); // overflows
  ExpParts parts = reduceExp(b, magnitude, nullptr, expCoefficients(b), /*keepsReduction=*/true);
  // p / (1 + p), and the square of 2^-n, which for a large n is nothing.
  Double2 denominator = addToBase(b, one, parts);
  Double2 numerator = fastSum(b, parts.high, parts.low);
  Double2 rest = divide(b, numerator, fastSum(b, denominator.high, denominator.low));
  Value inverse = b.select(b.greater(parts.n, b.constant(40.0)), zero, inversePowerOfTwo(b, parts));
  Value square = b.mul(inverse, inverse);
  Double2 base = fastSum(b, one, isSum ? square : b.neg(square));
  Double2 sum = addToBase(b, base.high, parts);
  Value factor = isSum ? b.neg(square) : square;
  Double2 total = fastSum(b, sum.high, b.mul(factor, rest.high)); // the product is exact
  Value low = b.fma(factor, rest.low, b.add(total.low, b.add(sum.low, base.low)));
  parts.biased = b.subBits(parts.biased, b.integer(1));
  return scaleByPowerOfTwo(b, b.add(total.high, low), parts);
}

Value expandSinh(MathBuilder &b, Value x) {
  auto compute = [](MathBuilder &b, Value x) { return b.copySign(halfOfPair(b, x, /*isSum=*/false), x); };
  return inDouble(b, compute, x);
}

Value expandCosh(MathBuilder &b, Value x) {
  return inDouble(b, [](MathBuilder &b, Value x) { return halfOfPair(b, x, /*isSum=*/true); }, x);
}

/// From here on log(2x) is as good as asinh and acosh, whose squares overflow later.
static constexpr double kFar = 0x1p28;

Value expandAsinh(MathBuilder &b, Value x) {
  auto compute = [](MathBuilder &b, Value x) {
    // u = a + a^2 / (1 + sqrt(1 + a^2))
    Value one = b.constant(1.0);
    Value magnitude = b.abs(x);
    Value isFar = b.greater(magnitude, b.constant(kFar));
    Double2 square = twoProduct(b, magnitude, magnitude);
    Double2 sum = twoSum(b, one, square.high);
    sum.low = b.add(sum.low, square.low);
    Double2 root = squareRoot(b, sum);
    Double2 denominator = fastSum(b, root.high, one);
    denominator.low = b.add(denominator.low, root.low);
    Double2 quotient = divide(b, square, denominator);
    Double2 u = fastSum(b, magnitude, quotient.high);
    u.low = b.add(u.low, quotient.low);
    Value result = logOfOnePlus(b, u, isFar, magnitude);
    return b.copySign(b.select(b.less(magnitude, b.infinity()), result, magnitude), x);
  };
  return inDouble(b, compute, x);
}

Value expandAcosh(MathBuilder &b, Value x) {
  auto compute = [](MathBuilder &b, Value x) {
    // u = v + sqrt(v (v + 2)) with v = x - 1, exact
    Value one = b.constant(1.0);
    Value isFar = b.greater(x, b.constant(kFar));
    Value v = b.sub(x, one);
    Double2 factor = twoSum(b, b.constant(2.0), v);
    Double2 product = twoProduct(b, v, factor.high);
    product.low = b.fma(v, factor.low, product.low);
    Double2 root = squareRoot(b, product);
    Double2 u = fastSum(b, root.high, v);
    u.low = b.add(u.low, root.low);
    Value result = logOfOnePlus(b, u, isFar, x);
    result = b.select(b.less(x, b.infinity()), result, x); // infinity and NaN
    return b.select(b.less(x, one), b.nan(), result);
  };
  return inDouble(b, compute, x);
}

Value expandAtanh(MathBuilder &b, Value x) {
  auto compute = [](MathBuilder &b, Value x) {
    // log(1 + 2a / (1 - a)) / 2
    Value one = b.constant(1.0);
    Value magnitude = b.abs(x);
    Double2 u = divide(b, {b.add(magnitude, magnitude), b.constant(0.0)}, fastSum(b, one, b.neg(magnitude)));
    u = fastSum(b, u.high, u.low);
    Value result = b.mul(logOfOnePlus(b, u, nullptr, nullptr), b.constant(0.5));
    result = b.select(b.less(magnitude, one), result, b.nan());
    result = b.select(b.equal(magnitude, one), b.infinity(), result);
    return b.copySign(result, x);
  };
  return inDouble(b, compute, x);
}

} // namespace tenferro::compiler
