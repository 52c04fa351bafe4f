// Axes: from the user's spelling to [0, rank), and the checks on them.
#include "lib/Core/ShapeRules.h"
#include "lib/Core/ShapeRules/Rules.h"

namespace tenferro::core {

static Failure outOfRange(std::string_view op, int64_t axis, int64_t low, int64_t rank) {
  Failure failure = fail(ErrorKind::AxisOutOfRange, op,
                         "expects axes in [" + std::to_string(low) + ", " + std::to_string(rank) + "), but got " +
                             std::to_string(axis));
  failure.axes = {axis};
  return failure;
}

static Failure duplicate(std::string_view op, const IntList &axes, int64_t axis) {
  Failure failure = fail(ErrorKind::DuplicateAxis, op, "expects distinct axes, but got " + axes.str());
  failure.axes = {axis};
  return failure;
}

bool checkAxis(const RuleCall &call, int64_t axis, int64_t rank, Failure &failure) {
  if (axis >= 0 && axis < rank)
    return true;
  failure = outOfRange(call.name(), axis, 0, rank);
  return false;
}

bool checkAxes(const RuleCall &call, const IntList &axes, int64_t rank, Failure &failure) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!checkAxis(call, axes[i], rank, failure))
      return false;
    if (std::find(axes.begin(), axes.begin() + i, axes[i]) != axes.begin() + i) {
      failure = duplicate(call.name(), axes, axes[i]);
      return false;
    }
  }
  return true;
}

Expected<int64_t> normalizeAxis(std::string_view op, int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return outOfRange(op, axis, -rank, rank);
  return axis < 0 ? axis + rank : axis;
}

Expected<IntList> normalizeAxes(std::string_view op, const IntList *axes, int64_t rank) {
  IntList result;
  if (!axes) {
    for (int64_t axis = 0; axis < rank; ++axis)
      result.push_back(axis);
    return result;
  }
  for (int64_t axis : *axes) {
    Expected<int64_t> normal = normalizeAxis(op, axis, rank);
    if (!normal)
      return normal.failure();
    if (std::find(result.begin(), result.end(), *normal) != result.end())
      return duplicate(op, *axes, *normal);
    result.push_back(*normal);
  }
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace tenferro::core
