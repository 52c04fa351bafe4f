// sin, cos and tan: after the reduction, one polynomial each for sin and cos, with the tail of the reduced argument and
// the errors of the leading sums kept. f32 sin and cos usually compute in f32, tan and the rare arguments in f64.
#include "lib/Conversion/ExpandMath/CircularReduction.h"
#include "lib/Conversion/ExpandMath/Coefficients.h"
#include "lib/Conversion/ExpandMath/Expansions.h"
#include "lib/Conversion/ExpandMath/Wide.h"

using namespace mlir;

namespace tenferro::compiler {

namespace {
struct SinCos {
  Double2 sin, cos;
};

/// Which polynomials: of f64, of f64 for a result in f32, of f32.
enum class Precision { Double, Mid, Single };
} // namespace

/// sin r and cos r for |r| <= pi/4; the low parts are not rounding errors but all that the leading term lacks.
static SinCos evaluate(MathBuilder &b, Double2 r, Precision precision) {
  ArrayRef<double> sinCoefficients = coefficients::kSinF64, cosCoefficients = coefficients::kCosF64;
  if (precision == Precision::Mid)
    sinCoefficients = coefficients::kSinMid, cosCoefficients = coefficients::kCosMid;
  if (precision == Precision::Single)
    sinCoefficients = coefficients::kSinF32, cosCoefficients = coefficients::kCosF32;
  Value one = b.constant(1.0);
  Double2 z = twoProduct(b, r.high, r.high);
  Value half = b.mul(z.high, b.constant(0.5));
  SinCos result;
  // sin(r + t) = r + r^3 P(r^2) + t (1 - r^2/2)
  Value sinLow = b.fma(b.mul(r.high, z.high), b.polynomialInPairs(z.high, sinCoefficients), b.fnma(half, r.low, r.low));
  result.sin = {r.high, sinLow};
  // cos(r + t) = 1 - r^2/2 + r^4 Q(r^2) - r t
  Value base = b.sub(one, half);
  Value cosLow = b.sub(b.sub(one, base), half);
  cosLow = b.fma(z.low, b.constant(-0.5), cosLow);
  cosLow = b.fma(b.mul(z.high, z.high), b.polynomialInPairs(z.high, cosCoefficients), b.fnma(r.high, r.low, cosLow));
  result.cos = {base, cosLow};
  return result;
}

/// Which function of the pair: sin starts at quadrant 0, cos one later. `parts` are those of |x|.
static Value choose(MathBuilder &b, Value x, const CircularParts &parts, bool isCos, Precision precision) {
  SinCos pair = evaluate(b, parts.r, precision);
  Value quadrant = isCos ? b.addBits(parts.quadrant, b.integer(1)) : parts.quadrant;
  // The low bit says which, the next one the sign; sin has the sign of x too.
  Value usesCos = b.isOdd(quadrant);
  Value high = b.select(usesCos, pair.cos.high, pair.sin.high);
  Value low = b.select(usesCos, pair.cos.low, pair.sin.low);
  Value result = b.add(high, low);
  Value sign = b.shiftLeft(b.shiftRight(quadrant, 1), b.isDouble() ? 63 : 31);
  if (!isCos)
    sign = b.xorBits(sign, b.signBit(x));
  return b.fromBits(b.xorBits(b.toBits(result), sign));
}

static Value sinOrCos(MathBuilder &b, Value x, bool isCos) {
  if (b.isDouble())
    return choose(b, x, reduceCircular(b, x, /*fromSingle=*/false), isCos, Precision::Double);
  Value fails;
  Value usual = choose(b, x, subtractHalfPis(b, b.abs(x), fails), isCos, Precision::Single);
  auto reduceWide = [&](MathBuilder &wide, Value x) {
    return choose(wide, x, reducePayneHanek(wide, wide.abs(x), /*fromSingle=*/true), isCos, Precision::Mid);
  };
  return b.selectRarely(fails, inDouble(b, reduceWide, x), usual);
}

static Value computeTan(MathBuilder &b, Value x, bool fromSingle) {
  CircularParts parts = reduceCircular(b, x, fromSingle);
  SinCos pair = evaluate(b, parts.r, fromSingle ? Precision::Mid : Precision::Double);
  // sin/cos in even quadrants, -cos/sin in odd ones.
  Value isOdd = b.isOdd(parts.quadrant);
  Value sign = b.shiftLeft(parts.quadrant, 63);
  auto choose = [&](Double2 odd, Double2 even) {
    Double2 chosen = {b.select(isOdd, odd.high, even.high), b.select(isOdd, odd.low, even.low)};
    return fastSum(b, chosen.high, chosen.low);
  };
  Double2 quotient = divide(b, choose(pair.cos, pair.sin), choose(pair.sin, pair.cos));
  Value result = b.add(quotient.high, quotient.low);
  sign = b.xorBits(sign, b.signBit(x));
  return b.fromBits(b.xorBits(b.toBits(result), sign));
}

Value expandSin(MathBuilder &b, Value x) { return sinOrCos(b, x, /*isCos=*/false); }

Value expandCos(MathBuilder &b, Value x) { return sinOrCos(b, x, /*isCos=*/true); }

Value expandTan(MathBuilder &b, Value x) {
  bool fromSingle = !b.isDouble();
  return inDouble(b, [&](MathBuilder &wide, Value v) { return computeTan(wide, v, fromSingle); }, x);
}

} // namespace tenferro::compiler
