// x^y and 1/sqrt(x). x^y = e^(y log|x|) needs the logarithm to more bits than it has, so it is a sum of two numbers
// (high, low). Normal positive x with results far from the ends of the range take a short way, everything else another
// one with all the rules, where f32 computes in f64.
#include "lib/Conversion/ExpandMath/Coefficients.h"
#include "lib/Conversion/ExpandMath/ExpCore.h"
#include "lib/Conversion/ExpandMath/Expansions.h"
#include "lib/Conversion/ExpandMath/LogCore.h"

using namespace mlir;

namespace tenferro::compiler {

Double2 logDouble2(MathBuilder &b, const LogParts &parts, bool withExponent) {
  Value f = parts.f, two = b.constant(2.0);
  // s = f / (2 + f), then log(1 + f) = 2s + 2/3 s^3 + s^5 P(s^2): the first two terms in two parts each.
  Double2 divisor = fastSum(b, two, f);
  Value reciprocal = b.div(b.constant(1.0), divisor.high);
  Double2 s;
  s.high = b.mul(f, reciprocal);
  Value remainder = b.fnma(s.high, divisor.low, b.fnma(s.high, divisor.high, f));
  s.low = b.mul(remainder, reciprocal);

  Double2 z = twoProduct(b, s.high, s.high);
  Value twiceHigh = b.add(s.high, s.high);
  Double2 cube = twoProduct(b, s.high, z.high);
  // The error of z, and three times s.low z.
  cube.low = b.fma(b.mul(s.low, b.constant(3.0)), z.high, b.fma(s.high, z.low, cube.low));
  Value thirdHigh = b.constant(0x1.5555555555555p-1), thirdLow = b.constant(0x1.5555555555555p-55);
  Double2 second;
  second.high = b.mul(cube.high, thirdHigh);
  second.low = b.fma(cube.high, thirdLow, b.fma(cube.low, thirdHigh, b.fma(cube.high, thirdHigh, b.neg(second.high))));
  Double2 fifth = twoProduct(b, cube.high, z.high);
  fifth.low = b.fma(cube.high, z.low, b.fma(cube.low, z.high, fifth.low));
  Value series = b.polynomialInPairs(z.high, coefficients::kLogDouble);

  Double2 sum = {twiceHigh, b.constant(0.0)};
  Value low = b.add(s.low, s.low);
  if (withExponent) {
    // k ln(2) in two parts, the first with zeros at its end so that k times it is exact.
    sum = fastSum(b, b.mul(parts.k, b.constant(0x1.62e42fee00000p-1)), twiceHigh);
    low = b.fma(parts.k, b.constant(0x1.a39ef35793c76p-33), low);
  }
  Double2 sum2 = fastSum(b, sum.high, second.high);
  low = b.fma(fifth.low, series, b.add(b.add(low, second.low), b.add(sum.low, sum2.low)));
  low = b.fma(fifth.high, series, low);
  return fastSum(b, sum2.high, low);
}

/// log(x) of a positive finite x that came from f32, to about 2^-45.
static Value logMid(MathBuilder &b, Value x) {
  LogParts parts = splitLog(b, x, /*special=*/nullptr);
  Value s = b.div(parts.f, b.add(parts.f, b.constant(2.0)));
  Value z = b.mul(s, s);
  Value low = b.mul(b.mul(s, z), b.polynomial(z, coefficients::kLogMid));
  Value sum = b.add(b.add(s, s), low);
  return b.fma(parts.k, b.constant(0x1.62e42fefa39efp-1), sum);
}

/// The log of 0, infinity and NaN where x is one.
static Value fixLog(MathBuilder &b, Value x, Value log) {
  log = b.select(b.less(x, b.infinity()), log, x);
  return b.select(b.equal(x, b.constant(0.0)), b.constant(-std::numeric_limits<double>::infinity()), log);
}

/// The rules of C99 F.9.4.4 that e^(y log|x|) does not follow by itself: signs, negative x, and the ones that are 1
/// whatever the other argument.
static Value applyPowRules(MathBuilder &b, Value x, Value y, Value result) {
  Value one = b.constant(1.0), zero = b.constant(0.0);
  // y is odd if it is an integer and its half is not. Infinity and everything from 2^53 on is even.
  Value half = b.mul(y, b.constant(0.5));
  Value floor = b.floor(y);
  Value isInteger = b.equal(floor, y);
  Value halfIsFraction = b.compare(arith::CmpFPredicate::UNE, b.floor(half), half);
  Value isOdd = b.both(isInteger, halfIsFraction);
  // |x| = 1 makes 0 * infinity of an infinite y.
  Value yIsInfinite = b.equal(b.abs(y), b.infinity());
  result = b.select(b.both(b.equal(b.abs(x), one), yIsInfinite), one, result);
  result = b.select(isOdd, b.copySign(result, x), result);
  Value isNegative = b.both(b.less(x, zero), b.greater(x, b.neg(b.infinity())));
  // NaN is not an integer either.
  Value isFraction = b.compare(arith::CmpFPredicate::UNE, floor, y);
  result = b.select(b.both(isNegative, isFraction), b.nan(), result);
  Value isOne = b.equal(x, one);
  result = b.select(isOne, one, result);
  return b.select(b.equal(y, zero), one, result);
}

/// x^y of every x and y.
static Value powOfAny(MathBuilder &b, Value x, Value y) {
  if (b.isDouble()) {
    Value magnitude = b.abs(x);
    Double2 log = logDouble2(b, splitLog(b, magnitude, b.isSpecial(magnitude)), /*withExponent=*/true);
    log.high = fixLog(b, magnitude, log.high);
    Double2 product;
    product.high = b.mul(y, log.high);
    product.low = b.fma(y, log.low, b.fma(y, log.high, b.neg(product.high)));
    // Beyond the bound the low part may be a NaN and is not needed.
    Value inRange = b.less(b.abs(product.high), b.constant(800.0));
    product.low = b.select(inRange, product.low, b.constant(0.0));
    product.high = b.clampBelow(b.clampAbove(product.high, 800.0), -800.0);
    return applyPowRules(b, x, y, finishExp(b, reduceExp(b, product.high, product.low, coefficients::kExpF64)));
  }
  MathBuilder wide = b.withElementType(Float64Type::get(x.getContext()));
  Value magnitude = wide.extend(b.abs(x));
  Value log = fixLog(wide, magnitude, logMid(wide, magnitude));
  Value product = wide.mul(wide.extend(y), log);
  product = wide.clampBelow(wide.clampAbove(product, 200.0), -200.0);
  ExpParts parts = reduceExp(wide, product, nullptr, coefficients::kExpMid);
  Value fraction = wide.add(wide.constant(1.0), wide.add(parts.high, parts.low));
  Value power = wide.powerOfTwo(wide.subBits(parts.biased, wide.integer(wide.bias())));
  return applyPowRules(b, x, y, b.truncate(wide.mul(fraction, power)));
}

/// log(x) of an x that is not special as a sum, to about 2^-63 (f64) and 2^-34 (f32) relative; its low part may be
/// 2^-12 of it.
static Double2 logOfUsual(MathBuilder &b, Value x) {
  LogParts parts = splitLog(b, x, /*special=*/nullptr);
  Value f = parts.f, two = b.constant(2.0);
  // log(1 + f) = 2s + 2/3 s^3 + s^3 P(s^2) with s = f / (2 + f), less the error of s: (f - s (2 + f)) / (1 + s).
  Value s = b.div(f, b.add(f, two));
  Value error = b.fnma(s, f, b.fnma(s, two, f));
  Value z = b.mul(s, s);
  Value zLow = b.fma(s, s, b.neg(z));
  Value cube = b.mul(s, z);
  Value cubeLow = b.fma(s, zLow, b.fma(s, z, b.neg(cube)));
  // P begins with what the rounding took from 2/3.
  SmallVector<double> rest{b.isDouble() ? 0x1.5555555555555p-55 : -0x1.555556p-26};
  llvm::append_range(rest, b.isDouble() ? ArrayRef<double>(coefficients::kLogDouble)
                                        : ArrayRef<double>(coefficients::kLogDoubleF32));
  Value series = b.polynomialOverSquare(z, rest);
  Value twoThirds = b.constant(0x1.5555555555555p-1), twice = b.add(s, s);
  Value high = b.fma(cube, twoThirds, twice);
  Value low = b.fma(cube, twoThirds, b.sub(twice, high));
  // 1 / (1 + s) = (1 - s) (1 + s^2 + s^4 + ...)
  Value flipped = b.sub(b.constant(1.0), s);
  low = b.fma(error, b.fma(b.isDouble() ? b.fma(z, z, z) : z, flipped, flipped), low);
  low = b.fma(cube, series, b.fma(cubeLow, twoThirds, low));
  // k times the first part of ln(2), which ends in zeros, is exact.
  Value ln2High = b.constant(b.isDouble() ? 0x1.62e42fee00000p-1 : 0x1.62e4p-1);
  Value ln2Low = b.constant(b.isDouble() ? 0x1.a39ef35793c76p-33 : 0x1.7f7d1cp-20);
  Value sum = b.fma(parts.k, ln2High, high);
  Value sumLow = b.add(b.fma(parts.k, ln2High, b.neg(sum)), high);
  return {sum, b.add(b.fma(parts.k, ln2Low, sumLow), low)};
}

/// x^y where x is not special; `fails` is set where y log(x) is too large.
static Value powOfUsual(MathBuilder &b, Value x, Value y, Value &fails) {
  Double2 log = logOfUsual(b, x);
  Double2 product = twoProduct(b, y, log.high);
  product.low = b.fma(y, log.low, product.low);
  fails = b.reaches(product.high, b.isDouble() ? 700.0 : 87.0);
  // e^product = 2^n (1 + high + (low + r^2 P(r))) as in reduceExp, but for the low part, which in f64 may be above 0.1.
  Value shifter = b.constant(b.isDouble() ? 0x1.8p52 : 0x1.8p23), one = b.constant(1.0);
  Value rough = b.isDouble() ? b.add(product.high, product.low) : product.high;
  Value shifted = b.fma(rough, b.constant(0x1.71547652b82fep+0), shifter);
  Value n = b.sub(shifted, shifter);
  Value high = b.fnma(n, b.constant(b.isDouble() ? 0x1.62e42fefa39efp-1 : 0x1.62e43p-1), product.high);
  Value low = b.fnma(n, b.constant(b.isDouble() ? 0x1.abc9e3b39803fp-56 : -0x1.05c61p-29), product.low);
  Value r = b.add(high, low);
  ArrayRef<double> series =
      b.isDouble() ? ArrayRef<double>(coefficients::kPowExpF64) : ArrayRef<double>(coefficients::kPowExpF32);
  low = b.fma(b.mul(r, r), b.polynomialOverSquare(r, series), low);
  Double2 sum = fastSum(b, one, high);
  // n goes straight to the exponent.
  Value fraction = b.add(sum.high, b.add(sum.low, low));
  return b.fromBits(b.addBits(b.toBits(fraction), b.shiftLeft(b.toBits(shifted), b.fractionBits())));
}

Value expandPow(MathBuilder &b, Value x, Value y) {
  Value fails;
  Value usual = powOfUsual(b, x, y, fails);
  return b.selectRarely(b.either(fails, b.isSpecial(x)), powOfAny(b, x, y), usual);
}

Value expandRsqrt(MathBuilder &b, Value x) {
  // One step of Newton's iteration on 1 - x y^2, computed with the error of x y. At 0 and infinity it makes a NaN.
  Value y = b.div(b.constant(1.0), b.sqrt(x));
  Value product = b.mul(x, y);
  Value error = b.fma(x, y, b.neg(product));
  Value remainder = b.fnma(error, y, b.fnma(product, y, b.constant(1.0)));
  Value refined = b.fma(b.mul(y, b.constant(0.5)), remainder, y);
  return b.select(b.compare(arith::CmpFPredicate::ORD, refined, refined), refined, y);
}

} // namespace tenferro::compiler
