// The version this library was built as.
#include "tenferro/Version.h"

namespace tenferro {

std::string_view version() noexcept { return TENFERRO_VERSION; }

} // namespace tenferro
