// Operations that move elements without computing.
#ifndef TENFERRO_DIALECT_MOVEMENT_H
#define TENFERRO_DIALECT_MOVEMENT_H

#include "dialects/tenferro/Interfaces.h"
#include "dialects/tenferro/Schema.h"
#include "dialects/tenferro/TenferroDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/tenferro/Movement.h.inc"

#endif // TENFERRO_DIALECT_MOVEMENT_H
