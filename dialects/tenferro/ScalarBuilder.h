// Short builders of arith operations for scalar meanings.
#ifndef TENFERRO_DIALECT_SCALARBUILDER_H
#define TENFERRO_DIALECT_SCALARBUILDER_H

#include "runtime/core/KernelAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace tenferro::ir {

/// Builds scalar operations for elements of a tensor type: u8 is signless i8 that knows it is unsigned, bool is i1.
class ScalarBuilder {
public:
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type tensor);

  bool isFloat() const { return llvm::isa<mlir::FloatType>(element_); }
  bool isBool() const { return element_.isSignlessInteger(1); }
  bool isUnsigned() const { return unsigned_; }
  unsigned width() const { return element_.getIntOrFloatBitWidth(); }
  /// The scalar type: signless.
  mlir::Type type() const { return element_; }

  template <typename OpTy, typename... Args> mlir::Value make(Args &&...args) const {
    return OpTy::create(builder_, loc_, std::forward<Args>(args)...);
  }
  mlir::Value integer(int64_t value) const; ///< a constant of the scalar type
  mlir::Value number(double value) const;   ///< a constant of the scalar type
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b) const;
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value a, mlir::Value b) const;
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) const;
  void raiseIf(mlir::Value condition, runtime::KernelError error) const;

private:
  mlir::OpBuilder &builder_;
  mlir::Location loc_;
  mlir::Type element_;
  bool unsigned_;
};

} // namespace tenferro::ir

#endif // TENFERRO_DIALECT_SCALARBUILDER_H
