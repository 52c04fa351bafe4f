// Errors under the user's source line.
#ifndef TENFERRO_EAGER_LOCATED_H
#define TENFERRO_EAGER_LOCATED_H

#include "tenferro/Error.h"

#include <source_location>
#include <typeinfo>
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

/// Whether the error is of one of the library's classes: raising its failure again gives an equal one.
inline bool isOwnClass(const Error &error) noexcept {
  const std::type_info &type = typeid(error);
  return type == typeid(ValidationError) || type == typeid(RuntimeError) || type == typeid(NonScalarGrad) ||
         type == typeid(ContextMismatch) || type == typeid(UnsupportedAdRule) || type == typeid(NumericsError);
}

/// What `body` returns; what it raises without a place gets `where`. Errors of the user's own classes stay as they are.
template <typename Body> decltype(auto) located(const std::source_location &where, Body &&body) {
  try {
    return std::forward<Body>(body)();
  } catch (const Error &error) {
    if (!error.failure().file.empty() || !isOwnClass(error))
      throw;
    raiseAt(error.failure(), where);
  }
}

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_LOCATED_H
