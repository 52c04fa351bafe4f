// Which dtype two operands meet in, which conversions keep every value, and how shapes broadcast.
#include "lib/Core/ShapeRules.h"
#include "lib/Core/ShapeRules/Rules.h"

namespace tenferro::core {

namespace {

/// Bits of the significand, the implicit one included: integers up to 2^bits are exact.
int significandBits(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return 11;
  case DType::BF16:
    return 8;
  case DType::F32:
  case DType::Complex64:
    return 24;
  default:
    return 53;
  }
}

/// Bits of the magnitude of an integer dtype.
int valueBits(DType dtype) {
  int bits = static_cast<int>(8 * byteSize(dtype));
  return dtype == DType::U8 ? bits : bits - 1;
}

DType promoteIntegers(DType a, DType b) {
  // u8 and i8 meet in i16; u8 with a wider signed integer is that integer; signed integers order by width.
  if (a > b)
    std::swap(a, b);
  return a == DType::U8 && b == DType::I8 ? DType::I16 : b;
}

DType promoteFloats(DType a, DType b) {
  // Neither f16 nor bf16 holds the other.
  if (a != b && a <= DType::BF16 && b <= DType::BF16)
    return DType::F32;
  return std::max(a, b);
}

bool integerFits(DType from, DType to) {
  if (isInteger(to))
    return valueBits(from) <= valueBits(to) && (from == DType::U8 || to != DType::U8);
  return valueBits(from) <= significandBits(to);
}

bool floatFits(DType from, DType to) {
  if (from == DType::F16 || from == DType::BF16)
    return to == DType::F32 || to == DType::F64 || isComplex(to);
  if (from == DType::F32)
    return to == DType::F64 || isComplex(to);
  return to == DType::Complex128;
}

} // namespace

DType promote(DType a, DType b) noexcept {
  if (a == b)
    return a;
  if (a == DType::Bool)
    return b;
  if (b == DType::Bool)
    return a;
  if (isComplex(a) || isComplex(b)) {
    bool wide = a == DType::Complex128 || b == DType::Complex128 || a == DType::F64 || b == DType::F64;
    return wide ? DType::Complex128 : DType::Complex64;
  }
  if (isFloat(a) && isFloat(b))
    return promoteFloats(a, b);
  if (isFloat(a) || isFloat(b))
    return isFloat(a) ? a : b;
  return promoteIntegers(a, b);
}

bool isLossless(DType from, DType to) noexcept {
  if (from == to || from == DType::Bool)
    return true;
  if (to == DType::Bool)
    return false;
  if (isInteger(from))
    return integerFits(from, to);
  if (isFloat(from))
    return floatFits(from, to);
  return to == DType::Complex128; // from complex64
}

Expected<Shape> broadcastShapes(std::string_view op, const Shape &a, const Shape &b) {
  const Shape &longer = a.size() >= b.size() ? a : b;
  const Shape &shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  size_t lead = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    int64_t x = longer[lead + i], y = shorter[i];
    if (x != y && x != 1 && y != 1) {
      Failure failure =
          fail(ErrorKind::ShapeMismatch, op, "expects shapes that broadcast, but got " + a.str() + " and " + b.str());
      failure.shapes = {a, b};
      return failure;
    }
    result[lead + i] = x == 1 ? y : x;
  }
  if (!result.isValid())
    return fail(ErrorKind::InvalidArgument, op, "expects a shape of less than 2^62 bytes, but got " + result.str());
  return result;
}

} // namespace tenferro::core
