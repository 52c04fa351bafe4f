// From a location back to the operation of the trace.
#ifndef TENFERRO_TRANSFORMS_TRACENUMBER_H
#define TENFERRO_TRANSFORMS_TRACENUMBER_H

#include "mlir/IR/Location.h"

#include <cstdint>
#include <optional>

namespace tenferro::compiler {

/// The location of operation `number` of a trace.
mlir::Location traceLocation(mlir::MLIRContext *context, uint32_t number);

/// The trace number a location carries: of the operation itself, of the outermost call that inlined it, of the primal
/// operation its rule belongs to; the smallest if several operations were merged; 0 if there is none.
uint32_t traceNumber(mlir::Location location);

/// The same, but of the innermost callee where the operation was inlined.
uint32_t innerTraceNumber(mlir::Location location);

/// As `traceNumber`, but nothing if the location comes from no trace.
std::optional<uint32_t> findTraceNumber(mlir::Location location);

} // namespace tenferro::compiler

#endif // TENFERRO_TRANSFORMS_TRACENUMBER_H
