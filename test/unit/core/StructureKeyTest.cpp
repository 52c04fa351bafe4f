// Structure keys: what they contain, and what they do not.
#include "lib/Core/PortableKey.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tenferro::core {
namespace {

const ValueType kVector{DType::F64, Shape({3})};
const ValueType kScalar{DType::F64, Shape({})};

GraphOp op(OpKind kind, std::vector<uint32_t> operands, Attributes attributes = {}, ValueType result = kVector) {
  return {kind, std::move(attributes), std::move(operands), {std::move(result)}, nullptr};
}

/// sum(exp(x) * y)
Graph sample() {
  Graph graph;
  graph.inputs = {kVector, kVector};
  graph.ops = {op(OpKind::Exp, {0}), op(OpKind::Mul, {2, 1}), op(OpKind::Sum, {3}, {1, 0}, kScalar)};
  graph.outputs = {4};
  return graph;
}

Transform vjp(std::vector<uint32_t> wrt) { return {TransformKind::Vjp, std::move(wrt), true}; }

TEST(StructureKey, ReadsAsTheProgram) {
  Graph graph = sample();
  graph.saved = {{2, 1}};
  EXPECT_EQ(structureKey(graph, vjp({0, 3})), "vjp wrt (0, 3) seed ones\n"
                                              "input f64[3]\n"
                                              "input f64[3]\n"
                                              "exp (0) : f64[3]\n"
                                              "mul (2, 1) : f64[3]\n"
                                              "sum (3) axes=[0] : f64[]\n"
                                              "outputs (4)\n"
                                              "saved 2 in 1\n");
}

TEST(StructureKey, IgnoresTheOrderOfIndependentOperations) {
  // exp(x) + log(y), recorded in either order.
  Graph first, second;
  first.inputs = second.inputs = {kVector, kVector};
  first.ops = {op(OpKind::Exp, {0}), op(OpKind::Log, {1}), op(OpKind::Add, {2, 3})};
  second.ops = {op(OpKind::Log, {1}), op(OpKind::Exp, {0}), op(OpKind::Add, {3, 2})};
  first.outputs = second.outputs = {4};
  EXPECT_EQ(structureKey(first, vjp({2})), structureKey(second, vjp({3})));
  EXPECT_NE(structureKey(first, vjp({2})), structureKey(second, vjp({2})));
}

TEST(StructureKey, IgnoresWhatNothingUses) {
  Graph graph = sample(), longer = sample();
  longer.ops.push_back(op(OpKind::Tanh, {0}));
  longer.saved = {{5, 1}};
  EXPECT_EQ(structureKey(graph, vjp({0})), structureKey(longer, vjp({0})));
  // Unless a derivative is asked for there.
  EXPECT_NE(structureKey(graph, vjp({0})), structureKey(longer, vjp({5})));
}

TEST(StructureKey, TellsSharedFromRepeatedOperands) {
  Graph square, product;
  square.inputs = product.inputs = {kVector, kVector};
  square.ops = {op(OpKind::Mul, {0, 0})};
  product.ops = {op(OpKind::Mul, {0, 1})};
  square.outputs = product.outputs = {2};
  EXPECT_NE(structureKey(square, {}), structureKey(product, {}));

  Graph shared, repeated;
  shared.inputs = repeated.inputs = {kVector};
  shared.ops = {op(OpKind::Exp, {0}), op(OpKind::Mul, {1, 1})};
  shared.outputs = {2};
  repeated.ops = {op(OpKind::Exp, {0}), op(OpKind::Exp, {0}), op(OpKind::Mul, {1, 2})};
  repeated.outputs = {3};
  EXPECT_NE(structureKey(shared, {}), structureKey(repeated, {}));
}

TEST(StructureKey, ContainsEveryComponent) {
  Graph graph = sample();
  std::string key = structureKey(graph, vjp({0}));
  auto differs = [&](auto change) {
    Graph other = sample();
    Transform transform = vjp({0});
    change(other, transform);
    return structureKey(other, transform) != key;
  };
  EXPECT_TRUE(differs([](Graph &g, Transform &) { g.inputs[0].dtype = DType::F32; }));
  EXPECT_TRUE(differs([](Graph &g, Transform &) { g.inputs[1].shape = Shape({4}); }));
  EXPECT_TRUE(differs([](Graph &g, Transform &) { g.ops[0].kind = OpKind::Expm1; }));
  EXPECT_TRUE(differs([](Graph &g, Transform &) { g.ops[2].attributes = {0}; }));
  EXPECT_TRUE(differs([](Graph &g, Transform &) { g.saved = {{2, 1}}; }));
  EXPECT_TRUE(differs([](Graph &g, Transform &) { g.outputs = {4, 3}; }));
  EXPECT_TRUE(differs([](Graph &g, Transform &) {
    g.inputs.push_back(kVector);
    g.outputs = {5};
    g.ops[1].operands = {3, 1};
    g.ops[2].operands = {4};
  }));
  EXPECT_TRUE(differs([](Graph &, Transform &t) { t.wrt = {1}; }));
  EXPECT_TRUE(differs([](Graph &, Transform &t) { t.wrt = {0, 1}; }));
  EXPECT_TRUE(differs([](Graph &, Transform &t) { t.kind = TransformKind::Jvp; }));
  EXPECT_TRUE(differs([](Graph &, Transform &t) { t.seedOnes = false; }));
  EXPECT_FALSE(differs([](Graph &, Transform &) {}));
}

GraphOp call(std::shared_ptr<const DerivedFunction> callee, std::vector<uint32_t> operands) {
  GraphOp result;
  result.operands = std::move(operands);
  result.results = {kVector};
  result.callee = std::move(callee);
  return result;
}

std::shared_ptr<const DerivedFunction> derivative(Graph graph, std::vector<uint32_t> wrt) {
  return std::make_shared<DerivedFunction>(DerivedFunction{std::move(graph), vjp(std::move(wrt)), {true}});
}

TEST(StructureKey, SpellsOutCalleesByStructure) {
  auto program = [](std::shared_ptr<const DerivedFunction> a, std::shared_ptr<const DerivedFunction> b) {
    Graph graph;
    graph.inputs = {kVector, kVector};
    graph.ops = {call(std::move(a), {0, 1}), call(std::move(b), {1, 0}), op(OpKind::Add, {2, 3})};
    graph.outputs = {4};
    return structureKey(graph, {});
  };
  auto once = derivative(sample(), {0});
  // One object twice and two objects of equal structure are the same program; another derivative is not.
  EXPECT_EQ(program(once, once), program(derivative(sample(), {0}), derivative(sample(), {0})));
  EXPECT_NE(program(once, once), program(once, derivative(sample(), {1})));
  EXPECT_EQ(program(once, once).find("function 1"), std::string::npos) << "equal callees are written once";
}

/// x * x with the rule ct * x.
std::shared_ptr<CustomFunction> squareWithRule(uint64_t version) {
  auto function = std::make_shared<CustomFunction>();
  function->name = "lab.square.v1";
  function->version = version;
  function->operands = {kVector};
  function->results = {kVector};
  function->inputs = 1;
  auto primal = std::make_shared<RuleFunction>(), rule = std::make_shared<RuleFunction>();
  primal->graph.inputs = {kVector};
  primal->graph.ops = {op(OpKind::Mul, {0, 0})};
  primal->graph.outputs = {1};
  rule->graph.inputs = {kVector, kVector, kVector};
  rule->graph.ops = {op(OpKind::Mul, {2, 0})};
  rule->graph.outputs = {3};
  function->primal = std::move(primal);
  function->vjp = std::move(rule);
  return function;
}

std::string keyOfCalls(const std::vector<std::shared_ptr<const CustomFunction>> &functions,
                       std::string (*key)(const Graph &, const Transform &) = structureKey) {
  Graph graph;
  graph.inputs = {kVector};
  for (uint32_t i = 0; i < functions.size(); ++i) {
    GraphOp call;
    call.operands = {i};
    call.results = {kVector};
    call.custom = functions[i];
    graph.ops.push_back(std::move(call));
  }
  graph.outputs = {static_cast<uint32_t>(functions.size())};
  return key(graph, {});
}

TEST(StructureKey, SpellsOutRules) {
  auto one = squareWithRule(1);
  std::string key = keyOfCalls({one, one});
  EXPECT_NE(key.find("\ncustom 'lab.square.v1' rule version 1\n"), std::string::npos) << key;
  EXPECT_NE(key.find("\nrule vjp\n"), std::string::npos) << key;
  EXPECT_EQ(key, keyOfCalls({squareWithRule(1), squareWithRule(1)})) << "equal functions are one";
  EXPECT_NE(key, keyOfCalls({squareWithRule(2), squareWithRule(2)}));
  EXPECT_NE(key, keyOfCalls({one, squareWithRule(2)}));
  auto other = squareWithRule(1);
  other->vjp = other->primal;
  EXPECT_NE(key, keyOfCalls({one, other}));
}

TEST(StructureKey, APortableOneKnowsNoVersionsOfFamilies) {
  auto key = [](std::shared_ptr<const CustomFunction> function) { return keyOfCalls({function}, portableKey); };
  EXPECT_EQ(key(squareWithRule(1)), key(squareWithRule(2)));
  EXPECT_NE(key(squareWithRule(1)), key(squareWithRule(0))) << "a function of its user's is no family's";
  auto rule = squareWithRule(2), name = squareWithRule(2), parameters = squareWithRule(2);
  rule->vjp = rule->primal;
  name->name = "lab.square.v2";
  parameters->parameters = {3};
  for (const auto &other : {rule, name, parameters})
    EXPECT_NE(key(squareWithRule(1)), key(other));
}

TEST(StructureKey, RulesMayUseTheirFunction) {
  auto make = [] {
    std::shared_ptr<CustomFunction> function = squareWithRule(1);
    auto rule = std::make_shared<RuleFunction>(*function->vjp);
    rule->graph.ops[0].custom = std::shared_ptr<const CustomFunction>(std::shared_ptr<void>(), function.get());
    rule->graph.ops[0].operands = {2};
    function->vjp = std::move(rule);
    return function;
  };
  std::string key = keyOfCalls({make()});
  EXPECT_EQ(key, keyOfCalls({make()}));
  EXPECT_EQ(std::count(key.begin(), key.end(), '\''), 2) << "written once: " << key;
  EXPECT_NE(key, keyOfCalls({squareWithRule(1)}));
}

TEST(StructureKey, StaysSmallWhenDerivativesNest) {
  // Each level calls the one below twice; written out in place the text would double at every level.
  std::shared_ptr<const DerivedFunction> below = derivative(sample(), {0});
  for (int level = 0; level < 30; ++level) {
    Graph graph;
    graph.inputs = {kVector, kVector};
    graph.ops = {call(below, {0, 1}), call(below, {1, 0}), op(OpKind::Mul, {2, 3}),
                 op(OpKind::Sum, {4}, {1, 0}, kScalar)};
    graph.outputs = {5};
    below = derivative(graph, {0});
  }
  Graph graph;
  graph.inputs = {kVector, kVector};
  graph.ops = {call(below, {0, 1})};
  graph.outputs = {2};
  std::string key = structureKey(graph, {});
  EXPECT_LT(key.size(), 20000u);
  EXPECT_NE(key.find("function 30\n"), std::string::npos);
}

TEST(StructureKey, WalksDeepGraphsWithoutRecursion) {
  Graph graph;
  graph.inputs = {kVector};
  for (uint32_t i = 0; i < 200000; ++i)
    graph.ops.push_back(op(OpKind::Neg, {i}));
  graph.outputs = {200000};
  std::string key = structureKey(graph, {});
  EXPECT_EQ(std::count(key.begin(), key.end(), '\n'), 200003);
}

TEST(Graph, KnowsTheTypesOfItsValues) {
  Graph graph = sample();
  EXPECT_EQ(graph.type(0), kVector);
  EXPECT_EQ(graph.type(3), kVector);
  EXPECT_EQ(graph.type(4), kScalar);
}

} // namespace
} // namespace tenferro::core
