// Short spellings of the runtime's own failures.
#ifndef TENFERRO_RUNTIME_CORE_FAILURES_H
#define TENFERRO_RUNTIME_CORE_FAILURES_H

#include "tenferro/Error.h"

#include <string>
#include <utility>

namespace tenferro::runtime {

inline Failure makeFailure(ErrorKind kind, std::string op, std::string message) {
  Failure failure;
  failure.kind = kind;
  failure.phase = Phase::Execution;
  failure.op = std::move(op);
  failure.message = std::move(message);
  return failure;
}

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CORE_FAILURES_H
