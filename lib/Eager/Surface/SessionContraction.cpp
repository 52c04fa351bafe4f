// Contractions of a session.
#include "lib/Core/ShapeRules.h"
#include "lib/Eager/Surface/SessionCall.h"

namespace tenferro {

using core::Attributes;
using core::OpKind;
using eager::appendList;
using eager::SessionCall;

namespace {

IntList normalized(const SessionCall &call, const IntList &axes, int64_t rank) {
  IntList result;
  for (int64_t axis : axes)
    result.push_back(call.axis(axis, rank));
  return result;
}

EagerTensor contract(const SessionCall &call, const EagerTensor &lhs, const EagerTensor &rhs,
                     const DotDimensions &dims) {
  DType dtype = core::promote(lhs.dtype(), rhs.dtype());
  EagerTensor a = call.promote(lhs, dtype), b = call.promote(rhs, dtype);
  Attributes attributes;
  appendList(attributes, dims.lhsContracting);
  appendList(attributes, dims.rhsContracting);
  appendList(attributes, dims.lhsBatch);
  appendList(attributes, dims.rhsBatch);
  return call.apply(OpKind::DotGeneral, {&a, &b}, attributes);
}

} // namespace

EagerTensor EagerSession::dotGeneral(const EagerTensor &lhs, const EagerTensor &rhs, const DotDimensions &dims,
                                     Where where) {
  SessionCall call(*this, "dot_general", where, {&lhs, &rhs});
  return contract(call, lhs, rhs,
                  {normalized(call, dims.lhsContracting, lhs.rank()), normalized(call, dims.rhsContracting, rhs.rank()),
                   normalized(call, dims.lhsBatch, lhs.rank()), normalized(call, dims.rhsBatch, rhs.rank())});
}

EagerTensor EagerSession::matmul(const EagerTensor &lhs, const EagerTensor &rhs, Where where) {
  SessionCall call(*this, "matmul", where, {&lhs, &rhs});
  const Shape &a = lhs.shape(), &b = rhs.shape();
  if (a.rank() < 1 || b.rank() < 1)
    call.fail(ErrorKind::RankMismatch, a.rank() < 1 ? "lhs" : "rhs",
              "expects operands of rank 1 or more, but got " + a.str() + " and " + b.str(), {&lhs, &rhs});
  if ((a.rank() > 2 || b.rank() > 2) && a.rank() != b.rank())
    call.fail(ErrorKind::RankMismatch, "rhs",
              "expects the same trailing batch axes on both sides, but got " + a.str() + " and " + b.str(),
              {&lhs, &rhs});
  // [M, K, B...] x [K, N, B...]; a vector is its contracted axis alone.
  size_t contracted = a.rank() == 1 ? 0 : 1;
  if (a[contracted] != b[0])
    call.fail(ErrorKind::ShapeMismatch, "rhs",
              "expects equal contracted extents, but got " + std::to_string(a[contracted]) + " of " + a.str() +
                  " and " + std::to_string(b[0]) + " of " + b.str() +
                  (a.rank() > 2 ? "; batch axes come last: [M, K, batch] by [K, N, batch]" : ""),
              {&lhs, &rhs});
  DotDimensions dims{{static_cast<int64_t>(contracted)}, {0}, {}, {}};
  for (int64_t axis = 2; axis < a.rank(); ++axis) {
    if (a[static_cast<size_t>(axis)] != b[static_cast<size_t>(axis)])
      call.fail(ErrorKind::ShapeMismatch, "rhs",
                "expects equal batch extents, which are those of the trailing axes (from axis 2), but got " + a.str() +
                    " and " + b.str(),
                {&lhs, &rhs});
    dims.lhsBatch.push_back(axis);
    dims.rhsBatch.push_back(axis);
  }
  return contract(call, lhs, rhs, dims);
}

} // namespace tenferro
