// Operations that users bring.
#ifndef TENFERRO_DIALECT_EXTENSION_H
#define TENFERRO_DIALECT_EXTENSION_H

#include "dialects/tenferro/Interfaces.h"
#include "dialects/tenferro/Schema.h"
#include "dialects/tenferro/TenferroDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/tenferro/Extension.h.inc"

namespace tenferro::ir {

/// Copies the body of the function `callee`, visible from `from`, to the builder's insertion point and returns what it
/// returns; nothing, after an error, where there is no such function.
llvm::SmallVector<mlir::Value> inlineFunction(mlir::OpBuilder &builder, mlir::Operation *from,
                                              mlir::FlatSymbolRefAttr callee, mlir::ValueRange arguments);

/// Whether derivatives exist for tensors of this type: its elements are floats or complex.
bool isFloatTensor(mlir::Type type);

} // namespace tenferro::ir

#endif // TENFERRO_DIALECT_EXTENSION_H
