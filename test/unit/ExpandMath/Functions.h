// The functions under test: their IR, a reference in extended precision and the error they are allowed.
#ifndef TENFERRO_TEST_UNIT_EXPANDMATH_FUNCTIONS_H
#define TENFERRO_TEST_UNIT_EXPANDMATH_FUNCTIONS_H

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace tenferro::test {

struct Function {
  const char *name;
  const char *body;
  /// In extended precision for f64, in f64 for f32.
  long double (*reference)(long double, long double);
  double (*referenceF32)(double, double);
  double maxUlpF32, maxUlpF64;
  bool isBinary = false;
};

/// The functions with an expansion, and those without a table: sqrt, one instruction, sigmoid composed from exp, and what the
/// C library has to the last bit.
const std::vector<Function> &functions();

/// |got - want| in units of the spacing of T at want; 0 for equal infinities, zeros and NaNs, infinite for others.
template <class T> double ulpError(T got, long double want) {
  T rounded = T(want);
  if (std::isnan(rounded) || std::isnan(got))
    return std::isnan(rounded) && std::isnan(got) ? 0 : std::numeric_limits<double>::infinity();
  if (std::isinf(rounded) || std::isinf(got))
    return rounded == got ? 0 : std::numeric_limits<double>::infinity();
  int exponent = rounded == 0 ? std::numeric_limits<T>::min_exponent : std::ilogb(rounded) + 1;
  int spacing = std::max(exponent, std::numeric_limits<T>::min_exponent) - std::numeric_limits<T>::digits;
  return double(std::fabs(std::ldexp((long double)got - want, -spacing)));
}

} // namespace tenferro::test

#endif // TENFERRO_TEST_UNIT_EXPANDMATH_FUNCTIONS_H
