// Tensors as text that a person reads: dtype, shape, rows along the last axis, one below the other where they do not
// fit a line, long axes elided.
#include "lib/Eager/Surface/Print.h"
#include "lib/Eager/TensorImpl.h"
#include "tenferro/EagerTensor.h"

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

} // namespace

namespace eager {

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

std::string shortest(double number) {
  std::string text;
  appendNumber(text, number);
  return text;
}

} // namespace eager

namespace {

using eager::appendElement;

/// A longer text is laid out over several lines, unless it has so many axes that it would be mostly space.
constexpr size_t kLineWidth = 80, kMostBlockRank = 8;

/// The elements of a view in nested brackets.
class Layout {
public:
  explicit Layout(const runtime::TensorView &view) : view_(view), elide_(view.elementCount() > kThreshold) {}

  /// All in one line.
  std::string line() {
    appendAll();
    return std::move(out_);
  }

  /// As NumPy lays it out: elements of equal width, rows that wrap at the line's end, matrices apart by an empty line.
  std::string block(size_t width) {
    lines_ = true;
    width_ = width;
    appendAll();
    return std::move(out_);
  }

  /// Of the widest element that was written.
  size_t widest() const noexcept { return widest_; }

private:
  void appendAll() {
    printed_ = 0;
    append(0, static_cast<const char *>(view_.data));
  }

  void breakLine(size_t axis) {
    while (out_.back() == ' ')
      out_.pop_back();
    out_ += '\n';
    start_ = out_.size();
    out_.append(axis, ' ');
  }

  void appendCell(size_t axis, const std::string &cell) {
    if (lines_ && out_.size() - start_ + std::max(cell.size(), width_) + 1 > kLineWidth && out_.back() != '[')
      breakLine(axis);
    if (lines_ && cell.size() < width_)
      out_.append(width_ - cell.size(), ' ');
    out_ += cell;
  }

  void appendSeparator(size_t axis) {
    size_t inner = view_.shape.size() - axis - 1;
    out_ += lines_ && inner ? "," : ", ";
    if (!lines_ || !inner)
      return;
    out_.append(inner - 1, '\n');
    breakLine(axis + 1);
  }

  void append(size_t axis, const char *address) {
    if (axis == view_.shape.size()) {
      ++printed_;
      std::string cell;
      appendElement(cell, view_.dtype, address);
      widest_ = std::max(widest_, cell.size());
      return appendCell(axis, cell);
    }
    out_ += '[';
    int64_t extent = view_.shape[axis];
    int64_t step = view_.strides[axis] * static_cast<int64_t>(byteSize(view_.dtype));
    for (int64_t i = 0; i < extent; ++i) {
      if (i > 0)
        appendSeparator(axis);
      if (elide_ && extent > 2 * kEdge && i == kEdge) {
        out_ += "...";
        appendSeparator(axis);
        i = extent - kEdge;
      }
      if (printed_ >= kMostPrinted) {
        out_ += "...";
        break;
      }
      append(axis + 1, address + i * step);
    }
    out_ += ']';
  }

  const runtime::TensorView &view_;
  const bool elide_;
  bool lines_ = false;
  size_t width_ = 0, widest_ = 0, start_ = 0;
  int64_t printed_ = 0;
  std::string out_;
};

} // namespace

std::string Tensor::str() const {
  if (empty())
    return "empty tensor";
  const runtime::TensorView &view = detail::TensorAccess::view(*this);
  std::string out(name(view.dtype));
  out += view.shape.str();
  if (view.elementCount() == 0)
    return out += " []";
  Layout flat(view);
  std::string line = flat.line();
  if (view.shape.empty() || view.shape.size() > kMostBlockRank || out.size() + 1 + line.size() <= kLineWidth)
    return out + ' ' + line;
  return out + '\n' + Layout(view).block(flat.widest());
}

std::ostream &operator<<(std::ostream &out, const Tensor &tensor) { return out << tensor.str(); }
std::ostream &operator<<(std::ostream &out, const detail::PrintedTensor &printed) {
  return out << printed.tensor.str(printed.where);
}

} // namespace tenferro
