// Shape and dtype rules of reading and writing by index.
#include "tenferro/Indexing.h"
#include "lib/Core/ShapeRules/Rules.h"

#include <algorithm>

namespace tenferro::core {

namespace {

/// Integers are indices; bool is not.
bool checkIndices(const RuleCall &call, const ValueType &indices, Failure &failure) {
  if (isInteger(indices.dtype))
    return true;
  failure = call.dtypeError("expects integer indices", indices.dtype);
  return false;
}

/// What gather and scatter share: `whole` is the tensor of the windows, `picked` has their elements, window by window.
struct WindowRule {
  const RuleCall &call;
  const ValueType &whole, &indices;
  size_t window, fixed, map, vectorDim, mode; ///< numbers of the attributes

  /// "offset_dims" or what the operation calls it.
  std::string name(size_t attribute) const { return std::string(call.op.attributes[attribute].name); }

  Failure listError(ErrorKind kind, const std::string &rule, size_t attribute) const {
    Failure failure = call.error(kind, "expects " + rule + ", but got " + call.list(attribute).str());
    failure.shapes = {whole.shape, indices.shape};
    return failure;
  }

  bool checkAscending(size_t attribute, int64_t rank, Failure &failure) const {
    const IntList &axes = call.list(attribute);
    if (!checkAxes(call, axes, rank, failure))
      return false;
    if (std::is_sorted(axes.begin(), axes.end()))
      return true;
    failure = listError(ErrorKind::InvalidArgument, "ascending " + name(attribute), attribute);
    return false;
  }

  int64_t batchRank() const { return indices.shape.rank() - (call.integer(vectorDim) < indices.shape.rank() ? 1 : 0); }

  bool check(Failure &failure) const {
    int64_t rank = whole.shape.rank(), vector = call.integer(vectorDim), indexRank = indices.shape.rank();
    const IntList &axes = call.list(map);
    if (!checkIndices(call, indices, failure) || !checkAxis(call, vector, indexRank + 1, failure) ||
        !checkAscending(fixed, rank, failure) || !checkAxes(call, axes, rank, failure))
      return false;
    int64_t length = vector < indexRank ? indices.shape[vector] : 1;
    if (static_cast<int64_t>(axes.size()) != length) {
      failure = listError(ErrorKind::ShapeMismatch,
                          name(map) + " with an entry for each of " + std::to_string(length) + " components", map);
      return false;
    }
    if (static_cast<int64_t>(call.list(window).size() + call.list(fixed).size()) != rank) {
      failure = listError(
          ErrorKind::RankMismatch,
          name(window) + " and " + name(fixed) + " to name each of " + std::to_string(rank) + " axes once", window);
      return false;
    }
    if (call.integer(mode) < 0 || call.integer(mode) > static_cast<int64_t>(IndexMode::Fill)) {
      failure = call.error(ErrorKind::InvalidArgument, "expects a mode of error, clip or fill");
      return false;
    }
    return checkAscending(window, batchRank() + static_cast<int64_t>(call.list(window).size()), failure);
  }

  bool isFixed(int64_t axis) const {
    const IntList &axes = call.list(fixed);
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  }

  /// The shape of what is picked: the window's extents at its axes, those of the indices elsewhere, in order.
  Shape picked(const IntList &sizes) const {
    const IntList &axes = call.list(window);
    int64_t rank = batchRank() + static_cast<int64_t>(axes.size()), next = 0, batch = 0;
    Shape shape;
    for (int64_t d = 0; d < rank; ++d) {
      if (std::find(axes.begin(), axes.end(), d) != axes.end()) {
        while (isFixed(next))
          ++next;
        shape.push_back(sizes[next++]);
        continue;
      }
      if (batch == call.integer(vectorDim))
        ++batch;
      shape.push_back(indices.shape[batch++]);
    }
    return shape;
  }
};

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

Expected<ValueType> inferGather(const RuleCall &call) {
  WindowRule rule{call, call.operand(0), call.operand(1), 0, 1, 2, 3, 5};
  Failure failure;
  if (!rule.check(failure))
    return failure;
  const Shape &shape = rule.whole.shape;
  const IntList &sizes = call.list(4);
  if (sizes.size() != shape.size())
    return rule.listError(ErrorKind::RankMismatch, "slice_sizes with one entry per axis of " + shape.str(), 4);
  for (int64_t axis = 0; axis < shape.rank(); ++axis) {
    if (rule.isFixed(axis) && sizes[axis] != 1)
      return rule.listError(ErrorKind::InvalidArgument, "slice_sizes of 1 at collapsed axes", 4);
    if (!rule.isFixed(axis) && (sizes[axis] < 0 || sizes[axis] > shape[axis])) {
      failure = rule.listError(ErrorKind::SliceBounds, "slice_sizes in [0, extent] of " + shape.str(), 4);
      failure.axes = {axis};
      return failure;
    }
  }
  return ValueType{rule.whole.dtype, rule.picked(sizes)};
}

/// The rule of scatter and its relatives, but for dtypes: the updates' axes are at attribute 1 and after.
static WindowRule scatterRule(const RuleCall &call) { return {call, call.operand(0), call.operand(1), 1, 2, 3, 4, 5}; }

static Expected<ValueType> inferUpdated(const WindowRule &rule) {
  const RuleCall &call = rule.call;
  const ValueType &updates = call.operand(2);
  Failure failure;
  if (!rule.check(failure))
    return failure;
  const IntList &window = call.list(1);
  if (updates.shape.rank() != rule.batchRank() + static_cast<int64_t>(window.size())) {
    failure =
        call.error(ErrorKind::RankMismatch,
                   "expects updates with the axes of the windows and of the indices, but got " + updates.shape.str());
    failure.shapes = {updates.shape, rule.indices.shape};
    return failure;
  }
  IntList sizes;
  for (int64_t axis = 0, k = 0; axis < rule.whole.shape.rank(); ++axis) {
    sizes.push_back(rule.isFixed(axis) ? 1 : updates.shape[window[k++]]);
    if (sizes[axis] > rule.whole.shape[axis] && !rule.isFixed(axis))
      return call.shapeError("expects windows no larger than the operand", updates.shape, rule.whole.shape);
  }
  Shape expected = rule.picked(sizes);
  if (!(expected == updates.shape))
    return call.shapeError("expects updates of " + expected.str(), updates.shape, rule.indices.shape);
  return rule.whole;
}

Expected<ValueType> inferScatter(const RuleCall &call) {
  const ValueType &whole = call.operand(0), &updates = call.operand(2);
  auto update = static_cast<ScatterUpdate>(call.integer(0));
  if (call.integer(0) < 0 || update > ScatterUpdate::Set)
    return call.error(ErrorKind::InvalidArgument, "expects an update of add, mul, max, min or set");
  if (updates.dtype != whole.dtype)
    return call.dtypeError("expects updates of the operand's dtype", whole.dtype, updates.dtype);
  if (update != ScatterUpdate::Set && updates.dtype == DType::Bool)
    return call.dtypeError("expects numbers", updates.dtype);
  if (isComplex(updates.dtype) && (update == ScatterUpdate::Max || update == ScatterUpdate::Min))
    return call.dtypeError("expects ordered numbers", updates.dtype);
  return inferUpdated(scatterRule(call));
}

Expected<ValueType> inferScatterPrefix(const RuleCall &call) {
  const ValueType &whole = call.operand(0), &factors = call.operand(2), &addends = call.operand(3);
  if (call.integer(0) != 0 && call.integer(0) != 1)
    return call.error(ErrorKind::InvalidArgument, "expects the order forward or reverse");
  if (factors.dtype != whole.dtype || addends.dtype != whole.dtype)
    return call.dtypeError("expects factors and addends of the operand's dtype", whole.dtype,
                           factors.dtype != whole.dtype ? factors.dtype : addends.dtype);
  if (whole.dtype == DType::Bool)
    return call.dtypeError("expects numbers", whole.dtype);
  if (!(factors.shape == addends.shape))
    return call.shapeError("expects factors and addends of one shape", factors.shape, addends.shape);
  Expected<ValueType> updated = inferUpdated(scatterRule(call));
  return updated ? Expected<ValueType>(factors) : updated;
}

} // namespace tenferro::core
