// Indexing operations of a session.
#include "lib/Eager/Surface/SessionCall.h"

namespace tenferro {

using core::Attributes;
using core::OpKind;
using eager::SessionCall;

EagerTensor EagerSession::take(const EagerTensor &x, const EagerTensor &indices, std::optional<int64_t> axis,
                               Where where) {
  SessionCall call(*this, "take", where, {&x, &indices});
  if (axis)
    return call.apply(OpKind::Take, {&x, &indices}, {call.axis(*axis, x.rank())});
  // Flat positions count leftmost-fastest, which is what a reshape to one axis does.
  EagerTensor flat = call.reshape(x, {x.shape().elementCount()});
  return call.apply(OpKind::Take, {&flat, &indices}, {0});
}

EagerTensor EagerSession::scatterAdd(const EagerTensor &indices, const EagerTensor &updates, int64_t axis,
                                     int64_t extent, Where where) {
  SessionCall call(*this, "scatter_add", where, {&indices, &updates});
  // The indices' axes stand in the place of the result's one axis.
  int64_t rank = updates.rank() - indices.rank() + 1;
  if (rank < 1)
    call.fail(ErrorKind::RankMismatch, "updates",
              "expects updates with the axes of the indices " + indices.shape().str() + ", but got " +
                  updates.shape().str(),
              {&indices, &updates});
  return call.apply(OpKind::ScatterAdd, {&indices, &updates}, {call.axis(axis, rank), extent});
}

EagerTensor EagerSession::oneHot(const EagerTensor &indices, int64_t depth, int64_t axis, DType dtype, Where where) {
  SessionCall call(*this, "one_hot", where, {&indices});
  return call.apply(OpKind::OneHot, {&indices},
                    {depth, call.axis(axis, indices.rank() + 1), static_cast<int64_t>(dtype)});
}

} // namespace tenferro
