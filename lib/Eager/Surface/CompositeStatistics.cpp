// Variance, standard deviation and the normalisations built on them, as visible operations: two passes, the distances
// to the mean and then their squares.
#include "lib/Eager/Surface/Composites.h"
#include "lib/Eager/Surface/Print.h"

#include <algorithm>
#include <cmath>

namespace tenferro {

using core::OpKind;
using eager::SessionCall;

/// x without its mean over normalised axes.
static EagerTensor centred(const SessionCall &call, const EagerTensor &x, const IntList &axes) {
  return call.binary(OpKind::Sub, x, eager::mean(call, x, axes, true));
}

/// What a sum of squares over the axes is divided by. Errors: InvalidArgument for NaN.
static double divisor(const SessionCall &call, const EagerTensor &x, const IntList &axes, double correction) {
  if (std::isnan(correction))
    call.fail(ErrorKind::InvalidArgument, "correction", "expects a number, but got NaN");
  return std::max(0.0, static_cast<double>(eager::reducedCount(x, axes)) - correction);
}

EagerTensor EagerSession::var(const EagerTensor &x, const Axes &axes, double correction, bool keepDims, Where where) {
  SessionCall call(*this, "var", where, {&x});
  IntList reduced = call.axes(axes, x.rank());
  return call.inBlocks(x, [&] {
    EagerTensor distances = centred(call, x, reduced);
    EagerTensor squares = call.reduce(OpKind::Sum, call.binary(OpKind::Mul, distances, distances), reduced, keepDims);
    return call.binary(OpKind::Div, squares,
                       call.number(divisor(call, x, reduced, correction), x.dtype(), squares.shape()));
  });
}

EagerTensor EagerSession::stddev(const EagerTensor &x, const Axes &axes, double correction, bool keepDims,
                                 Where where) {
  SessionCall call(*this, "stddev", where, {&x});
  IntList reduced = call.axes(axes, x.rank());
  return call.inBlocks(x, [&] {
    // The norm of the distances knows what to do where all of them are 0, and when their squares would overflow.
    const EagerTensor mean = eager::mean(call, x, reduced, true);
    auto distances = [&] { return call.binary(OpKind::Sub, x, mean); };
    // Of all elements, they are computed again for the second pass: kept, they would need memory.
    const bool again = eager::reducedCount(x, reduced) == x.shape().elementCount();
    const EagerTensor once = again ? EagerTensor() : distances();
    EagerTensor norm = eager::euclideanNorm(call, x.shape(), reduced, [&] { return again ? distances() : once; });
    EagerTensor result = call.binary(
        OpKind::Div, norm, call.number(std::sqrt(divisor(call, x, reduced, correction)), x.dtype(), norm.shape()));
    return keepDims ? result : call.reshape(result, eager::reducedShape(x.shape(), reduced, false));
  });
}

static void requireEpsilon(const SessionCall &call, double epsilon) {
  if (!(epsilon >= 0))
    call.fail(ErrorKind::InvalidArgument, "epsilon",
              "expects an epsilon of at least 0, but got " + eager::shortest(epsilon));
}

/// A vector along `axis` of `like`, repeated along the others.
static EagerTensor alongAxis(const SessionCall &call, std::string_view argument, const EagerTensor &vector,
                             const EagerTensor &like, int64_t axis) {
  call.requireTensor(vector);
  int64_t extent = like.shape()[static_cast<size_t>(axis)];
  if (!(vector.shape() == Shape{extent}))
    call.fail(ErrorKind::ShapeMismatch, argument,
              "expects the shape of the normalised axis " + Shape{extent}.str() + ", but got " + vector.shape().str(),
              {&vector, &like});
  Shape shape(IntList(like.shape().size(), 1));
  shape[static_cast<size_t>(axis)] = extent;
  return call.reshape(vector, shape);
}

/// x / sqrt(mean of squares + epsilon) along an axis.
static EagerTensor byRootMeanSquare(const SessionCall &call, const EagerTensor &x, int64_t axis, double epsilon) {
  EagerTensor square = eager::mean(call, call.binary(OpKind::Mul, x, x), {axis}, true);
  EagerTensor shifted = call.binary(OpKind::Add, square, call.number(epsilon, x.dtype(), square.shape()));
  // A product: it divides once a slice, and the derivative of a quotient would read the quotient as well. Not by rsqrt,
  // whose slope is a cube, out of range long before the rest is.
  EagerTensor inverse =
      call.binary(OpKind::Div, call.number(1, x.dtype(), square.shape()), call.unary(OpKind::Sqrt, shifted));
  return call.binary(OpKind::Mul, x, inverse);
}

EagerTensor EagerSession::layerNorm(const EagerTensor &x, int64_t axis, const EagerTensor &weight,
                                    const EagerTensor &bias, double epsilon, Where where) {
  SessionCall call(*this, "layer_norm", where, {&x});
  call.requireFloat(x);
  requireEpsilon(call, epsilon);
  axis = call.axis(axis, x.rank());
  return call.inBlocks(x, [&] {
    EagerTensor result = byRootMeanSquare(call, centred(call, x, {axis}), axis, epsilon);
    if (!weight.empty())
      result = call.binary(OpKind::Mul, Operand(result), Operand(alongAxis(call, "weight", weight, x, axis)));
    if (!bias.empty())
      result = call.binary(OpKind::Add, Operand(result), Operand(alongAxis(call, "bias", bias, x, axis)));
    return result;
  });
}

EagerTensor EagerSession::rmsNorm(const EagerTensor &x, int64_t axis, const EagerTensor &weight, double epsilon,
                                  Where where) {
  SessionCall call(*this, "rms_norm", where, {&x});
  call.requireFloat(x);
  requireEpsilon(call, epsilon);
  axis = call.axis(axis, x.rank());
  return call.inBlocks(x, [&] {
    EagerTensor result = byRootMeanSquare(call, x, axis, epsilon);
    if (!weight.empty())
      result = call.binary(OpKind::Mul, Operand(result), Operand(alongAxis(call, "weight", weight, x, axis)));
    return result;
  });
}

} // namespace tenferro
