// Linked into every test: no test keeps compiled programs where its user does, or finds some there.
#include <cstdlib>

[[maybe_unused]] static const int noDiskCache = setenv("TENFERRO_CACHE_DIR", "off", 1);
