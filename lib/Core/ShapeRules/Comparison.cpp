// Shape and dtype rules of compare, select, convert and cast.
#include "lib/Core/ShapeRules.h"
#include "lib/Core/ShapeRules/Rules.h"

namespace tenferro::core {

/// Cases of compare's direction: eq ne lt le gt ge.
static constexpr int64_t kDirections = 6, kFirstOrdered = 2;

Expected<ValueType> inferCompare(const RuleCall &call) {
  int64_t direction = call.integer(0);
  if (direction < 0 || direction >= kDirections)
    return call.error(ErrorKind::InvalidArgument,
                      "expects a direction eq, ne, lt, le, gt or ge, but got case " + std::to_string(direction));
  if (isComplex(call.operand(0).dtype) && direction >= kFirstOrdered)
    return call.dtypeError("expects ordered values", call.operand(0).dtype);
  Expected<ValueType> operands = inferLogicBinary(call);
  if (!operands)
    return operands;
  return ValueType{DType::Bool, operands->shape};
}

Expected<ValueType> inferSelect(const RuleCall &call) {
  const ValueType &predicate = call.operand(0);
  if (predicate.dtype != DType::Bool)
    return call.dtypeError("expects a predicate of bool", predicate.dtype);
  RuleCall branches{call.op, call.operands.subspan(1), {}};
  Expected<ValueType> result = inferLogicBinary(branches);
  if (result && result->shape != predicate.shape)
    return call.shapeError("expects a predicate of the branches' shape", predicate.shape, result->shape);
  return result;
}

Expected<ValueType> inferCast(const RuleCall &call) {
  DType from = call.operand(0).dtype, to = call.dtype(0);
  if (isComplex(from) && (to == DType::Bool || isInteger(to)))
    return call.dtypeError("expects a real operand for an integer result", from);
  return ValueType{to, call.operand(0).shape};
}

Expected<ValueType> inferConvert(const RuleCall &call) {
  DType from = call.operand(0).dtype, to = call.dtype(0);
  if (!isLossless(from, to)) {
    Failure failure =
        call.error(ErrorKind::LossyConversion, "expects a result that holds every value of " + std::string(name(from)) +
                                                   ", but got " + std::string(name(to)));
    failure.dtypes = {from, to};
    return failure;
  }
  return ValueType{to, call.operand(0).shape};
}

} // namespace tenferro::core
