// A graph as one walk from its outputs would have recorded it: forward calls spliced in, operations in the order of
// that walk.
#ifndef TENFERRO_CORE_WALKORDER_H
#define TENFERRO_CORE_WALKORDER_H

#include "lib/Core/Graph.h"

#include <cstdint>
#include <vector>

namespace tenferro::core {

/// A graph in walk order, under the same transform.
struct OrderedGraph {
  Graph graph;
  Transform transform;
  std::vector<uint32_t> origins; ///< by operation: the one of the given graph it comes from
};

/// Whether a graph calls a function that nothing was derived from.
TENFERRO_EXPORT bool callsForward(const Graph &graph);

/// Replaces forward calls, at any depth of them, by the callees' operations, and puts all operations in order of the
/// first visit from the outputs, operands before users. Derivatives add their terms in the order of the operations: so
/// they get the bits that one trace without the calls gives them. What no output or transformed value needs is left
/// out. The graph is well formed.
TENFERRO_EXPORT OrderedGraph inWalkOrder(const Graph &graph, const Transform &transform);

} // namespace tenferro::core

#endif // TENFERRO_CORE_WALKORDER_H
