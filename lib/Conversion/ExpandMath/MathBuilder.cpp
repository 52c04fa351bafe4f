// Constants, splats and Horner's scheme of the math builder.
#include "lib/Conversion/ExpandMath/MathBuilder.h"

#include "lib/Conversion/ExpandMath/ExpandMath.h"

using namespace mlir;

namespace tenferro::compiler {

/// `type` with its element replaced.
static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

MathBuilder::MathBuilder(OpBuilder &builder, Location loc, Type type)
    : builder(builder), loc(loc), floatType(type), element(cast<FloatType>(getElementTypeOrSelf(type))) {
  integerType = withElement(type, builder.getIntegerType(element.getWidth()));
}

MathBuilder MathBuilder::withElementType(FloatType other) const {
  return MathBuilder(builder, loc, withElement(floatType, other));
}

Value MathBuilder::splat(TypedAttr scalar, Type type) {
  for (auto &[attribute, value] : constants)
    if (attribute == scalar)
      return value;
  TypedAttr attribute = scalar;
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(scalar));
  Value value = arith::ConstantOp::create(builder, loc, type, attribute);
  constants.push_back({scalar, value});
  return value;
}

Value MathBuilder::constant(double value) { return splat(builder.getFloatAttr(element, value), floatType); }

Value MathBuilder::integer(int64_t value) {
  return splat(builder.getIntegerAttr(getElementTypeOrSelf(integerType), value), integerType);
}

SmallVector<Value, 3> MathBuilder::selectRarely(Value mask, ArrayRef<Value> rare, ArrayRef<Value> usual) {
  SmallVector<Value, 3> chosen;
  for (auto [a, b] : llvm::zip_equal(rare, usual)) {
    auto op = arith::SelectOp::create(builder, loc, mask, a, b);
    op->setAttr(kRareAttribute, builder.getUnitAttr());
    chosen.push_back(op);
  }
  return chosen;
}

Value MathBuilder::isSpecial(Value a) {
  int64_t smallest = isDouble() ? 0x0010000000000000 : 0x00800000,
          infinite = isDouble() ? 0x7FF0000000000000 : 0x7F800000;
  Value above = subBits(toBits(a), integer(smallest));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, above, integer(infinite - smallest));
}

Value MathBuilder::polynomialInPairs(Value x, ArrayRef<double> coefficients) {
  SmallVector<Value> terms;
  for (double c : coefficients)
    terms.push_back(constant(c));
  for (Value power = x; terms.size() > 1; power = mul(power, power)) {
    size_t pairs = terms.size() / 2;
    for (size_t i = 0; i < pairs; ++i)
      terms[i] = fma(terms[2 * i + 1], power, terms[2 * i]);
    if (terms.size() % 2)
      terms[pairs++] = terms.back();
    terms.truncate(pairs);
    if (pairs == 1)
      break;
  }
  return terms[0];
}

Value MathBuilder::polynomialOverSquare(Value x, ArrayRef<double> coefficients) {
  Value square = mul(x, x), sum;
  for (size_t i = (coefficients.size() - 1) / 2 * 2 + 2; i > 0; i -= 2) {
    Value term = constant(coefficients[i - 2]);
    if (i <= coefficients.size())
      term = fma(constant(coefficients[i - 1]), x, term);
    sum = sum ? fma(sum, square, term) : term;
  }
  return sum;
}

Value MathBuilder::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = constant(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, constant(c));
  return sum;
}

} // namespace tenferro::compiler
