// Errors raised by compiled programs name the operation of the trace; malformed graphs are refused.
#include "test/unit/compiler/Harness.h"

#include <functional>
#include <limits>
#include <memory>
#include <tuple>

using namespace tenferro;
using namespace tenferro::test;
using core::OpKind;
using core::TransformKind;
using runtime::KernelError;
using runtime::RunError;

namespace {

TEST(RunErrors, DivisionByZeroInsideAGroup) {
  GraphBuilder b;
  uint32_t x = b.input(DType::I64, {3}), y = b.input(DType::I64, {3});
  uint32_t s = b.op(OpKind::Add, {x, y}); // operation 0
  uint32_t q = b.op(OpKind::Div, {s, y}); // operation 1
  b.graph.outputs = {b.op(OpKind::Mul, {q, x})};
  Array seven = Array::of<int64_t>({3}, {7, 8, 9});
  Outcome good = runBoth(b.graph, {}, {seven, Array::of<int64_t>({3}, {2, -3, 1})});
  ASSERT_EQ(good.results.size(), 1u);
  // (7+2)/2*7, (8-3)/-3*8, (9+1)/1*9; division truncates toward zero
  EXPECT_EQ(good.results[0].values<int64_t>(), (std::vector<int64_t>{28, -8, 90}));
  Outcome bad = runBoth(b.graph, {}, {seven, Array::of<int64_t>({3}, {2, 0, 1})});
  ASSERT_TRUE(bad.error);
  EXPECT_EQ(*bad.error, (RunError{1, KernelError::DivisionByZero}));
}

TEST(RunErrors, TheFirstOfTwoOperationsIsNamed) {
  GraphBuilder b;
  uint32_t x = b.input(DType::I32, {2}), y = b.input(DType::I32, {2}), z = b.input(DType::I32, {2});
  uint32_t p = b.op(OpKind::Div, {x, y});
  uint32_t q = b.op(OpKind::Div, {x, z});
  b.graph.outputs = {b.op(OpKind::Add, {p, q})};
  Array ones = Array::of<int32_t>({2}, {1, 1}), left = Array::of<int32_t>({2}, {0, 1}),
        right = Array::of<int32_t>({2}, {1, 0});
  EXPECT_EQ(*runBoth(b.graph, {}, {ones, ones, left}).error, (RunError{1, KernelError::DivisionByZero}));
  EXPECT_EQ(*runBoth(b.graph, {}, {ones, right, left}).error, (RunError{0, KernelError::DivisionByZero}));
}

TEST(RunErrors, TakeOutOfRange) {
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {4}), i = b.input(DType::I64, {2});
  uint32_t y = b.op(OpKind::Exp, {x});
  b.graph.outputs = {b.op(OpKind::Take, {y, i}, {0})};
  Array at = Array::of<double>({4}, {0, 0, 0, 0});
  EXPECT_EQ(runBoth(b.graph, {}, {at, Array::of<int64_t>({2}, {3, -4})}).results[0].values<double>(),
            (std::vector<double>{1, 1}));
  EXPECT_EQ(*runBoth(b.graph, {}, {at, Array::of<int64_t>({2}, {1, 4})}).error,
            (RunError{1, KernelError::IndexOutOfRange, true, 4, -4, 4}));
}

TEST(RunErrors, NegativeIntegerPower) {
  GraphBuilder b;
  uint32_t x = b.input(DType::I64, {2}), n = b.input(DType::I64, {2});
  uint32_t p = b.op(OpKind::Pow, {x, n});
  b.graph.outputs = {b.op(OpKind::Add, {p, x})};
  Array two = Array::of<int64_t>({2}, {2, 3});
  EXPECT_EQ(runBoth(b.graph, {}, {two, Array::of<int64_t>({2}, {10, 0})}).results[0].values<int64_t>(),
            (std::vector<int64_t>{1026, 4}));
  EXPECT_EQ(*runBoth(b.graph, {}, {two, Array::of<int64_t>({2}, {1, -1})}).error,
            (RunError{0, KernelError::NegativePower}));
}

//===- Malformed graphs -----------------------------------------------------------------------------------------===//

core::Graph product() {
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {3}), y = b.input(DType::F64, {3});
  b.graph.outputs = {b.op(OpKind::Mul, {x, y})};
  return b.graph;
}

TEST(MalformedGraphs, NoGraph) {
  auto artifact = compiler::compile({});
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.failure().kind, ErrorKind::InvalidArgument);
}

TEST(MalformedGraphs, Numbers) {
  core::Graph graph = product();
  graph.ops[0].operands[1] = 2; // itself
  EXPECT_EQ(expectFailure(graph).kind, ErrorKind::InvalidArgument);
  graph = product();
  graph.ops[0].operands[1] = std::numeric_limits<uint32_t>::max();
  EXPECT_EQ(expectFailure(graph).kind, ErrorKind::InvalidArgument);
  graph = product();
  graph.outputs = {3};
  EXPECT_EQ(expectFailure(graph).kind, ErrorKind::InvalidArgument);
  graph = product();
  graph.ops[0].kind = static_cast<OpKind>(255);
  EXPECT_EQ(expectFailure(graph).kind, ErrorKind::InvalidArgument);
  graph = product();
  graph.saved = {{2, 9}};
  EXPECT_EQ(expectFailure(graph).kind, ErrorKind::InvalidArgument);
  graph = product();
  EXPECT_EQ(expectFailure(graph, {TransformKind::Vjp, {7}, false}).kind, ErrorKind::InvalidArgument);
}

TEST(MalformedGraphs, TypesAndAttributes) {
  core::Graph graph = product();
  graph.inputs[0].shape = {4};
  EXPECT_EQ(expectFailure(graph).kind, ErrorKind::ShapeMismatch);
  graph = product();
  graph.inputs[0].shape = {-1};
  EXPECT_EQ(expectFailure(graph).kind, ErrorKind::InvalidArgument);
  graph = product();
  graph.inputs[0].dtype = graph.inputs[1].dtype = DType::Complex64;
  EXPECT_EQ(expectFailure(graph).kind, ErrorKind::Unsupported);
  graph = product();
  graph.ops[0].results[0].dtype = DType::F32;
  EXPECT_EQ(expectFailure(graph).kind, ErrorKind::InvalidArgument);
  graph = product();
  graph.ops[0].results.clear();
  EXPECT_EQ(expectFailure(graph).kind, ErrorKind::InvalidArgument);
  graph = product();
  graph.ops[0].attributes = {5, 1};
  EXPECT_EQ(expectFailure(graph).kind, ErrorKind::InvalidArgument);
}

TEST(MalformedGraphs, Seeds) {
  core::Graph graph = product();
  Failure failure = expectFailure(graph, {TransformKind::Vjp, {0}, true});
  EXPECT_EQ(failure.kind, ErrorKind::NonScalarGrad);
  ASSERT_EQ(failure.shapes.size(), 1u);
  EXPECT_EQ(failure.shapes[0], (Shape{3}));
}

TEST(MalformedGraphs, FunctionsWithRules) {
  const core::ValueType vector{DType::F64, {3}};
  auto make = [&] {
    auto function = std::make_shared<core::CustomFunction>();
    function->name = "square";
    function->operands = {vector};
    function->results = {vector};
    function->inputs = 1;
    auto primal = std::make_shared<core::RuleFunction>(), rule = std::make_shared<core::RuleFunction>();
    primal->graph.inputs = {vector};
    primal->graph.ops.push_back({OpKind::Mul, {}, {0, 0}, {vector}, nullptr, nullptr});
    primal->graph.outputs = {1};
    rule->graph.inputs = {vector, vector, vector, {DType::F64, {}}};
    rule->graph.outputs = {2};
    rule->constants = {{3, 2.0, 0}};
    function->primal = primal;
    function->vjp = rule;
    return std::tuple(function, primal, rule);
  };
  auto calling = [&](std::shared_ptr<const core::CustomFunction> function) {
    GraphBuilder b;
    core::GraphOp op;
    op.operands = {b.input(DType::F64, {3})};
    op.results = {vector};
    op.custom = std::move(function);
    b.graph.ops.push_back(std::move(op));
    b.graph.outputs = {1};
    return b.graph;
  };
  EXPECT_EQ(runBoth(calling(std::get<0>(make())), {}, {Array::of<double>({3}, {1, 2, 3})}).results[0].values<double>(),
            (std::vector<double>{1, 4, 9}));
  using Break = std::function<void(core::CustomFunction &, core::RuleFunction &, core::RuleFunction &)>;
  std::vector<Break> breaks = {
      [](auto &function, auto &, auto &) { function.results.clear(); },
      [](auto &function, auto &, auto &) { function.inputs = 2; },
      [](auto &function, auto &, auto &) { function.captures = ~0u; },
      [](auto &function, auto &, auto &) { function.linear = {true}; },
      [](auto &function, auto &, auto &) { function.operands[0].shape = {4}; },
      [](auto &, auto &primal, auto &) { primal.graph.outputs = {9}; },
      [](auto &, auto &primal, auto &) { primal.graph.outputs.clear(); },
      [](auto &, auto &primal, auto &) { primal.graph.ops[0].operands = {0, 7}; },
      [](auto &, auto &, auto &rule) { rule.graph.inputs.pop_back(); },
      [](auto &, auto &, auto &rule) { rule.constants[0].input = 0; },
      [](auto &, auto &, auto &rule) { rule.graph.saved = {{2, 0}}; },
  };
  for (size_t i = 0; i < breaks.size(); ++i) {
    auto [function, primal, rule] = make();
    breaks[i](*function, *primal, *rule);
    EXPECT_EQ(expectFailure(calling(function)).kind, ErrorKind::InvalidArgument) << i;
  }
}

TEST(MalformedGraphs, Calls) {
  auto callee = std::make_shared<core::DerivedFunction>();
  callee->graph = product();
  callee->active = {true};
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {3});
  b.graph.outputs = b.call(callee, {x}, {{DType::F64, {3}}});
  EXPECT_EQ(expectFailure(b.graph).kind, ErrorKind::InvalidArgument); // one operand of two
  b.graph.ops[0].operands = {x, x};
  b.graph.ops[0].results[0].shape = {2};
  EXPECT_EQ(expectFailure(b.graph).kind, ErrorKind::InvalidArgument);
  callee->graph.outputs = {12};
  EXPECT_EQ(expectFailure(b.graph).kind, ErrorKind::InvalidArgument);
}

} // namespace
