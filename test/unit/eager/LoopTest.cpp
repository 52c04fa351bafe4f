// A training loop: one miss, constant memory, exact counters.
#include "test/unit/eager/TestSupport.h"

namespace tenferro::test {

class LoopTest : public EachPolicy {};
TENFERRO_EACH_POLICY(LoopTest);

TEST_P(LoopTest, AThousandStepsMissOnce) {
  auto runtime = EagerRuntime::create(options());
  CpuEngine engine;
  {
    Values start(64), factors(64);
    for (int i = 0; i < 64; ++i) {
      start[i] = 0.25 * i;
      factors[i] = 1 + i % 7;
    }
    EagerTensor x = runtime->variable(vector(start));
    EagerTensor c = runtime->constant(vector(factors));
    size_t bytes = 0, residentEarly = 0;
    for (int step = 0; step < 1001; ++step) {
      {
        EagerTensor loss = runtime->session(engine, [&](EagerSession &s) { return s.sum(s.mul(s.mul(c, x), x)); });
        ASSERT_EQ(runtime->recordCount(), 5u) << step;
        ASSERT_EQ(runtime->slotCount(), 4u) << step;
        loss.backward(engine);
      }
      ASSERT_EQ(runtime->recordCount(), 2u) << step;
      ASSERT_EQ(x.grad()->toVector<double>()[3], 2 * 4 * 0.75) << step;
      x.clearGrad();
      if (step == 1)
        runtime->finishCompiles(); // the second step has asked for the fused program, the third finds it
      size_t now = runtime->cacheStats().preparedDerivatives.retainedBytes;
      if (step <= 2)
        bytes = now;
      ASSERT_EQ(now, bytes) << step;
      if (step == 100)
        residentEarly = residentBytes();
    }
    if (!kAddressSanitizer) // which holds freed memory back
      EXPECT_LT(residentBytes(), residentEarly + (1 << 20));
    CacheStats stats = runtime->cacheStats().preparedDerivatives;
    EXPECT_EQ(stats.misses, 1u);
    EXPECT_EQ(stats.hits, 1000u);
    EXPECT_EQ(stats.entries, 1u);
    EXPECT_EQ(stats.evictions, 0u);
    EXPECT_GT(stats.retainedBytes, 0u);
  }
  EXPECT_EQ(runtime->recordCount(), 0u);
  EXPECT_EQ(runtime->slotCount(), 0u);
}

TEST_P(LoopTest, AnOptimizerStepUnderNoGrad) {
  // x <- x - 0.25 * dloss/dx with loss = sum(x*x): halves x. Exact in binary.
  auto runtime = EagerRuntime::create(options());
  CpuEngine engine;
  EagerTensor x = runtime->variable(vector({8, -16}));
  for (int step = 0; step < 5; ++step) {
    EagerTensor loss = runtime->session(engine, [&](EagerSession &s) { return s.sum(s.mul(x, x)); });
    loss.backward(engine);
    NoGradGuard guard = runtime->noGrad();
    runtime->session(engine, [&](EagerSession &s) {
      x.assign(s.sub(x, s.mul(s.constant(*x.grad()), 0.25)));
    });
    x.clearGrad();
  }
  EXPECT_EQ(valuesOf(x), (Values{0.25, -0.5}));
  EXPECT_EQ(runtime->cacheStats().preparedDerivatives.misses, 1u);
  EXPECT_EQ(runtime->recordCount(), 1u);
  EXPECT_EQ(runtime->slotCount(), 1u);
}

} // namespace tenferro::test
