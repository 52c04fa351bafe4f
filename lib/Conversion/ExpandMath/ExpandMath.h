// Expands math functions into arithmetic: as a pass (registerExpandMathPasses), and as a plain call for the compiler.
#ifndef TENFERRO_CONVERSION_EXPANDMATH_EXPANDMATH_H
#define TENFERRO_CONVERSION_EXPANDMATH_EXPANDMATH_H

#include "mlir/IR/Operation.h"
#include "mlir/Pass/Pass.h"

namespace tenferro::compiler {

/// On an arith.select of an expansion: its condition holds for few arguments (subnormal, huge, NaN), and what only its second
/// operand needs is long. A generator of vector code may compute that behind a branch that is taken where any lane asks for it.
inline constexpr llvm::StringLiteral kRareAttribute = "tenferro.rare";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/Conversion/ExpandMath/Passes.h.inc"

/// Expands every math function under `root` that has an expansion, in one walk. Fails, with a diagnostic at the op, on
/// an element type other than f32 and f64. `numExpanded`, if given, counts the replaced ops.
mlir::LogicalResult expandMath(mlir::Operation *root, int64_t *numExpanded = nullptr);

} // namespace tenferro::compiler

#endif // TENFERRO_CONVERSION_EXPANDMATH_EXPANDMATH_H
