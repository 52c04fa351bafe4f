// Element by element, in row-major order as the files count.
#include "tools/tenferro-cases/Compare.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

namespace tenferro::cases {

namespace {

std::string show(double value) {
  char digits[40];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}
std::string show(int64_t value) { return std::to_string(value); }

std::string difference(size_t element, const std::string &want, const std::string &got) {
  return "element " + std::to_string(element) + ": expected " + want + ", got " + got;
}

/// Floats as f64 (exactly), everything else as i64.
template <typename To> std::vector<To> widen(const Tensor &tensor) {
  auto convert = [&]<typename From>(From) {
    std::vector<From> elements = tensor.toRowMajor<From>();
    return std::vector<To>(elements.begin(), elements.end());
  };
  switch (tensor.dtype()) {
  case DType::Bool:
    return convert(bool());
  case DType::U8:
    return convert(uint8_t());
  case DType::I32:
    return convert(int32_t());
  case DType::I64:
    return convert(int64_t());
  case DType::F32:
    return convert(float());
  default:
    return convert(double());
  }
}

std::string compareTypes(const Tensor &got, const Tensor &want) {
  if (got.dtype() == want.dtype() && got.shape() == want.shape())
    return "";
  return "expected " + std::string(name(want.dtype())) + want.shape().str() + ", got " +
         std::string(name(got.dtype())) + got.shape().str();
}

using Passes = std::function<bool(double got, double want)>;

std::string compareFloats(const Tensor &got, const Tensor &want, bool signOfZero, const Passes &passes) {
  std::vector<double> a = widen<double>(got), b = widen<double>(want);
  for (size_t i = 0; i < a.size(); ++i) {
    bool same = std::isnan(b[i])   ? std::isnan(a[i])
                : std::isinf(b[i]) ? a[i] == b[i]
                                   : std::isfinite(a[i]) && passes(a[i], b[i]);
    if (same && signOfZero && b[i] == 0 && a[i] == 0)
      same = std::signbit(a[i]) == std::signbit(b[i]);
    if (!same)
      return difference(i, show(b[i]), show(a[i]));
  }
  return "";
}

/// Distance from |value| to the next larger magnitude of the dtype; the smallest subnormal at 0.
double spacing(double value, DType dtype) {
  double magnitude = std::fabs(value);
  if (dtype == DType::F32) {
    auto narrow = static_cast<float>(magnitude);
    float next = std::nextafterf(narrow, HUGE_VALF);
    return std::isinf(next) ? narrow - std::nextafterf(narrow, 0) : double(next) - narrow;
  }
  double next = std::nextafter(magnitude, HUGE_VAL);
  return std::isinf(next) ? magnitude - std::nextafter(magnitude, 0) : next - magnitude;
}

} // namespace

std::string compareTensors(const Tensor &got, const Tensor &want, const Tolerance &tolerance) {
  std::string types = compareTypes(got, want);
  if (!types.empty())
    return types;
  if (isFloat(want.dtype()))
    return compareFloats(got, want, tolerance.signOfZero, [&](double a, double b) {
      return std::fabs(a - b) <= tolerance.absolute + tolerance.relative * std::fabs(b);
    });
  std::vector<int64_t> a = widen<int64_t>(got), b = widen<int64_t>(want);
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i])
      return difference(i, show(b[i]), show(a[i]));
  return "";
}

std::string compareAccuracy(const Tensor &got, const Tensor &want, double maxUlp, double floor, bool signOfZero) {
  std::string types = compareTypes(got, want);
  if (!types.empty())
    return types;
  return compareFloats(got, want, signOfZero, [&](double a, double b) {
    // In extended precision, where the difference of neighbours is exact and their quotient by a subnormal does not
    // overflow.
    long double error = std::fabs(static_cast<long double>(a) - b);
    return error <= floor || error / spacing(b, want.dtype()) <= maxUlp;
  });
}

bool signOfZeroCounts(const std::string &op) {
  static const std::set<std::string> kOps = {"neg",    "expm1", "log1p", "sqrt", "cbrt",  "sin",   "tan",
                                             "asin",   "atan",  "sinh",  "tanh", "asinh", "atanh", "erf",
                                             "erfinv", "mul",   "div",   "rem",  "atan2"};
  return kOps.count(op) > 0;
}

} // namespace tenferro::cases
