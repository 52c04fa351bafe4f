// log, log(1 + x) and log(e^x + e^y). The first two split the argument into 2^k (1 + f), with f around 0 so that
// nothing cancels near 1, and add k ln(2) in two parts, keeping the rounding error of the first sum.
#include "lib/Conversion/ExpandMath/Coefficients.h"
#include "lib/Conversion/ExpandMath/Expansions.h"
#include "lib/Conversion/ExpandMath/LogCore.h"
#include "lib/Conversion/ExpandMath/Wide.h"

using namespace mlir;

namespace tenferro::compiler {

LogParts splitLog(MathBuilder &b, Value x, Value special) {
  bool f64 = b.isDouble();
  double integerBase = f64 ? 0x1p52 : 0x1p23; // its low bits count ones
  Value offset = b.constant(integerBase + b.bias());
  if (special) {
    auto scaled =
        b.selectRarely(special, {b.mul(x, b.constant(0x1p54)), b.constant(integerBase + b.bias() + 54)}, {x, offset});
    x = scaled[0], offset = scaled[1];
  }
  // Moving the origin of the fraction from 1 to sqrt(1/2) makes the exponent field count from there.
  int64_t oneBits = f64 ? 0x3FF0000000000000 : 0x3F800000;
  int64_t rootBits = f64 ? 0x3FE6A09E667F3BCD : 0x3F3504F3;
  int64_t fractionMask = f64 ? 0x000FFFFFFFFFFFFF : 0x007FFFFF;
  Value moved = b.addBits(b.toBits(x), b.integer(oneBits - rootBits));
  LogParts parts;
  parts.biased = b.shiftRight(moved, b.fractionBits());
  Value fraction = b.addBits(b.andBits(moved, b.integer(fractionMask)), b.integer(rootBits));
  parts.f = b.sub(b.fromBits(fraction), b.constant(1.0));
  // The integer becomes a float without a conversion, which AVX2 lacks for 64 bits.
  int64_t integerBaseBits = f64 ? 0x4330000000000000 : 0x4B000000;
  parts.k = b.sub(b.fromBits(b.orBits(parts.biased, b.integer(integerBaseBits))), offset);
  return parts;
}

/// k ln(2) + log(1 + f) + correction; `correction` may be null.
static Value finishLog(MathBuilder &b, Value f, Value k, Value correction) {
  // The first part of ln(2) ends in zeros, so that k times it is exact.
  double ln2High = b.isDouble() ? 0x1.62e42fee00000p-1 : 0x1.62e4p-1;
  double ln2Low = b.isDouble() ? 0x1.a39ef35793c76p-33 : 0x1.7f7d1cp-20;
  Value base = b.mul(k, b.constant(ln2High));
  Value kLow = b.mul(k, b.constant(ln2Low));
  if (correction)
    kLow = b.add(kLow, correction);
  Value square = b.mul(f, f);
  Value low;
  if (b.isDouble()) {
    // With s = f / (2 + f), log(1 + f) = f - f^2/2 + s (f^2/2 + (2 atanh(s) - 2s) / s).
    Value s = b.div(f, b.add(f, b.constant(2.0)));
    Value z = b.mul(s, s);
    Value inner = b.fma(z, b.polynomialInPairs(z, coefficients::kLogF64), b.mul(square, b.constant(0.5)));
    low = b.fma(s, inner, kLow);
  } else {
    low = b.fma(b.mul(square, f), b.polynomialInPairs(f, coefficients::kLogF32), kLow);
  }
  low = b.fma(square, b.constant(-0.5), low);
  Double2 sum = fastSum(b, base, f);
  return b.add(sum.high, b.add(sum.low, low));
}

Value expandLog(MathBuilder &b, Value x) {
  Value special = b.isSpecial(x);
  LogParts parts = splitLog(b, x, special);
  return fixLogEdges(b, x, special, finishLog(b, parts.f, parts.k, nullptr));
}

Value fixLogEdges(MathBuilder &b, Value x, Value special, Value result) {
  Value zero = b.constant(0.0);
  Value fixed = b.select(b.less(x, b.infinity()), result, x); // infinity and NaN
  fixed = b.select(b.less(x, zero), b.nan(), fixed);
  fixed = b.select(b.equal(x, zero), b.constant(-std::numeric_limits<double>::infinity()), fixed);
  return b.selectRarely(special, fixed, result);
}

Value logOfOnePlus(MathBuilder &b, Double2 u, Value isFar, Value far) {
  // As log1p, with the low part of u in the error of f.
  Value one = b.constant(1.0);
  Value sum = b.add(u.high, one);
  LogParts parts = splitLog(b, isFar ? b.select(isFar, far, sum) : sum, /*special=*/nullptr);
  Value scale = b.powerOfTwo(b.subBits(b.integer(2 * b.bias()), parts.biased));
  Value base = b.sub(scale, one);
  Value f = b.fma(u.high, scale, base);
  Value c = b.fma(u.low, scale, b.fma(u.high, scale, b.sub(base, f)));
  c = b.mul(c, b.fma(f, f, b.sub(one, f))); // c / (1 + f)
  Value k = parts.k;
  if (isFar) {
    f = b.select(isFar, parts.f, f);
    c = b.select(isFar, b.constant(0.0), c);
    k = b.select(isFar, b.add(k, one), k);
  }
  return finishLog(b, f, k, c);
}

Value expandLog1p(MathBuilder &b, Value x) {
  // The exponent comes from the rounded 1 + x, the fraction from x itself: f + c = 2^-k x + (2^-k - 1), where f is the
  // rounded sum and c its error. For k = 0 that is x.
  Value one = b.constant(1.0);
  LogParts parts = splitLog(b, b.add(x, one), /*special=*/nullptr);
  Value scale = b.powerOfTwo(b.subBits(b.integer(2 * b.bias()), parts.biased));
  Value base = b.sub(scale, one);
  Value f = b.fma(x, scale, base);
  Value c = b.fma(x, scale, b.sub(base, f));
  // Far out the 1 is nothing, and 2^-k may be below the normal numbers.
  Value isLarge = b.greater(x, b.constant(b.isDouble() ? 0x1p60 : 0x1p30));
  f = b.select(isLarge, parts.f, f);
  c = b.select(isLarge, b.constant(0.0), b.fnma(c, f, c));
  Value result = finishLog(b, f, parts.k, c);
  result = b.select(b.less(x, b.infinity()), result, x); // infinity and NaN
  result = b.select(b.less(x, b.constant(-1.0)), b.nan(), result);
  result = b.select(b.equal(x, b.constant(-1.0)), b.infinity(), result);
  return b.copySign(result, x); // log1p(-0) is -0
}

Value expandLogAddExp(MathBuilder &b, Value x, Value y) {
  auto compute = [](MathBuilder &b, Value x, Value y) {
    // The larger plus log(1 + e^-distance). Equal infinities have the distance 0.
    Value isFirst = b.greater(x, y);
    Value large = b.select(isFirst, x, y), small = b.select(isFirst, y, x);
    Value distance = b.select(b.equal(x, y), b.constant(0.0), b.sub(large, small));
    return b.add(large, expandLog1p(b, expandExp(b, b.neg(distance))));
  };
  return inDouble(b, compute, x, y);
}

} // namespace tenferro::compiler
