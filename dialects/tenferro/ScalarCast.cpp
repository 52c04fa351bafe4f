// Conversions between element types, without undefined behaviour at any operand.
#include "dialects/tenferro/ScalarCast.h"

#include "dialects/tenferro/ScalarBuilder.h"

#include <cmath>

using namespace mlir;

namespace tenferro::ir {

namespace {

Value floatToFloat(const ScalarBuilder &from, const ScalarBuilder &to, Value value) {
  if (from.width() == to.width())
    return value;
  return from.width() < to.width() ? to.make<arith::ExtFOp>(to.type(), value)
                                   : to.make<arith::TruncFOp>(to.type(), value);
}

Value floatToInteger(const ScalarBuilder &from, const ScalarBuilder &to, Value value) {
  unsigned bits = to.isUnsigned() ? to.width() : to.width() - 1;
  double high = std::ldexp(1.0, static_cast<int>(bits)); // exact; the first value that does not fit
  double low = to.isUnsigned() ? 0.0 : -high;
  Value aboveLow = from.compare(arith::CmpFPredicate::OGE, value, from.number(low));
  Value belowHigh = from.compare(arith::CmpFPredicate::OLT, value, from.number(high));
  Value fits = from.make<arith::AndIOp>(aboveLow, belowHigh);
  Value safe = from.select(fits, value, from.number(0));
  // Narrow integers go through i32, which vectors convert to directly.
  Value converted;
  if (to.width() < 32) {
    Type i32 = IntegerType::get(value.getContext(), 32);
    converted = to.make<arith::TruncIOp>(to.type(), to.make<arith::FPToSIOp>(i32, safe));
  } else {
    converted = to.make<arith::FPToSIOp>(to.type(), safe);
  }
  APInt most = to.isUnsigned() ? APInt::getMaxValue(to.width()) : APInt::getSignedMaxValue(to.width());
  Value tooHigh = from.compare(arith::CmpFPredicate::OGE, value, from.number(high));
  Value result = to.select(tooHigh, to.integer(most.getSExtValue()), converted);
  if (to.isUnsigned())
    return result; // below zero and NaN are 0 already
  Value tooLow = from.compare(arith::CmpFPredicate::OLT, value, from.number(low));
  return to.select(tooLow, to.integer(APInt::getSignedMinValue(to.width()).getSExtValue()), result);
}

Value integerToInteger(const ScalarBuilder &from, const ScalarBuilder &to, Value value) {
  if (from.width() < to.width())
    return from.isUnsigned() ? to.make<arith::ExtUIOp>(to.type(), value) : to.make<arith::ExtSIOp>(to.type(), value);
  if (from.width() == to.width() && from.isUnsigned() == to.isUnsigned())
    return value;
  // Clamp to the narrower range, which the wider type holds, then cut.
  APInt most =
      to.isUnsigned() ? APInt::getMaxValue(to.width()).zext(64) : APInt::getSignedMaxValue(to.width()).sext(64);
  if (from.isUnsigned()) {
    value = from.make<arith::MinUIOp>(value, from.integer(static_cast<int64_t>(most.getZExtValue())));
  } else {
    int64_t least = to.isUnsigned() ? 0 : APInt::getSignedMinValue(to.width()).getSExtValue();
    value = from.make<arith::MaxSIOp>(value, from.integer(least));
    if (from.width() > to.width())
      value = from.make<arith::MinSIOp>(value, from.integer(most.getSExtValue()));
  }
  return from.width() == to.width() ? value : to.make<arith::TruncIOp>(to.type(), value);
}

} // namespace

Value buildScalarCast(OpBuilder &builder, Location loc, Value value, Type fromType, Type toType) {
  ScalarBuilder from(builder, loc, fromType), to(builder, loc, toType);
  if (from.isBool() && to.isBool())
    return value;
  if (to.isBool())
    return from.isFloat() ? from.compare(arith::CmpFPredicate::UNE, value, from.number(0))
                          : from.compare(arith::CmpIPredicate::ne, value, from.integer(0));
  if (from.isFloat())
    return to.isFloat() ? floatToFloat(from, to, value) : floatToInteger(from, to, value);
  if (to.isFloat())
    return from.isUnsigned() ? to.make<arith::UIToFPOp>(to.type(), value) : to.make<arith::SIToFPOp>(to.type(), value);
  return integerToInteger(from, to, value);
}

} // namespace tenferro::ir
