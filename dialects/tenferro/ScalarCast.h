// The scalar meaning of a conversion between any two element types.
#ifndef TENFERRO_DIALECT_SCALARCAST_H
#define TENFERRO_DIALECT_SCALARCAST_H

#include "mlir/IR/Builders.h"

namespace tenferro::ir {

/// Converts a scalar between the element types of two tensor types: floats round to nearest even, to an integer
/// truncates and saturates with NaN to 0, to bool is "not zero".
mlir::Value buildScalarCast(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type from,
                            mlir::Type to);

} // namespace tenferro::ir

#endif // TENFERRO_DIALECT_SCALARCAST_H
