// Which build a library is of: the number its linker gave it.
#ifndef TENFERRO_RUNTIME_CACHE_BUILDID_H
#define TENFERRO_RUNTIME_CACHE_BUILDID_H

#include <string>

namespace tenferro::runtime {

/// Of the loaded library or program that `address` is in; empty if it has none.
std::string buildIdAt(const void *address);

/// Of an ELF file, which is not loaded. Without such a number its size and time; empty if it cannot be read.
std::string buildIdOf(const std::string &file);

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CACHE_BUILDID_H
