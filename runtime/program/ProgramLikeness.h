// Whether two programs are the same apart from their sizes.
#ifndef TENFERRO_RUNTIME_PROGRAM_PROGRAMLIKENESS_H
#define TENFERRO_RUNTIME_PROGRAM_PROGRAMLIKENESS_H

#include "runtime/program/Program.h"
#include "tenferro/Error.h"

#include <optional>
#include <string>

namespace tenferro::runtime {

/// What differs between two programs, or nothing. Not looked at are numbers that may follow sizes, whose count is the
/// same: extents of arguments and values, starts of views, low paddings, sizes of windows; and the places of values in
/// the arena.
std::optional<Failure> compareApartFromSizes(const CompiledArtifact &a, const CompiledArtifact &b);

/// Why programs of one structure do not give each other.
Failure unlike(std::string message);

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_PROGRAM_PROGRAMLIKENESS_H
