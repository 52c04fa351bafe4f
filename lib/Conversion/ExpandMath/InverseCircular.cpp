// asin, acos, atan and atan2: quotients and roots as sums of two, one polynomial each for atan and asin, and multiples
// of pi/4 added in two parts. f32 computes in f64.
#include "lib/Conversion/ExpandMath/Coefficients.h"
#include "lib/Conversion/ExpandMath/Double2.h"
#include "lib/Conversion/ExpandMath/Expansions.h"
#include "lib/Conversion/ExpandMath/Wide.h"

using namespace mlir;

namespace tenferro::compiler {

/// quarters pi/4 + term, rounded once; the multiple is 0 or larger than the term.
static Value addToQuarters(MathBuilder &b, Value quarters, Double2 term) {
  Double2 base = twoProduct(b, quarters, b.constant(0x1.921fb54442d18p-1));
  base.low = b.fma(quarters, b.constant(0x1.1a62633145c07p-55), base.low);
  Double2 sum = fastSum(b, base.high, term.high);
  return b.add(sum.high, b.add(sum.low, b.add(base.low, term.low)));
}

/// The angle of the point (x, y), from 0 to pi. Both coordinates are magnitudes, the larger one finite and not 0;
/// `isLeft` says that x counts as negative.
static Value angle(MathBuilder &b, Value y, Value x, Value isLeft) {
  Value zero = b.constant(0.0);
  // The smaller over the larger, from 0 to 1; beyond tan(pi/8), turned back by pi/4.
  Value isSteep = b.greater(y, x);
  Value small = b.select(isSteep, x, y), large = b.select(isSteep, y, x);
  Value turns = b.greater(small, b.mul(large, b.constant(0x1.a827999fcef32p-2)));
  Double2 difference = fastSum(b, large, b.neg(small)), sum = fastSum(b, large, small);
  Double2 numerator = {b.select(turns, b.neg(difference.high), small), b.select(turns, b.neg(difference.low), zero)};
  Double2 denominator = {b.select(turns, sum.high, large), b.select(turns, sum.low, zero)};
  Value t = b.div(numerator.high, denominator.high);
  Value low = b.div(remainder(b, t, numerator, denominator), denominator.high);
  // Where the quotient is tiny it is the result, and its remainder may be below the subnormals.
  low = b.select(b.less(b.abs(t), b.constant(0x1p-60)), zero, low);
  Value square = b.mul(t, t);
  low = b.fma(b.mul(t, square), b.polynomial(square, coefficients::kAtanF64), low);

  // Mirrored at pi/4 and at pi/2.
  Value quarters = b.select(turns, b.constant(1.0), zero);
  quarters = b.select(isSteep, b.sub(b.constant(2.0), quarters), quarters);
  Value mirrors = isSteep;
  if (isLeft) {
    quarters = b.select(isLeft, b.sub(b.constant(4.0), quarters), quarters);
    mirrors = b.xorBits(isSteep, isLeft);
  }
  return addToQuarters(b, quarters, {b.select(mirrors, b.neg(t), t), b.select(mirrors, b.neg(low), low)});
}

Value expandAtan(MathBuilder &b, Value x) {
  auto compute = [](MathBuilder &b, Value x) {
    // An infinity and the largest number have the same arc tangent.
    Value magnitude = b.clampAbove(b.abs(x), std::numeric_limits<double>::max());
    return b.copySign(angle(b, magnitude, b.constant(1.0), nullptr), x);
  };
  return inDouble(b, compute, x);
}

Value expandAtan2(MathBuilder &b, Value y, Value x) {
  bool fromSingle = !b.isDouble();
  auto compute = [fromSingle](MathBuilder &b, Value y, Value x) {
    Value one = b.constant(1.0), zero = b.constant(0.0), infinity = b.infinity();
    Value isLeft = b.less(b.copySign(one, x), zero);
    Value height = b.abs(y), width = b.abs(x);
    // Infinite coordinates become 1 and the finite ones beside them 0, the origin (1, 0).
    Value highInfinite = b.equal(height, infinity), wideInfinite = b.equal(width, infinity);
    auto atInfinity = [&](Value v, Value isInfinite, Value otherIsInfinite) {
      Value finite = b.select(b.both(otherIsInfinite, b.less(v, infinity)), zero, v);
      return b.select(isInfinite, one, finite);
    };
    Value h = atInfinity(height, highInfinite, wideInfinite), w = atInfinity(width, wideInfinite, highInfinite);
    w = b.select(b.both(b.equal(h, zero), b.equal(w, zero)), one, w);
    if (!fromSingle) {
      // Away from the ends of the range, where sums overflow and remainders vanish.
      Value large = b.select(b.greater(h, w), h, w);
      Value scale = b.select(b.less(large, b.constant(0x1p-900)), b.constant(0x1p120), one);
      scale = b.select(b.greater(large, b.constant(0x1p1000)), b.constant(0x1p-100), scale);
      h = b.mul(h, scale);
      w = b.mul(w, scale);
    }
    return b.copySign(angle(b, h, w, isLeft), y);
  };
  return inDouble(b, compute, y, x);
}

/// asin of the root of z as root + root.low + root z P(z), for z up to 1/4.
static Double2 asinOfRoot(MathBuilder &b, Double2 root, Value z) {
  return {root.high, b.fma(b.mul(root.high, z), b.polynomial(z, coefficients::kAsinF64), root.low)};
}

/// What asin and acos share: asin|x| up to 1/2, and beyond it, asin of the root of (1 - |x|) / 2, which is half of
/// acos|x|.
static Double2 asinReduced(MathBuilder &b, Value magnitude, Value isInner) {
  Value zero = b.constant(0.0), half = b.constant(0.5);
  Value outer = b.mul(b.sub(b.constant(1.0), magnitude), half); // exact
  Double2 root = squareRoot(b, {outer, zero});
  root = {b.select(isInner, magnitude, root.high), b.select(isInner, zero, root.low)};
  return asinOfRoot(b, root, b.select(isInner, b.mul(magnitude, magnitude), outer));
}

Value expandAsin(MathBuilder &b, Value x) {
  auto compute = [](MathBuilder &b, Value x) {
    Value magnitude = b.abs(x);
    Value isInner = b.less(magnitude, b.constant(0.5));
    Double2 reduced = asinReduced(b, magnitude, isInner);
    // asin|x|, or pi/2 less twice the other.
    Value factor = b.select(isInner, b.constant(1.0), b.constant(-2.0));
    Value quarters = b.select(isInner, b.constant(0.0), b.constant(2.0));
    Value result = addToQuarters(b, quarters, {b.mul(reduced.high, factor), b.mul(reduced.low, factor)});
    return b.copySign(result, x);
  };
  return inDouble(b, compute, x);
}

Value expandAcos(MathBuilder &b, Value x) {
  auto compute = [](MathBuilder &b, Value x) {
    Value zero = b.constant(0.0), two = b.constant(2.0);
    Value magnitude = b.abs(x);
    Value isInner = b.less(magnitude, b.constant(0.5)), isNegative = b.less(x, zero);
    Double2 reduced = asinReduced(b, magnitude, isInner);
    // pi/2 - asin(x) inside; outside twice the other on the right, pi less that on the left.
    Value quarters = b.select(isInner, two, b.select(isNegative, b.constant(4.0), zero));
    Value factor = b.select(isInner, b.constant(-1.0), two);
    factor = b.select(isNegative, b.neg(factor), factor);
    return addToQuarters(b, quarters, {b.mul(reduced.high, factor), b.mul(reduced.low, factor)});
  };
  return inDouble(b, compute, x);
}

} // namespace tenferro::compiler
