// Errors under the user's source line.
#ifndef TENFERRO_EAGER_LOCATED_H
#define TENFERRO_EAGER_LOCATED_H

#include "tenferro/Error.h"

#include <source_location>
#include <utility>

namespace tenferro::eager {

/// Raises `failure`; one that names no place yet gets `where`.
[[noreturn]] inline void raiseAt(Failure failure, const std::source_location &where) {
  if (failure.file.empty()) {
    failure.file = where.file_name();
    failure.line = static_cast<int>(where.line());
  }
  raise(std::move(failure));
}

/// What `body` returns; what it raises without a place gets `where`.
template <typename Body> decltype(auto) located(const std::source_location &where, Body &&body) {
  try {
    return std::forward<Body>(body)();
  } catch (const Error &error) {
    if (!error.failure().file.empty())
      throw;
    raiseAt(error.failure(), where);
  }
}

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_LOCATED_H
