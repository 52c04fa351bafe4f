// Reductions of a session.
#include "lib/Eager/Surface/SessionCall.h"

namespace tenferro {

using core::OpKind;
using eager::SessionCall;

static EagerTensor reduce(EagerSession &session, std::string_view op, OpKind kind, const EagerTensor &x,
                          const Axes &axes, bool keepDims, const std::source_location &where) {
  SessionCall call(session, op, where, {&x});
  return call.reduce(kind, x, call.axes(axes, x.rank()), keepDims);
}

EagerTensor EagerSession::sum(const EagerTensor &x, const Axes &axes, bool keepDims, Where where) {
  return reduce(*this, "sum", OpKind::Sum, x, axes, keepDims, where);
}
EagerTensor EagerSession::prod(const EagerTensor &x, const Axes &axes, bool keepDims, Where where) {
  return reduce(*this, "prod", OpKind::Prod, x, axes, keepDims, where);
}
EagerTensor EagerSession::max(const EagerTensor &x, const Axes &axes, bool keepDims, Where where) {
  return reduce(*this, "max", OpKind::Max, x, axes, keepDims, where);
}
EagerTensor EagerSession::min(const EagerTensor &x, const Axes &axes, bool keepDims, Where where) {
  return reduce(*this, "min", OpKind::Min, x, axes, keepDims, where);
}

EagerTensor EagerSession::any(const EagerTensor &x, const Axes &axes, bool keepDims, Where where) {
  return reduce(*this, "any", OpKind::Any, x, axes, keepDims, where);
}
EagerTensor EagerSession::all(const EagerTensor &x, const Axes &axes, bool keepDims, Where where) {
  return reduce(*this, "all", OpKind::All, x, axes, keepDims, where);
}

EagerTensor EagerSession::sumSquares(const EagerTensor &x, const Axes &axes, bool keepDims, Where where) {
  SessionCall call(*this, "sum_squares", where, {&x});
  const IntList reduced = call.axes(axes, x.rank());
  return call.inBlocks(x, [&] { return call.reduce(OpKind::Sum, call.binary(OpKind::Mul, x, x), reduced, keepDims); });
}

static EagerTensor position(EagerSession &session, std::string_view op, OpKind kind, const EagerTensor &x,
                            std::optional<int64_t> axis, bool keepDims, const std::source_location &where) {
  SessionCall call(session, op, where, {&x});
  // Flat positions count leftmost-fastest, which is what a reshape to one axis does.
  EagerTensor rows = axis ? x : call.reshape(x, {x.shape().elementCount()});
  int64_t along = axis ? call.axis(*axis, x.rank()) : 0;
  EagerTensor result = call.apply(kind, {&rows}, {along});
  if (!keepDims)
    return result;
  Shape kept = axis ? x.shape() : Shape(IntList(x.shape().size(), 1));
  if (axis)
    kept[static_cast<size_t>(along)] = 1;
  return call.reshape(result, kept);
}

EagerTensor EagerSession::argmax(const EagerTensor &x, std::optional<int64_t> axis, bool keepDims, Where where) {
  return position(*this, "argmax", OpKind::Argmax, x, axis, keepDims, where);
}
EagerTensor EagerSession::argmin(const EagerTensor &x, std::optional<int64_t> axis, bool keepDims, Where where) {
  return position(*this, "argmin", OpKind::Argmin, x, axis, keepDims, where);
}

EagerTensor EagerSession::cumsum(const EagerTensor &x, int64_t axis, bool reverse, Where where) {
  SessionCall call(*this, "cumsum", where, {&x});
  return call.apply(OpKind::Cumsum, {&x}, {call.axis(axis, x.rank()), reverse ? 1 : 0});
}

} // namespace tenferro
