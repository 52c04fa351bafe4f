// The MLIR context of the compiler: dialects, no threads, diagnostics as failures.
#ifndef TENFERRO_COMPILER_CONTEXT_H
#define TENFERRO_COMPILER_CONTEXT_H

#include "lib/Compiler/CompileInterface.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "tenferro/Error.h"

#include <functional>
#include <memory>
#include <optional>

namespace tenferro::compiler {

/// A context with every dialect the pipelines use, threading off.
std::unique_ptr<mlir::MLIRContext> createContext();

/// While it lives, keeps the first error diagnostic of the context as a Failure instead of printing it.
class DiagnosticCapture {
public:
  /// `place`: where the user wrote an operation of the trace; may be unset.
  explicit DiagnosticCapture(mlir::MLIRContext *context, std::function<SourcePlace(uint32_t)> place = nullptr);

  /// Whether there was an error.
  bool hasFailed() const { return failure_.has_value(); }
  /// The first error; an internal one if the compiler failed without a word.
  Failure failure() const;

private:
  std::optional<Failure> failure_;
  mlir::ScopedDiagnosticHandler handler_;
};

} // namespace tenferro::compiler

#endif // TENFERRO_COMPILER_CONTEXT_H
