// The derivative transforms as plain functions: what the passes and the compile service call.
#ifndef TENFERRO_AUTODIFF_DERIVE_H
#define TENFERRO_AUTODIFF_DERIVE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir {
class ModuleOp;
}

namespace tenferro::compiler {

/// A derivative program, inserted after the function it came from.
struct Derived {
  mlir::func::FuncOp function;
  /// Which derivatives exist: for a vjp one entry per `wrt`, for a jvp one per result of the function. An entry that is
  /// false is structurally zero and has no result.
  llvm::SmallVector<bool> active;
};

struct VjpOptions {
  /// Name of the new function; empty: the old name with "_vjp".
  std::string result;
  /// The cotangent of each result is one instead of an argument.
  bool seedOnes = false;
  /// Also return the results of the function, before the gradients.
  bool keepPrimal = false;
  /// Give values names to print: %ct_exp. A program that nobody reads is derived faster without.
  bool nameValues = true;
  /// The operations of the function move into the derivative, and the function is erased: for a caller that needs it no
  /// more. What is dead in the derivative stays for the caller's own sweep.
  bool consume = false;
};

struct JvpOptions {
  std::string result; ///< empty: the old name with "_jvp"
  bool keepPrimal = false;
  bool nameValues = true; ///< as for a vjp
  bool consume = false;   ///< as for a vjp
};

/// (arguments, one cotangent per result unless seeded) -> ([results,] one gradient per active entry of `wrt`). `wrt`
/// holds values of the function: arguments, or results of operations; the gradient at such a point does not cut the
/// paths through it. Fails with a diagnostic where an operation has no rule.
mlir::FailureOr<Derived> buildVjp(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> wrt,
                                  const VjpOptions &options);
mlir::FailureOr<Derived> buildVjp(mlir::func::FuncOp function, llvm::ArrayRef<unsigned> wrt, const VjpOptions &options);

/// (arguments, one tangent per entry of `wrt`) -> ([results,] one tangent per active result). A tangent along the
/// result of an operation moves that value alone.
mlir::FailureOr<Derived> buildJvp(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> wrt,
                                  const JvpOptions &options);
mlir::FailureOr<Derived> buildJvp(mlir::func::FuncOp function, llvm::ArrayRef<unsigned> wrt, const JvpOptions &options);

struct Linearized {
  mlir::func::FuncOp primal;      ///< (arguments) -> (results, residuals)
  mlir::func::FuncOp linear;      ///< (residuals, one tangent per entry of wrt) -> one tangent per active result
  llvm::SmallVector<bool> active; ///< one entry per result
};

/// Splits the derivative of a function into what does not depend on the tangents and what does.
mlir::FailureOr<Linearized> linearize(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> wrt);

/// The transpose of a function with the attribute `tenferro.linear`: (its other arguments, one cotangent per result) ->
/// (one cotangent per linear argument), linear in the cotangents.
mlir::FailureOr<mlir::func::FuncOp> transpose(mlir::func::FuncOp function, llvm::StringRef result);

/// Chooses what crosses from `primal` to `linear` by a minimal cut over bytes; cheap operations move. Returns the bytes
/// saved.
int64_t selectResiduals(mlir::func::FuncOp primal, mlir::func::FuncOp linear);

/// Replaces kept values: see `LowerResidualsPass`. Returns how many operations went.
int64_t lowerResiduals(mlir::func::FuncOp function);

/// Checks that a function with `tenferro.linear` is linear in those arguments, operation by operation.
mlir::LogicalResult verifyLinearity(mlir::func::FuncOp function);

/// Checks that the jvp rule of `name`, of one block, is linear in its last `tangents` arguments; an operation of a user
/// of which nothing is known may consume them. Fails with a diagnostic at `place`: a rule that ignores its tangents
/// would be a zero gradient that nobody asked for.
mlir::LogicalResult verifyForwardRule(mlir::func::FuncOp rule, unsigned tangents, llvm::StringRef name,
                                      mlir::Location place);

//===- Help for passes ------------------------------------------------------------------------------------------===//

/// The function of this name, or the only one there is if the name is empty; null after a diagnostic.
mlir::func::FuncOp findFunction(mlir::ModuleOp module, llvm::StringRef name);

/// The arguments with these numbers, or all differentiable ones if there are none; fails with a diagnostic.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> selectArguments(mlir::func::FuncOp function,
                                                                llvm::ArrayRef<unsigned> numbers);

/// Succeeds if the function is one block of operations on tensors and the name `result` is free beside it; else says
/// what is wrong.
mlir::LogicalResult checkDerivable(mlir::func::FuncOp function, llvm::StringRef result);

} // namespace tenferro::compiler

#endif // TENFERRO_AUTODIFF_DERIVE_H
