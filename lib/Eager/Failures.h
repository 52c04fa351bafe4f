// A broken rule of the front end, in one expression.
#ifndef TENFERRO_EAGER_FAILURES_H
#define TENFERRO_EAGER_FAILURES_H

#include "tenferro/Error.h"

#include <string>
#include <string_view>
#include <utility>

namespace tenferro::eager {

inline Failure failureOf(ErrorKind kind, std::string_view op, std::string_view argument, std::string message) {
  Failure failure;
  failure.kind = kind;
  failure.phase = Phase::GraphBuild;
  failure.op = op;
  failure.argument = argument;
  failure.message = std::move(message);
  return failure;
}

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_FAILURES_H
