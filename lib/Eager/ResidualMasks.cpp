// The generated table of residual masks, looked up in O(1).
#include "lib/Eager/ResidualMasks.h"

#include <array>

namespace tenferro::eager {

namespace {

/// Sets of active operands of up to three operands. A wider set of a variadic operation keeps what the widest of these
/// does; other wide operations keep everything.
constexpr size_t kSets = 8;
using Table = std::array<std::array<ResidualMask, kSets>, core::kOpKindCount>;

constexpr Table makeTable() {
  Table table;
#define TENFERRO_MASK(Kind, active, operandMask, resultNeeded)                                                         \
  table[static_cast<size_t>(core::OpKind::Kind)][active] = {operandMask, (resultNeeded) != 0};
#include "lib/Eager/ResidualMasks.inc"
#undef TENFERRO_MASK
  return table;
}

constexpr Table kTable = makeTable();

} // namespace

ResidualMask residualMask(core::OpKind kind, uint32_t active) noexcept {
  if (active >= kSets && core::schema(kind).operands < 0)
    active = kSets - 1; // its operands are alike
  return active < kSets ? kTable[static_cast<size_t>(kind)][active] : ResidualMask();
}

} // namespace tenferro::eager
