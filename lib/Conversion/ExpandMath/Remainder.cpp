// The exact remainder of floats in straight-line code. With x = a 2^i and y = m 2^j for integers a and m, the remainder
// is (a 2^(i-j) mod m) 2^j, and 2^(i-j) mod m comes of squaring: for i - j = 2045 six squarings replace the forty
// divisions of the schoolbook method. Residues are kept between -m/2 and m/2, so that a product of two, reduced by its
// rounded quotient, has an exact sum of two as its remainder.
#include "lib/Conversion/ExpandMath/Double2.h"
#include "lib/Conversion/ExpandMath/Expansions.h"

using namespace mlir;

namespace tenferro::compiler {

namespace {

/// A positive finite number as an integer times 2^(biased - bias - fraction bits).
struct Integral {
  Value significand; // in the value type
  Value biased;      // an integer, at least 1
};

/// Arithmetic of residues in [-m/2, m/2].
class Residues {
public:
  Residues(MathBuilder &b, Value modulus) : b_(b), modulus_(modulus) {}

  /// Of an integer below 2^(fraction bits + 1).
  Value reduce(Value x) { return settle(b_.fnma(nearestQuotient(x), modulus_, x)); }

  Value multiply(Value x, Value y) {
    // The quotient is off by 5/8 at most, so its remainder and the product's error add to 7/8 m: exact.
    Double2 product = twoProduct(b_, x, y);
    Value rest = b_.fnma(nearestQuotient(product.high), modulus_, product.high);
    return settle(b_.add(rest, product.low));
  }

  Value twice(Value x) { return settle(b_.add(x, x)); }

private:
  Value nearestQuotient(Value x) { return b_.roundEven(b_.div(x, modulus_)); }

  /// From [-m, m].
  Value settle(Value x) {
    Value magnitude = b_.abs(x);
    Value isOutside = b_.greater(b_.add(magnitude, magnitude), modulus_);
    return b_.select(isOutside, b_.sub(x, b_.copySign(modulus_, x)), x);
  }

  MathBuilder &b_;
  Value modulus_;
};

} // namespace

static Integral toIntegral(MathBuilder &b, Value x) {
  int bits = b.fractionBits();
  Value pattern = b.toBits(x);
  Value isSubnormal = b.less(x, b.constant(b.isDouble() ? 0x1p-1022 : 0x1p-126));
  // The fraction under the exponent of 2^bits, where it counts ones; a subnormal lacks the leading bit.
  double unit = b.isDouble() ? 0x1p52 : 0x1p23;
  Value fraction = b.andBits(pattern, b.integer((int64_t(1) << bits) - 1));
  Value withLeading = b.fromBits(b.orBits(fraction, b.integer(int64_t(b.bias() + bits) << bits)));
  return {b.select(isSubnormal, b.sub(withLeading, b.constant(unit)), withLeading),
          b.select(isSubnormal, b.integer(1), b.shiftRight(pattern, bits))};
}

Value expandRem(MathBuilder &b, Value x, Value y) {
  Value dividend = b.abs(x), divisor = b.abs(y);
  Integral a = toIntegral(b, dividend), m = toIntegral(b, divisor);
  Residues residues(b, m.significand);
  // The difference of the exponents, where it is not negative, has 11 bits (f32: 8). 2 to the power of its leading ones
  // is an integer of the type; each of the others squares.
  int squarings = b.isDouble() ? 6 : 4;
  Value difference = b.subBits(a.biased, m.biased);
  Value leading = b.addBits(b.shiftRight(difference, squarings), b.integer(b.bias()));
  Value power = residues.reduce(b.powerOfTwo(leading));
  for (int bit = squarings - 1; bit >= 0; --bit) {
    Value square = residues.multiply(power, power);
    power = b.select(b.isOdd(b.shiftRight(difference, bit)), residues.twice(square), square);
  }
  Value rest = residues.multiply(power, residues.reduce(a.significand));
  rest = b.select(b.less(rest, b.constant(0.0)), b.add(rest, m.significand), rest);
  // Times 2^j in two exact steps.
  rest = b.mul(b.mul(rest, b.constant(b.isDouble() ? 0x1p-52 : 0x1p-23)), b.powerOfTwo(m.biased));

  rest = b.select(b.less(dividend, divisor), dividend, rest);
  Value isNumber = b.both(b.less(dividend, b.infinity()), b.greater(divisor, b.constant(0.0)));
  return b.copySign(b.select(isNumber, rest, b.nan()), x);
}

Value expandFloorDivide(MathBuilder &b, Value x, Value y) {
  Value zero = b.constant(0.0), one = b.constant(1.0);
  Value quotient = b.div(x, y);
  Value rest = expandRem(b, x, y);
  // x - rest is a multiple of y but for rounding; one less where the remainder has the other sign.
  Value whole = b.div(b.sub(x, rest), y);
  Value differs = b.xorBits(b.less(rest, zero), b.less(y, zero));
  Value isInexact = b.compare(arith::CmpFPredicate::UNE, rest, zero);
  whole = b.select(b.both(differs, isInexact), b.sub(whole, one), whole);
  Value floor = b.floor(whole);
  floor = b.select(b.greater(b.sub(whole, floor), b.constant(0.5)), b.add(floor, one), floor);
  floor = b.select(b.equal(whole, zero), b.copySign(zero, quotient), floor);
  return b.select(b.equal(y, zero), quotient, floor);
}

} // namespace tenferro::compiler
