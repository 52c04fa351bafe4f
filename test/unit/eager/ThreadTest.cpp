// Concurrent use of one runtime; run under ThreadSanitizer by the tsan preset.
#include "test/unit/eager/TestSupport.h"

#include <atomic>
#include <latch>
#include <thread>

namespace tenferro::test {

/// Runs body(i) on `count` threads that start together.
template <typename Body> static void onThreads(int count, Body &&body) {
  std::latch start(count);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      body(i);
    });
  for (std::thread &thread : threads)
    thread.join();
}

class ThreadTest : public EachPolicy {};
TENFERRO_EACH_POLICY(ThreadTest);

TEST_P(ThreadTest, SixteenThreadsCompileANewKeyOnce) {
  auto runtime = EagerRuntime::create(options());
  std::atomic<int> wrong{0};
  onThreads(16, [&](int i) {
    CpuEngine engine;
    EagerTensor x = runtime->variable(vector({1.0 * i, 2}));
    EagerTensor loss = runtime->session(engine, [&](EagerSession &s) { return s.sum(s.mul(x, x)); });
    loss.backward(engine);
    wrong += valuesOf(x.grad()) != Values{2.0 * i, 4};
  });
  EXPECT_EQ(wrong, 0);
  CacheStats stats = runtime->cacheStats().preparedDerivatives;
  EXPECT_EQ(stats.misses, 1u);
  EXPECT_EQ(stats.hits, 15u);
  EXPECT_EQ(stats.entries, 1u);
  EXPECT_EQ(runtime->cacheStats().adTransforms.misses, 1u);
  EXPECT_EQ(runtime->recordCount(), 0u);
}

TEST_P(ThreadTest, ThreadsShareVariables) {
  constexpr int kThreads = 4, kSteps = 200;
  auto runtime = EagerRuntime::create(options());
  EagerTensor x = runtime->variable(vector({1, 2, 3}));
  onThreads(kThreads, [&](int) {
    CpuEngine engine;
    for (int step = 0; step < kSteps; ++step) {
      EagerTensor loss = runtime->session(engine, [&](EagerSession &s) { return s.sum(s.mul(x, x)); });
      loss.backward(engine);
    }
  });
  // Integers: exact in any order.
  EXPECT_EQ(valuesOf(x.grad()), (Values{2. * kThreads * kSteps, 4. * kThreads * kSteps, 6. * kThreads * kSteps}));
  EXPECT_EQ(runtime->recordCount(), 1u);
}

TEST_P(ThreadTest, AssignAndReadAtTheSameTime) {
  auto runtime = EagerRuntime::create(options());
  EagerTensor x = runtime->variable(vector({0, 0}));
  std::atomic<int> torn{0};
  onThreads(4, [&](int i) {
    CpuEngine engine;
    for (int step = 0; step < 500; ++step) {
      if (i == 0) {
        x.assign(vector({1.0 * step, 1.0 * step}));
      } else {
        EagerTensor y = runtime->session(engine, [&](EagerSession &s) { return s.add(x, x); });
        Values values = valuesOf(y);
        torn += values[0] != values[1];
        x.clearGrad();
        runtime->clearGrads();
      }
    }
  });
  EXPECT_EQ(torn, 0);
}

TEST_P(ThreadTest, HandlesOfOneTraceGoInManyThreads) {
  auto runtime = EagerRuntime::create(options());
  CpuEngine engine;
  for (int round = 0; round < 50; ++round) {
    EagerTensor x = runtime->variable(vector({1, 2}));
    std::vector<EagerTensor> chain = {x};
    runtime->session(engine, [&](EagerSession &s) {
      for (int i = 0; i < 32; ++i)
        chain.push_back(s.mul(chain.back(), x));
    });
    onThreads(4, [&](int i) {
      for (size_t k = static_cast<size_t>(i); k < chain.size(); k += 4)
        chain[k] = EagerTensor();
    });
    EXPECT_EQ(runtime->recordCount(), 1u);
  }
}

TEST(ThreadGuardTest, GuardsBelongToTheirThread) {
  Example e;
  NoGradGuard guard;
  bool tracks = false;
  std::thread([&] {
    tracks = e.runtime->session(e.engine, [&](EagerSession &s) { return s.mul(e.x, e.x); }).tracksGrad();
  }).join();
  EXPECT_TRUE(tracks);
}

} // namespace tenferro::test
