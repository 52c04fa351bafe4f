// tanh. With |x| = n ln(2)/2 + y the addition formula is (M + y P + v M) / (P + y M + v P), where M and P are 2^n - 1 and
// 2^n + 1, exact, and y / (1 + v) is tanh(y). In f64 the quotient without v, cut to few bits, leaves an exact remainder,
// which a second division turns into the rest of the result: no sum needs its error. f32 has forms of its own near 0 and
// beyond.
#include "lib/Conversion/ExpandMath/Coefficients.h"
#include "lib/Conversion/ExpandMath/Expansions.h"

using namespace mlir;

namespace tenferro::compiler {

/// tanh of f32: |x| - |x| z / D(z) with z = x^2 up to a bound near 1, and 1 - 2 / (e^2|x| + 1) beyond it. Either way
/// what is subtracted is below a third of the result, and the division is shared.
static Value tanhSingle(MathBuilder &b, Value x) {
  Value magnitude = b.abs(x), one = b.constant(1.0);
  Value z = b.mul(x, x);
  // e^2|x| = 2^n (1 + r p(r)). The sum with the shifter has n in its low bits.
  Value bounded = b.clampAbove(magnitude, 10.0), perLn2 = b.constant(0x1.71547652b82fep+1),
        shifter = b.constant(0x1.8p23);
  Value shifted = b.fma(bounded, perLn2, shifter);
  Value r = b.fma(bounded, perLn2, b.neg(b.sub(shifted, shifter)));
  Value exponent = b.shiftLeft(b.toBits(shifted), b.fractionBits());
  Value power = b.fromBits(b.addBits(exponent, b.integer(int64_t(b.bias()) << b.fractionBits())));
  // 2^n r: where r is 0 some number below 2^-97, which the sum swallows.
  Value scaled = b.fromBits(b.addBits(exponent, b.toBits(r)));
  Value sum = b.fma(scaled, b.polynomialOverSquare(r, coefficients::kTanhExpF32), b.add(power, one));
  Value isSmall = b.less(magnitude, b.constant(0.96));
  Value numerator = b.select(isSmall, z, b.constant(2.0));
  Value denominator = b.select(isSmall, b.polynomial(z, coefficients::kTanhF32), sum);
  Value base = b.select(isSmall, magnitude, one);
  return b.copySign(b.fnma(base, b.div(numerator, denominator), base), x);
}

/// tanh of f64, within 0.54 ulp.
static Value tanhDouble(MathBuilder &b, Value x) {
  Value one = b.constant(1.0), magnitude = b.clampAbove(b.abs(x), 20.0);
  // The sum with the shifter has n + bias in its low bits. From n = 53 on P would not be exact; y may be large there.
  double shifter = 0x1.8p52 + 1023;
  Value shifted = b.fma(magnitude, b.constant(0x1.71547652b82fep+1), b.constant(shifter));
  shifted = b.clampAbove(shifted, shifter + 52);
  Value n = b.sub(shifted, b.constant(shifter)), power = b.powerOfTwo(b.toBits(shifted));
  Value minus = b.sub(power, one), plus = b.add(power, one);
  // y + tail, the first exact.
  Value y = b.fnma(n, b.constant(0x1.62e42fefa39efp-2), magnitude);
  Value tail = b.mul(n, b.constant(-0x1.abc9e3b39803fp-57));

  Value square = b.mul(y, y), divisor = b.fma(y, minus, plus);
  Value v = b.mul(square, b.polynomial(square, coefficients::kTanhF64));
  Value rough = b.div(b.fma(y, plus, minus), divisor);
  rough = b.fromBits(b.andBits(b.toBits(rough), b.integer(-0x100000)));
  // (M - q P) (1 + v) + (y + tail) (P - q M): the products with q are exact.
  Value first = b.fnma(rough, plus, minus), second = b.fnma(rough, minus, plus);
  Value rest = b.fma(first, v, b.fma(tail, second, b.fma(y, second, first)));
  return b.copySign(b.add(rough, b.div(rest, b.fma(v, plus, divisor))), x);
}

Value expandTanh(MathBuilder &b, Value x) { return b.isDouble() ? tanhDouble(b, x) : tanhSingle(b, x); }

} // namespace tenferro::compiler
