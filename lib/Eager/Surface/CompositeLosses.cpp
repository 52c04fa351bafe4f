// Loss functions as visible operations.
#include "lib/Core/ShapeRules.h"
#include "lib/Eager/Surface/Composites.h"
#include "lib/Eager/Surface/Print.h"
#include "runtime/core/FloatEnvironment.h"

#include <algorithm>
#include <cmath>

namespace tenferro {

using core::OpKind;
using eager::SessionCall;

// Losses come from functions of their own: the reduction of all of them may have to wait for every loss, and then what
// somebody still holds gets memory.

static EagerTensor reduceLoss(const SessionCall &call, const EagerTensor &losses, LossReduction reduction) {
  IntList all;
  for (int64_t axis = 0; axis < losses.rank(); ++axis)
    all.push_back(axis);
  switch (reduction) {
  case LossReduction::None:
    return losses;
  case LossReduction::Sum:
    return call.reduce(OpKind::Sum, losses, all, false);
  case LossReduction::Mean:
    return eager::mean(call, losses, all, false);
  }
  call.fail(ErrorKind::InvalidArgument, "reduction",
            "expects none, sum or mean, but got case " + std::to_string(static_cast<int>(reduction)));
}

static EagerTensor squaredErrors(const SessionCall &call, const EagerTensor &prediction, const EagerTensor &target) {
  EagerTensor difference = call.binary(OpKind::Sub, Operand(prediction), Operand(target));
  return call.binary(OpKind::Mul, difference, difference);
}

EagerTensor EagerSession::meanSquaredError(const EagerTensor &prediction, const EagerTensor &target,
                                           LossReduction reduction, Where where) {
  SessionCall call(*this, "mean_squared_error", where, {&prediction, &target});
  call.requireFloat(prediction);
  return call.inBlocks(prediction,
                       [&] { return reduceLoss(call, squaredErrors(call, prediction, target), reduction); });
}

static EagerTensor huberLosses(const SessionCall &call, const EagerTensor &prediction, const EagerTensor &target,
                               double delta) {
  EagerTensor error = call.binary(OpKind::Sub, Operand(prediction), Operand(target));
  // The square of the error itself and not of its magnitude, whose slope 0 at 0 would hide the curvature there.
  auto number = [&](double value) { return call.number(value, error.dtype(), error.shape()); };
  EagerTensor magnitude = call.unary(OpKind::Abs, error);
  EagerTensor linear = call.binary(OpKind::Mul, call.binary(OpKind::Sub, magnitude, number(delta / 2)), number(delta));
  EagerTensor isNear = eager::compare(call, Comparison::Le, magnitude, delta);
  // Of 0 where it is not taken: the slope of an infinite error's square would be infinite.
  EagerTensor near = call.select(isNear, error, number(0));
  EagerTensor half = call.binary(OpKind::Mul, call.binary(OpKind::Mul, near, near), number(0.5));
  return call.select(isNear, half, linear);
}

EagerTensor EagerSession::huber(const EagerTensor &prediction, const EagerTensor &target, double delta,
                                LossReduction reduction, Where where) {
  SessionCall call(*this, "huber", where, {&prediction, &target});
  call.requireFloat(prediction);
  if (!(delta > 0) || !std::isfinite(delta))
    call.fail(ErrorKind::InvalidArgument, "delta",
              "expects a positive finite delta, but got " + eager::shortest(delta));
  return call.inBlocks(prediction,
                       [&] { return reduceLoss(call, huberLosses(call, prediction, target, delta), reduction); });
}

/// The same classes, taken from the list of all: so one outside [0, classes) is an index error. A negative one, which
/// would count from the end, is made one too many first.
static EagerTensor checkedClasses(const SessionCall &call, const EagerTensor &targets, int64_t classes) {
  EagerTensor wide = call.promote(targets, DType::I64);
  EagerTensor negative =
      call.binary(OpKind::Compare, Operand(wide), Operand(0), {static_cast<int64_t>(Comparison::Lt)});
  EagerTensor indices = call.select(negative, call.scalar(Operand(classes), DType::I64, wide.shape()), wide);
  core::Attributes attributes{0, 1, classes, static_cast<int64_t>(DType::I64)};
  EagerTensor all = call.apply(OpKind::Iota, {}, attributes);
  try {
    return call.apply(OpKind::Take, {&all, &indices}, {0});
  } catch (const Error &error) {
    if (error.kind() != ErrorKind::IndexOutOfRange)
      throw;
    Failure failure = error.failure();
    std::vector<int64_t> values = wide.toVector<int64_t>();
    auto outside = std::find_if(values.begin(), values.end(), [&](int64_t v) { return v < 0 || v >= classes; });
    failure.argument = "targets";
    failure.message = "expects classes in [0, " + std::to_string(classes) + "), but got " + std::to_string(*outside);
    raise(std::move(failure));
  }
}

/// The weight of each class: from integer labels or from a distribution.
static EagerTensor classWeights(const SessionCall &call, const EagerTensor &logits, const EagerTensor &targets,
                                int64_t axis) {
  Shape labels = eager::reducedShape(logits.shape(), {axis}, false);
  if (isInteger(targets.dtype())) {
    if (!(targets.shape() == labels))
      call.fail(targets.rank() == labels.rank() ? ErrorKind::ShapeMismatch : ErrorKind::RankMismatch, "targets",
                "expects one class for each slice of the logits " + logits.shape().str() + ", so shape " +
                    labels.str() + ", but got " + targets.shape().str(),
                {&logits, &targets});
    int64_t classes = logits.shape()[static_cast<size_t>(axis)];
    EagerTensor checked = checkedClasses(call, targets, classes);
    return call.apply(OpKind::OneHot, {&checked}, {classes, axis, static_cast<int64_t>(logits.dtype())});
  }
  if (!isFloat(targets.dtype()))
    call.fail(ErrorKind::DTypeMismatch, "targets",
              "expects integer classes or a distribution of floats, but got " + std::string(name(targets.dtype())),
              {&targets});
  if (!(targets.shape() == logits.shape()))
    call.fail(targets.rank() == logits.rank() ? ErrorKind::ShapeMismatch : ErrorKind::RankMismatch, "targets",
              "expects integer classes, or floats of the logits' shape " + logits.shape().str() + ", but got " +
                  std::string(name(targets.dtype())) + targets.shape().str(),
              {&logits, &targets});
  return targets;
}

/// The loss of each slice along an axis.
static EagerTensor sliceLosses(const SessionCall &call, const EagerTensor &logits, const EagerTensor &targets,
                               int64_t axis, double smoothing) {
  EagerTensor weights = classWeights(call, logits, targets, axis);
  DType dtype = logits.dtype() == weights.dtype() ? logits.dtype() : core::promote(logits.dtype(), weights.dtype());
  weights = call.promote(weights, dtype);
  if (smoothing > 0) {
    runtime::FloatEnvironment environment;
    int64_t classes = logits.shape()[static_cast<size_t>(axis)];
    weights = call.binary(OpKind::Mul, weights, call.number(1 - smoothing, dtype, weights.shape()));
    weights = call.binary(OpKind::Add, weights,
                          call.number(smoothing / static_cast<double>(classes), dtype, weights.shape()));
  }
  // The strong zero keeps a class without weight out of it, also where its logarithm is -inf.
  EagerTensor terms = call.binary(OpKind::Szmul, eager::logSoftmax(call, call.promote(logits, dtype), axis), weights);
  return call.unary(OpKind::Neg, call.reduce(OpKind::Sum, terms, {axis}, false));
}

EagerTensor EagerSession::crossEntropy(const EagerTensor &logits, const EagerTensor &targets,
                                       const CrossEntropyOptions &options, Where where) {
  SessionCall call(*this, "cross_entropy", where, {&logits, &targets});
  call.requireFloat(logits);
  int64_t axis = call.axis(options.axis, logits.rank());
  double smoothing = options.labelSmoothing;
  if (!(smoothing >= 0 && smoothing <= 1))
    call.fail(ErrorKind::InvalidArgument, "labelSmoothing",
              "expects label smoothing in [0, 1], but got " + eager::shortest(smoothing));
  return call.inBlocks(
      logits, [&] { return reduceLoss(call, sliceLosses(call, logits, targets, axis, smoothing), options.reduction); });
}

} // namespace tenferro
