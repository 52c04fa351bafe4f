// Activations and normalisations as visible operations. Their derivatives are those of the operations, so the forms
// here are chosen for values and for slopes: a constant that must not be differentiated is detached, a branch that must
// not matter is selected away.
#include "lib/Eager/Surface/Composites.h"

#include <limits>
#include <numbers>

namespace tenferro {

using core::OpKind;
using eager::reducedShape;
using eager::SessionCall;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace eager {

EagerTensor compare(const SessionCall &call, Comparison direction, const EagerTensor &x, double bound) {
  return call.binary(OpKind::Compare, x, call.number(bound, x.dtype(), x.shape()), {static_cast<int64_t>(direction)});
}

int64_t reducedCount(const EagerTensor &x, const IntList &axes) {
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= x.shape()[static_cast<size_t>(axis)];
  return count;
}

EagerTensor mean(const SessionCall &call, const EagerTensor &x, const IntList &axes, bool keepDims) {
  call.requireFloat(x);
  int64_t count = reducedCount(x, axes);
  EagerTensor sum = call.reduce(OpKind::Sum, x, axes, keepDims);
  return call.binary(OpKind::Div, sum,
                     call.number(static_cast<double>(count), x.dtype(), sum.shape())); // of nothing: 0 / 0
}

/// exp(x - shift) along an axis with the sum of each slice. The shift is the slice's maximum, detached: the quotients
/// do not depend on it, so neither may their derivatives. A slice of only -inf ("dead") is shifted by 0.
struct ShiftedExponentials {
  EagerTensor shifted; ///< x - shift
  EagerTensor exponentials;
  EagerTensor sums; ///< 1 where the slice is dead, so that nothing divides by 0
  EagerTensor dead; ///< bool; keeps the axis
  EagerTensor one;  ///< of the same shape
};

static ShiftedExponentials shiftedExponentials(const SessionCall &call, const EagerTensor &x, int64_t axis) {
  EagerTensor maximum = call.reduce(OpKind::Max, x.detach(call.where()), {axis}, true);
  EagerTensor dead = compare(call, Comparison::Eq, maximum, -kInfinity);
  EagerTensor shift = call.select(dead, call.number(0, x.dtype(), maximum.shape()), maximum);
  ShiftedExponentials result;
  result.shifted = call.binary(OpKind::Sub, x, shift);
  result.exponentials = call.unary(OpKind::Exp, result.shifted);
  EagerTensor sums = call.reduce(OpKind::Sum, result.exponentials, {axis}, true);
  result.one = call.number(1, x.dtype(), sums.shape());
  result.sums = call.select(dead, result.one, sums);
  result.dead = std::move(dead);
  return result;
}

EagerTensor logSoftmax(const SessionCall &call, const EagerTensor &x, int64_t axis) {
  call.requireFloat(x);
  axis = call.axis(axis, x.rank());
  if (x.shape().elementCount() == 0)
    return call.unary(OpKind::Exp, x); // nothing in, nothing out; recorded like any other result
  return call.inBlocks(x, [&] {
    ShiftedExponentials parts = shiftedExponentials(call, x, axis);
    parts.exponentials = {};
    EagerTensor logarithms = call.binary(OpKind::Sub, parts.shifted, call.unary(OpKind::Log, parts.sums));
    parts.shifted = {};
    return call.select(parts.dead, call.number(-kInfinity, x.dtype(), x.shape()), logarithms);
  });
}

} // namespace eager

EagerTensor EagerSession::mean(const EagerTensor &x, const Axes &axes, bool keepDims, Where where) {
  SessionCall call(*this, "mean", where, {&x});
  return eager::mean(call, x, call.axes(axes, x.rank()), keepDims);
}

EagerTensor EagerSession::logsumexp(const EagerTensor &x, const Axes &axes, bool keepDims, Where where) {
  SessionCall call(*this, "logsumexp", where, {&x});
  call.requireFloat(x);
  IntList reduced = call.axes(axes, x.rank());
  if (eager::reducedCount(x, reduced) == 1) // one element is its own logsumexp, with slope 1 at the infinities too
    return call.reshape(x, reducedShape(x.shape(), reduced, keepDims));
  if (x.shape().elementCount() == 0) // log of an empty sum: -inf
    return call.unary(OpKind::Log, call.reduce(OpKind::Sum, call.unary(OpKind::Exp, x), reduced, keepDims));

  return call.inBlocks(x, [&] {
    // Slices with an infinite maximum are not shifted (inf - inf is no number). Their value is the maximum; its slope
    // goes to the elements that reach it, which is the limit, unless all are -inf: then nothing can change the value.
    // The shift is differentiated, though the value does not depend on it: so the distances to the maximum move, not
    // the elements, and where one element dominates, the second derivative is the small number that it is, not the
    // rounding error of a difference of large ones.
    EagerTensor tracked = call.reduce(OpKind::Max, x, reduced, true);
    EagerTensor maximum = tracked.detach(where);
    EagerTensor infinite = eager::compare(call, Comparison::Eq, call.unary(OpKind::Abs, maximum), kInfinity);
    EagerTensor zero = call.number(0, x.dtype());
    EagerTensor shift = call.select(infinite, zero, tracked);
    EagerTensor shifted = call.select(infinite, zero, call.binary(OpKind::Sub, x, shift));
    EagerTensor sums = call.reduce(OpKind::Sum, call.unary(OpKind::Exp, shifted), reduced, true);
    EagerTensor finiteResult = call.binary(OpKind::Add, call.unary(OpKind::Log, sums), shift);
    EagerTensor edge = call.select(eager::compare(call, Comparison::Eq, maximum, -kInfinity), maximum, tracked);
    EagerTensor result = call.select(infinite, edge, finiteResult);
    return keepDims ? result : call.reshape(result, reducedShape(x.shape(), reduced, false));
  });
}

EagerTensor EagerSession::relu(const EagerTensor &x, Where where) {
  SessionCall call(*this, "relu", where, {&x});
  call.requireFloat(x);
  return call.inBlocks(x, [&] {
    return call.select(eager::compare(call, Comparison::Le, x, 0), call.number(0, x.dtype(), x.shape()), x);
  });
}

EagerTensor EagerSession::gelu(const EagerTensor &x, Where where) {
  SessionCall call(*this, "gelu", where, {&x});
  call.requireFloat(x);
  return call.inBlocks(x, [&] {
    // x / 2 erfc(-x / sqrt 2): 1 + erf would have no digits left of about -8. Beyond 40 it is 0 or 2, with slope 0 even
    // where x is infinite; at -inf the strong zero decides.
    auto number = [&](double value) { return call.number(value, x.dtype(), x.shape()); };
    EagerTensor bound = number(40), below = number(-40);
    EagerTensor factor = call.apply(OpKind::Clamp, {&x, &below, &bound}); // one handle: what is read is let go
    factor = call.binary(OpKind::Mul, factor, number(-std::numbers::sqrt2 / 2));
    factor = call.unary(OpKind::Erfc, factor);
    factor = call.binary(OpKind::Mul, factor, number(0.5)); // of it and not of x: so x itself is kept
    return call.binary(OpKind::Szmul, x, factor);
  });
}

EagerTensor EagerSession::geluTanh(const EagerTensor &x, Where where) {
  SessionCall call(*this, "gelu_tanh", where, {&x});
  call.requireFloat(x);
  return call.inBlocks(x, [&] {
    // (1 + tanh(u)) / 2 is sigmoid(2 u), which keeps the digits left of zero. Beyond 30 it is 0 or 1, and the cube
    // would only overflow; at -inf the strong zero decides.
    auto number = [&](double value) { return call.number(value, x.dtype(), x.shape()); };
    EagerTensor bound = number(30), below = number(-30);
    EagerTensor bounded = call.apply(OpKind::Clamp, {&x, &below, &bound});
    EagerTensor scaled = call.binary(OpKind::Mul, bounded, number(2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi));
    EagerTensor factor = call.binary(OpKind::Mul, bounded, bounded); // one handle: what is read is let go
    bounded = {};
    factor = call.binary(OpKind::Mul, factor, number(0.044715));
    factor = call.binary(OpKind::Add, factor, number(1));
    factor = call.binary(OpKind::Mul, scaled, factor);
    scaled = {};
    factor = call.unary(OpKind::Sigmoid, factor);
    return call.binary(OpKind::Szmul, x, factor);
  });
}

EagerTensor EagerSession::softplus(const EagerTensor &x, Where where) {
  SessionCall call(*this, "softplus", where, {&x});
  call.requireFloat(x);
  return call.binary(OpKind::Logaddexp, x, call.number(0, x.dtype(), x.shape()));
}

EagerTensor EagerSession::logSigmoid(const EagerTensor &x, Where where) {
  SessionCall call(*this, "logsigmoid", where, {&x});
  call.requireFloat(x);
  return call.inBlocks(x, [&] {
    EagerTensor softplus =
        call.binary(OpKind::Logaddexp, call.unary(OpKind::Neg, x), call.number(0, x.dtype(), x.shape()));
    return call.unary(OpKind::Neg, softplus);
  });
}

EagerTensor EagerSession::softmax(const EagerTensor &x, int64_t axis, Where where) {
  SessionCall call(*this, "softmax", where, {&x});
  call.requireFloat(x);
  axis = call.axis(axis, x.rank());
  if (x.shape().elementCount() == 0)
    return call.unary(OpKind::Exp, x);
  return call.inBlocks(x, [&] {
    eager::ShiftedExponentials parts = shiftedExponentials(call, x, axis);
    parts.shifted = {}; // its memory, still in the caches, can take the quotients
    // Products: they divide once a slice, and the derivative of quotients would read the quotients as well.
    return call.binary(OpKind::Mul, parts.exponentials, call.binary(OpKind::Div, parts.one, parts.sums));
  });
}

EagerTensor EagerSession::logSoftmax(const EagerTensor &x, int64_t axis, Where where) {
  return eager::logSoftmax(SessionCall(*this, "log_softmax", where, {&x}), x, axis);
}

} // namespace tenferro
