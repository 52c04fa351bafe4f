// Refuses malformed graphs: after these checks, import trusts every number it reads.
#ifndef TENFERRO_IMPORT_GRAPHCHECK_H
#define TENFERRO_IMPORT_GRAPHCHECK_H

#include "lib/Core/Expected.h"
#include "lib/Core/Graph.h"

#include <optional>
#include <vector>

namespace tenferro::compiler {

/// How deep calls may nest: far above any order of differentiation, far below what the stack holds.
inline constexpr int kMaxCallDepth = 64;

/// The broken rule of a graph under a transform, calls included, or nothing. Looks at every number of it: operands precede
/// their uses, attributes have their schema's layout, result types are those of the shape rules, calls match their callees.
std::optional<Failure> checkGraph(const core::Graph &graph, const core::Transform &transform);

/// The types of the arguments and of all possible results (active or not) of the program a transform makes of a checked
/// graph.
struct Signature {
  std::vector<core::ValueType> arguments;
  std::vector<core::ValueType> results;
};
Signature signatureOf(const core::Graph &graph, const core::Transform &transform);

/// Pointers to the type of every value of the graph, by number.
std::vector<const core::ValueType *> valueTypes(const core::Graph &graph);

} // namespace tenferro::compiler

#endif // TENFERRO_IMPORT_GRAPHCHECK_H
