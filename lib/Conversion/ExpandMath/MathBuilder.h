// Builds floating-point arithmetic on scalars or vectors of any width from one code: a constant becomes a splat, a
// comparison a mask. The expansions of the math functions are written with it.
#ifndef TENFERRO_CONVERSION_EXPANDMATH_MATHBUILDER_H
#define TENFERRO_CONVERSION_EXPANDMATH_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

namespace tenferro::compiler {

/// Emits arith ops, math.fma and the math ops that are one instruction (absf, sqrt, copysign, floor, roundeven), at
/// the insertion point of the builder it borrows. One value type (f32, f64 or a vector of them) per MathBuilder;
/// integers have the same width and shape. Emits no fast-math flag.
class MathBuilder {
public:
  using Value = mlir::Value;

  /// `type` is f32, f64 or a vector of one of them.
  MathBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

  /// The same builder for the f64 (or f32) type of the same shape.
  MathBuilder withElementType(mlir::FloatType element) const;

  mlir::Type type() const { return floatType; }
  bool isDouble() const { return element.isF64(); }
  /// Bits of the fraction: 23 or 52; the exponent's bias: 127 or 1023.
  int fractionBits() const { return isDouble() ? 52 : 23; }
  int bias() const { return isDouble() ? 1023 : 127; }

  // Constants, shared within one builder.
  Value constant(double value);
  Value integer(int64_t value);
  Value infinity() { return constant(std::numeric_limits<double>::infinity()); }
  Value nan() { return constant(std::numeric_limits<double>::quiet_NaN()); }

  // Floating point.
  Value add(Value a, Value b) { return mlir::arith::AddFOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return mlir::arith::SubFOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) { return mlir::arith::MulFOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) { return mlir::arith::DivFOp::create(builder, loc, a, b); }
  Value neg(Value a) { return mlir::arith::NegFOp::create(builder, loc, a); }
  /// a * b + c with one rounding.
  Value fma(Value a, Value b, Value c) { return mlir::math::FmaOp::create(builder, loc, a, b, c); }
  /// c - a * b with one rounding.
  Value fnma(Value a, Value b, Value c) { return fma(neg(a), b, c); }
  Value abs(Value a) { return mlir::math::AbsFOp::create(builder, loc, a); }
  Value sqrt(Value a) { return mlir::math::SqrtOp::create(builder, loc, a); }
  /// The nearest integer, ties to even.
  Value roundEven(Value a) { return mlir::math::RoundEvenOp::create(builder, loc, a); }
  Value floor(Value a) { return mlir::math::FloorOp::create(builder, loc, a); }
  Value copySign(Value magnitude, Value sign) { return mlir::math::CopySignOp::create(builder, loc, magnitude, sign); }
  /// Horner's scheme over coefficients, lowest degree first.
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients);
  /// The same by Estrin's scheme, pairs of terms and pairs of pairs: a chain of few operations where Horner's has one per
  /// coefficient. For |x| below about 1.
  Value polynomialInPairs(Value x, llvm::ArrayRef<double> coefficients);
  /// Between the two: pairs of terms, then Horner's scheme in x^2. Fewer operations than by Estrin's.
  Value polynomialOverSquare(Value x, llvm::ArrayRef<double> coefficients);

  // Ordered comparisons (false on NaN) and selection.
  Value less(Value a, Value b) { return compare(mlir::arith::CmpFPredicate::OLT, a, b); }
  Value greater(Value a, Value b) { return compare(mlir::arith::CmpFPredicate::OGT, a, b); }
  Value equal(Value a, Value b) { return compare(mlir::arith::CmpFPredicate::OEQ, a, b); }
  Value compare(mlir::arith::CmpFPredicate predicate, Value a, Value b) {
    return mlir::arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value select(Value mask, Value a, Value b) { return mlir::arith::SelectOp::create(builder, loc, mask, a, b); }
  /// Selects between `rare`, where the mask is set, and `usual`, marked with kRareAttribute: one pair or several of one mask.
  Value selectRarely(Value mask, Value rare, Value usual) { return selectRarely(mask, {&rare, 1}, {&usual, 1}).front(); }
  llvm::SmallVector<Value, 3> selectRarely(Value mask, llvm::ArrayRef<Value> rare, llvm::ArrayRef<Value> usual);
  Value either(Value a, Value b) { return mlir::arith::OrIOp::create(builder, loc, a, b); }
  Value both(Value a, Value b) { return mlir::arith::AndIOp::create(builder, loc, a, b); }
  /// Not (|a| < bound): NaN too.
  Value reaches(Value a, double bound) {
    return compare(mlir::arith::CmpFPredicate::UGE, abs(a), constant(bound));
  }
  /// Neither normal and positive nor below infinity: zero, subnormal, negative, infinity, NaN.
  Value isSpecial(Value a);
  /// The bounds applied so that NaN stays NaN.
  Value clampAbove(Value x, double bound) { return select(greater(x, constant(bound)), constant(bound), x); }
  Value clampBelow(Value x, double bound) { return select(less(x, constant(bound)), constant(bound), x); }

  // Integers of the value's width.
  Value toBits(Value a) { return mlir::arith::BitcastOp::create(builder, loc, integerType, a); }
  Value fromBits(Value a) { return mlir::arith::BitcastOp::create(builder, loc, floatType, a); }
  Value addBits(Value a, Value b) { return mlir::arith::AddIOp::create(builder, loc, a, b); }
  Value subBits(Value a, Value b) { return mlir::arith::SubIOp::create(builder, loc, a, b); }
  Value andBits(Value a, Value b) { return mlir::arith::AndIOp::create(builder, loc, a, b); }
  Value orBits(Value a, Value b) { return mlir::arith::OrIOp::create(builder, loc, a, b); }
  Value xorBits(Value a, Value b) { return mlir::arith::XOrIOp::create(builder, loc, a, b); }
  Value isOdd(Value a) {
    Value bit = andBits(a, integer(1));
    return mlir::arith::CmpIOp::create(builder, loc, mlir::arith::CmpIPredicate::ne, bit, integer(0));
  }
  /// The sign of a float, alone in its place.
  Value signBit(Value a) {
    return andBits(toBits(a), integer(isDouble() ? std::numeric_limits<int64_t>::min()
                                                 : int64_t(std::numeric_limits<int32_t>::min())));
  }
  Value shiftLeft(Value a, int n) { return mlir::arith::ShLIOp::create(builder, loc, a, integer(n)); }
  Value shiftRight(Value a, int n) { return mlir::arith::ShRUIOp::create(builder, loc, a, integer(n)); }
  /// 2^(k - bias) from the biased exponent k in [0, 2 bias + 1]; k = 0 gives 0.
  Value powerOfTwo(Value biased) { return fromBits(shiftLeft(biased, fractionBits())); }

  /// Between f32 and f64 values of one shape; `this` is the builder of the result type.
  Value extend(Value a) { return mlir::arith::ExtFOp::create(builder, loc, floatType, a); }
  Value truncate(Value a) { return mlir::arith::TruncFOp::create(builder, loc, floatType, a); }

private:
  Value splat(mlir::TypedAttr scalar, mlir::Type type);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type floatType, integerType;
  mlir::FloatType element;
  llvm::SmallVector<std::pair<mlir::Attribute, Value>, 24> constants; // few enough that a scan beats a hash
};

} // namespace tenferro::compiler

#endif // TENFERRO_CONVERSION_EXPANDMATH_MATHBUILDER_H
