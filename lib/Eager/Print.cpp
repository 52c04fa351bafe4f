// Tensors as text that a person reads: dtype, shape, rows along the last axis, long axes elided.
#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/Record.h"
#include "lib/Eager/TensorImpl.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <ostream>

namespace tenferro {

namespace {

/// Over this many elements an axis shows its first and last `kEdge` entries only, as NumPy does.
constexpr int64_t kThreshold = 1000;
constexpr int64_t kEdge = 3;
/// Many short axes are cut off after this many elements.
constexpr int64_t kMostPrinted = 4000;

/// The shortest decimal that reads back as the same value.
template <typename T> void appendNumber(std::string &out, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) {
      out += "nan"; // the sign of a NaN means nothing
      return;
    }
  }
  char digits[40];
  std::to_chars_result result = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, result.ptr);
}

template <typename T> T load(const char *address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

float widenBFloat16(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

float widenFloat16(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  auto fraction = static_cast<float>(bits & 1023);
  float magnitude = exponent == 31  ? (bits & 1023 ? NAN : INFINITY)
                    : exponent == 0 ? std::ldexp(fraction, -24)
                                    : std::ldexp(fraction + 1024, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

template <typename T> void appendComplex(std::string &out, const char *address) {
  T real = load<T>(address), imaginary = load<T>(address + sizeof(T));
  appendNumber(out, real);
  if (!std::signbit(imaginary) || std::isnan(imaginary))
    out += '+';
  appendNumber(out, imaginary);
  out += 'i';
}

void appendElement(std::string &out, DType dtype, const char *address) {
  switch (dtype) {
  case DType::Bool:
    out += load<uint8_t>(address) ? "true" : "false";
    return;
  case DType::U8:
    return appendNumber(out, load<uint8_t>(address));
  case DType::I8:
    return appendNumber(out, load<int8_t>(address));
  case DType::I16:
    return appendNumber(out, load<int16_t>(address));
  case DType::I32:
    return appendNumber(out, load<int32_t>(address));
  case DType::I64:
    return appendNumber(out, load<int64_t>(address));
  case DType::F16:
    return appendNumber(out, widenFloat16(load<uint16_t>(address)));
  case DType::BF16:
    return appendNumber(out, widenBFloat16(load<uint16_t>(address)));
  case DType::F32:
    return appendNumber(out, load<float>(address));
  case DType::F64:
    return appendNumber(out, load<double>(address));
  case DType::Complex64:
    return appendComplex<float>(out, address);
  case DType::Complex128:
    return appendComplex<double>(out, address);
  }
}

void appendAxes(std::string &out, const runtime::TensorView &view, size_t axis, const char *address, bool elide,
                int64_t &printed) {
  if (axis == view.shape.size()) {
    ++printed;
    return appendElement(out, view.dtype, address);
  }
  out += '[';
  int64_t extent = view.shape[axis];
  int64_t step = view.strides[axis] * static_cast<int64_t>(byteSize(view.dtype));
  for (int64_t i = 0; i < extent; ++i) {
    if (i > 0)
      out += ", ";
    if (elide && extent > 2 * kEdge && i == kEdge) {
      out += "..., ";
      i = extent - kEdge;
    }
    if (printed >= kMostPrinted) {
      out += "...";
      break;
    }
    appendAxes(out, view, axis + 1, address + i * step, elide, printed);
  }
  out += ']';
}

} // namespace

std::string Tensor::str() const {
  if (empty())
    return "empty tensor";
  const runtime::TensorView &view = detail::TensorAccess::view(*this);
  std::string out(name(view.dtype));
  out += view.shape.str();
  out += ' ';
  if (view.elementCount() == 0)
    return out += "[]";
  int64_t printed = 0;
  appendAxes(out, view, 0, static_cast<const char *>(view.data), view.elementCount() > kThreshold, printed);
  return out;
}

std::string EagerTensor::str() const {
  const eager::Record *record = detail::EagerAccess::record(*this);
  if (!record)
    return "empty tensor";
  std::string out = value().str();
  if (record->kind == eager::RecordKind::Variable)
    out += " variable";
  else if (record->tracks)
    out += " tracked";
  return out;
}

std::ostream &operator<<(std::ostream &out, const Tensor &tensor) { return out << tensor.str(); }
std::ostream &operator<<(std::ostream &out, const EagerTensor &tensor) { return out << tensor.str(); }

} // namespace tenferro
