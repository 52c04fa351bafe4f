// Derivatives of reductions.
#include "dialects/tenferro/Reduction.h"
#include "dialects/tenferro/RuleBuilder.h"

using namespace mlir;

namespace tenferro::ir {

/// The axes of the operand that a reduction keeps, in order: where the result's axes lie in it.
static SmallVector<int64_t> keptAxes(Type operand, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> kept;
  for (int64_t i = 0, rank = cast<ShapedType>(operand).getRank(); i < rank; ++i)
    if (!llvm::is_contained(axes, i))
      kept.push_back(i);
  return kept;
}

SmallVector<bool> SumOp::linearOperands() { return {true}; }
SmallVector<Value> SumOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, {true})};
}
SmallVector<Value> SumOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool>) {
  Type type = getOperand().getType();
  return {RuleBuilder(builder, getLoc()).broadcast(ct[0], keptAxes(type, getAxes()), type)};
}

/// The tangent of max or min: each element equal to the result gets an even share, the shares of a slice sum to 1. A
/// slice whose result is NaN equals nothing and gets nothing.
static Value extremumTangent(const RuleBuilder &r, Value x, Value result, ArrayRef<int64_t> axes, Value dx) {
  Type type = x.getType(), reduced = result.getType();
  SmallVector<int64_t> kept = keptAxes(type, axes);
  Value wins = r.equal(x, r.broadcast(result, kept, type));
  Value one = r.splat(type, 1), zero = r.splat(type, 0);
  Value winners = r.named("winners").sum(r.select(wins, one, zero), axes);
  Value least = r.splat(reduced, 1);
  Value part = r.div(least, r.maximum(winners, least));
  Value share = r.named("share").select(wins, r.broadcast(part, kept, type), zero);
  // The share is on the tangent side of szmul: a losing lane stays zero whatever its tangent.
  return r.sum(r.szmul(dx, share), axes);
}

/// A value and its tangent.
struct Pushed {
  Value value, tangent;
};

/// The product rule. Partial products can overflow where elements are finite, so their zeros are strong.
static Pushed multiply(const RuleBuilder &r, const Pushed &a, const Pushed &b) {
  return {r.mul(a.value, b.value), r.add(r.szmul(b.value, a.tangent), r.szmul(a.value, b.tangent))};
}

/// The tangent of a product over `axes`. They come to the front as one axis, which is halved by multiplying its halves
/// until one element is left; an odd one out waits for the end. For four elements
///
///   (a b c d) -> (a c, b d) -> (a c) (b d)
///
/// with the product rule in every step: log2 n steps, no division, so zeros are nothing special at any order.
static Value productTangent(const RuleBuilder &r, Value x, ArrayRef<int64_t> axes, Value dx, Type result) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> kept = keptAxes(type, axes), order(axes), shape{1};
  llvm::append_range(order, kept);
  for (int64_t axis : axes)
    shape[0] *= type.getDimSize(axis);
  if (shape[0] == 0) // 1, whatever the operand
    return {};
  for (int64_t axis : kept)
    shape.push_back(type.getDimSize(axis));
  auto rows = RankedTensorType::get(shape, type.getElementType());
  auto gather = [&](Value value) { return r.reshape(r.transpose(value, order), rows); };
  Pushed product{gather(x), gather(dx)}, odd;
  for (int64_t n = shape[0]; n > 1; n /= 2) {
    auto part = [&](int64_t start, int64_t limit) {
      return Pushed{r.sliceAxis(product.value, 0, start, limit), r.sliceAxis(product.tangent, 0, start, limit)};
    };
    int64_t half = n / 2;
    if (n % 2) {
      Pushed last = part(2 * half, n);
      odd = odd.value ? multiply(r, odd, last) : last;
    }
    product = multiply(r, part(0, half), part(half, 2 * half));
  }
  return r.reshape(odd.value ? multiply(r, product, odd).tangent : product.tangent, result);
}

SmallVector<Value> ProdOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  return {productTangent({builder, getLoc()}, getOperand(), getAxes(), dx[0], getType())};
}

SmallVector<bool> CumsumOp::linearOperands() { return {true}; }
SmallVector<Value> CumsumOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  return {linearAgain(builder, *this, dx, {true})};
}
SmallVector<Value> CumsumOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool>) {
  ScanOrder other = getOrder() == ScanOrder::Forward ? ScanOrder::Reverse : ScanOrder::Forward;
  return {CumsumOp::create(builder, getLoc(), other, ct[0], getAxis())};
}

SmallVector<Value> MaxOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  return {extremumTangent({builder, getLoc()}, getOperand(), getResult(), getAxes(), dx[0])};
}
SmallVector<Value> MinOp::buildTangent(OpBuilder &builder, ArrayRef<Value> dx) {
  return {extremumTangent({builder, getLoc()}, getOperand(), getResult(), getAxes(), dx[0])};
}

} // namespace tenferro::ir
