// The argument reduction of sin, cos and tan: |x| = (q + f) pi/2. Usually by subtraction of q pi/2 in two parts; for
// every finite x after Payne and Hanek: x times 2/pi is summed from exact products with pieces of 2/pi; the leading
// pieces, whose product is a multiple of 4, are dropped first, by selection instead of a table in memory.
#include "lib/Conversion/ExpandMath/CircularReduction.h"
#include "lib/Conversion/ExpandMath/Coefficients.h"

using namespace mlir;

namespace tenferro::compiler {

/// What is left of x after taking away the nearest multiple of 4: exact.
static Value modulo4(MathBuilder &b, Value x) {
  return b.fma(b.roundEven(b.mul(x, b.constant(0.25))), b.constant(-4.0), x);
}

/// The pieces that matter for x, and x scaled to match: pieces that came first in 2/pi are gone where x is large.
/// `ulpBits` is how far below the first bit of x its last one may be.
static SmallVector<Value> selectPieces(MathBuilder &b, Value &x, ArrayRef<int> steps, unsigned numPieces, int ulpBits) {
  unsigned reach = numPieces;
  for (int step : steps)
    reach += step;
  SmallVector<Value> pieces;
  for (unsigned i = 0; i < reach; ++i)
    pieces.push_back(b.constant(i < std::size(coefficients::kTwoOverPi) ? coefficients::kTwoOverPi[i] : 0.0));
  for (int step : steps) {
    // The last bit of x times the last bit of the step's pieces is at least 4.
    Value drops = b.compare(arith::CmpFPredicate::OGE, x, b.constant(std::ldexp(1.0, 53 * step + 2 + ulpBits)));
    x = b.select(drops, b.mul(x, b.constant(std::ldexp(1.0, -53 * step))), x);
    reach -= step;
    for (unsigned i = 0; i < reach; ++i)
      pieces[i] = pieces[i] == pieces[i + step] ? pieces[i] : b.select(drops, pieces[i + step], pieces[i]);
    pieces.resize(reach);
  }
  return pieces;
}

CircularParts subtractHalfPis(MathBuilder &b, Value magnitude, Value &fails) {
  bool f64 = b.isDouble();
  // As in reduceExp: the sum rounds to an integer, and the first difference is exact.
  Value shifter = b.constant(f64 ? 0x1.8p52 : 0x1.8p23);
  Value shifted = b.fma(magnitude, b.constant(f64 ? 0x1.45f306dc9c883p-1 : 0x1.45f306p-1), shifter);
  Value q = b.sub(shifted, shifter);
  Value first = b.fnma(q, b.constant(f64 ? 0x1.921fb54442d18p+0 : 0x1.921fb6p+0), magnitude);
  Value second = b.constant(f64 ? 0x1.1a62633145c07p-54 : -0x1.777a5cp-25);
  // Where `first` is well above q times the second part, as here, high is within a factor of two of it, so that their
  // difference is exact too; and the third part of pi/2 does not count.
  fails = b.compare(arith::CmpFPredicate::UGT, b.mul(magnitude, b.constant(f64 ? 0x1p-40 : 0x1p-18)), b.abs(first));
  CircularParts parts;
  parts.r.high = b.fnma(q, second, first);
  parts.r.low = b.fnma(q, second, b.sub(first, parts.r.high));
  parts.quadrant = b.toBits(shifted);
  return parts;
}

CircularParts reduceCircular(MathBuilder &b, Value x, bool fromSingle) {
  Value magnitude = b.abs(x), fails;
  CircularParts usual = subtractHalfPis(b, magnitude, fails);
  CircularParts rare = reducePayneHanek(b, magnitude, fromSingle);
  auto parts =
      b.selectRarely(fails, {rare.r.high, rare.r.low, rare.quadrant}, {usual.r.high, usual.r.low, usual.quadrant});
  return {{parts[0], parts[1]}, parts[2]};
}

CircularParts reducePayneHanek(MathBuilder &b, Value magnitude, bool fromSingle) {
  Value scaled = magnitude;
  SmallVector<Value> pieces =
      fromSingle ? selectPieces(b, scaled, {1}, 3, 23) : selectPieces(b, scaled, {16, 8, 4, 2, 1}, 5, 52);
  SmallVector<Double2> products;
  for (auto [i, piece] : llvm::enumerate(pieces))
    products.push_back(twoProduct(b, b.mul(scaled, b.constant(std::ldexp(1.0, -53 * int(i)))), piece));

  // The terms that can be large, exactly: a sum modulo 4 and errors far below 1.
  Double2 sum = twoSum(b, modulo4(b, products[0].high), modulo4(b, products[0].low));
  SmallVector<Value> rest = {sum.low};
  for (Value term : {modulo4(b, products[1].high), products[1].low, products[2].high}) {
    sum = twoSum(b, sum.high, term);
    rest.push_back(sum.low);
  }
  Value quadrant = b.roundEven(sum.high);
  Double2 fraction = {b.sub(sum.high, quadrant), nullptr};

  // f may be as small as 2^-62: the others are summed with their errors too.
  rest.push_back(products[2].low);
  Value tail = nullptr;
  if (products.size() > 3) {
    rest.push_back(products[3].high);
    tail = b.add(products[3].low, products[4].high);
  }
  for (Value term : rest) {
    fraction = twoSum(b, fraction.high, term);
    tail = tail ? b.add(tail, fraction.low) : fraction.low;
  }
  fraction = twoSum(b, fraction.high, tail);
  Double2 halfPi = {b.constant(0x1.921fb54442d18p+0), b.constant(0x1.1a62633145c07p-54)};
  CircularParts parts;
  parts.r = multiply(b, fraction, halfPi);
  // The low bits of the sum are the integer's, in two's complement.
  parts.quadrant = b.toBits(b.add(quadrant, b.constant(0x1.8p52)));
  return parts;
}

} // namespace tenferro::compiler
