// Operations that only programs hold.
#ifndef TENFERRO_DIALECT_STRUCTURE_H
#define TENFERRO_DIALECT_STRUCTURE_H

#include "dialects/tenferro/Interfaces.h"
#include "dialects/tenferro/Schema.h"
#include "dialects/tenferro/TenferroDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/tenferro/Structure.h.inc"

namespace tenferro::ir {

/// The element type in kernels' memory of a tensor's element type: bool and u8 are i8.
mlir::Type memoryType(mlir::Type element);

} // namespace tenferro::ir

#endif // TENFERRO_DIALECT_STRUCTURE_H
