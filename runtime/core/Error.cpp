// What an exception says, and which class a failure is thrown as.
#include "tenferro/Error.h"

namespace tenferro {

static std::string compose(const Failure &failure) {
  std::string text = failure.op.empty() ? failure.message : failure.op + ": " + failure.message;
  if (!failure.file.empty())
    text += " (" + failure.file + ":" + std::to_string(failure.line) + ")";
  return text;
}

Error::Error(Failure failure) : std::runtime_error(compose(failure)), failure_(std::move(failure)) {}
Error::~Error() = default;
ValidationError::~ValidationError() = default;
NonScalarGrad::~NonScalarGrad() = default;
ContextMismatch::~ContextMismatch() = default;
UnsupportedAdRule::~UnsupportedAdRule() = default;
NumericsError::~NumericsError() = default;
RuntimeError::~RuntimeError() = default;

void raise(Failure failure) {
  switch (failure.kind) {
  case ErrorKind::NonScalarGrad:
    if (failure.shapes.empty())
      failure.shapes.emplace_back();
    throw NonScalarGrad(std::move(failure));
  case ErrorKind::ContextMismatch:
    throw ContextMismatch(std::move(failure));
  case ErrorKind::UnsupportedAdRule:
    throw UnsupportedAdRule(std::move(failure));
  case ErrorKind::NonFinite:
    throw NumericsError(std::move(failure));
  case ErrorKind::Unsupported:
  case ErrorKind::OutOfMemory:
  case ErrorKind::RuntimeState:
  case ErrorKind::Io:
  case ErrorKind::Internal:
    throw RuntimeError(std::move(failure));
  default:
    throw ValidationError(std::move(failure));
  }
}

} // namespace tenferro
