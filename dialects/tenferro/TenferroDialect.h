// The dialect itself and its attributes; operations are in the family headers.
#ifndef TENFERRO_DIALECT_TENFERRODIALECT_H
#define TENFERRO_DIALECT_TENFERRODIALECT_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Dialect.h"

#include "dialects/tenferro/TenferroDialect.h.inc"
#include "dialects/tenferro/TenferroEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tenferro/TenferroAttributes.h.inc"

#endif // TENFERRO_DIALECT_TENFERRODIALECT_H
