// What planning reads of an operation of the dialect without knowing its class.
#ifndef TENFERRO_TRANSFORMS_OPFACTS_H
#define TENFERRO_TRANSFORMS_OPFACTS_H

#include "lib/Core/Graph.h"
#include "lib/Core/OpSchema.h"
#include "mlir/IR/Operation.h"

namespace tenferro::compiler {

/// The schema of an operation of the dialect, or null.
const core::OpSchema *schemaOf(mlir::Operation *op);

/// Whether it is a constant, told fast of what has a schema.
bool isConstant(mlir::Operation *op);

/// An integer or list attribute by name; a single integer is a list of one.
IntList listAttribute(mlir::Operation *op, llvm::StringRef name);

/// Dtype and shape of a value, which must be a tensor of the dialect.
core::ValueType valueTypeOf(mlir::Value value);

/// Bytes of the elements of a value, which must be a tensor of the dialect.
int64_t bytesOf(mlir::Value value);

/// The extents of a value, which must be a tensor.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

} // namespace tenferro::compiler

#endif // TENFERRO_TRANSFORMS_OPFACTS_H
