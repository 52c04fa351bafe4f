// Dinic's algorithm: shortest augmenting paths in levels, found with an explicit stack.
#include "lib/AutoDiff/MinCut.h"

#include <algorithm>

namespace tenferro::compiler {

size_t MinCut::addNode() {
  outgoing.emplace_back();
  return outgoing.size() - 1;
}

void MinCut::addEdge(size_t from, size_t to, int64_t capacity) {
  outgoing[from].push_back(edges.size());
  edges.push_back({to, capacity});
  outgoing[to].push_back(edges.size());
  edges.push_back({from, 0});
}

bool MinCut::buildLevels(size_t source, size_t sink) {
  level.assign(outgoing.size(), -1);
  std::vector<size_t> queue{source};
  level[source] = 0;
  for (size_t head = 0; head < queue.size(); ++head)
    for (size_t e : outgoing[queue[head]])
      if (edges[e].residual > 0 && level[edges[e].to] < 0) {
        level[edges[e].to] = level[queue[head]] + 1;
        queue.push_back(edges[e].to);
      }
  return level[sink] >= 0;
}

int64_t MinCut::augment(size_t source, size_t sink) {
  std::vector<size_t> path; // edges from the source to the node we stand on
  size_t node = source;
  while (node != sink) {
    if (next[node] < outgoing[node].size()) {
      size_t e = outgoing[node][next[node]];
      if (edges[e].residual > 0 && level[edges[e].to] == level[node] + 1) {
        path.push_back(e);
        node = edges[e].to;
      } else {
        ++next[node];
      }
      continue;
    }
    if (path.empty())
      return 0;
    node = edges[path.back() ^ 1].to; // a dead end: step back and never come again
    ++next[node];
    path.pop_back();
  }
  int64_t flow = kInfinite;
  for (size_t e : path)
    flow = std::min(flow, edges[e].residual);
  for (size_t e : path) {
    edges[e].residual -= flow;
    edges[e ^ 1].residual += flow;
  }
  return flow;
}

int64_t MinCut::run(size_t source, size_t sink) {
  int64_t total = 0;
  while (buildLevels(source, sink)) {
    next.assign(outgoing.size(), 0);
    while (int64_t flow = augment(source, sink))
      total += flow;
  }
  return total;
}

std::vector<bool> MinCut::sinkSide(size_t sink) const {
  std::vector<bool> reaches(outgoing.size(), false);
  std::vector<size_t> queue{sink};
  reaches[sink] = true;
  for (size_t head = 0; head < queue.size(); ++head)
    for (size_t e : outgoing[queue[head]]) {
      size_t from = edges[e].to;
      if (!reaches[from] && edges[e ^ 1].residual > 0) {
        reaches[from] = true;
        queue.push_back(from);
      }
    }
  return reaches;
}

} // namespace tenferro::compiler
