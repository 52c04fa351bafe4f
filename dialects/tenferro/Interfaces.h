// The op interfaces of the dialect: all a pass needs to know of an operation.
#ifndef TENFERRO_DIALECT_INTERFACES_H
#define TENFERRO_DIALECT_INTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/tenferro/Interfaces.h.inc"

#endif // TENFERRO_DIALECT_INTERFACES_H
