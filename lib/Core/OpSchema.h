// The closed list of operations and how each one's attributes are laid out, generated from the dialect's .td files.
#ifndef TENFERRO_CORE_OPSCHEMA_H
#define TENFERRO_CORE_OPSCHEMA_H

#include "tenferro/Export.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace tenferro::core {

/// One enumerator per operation of the dialect that a trace can hold, named as its C++ class without "Op".
enum class OpKind : uint8_t {
#define TENFERRO_OP(Kind, mnemonic, family, operands, flags) Kind,
#include "lib/Core/OpKinds.inc"
};

inline constexpr int kOpKindCount = 0
#define TENFERRO_OP(Kind, mnemonic, family, operands, flags) +1
#include "lib/Core/OpKinds.inc"
    ;

/// How one attribute of an operation is written in the flat list `Attributes`.
enum class AttributeKind : uint8_t {
  Int,         ///< one integer
  IntArray,    ///< a count, then that many integers
  Enum,        ///< one integer: the case of an enumeration (compare's direction)
  ResultShape, ///< a count, then the extents; in IR the result type carries them
  ResultDType, ///< one integer, a DType; in IR the result type carries it
};

struct AttributeSchema {
  std::string_view name;
  AttributeKind kind;
};

/// What is fixed about an operation.
struct OpSchema {
  OpKind kind;
  std::string_view mnemonic; ///< "dot_general"
  std::string_view family;   ///< "Contraction"
  int8_t operands;           ///< -1: variadic
  bool elementwise;          ///< one scalar body applied to every element of equally shaped operands
  bool commutative;
  bool view;                 ///< result can share the operand's storage through strides
  bool reduction;            ///< combines the elements along its axes, which disappear
  std::span<const AttributeSchema> attributes;
};

TENFERRO_EXPORT const OpSchema &schema(OpKind kind) noexcept;

/// The operation with this mnemonic, or null.
TENFERRO_EXPORT const OpSchema *findSchema(std::string_view mnemonic) noexcept;

} // namespace tenferro::core

#endif // TENFERRO_CORE_OPSCHEMA_H
