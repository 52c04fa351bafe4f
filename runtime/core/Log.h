// The one way out for warnings.
#ifndef TENFERRO_RUNTIME_CORE_LOG_H
#define TENFERRO_RUNTIME_CORE_LOG_H

#include <string_view>

namespace tenferro::runtime {

/// Gives a line to the log function, or to stderr. Never throws.
void logWarning(std::string_view line) noexcept;

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CORE_LOG_H
