// Diagonals and triangles.
#include "lib/Eager/Surface/SessionCall.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tenferro {

using core::Attributes;
using core::OpKind;
using eager::appendList;
using eager::SessionCall;

namespace {

/// Keeps the elements whose column is at most the row plus k (`below`), or at least that; zeros elsewhere, so that what
/// stood there, a NaN too, is gone.
EagerTensor triangle(const SessionCall &call, const EagerTensor &x, int64_t k, bool below) {
  if (x.rank() < 2)
    call.fail(ErrorKind::RankMismatch, "x", "expects a matrix, with batch axes behind it, but got " + x.shape().str(),
              {&x});
  Shape matrix = {x.shape()[0], x.shape()[1]};
  auto coordinate = [&](int64_t axis) {
    Attributes attributes{axis};
    appendList(attributes, matrix);
    attributes.push_back(static_cast<int64_t>(DType::I64));
    return call.apply(OpKind::Iota, {}, attributes);
  };
  // Beyond the corners the diagonal's number makes no difference.
  int64_t diagonal = std::clamp(k, -matrix[0] - 1, matrix[1] + 1);
  EagerTensor last = call.binary(OpKind::Add, Operand(coordinate(0)), Operand(diagonal));
  Comparison direction = below ? Comparison::Le : Comparison::Ge;
  EagerTensor keeps =
      call.binary(OpKind::Compare, Operand(coordinate(1)), Operand(last), {static_cast<int64_t>(direction)});
  Attributes spread;
  appendList(spread, {0, 1});
  appendList(spread, x.shape());
  keeps = call.apply(OpKind::BroadcastInDim, {&keeps}, spread);
  EagerTensor zero = call.scalar(Operand(0), x.dtype(), x.shape());
  return call.apply(OpKind::Select, {&keeps, &x, &zero});
}

EagerTensor extract(const SessionCall &call, const EagerTensor &x, int64_t a, int64_t b) {
  return call.apply(OpKind::ExtractDiag, {&x}, {a, b});
}

/// The axes in [0, rank), or the error of one that is not or of two that are one.
std::pair<int64_t, int64_t> axisPair(const SessionCall &call, int64_t a, int64_t b, int64_t rank) {
  std::pair<int64_t, int64_t> axes{call.axis(a, rank), call.axis(b, rank)};
  call.axes(Axes({a, b}), rank);
  return axes;
}

EagerTensor diagonalOf(const SessionCall &call, const EagerTensor &x, int64_t offset, int64_t axis1, int64_t axis2) {
  auto [rows, columns] = axisPair(call, axis1, axis2, x.rank());
  int64_t along = offset < 0 ? rows : columns, extent = x.shape()[static_cast<size_t>(along)];
  int64_t start = offset < -extent ? extent : std::min(offset < 0 ? -offset : offset, extent);
  EagerTensor from = start ? call.part(x, along, start, extent) : x;
  EagerTensor diagonal = extract(call, from, rows, columns);
  // The diagonal becomes the last axis.
  int64_t place = rows > columns ? rows - 1 : rows;
  IntList permutation;
  for (int64_t axis = 0; axis < diagonal.rank(); ++axis)
    if (axis != place)
      permutation.push_back(axis);
  permutation.push_back(place);
  Attributes attributes;
  appendList(attributes, permutation);
  return place + 1 == diagonal.rank() ? diagonal : call.apply(OpKind::Transpose, {&diagonal}, attributes);
}

} // namespace

EagerTensor EagerSession::tril(const EagerTensor &x, int64_t k, Where where) {
  return triangle(SessionCall(*this, "tril", where, {&x}), x, k, /*below=*/true);
}

EagerTensor EagerSession::triu(const EagerTensor &x, int64_t k, Where where) {
  return triangle(SessionCall(*this, "triu", where, {&x}), x, k, /*below=*/false);
}

EagerTensor EagerSession::extractDiag(const EagerTensor &x, int64_t axisA, int64_t axisB, Where where) {
  SessionCall call(*this, "extract_diag", where, {&x});
  auto [a, b] = axisPair(call, axisA, axisB, x.rank());
  return extract(call, x, a, b);
}

EagerTensor EagerSession::embedDiag(const EagerTensor &x, int64_t axisA, int64_t axisB, Where where) {
  SessionCall call(*this, "embed_diag", where, {&x});
  auto [a, b] = axisPair(call, axisA, axisB, x.rank() + 1);
  return call.apply(OpKind::EmbedDiag, {&x}, {a, b});
}

EagerTensor EagerSession::diagonal(const EagerTensor &x, int64_t offset, int64_t axis1, int64_t axis2, Where where) {
  return diagonalOf(SessionCall(*this, "diagonal", where, {&x}), x, offset, axis1, axis2);
}

EagerTensor EagerSession::trace(const EagerTensor &x, int64_t offset, int64_t axis1, int64_t axis2, Where where) {
  SessionCall call(*this, "trace", where, {&x});
  EagerTensor elements = diagonalOf(call, x, offset, axis1, axis2);
  return call.reduce(OpKind::Sum, elements, {elements.rank() - 1}, /*keepDims=*/false);
}

EagerTensor EagerSession::diag(const EagerTensor &x, int64_t k, Where where) {
  SessionCall call(*this, "diag", where, {&x});
  if (x.rank() == 2)
    return diagonalOf(call, x, k, 0, 1);
  if (x.rank() != 1)
    call.fail(ErrorKind::RankMismatch, "x", "expects rank 1 or 2, but got " + x.shape().str(), {&x});
  EagerTensor square = call.apply(OpKind::EmbedDiag, {&x}, {0, 1});
  if (k == 0)
    return square;
  if (k == std::numeric_limits<int64_t>::min())
    call.fail(ErrorKind::InvalidArgument, "k",
              "expects a matrix of less than 2^62 bytes, but got k " + std::to_string(k), {&x});
  Attributes attributes;
  appendList(attributes, {std::max<int64_t>(-k, 0), std::max<int64_t>(k, 0)});
  appendList(attributes, {std::max<int64_t>(k, 0), std::max<int64_t>(-k, 0)});
  appendList(attributes, {0, 0});
  return call.apply(OpKind::Pad, {&square}, attributes);
}

} // namespace tenferro
