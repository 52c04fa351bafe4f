// Reading oracle lines.
#include "tools/tenferro-cases/Case.h"

#include <cmath>
#include <limits>

namespace tenferro::cases {

namespace {

double toDouble(const Json &element) {
  if (element.is_number())
    return element.get<double>();
  if (element.is_string()) {
    const auto &text = element.get_ref<const std::string &>();
    double infinity = std::numeric_limits<double>::infinity();
    if (text == "nan")
      return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf" || text == "-inf")
      return text[0] == '-' ? -infinity : infinity;
  }
  throw FormatError("expects a number, \"nan\", \"inf\" or \"-inf\", but got " + element.dump());
}

int64_t toInteger(const Json &element) {
  if (!element.is_number_integer() || (element.is_number_unsigned() && element.get<uint64_t>() > uint64_t(INT64_MAX)))
    throw FormatError("expects an integer, but got " + element.dump());
  return element.get<int64_t>();
}

template <typename T> T toIntegerOf(const Json &element) {
  int64_t value = toInteger(element);
  if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max())
    throw FormatError("expects an integer of " + std::string(name(dtypeOf<T>)) + ", but got " + element.dump());
  return static_cast<T>(value);
}

template <typename T> Tensor integers(const Shape &shape, const Json &data) {
  std::vector<T> values;
  for (const Json &element : data)
    values.push_back(toIntegerOf<T>(element));
  return Tensor::fromRowMajor(shape, values);
}

template <typename T> Tensor floats(const Shape &shape, const Json &data) {
  std::vector<T> values;
  for (const Json &element : data)
    values.push_back(static_cast<T>(toDouble(element)));
  return Tensor::fromRowMajor(shape, values);
}

Tensor bools(const Shape &shape, const Json &data) {
  std::vector<uint8_t> values;
  for (const Json &element : data)
    values.push_back(element.get<bool>());
  return Tensor::fromRowMajorElements(shape, DType::Bool, values.data(), values.size());
}

Tensor parseTensor(const Json &json, bool anyDType) {
  DType dtype;
  std::string dtypeName = json.at("dtype").get<std::string>();
  if (!parseDType(dtypeName, dtype))
    throw FormatError("expects a dtype, but got '" + dtypeName + "'");
  Shape shape;
  for (const Json &extent : json.at("shape"))
    shape.push_back(toInteger(extent));
  if (!shape.isValid())
    throw FormatError("expects a shape, but got " + shape.str());
  Json data;
  if (json.contains("data"))
    data = json["data"];
  else // error cases leave out values that do not matter
    data =
        Json(std::vector<Json>(static_cast<size_t>(shape.elementCount()), dtype == DType::Bool ? Json(true) : Json(1)));
  switch (dtype) {
  case DType::Bool:
    return bools(shape, data);
  case DType::U8:
    return integers<uint8_t>(shape, data);
  case DType::I32:
    return integers<int32_t>(shape, data);
  case DType::I64:
    return integers<int64_t>(shape, data);
  case DType::F32:
    return floats<float>(shape, data);
  case DType::F64:
    return floats<double>(shape, data);
  default:
    if (!anyDType)
      throw UnsupportedError("dtype " + dtypeName);
    return Tensor::zeros(shape, dtype); // only its dtype matters
  }
}

OptionalTensors parseOptional(const Json &line, const char *key) {
  OptionalTensors tensors;
  if (line.contains(key))
    for (const Json &json : line[key])
      tensors.push_back(json.is_null() ? std::nullopt : std::optional(parseTensor(json, false)));
  return tensors;
}

} // namespace

Case parseCase(const Json &line) {
  Case result;
  result.id = line.at("id").get<std::string>();
  result.op = line.at("op").get<std::string>();
  result.note = line.value("note", std::string());
  result.attributes = line.at("attrs");
  result.raises = line.value("raises", std::string());
  for (const Json &json : line.at("in"))
    result.inputs.push_back(parseTensor(json, !result.raises.empty()));
  if (!result.raises.empty())
    return result;
  for (const Json &json : line.at("out"))
    result.outputs.push_back(parseTensor(json, false));
  if (line.contains("max_ulp")) {
    result.maxUlp = line["max_ulp"].get<double>();
    if (line.contains("atol"))
      result.accuracyFloor = line["atol"].get<double>();
    return result;
  }
  result.rtol = line.at("rtol").get<double>();
  result.atol = line.at("atol").get<double>();
  result.cotangents = parseOptional(line, "cotangent");
  result.vjp = parseOptional(line, "vjp");
  result.tangents = parseOptional(line, "tangent");
  result.jvp = parseOptional(line, "jvp");
  result.hvp = parseOptional(line, "hvp");
  return result;
}

DType parseDTypeName(const std::string &op, const std::string &text) {
  DType dtype;
  if (!parseDType(text, dtype))
    raiseInvalid(op, "dtype", "expects a dtype, but got '" + text + "'");
  return dtype;
}

void raiseInvalid(const std::string &op, const std::string &argument, const std::string &message) {
  Failure failure;
  failure.kind = ErrorKind::InvalidArgument;
  failure.op = op;
  failure.argument = argument;
  failure.message = message;
  raise(std::move(failure));
}

} // namespace tenferro::cases
