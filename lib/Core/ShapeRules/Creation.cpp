// Shape and dtype rules of iota.
#include "lib/Core/ShapeRules/Rules.h"

namespace tenferro::core {

Expected<ValueType> inferIota(const RuleCall &call) {
  ValueType result{call.dtype(2), Shape(call.list(1))};
  if (result.dtype == DType::Bool)
    return call.dtypeError("expects a number", result.dtype);
  Failure failure;
  if (!checkAxis(call, call.integer(0), result.shape.rank(), failure))
    return failure;
  return result;
}

} // namespace tenferro::core
