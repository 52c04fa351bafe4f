// What the launch of an operation of the dialect takes from its attributes.
#ifndef TENFERRO_CODEGEN_PROGRAM_OPERATIONLAUNCH_H
#define TENFERRO_CODEGEN_PROGRAM_OPERATIONLAUNCH_H

#include "lib/Core/OpSchema.h"
#include "mlir/IR/Operation.h"
#include "runtime/program/Program.h"
#include "llvm/ADT/ArrayRef.h"

namespace tenferro::compiler {

/// Sets kind and dimensions: a driver of its own, or a reduction; what is neither stays a map. `operands`: their types.
void describeLaunch(mlir::Operation *op, const core::OpSchema &schema, llvm::ArrayRef<core::ValueType> operands,
                    runtime::Launch &launch);

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_PROGRAM_OPERATIONLAUNCH_H
