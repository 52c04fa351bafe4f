// Shape rules of operations that move elements: any dtype.
#include "lib/Core/ShapeRules/Rules.h"

#include <algorithm>

namespace tenferro::core {

namespace {

/// One entry per axis in every list, or a rank failure that names the list.
bool checkLists(const RuleCall &call, int64_t rank, Failure &failure) {
  for (size_t i = 0; i < call.attributes.size(); ++i) {
    if (static_cast<int64_t>(call.list(i).size()) == rank)
      continue;
    failure = call.error(ErrorKind::RankMismatch, "expects " + std::string(call.op.attributes[i].name) +
                                                      " with one entry per axis of " + call.operand(0).shape.str() +
                                                      ", but got " + call.list(i).str());
    failure.shapes = {call.operand(0).shape};
    return false;
  }
  return true;
}

} // namespace

Expected<ValueType> inferDetach(const RuleCall &call) { return call.operand(0); }

Expected<ValueType> inferReshape(const RuleCall &call) {
  const ValueType &operand = call.operand(0);
  ValueType result{operand.dtype, Shape(call.list(0))};
  if (!result.shape.isValid())
    return call.error(ErrorKind::InvalidArgument,
                      "expects non-negative extents of less than 2^62 bytes, but got " + result.shape.str());
  if (result.shape.elementCount() != operand.shape.elementCount()) {
    Failure failure = call.error(ErrorKind::ElementCount, "expects a shape of as many elements, but got " +
                                                              operand.shape.str() + " to " + result.shape.str());
    failure.shapes = {operand.shape, result.shape};
    return failure;
  }
  return result;
}

Expected<ValueType> inferTranspose(const RuleCall &call) {
  const ValueType &operand = call.operand(0);
  const IntList &permutation = call.list(0);
  int64_t rank = operand.shape.rank();
  Failure failure;
  for (int64_t axis : permutation)
    if (!checkAxis(call, axis, rank, failure))
      return failure;
  if (static_cast<int64_t>(permutation.size()) != rank || !checkAxes(call, permutation, rank, failure)) {
    failure = call.error(ErrorKind::InvalidPermutation,
                         "expects a permutation of [0, " + std::to_string(rank) + "), but got " + permutation.str());
    failure.axes.assign(permutation.begin(), permutation.end());
    return failure;
  }
  ValueType result{operand.dtype, {}};
  for (int64_t axis : permutation)
    result.shape.push_back(operand.shape[axis]);
  return result;
}

Expected<ValueType> inferBroadcastInDim(const RuleCall &call) {
  const ValueType &operand = call.operand(0);
  const IntList &dims = call.list(0);
  Shape result(call.list(1));
  if (static_cast<int64_t>(dims.size()) != operand.shape.rank()) {
    Failure failure = call.error(ErrorKind::RankMismatch, "expects one result axis per axis of " + operand.shape.str() +
                                                              ", but got " + dims.str());
    failure.shapes = {operand.shape};
    return failure;
  }
  Failure failure;
  if (!checkAxes(call, dims, result.rank(), failure))
    return failure;
  for (size_t i = 0; i < dims.size(); ++i)
    if (operand.shape[i] != 1 && operand.shape[i] != result[dims[i]])
      return call.shapeError("expects extents of 1 or of the result's axes " + dims.str(), operand.shape, result);
  return ValueType{operand.dtype, result};
}

Expected<ValueType> inferSlice(const RuleCall &call) {
  const ValueType &operand = call.operand(0);
  Failure failure;
  if (!checkLists(call, operand.shape.rank(), failure))
    return failure;
  const IntList &starts = call.list(0), &limits = call.list(1), &strides = call.list(2);
  ValueType result{operand.dtype, {}};
  for (size_t i = 0; i < starts.size(); ++i) {
    if (strides[i] <= 0)
      return call.error(ErrorKind::SliceStep, "expects strides of at least 1, but got " + strides.str());
    if (starts[i] < 0 || starts[i] > limits[i] || limits[i] > operand.shape[i]) {
      failure = call.error(ErrorKind::SliceBounds,
                           "expects 0 <= start <= limit <= extent, but got start " + std::to_string(starts[i]) +
                               ", limit " + std::to_string(limits[i]) + ", extent " + std::to_string(operand.shape[i]) +
                               " at axis " + std::to_string(i));
      failure.shapes = {operand.shape};
      failure.axes = {static_cast<int64_t>(i)};
      return failure;
    }
    int64_t length = limits[i] - starts[i];
    result.shape.push_back(length == 0 ? 0 : (length - 1) / strides[i] + 1);
  }
  return result;
}

Expected<ValueType> inferPad(const RuleCall &call) {
  const ValueType &operand = call.operand(0);
  Failure failure;
  if (!checkLists(call, operand.shape.rank(), failure))
    return failure;
  const IntList &low = call.list(0), &high = call.list(1), &interior = call.list(2);
  ValueType result{operand.dtype, {}};
  for (size_t i = 0; i < low.size(); ++i) {
    if (low[i] < 0 || high[i] < 0 || interior[i] < 0)
      return call.error(ErrorKind::InvalidArgument, "expects padding of at least 0, but got low " + low.str() +
                                                        ", high " + high.str() + ", interior " + interior.str());
    int64_t extent = operand.shape[i], gaps = 0, step = 0; // of the slice that is the transpose
    if (__builtin_add_overflow(interior[i], 1, &step) ||
        __builtin_mul_overflow(std::max<int64_t>(extent - 1, 0), interior[i], &gaps) ||
        __builtin_add_overflow(extent, gaps, &extent) || __builtin_add_overflow(extent, low[i], &extent) ||
        __builtin_add_overflow(extent, high[i], &extent))
      return call.error(ErrorKind::InvalidArgument, "expects a shape of less than 2^62 bytes, but got low " +
                                                        low.str() + ", high " + high.str() + ", interior " +
                                                        interior.str());
    result.shape.push_back(extent);
  }
  return result;
}

Expected<ValueType> inferConcatenate(const RuleCall &call) {
  int64_t axis = call.integer(0);
  if (call.operands.empty())
    return call.error(ErrorKind::InvalidArgument, "expects at least one tensor");
  ValueType result = call.operand(0);
  Failure failure;
  if (!checkAxis(call, axis, result.shape.rank(), failure))
    return failure;
  int64_t extent = result.shape[axis];
  for (size_t i = 1; i < call.operands.size(); ++i) {
    const ValueType &operand = call.operand(i);
    if (operand.dtype != result.dtype)
      return call.dtypeError("expects tensors of one dtype", result.dtype, operand.dtype);
    if (operand.shape.rank() != result.shape.rank()) {
      failure = call.error(ErrorKind::RankMismatch, "expects tensors of one rank, but got " + result.shape.str() +
                                                        " and " + operand.shape.str());
      failure.shapes = {result.shape, operand.shape};
      return failure;
    }
    for (int64_t d = 0; d < operand.shape.rank(); ++d)
      if (d != axis && operand.shape[d] != result.shape[d])
        return call.shapeError("expects equal shapes apart from axis " + std::to_string(axis), call.operand(0).shape,
                               operand.shape);
    if (__builtin_add_overflow(extent, operand.shape[axis], &extent))
      return call.shapeError("expects a shape of less than 2^62 bytes", call.operand(0).shape, operand.shape);
  }
  result.shape[axis] = extent;
  return result;
}

Expected<ValueType> inferReverse(const RuleCall &call) {
  Failure failure;
  if (!checkAxes(call, call.list(0), call.operand(0).shape.rank(), failure))
    return failure;
  return call.operand(0);
}

Expected<ValueType> inferExtractDiag(const RuleCall &call) {
  ValueType result = call.operand(0);
  int64_t a = call.integer(0), b = call.integer(1);
  Failure failure;
  if (!checkAxes(call, {a, b}, result.shape.rank(), failure))
    return failure;
  result.shape[a] = std::min(result.shape[a], result.shape[b]);
  result.shape.erase(static_cast<size_t>(b));
  return result;
}

Expected<ValueType> inferEmbedDiag(const RuleCall &call) {
  ValueType result = call.operand(0);
  int64_t a = call.integer(0), b = call.integer(1);
  Failure failure;
  if (!checkAxes(call, {a, b}, result.shape.rank() + 1, failure))
    return failure;
  int64_t extent = result.shape[a > b ? a - 1 : a];
  result.shape.insert(static_cast<size_t>(b), extent);
  return result;
}

} // namespace tenferro::core
