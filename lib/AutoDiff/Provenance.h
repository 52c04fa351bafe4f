// Who made a derivative operation: a fused location with the primal location inside and the rule as metadata.
#ifndef TENFERRO_AUTODIFF_PROVENANCE_H
#define TENFERRO_AUTODIFF_PROVENANCE_H

#include "dialects/tenferro/DerivativeDialectInterface.h"

#include "mlir/IR/Builders.h"

#include <cstdint>

namespace mlir::func {
class FuncOp;
}

namespace tenferro::compiler {

/// The interface of the dialect that supplies add, zero, one and rule attributes; null if it is not loaded.
const ir::DerivativeDialectInterface *derivativeDialect(mlir::MLIRContext *context);

/// A builder whose every operation gets the location of the rule at work: no rule can forget. A name a rule gave with a
/// NameLoc is kept inside.
class ProvenanceBuilder : private mlir::OpBuilder::Listener {
public:
  /// `nameValues`: whether names are kept; else nothing but the rule is in a location.
  ProvenanceBuilder(const ir::DerivativeDialectInterface &dialect, mlir::MLIRContext *context, bool nameValues = true)
      : dialectInterface(dialect), opBuilder(context, this), nameValues(nameValues) {}
  ProvenanceBuilder(const ProvenanceBuilder &) = delete;
  ProvenanceBuilder &operator=(const ProvenanceBuilder &) = delete;

  /// What follows is the tangent of `primal`; one order above the order of `primal` itself. Here and below, an
  /// operation goes by the name the dialect gives to it where it is explained.
  void beginTangent(mlir::Operation *primal) { beginPrimal(primal, /*cotangent=*/false, -1); }
  /// What follows belongs to the seeds and results of the derivative: `exit` is the primal function's terminator.
  void beginExit(mlir::Operation *exit, bool cotangent, int64_t operand) { beginPrimal(exit, cotangent, operand); }
  /// What follows is the cotangent of operand `operand` of the linear operation `linear`. If a rule made that
  /// operation, its primal operation and order stay, and so does the operand where it is the same operation; else it is
  /// a primal operation itself.
  void beginCotangent(mlir::Operation *linear, int64_t operand);

  /// What follows takes the place of `op`, which a rule made.
  void resume(mlir::Operation *op) { current = op->getLoc(); }
  /// The order of the derivative at work; 0 outside of any.
  int64_t order() const;

  /// Lets `value` be printed as the derivative (`prefix`: "d" or "ct") of `of`: %d_tanh, %ct_tanh. A name that the rule
  /// itself gave, or that the value has from an earlier rule, stays.
  void name(mlir::Value value, llvm::StringRef prefix, mlir::Value of);

  mlir::OpBuilder &builder() { return opBuilder; }
  const ir::DerivativeDialectInterface &dialect() const { return dialectInterface; }
  /// The location of the rule at work.
  mlir::Location location() const { return current; }
  /// a + b under the current rule; the other one where one is null.
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value zero(mlir::Type type) { return dialectInterface.zero(opBuilder, current, type); }
  mlir::Value one(mlir::Type type) { return dialectInterface.one(opBuilder, current, type); }

private:
  void beginPrimal(mlir::Operation *primal, bool cotangent, int64_t operand);
  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint previous) override;

  const ir::DerivativeDialectInterface &dialectInterface;
  mlir::OpBuilder opBuilder;
  const bool nameValues;
  mlir::Location current = mlir::UnknownLoc::get(opBuilder.getContext());
};

} // namespace tenferro::compiler

#endif // TENFERRO_AUTODIFF_PROVENANCE_H
