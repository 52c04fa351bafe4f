// The `custom<EqualTypes>` directive: operands of one type print it once.
#ifndef TENFERRO_DIALECT_EQUALTYPES_H
#define TENFERRO_DIALECT_EQUALTYPES_H

#include "mlir/IR/OpImplementation.h"

namespace tenferro::ir {

/// Parses `type` for both, or `type, type`, so that a mismatch can be written and is reported by the operation's rule.
mlir::ParseResult parseEqualTypes(mlir::OpAsmParser &parser, mlir::Type &first, mlir::Type &second);
void printEqualTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type first, mlir::Type second);
/// The same for three: one type, or all of them.
mlir::ParseResult parseEqualTypes(mlir::OpAsmParser &parser, mlir::Type &first, mlir::Type &second, mlir::Type &third);
void printEqualTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type first, mlir::Type second,
                     mlir::Type third);

} // namespace tenferro::ir

#endif // TENFERRO_DIALECT_EQUALTYPES_H
