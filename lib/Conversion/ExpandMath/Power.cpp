// x^y and 1/sqrt(x). x^y = e^(y log|x|) needs the logarithm to more bits than it has: f64 carries it as a sum of two
// numbers (high, low); f32 computes in f64. Normal positive x with results far from the ends of the range take a short
// way, everything else another one with all the rules.
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

/// x^y where x is not special; `fails` is set where y log(x) is too large.
static Value powOfUsual(MathBuilder &b, Value x, Value y, Value &fails) {
  Double2 log = logDouble2(b, splitLog(b, x, /*special=*/nullptr), /*withExponent=*/true);
  Value product = b.mul(y, log.high);
  Value low = b.fma(y, log.low, b.fma(y, log.high, b.neg(product)));
  fails = b.reaches(product, 700.0);
  ExpParts parts = reduceExp(b, product, low, coefficients::kExpF64);
  Double2 sum = addToBase(b, b.constant(1.0), parts);
  // n goes straight to the exponent.
  return b.fromBits(b.addBits(b.toBits(b.add(sum.high, sum.low)),
                              b.shiftLeft(b.subBits(parts.biased, b.integer(2 * b.bias())), b.fractionBits())));
}

/// The same for f32: 2^(y log2(x)) in f64, whose exponents reach beyond those of the result.
static Value powOfUsualF32(MathBuilder &b, Value x, Value y, Value &fails) {
  MathBuilder wide = b.withElementType(Float64Type::get(x.getContext()));
  LogParts parts = splitLog(b, x, /*special=*/nullptr);
  Value f = wide.extend(parts.f);
  Value s = wide.div(f, wide.add(f, wide.constant(2.0)));
  Value log = wide.fma(s, wide.polynomial(wide.mul(s, s), coefficients::kLog2Mid), wide.extend(parts.k));
  Value product = wide.mul(wide.extend(y), log);
  fails = wide.reaches(product, 1000.0);
  Value shifter = wide.constant(0x1.8p52);
  Value shifted = wide.add(product, shifter);
  Value r = wide.sub(product, wide.sub(shifted, shifter));
  Value fraction = wide.fma(r, wide.polynomial(r, coefficients::kExp2Mid), wide.constant(1.0));
  Value exponent = wide.shiftLeft(wide.toBits(shifted), wide.fractionBits());
  return b.truncate(wide.fromBits(wide.addBits(wide.toBits(fraction), exponent)));
}

Value expandPow(MathBuilder &b, Value x, Value y) {
  Value fails;
  Value usual = b.isDouble() ? powOfUsual(b, x, y, fails) : powOfUsualF32(b, x, y, fails);
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
