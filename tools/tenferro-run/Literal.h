// Tensors on the command line: "2x3xf64=1,2,3,4,5,6", leftmost index fastest.
#ifndef TENFERRO_TOOLS_TENFERRO_RUN_LITERAL_H
#define TENFERRO_TOOLS_TENFERRO_RUN_LITERAL_H

#include "lib/Core/Expected.h"
#include "lib/Core/Graph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenferro::compiler {

/// A tensor with its elements in memory order, leftmost index fastest.
struct Literal {
  core::ValueType type;
  std::vector<uint8_t> bytes;
};

/// Reads a literal: extents and dtype, '=', as many values as elements, or one for all. A float may be inf or nan, a bool
/// true or false.
core::Expected<Literal> parseLiteral(std::string_view text);

/// The literal as text that `parseLiteral` reads back; floats have the fewest digits that do.
std::string printLiteral(const core::ValueType &type, const void *elements);

} // namespace tenferro::compiler

#endif // TENFERRO_TOOLS_TENFERRO_RUN_LITERAL_H
