// erf: a polynomial in x^2 up to about 13/16, beyond it 1 - e^(-Q(x)) with a polynomial Q = -log(erfc), which is smooth
// where erfc itself falls over 16 decades; in f32 to the base 2. erfc: 1 - erf from the polynomial of erf, beyond it
// e^(-x^2) times a polynomial in (x - 4) / (x + 4), kept as sums of two. That of f32 is a product in f64 everywhere.
#include "lib/Conversion/ExpandMath/Coefficients.h"
#include "lib/Conversion/ExpandMath/ExpCore.h"
#include "lib/Conversion/ExpandMath/Expansions.h"
#include "lib/Conversion/ExpandMath/Wide.h"

using namespace mlir;

namespace tenferro::compiler {

/// Where the two pieces of f64 meet: the rounding of the polynomial grows towards 1, that of Q falls with erfc.
static constexpr double kSplit = 0.8125;

/// Where those of f32 do: here erfc is a quarter.
static constexpr double kSplitSingle = 0x1.a07890p-1;

/// |x| + |x| times the polynomial.
static Value erfNearZero(MathBuilder &b, Value x, Value magnitude, ArrayRef<double> coefficients) {
  return b.fma(magnitude, b.polynomial(b.mul(x, x), coefficients), magnitude);
}

/// |erf| of f32 from the split on, 1 - 2^u / 4: near the split u is small, and so is its rounding.
static Value erfTailSingle(MathBuilder &b, Value magnitude) {
  Value t = b.sub(b.clampAbove(magnitude, 4.0), b.constant(kSplitSingle));
  Value u = b.polynomial(t, coefficients::kErfTailF32);
  // The sum with the shifter has n - 2 + bias in its low bits, u = n + r.
  Value shifter = b.constant(0x1.8p23 + 125);
  Value shifted = b.add(u, shifter);
  Value r = b.sub(u, b.sub(shifted, shifter));
  return b.fnma(b.powerOfTwo(b.toBits(shifted)), b.polynomialOverSquare(r, coefficients::kErfExpF32), b.constant(1.0));
}

static Value erfTail(MathBuilder &b, Value magnitude) {
  // erfc is below half an ulp of 1 at the bound.
  Value t = b.sub(b.clampAbove(magnitude, 6.0), b.constant(kSplit));
  Value logErfc = b.polynomial(t, coefficients::kErfTailF64);
  Value rest = b.constant(-coefficients::kErfTailLowF64);
  ExpParts parts = reduceExp(b, b.neg(logErfc), rest, expCoefficients(b));
  // 1 - 2^n (1 + high + low), where 1 - 2^n is exact.
  Value power = b.powerOfTwo(b.subBits(parts.biased, b.integer(b.bias())));
  return b.fnma(power, b.add(parts.high, parts.low), b.sub(b.constant(1.0), power));
}

Value expandErf(MathBuilder &b, Value x) {
  bool f64 = b.isDouble();
  Value magnitude = b.abs(x);
  Value near = erfNearZero(b, x, magnitude,
                           f64 ? ArrayRef<double>(coefficients::kErfF64) : ArrayRef<double>(coefficients::kErfF32));
  Value tail = f64 ? erfTail(b, magnitude) : erfTailSingle(b, magnitude);
  Value isNear = b.less(magnitude, b.constant(f64 ? kSplit : kSplitSingle));
  return b.copySign(b.select(isNear, near, tail), x);
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
  ExpParts parts =
      reduceExp(b, b.neg(square.high), b.neg(square.low), expCoefficients(b), /*keepsReduction=*/true);
  Double2 exp = addToBase(b, one, parts);
  Value t = b.div(b.sub(a, b.constant(4.0)), b.add(a, b.constant(4.0)));
  ArrayRef<double> coefficients = coefficients::kErfcF64;
  Double2 scaled =
      fastSum(b, b.constant(coefficients.front()), b.mul(t, b.polynomialOverSquare(t, coefficients.drop_front())));
  scaled.low = b.add(scaled.low, b.constant(coefficients::kErfcLowF64));
  Double2 quotient = divide(b, scaled, fastSum(b, b.add(a, a), one));
  Double2 product = multiply(b, exp, quotient);
  Value far = scaleByPowerOfTwo(b, b.add(product.high, product.low), parts);
  far = b.select(b.less(x, zero), b.sub(b.constant(2.0), far), far);
  return b.select(b.less(magnitude, b.constant(kErfcSplit)), nearby, far);
}

/// erfc(x) of an x that came from f32: e^(-x^2) P(t) / (|x| + 3), with x^2 exact.
static Value erfcOfSingle(MathBuilder &b, Value x) {
  // erfc is below half the last subnormal at the bound.
  Value a = b.clampAbove(b.abs(x), 10.1), square = b.mul(a, a);
  Value shifter = b.constant(0x1.8p52 + 1023), perLn2 = b.constant(-0x1.71547652b82fep+0);
  Value shifted = b.fma(square, perLn2, shifter);
  Value r = b.fma(square, perLn2, b.sub(shifter, shifted));
  Value exp = b.mul(b.polynomialOverSquare(r, coefficients::kExp2Mid), b.powerOfTwo(b.toBits(shifted)));
  Value one = b.constant(1.0), reciprocal = b.div(one, b.add(a, b.constant(3.0)));
  Value t = b.fma(reciprocal, b.constant(-6.0), one);
  Value far = b.mul(b.mul(exp, reciprocal), b.polynomialOverSquare(t, coefficients::kErfcMid));
  return b.select(b.less(x, b.constant(0.0)), b.sub(b.constant(2.0), far), far);
}

Value expandErfc(MathBuilder &b, Value x) {
  return b.isDouble() ? computeErfc(b, x) : inDouble(b, erfcOfSingle, x);
}

} // namespace tenferro::compiler
