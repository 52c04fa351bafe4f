// Minimal cuts against a search over all cuts.
#include "lib/AutoDiff/MinCut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

using tenferro::compiler::MinCut;

namespace {

using Edges = std::vector<std::tuple<size_t, size_t, int64_t>>; ///< from, to, capacity

/// The capacity of the cut that separates the nodes in `sinkSide` from the others.
int64_t capacity(const Edges &edges, const std::vector<bool> &sinkSide) {
  int64_t total = 0;
  for (auto [from, to, value] : edges)
    if (!sinkSide[from] && sinkSide[to])
      total += value;
  return total;
}

MinCut build(size_t nodes, const Edges &edges) {
  MinCut network;
  for (size_t i = 0; i < nodes; ++i)
    network.addNode();
  for (auto [from, to, value] : edges)
    network.addEdge(from, to, value);
  return network;
}

TEST(MinCut, PrefersTheCutNextToTheSink) {
  // 0 -3-> 2 -3-> 3 -3-> 1: any edge would do.
  MinCut network = build(4, {{0, 2, 3}, {2, 3, 3}, {3, 1, 3}});
  EXPECT_EQ(network.run(0, 1), 3);
  EXPECT_EQ(network.sinkSide(1), (std::vector<bool>{false, true, false, false}));
}

TEST(MinCut, TakesTheCheaperOfOneAndTwo) {
  // Two values of 8 bytes computed from one of 10: keep the one.
  Edges edges{{0, 2, MinCut::kInfinite}, {2, 3, 10}, {3, 4, MinCut::kInfinite}, {4, 5, 8}, {5, 1, MinCut::kInfinite},
              {3, 6, MinCut::kInfinite}, {6, 7, 8},  {7, 1, MinCut::kInfinite}};
  MinCut network = build(8, edges);
  EXPECT_EQ(network.run(0, 1), 10);
  std::vector<bool> late = network.sinkSide(1);
  EXPECT_TRUE(late[3] && !late[2]);
}

TEST(MinCut, IsMinimalAmongAllCuts) {
  std::mt19937 random(20);
  for (int round = 0; round < 300; ++round) {
    size_t nodes = 3 + random() % 6;
    Edges edges;
    for (size_t k = 0; k < 2 * nodes; ++k) {
      size_t from = random() % nodes, to = random() % nodes;
      if (from != to && to != 0 && from != 1)
        edges.emplace_back(from, to, static_cast<int64_t>(random() % 10));
    }
    int64_t best = MinCut::kInfinite;
    for (size_t chosen = 0; chosen < size_t{1} << (nodes - 2); ++chosen) {
      std::vector<bool> sinkSide(nodes, false);
      sinkSide[1] = true;
      for (size_t i = 2; i < nodes; ++i)
        sinkSide[i] = chosen >> (i - 2) & 1;
      best = std::min(best, capacity(edges, sinkSide));
    }
    MinCut network = build(nodes, edges);
    ASSERT_EQ(network.run(0, 1), best) << "round " << round;
    ASSERT_EQ(capacity(edges, network.sinkSide(1)), best) << "round " << round;
  }
}

TEST(MinCut, LongChainsNeedNoStack) {
  MinCut network;
  network.addNode();
  network.addNode();
  size_t last = 0;
  for (int i = 0; i < 200000; ++i) {
    size_t node = network.addNode();
    network.addEdge(last, node, 5);
    last = node;
  }
  network.addEdge(last, 1, 4);
  EXPECT_EQ(network.run(0, 1), 4);
}

} // namespace
