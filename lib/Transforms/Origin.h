// What an operation stands for: itself, or a term of a derivative, and whose. Read from its location.
#ifndef TENFERRO_TRANSFORMS_ORIGIN_H
#define TENFERRO_TRANSFORMS_ORIGIN_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace tenferro::compiler {

/// One answer; an operation that several were merged into has several.
struct Origin {
  /// "mul: cotangent of operand 0": the primal operation, and the term its rule made. "tanh: tangent". "seed" where a
  /// derivative starts. Of a higher order: "mul: cotangent of operand 0, in exp: tangent". Empty: the operation is no
  /// derivative's.
  std::string term;
  /// Of the primal operation; of the outermost call that inlined it.
  mlir::Location place;
};

/// The first `most`, in the order in which they were merged, each once; at least one.
llvm::SmallVector<Origin> originsOf(mlir::Location location, size_t most = 4);

/// "log"; of a function or kernel that a user brought, the user's name for it.
std::string explainedName(mlir::Operation *op);

/// "log" for an operation of the program itself, the term ("log: cotangent of operand 0") for a derivative's.
std::string describeOrigin(mlir::Operation *op);

} // namespace tenferro::compiler

#endif // TENFERRO_TRANSFORMS_ORIGIN_H
