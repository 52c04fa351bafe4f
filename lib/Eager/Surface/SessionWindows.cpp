// Windows and elements by computed indices: gather, scatter and what is made of them.
#include "lib/Core/ShapeRules.h"
#include "lib/Eager/Surface/SessionCall.h"

namespace tenferro {

using core::Attributes;
using core::OpKind;
using eager::appendList;
using eager::SessionCall;

namespace {

EagerTensor gatherOf(const SessionCall &call, const EagerTensor &x, const EagerTensor &indices,
                     const GatherDimensions &dims, const IntList &sizes, IndexMode mode) {
  Attributes attributes;
  appendList(attributes, dims.offsetDims);
  appendList(attributes, dims.collapsedSliceDims);
  appendList(attributes, dims.startIndexMap);
  attributes.push_back(dims.indexVectorDim);
  appendList(attributes, sizes);
  attributes.push_back(static_cast<int64_t>(mode));
  return call.apply(OpKind::Gather, {&x, &indices}, attributes);
}

EagerTensor scatterOf(const SessionCall &call, const EagerTensor &x, const EagerTensor &indices,
                      const EagerTensor &updates, const ScatterDimensions &dims, ScatterUpdate update, IndexMode mode) {
  Attributes attributes{static_cast<int64_t>(update)};
  appendList(attributes, dims.updateWindowDims);
  appendList(attributes, dims.insertedWindowDims);
  appendList(attributes, dims.scatterDimsToOperandDims);
  attributes.push_back(dims.indexVectorDim);
  attributes.push_back(static_cast<int64_t>(mode));
  return call.apply(OpKind::Scatter, {&x, &indices, &updates}, attributes);
}

IntList allAxes(int64_t rank) {
  IntList axes;
  for (int64_t axis = 0; axis < rank; ++axis)
    axes.push_back(axis);
  return axes;
}

void requireIndices(const SessionCall &call, const EagerTensor &indices) {
  if (!isInteger(indices.dtype()))
    call.fail(ErrorKind::DTypeMismatch, "indices",
              "expects integer indices, but got " + std::string(name(indices.dtype())), {&indices});
}

EagerTensor iota(const SessionCall &call, const Shape &shape, int64_t axis) {
  Attributes attributes{axis};
  appendList(attributes, shape);
  attributes.push_back(static_cast<int64_t>(DType::I64));
  return call.apply(OpKind::Iota, {}, attributes);
}

/// A start per axis as one index vector.
EagerTensor startVector(const SessionCall &call, const EagerTensor &x, const std::vector<EagerTensor> &starts) {
  if (static_cast<int64_t>(starts.size()) != x.rank())
    call.fail(ErrorKind::RankMismatch, "starts",
              "expects a start for each axis of " + x.shape().str() + ", but got " + std::to_string(starts.size()),
              {&x});
  if (starts.empty())
    return iota(call, {0}, 0);
  std::vector<EagerTensor> components;
  for (const EagerTensor &start : starts) {
    call.requireTensor(start);
    requireIndices(call, start);
    if (start.rank() != 0)
      call.fail(ErrorKind::RankMismatch, "starts", "expects scalars, but got " + start.shape().str(), {&start});
    components.push_back(call.reshape(call.promote(start, DType::I64), {1}));
  }
  return call.join(components, 0);
}

/// The position of every element of `indices` in full: its own coordinates, but the index along `axis`. The components
/// are the last axis.
EagerTensor positions(const SessionCall &call, const EagerTensor &indices, int64_t axis) {
  Shape unit = indices.shape();
  unit.push_back(1);
  std::vector<EagerTensor> components;
  for (int64_t d = 0; d < indices.rank(); ++d)
    components.push_back(
        call.reshape(d == axis ? call.promote(indices, DType::I64) : iota(call, indices.shape(), d), unit));
  return call.join(components, indices.rank());
}

void requireRank(const SessionCall &call, const EagerTensor &x, const EagerTensor &indices) {
  if (indices.rank() != x.rank())
    call.fail(ErrorKind::RankMismatch, "indices",
              "expects indices of the rank of " + x.shape().str() + ", but got " + indices.shape().str(),
              {&x, &indices});
}

} // namespace

EagerTensor EagerSession::gather(const EagerTensor &x, const EagerTensor &indices, const GatherDimensions &dims,
                                 const IntList &sliceSizes, IndexMode mode, Where where) {
  return gatherOf(SessionCall(*this, "gather", where, {&x, &indices}), x, indices, dims, sliceSizes, mode);
}

EagerTensor EagerSession::scatter(const EagerTensor &x, const EagerTensor &indices, const EagerTensor &updates,
                                  const ScatterDimensions &dims, ScatterUpdate update, IndexMode mode, Where where) {
  return scatterOf(SessionCall(*this, "scatter", where, {&x, &indices, &updates}), x, indices, updates, dims, update,
                   mode);
}

EagerTensor EagerSession::dynamicSlice(const EagerTensor &x, const std::vector<EagerTensor> &starts,
                                       const IntList &sizes, IndexMode mode, Where where) {
  SessionCall call(*this, "dynamic_slice", where, {&x});
  EagerTensor start = startVector(call, x, starts);
  return gatherOf(call, x, start, {allAxes(x.rank()), {}, allAxes(x.rank()), 0}, sizes, mode);
}

EagerTensor EagerSession::dynamicUpdateSlice(const EagerTensor &x, const EagerTensor &update,
                                             const std::vector<EagerTensor> &starts, IndexMode mode, Where where) {
  SessionCall call(*this, "dynamic_update_slice", where, {&x, &update});
  if (update.rank() != x.rank())
    call.fail(ErrorKind::RankMismatch, "update",
              "expects an update of the rank of " + x.shape().str() + ", but got " + update.shape().str(),
              {&x, &update});
  for (int64_t axis = 0; axis < x.rank(); ++axis)
    if (update.shape()[static_cast<size_t>(axis)] > x.shape()[static_cast<size_t>(axis)])
      call.fail(ErrorKind::SliceBounds, "update",
                "expects an update no larger than " + x.shape().str() + ", but got " + update.shape().str(),
                {&x, &update});
  EagerTensor start = startVector(call, x, starts);
  return scatterOf(call, x, start, update, {allAxes(x.rank()), {}, allAxes(x.rank()), 0}, ScatterUpdate::Set, mode);
}

EagerTensor EagerSession::takeAlongAxis(const EagerTensor &x, const EagerTensor &indices, int64_t axis, Where where) {
  SessionCall call(*this, "take_along_axis", where, {&x, &indices});
  int64_t along = call.axis(axis, x.rank());
  requireIndices(call, indices);
  requireRank(call, x, indices);
  Shape from = x.shape(), at = indices.shape();
  from[static_cast<size_t>(along)] = at[static_cast<size_t>(along)] = 1;
  Shape picked = call.check(core::broadcastShapes("take_along_axis", from, at)), whole = picked;
  whole[static_cast<size_t>(along)] = x.shape()[static_cast<size_t>(along)];
  picked[static_cast<size_t>(along)] = indices.shape()[static_cast<size_t>(along)];
  EagerTensor places = positions(call, call.broadcast(indices, picked), along);
  int64_t rank = x.rank();
  return gatherOf(call, call.broadcast(x, whole), places, {{}, allAxes(rank), allAxes(rank), rank},
                  IntList(static_cast<size_t>(rank), 1), IndexMode::Error);
}

EagerTensor EagerSession::scatterAlongAxis(const EagerTensor &x, const EagerTensor &indices, const EagerTensor &updates,
                                           int64_t axis, ScatterUpdate update, Where where) {
  SessionCall call(*this, "scatter_along_axis", where, {&x, &indices, &updates});
  int64_t along = call.axis(axis, x.rank()), rank = x.rank();
  requireIndices(call, indices);
  requireRank(call, x, indices);
  bool fits = indices.shape() == updates.shape();
  for (int64_t d = 0; d < rank; ++d)
    fits &= d == along || indices.shape()[static_cast<size_t>(d)] <= x.shape()[static_cast<size_t>(d)];
  if (!fits)
    call.fail(ErrorKind::ShapeMismatch, "indices",
              "expects indices and updates of one shape, no longer than " + x.shape().str() +
                  " along other axes, but got " + indices.shape().str() + " and " + updates.shape().str(),
              {&indices, &updates});
  return scatterOf(call, x, positions(call, indices, along), updates, {{}, allAxes(rank), allAxes(rank), rank}, update,
                   IndexMode::Error);
}

} // namespace tenferro
