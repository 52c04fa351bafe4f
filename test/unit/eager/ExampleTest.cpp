// The running example, observation by observation.
#include "test/unit/eager/TestSupport.h"

#include <cmath>

namespace tenferro::test {

class ExampleTest : public EachPolicy {};
TENFERRO_EACH_POLICY(ExampleTest);

TEST_P(ExampleTest, CountsLeavesAndRecordedResults) {
  Example e(options());
  EXPECT_TRUE(e.x.tracksGrad());
  EXPECT_FALSE(e.c.tracksGrad());
  EXPECT_EQ(e.runtime->slotCount(), 1u);
  EXPECT_EQ(e.runtime->recordCount(), 2u);
  e.forward();
  EXPECT_TRUE(e.h.tracksGrad());
  EXPECT_TRUE(e.loss.tracksGrad());
  EXPECT_EQ(e.runtime->slotCount(), 4u);
  EXPECT_EQ(e.runtime->recordCount(), 5u);
  EXPECT_EQ(e.loss.item<double>(), 10 * 1 + 20 * 4 + 30 * 9);
}

TEST_P(ExampleTest, BackwardFillsSlotsAndAccumulates) {
  Example e(options());
  e.forward();
  Gradients gradients = e.loss.backward(e.engine);
  EXPECT_EQ(gradients.size(), 1u);
  EXPECT_EQ(valuesOf(gradients.of(e.x)), (Values{20, 80, 180}));
  EXPECT_EQ(valuesOf(e.x.grad()), (Values{20, 80, 180}));
  EXPECT_FALSE(e.c.grad());
  EXPECT_FALSE(e.h.grad());
  EXPECT_FALSE(e.loss.grad());
  EXPECT_FALSE(gradients.of(e.c));
  CacheStats stats = e.runtime->cacheStats().preparedDerivatives;
  EXPECT_EQ(stats.entries, 1u);
  EXPECT_EQ(stats.hits, 0u);
  EXPECT_EQ(stats.misses, 1u);
  EXPECT_GT(stats.retainedBytes, 0u);

  gradients = e.loss.backward(e.engine);
  EXPECT_EQ(valuesOf(gradients.of(e.x)), (Values{20, 80, 180}));
  EXPECT_EQ(valuesOf(e.x.grad()), (Values{40, 160, 360}));
  CacheStats again = e.runtime->cacheStats().preparedDerivatives;
  EXPECT_EQ(again.hits, 1u);
  EXPECT_EQ(again.entries, 1u);
  if (GetParam() == CompilePolicy::Background)
    EXPECT_GE(again.retainedBytes, stats.retainedBytes); // the fused program may be there
  else
    EXPECT_EQ(again.retainedBytes, stats.retainedBytes);

  e.x.clearGrad();
  EXPECT_FALSE(e.x.grad());
  CpuEngine second({.threads = 2});
  e.loss.backward(second);
  EXPECT_EQ(valuesOf(e.x.grad()), (Values{20, 80, 180}));
  again = e.runtime->cacheStats().preparedDerivatives;
  EXPECT_EQ(again.hits, 2u);
  EXPECT_EQ(again.misses, 1u);
}

TEST_P(ExampleTest, FunctionalGradLeavesSlotsAlone) {
  Example e(options());
  e.forward();
  EagerTensor dx = e.runtime->grad(e.engine, e.loss, e.x);
  EXPECT_EQ(valuesOf(dx), (Values{20, 80, 180}));
  EXPECT_TRUE(dx.tracksGrad());
  EXPECT_FALSE(e.x.grad());
}

TEST_P(ExampleTest, BackwardAndGradOfTheSameVariablesShareAnEntry) {
  Example e(options());
  e.forward();
  e.loss.backward(e.engine);
  e.runtime->grad(e.engine, e.loss, e.x);
  CacheStats stats = e.runtime->cacheStats().preparedDerivatives;
  EXPECT_EQ(stats.entries, 1u);
  EXPECT_EQ(stats.hits, 1u);
}

TEST_P(ExampleTest, GradientsNestToThirdOrder) {
  auto runtime = EagerRuntime::create(options());
  CpuEngine engine;
  EagerTensor s = runtime->variable(Tensor::scalar(2.5));
  EagerTensor y = runtime->session(engine, [&](EagerSession &session) { return session.mul(session.mul(s, s), s); });
  EagerTensor first = runtime->grad(engine, y, s);
  EXPECT_EQ(first.item<double>(), 18.75);
  EagerTensor second = runtime->grad(engine, first, s);
  EXPECT_EQ(second.item<double>(), 15);
  EagerTensor third = runtime->grad(engine, second, s);
  EXPECT_EQ(third.item<double>(), 6);
  // Slots are filled through functional results too.
  second.backward(engine);
  EXPECT_EQ(valuesOf(s.grad()), (Values{6}));
}

TEST_P(ExampleTest, JvpAlongADirection) {
  auto runtime = EagerRuntime::create(options());
  CpuEngine engine;
  EagerTensor x = runtime->variable(vector({1, 2, 3}));
  EagerTensor y = runtime->session(engine, [&](EagerSession &s) { return s.sum(s.mul(x, x)); });
  EagerTensor tangent = runtime->constant(vector({0.1, -0.5, -1}));
  EagerTensor dy = runtime->jvp(engine, y, x, tangent);
  EXPECT_EQ(dy.shape(), Shape());
  // 2 * (0.1 - 1 - 3); each product and sum rounds.
  EXPECT_NEAR(dy.item<double>(), -7.8, 1e-14);
  EXPECT_TRUE(dy.tracksGrad());
}

TEST_P(ExampleTest, NoGradAndDetachDoNotTrack) {
  Example e(options());
  e.forward();
  EXPECT_FALSE(e.h.detach().tracksGrad());
  EXPECT_EQ(valuesOf(e.h.detach()), (Values{10, 40, 90}));
  {
    NoGradGuard outer = e.runtime->noGrad();
    {
      NoGradGuard inner = e.runtime->noGrad();
    }
    EagerTensor y = e.runtime->session(e.engine, [&](EagerSession &s) { return s.mul(e.x, e.x); });
    EXPECT_FALSE(y.tracksGrad());
  }
  EagerTensor y = e.runtime->session(e.engine, [&](EagerSession &s) { return s.mul(e.x, e.x); });
  EXPECT_TRUE(y.tracksGrad());
}

TEST_P(ExampleTest, GeluIsTheSameTrackedOrNot) {
  auto runtime = EagerRuntime::create(options());
  CpuEngine engine;
  EagerTensor tracked = runtime->variable(vector({-1.5, -0.2, 0, 0.8}));
  EagerTensor untracked = runtime->constant(vector({-1.5, -0.2, 0, 0.8}));
  // x * Phi(x), from mpmath.
  const Values expected = {-0.10021080190328704, -0.0841480581121794, 0, 0.6305156811332827};
  Values a = valuesOf(runtime->session(engine, [&](EagerSession &s) { return s.gelu(tracked); }));
  Values b = valuesOf(runtime->session(engine, [&](EagerSession &s) { return s.gelu(untracked); }));
  EXPECT_EQ(a, b);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(a[i], expected[i], 2e-16);
}

TEST_P(ExampleTest, GradientWithRespectToAnIntermediate) {
  Example e(options());
  e.forward();
  EXPECT_EQ(valuesOf(e.runtime->grad(e.engine, e.loss, e.h)), (Values{1, 2, 3}));
  std::vector<std::optional<EagerTensor>> both = e.runtime->vjpMany(e.engine, e.loss, {e.h, e.x});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(valuesOf(both[0]), (Values{1, 2, 3}));
  EXPECT_EQ(valuesOf(both[1]), (Values{20, 80, 180}));
  both = e.runtime->vjpMany(e.engine, e.loss, {e.x, e.c, e.h, e.x});
  EXPECT_EQ(valuesOf(both[0]), (Values{20, 80, 180}));
  EXPECT_FALSE(both[1]);
  EXPECT_EQ(valuesOf(both[2]), (Values{1, 2, 3}));
  EXPECT_EQ(valuesOf(both[3]), (Values{20, 80, 180}));
}

TEST_P(ExampleTest, JvpAlongAnIntermediateMovesItAlone) {
  Example e(options());
  e.forward();
  // loss = sum(h*x), x held: dloss = sum(t*x).
  EagerTensor tangent = e.runtime->constant(vector({1, 10, 100}));
  EXPECT_EQ(e.runtime->jvp(e.engine, e.loss, e.h, tangent).item<double>(), 1 + 20 + 300);
}

TEST_P(ExampleTest, GradOfAVariableByItselfIsOne) {
  auto runtime = EagerRuntime::create(options());
  CpuEngine engine;
  EagerTensor x = runtime->variable(Tensor::scalar(3.0));
  EXPECT_EQ(runtime->grad(engine, x, x).item<double>(), 1);
  x.backward(engine);
  EXPECT_EQ(valuesOf(x.grad()), (Values{1}));
}

TEST_P(ExampleTest, VjpAndBackwardWithASeed) {
  Example e(options());
  e.forward();
  EagerTensor seed = e.runtime->constant(vector({1, 10, 100}));
  EXPECT_EQ(valuesOf(e.runtime->vjp(e.engine, e.h, e.x, seed)), (Values{10, 200, 3000}));
  Gradients gradients = e.h.backwardWith(e.engine, vector({1, 10, 100}));
  EXPECT_EQ(valuesOf(gradients.of(e.x)), (Values{10, 200, 3000}));
  EXPECT_EQ(valuesOf(e.x.grad()), (Values{10, 200, 3000}));
  e.runtime->clearGrads();
  EXPECT_FALSE(e.x.grad());
}

TEST_P(ExampleTest, DerivativesThroughTheCotangent) {
  // vjp(h, x, w) = c*w is linear in w: its gradient by w of the sum is c.
  Example e(options());
  e.forward();
  EagerTensor w = e.runtime->variable(vector({1, 1, 1}));
  EagerTensor pulled = e.runtime->vjp(e.engine, e.h, e.x, w);
  EagerTensor total = e.runtime->session(e.engine, [&](EagerSession &s) { return s.sum(pulled); });
  EXPECT_EQ(valuesOf(e.runtime->grad(e.engine, total, w)), (Values{10, 20, 30}));
}

TEST_P(ExampleTest, ManyVariablesAreOneProgram) {
  auto runtime = EagerRuntime::create(options());
  CpuEngine engine;
  EagerTensor x = runtime->variable(vector({1, 2}));
  EagerTensor y = runtime->variable(vector({3, 4}));
  EagerTensor unused = runtime->variable(vector({5, 6}));
  EagerTensor loss = runtime->session(engine, [&](EagerSession &s) { return s.sum(s.mul(x, y)); });
  Gradients gradients = loss.backward(engine);
  EXPECT_EQ(gradients.size(), 2u);
  EXPECT_EQ(valuesOf(x.grad()), (Values{3, 4}));
  EXPECT_EQ(valuesOf(y.grad()), (Values{1, 2}));
  EXPECT_FALSE(unused.grad());
  EXPECT_EQ(runtime->cacheStats().preparedDerivatives.misses, 1u);
  // Another wrt set is another program.
  runtime->grad(engine, loss, x);
  EXPECT_EQ(runtime->cacheStats().preparedDerivatives.entries, 2u);
}

TEST_P(ExampleTest, CaptureRecordsUntrackedInputs) {
  auto runtime = EagerRuntime::create(options());
  CpuEngine engine;
  EagerTensor x = runtime->constant(vector({1, 2}));
  std::optional<EagerTensor> y;
  {
    CaptureGuard capture = runtime->capture();
    y = runtime->session(engine, [&](EagerSession &s) { return s.mul(x, x); });
  }
  EXPECT_FALSE(x.tracksGrad());
  EagerTensor ones = runtime->constant(vector({1, 1}));
  EXPECT_EQ(valuesOf(runtime->vjp(engine, *y, x, ones)), (Values{2, 4}));
  // No variable: nothing for backward to fill.
  EXPECT_THROW(y->backwardWith(engine, vector({1, 1})), ValidationError);
}

TEST_P(ExampleTest, AssignMakesANewVersion) {
  auto runtime = EagerRuntime::create(options());
  CpuEngine engine;
  EagerTensor x = runtime->variable(vector({1, 2}));
  const uint64_t id = x.id();
  // loss = sum(x0 * x1) over two versions x0 = [1, 2], x1 = [10, 20]: the gradient is x1 + x0.
  EagerTensor loss = runtime->session(engine, [&](EagerSession &s) {
    EagerTensor before = s.mul(x, 1.0);
    x.assign(vector({10, 20}));
    return s.sum(s.mul(before, x));
  });
  EXPECT_EQ(x.id(), id);
  EXPECT_EQ(valuesOf(x), (Values{10, 20}));
  EXPECT_EQ(loss.item<double>(), 10 + 40);
  Gradients gradients = loss.backward(engine);
  EXPECT_EQ(gradients.size(), 1u);
  EXPECT_EQ(valuesOf(gradients.of(x)), (Values{11, 22}));
  EXPECT_EQ(valuesOf(x.grad()), (Values{11, 22}));
  EXPECT_EQ(valuesOf(runtime->grad(engine, loss, x)), (Values{11, 22}));
}

} // namespace tenferro::test
