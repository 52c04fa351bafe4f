// Where the library's few warnings go.
#ifndef TENFERRO_LOG_H
#define TENFERRO_LOG_H

#include "tenferro/Export.h"

#include <functional>
#include <string_view>

namespace tenferro {

/// What receives a warning: one line without its end.
using LogFunction = std::function<void(std::string_view)>;

/// From now on warnings go to `function`; to stderr, after "tenferro: ", if it is empty, as at the start. It may be
/// called from any thread, also from one of the library's own; what it throws is dropped. Thread safety: may be called
/// at any time.
TENFERRO_EXPORT void setLogFunction(LogFunction function);

} // namespace tenferro

#endif // TENFERRO_LOG_H
