// Derivatives through the compile service, against numbers worked out by hand or by central differences.
#include "test/unit/compiler/Harness.h"

#include <cmath>
#include <memory>

using namespace tenferro;
using namespace tenferro::test;
using core::OpKind;
using core::Transform;
using core::TransformKind;

namespace {

const Array kX = Array::of<double>({3}, {1, 2, 3});
const Array kC = Array::of<double>({3}, {10, 20, 30});

/// loss = sum(h * x) with h = c * x; values: c 0, x 1, h 2, h*x 3, loss 4.
core::Graph squares() {
  GraphBuilder b;
  uint32_t c = b.input(DType::F64, {3}), x = b.input(DType::F64, {3});
  uint32_t h = b.op(OpKind::Mul, {c, x});
  b.graph.outputs = {b.op(OpKind::Sum, {b.op(OpKind::Mul, {h, x})}, {1, 0})};
  return b.graph;
}

TEST(Derivative, GradientOfSum) {
  Outcome outcome = runBoth(squares(), {TransformKind::Vjp, {1}, true}, {kC, kX});
  ASSERT_EQ(outcome.results.size(), 1u);
  EXPECT_EQ(outcome.results[0].values<double>(), (std::vector<double>{20, 80, 180}));
}

TEST(Derivative, ForwardValue) {
  Outcome outcome = runBoth(squares(), {}, {kC, kX});
  ASSERT_EQ(outcome.results.size(), 1u);
  EXPECT_EQ(outcome.results[0].values<double>(), (std::vector<double>{10 + 80 + 270}));
}

TEST(Derivative, WithRespectToAnIntermediate) {
  Outcome outcome = runBoth(squares(), {TransformKind::Vjp, {2, 1}, true}, {kC, kX});
  ASSERT_EQ(outcome.results.size(), 2u);
  EXPECT_EQ(outcome.results[0].values<double>(), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(outcome.results[1].values<double>(), (std::vector<double>{20, 80, 180}));
}

TEST(Derivative, CotangentArgument) {
  Outcome outcome = runBoth(squares(), {TransformKind::Vjp, {0}, false}, {kC, kX, Array::of<double>({}, {0.5})});
  ASSERT_EQ(outcome.results.size(), 1u);
  EXPECT_EQ(outcome.results[0].values<double>(), (std::vector<double>{0.5, 2, 4.5}));
}

TEST(Derivative, JvpOfSquares) {
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {3});
  b.graph.outputs = {b.op(OpKind::Sum, {b.op(OpKind::Mul, {x, x})}, {1, 0})};
  Outcome outcome = runBoth(b.graph, {TransformKind::Jvp, {0}, false}, {kX, Array::of<double>({3}, {0.1, -0.5, -1})});
  ASSERT_EQ(outcome.results.size(), 1u);
  EXPECT_NEAR(outcome.results[0].values<double>()[0], -7.8, 1e-14);
}

TEST(Derivative, InactiveHasNoResult) {
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {3}), y = b.input(DType::F64, {3});
  b.graph.outputs = {b.op(OpKind::Sum, {b.op(OpKind::Mul, {x, x})}, {1, 0})};
  auto program = compileAndLoad(b.graph, {TransformKind::Vjp, {x, y}, true}, true);
  ASSERT_TRUE(program);
  EXPECT_EQ(program->active(), (std::vector<bool>{true, false}));
  EXPECT_EQ(program->resultCount(), 1u);
}

/// The gradient of a scalar function of one scalar, as a callee.
std::shared_ptr<const core::DerivedFunction> gradientOf(core::Graph graph) {
  auto callee = std::make_shared<core::DerivedFunction>();
  callee->graph = std::move(graph);
  callee->transform = {TransformKind::Vjp, {0}, true};
  callee->active = {true};
  return callee;
}

TEST(Derivative, GradientsOfGradients) {
  GraphBuilder cube;
  uint32_t s = cube.input(DType::F64, {});
  cube.graph.outputs = {cube.op(OpKind::Mul, {cube.op(OpKind::Mul, {s, s}), s})};
  core::Graph graph = cube.graph;
  Array at = Array::of<double>({}, {2.5});
  for (double expected : {18.75, 15.0, 6.0}) {
    Outcome outcome = runBoth(graph, {TransformKind::Vjp, {0}, true}, {at});
    ASSERT_EQ(outcome.results.size(), 1u);
    EXPECT_DOUBLE_EQ(outcome.results[0].values<double>()[0], expected);
    GraphBuilder next;
    uint32_t x = next.input(DType::F64, {});
    next.graph.outputs = next.call(gradientOf(graph), {x}, {{DType::F64, {}}});
    graph = next.graph;
  }
}

TEST(Derivative, OneCalleeCalledTwice) {
  GraphBuilder square;
  uint32_t s = square.input(DType::F64, {});
  square.graph.outputs = {square.op(OpKind::Mul, {s, s})};
  auto callee = gradientOf(square.graph);
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {}), y = b.input(DType::F64, {});
  uint32_t dx = b.call(callee, {x}, {{DType::F64, {}}})[0], dy = b.call(callee, {y}, {{DType::F64, {}}})[0];
  b.graph.outputs = {b.op(OpKind::Sub, {dx, dy})};
  Outcome outcome = runBoth(b.graph, {}, {Array::of<double>({}, {7}), Array::of<double>({}, {1.5})});
  ASSERT_EQ(outcome.results.size(), 1u);
  EXPECT_EQ(outcome.results[0].values<double>()[0], 14.0 - 3.0);
}

TEST(Derivative, KeptValuesAreUsedNotComputedAgain) {
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {2}), kept = b.input(DType::F64, {2});
  uint32_t y = b.op(OpKind::Exp, {x});
  b.graph.outputs = {b.op(OpKind::Sum, {y}, {1, 0})};
  b.graph.saved = {{y, kept}};
  // The kept value is wrong on purpose: the gradient shows that it was read.
  Outcome outcome = runBoth(b.graph, {TransformKind::Vjp, {x}, true},
                            {Array::of<double>({2}, {0, 1}), Array::of<double>({2}, {7, 11})});
  ASSERT_EQ(outcome.results.size(), 1u);
  EXPECT_EQ(outcome.results[0].values<double>(), (std::vector<double>{7, 11}));
  auto plain = compileAndLoad(b.graph, {TransformKind::Vjp, {x}, true}, false);
  ASSERT_TRUE(plain);
  for (const runtime::Launch &launch : plain->program().launches)
    EXPECT_NE(launch.kernel, "exp.f64");
  EXPECT_EQ(plain->program().argumentUsed, (std::vector<bool>{false, true}));
}

//===- A small network ------------------------------------------------------------------------------------------===//

/// sum((tanh(x w1 + b1) w2)^2) with x 4x3, w1 3x5, b1 5, w2 5x2.
core::Graph network() {
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {4, 3}), w1 = b.input(DType::F64, {3, 5}), b1 = b.input(DType::F64, {5}),
           w2 = b.input(DType::F64, {5, 2});
  const core::Attributes matmul = {1, 1, 1, 0, 0, 0};
  uint32_t z = b.op(OpKind::DotGeneral, {x, w1}, matmul);
  uint32_t bias = b.op(OpKind::BroadcastInDim, {b1}, {1, 1, 2, 4, 5});
  uint32_t h = b.op(OpKind::Tanh, {b.op(OpKind::Add, {z, bias})});
  uint32_t y = b.op(OpKind::DotGeneral, {h, w2}, matmul);
  b.graph.outputs = {b.op(OpKind::Sum, {b.op(OpKind::Mul, {y, y})}, {2, 0, 1})};
  return b.graph;
}

Array pattern(Shape shape, double seed) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.elementCount(); ++i)
    values.push_back(std::sin(seed + 1.7 * static_cast<double>(i)));
  return Array::of<double>(shape, values);
}

TEST(Derivative, NetworkAgainstCentralDifferences) {
  core::Graph graph = network();
  std::vector<Array> arguments = {pattern({4, 3}, 0.1), pattern({3, 5}, 0.7), pattern({5}, 1.3), pattern({5, 2}, 2.1)};
  Outcome gradients = runBoth(graph, {TransformKind::Vjp, {1, 2, 3}, true}, arguments);
  ASSERT_EQ(gradients.results.size(), 3u);
  auto forward = compileAndLoad(graph, {}, true);
  ASSERT_TRUE(forward);
  auto loss = [&](const std::vector<Array> &at) { return run(*forward, at).results[0].values<double>()[0]; };
  const double step = 1e-5;
  for (size_t k = 0; k < 3; ++k) {
    std::vector<double> gradient = gradients.results[k].values<double>();
    for (size_t i = 0; i < gradient.size(); ++i) {
      std::vector<Array> up = arguments, down = arguments;
      std::vector<double> values = arguments[k + 1].values<double>();
      values[i] += step;
      up[k + 1] = Array::of<double>(arguments[k + 1].type.shape, values);
      values[i] -= 2 * step;
      down[k + 1] = Array::of<double>(arguments[k + 1].type.shape, values);
      EXPECT_NEAR(gradient[i], (loss(up) - loss(down)) / (2 * step), 1e-8) << "argument " << k + 1 << " element " << i;
    }
  }
}

} // namespace
