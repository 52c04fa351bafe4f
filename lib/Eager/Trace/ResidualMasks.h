// Which values an operation's derivative reads, by its set of active operands: derived at build time by linearizing
// each operation alone.
#ifndef TENFERRO_EAGER_TRACE_RESIDUALMASKS_H
#define TENFERRO_EAGER_TRACE_RESIDUALMASKS_H

#include "lib/Core/OpSchema.h"

#include <cstdint>

namespace tenferro::eager {

struct ResidualMask {
  uint32_t operands = ~uint32_t{0}; ///< bit i: the value of operand i
  bool result = true;      ///< the operation's own result
};

/// `active`: bit i set where operand i is tracked.
ResidualMask residualMask(core::OpKind kind, uint32_t active) noexcept;

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_TRACE_RESIDUALMASKS_H
