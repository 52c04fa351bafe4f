// Fused programs made by the background thread.
#ifndef TENFERRO_EAGER_PROGRAMS_FUSEDCOMPILE_H
#define TENFERRO_EAGER_PROGRAMS_FUSEDCOMPILE_H

#include "lib/Eager/Programs/ProgramSource.h"
#include "lib/Eager/Programs/TransformedProgram.h"
#include "lib/Eager/RuntimeState.h"

#include <memory>

namespace tenferro::eager {

/// Under the default policy a program is compiled behind the caller when it has been asked for this often. A compile
/// costs as much as ten to thirty first calls: too much for what is asked for once (a check, an odd last batch).
/// Measured over 36 structures, once against twice: used once, 133 against 9 ms of CPU time (3 operations) and 1012
/// against 33 ms (40 operations); used 2, 3, 5, 20 or 200 times, no difference in wall or CPU time above the noise of 5
/// %.
inline constexpr uint32_t kAsksBeforeCompile = 2;

/// Counts that a program without a fused one was asked for, and has it compiled behind if that was often enough. Of a
/// program that follows from others, those are compiled. False if no fused program will come of it.
bool askForFused(const RuntimeState &state, const std::shared_ptr<TransformedProgram> &program,
                 const ProgramSource &source);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_PROGRAMS_FUSEDCOMPILE_H
