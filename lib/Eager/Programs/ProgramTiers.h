// The tiers of a program that is compiled for its own sizes: from disk, or else made in the calling thread.
#ifndef TENFERRO_EAGER_PROGRAMS_PROGRAMTIERS_H
#define TENFERRO_EAGER_PROGRAMS_PROGRAMTIERS_H

#include "lib/Eager/Programs/CompileQueue.h"
#include "lib/Eager/Programs/DiskPrograms.h"
#include "lib/Eager/Programs/ProgramSource.h"
#include "lib/Eager/Programs/TransformedProgram.h"
#include "lib/Eager/RuntimeState.h"

#include <string>

namespace tenferro::eager {

/// What the text of a program has beside its structure.
std::string targetText(const Target &target);

CompileLedger &ledgerOf(const RuntimeState &state);

/// What a tier of a program of `graph` is called on disk. Without families its text holds in every process.
std::string diskKeyOf(const TransformedProgram &program, const CalledFamilies &families, const core::Graph &graph,
                      const core::Transform &transform, Tier tier);

/// Takes what was found on disk, if there was anything.
bool adopt(TransformedProgram &program, Tier tier, const CalledFamilies &families, runtime::DiskCache::Entry &found);

/// That tier of a program, from disk, or else made in the calling thread. Raises what the compiler raises.
const runtime::LoadedProgram &compiledTierOf(const RuntimeState &state, TransformedProgram &program, Tier tier,
                                             const ProgramSource &source);

/// The tier that a new program begins with.
Tier firstTier(const RuntimeState &state) noexcept;

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_PROGRAMS_PROGRAMTIERS_H
