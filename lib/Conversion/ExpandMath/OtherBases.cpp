// exp2, log2, log10 and cbrt: the exponent of the argument exact, the logarithms from one of about twice the bits, so
// that powers of the base come out whole. f32 computes in f64.
#include "lib/Conversion/ExpandMath/Coefficients.h"
#include "lib/Conversion/ExpandMath/ExpCore.h"
#include "lib/Conversion/ExpandMath/Expansions.h"
#include "lib/Conversion/ExpandMath/LogCore.h"
#include "lib/Conversion/ExpandMath/Wide.h"

using namespace mlir;

namespace tenferro::compiler {

/// Adding it to an integer leaves that in the low bits.
static constexpr double kShifter = 0x1.8p52;
static constexpr int64_t kShifterBits = 0x4338000000000000;

Value expandExp2(MathBuilder &b, Value x) {
  auto compute = [](MathBuilder &b, Value x) {
    x = b.clampBelow(b.clampAbove(x, 1025.0), -1080.0);
    Value n = b.roundEven(x);
    // e^(r ln 2) with the product in two parts; r is exact.
    Value r = b.sub(x, n);
    Double2 product = twoProduct(b, r, b.constant(0x1.62e42fefa39efp-1));
    product.low = b.fma(r, b.constant(0x1.abc9e3b39803fp-56), product.low);
    ExpParts parts = reduceExp(b, product.high, product.low, expCoefficients(b));
    // Where r is 1/2 the reduction may move another ln(2); n adds to that.
    Value integer = b.subBits(b.toBits(b.add(n, b.constant(kShifter))), b.integer(kShifterBits));
    parts.n = b.add(parts.n, n);
    parts.biased = b.addBits(parts.biased, integer);
    return finishExp(b, parts);
  };
  return inDouble(b, compute, x);
}

Value expandLog2(MathBuilder &b, Value x) {
  auto compute = [](MathBuilder &b, Value x) {
    Value special = b.isSpecial(x);
    LogParts parts = splitLog(b, x, special);
    Double2 perLn2 = {b.constant(0x1.71547652b82fep+0), b.constant(0x1.777d0ffda0d24p-56)};
    Double2 fraction = multiply(b, logDouble2(b, parts, /*withExponent=*/false), perLn2);
    Double2 sum = fastSum(b, parts.k, fraction.high);
    return fixLogEdges(b, x, special, b.add(sum.high, b.add(sum.low, fraction.low)));
  };
  return inDouble(b, compute, x);
}

Value expandLog10(MathBuilder &b, Value x) {
  auto compute = [](MathBuilder &b, Value x) {
    Value special = b.isSpecial(x);
    LogParts parts = splitLog(b, x, special);
    Double2 perLn10 = {b.constant(0x1.bcb7b1526e50ep-2), b.constant(0x1.95355baaafad3p-57)};
    Double2 log = multiply(b, logDouble2(b, parts, /*withExponent=*/true), perLn10);
    return fixLogEdges(b, x, special, b.add(log.high, log.low));
  };
  return inDouble(b, compute, x);
}

Value expandCbrt(MathBuilder &b, Value x) {
  auto compute = [](MathBuilder &b, Value x) {
    // |x| = 2^(3m) s, and s = 2^j (1 + f) with j in -1, 0, 1.
    Value magnitude = b.abs(x), zero = b.constant(0.0);
    LogParts parts = splitLog(b, magnitude, b.isSpecial(magnitude));
    Value m = b.roundEven(b.mul(parts.k, b.constant(0x1.5555555555555p-2)));
    Value j = b.fma(m, b.constant(-3.0), parts.k);
    auto perJ = [&](double below, double at, double above) {
      Value notBelow = b.select(b.greater(j, zero), b.constant(above), b.constant(at));
      return b.select(b.less(j, zero), b.constant(below), notBelow);
    };
    Value s = b.mul(b.add(parts.f, b.constant(1.0)), perJ(0.5, 1.0, 2.0));
    Value y = b.mul(b.polynomial(parts.f, coefficients::kCbrt), perJ(0x1.965fea53d6e3dp-1, 1.0, 0x1.428a2f98d728bp+0));
    // One step of Newton's iteration, with s - y^3 computed to the last bit.
    Double2 square = twoProduct(b, y, y);
    Double2 cube = twoProduct(b, square.high, y);
    Value remainder = b.fnma(square.low, y, b.sub(b.sub(s, cube.high), cube.low));
    y = b.add(y, b.div(remainder, b.mul(square.high, b.constant(3.0))));
    Value exponent = b.addBits(b.toBits(b.add(m, b.constant(kShifter))), b.integer(b.bias() - kShifterBits));
    Value result = b.mul(y, b.powerOfTwo(exponent));
    // 0, infinity and NaN are their own roots.
    result = b.select(b.both(b.less(magnitude, b.infinity()), b.greater(magnitude, zero)), result, magnitude);
    return b.copySign(result, x);
  };
  return inDouble(b, compute, x);
}

} // namespace tenferro::compiler
