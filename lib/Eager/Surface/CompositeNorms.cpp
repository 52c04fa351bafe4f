// Vector norms as visible operations. Where a norm is 0 its slope is not defined and 0 by policy: what would be
// infinite there is computed of 1 instead and selected away, so that neither mode nor any order sees an infinity.
#include "lib/Eager/Surface/Composites.h"

#include <cmath>
#include <limits>

namespace tenferro {

using core::OpKind;
using eager::SessionCall;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace eager {

/// What the elements of each slice are divided by so that their p-th powers, the sum of those and the derivatives of
/// both, to any order, neither overflow nor vanish: the power of two at the element that decides, the largest one for
/// positive p. Kept away from 0 and infinity so that dividing by it makes nothing of a subnormal, an infinity or a 0. A
/// norm does not depend on it, so it is not differentiated; dividing by a power of two rounds nothing. Empty for slices
/// of nothing.
static EagerTensor powerScale(const SessionCall &call, const EagerTensor &x, const IntList &axes, double p) {
  if (reducedCount(x, axes) == 0)
    return {};
  const double most = x.dtype() == DType::F64 ? 0x1p1022 : 0x1p126;
  EagerTensor decisive =
      call.reduce(p > 0 ? OpKind::Max : OpKind::Min, call.unary(OpKind::Abs, x.detach(call.where())), axes, true);
  const Shape &shape = decisive.shape();
  EagerTensor bounded = call.binary(OpKind::Maximum, decisive, call.number(1 / most, x.dtype(), shape));
  bounded = call.binary(OpKind::Minimum, bounded, call.number(most, x.dtype(), shape));
  return call.unary(OpKind::Exp2, call.unary(OpKind::Floor, call.unary(OpKind::Log2, bounded)));
}

/// The scale for each element of its slice, empty for an empty one. To be asked for before anything that is divided by
/// it: where a slice is all of x, what is there by then gets memory.
static EagerTensor repeatedScale(const SessionCall &call, const EagerTensor &scale, const Shape &shape) {
  return scale.empty() ? scale : call.broadcast(scale, shape);
}

/// `root` of sums of which none is 0, and `atZero` where one is.
template <typename Root>
static EagerTensor rootOf(const SessionCall &call, const EagerTensor &sums, double atZero, Root root) {
  EagerTensor isZero = compare(call, Comparison::Eq, sums, 0);
  EagerTensor safe = call.select(isZero, call.number(1, sums.dtype(), sums.shape()), sums);
  return call.select(isZero, call.number(atZero, sums.dtype(), sums.shape()), root(safe));
}

EagerTensor euclideanNorm(const SessionCall &call, const Shape &shape, const IntList &axes,
                          const std::function<EagerTensor()> &elements) {
  const EagerTensor scale = powerScale(call, elements(), axes, 2);
  const EagerTensor divisor = repeatedScale(call, scale, shape);
  EagerTensor scaled = elements();
  if (!scale.empty())
    scaled = call.binary(OpKind::Div, scaled, divisor);
  EagerTensor squares = call.reduce(OpKind::Sum, call.binary(OpKind::Mul, scaled, scaled), axes, true);
  EagerTensor root = rootOf(call, squares, 0, [&](const EagerTensor &s) { return call.unary(OpKind::Sqrt, s); });
  return scale.empty() ? root : call.binary(OpKind::Mul, root, scale);
}

/// The norm for any finite p but 0, 1 and 2.
static EagerTensor powerNorm(const SessionCall &call, const EagerTensor &x, const IntList &axes, double p) {
  const EagerTensor scale = powerScale(call, x, axes, p);
  const EagerTensor divisor = repeatedScale(call, scale, x.shape());
  // An element that is 0 counts as what |0|^p is, without a slope.
  EagerTensor magnitude = call.unary(OpKind::Abs, x);
  EagerTensor isZero = compare(call, Comparison::Eq, magnitude, 0);
  EagerTensor base = call.select(isZero, call.number(1, x.dtype(), x.shape()), magnitude);
  if (!scale.empty())
    base = call.binary(OpKind::Div, base, divisor);
  auto power = [&](const EagerTensor &of, double exponent) {
    return call.binary(OpKind::Pow, of, call.number(exponent, x.dtype(), of.shape()));
  };
  EagerTensor zeros = call.number(p > 0 ? 0 : kInfinity, x.dtype(), x.shape());
  EagerTensor sums = call.reduce(OpKind::Sum, call.select(isZero, zeros, power(base, p)), axes, true);
  EagerTensor root = rootOf(call, sums, p > 0 ? 0 : kInfinity, [&](const EagerTensor &s) { return power(s, 1 / p); });
  return scale.empty() ? root : call.binary(OpKind::Mul, root, scale);
}

static EagerTensor norm(const SessionCall &call, const EagerTensor &x, const IntList &axes, double p) {
  if (p == 2)
    return euclideanNorm(call, x.shape(), axes, [&] { return x; });
  if (p == 1)
    return call.reduce(OpKind::Sum, call.unary(OpKind::Abs, x), axes, true);
  if (std::isinf(p))
    return call.reduce(p > 0 ? OpKind::Max : OpKind::Min, call.unary(OpKind::Abs, x), axes, true);
  if (p == 0)
    return call.reduce(OpKind::Sum, call.promote(compare(call, Comparison::Ne, x, 0), x.dtype()), axes, true);
  return powerNorm(call, x, axes, p);
}

} // namespace eager

EagerTensor EagerSession::norm(const EagerTensor &x, double p, const Axes &axes, bool keepDims, Where where) {
  SessionCall call(*this, "norm", where, {&x});
  call.requireFloat(x);
  if (std::isnan(p))
    call.fail(ErrorKind::InvalidArgument, "p", "expects a number, but got NaN");
  IntList reduced = call.axes(axes, x.rank());
  return call.inBlocks(x, [&] {
    EagerTensor result = eager::norm(call, x, reduced, p);
    return keepDims ? result : call.reshape(result, eager::reducedShape(x.shape(), reduced, false));
  });
}

} // namespace tenferro
