// Sizes that nobody chose: they keep the structure and what the shape rules tie together, and nothing else.
#include "lib/Core/SizeProbe.h"

#include "lib/Core/SizeKey.h"

#include <gtest/gtest.h>

#include <numeric>

namespace tenferro::core {
namespace {

using Sizes = std::vector<int64_t>;

ValueType f64(Shape shape) { return {DType::F64, std::move(shape)}; }

/// The probe of a graph whose second sizes are given; its structure is that of the graph.
std::optional<SizeProbe> probe(const Graph &graph, const Sizes &second) {
  std::optional<SizeProbe> made = probeSizes(graph, {}, second);
  if (made) {
    SizeKey key = eraseSizes(structureKey(graph, {})), other = eraseSizes(structureKey(made->graph, {}));
    EXPECT_EQ(key.text, other.text);
    EXPECT_EQ(made->sizes, other.sizes);
    for (size_t k = 0; k < second.size(); ++k)
      if (second[k] == key.sizes[k])
        EXPECT_EQ(made->sizes[k], second[k]) << k;
      else
        EXPECT_TRUE(made->sizes[k] != second[k] && made->sizes[k] != key.sizes[k]) << k;
  }
  return made;
}

/// x[n] and y[m], each negated.
Graph apart(int64_t n, int64_t m) {
  Graph graph;
  graph.inputs = {f64({n}), f64({m})};
  graph.ops = {{OpKind::Neg, {}, {0}, {f64({n})}, {}, {}}, {OpKind::Neg, {}, {1}, {f64({m})}, {}, {}}};
  graph.outputs = {2, 3};
  return graph;
}

} // namespace

TEST(SizeProbe, SizesThatAreFreeAreUnrelated) {
  // m is 4 n, n + 1 and 2 n - 1 for both: by chance.
  for (auto [n, m, n2, m2] : {std::array<int64_t, 4>{5, 20, 7, 28}, {64, 65, 66, 67}, {3, 5, 4, 7}, {9, 81, 11, 121}}) {
    auto made = probe(apart(n, m), {n2, m2});
    ASSERT_TRUE(made);
    const int64_t p = made->sizes[0], q = made->sizes[1];
    EXPECT_TRUE(q != 4 * p && q != p + 1 && q != 2 * p - 1 && q != p * p) << p << " " << q;
    EXPECT_GE(p, 37);
    // No stride goes through all three.
    EXPECT_EQ(std::gcd(p - n, n2 - n), 1);
    EXPECT_EQ(std::gcd(q - m, m2 - m), 1);
  }
}

TEST(SizeProbe, WhatTheRulesTieStaysTied) {
  // concatenate(x[n], x[n], y[m]) + z[2 n + m], and the same as [2 n + m, 1] of a matrix.
  auto joined = [](int64_t n, int64_t m) {
    Graph graph;
    graph.inputs = {f64({n}), f64({m}), f64({2 * n + m})};
    graph.ops = {{OpKind::Concatenate, {0}, {0, 0, 1}, {f64({2 * n + m})}, {}, {}},
                 {OpKind::Add, {}, {3, 2}, {f64({2 * n + m})}, {}, {}}};
    graph.outputs = {4};
    return graph;
  };
  auto made = probe(joined(5, 6), {7, 8, 22});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->sizes[2], 2 * made->sizes[0] + made->sizes[1]);

  // reshape x[n] to [m, 2] and y[k, 3] to [j]
  auto reshaped = [](int64_t m, int64_t k) {
    Graph graph;
    graph.inputs = {f64({2 * m}), f64({k, 3})};
    graph.ops = {{OpKind::Reshape, {2, m, 2}, {0}, {f64({m, 2})}, {}, {}},
                 {OpKind::Reshape, {1, 3 * k}, {1}, {f64({3 * k})}, {}, {}}};
    graph.outputs = {2, 3};
    return graph;
  };
  SizeKey key = eraseSizes(structureKey(reshaped(10, 30), {}));
  EXPECT_EQ(key.sizes, (Sizes{20, 30, 3, 10, 2, 90}));
  made = probe(reshaped(10, 30), {22, 31, 3, 11, 2, 93});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->sizes[0], 2 * made->sizes[3]);
  EXPECT_EQ(made->sizes[5], 3 * made->sizes[1]);
  EXPECT_EQ(made->sizes[2], 3);
}

TEST(SizeProbe, StridedSlicesAndCallsFollow) {
  // The gradient of sum(x[::2]), called: its results have the sizes of what it is differentiated by.
  auto called = [](int64_t n) {
    const int64_t half = (n + 1) / 2;
    Graph inner;
    inner.inputs = {f64({n})};
    inner.ops = {{OpKind::Slice, {1, 0, 1, n, 1, 2}, {0}, {f64({half})}, {}, {}},
                 {OpKind::Sum, {1, 0}, {1}, {f64({})}, {}, {}}};
    inner.outputs = {2};
    Graph graph;
    graph.inputs = {f64({n})};
    graph.ops = {{}};
    graph.ops[0].operands = {0};
    graph.ops[0].results = {f64({n})};
    graph.ops[0].callee =
        std::make_shared<DerivedFunction>(DerivedFunction{inner, {TransformKind::Vjp, {0}, true}, {true}});
    graph.outputs = {1};
    return graph;
  };
  auto made = probe(called(9), {11, 6});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->sizes[0] % 2, 0) << "9 and 11 are odd";
  EXPECT_EQ(made->sizes[1], made->sizes[0] / 2);
}

TEST(SizeProbe, PositionsBeforeAnEndFollowIt) {
  auto all = [](int64_t n) { // x[:-1] and x[-3:]
    Graph graph;
    graph.inputs = {f64({n})};
    graph.ops = {{OpKind::Slice, {1, 0, 1, n - 1, 1, 1}, {0}, {f64({n - 1})}, {}, {}},
                 {OpKind::Slice, {1, n - 3, 1, n, 1, 1}, {0}, {f64({3})}, {}, {}}};
    graph.outputs = {1, 2};
    return graph;
  };
  auto made = probe(all(64), {66, 65, 3});
  ASSERT_TRUE(made);
  const int64_t n = made->sizes[0];
  EXPECT_EQ(made->graph.ops[0].attributes, (Attributes{1, 0, 1, n - 1, 1, 1}));
  EXPECT_EQ(made->graph.ops[1].attributes, (Attributes{1, n - 3, 1, n, 1, 1}));
}

TEST(SizeProbe, TheOrderStaysWhereThereIsRoom) {
  auto made = probe(apart(32, 512), {33, 512});
  ASSERT_TRUE(made);
  EXPECT_GT(made->sizes[0], 33);
  EXPECT_LT(made->sizes[0], 512);
  EXPECT_FALSE(probeSizes(apart(int64_t{1} << 40, 3), {}, {7, 3})); // nobody has such tensors
  EXPECT_FALSE(probeSizes(apart(5, 3), {}, {7}));
}

TEST(SizeProbe, FunctionsWithRulesFollowAndFamiliesDoNot) {
  // f(x[n]) = concatenate(x, x), whose vjp is the sum of both halves: a slice from n on.
  auto called = [](int64_t n, uint64_t version) {
    auto function = std::make_shared<CustomFunction>();
    function->name = "twice";
    function->version = version;
    function->operands = {f64({n})};
    function->results = {f64({2 * n})};
    function->inputs = 1;
    auto primal = std::make_shared<RuleFunction>();
    primal->graph.inputs = {f64({n})};
    primal->graph.ops = {{OpKind::Concatenate, {0}, {0, 0}, {f64({2 * n})}, {}, {}}};
    primal->graph.outputs = {1};
    function->primal = primal;
    auto vjp = std::make_shared<RuleFunction>();
    vjp->graph.inputs = {f64({n}), f64({2 * n}), f64({2 * n})};
    vjp->graph.ops = {{OpKind::Slice, {1, 0, 1, n, 1, 1}, {2}, {f64({n})}, {}, {}},
                      {OpKind::Slice, {1, n, 1, 2 * n, 1, 1}, {2}, {f64({n})}, {}, {}},
                      {OpKind::Add, {}, {3, 4}, {f64({n})}, {}, {}}};
    vjp->graph.outputs = {5};
    function->vjp = vjp;
    Graph graph;
    graph.inputs = {f64({n})};
    graph.ops = {{}};
    graph.ops[0].operands = {0};
    graph.ops[0].results = {f64({2 * n})};
    graph.ops[0].custom = function;
    graph.outputs = {1};
    return graph;
  };
  auto made = probe(called(5, 0), {7, 14});
  ASSERT_TRUE(made);
  const CustomFunction &function = *made->graph.ops[0].custom;
  const int64_t n = made->sizes[0];
  EXPECT_EQ(function.results, (std::vector<ValueType>{f64({2 * n})}));
  EXPECT_EQ(function.vjp->graph.ops[1].attributes, (Attributes{1, n, 1, 2 * n, 1, 1}));
  EXPECT_FALSE(probeSizes(called(5, 1), {}, {7, 14}));
}

} // namespace tenferro::core
