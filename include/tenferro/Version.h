// The version of the headers, and of the library that is loaded.
#ifndef TENFERRO_VERSION_H
#define TENFERRO_VERSION_H

#include "tenferro/Export.h"

#include <string_view>

// The one place the version is written; the build reads it here.
#define TENFERRO_VERSION_MAJOR 0
#define TENFERRO_VERSION_MINOR 1
#define TENFERRO_VERSION_PATCH 0
#define TENFERRO_VERSION "0.1.0"

namespace tenferro {

/// Of the library that runs: `TENFERRO_VERSION` where it belongs to these headers.
TENFERRO_EXPORT std::string_view version() noexcept;

} // namespace tenferro

#endif // TENFERRO_VERSION_H
