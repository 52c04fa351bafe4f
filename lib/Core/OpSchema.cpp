// The table of operations, from the generated lists.
#include "lib/Core/OpSchema.h"

#include <array>

namespace tenferro::core {

namespace {

#define TENFERRO_ATTRIBUTES(Kind, count, ...) constexpr std::array<AttributeSchema, count> k##Kind = {{__VA_ARGS__}};
#include "lib/Core/OpAttributes.inc"

constexpr OpSchema row(OpKind kind, std::string_view mnemonic, std::string_view family, int operands, int flags,
                       std::span<const AttributeSchema> attributes) {
  return {
      kind,      mnemonic, family, static_cast<int8_t>(operands), (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, (flags & 8) != 0,
      attributes};
}

constexpr OpSchema kSchemas[] = {
#define TENFERRO_OP(Kind, mnemonic, family, operands, flags)                                                           \
  row(OpKind::Kind, mnemonic, family, operands, flags, k##Kind),
#include "lib/Core/OpKinds.inc"
};

} // namespace

const OpSchema &schema(OpKind kind) noexcept { return kSchemas[static_cast<size_t>(kind)]; }

const OpSchema *findSchema(std::string_view mnemonic) noexcept {
  for (const OpSchema &schema : kSchemas)
    if (schema.mnemonic == mnemonic)
      return &schema;
  return nullptr;
}

} // namespace tenferro::core
