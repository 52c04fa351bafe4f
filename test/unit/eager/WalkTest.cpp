// What a walk visits, and traces of any length.
#include "test/unit/eager/TestSupport.h"

namespace tenferro::test {

/// Records visited by one backward.
static uint64_t visitedByBackward(Example &e) {
  uint64_t before = e.runtime->visitedCount();
  e.loss.backward(e.engine);
  return e.runtime->visitedCount() - before;
}

TEST(WalkTest, UnrelatedVariablesAreNotVisited) {
  Example e;
  e.forward();
  // Two leaves, three results.
  EXPECT_EQ(visitedByBackward(e), 5u);
  std::vector<EagerTensor> unrelated;
  for (int i = 0; i < 10000; ++i)
    unrelated.push_back(e.runtime->variable(Tensor::scalar(1.0 * i)));
  std::vector<EagerTensor> results;
  e.runtime->session(e.engine, [&](EagerSession &s) {
    for (int i = 0; i < 100; ++i)
      results.push_back(s.mul(e.x, unrelated[i].detach()));
  });
  EXPECT_EQ(visitedByBackward(e), 5u);
  EXPECT_EQ(e.runtime->slotCount(), 10104u);
  EXPECT_EQ(e.runtime->cacheStats().preparedDerivatives.hits, 1u);
}

TEST(WalkTest, AMillionOperationsAreRecordedAndDropped) {
  auto runtime = EagerRuntime::create();
  CpuEngine engine;
  EagerTensor x = runtime->variable(Tensor::scalar(1.0));
  EagerTensor half = runtime->constant(Tensor::scalar(0.5));
  EagerTensor y = x;
  runtime->session(engine, [&](EagerSession &s) {
    for (int i = 0; i < 1000000; ++i)
      y = s.mul(y, half);
  });
  EXPECT_EQ(runtime->recordCount(), 1000002u);
  EXPECT_EQ(y.item<double>(), 0);
  y = EagerTensor();
  EXPECT_EQ(runtime->recordCount(), 2u);
  EXPECT_EQ(runtime->slotCount(), 1u);
}

TEST(WalkTest, RecordsAreDroppedInAnyOrder) {
  for (int first = 0; first < 4; ++first) {
    Example e;
    std::shared_ptr<EagerRuntime> runtime = e.runtime;
    e.forward();
    EagerTensor *handles[] = {&e.x, &e.c, &e.h, &e.loss};
    for (int i = 0; i < 4; ++i)
      *handles[(first + 3 * i) % 4] = EagerTensor();
    EXPECT_EQ(runtime->recordCount(), 0u);
    EXPECT_EQ(runtime->slotCount(), 0u);
  }
}

TEST(WalkTest, HandlesOfInputsMayGoBeforeBackward) {
  Example e;
  e.forward();
  EagerTensor x = e.x;
  e.x = e.h = e.c = EagerTensor();
  e.loss.backward(e.engine);
  EXPECT_EQ(valuesOf(x.grad()), (Values{20, 80, 180}));
}

TEST(WalkTest, ValuesThatWereNotKeptAreComputedAgain) {
  // sum(exp(x + x + x)): the derivative reads exp's result alone, which was kept.
  auto runtime = EagerRuntime::create();
  CpuEngine engine;
  EagerTensor x = runtime->variable(vector({0.5, 0}));
  EagerTensor loss = runtime->session(engine, [&](EagerSession &s) { return s.sum(s.exp(s.add(s.add(x, x), x))); });
  loss.backward(engine);
  EXPECT_NEAR(x.grad()->toVector<double>()[0], 3 * 4.4816890703380645, 1e-14); // exp(1.5)
  EXPECT_EQ(x.grad()->toVector<double>()[1], 3);
  // A second derivative reads more: d2 = 9 exp(3x).
  EagerTensor dx = runtime->grad(engine, loss, x);
  EagerTensor sum = runtime->session(engine, [&](EagerSession &s) { return s.sum(dx); });
  EXPECT_EQ(runtime->grad(engine, sum, x).toVector<double>()[1], 9);
}

TEST(WalkTest, TensorsKeepTheirRuntimeAlive) {
  CpuEngine engine;
  EagerTensor x, loss;
  std::weak_ptr<EagerRuntime> watched;
  {
    auto runtime = EagerRuntime::create();
    watched = runtime;
    x = runtime->variable(vector({1, 2}));
    loss = runtime->session(engine, [&](EagerSession &s) { return s.sum(s.mul(x, x)); });
  }
  EXPECT_FALSE(watched.expired());
  loss.backward(engine);
  EXPECT_EQ(valuesOf(x.grad()), (Values{2, 4}));
  EXPECT_EQ(x.runtime(), watched.lock());
  loss = EagerTensor();
  x = EagerTensor();
  EXPECT_TRUE(watched.expired());
}

TEST(WalkTest, ValuesOutliveTheirHandles) {
  Tensor kept;
  {
    Example e;
    e.forward();
    kept = e.h.value();
  }
  EXPECT_EQ(valuesOf(kept), (Values{10, 40, 90}));
}

TEST(WalkTest, SessionsNest) {
  Example outer, inner;
  inner.runtime->session(inner.engine, [&](EagerSession &) {
    EXPECT_EQ(&currentSession().runtime(), inner.runtime.get());
    outer.runtime->session(outer.engine, [&](EagerSession &s) {
      EXPECT_EQ(&currentSession(), &s);
      EXPECT_EQ(&currentSession().runtime(), outer.runtime.get());
      outer.runtime->session(outer.engine, [&](EagerSession &again) { EXPECT_EQ(&currentSession(), &again); });
      EXPECT_EQ(&currentSession(), &s);
    });
    EXPECT_EQ(&currentSession().runtime(), inner.runtime.get());
    {
      Scope scope(outer.runtime, outer.engine);
      EXPECT_EQ(&currentSession().runtime(), outer.runtime.get());
      // Differentiating inside a session is as good as outside.
      outer.forward();
      outer.loss.backward(outer.engine);
    }
    EXPECT_EQ(&currentSession().runtime(), inner.runtime.get());
  });
  EXPECT_EQ(valuesOf(outer.x.grad()), (Values{20, 80, 180}));
  EXPECT_THROW(currentSession(), RuntimeError);
  EXPECT_THROW(Scope scope(nullptr, outer.engine), ValidationError);
}

TEST(WalkTest, ViewsShareStorage) {
  auto runtime = EagerRuntime::create();
  CpuEngine engine;
  EagerTensor x = runtime->variable(Tensor::from({2, 3}, {1., 2., 3., 4., 5., 6.}));
  runtime->session(engine, [&](EagerSession &s) {
    EagerTensor t = s.transpose(x);
    EXPECT_TRUE(t.tracksGrad());
    EXPECT_EQ(t.value().strides(), IntList({2, 1}));
    EagerTensor flat = s.reshape(x, {6});
    EXPECT_EQ(flat.value().data<double>(), x.value().data<double>());
    EagerTensor loss = s.sum(s.mul(t, s.transpose(x)));
    loss.backward(engine);
  });
  EXPECT_EQ(valuesOf(x.grad()), (Values{2, 4, 6, 8, 10, 12}));
}

} // namespace tenferro::test
