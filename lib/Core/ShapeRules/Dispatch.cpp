// From an operation's kind to its rule, with the checks every operation shares.
#include "lib/Core/ShapeRules.h"
#include "lib/Core/ShapeRules/Rules.h"

namespace tenferro::core {

Failure fail(ErrorKind kind, std::string_view op, std::string message) {
  Failure failure;
  failure.kind = kind;
  failure.op = op;
  failure.message = std::move(message);
  return failure;
}

Failure RuleCall::dtypeError(std::string_view rule, DType dtype) const {
  Failure failure =
      error(ErrorKind::DTypeMismatch, std::string(rule) + ", but got " + std::string(tenferro::name(dtype)));
  failure.dtypes = {dtype};
  return failure;
}

Failure RuleCall::dtypeError(std::string_view rule, DType a, DType b) const {
  Failure failure = error(ErrorKind::DTypeMismatch, std::string(rule) + ", but got " + std::string(tenferro::name(a)) +
                                                        " and " + std::string(tenferro::name(b)));
  failure.dtypes = {a, b};
  return failure;
}

Failure RuleCall::shapeError(std::string_view rule, const Shape &a, const Shape &b) const {
  Failure failure = error(ErrorKind::ShapeMismatch, std::string(rule) + ", but got " + a.str() + " and " + b.str());
  failure.shapes = {a, b};
  return failure;
}

bool isSupported(DType dtype) noexcept {
  switch (dtype) {
  case DType::Bool:
  case DType::U8:
  case DType::I32:
  case DType::I64:
  case DType::F32:
  case DType::F64:
    return true;
  default:
    return false;
  }
}

namespace {

/// The flat attributes cut into one list per entry of the schema. False where the layout does not fit, and, with what
/// they are, where they name a dtype that is none.
bool unpack(const OpSchema &schema, const Attributes &flat, std::vector<IntList> &lists, std::string &what) {
  size_t at = 0;
  lists.reserve(schema.attributes.size());
  for (const AttributeSchema &attribute : schema.attributes) {
    bool counted = attribute.kind == AttributeKind::IntArray || attribute.kind == AttributeKind::ResultShape;
    size_t count = 1;
    if (counted) {
      if (at >= flat.size() || flat[at] < 0 || static_cast<size_t>(flat[at]) > flat.size() - at - 1)
        return false;
      count = static_cast<size_t>(flat[at++]);
    } else if (at >= flat.size()) {
      return false;
    }
    lists.emplace_back(flat.data() + at, count);
    if (attribute.kind == AttributeKind::ResultDType && (lists.back()[0] < 0 || lists.back()[0] >= kDTypeCount)) {
      what = "a dtype, but got case " + std::to_string(lists.back()[0]);
      return false;
    }
    at += count;
  }
  return at == flat.size();
}

Expected<ValueType> apply(const RuleCall &call) {
  switch (call.op.kind) {
#define TENFERRO_RULE(Kind, rule)                                                                                      \
  case OpKind::Kind:                                                                                                   \
    return rule(call);
#include "lib/Core/OpRules.inc"
  }
  return call.error(ErrorKind::Internal, "expects a known operation");
}

} // namespace

Expected<ValueType> inferResult(OpKind kind, std::span<const ValueType> operands, const Attributes &attributes) {
  RuleCall call{schema(kind), operands, {}};
  if (call.op.operands >= 0 && operands.size() != static_cast<size_t>(call.op.operands))
    return call.error(ErrorKind::InvalidArgument, "expects " + std::to_string(call.op.operands) +
                                                      " operands, but got " + std::to_string(operands.size()));
  for (const ValueType &operand : operands)
    if (!operand.shape.isValid())
      return call.error(ErrorKind::InvalidArgument,
                        "expects non-negative extents of less than 2^62 bytes, but got " + operand.shape.str());
  if (std::string what; !unpack(call.op, attributes, call.attributes, what))
    return call.error(
        ErrorKind::InvalidArgument,
        "expects " + (what.empty() ? "attributes laid out as its schema says, but got " + attributes.str() : what));
  Expected<ValueType> result = apply(call);
  if (!result)
    return result;
  if (!result->shape.isValid()) {
    Failure failure =
        call.error(ErrorKind::InvalidArgument,
                   "expects non-negative extents of less than 2^62 bytes, but got " + result->shape.str());
    failure.shapes = {result->shape};
    return failure;
  }
  auto unsupported = [&](DType dtype) {
    Failure failure =
        call.error(ErrorKind::Unsupported, "expects a supported dtype (bool, u8, i32, i64, f32, f64), but got " +
                                               std::string(tenferro::name(dtype)));
    failure.dtypes = {dtype};
    return failure;
  };
  for (const ValueType &operand : operands)
    if (!isSupported(operand.dtype))
      return unsupported(operand.dtype);
  if (!isSupported(result->dtype))
    return unsupported(result->dtype);
  return result;
}

} // namespace tenferro::core
