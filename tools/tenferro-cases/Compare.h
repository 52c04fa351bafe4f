// Whether what the library computed is what the file says.
#ifndef TENFERRO_TOOLS_CASES_COMPARE_H
#define TENFERRO_TOOLS_CASES_COMPARE_H

#include "tenferro/Tensor.h"

#include <string>

namespace tenferro::cases {

struct Tolerance {
  double relative = 0, absolute = 0;
  bool signOfZero = false;
};

/// Empty if every element passes: |got - want| <= absolute + relative |want|, or both NaN, or the same infinity;
/// integers and bools are equal. Else a sentence with the first element that fails.
std::string compareTensors(const Tensor &got, const Tensor &want, const Tolerance &tolerance);

/// Empty if the error of every element is at most `maxUlp` spacings of the dtype at `want`, or at most `floor`.
std::string compareAccuracy(const Tensor &got, const Tensor &want, double maxUlp, double floor, bool signOfZero);

/// Functions f(-x) = -f(x), and those whose zeros have a meaning: the sign of a zero result counts.
bool signOfZeroCounts(const std::string &op);

} // namespace tenferro::cases

#endif // TENFERRO_TOOLS_CASES_COMPARE_H
