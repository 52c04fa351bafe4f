// The MLIR context of the compiler: dialects, no threads, diagnostics as failures.
#include "lib/Compiler/Context.h"

#include "dialects/tenferro/TenferroDialect.h"
#include "lib/CodeGen/Cpu/CpuCodeGen.h"
#include "lib/Transforms/TraceNumber.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenferro::compiler {

std::unique_ptr<MLIRContext> createContext() {
  DialectRegistry registry;
  registry.insert<ir::TenferroDialect, arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect>();
  registerCpuCodeGenDialects(registry);
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

/// "'tenferro.tanh' op expects ..." names its operation; the rest is the message.
static Failure toFailure(const Diagnostic &diagnostic) {
  Failure failure;
  failure.kind = ErrorKind::Internal;
  failure.phase = Phase::Compile;
  failure.op = "compile";
  std::string text = diagnostic.str();
  StringRef rest = text;
  if (rest.consume_front("'tenferro.")) {
    auto [op, message] = rest.split("' op ");
    failure.op = op.str();
    rest = message;
  } else if (rest.starts_with("'")) { // what a user brought, by its name
    auto [name, message] = rest.drop_front().split("' ");
    failure.op = name.str();
    rest = message;
  }
  failure.message = rest.str();
  if (rest.contains("no derivative rule"))
    failure.kind = ErrorKind::UnsupportedAdRule;
  if (rest.starts_with("expects a jvp rule"))
    failure.kind = ErrorKind::InvalidArgument;
  return failure;
}

DiagnosticCapture::DiagnosticCapture(MLIRContext *context, std::function<SourcePlace(uint32_t)> place)
    : handler_(context, [this, place = std::move(place)](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error || failure_)
          return success();
        failure_ = toFailure(diagnostic);
        if (std::optional<uint32_t> number = findTraceNumber(diagnostic.getLocation()); number && place) {
          SourcePlace written = place(*number);
          failure_->file = std::move(written.file);
          failure_->line = written.line;
        }
        return success();
      }) {}

Failure DiagnosticCapture::failure() const {
  if (failure_)
    return *failure_;
  Failure failure;
  failure.kind = ErrorKind::Internal;
  failure.phase = Phase::Compile;
  failure.op = "compile";
  failure.message = "the compiler failed without a diagnostic";
  return failure;
}

} // namespace tenferro::compiler
