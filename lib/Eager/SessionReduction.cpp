// Reductions of a session.
#include "lib/Eager/SessionCall.h"

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
EagerTensor EagerSession::max(const EagerTensor &x, const Axes &axes, bool keepDims, Where where) {
  return reduce(*this, "max", OpKind::Max, x, axes, keepDims, where);
}
EagerTensor EagerSession::min(const EagerTensor &x, const Axes &axes, bool keepDims, Where where) {
  return reduce(*this, "min", OpKind::Min, x, axes, keepDims, where);
}

} // namespace tenferro
