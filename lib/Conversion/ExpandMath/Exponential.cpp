// e^x and e^x - 1. Both reduce x = n ln(2) + r, |r| <= ln(2)/2, with one polynomial for e^r, and keep the rounding error
// of the first sum, so that little more than the last rounding is lost.
#include "lib/Conversion/ExpandMath/Coefficients.h"
#include "lib/Conversion/ExpandMath/ExpCore.h"
#include "lib/Conversion/ExpandMath/Expansions.h"

using namespace mlir;

namespace tenferro::compiler {

ArrayRef<double> expCoefficients(const MathBuilder &b) {
  return b.isDouble() ? ArrayRef<double>(coefficients::kExpF64) : ArrayRef<double>(coefficients::kExpF32);
}

ExpParts reduceExp(MathBuilder &b, Value x, Value tail, ArrayRef<double> coefficients, bool keepsReduction) {
  // Adding 1.5 * 2^(fraction bits) rounds x / ln(2) to an integer, to be found in the low bits of the sum.
  double shifter = b.isDouble() ? 0x1.8p52 : 0x1.8p23;
  int64_t shifterBits = b.isDouble() ? 0x4338000000000000 : 0x4B400000;
  Value shifted = b.fma(x, b.constant(0x1.71547652b82fep+0), b.constant(shifter));
  ExpParts parts;
  parts.n = b.sub(shifted, b.constant(shifter));
  parts.biased = b.addBits(b.toBits(shifted), b.integer(2 * b.bias() - shifterBits));

  // ln(2) in two parts. n * first part needs more bits than one number has, but the fused x - n * part is exact: it is
  // a multiple of the last bit of either and below 1/2.
  double ln2High = b.isDouble() ? 0x1.62e42fefa39efp-1 : 0x1.62e43p-1;
  double ln2Low = b.isDouble() ? 0x1.abc9e3b39803fp-56 : -0x1.05c61p-29;
  parts.high = b.fnma(parts.n, b.constant(ln2High), x);
  Value rest = tail ? b.fnma(parts.n, b.constant(ln2Low), tail) : b.mul(parts.n, b.constant(-ln2Low));
  Value r = b.add(parts.high, rest);
  // r^2/2 apart from the polynomial: the rounding of what is left hardly counts.
  Value square = b.mul(r, r);
  Value low = b.fma(b.mul(square, r), b.polynomialInPairs(r, coefficients), rest);
  if (keepsReduction) {
    // r^2/2 from the exact high + rest instead of the rounded r.
    low = b.fma(parts.high, rest, low);
    square = b.mul(parts.high, parts.high);
  }
  parts.low = b.fma(square, b.constant(0.5), low);
  return parts;
}

Double2 addToBase(MathBuilder &b, Value base, const ExpParts &parts) {
  Double2 sum = fastSum(b, base, parts.high);
  return {sum.high, b.add(parts.low, sum.low)};
}

Value scaleByPowerOfTwo(MathBuilder &b, Value value, const ExpParts &parts) {
  // Half of n + 2 bias is floor(n / 2) + bias, already biased.
  Value first = b.shiftRight(parts.biased, 1);
  Value second = b.subBits(parts.biased, first);
  return b.mul(b.mul(value, b.powerOfTwo(first)), b.powerOfTwo(second));
}

Value inversePowerOfTwo(MathBuilder &b, const ExpParts &parts) {
  return b.powerOfTwo(b.subBits(b.integer(3 * b.bias()), parts.biased));
}

Value finishExp(MathBuilder &b, const ExpParts &parts) {
  Double2 sum = addToBase(b, b.constant(1.0), parts);
  return scaleByPowerOfTwo(b, b.add(sum.high, sum.low), parts);
}

Value expandExp(MathBuilder &b, Value x) {
  // The bounds lie beyond overflow and beyond the last subnormal.
  x = b.clampBelow(b.clampAbove(x, b.isDouble() ? 710.0 : 89.0), b.isDouble() ? -746.0 : -105.0);
  return finishExp(b, reduceExp(b, x, nullptr, expCoefficients(b)));
}

Value expandExpm1(MathBuilder &b, Value x) {
  Value clamped = b.clampBelow(b.clampAbove(x, b.isDouble() ? 710.0 : 89.0), b.isDouble() ? -40.0 : -20.0);
  ExpParts parts = reduceExp(b, clamped, nullptr, expCoefficients(b), /*keepsReduction=*/true);
  // 2^n ((1 - 2^-n) + high + low). For n = 0 the base is 0 and nothing cancels; for a large n there is no 2^-n.
  Value one = b.constant(1.0);
  Value inverse = b.select(b.greater(parts.n, b.constant(b.isDouble() ? 60.0 : 30.0)), b.constant(0.0),
                           inversePowerOfTwo(b, parts));
  Double2 base = fastSum(b, one, b.neg(inverse));
  Double2 sum = addToBase(b, base.high, parts);
  Value significand = b.add(sum.high, b.add(sum.low, base.low));
  return b.copySign(scaleByPowerOfTwo(b, significand, parts), x);
}

} // namespace tenferro::compiler
