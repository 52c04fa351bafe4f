// The generated table of residual masks, looked up in O(1).
#include "lib/Eager/Trace/ResidualMasks.h"

#include <array>

namespace tenferro::eager {

namespace {

/// Sets of active operands of up to four operands; wider operations keep everything, but a variadic one what its sample
/// of three operands, all active, keeps.
constexpr size_t kSets = 16;
constexpr uint32_t kVariadicSample = 7;
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
  if (active > kVariadicSample && core::schema(kind).operands < 0)
    active = kVariadicSample; // its operands are alike
  return active < kSets ? kTable[static_cast<size_t>(kind)][active] : ResidualMask();
}

} // namespace tenferro::eager
