// A graph in sizes that nobody asked for: its program tells whether those of two sizes agree by chance.
#ifndef TENFERRO_CORE_SIZEPROBE_H
#define TENFERRO_CORE_SIZEPROBE_H

#include "lib/Core/Graph.h"
#include "tenferro/Export.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tenferro::core {

/// A graph of the structure of another one.
struct SizeProbe {
  Graph graph;
  std::vector<int64_t> sizes; ///< `SizeKey::sizes` of it
};

/// The graph in sizes of our own: those that differ between `graph` and another one of its structure (`second`, the
/// sizes of that) are chosen apart from each other, primes where they can be, but for those that the shape rules tie to
/// others; the rest stay. So no size is a sum, a product or a double of others that it need not be. Where there is room
/// between the neighbours of a size, its order among all sizes stays too: what the compiler decides by comparing sizes
/// is decided alike. Nothing if no such sizes are found, and for graphs that call families of extensions, whose shapes
/// nobody but the user knows.
TENFERRO_EXPORT std::optional<SizeProbe> probeSizes(const Graph &graph, const Transform &transform,
                                                    const std::vector<int64_t> &second);

} // namespace tenferro::core

#endif // TENFERRO_CORE_SIZEPROBE_H
