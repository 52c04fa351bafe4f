// The vocabulary derivative rules are written in: short builders of tenferro operations at one location.
#ifndef TENFERRO_DIALECT_RULEBUILDER_H
#define TENFERRO_DIALECT_RULEBUILDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tenferro::ir {

/// Builds operations at a location; `named` gives their results a name to print. Result types follow from the operands.
class RuleBuilder {
public:
  RuleBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder_(builder), loc_(loc) {}

  /// The same builder with results called `name`.
  RuleBuilder named(llvm::StringRef name) const;

  mlir::Value add(mlir::Value a, mlir::Value b) const;
  /// One present value, or the sum of two, or nothing.
  mlir::Value addPresent(mlir::Value a, mlir::Value b) const { return a && b ? add(a, b) : a ? a : b; }
  mlir::Value sub(mlir::Value a, mlir::Value b) const;
  mlir::Value mul(mlir::Value a, mlir::Value b) const;
  mlir::Value div(mlir::Value a, mlir::Value b) const;
  mlir::Value neg(mlir::Value x) const;
  mlir::Value abs(mlir::Value x) const;
  mlir::Value sign(mlir::Value x) const;
  mlir::Value pow(mlir::Value a, mlir::Value b) const;
  mlir::Value maximum(mlir::Value a, mlir::Value b) const;
  mlir::Value minimum(mlir::Value a, mlir::Value b) const;
  mlir::Value szmul(mlir::Value slope, mlir::Value tangent) const;
  mlir::Value exp(mlir::Value x) const;
  mlir::Value log(mlir::Value x) const;
  mlir::Value sigmoid(mlir::Value x) const;
  mlir::Value round(mlir::Value x) const;
  mlir::Value cos(mlir::Value x) const;
  mlir::Value sin(mlir::Value x) const;
  mlir::Value sinh(mlir::Value x) const;
  mlir::Value cosh(mlir::Value x) const;
  mlir::Value exp2(mlir::Value x) const;
  mlir::Value rsqrt(mlir::Value x) const;
  mlir::Value hypot(mlir::Value a, mlir::Value b) const;
  mlir::Value isInf(mlir::Value x) const;
  mlir::Value equal(mlir::Value a, mlir::Value b) const;
  mlir::Value less(mlir::Value a, mlir::Value b) const;
  mlir::Value lessEqual(mlir::Value a, mlir::Value b) const;
  mlir::Value select(mlir::Value predicate, mlir::Value onTrue, mlir::Value onFalse) const;
  mlir::Value cast(mlir::Value x, mlir::Type type) const;
  mlir::Value sum(mlir::Value x, llvm::ArrayRef<int64_t> axes) const;
  mlir::Value reshape(mlir::Value x, mlir::Type type) const;
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation) const;
  mlir::Value broadcast(mlir::Value x, llvm::ArrayRef<int64_t> dims, mlir::Type type) const;
  /// Elements [start, limit) along `axis`; all of the others.
  mlir::Value sliceAxis(mlir::Value x, int64_t axis, int64_t start, int64_t limit) const;

  /// A constant of one value everywhere, of this tensor type; floats round to it.
  mlir::Value splat(mlir::Type type, double value) const;

private:
  mlir::OpBuilder &builder_;
  mlir::Location loc_;
};

/// The value every element of a constant has, looking through broadcasts and reshapes, if it is known.
bool isSplatFloat(mlir::Value value, double &splat);

/// `op` again with operand `i` replaced by `tangents[i]` where that is present: the tangent of an operation that is
/// linear in them. An operand of `mask` without a tangent is replaced by zeros.
mlir::Value linearAgain(mlir::OpBuilder &builder, mlir::Operation *op, llvm::ArrayRef<mlir::Value> tangents,
                        llvm::ArrayRef<bool> mask);

} // namespace tenferro::ir

#endif // TENFERRO_DIALECT_RULEBUILDER_H
