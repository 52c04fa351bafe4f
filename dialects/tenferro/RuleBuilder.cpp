// Short builders for derivative rules.
#include "dialects/tenferro/RuleBuilder.h"

#include "dialects/tenferro/Arithmetic.h"
#include "dialects/tenferro/Comparison.h"
#include "dialects/tenferro/Creation.h"
#include "dialects/tenferro/Movement.h"
#include "dialects/tenferro/Reduction.h"
#include "dialects/tenferro/Transcendental.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace tenferro::ir {

RuleBuilder RuleBuilder::named(StringRef name) const {
  return {builder_, NameLoc::get(builder_.getStringAttr(name), loc_)};
}

Value RuleBuilder::add(Value a, Value b) const { return AddOp::create(builder_, loc_, a, b); }
Value RuleBuilder::sub(Value a, Value b) const { return SubOp::create(builder_, loc_, a, b); }
Value RuleBuilder::mul(Value a, Value b) const { return MulOp::create(builder_, loc_, a, b); }
Value RuleBuilder::div(Value a, Value b) const { return DivOp::create(builder_, loc_, a, b); }
Value RuleBuilder::neg(Value x) const { return NegOp::create(builder_, loc_, x); }
Value RuleBuilder::abs(Value x) const { return AbsOp::create(builder_, loc_, x); }
Value RuleBuilder::sign(Value x) const { return SignOp::create(builder_, loc_, x); }
Value RuleBuilder::pow(Value a, Value b) const { return PowOp::create(builder_, loc_, a, b); }
Value RuleBuilder::maximum(Value a, Value b) const { return MaximumOp::create(builder_, loc_, a, b); }
Value RuleBuilder::minimum(Value a, Value b) const { return MinimumOp::create(builder_, loc_, a, b); }
Value RuleBuilder::szmul(Value slope, Value tangent) const { return SzmulOp::create(builder_, loc_, slope, tangent); }
Value RuleBuilder::exp(Value x) const { return ExpOp::create(builder_, loc_, x); }
Value RuleBuilder::log(Value x) const { return LogOp::create(builder_, loc_, x); }
Value RuleBuilder::sigmoid(Value x) const { return SigmoidOp::create(builder_, loc_, x); }
Value RuleBuilder::round(Value x) const { return RoundOp::create(builder_, loc_, x); }
Value RuleBuilder::cos(Value x) const { return CosOp::create(builder_, loc_, x); }
Value RuleBuilder::sin(Value x) const { return SinOp::create(builder_, loc_, x); }
Value RuleBuilder::sinh(Value x) const { return SinhOp::create(builder_, loc_, x); }
Value RuleBuilder::cosh(Value x) const { return CoshOp::create(builder_, loc_, x); }
Value RuleBuilder::exp2(Value x) const { return Exp2Op::create(builder_, loc_, x); }
Value RuleBuilder::rsqrt(Value x) const { return RsqrtOp::create(builder_, loc_, x); }
Value RuleBuilder::hypot(Value a, Value b) const { return HypotOp::create(builder_, loc_, a, b); }
Value RuleBuilder::isInf(Value x) const { return IsInfOp::create(builder_, loc_, x); }
Value RuleBuilder::equal(Value a, Value b) const { return CompareOp::create(builder_, loc_, Direction::EQ, a, b); }
Value RuleBuilder::less(Value a, Value b) const { return CompareOp::create(builder_, loc_, Direction::LT, a, b); }
Value RuleBuilder::lessEqual(Value a, Value b) const { return CompareOp::create(builder_, loc_, Direction::LE, a, b); }
Value RuleBuilder::select(Value predicate, Value onTrue, Value onFalse) const {
  return SelectOp::create(builder_, loc_, predicate, onTrue, onFalse);
}
Value RuleBuilder::cast(Value x, Type type) const { return CastOp::create(builder_, loc_, type, x); }
Value RuleBuilder::sum(Value x, ArrayRef<int64_t> axes) const {
  return axes.empty() ? x : Value(SumOp::create(builder_, loc_, x, axes));
}
Value RuleBuilder::reshape(Value x, Type type) const {
  return x.getType() == type ? x : Value(ReshapeOp::create(builder_, loc_, type, x));
}
Value RuleBuilder::transpose(Value x, ArrayRef<int64_t> permutation) const {
  return llvm::is_sorted(permutation) ? x : Value(TransposeOp::create(builder_, loc_, x, permutation));
}
Value RuleBuilder::broadcast(Value x, ArrayRef<int64_t> dims, Type type) const {
  return BroadcastInDimOp::create(builder_, loc_, type, x, dims);
}
Value RuleBuilder::sliceAxis(Value x, int64_t axis, int64_t start, int64_t limit) const {
  ArrayRef<int64_t> shape = mlir::cast<ShapedType>(x.getType()).getShape();
  SmallVector<int64_t> starts(shape.size(), 0), limits(shape), strides(shape.size(), 1);
  starts[axis] = start;
  limits[axis] = limit;
  return SliceOp::create(builder_, loc_, x, starts, limits, strides);
}

Value RuleBuilder::splat(Type type, double value) const {
  auto tensor = llvm::cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  Attribute attribute;
  if (isa<FloatType>(element))
    attribute = builder_.getFloatAttr(element, value);
  else
    attribute = builder_.getIntegerAttr(element, static_cast<int64_t>(value));
  return ConstantOp::create(builder_, loc_, type, DenseElementsAttr::get(tensor, attribute));
}

bool isSplatFloat(Value value, double &splat) {
  Operation *op = value.getDefiningOp();
  while (op && isa<BroadcastInDimOp, ReshapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  auto elements = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : DenseFPElementsAttr();
  if (!elements || !elements.isSplat())
    return false;
  splat = elements.getSplatValue<APFloat>().convertToDouble();
  return true;
}

Value linearAgain(OpBuilder &builder, Operation *op, ArrayRef<Value> tangents, ArrayRef<bool> mask) {
  IRMapping mapping;
  Operation *again = op->cloneWithoutRegions(mapping);
  for (unsigned i = 0, count = op->getNumOperands(); i < count; ++i)
    if (mask[i])
      again->setOperand(i, tangents[i] ? tangents[i]
                                       : RuleBuilder(builder, op->getLoc()).splat(op->getOperand(i).getType(), 0.0));
  return builder.insert(again)->getResult(0);
}

} // namespace tenferro::ir
