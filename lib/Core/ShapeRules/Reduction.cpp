// Shape and dtype rules of reductions.
#include "lib/Core/ShapeRules/Rules.h"

namespace tenferro::core {

namespace {

/// The operand without `axes`, which ascend.
Expected<ValueType> withoutAxes(const RuleCall &call) {
  const ValueType &operand = call.operand(0);
  const IntList &axes = call.list(0);
  Failure failure;
  if (!checkAxes(call, axes, operand.shape.rank(), failure))
    return failure;
  if (!std::is_sorted(axes.begin(), axes.end()))
    return call.error(ErrorKind::InvalidArgument, "expects ascending axes, but got " + axes.str());
  ValueType result{operand.dtype, {}};
  for (int64_t i = 0; i < operand.shape.rank(); ++i)
    if (std::find(axes.begin(), axes.end(), i) == axes.end())
      result.shape.push_back(operand.shape[i]);
  return result;
}

/// Numbers combined along axes.
Expected<ValueType> combined(const RuleCall &call) {
  if (call.operand(0).dtype == DType::Bool)
    return call.dtypeError("expects numbers", DType::Bool);
  return withoutAxes(call);
}

/// Truth along axes.
Expected<ValueType> truth(const RuleCall &call) {
  if (call.operand(0).dtype != DType::Bool)
    return call.dtypeError("expects bool", call.operand(0).dtype);
  return withoutAxes(call);
}

/// The operand without what `axes`, a list for a single axis too, names: ordered numbers, at least one along each.
Expected<ValueType> extremum(const RuleCall &call) {
  const ValueType &operand = call.operand(0);
  if (operand.dtype == DType::Bool || isComplex(operand.dtype))
    return call.dtypeError("expects ordered numbers", operand.dtype);
  Expected<ValueType> result = withoutAxes(call);
  if (!result)
    return result;
  for (int64_t axis : call.list(0))
    if (operand.shape[axis] == 0) {
      Failure failure =
          call.error(ErrorKind::EmptyReduction, "expects at least one element along the reduced axes, "
                                                "but got " +
                                                    operand.shape.str() + " reduced along " + call.list(0).str());
      failure.shapes = {operand.shape};
      failure.axes.assign(call.list(0).begin(), call.list(0).end());
      return failure;
    }
  return result;
}

/// Where an extremum along one axis stands.
Expected<ValueType> position(const RuleCall &call) {
  Expected<ValueType> result = extremum(call);
  if (result)
    result->dtype = DType::I64;
  return result;
}

} // namespace

Expected<ValueType> inferSum(const RuleCall &call) { return combined(call); }
Expected<ValueType> inferProd(const RuleCall &call) { return combined(call); }
Expected<ValueType> inferMax(const RuleCall &call) { return extremum(call); }
Expected<ValueType> inferMin(const RuleCall &call) { return extremum(call); }
Expected<ValueType> inferAny(const RuleCall &call) { return truth(call); }
Expected<ValueType> inferAll(const RuleCall &call) { return truth(call); }
Expected<ValueType> inferArgmax(const RuleCall &call) { return position(call); }
Expected<ValueType> inferArgmin(const RuleCall &call) { return position(call); }

Expected<ValueType> inferCumsum(const RuleCall &call) {
  const ValueType &operand = call.operand(0);
  if (operand.dtype == DType::Bool)
    return call.dtypeError("expects numbers", DType::Bool);
  if (int64_t order = call.integer(1); order != 0 && order != 1)
    return call.error(ErrorKind::InvalidArgument,
                      "expects an order forward or reverse, but got case " + std::to_string(order));
  Failure failure;
  if (!checkAxis(call, call.integer(0), operand.shape.rank(), failure))
    return failure;
  return operand;
}

} // namespace tenferro::core
