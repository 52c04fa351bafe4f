// Calls of recorded functions that nothing was derived from become part of the graph that calls them.
#ifndef TENFERRO_IMPORT_INLINEFORWARD_H
#define TENFERRO_IMPORT_INLINEFORWARD_H

#include "lib/Core/Graph.h"

#include <cstdint>
#include <vector>

namespace tenferro::compiler {

/// A graph without forward calls, under the same transform.
struct FlatGraph {
  core::Graph graph;
  core::Transform transform;
  std::vector<uint32_t> origins; ///< by operation: the one of the given graph it comes from
};

/// Whether a graph calls a forward function.
bool callsForward(const core::Graph &graph);

/// Replaces forward calls, at any depth of them, by the callees' operations. Operations then come by first visit from the
/// outputs, operands before users, as if everything had been recorded in one trace: derivatives add their terms in the order in which
/// they would without the calls. What no output, kept or transformed value needs is left out.
FlatGraph inlineForward(const core::Graph &graph, const core::Transform &transform);

} // namespace tenferro::compiler

#endif // TENFERRO_IMPORT_INLINEFORWARD_H
