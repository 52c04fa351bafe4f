// The logistic function and x times it. In f64, with |x| = n ln(2) + 2 y, i = 2^-n and y / (1 + v) = tanh(y), either is
// (1 + y + v) / (1 + i + (1 - i) y + (1 + i) v) right of 0 and i times the same with -y above left of 0: a quotient
// without v, cut to few bits, leaves an exact remainder, which a second division turns into the rest, as in tanh. f32
// computes 1 / (1 + e^-x) in f64.
#include "lib/Conversion/ExpandMath/Coefficients.h"
#include "lib/Conversion/ExpandMath/ExpCore.h"
#include "lib/Conversion/ExpandMath/Expansions.h"
#include "lib/Conversion/ExpandMath/Wide.h"

using namespace mlir;

namespace tenferro::compiler {

namespace {
/// The logistic function in f64: `rough`, of 8 bits, and `rest`, about a hundredth of it, times 2^n, told as n + 2 bias.
struct Logistic {
  Value rough, rest, biased;
};
} // namespace

/// Of x with |x| = magnitude, which may be bounded where the function is 0 or 1.
static Logistic logistic(MathBuilder &b, Value x, Value magnitude) {
  Value one = b.constant(1.0), shifter = b.constant(0x1.8p52);
  Value shifted = b.fma(magnitude, b.constant(0x1.71547652b82fep+0), shifter);
  Value n = b.sub(shifted, shifter), half = b.mul(magnitude, b.constant(0.5));
  // y + tail, the first exact. Far out i counts for nothing, and its exponent might leave the field.
  Value y = b.fnma(n, b.constant(0x1.62e42fefa39efp-2), half);
  Value tail = b.mul(n, b.constant(-0x1.abc9e3b39803fp-57));
  Value near = b.shiftLeft(b.toBits(b.clampAbove(shifted, 0x1.8p52 + 1000)), b.fractionBits());
  Value inverse = b.fromBits(b.subBits(b.toBits(one), near));
  Value sum = b.add(one, inverse), difference = b.sub(one, inverse);

  Value both = b.add(y, tail), square = b.mul(both, both), divisor = b.fma(both, difference, sum);
  Value v = b.mul(square, b.polynomial(square, coefficients::kTanhF64));
  Value side = b.copySign(one, x);
  Value rough = b.div(b.fma(y, side, one), divisor);
  rough = b.fromBits(b.andBits(b.toBits(rough), b.integer(-(int64_t(1) << 44))));
  // (1 - q - q i) (1 + v) + (y + tail) (side - q + q i), where the parts in brackets are exact up to about n = 44; from
  // there on the i in them is below 2^-44.
  Value first = b.fnma(rough, inverse, b.sub(one, rough)), second = b.fma(rough, inverse, b.sub(side, rough));
  Value rest = b.fma(first, v, b.fma(tail, second, b.fma(y, second, first)));

  Value isNegative = b.less(x, b.constant(0.0)), none = b.integer(2 * b.bias());
  Value negated = b.subBits(b.integer(2 * b.bias() + 0x4338000000000000), b.toBits(shifted));
  return {rough, b.div(rest, b.fma(v, sum, divisor)), b.select(isNegative, negated, none)};
}

/// numerator / (1 + e^-x) of numbers that came from f32, x bounded.
static Value overOnePlusExp(MathBuilder &b, Value numerator, Value x) {
  Value shifter = b.constant(0x1.8p52 + 1023), perLn2 = b.constant(-0x1.71547652b82fep+0);
  Value shifted = b.fma(x, perLn2, shifter);
  Value r = b.fma(x, perLn2, b.sub(shifter, shifted));
  Value power = b.powerOfTwo(b.toBits(shifted));
  return b.div(numerator, b.fma(b.polynomialOverSquare(r, coefficients::kExp2Mid), power, b.constant(1.0)));
}

Value expandSigmoid(MathBuilder &b, Value x) {
  if (!b.isDouble()) {
    auto compute = [](MathBuilder &b, Value x) {
      return overOnePlusExp(b, b.constant(1.0), b.clampBelow(b.clampAbove(x, 105.0), -105.0));
    };
    return inDouble(b, compute, x);
  }
  Logistic result = logistic(b, x, b.clampAbove(b.abs(x), 746.0));
  return scaleByPowerOfTwo(b, b.add(result.rough, result.rest), {{}, {}, {}, result.biased});
}

Value expandSilu(MathBuilder &b, Value x) {
  // Beyond the bounds the product is 0 too.
  if (!b.isDouble()) {
    auto compute = [](MathBuilder &b, Value x) {
      Value bounded = b.clampBelow(x, -112.0);
      return overOnePlusExp(b, bounded, b.clampAbove(bounded, 112.0));
    };
    return inDouble(b, compute, x);
  }
  // The power of two comes last, after the product with x, so that a subnormal quotient costs no bits. An infinite x
  // must not meet the rest, which is 0.
  Value magnitude = b.clampAbove(b.abs(x), 760.0);
  Logistic result = logistic(b, x, magnitude);
  Value rest = b.mul(b.copySign(magnitude, x), result.rest);
  Value product = b.fma(b.clampBelow(x, -760.0), result.rough, rest);
  return scaleByPowerOfTwo(b, product, {{}, {}, {}, result.biased});
}

} // namespace tenferro::compiler
