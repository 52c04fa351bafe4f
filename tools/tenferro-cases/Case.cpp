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

/// The elements of a list, by the key of the line or tensor it stands under.
const Json &listAt(const Json &json, const char *key) {
  const Json &list = json.at(key);
  if (!list.is_array())
    throw FormatError("'" + std::string(key) + "' expects a list, but got " + list.dump());
  return list;
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

/// A tensor of an error case may leave out its elements, and its dtype need not be one of tensors.
Tensor parseTensor(const Json &json, bool isErrorCase) {
  DType dtype;
  std::string dtypeName = json.at("dtype").get<std::string>();
  if (!parseDType(dtypeName, dtype))
    throw FormatError("expects a dtype, but got '" + dtypeName + "'");
  Shape shape;
  for (const Json &extent : listAt(json, "shape"))
    shape.push_back(toInteger(extent));
  if (!shape.isValid())
    throw FormatError("expects a shape, but got " + shape.str());
  if (json.contains("order") && json["order"] != "row")
    throw FormatError("'order' expects \"row\", but got " + json["order"].dump());
  Json data;
  if (json.contains("data") || !isErrorCase)
    data = listAt(json, "data");
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
    if (!isErrorCase)
      throw UnsupportedError("dtype " + dtypeName);
    return Tensor::zeros(shape, dtype); // only its dtype matters
  }
}

std::string typeOf(const Tensor &tensor) { return std::string(name(tensor.dtype())) + tensor.shape().str(); }

/// The list under `key`: an entry for each of `values`, which are the inputs or the outputs, of the same dtype and
/// shape.
OptionalTensors parseDerivatives(const Json &line, const std::string &key, const std::vector<Tensor> &values,
                                 const std::string &each) {
  OptionalTensors tensors;
  for (const Json &json : listAt(line, key.c_str()))
    tensors.push_back(json.is_null() ? std::nullopt : std::optional(parseTensor(json, false)));
  if (tensors.size() != values.size())
    throw FormatError("'" + key + "' expects one entry per " + each + ", so " + std::to_string(values.size()) +
                      ", but got " + std::to_string(tensors.size()));
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i] && (tensors[i]->dtype() != values[i].dtype() || tensors[i]->shape() != values[i].shape()))
      throw FormatError(key + "[" + std::to_string(i) + "] expects the dtype and shape of the " + each + ", " +
                        typeOf(values[i]) + ", but got " + typeOf(*tensors[i]));
  return tensors;
}

/// What carries no derivative in one list carries none in the other.
void checkSameEntries(const std::string &key, const OptionalTensors &list, const std::string &otherKey,
                      const OptionalTensors &other) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].has_value() != other[i].has_value()) {
      std::string entry = "[" + std::to_string(i) + "]";
      throw FormatError(key + entry + " and " + otherKey + entry + " are both null or both tensors, but " +
                        (list[i] ? otherKey : key) + entry + " is null alone");
    }
}

/// The lists come together or not at all.
void parseDerivatives(const Json &line, Case &result) {
  bool any = false;
  for (const char *key : {"cotangent", "vjp", "tangent", "jvp", "hvp"})
    any |= line.contains(key);
  if (!any)
    return;
  for (const char *key : {"cotangent", "vjp", "tangent", "jvp"})
    if (!line.contains(key))
      throw FormatError("expects cotangent, vjp, tangent and jvp together, but '" + std::string(key) + "' is missing");
  result.hasDerivatives = true;
  result.cotangents = parseDerivatives(line, "cotangent", result.outputs, "output");
  result.vjp = parseDerivatives(line, "vjp", result.inputs, "input");
  result.tangents = parseDerivatives(line, "tangent", result.inputs, "input");
  result.jvp = parseDerivatives(line, "jvp", result.outputs, "output");
  checkSameEntries("cotangent", result.cotangents, "jvp", result.jvp);
  checkSameEntries("vjp", result.vjp, "tangent", result.tangents);
  if (!line.contains("hvp"))
    return;
  result.hvp = parseDerivatives(line, "hvp", result.inputs, "input");
  checkSameEntries("hvp", result.hvp, "vjp", result.vjp);
}

} // namespace

Case parseCase(const Json &line) {
  Case result;
  result.id = line.at("id").get<std::string>();
  result.op = line.at("op").get<std::string>();
  result.note = line.value("note", std::string());
  result.attributes = line.at("attrs");
  result.raises = line.value("raises", std::string());
  for (const Json &json : listAt(line, "in"))
    result.inputs.push_back(parseTensor(json, !result.raises.empty()));
  if (!result.raises.empty())
    return result;
  for (const Json &json : listAt(line, "out"))
    result.outputs.push_back(parseTensor(json, false));
  if (line.contains("max_ulp")) {
    result.maxUlp = line["max_ulp"].get<double>();
    if (line.contains("atol"))
      result.accuracyFloor = line["atol"].get<double>();
    return result;
  }
  result.rtol = line.at("rtol").get<double>();
  result.atol = line.at("atol").get<double>();
  parseDerivatives(line, result);
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
