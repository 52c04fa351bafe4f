// Joining, splitting and repeating tensors, and axes of extent 1.
#include "lib/Core/ShapeRules.h"
#include "lib/Eager/Surface/SessionCall.h"

#include <algorithm>

namespace tenferro {

using core::Attributes;
using core::OpKind;
using eager::appendList;
using eager::SessionCall;

EagerTensor eager::SessionCall::part(const EagerTensor &x, int64_t axis, int64_t start, int64_t limit) const {
  IntList starts(x.shape().size(), 0), limits = x.shape();
  starts[static_cast<size_t>(axis)] = start;
  limits[static_cast<size_t>(axis)] = limit;
  Attributes attributes;
  appendList(attributes, starts);
  appendList(attributes, limits);
  appendList(attributes, IntList(x.shape().size(), 1));
  return apply(OpKind::Slice, {&x}, attributes);
}

EagerTensor eager::SessionCall::join(const std::vector<EagerTensor> &tensors, int64_t axis) const {
  std::vector<const EagerTensor *> operands;
  for (const EagerTensor &tensor : tensors)
    operands.push_back(&tensor);
  return apply(OpKind::Concatenate, std::span<const EagerTensor *const>(operands), {axis});
}

/// The tensors in the dtype they promote to.
static std::vector<EagerTensor> promoteAll(const SessionCall &call, const std::vector<EagerTensor> &tensors) {
  if (tensors.empty())
    call.fail(ErrorKind::InvalidArgument, "tensors", "expects at least one tensor");
  for (const EagerTensor &tensor : tensors)
    call.requireTensor(tensor);
  DType dtype = tensors.front().dtype();
  for (const EagerTensor &tensor : tensors)
    dtype = core::promote(dtype, tensor.dtype());
  std::vector<EagerTensor> promoted;
  promoted.reserve(tensors.size());
  for (const EagerTensor &tensor : tensors)
    promoted.push_back(call.promote(tensor, dtype));
  return promoted;
}

EagerTensor EagerSession::concatenate(const std::vector<EagerTensor> &tensors, int64_t axis, Where where) {
  SessionCall call(*this, "concatenate", where);
  std::vector<EagerTensor> promoted = promoteAll(call, tensors);
  return call.join(promoted, call.axis(axis, promoted.front().rank()));
}

EagerTensor EagerSession::stack(const std::vector<EagerTensor> &tensors, int64_t axis, Where where) {
  SessionCall call(*this, "stack", where);
  std::vector<EagerTensor> promoted = promoteAll(call, tensors);
  const Shape shape = promoted.front().shape();
  for (const EagerTensor &tensor : promoted)
    if (!(tensor.shape() == shape))
      call.fail(ErrorKind::ShapeMismatch, "tensors",
                "expects tensors of one shape, but got " + shape.str() + " and " + tensor.shape().str(),
                {&promoted.front(), &tensor});
  int64_t place = call.axis(axis, shape.rank() + 1);
  Shape unit = shape;
  unit.insert(static_cast<size_t>(place), 1);
  for (EagerTensor &tensor : promoted)
    tensor = call.reshape(tensor, unit);
  return call.join(promoted, place);
}

std::vector<EagerTensor> EagerSession::split(const EagerTensor &x, const IntList &sizes, int64_t axis, Where where) {
  SessionCall call(*this, "split", where, {&x});
  int64_t along = call.axis(axis, x.rank()), extent = x.shape()[static_cast<size_t>(along)], total = 0;
  for (int64_t size : sizes) {
    if (size < 0)
      call.fail(ErrorKind::InvalidArgument, "sizes", "expects sizes of at least 0, but got " + sizes.str(), {&x});
    if (size > extent - total)
      total = extent + 1;
    else
      total += size;
    if (total > extent)
      break;
  }
  if (total != extent)
    call.fail(ErrorKind::ShapeMismatch, "sizes",
              "expects sizes that add up to " + std::to_string(extent) + ", but got " + sizes.str(), {&x});
  std::vector<EagerTensor> parts;
  int64_t start = 0;
  for (int64_t size : sizes) {
    parts.push_back(call.part(x, along, start, start + size));
    start += size;
  }
  return parts;
}

EagerTensor EagerSession::reverse(const EagerTensor &x, const Axes &axes, Where where) {
  SessionCall call(*this, "reverse", where, {&x});
  Attributes attributes;
  appendList(attributes, call.axes(axes, x.rank()));
  return call.apply(OpKind::Reverse, {&x}, attributes);
}

/// Every axis beside one along which it repeats, before (each element in turn) or after it (the whole axis in turn).
static EagerTensor repeated(const SessionCall &call, const EagerTensor &x, const IntList &counts, bool elements) {
  Shape wide, merged;
  IntList dims;
  for (size_t axis = 0; axis < counts.size(); ++axis) {
    int64_t extent = x.shape()[axis], count = counts[axis];
    dims.push_back(static_cast<int64_t>(2 * axis + (elements ? 1 : 0)));
    wide.push_back(elements ? count : extent);
    wide.push_back(elements ? extent : count);
    int64_t product = 0;
    if (__builtin_mul_overflow(extent, count, &product))
      call.fail(ErrorKind::InvalidArgument, "", "expects a shape of less than 2^62 bytes, but got " + counts.str(),
                {&x});
    merged.push_back(product);
  }
  Attributes attributes;
  appendList(attributes, dims);
  appendList(attributes, wide);
  return call.reshape(call.apply(OpKind::BroadcastInDim, {&x}, attributes), merged);
}

EagerTensor EagerSession::tile(const EagerTensor &x, const IntList &reps, Where where) {
  SessionCall call(*this, "tile", where, {&x});
  for (int64_t count : reps)
    if (count < 0)
      call.fail(ErrorKind::InvalidArgument, "reps", "expects counts of at least 0, but got " + reps.str(), {&x});
  IntList counts = reps;
  Shape shape = x.shape();
  while (counts.size() < shape.size())
    counts.insert(0, 1);
  while (shape.size() < counts.size())
    shape.insert(0, 1);
  return repeated(call, call.reshape(x, shape), counts, /*elements=*/false);
}

EagerTensor EagerSession::repeat(const EagerTensor &x, int64_t repeats, int64_t axis, Where where) {
  SessionCall call(*this, "repeat", where, {&x});
  int64_t along = call.axis(axis, x.rank());
  if (repeats < 0)
    call.fail(ErrorKind::InvalidArgument, "repeats",
              "expects a count of at least 0, but got " + std::to_string(repeats), {&x});
  IntList counts(x.shape().size(), 1);
  counts[static_cast<size_t>(along)] = repeats;
  return repeated(call, x, counts, /*elements=*/true);
}

EagerTensor EagerSession::roll(const EagerTensor &x, const IntList &shifts, const IntList &axes, Where where) {
  SessionCall call(*this, "roll", where, {&x});
  if (shifts.size() != axes.size())
    call.fail(ErrorKind::InvalidArgument, "shifts",
              "expects as many shifts as axes, but got " + shifts.str() + " and " + axes.str(), {&x});
  EagerTensor result = x;
  for (size_t k = 0; k < axes.size(); ++k) {
    int64_t axis = call.axis(axes[k], x.rank()), extent = x.shape()[static_cast<size_t>(axis)];
    int64_t shift = extent ? (shifts[k] % extent + extent) % extent : 0;
    if (shift)
      result = call.join({call.part(result, axis, extent - shift, extent), call.part(result, axis, 0, extent - shift)},
                         axis);
  }
  return result;
}

EagerTensor EagerSession::squeeze(const EagerTensor &x, const Axes &axes, Where where) {
  SessionCall call(*this, "squeeze", where, {&x});
  IntList dropped = call.axes(axes, x.rank());
  Shape shape;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    int64_t extent = x.shape()[static_cast<size_t>(axis)];
    bool isNamed = std::find(dropped.begin(), dropped.end(), axis) != dropped.end();
    if (isNamed && extent != 1 && !axes.all())
      call.fail(ErrorKind::InvalidArgument, "axes",
                "expects axes of extent 1, but axis " + std::to_string(axis) + " of " + x.shape().str() + " is not",
                {&x});
    if (!isNamed || extent != 1)
      shape.push_back(extent);
  }
  return call.reshape(x, shape);
}

EagerTensor EagerSession::expandDims(const EagerTensor &x, const IntList &axes, Where where) {
  SessionCall call(*this, "expand_dims", where, {&x});
  Shape shape = x.shape();
  for (int64_t axis : call.axes(Axes(axes), x.rank() + static_cast<int64_t>(axes.size()))) // ascending
    shape.insert(static_cast<size_t>(axis), 1);
  return call.reshape(x, shape);
}

} // namespace tenferro
