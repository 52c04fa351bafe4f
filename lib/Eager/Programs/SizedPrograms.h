// Programs by structure and sizes: made from those of other sizes where they follow, else compiled.
#ifndef TENFERRO_EAGER_PROGRAMS_SIZEDPROGRAMS_H
#define TENFERRO_EAGER_PROGRAMS_SIZEDPROGRAMS_H

#include "lib/Eager/Programs/ProgramSource.h"
#include "lib/Eager/Programs/TransformedProgram.h"
#include "lib/Eager/RuntimeState.h"

#include <memory>
#include <string>

namespace tenferro::eager {

/// The program under the full key `text`: made for its sizes if it follows from others, else from the AdContext's
/// cache, else from disk, else compiled now, in `tier`, or fused where that is `welcome` and there. Raises what the
/// compiler raises.
std::shared_ptr<TransformedProgram> transformed(RuntimeState &state, const ProgramSource &source,
                                                runtime::CpuLevel level, Tier tier, bool welcome, std::string text);

/// That tier of a program: what is there, what follows from other sizes, else compiled now. One that was compiled is
/// compiled in every tier: others are compared with it.
const runtime::LoadedProgram &tierOf(const RuntimeState &state, TransformedProgram &program, Tier tier,
                                     const ProgramSource &source);

/// Makes the fused program from those of other sizes, if they are there.
bool followFused(TransformedProgram &program);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_PROGRAMS_SIZEDPROGRAMS_H
