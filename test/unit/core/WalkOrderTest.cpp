// Graphs in walk order: forward calls spliced in, numbers moved along.
#include "lib/Core/WalkOrder.h"

#include <gtest/gtest.h>

namespace tenferro::core {
namespace {

const ValueType kVector{DType::F64, Shape({3})};

GraphOp op(OpKind kind, std::vector<uint32_t> operands) {
  GraphOp made;
  made.kind = kind;
  made.operands = std::move(operands);
  made.results = {kVector};
  return made;
}

GraphOp call(Graph graph, Transform transform, std::vector<uint32_t> operands) {
  auto function = std::make_shared<DerivedFunction>();
  GraphOp made;
  made.operands = std::move(operands);
  made.results.assign(graph.outputs.size(), kVector);
  function->active.assign(graph.outputs.size(), true);
  function->graph = std::move(graph);
  function->transform = std::move(transform);
  made.callee = std::move(function);
  return made;
}

std::vector<OpKind> kindsOf(const Graph &graph) {
  std::vector<OpKind> kinds;
  for (const GraphOp &op : graph.ops)
    kinds.push_back(op.kind);
  return kinds;
}

/// (exp(b), a + exp(b))
Graph inner() {
  Graph graph;
  graph.inputs = {kVector, kVector};
  graph.ops = {op(OpKind::Exp, {1}), op(OpKind::Add, {0, 2})};
  graph.outputs = {2, 3};
  return graph;
}

TEST(WalkOrder, OperationsComeByFirstVisit) {
  Graph graph;
  graph.inputs = {kVector, kVector};
  // Recorded as log(y), neg(x), exp(log y), mul(neg, exp); the last one nobody needs.
  graph.ops = {op(OpKind::Log, {1}), op(OpKind::Neg, {0}), op(OpKind::Exp, {2}), op(OpKind::Mul, {3, 4}),
               op(OpKind::Tanh, {3})};
  graph.outputs = {5};
  OrderedGraph ordered = inWalkOrder(graph, {TransformKind::Vjp, {0, 4}, false});
  EXPECT_EQ(kindsOf(ordered.graph), (std::vector{OpKind::Neg, OpKind::Log, OpKind::Exp, OpKind::Mul}));
  EXPECT_EQ(ordered.origins, (std::vector<uint32_t>{1, 0, 2, 3}));
  EXPECT_EQ(ordered.graph.ops[3].operands, (std::vector<uint32_t>{2, 4}));
  EXPECT_EQ(ordered.graph.outputs, (std::vector<uint32_t>{5}));
  EXPECT_EQ(ordered.transform.wrt, (std::vector<uint32_t>{0, 4})); // exp is still value 4
}

TEST(WalkOrder, ForwardCallsAreSplicedIn) {
  Graph graph;
  graph.inputs = {kVector};
  // neg(x); p, q = inner(neg, x); r, s = inner(q, p); a derivative stays a call.
  graph.ops = {op(OpKind::Neg, {0}), call(inner(), {}, {1, 0}), call(inner(), {}, {3, 2}),
               call(inner(), {TransformKind::Vjp, {0}, false}, {5, 4, 3, 2})};
  graph.ops[3].results = {kVector};
  graph.outputs = {6};
  graph.saved = {{3, 0}};
  EXPECT_TRUE(callsForward(graph));
  OrderedGraph ordered = inWalkOrder(graph, {});
  EXPECT_FALSE(callsForward(ordered.graph));
  // First visit from the derivative's operands: s = q + exp(p), with q = neg + p, p = exp(x).
  ASSERT_EQ(ordered.graph.ops.size(), 6u);
  EXPECT_EQ(ordered.graph.ops[0].kind, OpKind::Neg);
  EXPECT_EQ(ordered.graph.ops[1].kind, OpKind::Exp); // p: value 2
  EXPECT_EQ(ordered.graph.ops[2].kind, OpKind::Add); // q: value 3
  EXPECT_EQ(ordered.graph.ops[2].operands, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(ordered.graph.ops[3].kind, OpKind::Exp);                       // r: value 4
  EXPECT_EQ(ordered.graph.ops[4].operands, (std::vector<uint32_t>{3, 4})); // s: value 5
  EXPECT_EQ(ordered.graph.ops[5].operands, (std::vector<uint32_t>{5, 4, 3, 2}));
  EXPECT_TRUE(ordered.graph.ops[5].callee);
  EXPECT_EQ(ordered.origins, (std::vector<uint32_t>{0, 1, 1, 2, 2, 3}));
  EXPECT_EQ(ordered.graph.outputs, (std::vector<uint32_t>{6}));
  ASSERT_EQ(ordered.graph.saved.size(), 1u);
  EXPECT_EQ(ordered.graph.saved[0].value, 3u);
}

TEST(WalkOrder, ResultsThatPassThroughAreTheOperands) {
  Graph identity;
  identity.inputs = {kVector};
  identity.outputs = {0};
  Graph graph;
  graph.inputs = {kVector, kVector};
  graph.ops = {call(identity, {}, {1}), op(OpKind::Neg, {2})};
  graph.outputs = {3, 2};
  OrderedGraph ordered = inWalkOrder(graph, {});
  EXPECT_EQ(kindsOf(ordered.graph), std::vector{OpKind::Neg});
  EXPECT_EQ(ordered.graph.ops[0].operands, std::vector<uint32_t>{1});
  EXPECT_EQ(ordered.graph.outputs, (std::vector<uint32_t>{2, 1}));
}

} // namespace
} // namespace tenferro::core
