// Concurrent use of one runtime; run under ThreadSanitizer by the tsan preset.
#include "test/unit/eager/TestSupport.h"

#include <atomic>
#include <barrier>
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

namespace {

/// Six operations on integers that the digits of `number` choose: another number is another structure. `ops` may be a
/// session with tensors, or numbers with their derivatives.
template <typename Ops, typename Value> Value drawn(Ops &&ops, const Value &x, int number) {
  Value v = x;
  for (int i = 0; i < 6; ++i, number /= 3)
    v = number % 3 == 0 ? ops.mul(v, x) : number % 3 == 1 ? ops.add(v, x) : ops.sub(x, v);
  return v;
}

/// A value and its derivative, by the rules of school.
struct Dual {
  double value, slope;
};
struct DualOps {
  Dual add(Dual a, Dual b) const { return {a.value + b.value, a.slope + b.slope}; }
  Dual sub(Dual a, Dual b) const { return {a.value - b.value, a.slope - b.slope}; }
  Dual mul(Dual a, Dual b) const { return {a.value * b.value, a.slope * b.value + a.value * b.slope}; }
};

} // namespace

TEST_P(ThreadTest, SixtyFourThreadsCompileEachNewKeyOnce) {
  constexpr int kThreads = 64, kRounds = 200;
  auto runtime = EagerRuntime::create(options());
  std::atomic<int> wrong{0};
  std::barrier start(kThreads), end(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      CpuEngine engine({.threads = 1});
      for (int round = 0; round < kRounds; ++round) {
        const double at = i % 5 - 2.0;
        start.arrive_and_wait();
        EagerTensor x = runtime->variable(vector({at, 1}));
        EagerTensor loss = runtime->session(engine, [&](EagerSession &s) { return s.sum(drawn(s, x, round)); });
        loss.backward(engine);
        wrong += valuesOf(x.grad()) !=
                 Values{drawn(DualOps(), Dual{at, 1}, round).slope, drawn(DualOps(), Dual{1, 1}, round).slope};
        end.arrive_and_wait();
        if (i == 0)
          runtime->finishCompiles(); // before later structures evict it
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  const RuntimeCacheStats stats = runtime->cacheStats();
  EXPECT_EQ(stats.preparedDerivatives.misses, uint64_t{kRounds});
  EXPECT_EQ(stats.preparedDerivatives.hits, uint64_t{kRounds} * (kThreads - 1));
  EXPECT_EQ(stats.adTransforms.misses, uint64_t{kRounds});
  EXPECT_EQ(stats.compiles.done, GetParam() == CompilePolicy::Never ? 0u : uint64_t{kRounds});
  EXPECT_EQ(stats.compiles.failed + stats.compiles.dropped + stats.compiles.queued, 0u);
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
