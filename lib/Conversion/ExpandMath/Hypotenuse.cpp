// sqrt(x^2 + y^2): both scaled by the power of two of the larger, the squares and the root kept as sums of two. f32
// computes in f64, where its squares are exact and in range.
#include "lib/Conversion/ExpandMath/Double2.h"
#include "lib/Conversion/ExpandMath/Expansions.h"
#include "lib/Conversion/ExpandMath/Wide.h"

using namespace mlir;

namespace tenferro::compiler {

static Value scaledRoot(MathBuilder &b, Value x, Value y) {
  Value isFirst = b.greater(x, y);
  Value large = b.select(isFirst, x, y), small = b.select(isFirst, y, x);
  // 2^-k for large = 2^k ..., of a k whose powers both ways are normal numbers.
  Value biased = b.shiftRight(b.toBits(b.clampBelow(b.clampAbove(large, 0x1p1022), 0x1p-1022)), b.fractionBits());
  Value down = b.powerOfTwo(b.subBits(b.integer(2 * b.bias()), biased));
  large = b.mul(large, down);
  small = b.mul(small, down);
  Double2 square = twoProduct(b, large, large), other = twoProduct(b, small, small);
  Double2 sum = fastSum(b, square.high, other.high);
  sum.low = b.add(sum.low, b.add(square.low, other.low));
  Double2 root = squareRoot(b, sum);
  return b.mul(b.add(root.high, root.low), b.powerOfTwo(biased));
}

Value expandHypot(MathBuilder &b, Value x, Value y) {
  bool fromSingle = !b.isDouble();
  auto compute = [fromSingle](MathBuilder &b, Value x, Value y) {
    x = b.abs(x);
    y = b.abs(y);
    Value result = fromSingle ? b.sqrt(b.fma(x, x, b.mul(y, y))) : scaledRoot(b, x, y);
    result = b.select(b.equal(x, b.infinity()), x, result);
    return b.select(b.equal(y, b.infinity()), y, result);
  };
  return inDouble(b, compute, x, y);
}

} // namespace tenferro::compiler
