// Shape and dtype rules of element-wise arithmetic and math: Arithmetic, Transcendental.
#include "lib/Core/ShapeRules/Rules.h"

namespace tenferro::core {

namespace {

Expected<ValueType> equalOperands(const RuleCall &call, size_t other = 1) {
  const ValueType &a = call.operand(0), &b = call.operand(other);
  if (a.dtype != b.dtype)
    return call.dtypeError("expects equal dtypes", a.dtype, b.dtype);
  if (a.shape != b.shape)
    return call.shapeError("expects equal shapes", a.shape, b.shape);
  return a;
}

} // namespace

Expected<ValueType> inferNumberUnary(const RuleCall &call) {
  if (call.operand(0).dtype == DType::Bool)
    return call.dtypeError("expects a number", DType::Bool);
  return call.operand(0);
}

Expected<ValueType> inferFloatUnary(const RuleCall &call) {
  if (!isDifferentiable(call.operand(0).dtype))
    return call.dtypeError("expects a float", call.operand(0).dtype);
  return call.operand(0);
}

Expected<ValueType> inferLogicBinary(const RuleCall &call) { return equalOperands(call); }

Expected<ValueType> inferNumberBinary(const RuleCall &call) {
  if (call.operand(0).dtype == DType::Bool)
    return call.dtypeError("expects numbers", DType::Bool);
  return equalOperands(call);
}

Expected<ValueType> inferRealBinary(const RuleCall &call) {
  DType dtype = call.operand(0).dtype;
  if (dtype == DType::Bool || isComplex(dtype))
    return call.dtypeError("expects ordered numbers", dtype);
  return equalOperands(call);
}

Expected<ValueType> inferFloatBinary(const RuleCall &call) {
  if (!isDifferentiable(call.operand(0).dtype))
    return call.dtypeError("expects floats", call.operand(0).dtype);
  return equalOperands(call);
}

static bool isRealFloat(DType dtype) { return isDifferentiable(dtype) && !isComplex(dtype); }

Expected<ValueType> inferRealFloatUnary(const RuleCall &call) {
  if (!isRealFloat(call.operand(0).dtype))
    return call.dtypeError("expects a real float", call.operand(0).dtype);
  return call.operand(0);
}

Expected<ValueType> inferRealFloatBinary(const RuleCall &call) {
  if (!isRealFloat(call.operand(0).dtype))
    return call.dtypeError("expects real floats", call.operand(0).dtype);
  return equalOperands(call);
}

Expected<ValueType> inferFloatTest(const RuleCall &call) {
  Expected<ValueType> operand = inferRealFloatUnary(call);
  return operand ? ValueType{DType::Bool, operand->shape} : operand;
}

Expected<ValueType> inferClamp(const RuleCall &call) {
  Expected<ValueType> result = inferRealBinary(call);
  return result ? equalOperands(call, 2) : result;
}

} // namespace tenferro::core
