// Creation and movement operations of a session.
#include "lib/Core/ShapeRules.h"
#include "lib/Eager/Surface/SessionCall.h"

#include <algorithm>

namespace tenferro {

using core::Attributes;
using core::OpKind;
using eager::appendList;
using eager::SessionCall;

EagerTensor EagerSession::constant(const Tensor &value, Where where) {
  return eager::constantLeaf(*runtime_, value, where);
}

EagerTensor EagerSession::iota(const Shape &shape, int64_t axis, DType dtype, Where where) {
  SessionCall call(*this, "iota", where);
  Attributes attributes;
  attributes.push_back(call.axis(axis, shape.rank()));
  appendList(attributes, shape);
  attributes.push_back(static_cast<int64_t>(dtype));
  return call.apply(OpKind::Iota, {}, attributes);
}

/// `shape` with its -1 replaced by what is left of the elements.
static Shape inferExtent(const SessionCall &call, const EagerTensor &x, const Shape &shape) {
  Shape inferred = shape;
  int64_t open = -1, known = 1;
  for (int64_t axis = 0; axis < shape.rank(); ++axis) {
    int64_t extent = shape[static_cast<size_t>(axis)];
    if (extent == -1 && open < 0) {
      open = axis;
    } else if (extent < 0) {
      call.fail(ErrorKind::InvalidArgument, "shape",
                "expects extents of at least 0 and at most one -1, but got " + shape.str(), {&x});
    } else if (__builtin_mul_overflow(known, extent, &known)) {
      call.fail(ErrorKind::InvalidArgument, "shape",
                "expects extents whose product fits in memory, but got " + shape.str(), {&x});
    }
  }
  if (open < 0)
    return inferred;
  int64_t count = x.shape().elementCount();
  if (known == 0 || count % known != 0)
    call.fail(ErrorKind::ElementCount, "shape",
              "expects a shape of " + std::to_string(count) + " elements, but no extent in place of -1 makes " +
                  shape.str() + " one",
              {&x});
  inferred[static_cast<size_t>(open)] = count / known;
  return inferred;
}

EagerTensor EagerSession::reshape(const EagerTensor &x, const Shape &shape, Where where) {
  SessionCall call(*this, "reshape", where, {&x});
  Attributes attributes;
  appendList(attributes, inferExtent(call, x, shape));
  return call.apply(OpKind::Reshape, {&x}, attributes);
}

EagerTensor EagerSession::transpose(const EagerTensor &x, const IntList &permutation, Where where) {
  SessionCall call(*this, "transpose", where, {&x});
  if (static_cast<int64_t>(permutation.size()) != x.rank())
    call.fail(ErrorKind::InvalidPermutation, "permutation",
              "expects a permutation of [0, " + std::to_string(x.rank()) + "), but got " + permutation.str(), {&x});
  IntList normalized;
  for (int64_t axis : permutation)
    normalized.push_back(call.axis(axis, x.rank()));
  Attributes attributes;
  appendList(attributes, normalized);
  return call.apply(OpKind::Transpose, {&x}, attributes);
}

EagerTensor EagerSession::transpose(const EagerTensor &x, Where where) {
  SessionCall(*this, "transpose", where, {&x});
  IntList permutation;
  for (int64_t axis = x.rank(); axis-- > 0;)
    permutation.push_back(axis);
  return transpose(x, permutation, where);
}

EagerTensor EagerSession::broadcastTo(const EagerTensor &x, const Shape &shape, Where where) {
  SessionCall call(*this, "broadcast_to", where, {&x});
  bool repeats = x.rank() <= shape.rank();
  for (int64_t back = 1; repeats && back <= x.rank(); ++back) {
    int64_t extent = x.shape()[static_cast<size_t>(x.rank() - back)];
    repeats = extent == 1 || extent == shape[static_cast<size_t>(shape.rank() - back)];
  }
  if (!repeats)
    call.fail(ErrorKind::ShapeMismatch, "shape",
              "expects a shape that " + x.shape().str() + " repeats to, but got " + shape.str(), {&x});
  return call.broadcast(x, shape);
}

EagerTensor EagerSession::broadcastInDim(const EagerTensor &x, const Shape &shape, const IntList &dims, Where where) {
  SessionCall call(*this, "broadcast_in_dim", where, {&x});
  if (static_cast<int64_t>(dims.size()) != x.rank())
    call.fail(ErrorKind::RankMismatch, "dims",
              "expects one result axis for each of " + std::to_string(x.rank()) + " axes, but got " + dims.str(), {&x});
  IntList normalized;
  for (int64_t axis : dims)
    normalized.push_back(call.axis(axis, shape.rank()));
  Attributes attributes;
  appendList(attributes, normalized);
  appendList(attributes, shape);
  return call.apply(OpKind::BroadcastInDim, {&x}, attributes);
}

static EagerTensor sliceOf(const SessionCall &call, const EagerTensor &x, const IntList &starts, const IntList &limits,
                           const IntList &strides) {
  // A stride that leaves the extent after its first element takes that element alone, as the extent itself does: no
  // number in a program is larger than a tensor.
  IntList steps = strides;
  for (size_t axis = 0; axis < std::min({steps.size(), starts.size(), limits.size()}); ++axis)
    if (starts[axis] >= 0 && limits[axis] >= starts[axis])
      steps[axis] = std::min(steps[axis], std::max<int64_t>(limits[axis] - starts[axis], 1));
  Attributes attributes;
  appendList(attributes, starts);
  appendList(attributes, limits);
  appendList(attributes, steps);
  return call.apply(OpKind::Slice, {&x}, attributes);
}

EagerTensor EagerSession::slice(const EagerTensor &x, const IntList &starts, const IntList &limits,
                                const IntList &strides, Where where) {
  return sliceOf(SessionCall(*this, "slice", where), x, starts, limits, strides);
}

EagerTensor EagerSession::pad(const EagerTensor &x, const IntList &low, const IntList &high, const IntList &interior,
                              Where where) {
  SessionCall call(*this, "pad", where, {&x});
  // Negative amounts crop: what is left after the interior padding is sliced.
  auto positive = [](const IntList &amounts) {
    IntList result = amounts;
    for (int64_t &amount : result)
      amount = std::max<int64_t>(amount, 0);
    return result;
  };
  // Between fewer than two elements nothing is put, however much that is.
  IntList between = interior;
  for (size_t axis = 0; axis < std::min(between.size(), x.shape().size()); ++axis)
    if (x.shape()[axis] < 2)
      between[axis] = std::min<int64_t>(between[axis], 0);
  IntList padLow = positive(low), padHigh = positive(high);
  Attributes attributes;
  appendList(attributes, padLow);
  appendList(attributes, padHigh);
  appendList(attributes, between);
  EagerTensor padded = call.apply(OpKind::Pad, {&x}, attributes);
  if (padLow == low && padHigh == high)
    return padded;
  IntList starts, limits;
  for (size_t axis = 0; axis < low.size(); ++axis) {
    // -(amount + 1) does not overflow at the most negative amount; the crop is one more.
    int64_t extent = padded.shape()[axis];
    int64_t before = low[axis] < 0 ? std::min(-(low[axis] + 1), extent) + 1 : 0;
    int64_t after = high[axis] < 0 ? std::min(-(high[axis] + 1), extent) + 1 : 0;
    if (before + after > extent)
      call.fail(ErrorKind::InvalidArgument, low[axis] < 0 ? "low" : "high",
                "expects to crop at most the extent " + std::to_string(extent) + " of axis " + std::to_string(axis) +
                    ", but got low " + low.str() + " and high " + high.str(),
                {&x});
    starts.push_back(before);
    limits.push_back(extent - after);
  }
  return sliceOf(call, padded, starts, limits, IntList(low.size(), 1));
}

} // namespace tenferro
