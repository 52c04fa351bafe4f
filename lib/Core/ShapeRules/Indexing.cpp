// Shape and dtype rules of take, scatter_add and one_hot.
#include "lib/Core/ShapeRules/Rules.h"

namespace tenferro::core {

namespace {

/// Integers are indices; bool is not.
bool checkIndices(const RuleCall &call, const ValueType &indices, Failure &failure) {
  if (isInteger(indices.dtype))
    return true;
  failure = call.dtypeError("expects integer indices", indices.dtype);
  return false;
}

} // namespace

Expected<ValueType> inferTake(const RuleCall &call) {
  const ValueType &operand = call.operand(0), &indices = call.operand(1);
  int64_t axis = call.integer(0);
  Failure failure;
  if (!checkIndices(call, indices, failure) || !checkAxis(call, axis, operand.shape.rank(), failure))
    return failure;
  ValueType result{operand.dtype, {}};
  for (int64_t i = 0; i < axis; ++i)
    result.shape.push_back(operand.shape[i]);
  for (int64_t extent : indices.shape)
    result.shape.push_back(extent);
  for (int64_t i = axis + 1; i < operand.shape.rank(); ++i)
    result.shape.push_back(operand.shape[i]);
  return result;
}

Expected<ValueType> inferScatterAdd(const RuleCall &call) {
  const ValueType &indices = call.operand(0), &updates = call.operand(1);
  int64_t axis = call.integer(0), extent = call.integer(1);
  int64_t rank = updates.shape.rank() - indices.shape.rank() + 1;
  Failure failure;
  if (!checkIndices(call, indices, failure))
    return failure;
  if (updates.dtype == DType::Bool)
    return call.dtypeError("expects numbers", updates.dtype);
  if (rank < 1) {
    failure = call.error(ErrorKind::RankMismatch, "expects updates with the axes of the indices, but got " +
                                                      updates.shape.str() + " and " + indices.shape.str());
    failure.shapes = {updates.shape, indices.shape};
    return failure;
  }
  if (!checkAxis(call, axis, rank, failure))
    return failure;
  for (size_t i = 0; i < indices.shape.size(); ++i)
    if (updates.shape[axis + i] != indices.shape[i])
      return call.shapeError("expects updates whose axes from " + std::to_string(axis) + " are those of the indices",
                             updates.shape, indices.shape);
  if (extent < 0)
    return call.error(ErrorKind::InvalidArgument, "expects an extent of at least 0, but got " + std::to_string(extent));
  ValueType result{updates.dtype, {}};
  for (int64_t i = 0; i < axis; ++i)
    result.shape.push_back(updates.shape[i]);
  result.shape.push_back(extent);
  for (size_t i = axis + indices.shape.size(); i < updates.shape.size(); ++i)
    result.shape.push_back(updates.shape[i]);
  return result;
}

Expected<ValueType> inferOneHot(const RuleCall &call) {
  const ValueType &indices = call.operand(0);
  int64_t depth = call.integer(0), axis = call.integer(1);
  Failure failure;
  if (!checkIndices(call, indices, failure) || !checkAxis(call, axis, indices.shape.rank() + 1, failure))
    return failure;
  if (depth < 0)
    return call.error(ErrorKind::InvalidArgument, "expects a depth of at least 0, but got " + std::to_string(depth));
  ValueType result{call.dtype(2), indices.shape};
  result.shape.insert(static_cast<size_t>(axis), depth);
  return result;
}

} // namespace tenferro::core
