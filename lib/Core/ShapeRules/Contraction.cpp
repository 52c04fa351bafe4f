// Shape and dtype rule of dot_general.
#include "lib/Core/ShapeRules/Rules.h"

namespace tenferro::core {

namespace {

/// Contracting and batch axes of one side: in range, and no axis twice.
bool checkSide(const RuleCall &call, const Shape &shape, const IntList &contracting, const IntList &batch,
               Failure &failure) {
  IntList all = contracting;
  for (int64_t axis : batch)
    all.push_back(axis);
  return checkAxes(call, all, shape.rank(), failure);
}

bool checkPairs(const RuleCall &call, std::string_view what, const IntList &lhs, const IntList &rhs, Failure &failure) {
  const Shape &a = call.operand(0).shape, &b = call.operand(1).shape;
  for (size_t i = 0; i < lhs.size(); ++i) {
    if (a[lhs[i]] == b[rhs[i]])
      continue;
    failure = call.shapeError("expects equal extents along " + std::string(what) + " axes " + std::to_string(lhs[i]) +
                                  " and " + std::to_string(rhs[i]),
                              a, b);
    failure.axes = {lhs[i], rhs[i]};
    return false;
  }
  return true;
}

void appendFree(const Shape &shape, const IntList &contracting, const IntList &batch, Shape &result) {
  auto has = [](const IntList &axes, int64_t axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); };
  for (int64_t i = 0; i < shape.rank(); ++i)
    if (!has(contracting, i) && !has(batch, i))
      result.push_back(shape[i]);
}

} // namespace

Expected<ValueType> inferDotGeneral(const RuleCall &call) {
  const ValueType &a = call.operand(0), &b = call.operand(1);
  const IntList &lhsContracting = call.list(0), &rhsContracting = call.list(1);
  const IntList &lhsBatch = call.list(2), &rhsBatch = call.list(3);
  if (a.dtype == DType::Bool)
    return call.dtypeError("expects numbers", DType::Bool);
  if (a.dtype != b.dtype)
    return call.dtypeError("expects equal dtypes", a.dtype, b.dtype);
  if (lhsContracting.size() != rhsContracting.size() || lhsBatch.size() != rhsBatch.size()) {
    bool contracting = lhsContracting.size() != rhsContracting.size();
    const IntList &lhs = contracting ? lhsContracting : lhsBatch, &rhs = contracting ? rhsContracting : rhsBatch;
    return call.error(ErrorKind::RankMismatch, std::string("expects as many ") +
                                                   (contracting ? "contracting" : "batch") +
                                                   " axes on both sides, but got " + lhs.str() + " and " + rhs.str());
  }
  Failure failure;
  if (!checkSide(call, a.shape, lhsContracting, lhsBatch, failure) ||
      !checkSide(call, b.shape, rhsContracting, rhsBatch, failure) ||
      !checkPairs(call, "contracting", lhsContracting, rhsContracting, failure) ||
      !checkPairs(call, "batch", lhsBatch, rhsBatch, failure))
    return failure;
  ValueType result{a.dtype, {}};
  appendFree(a.shape, lhsContracting, lhsBatch, result.shape);
  appendFree(b.shape, rhsContracting, rhsBatch, result.shape);
  for (int64_t axis : lhsBatch)
    result.shape.push_back(a.shape[axis]);
  return result;
}

} // namespace tenferro::core
