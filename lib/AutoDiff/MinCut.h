// A minimal cut of a small flow network (Dinic's algorithm), without recursion.
#ifndef TENFERRO_AUTODIFF_MINCUT_H
#define TENFERRO_AUTODIFF_MINCUT_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tenferro::compiler {

class MinCut {
public:
  static constexpr int64_t kInfinite = std::numeric_limits<int64_t>::max() / 4;

  size_t addNode();
  void addEdge(size_t from, size_t to, int64_t capacity);
  /// Sends as much flow as there is and returns it: the capacity of the cut.
  int64_t run(size_t source, size_t sink);
  /// After `run`: the nodes that still reach the sink, so that of several minimal cuts the one next to the sink is
  /// chosen.
  std::vector<bool> sinkSide(size_t sink) const;

private:
  struct Edge {
    size_t to;
    int64_t residual;
  };
  bool buildLevels(size_t source, size_t sink);
  int64_t augment(size_t source, size_t sink);

  std::vector<Edge> edges; ///< edge e and its reverse e ^ 1
  std::vector<std::vector<size_t>> outgoing;
  std::vector<int64_t> level;
  std::vector<size_t> next;
};

} // namespace tenferro::compiler

#endif // TENFERRO_AUTODIFF_MINCUT_H
