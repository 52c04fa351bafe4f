// erf: a polynomial in x^2 up to 13/16, beyond it 1 - e^(-Q(x)) with a polynomial Q = -log(erfc), which is smooth where
// erfc itself falls over 16 decades. erfc: 1 - erf from the polynomial of erf, beyond it e^(-x^2) times a polynomial in
// (x - 4) / (x + 4), kept as sums of two.
#include "lib/Conversion/ExpandMath/Coefficients.h"
#include "lib/Conversion/ExpandMath/ExpCore.h"
#include "lib/Conversion/ExpandMath/Expansions.h"
#include "lib/Conversion/ExpandMath/Wide.h"

using namespace mlir;

namespace tenferro::compiler {

/// Where the two pieces meet: the rounding of the polynomial grows towards 1, that of Q falls with erfc.
static constexpr double kSplit = 0.8125;

Value expandErf(MathBuilder &b, Value x) {
  bool f64 = b.isDouble();
  Value magnitude = b.abs(x);
  Value square = b.mul(x, x);
  Value center =
      b.polynomial(square, f64 ? ArrayRef<double>(coefficients::kErfF64) : ArrayRef<double>(coefficients::kErfF32));
  center = b.fma(magnitude, center, magnitude);

  // erfc is below half an ulp of 1 at the bound.
  Value one = b.constant(1.0);
  Value t = b.sub(b.clampAbove(magnitude, f64 ? 6.0 : 4.0), b.constant(kSplit));
  Value logErfc =
      b.polynomial(t, f64 ? ArrayRef<double>(coefficients::kErfTailF64) : ArrayRef<double>(coefficients::kErfTailF32));
  Value rest = b.constant(f64 ? -coefficients::kErfTailLowF64 : -coefficients::kErfTailLowF32);
  ExpParts parts = reduceExp(b, b.neg(logErfc), rest, expCoefficients(b));
  // 1 - 2^n (1 + high + low), where 1 - 2^n is exact.
  Value power = b.powerOfTwo(b.subBits(parts.biased, b.integer(b.bias())));
  Value tail = b.fnma(power, b.add(parts.high, parts.low), b.sub(one, power));
  return b.copySign(b.select(b.less(magnitude, b.constant(kSplit)), center, tail), x);
}

/// Where those of erfc meet: nearer to 1 the polynomial's rounding would show in the difference.
static constexpr double kErfcSplit = 0.6875;

/// erfc(x) in f64.
static Value computeErfc(MathBuilder &b, Value x) {
  Value one = b.constant(1.0), zero = b.constant(0.0);
  Value magnitude = b.abs(x);
  Double2 center = fastSum(b, one, b.neg(x));
  Value rest = b.mul(x, b.polynomial(b.mul(x, x), coefficients::kErfF64));
  Value nearby = b.add(center.high, b.sub(center.low, rest));

  // erfc(28) is below half the last subnormal.
  Value a = b.clampAbove(magnitude, 28.0);
  Double2 square = twoProduct(b, a, a);
  ExpParts parts = reduceExp(b, b.neg(square.high), b.neg(square.low), expCoefficients(b));
  Double2 exp = addToBase(b, one, parts);
  Double2 ratio = divide(b, twoSum(b, a, b.constant(-4.0)), twoSum(b, a, b.constant(4.0)));
  Value t = b.add(ratio.high, ratio.low);
  ArrayRef<double> coefficients = coefficients::kErfcF64;
  Double2 scaled =
      fastSum(b, b.constant(coefficients.front()), b.mul(t, b.polynomial(t, coefficients.drop_front())));
  scaled.low = b.add(scaled.low, b.constant(coefficients::kErfcLowF64));
  Double2 quotient = divide(b, scaled, fastSum(b, b.add(a, a), one));
  Double2 product = multiply(b, exp, quotient);
  Value far = scaleByPowerOfTwo(b, b.add(product.high, product.low), parts);
  far = b.select(b.less(x, zero), b.sub(b.constant(2.0), far), far);
  return b.select(b.less(magnitude, b.constant(kErfcSplit)), nearby, far);
}

Value expandErfc(MathBuilder &b, Value x) { return inDouble(b, computeErfc, x); }

} // namespace tenferro::compiler
