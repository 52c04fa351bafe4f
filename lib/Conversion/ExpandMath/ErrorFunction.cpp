// erf: a polynomial in x^2 up to 13/16, beyond it 1 - e^(-Q(x)) with a polynomial Q = -log(erfc), which is smooth where
// erfc itself falls over 16 decades.
#include "lib/Conversion/ExpandMath/Coefficients.h"
#include "lib/Conversion/ExpandMath/ExpCore.h"
#include "lib/Conversion/ExpandMath/Expansions.h"

using namespace mlir;

namespace tenferro::compiler {

/// Where the two pieces meet: the rounding of the polynomial grows towards 1, that of Q falls with erfc.
static constexpr double kSplit = 0.8125;

Value expandErf(MathBuilder &b, Value x) {
  bool f64 = b.isDouble();
  Value magnitude = b.abs(x);
  Value square = b.mul(x, x);
  Value center =
      b.polynomial(square, f64 ? ArrayRef<double>(coefficients::kErfF64) : ArrayRef<double>(coefficients::kErfF32));
  center = b.fma(magnitude, center, magnitude);

  // erfc is below half an ulp of 1 at the bound.
  Value one = b.constant(1.0);
  Value t = b.sub(b.clampAbove(magnitude, f64 ? 6.0 : 4.0), b.constant(kSplit));
  Value logErfc =
      b.polynomial(t, f64 ? ArrayRef<double>(coefficients::kErfTailF64) : ArrayRef<double>(coefficients::kErfTailF32));
  Value rest = b.constant(f64 ? -coefficients::kErfTailLowF64 : -coefficients::kErfTailLowF32);
  ExpParts parts = reduceExp(b, b.neg(logErfc), rest, expCoefficients(b));
  // 1 - 2^n (1 + high + low), where 1 - 2^n is exact.
  Value power = b.powerOfTwo(b.subBits(parts.biased, b.integer(b.bias())));
  Value tail = b.fnma(power, b.add(parts.high, parts.low), b.sub(one, power));
  return b.copySign(b.select(b.less(magnitude, b.constant(kSplit)), center, tail), x);
}

} // namespace tenferro::compiler
