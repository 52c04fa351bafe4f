// Tensors on the command line: "2x3xf64=1,2,3,4,5,6", leftmost index fastest.
#include "tools/tenferro-run/Literal.h"

#include "runtime/core/Failures.h"

#include <charconv>
#include <cstring>

namespace tenferro::compiler {
namespace {

Failure invalid(std::string message) {
  return runtime::makeFailure(ErrorKind::InvalidArgument, "input", std::move(message));
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

template <typename T> bool parseNumber(std::string_view text, T &value) {
  if (!text.empty() && text.front() == '+')
    text.remove_prefix(1);
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

template <typename T> bool append(std::string_view text, std::vector<uint8_t> &bytes) {
  T value{};
  if (!parseNumber(text, value))
    return false;
  auto *first = reinterpret_cast<const uint8_t *>(&value);
  bytes.insert(bytes.end(), first, first + sizeof(T));
  return true;
}

bool appendElement(DType dtype, std::string_view text, std::vector<uint8_t> &bytes) {
  switch (dtype) {
  case DType::F32:
    return append<float>(text, bytes);
  case DType::F64:
    return append<double>(text, bytes);
  case DType::I32:
    return append<int32_t>(text, bytes);
  case DType::I64:
    return append<int64_t>(text, bytes);
  case DType::U8:
    return append<uint8_t>(text, bytes);
  case DType::Bool: {
    bool isTrue = text == "true" || text == "1";
    bytes.push_back(isTrue);
    return isTrue || text == "false" || text == "0";
  }
  default:
    return false;
  }
}

template <typename T> std::string toText(const void *element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  if constexpr (std::is_floating_point_v<T>) {
    if (value != value)
      return "nan"; // the sign of a NaN is unspecified
  }
  char text[32];
  auto [end, error] = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end);
}

} // namespace

core::Expected<Literal> parseLiteral(std::string_view text) {
  size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    return invalid("expects a literal like 2x3xf64=1,2,3,4,5,6, but got " + quoted(text));
  Literal literal;
  std::string_view type = text.substr(0, equals), values = text.substr(equals + 1);
  for (size_t x; (x = type.find('x')) != std::string_view::npos; type.remove_prefix(x + 1)) {
    int64_t extent = 0;
    if (!parseNumber(type.substr(0, x), extent) || extent < 0)
      return invalid("expects extents of at least 0, but got " + quoted(type.substr(0, x)) + " in " + quoted(text));
    literal.type.shape.push_back(extent);
  }
  if (!parseDType(type, literal.type.dtype))
    return invalid("expects a dtype, but got " + quoted(type) + " in " + quoted(text));
  if (!literal.type.shape.isValid())
    return invalid("expects extents that fit in memory, but got " + literal.type.shape.str());
  int64_t count = literal.type.shape.elementCount(), given = 0;
  for (size_t at = 0; at < values.size() || given == 0;) {
    if (values.empty())
      break;
    size_t comma = std::min(values.find(',', at), values.size());
    if (!appendElement(literal.type.dtype, values.substr(at, comma - at), literal.bytes))
      return invalid("expects values of " + std::string(name(literal.type.dtype)) + ", but got " +
                     quoted(values.substr(at, comma - at)));
    ++given;
    at = comma + 1;
  }
  size_t size = byteSize(literal.type.dtype);
  if (given == 1 && count != 1) {
    std::vector<uint8_t> one(literal.bytes);
    literal.bytes.clear();
    literal.bytes.reserve(static_cast<size_t>(count) * size); // all at once, or not at all
    for (int64_t i = 0; i < count; ++i)
      literal.bytes.insert(literal.bytes.end(), one.begin(), one.begin() + static_cast<ptrdiff_t>(size));
    given = count;
  }
  if (given != count)
    return invalid("expects " + std::to_string(count) + " values for shape " + literal.type.shape.str() + ", but got " +
                   std::to_string(given));
  return literal;
}

std::string printLiteral(const core::ValueType &type, const void *elements) {
  std::string text;
  for (int64_t extent : type.shape)
    text += std::to_string(extent) + "x";
  text += std::string(name(type.dtype)) + "=";
  const auto *at = static_cast<const uint8_t *>(elements);
  int64_t count = type.shape.elementCount();
  for (int64_t i = 0; i < count; ++i, at += byteSize(type.dtype)) {
    if (i)
      text += ",";
    switch (type.dtype) {
    case DType::F32:
      text += toText<float>(at);
      break;
    case DType::F64:
      text += toText<double>(at);
      break;
    case DType::I32:
      text += toText<int32_t>(at);
      break;
    case DType::I64:
      text += toText<int64_t>(at);
      break;
    case DType::U8:
      text += std::to_string(*at);
      break;
    case DType::Bool:
      text += *at ? "true" : "false";
      break;
    default:
      text += "?";
      break;
    }
  }
  return text;
}

} // namespace tenferro::compiler
