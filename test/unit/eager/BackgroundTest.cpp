// Fused programs that are compiled behind: when, what is told, the bits meanwhile, and every end a process can come to.
#include "test/unit/eager/TestSupport.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <latch>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tenferro::test {

namespace {

CompileStats compilesOf(const EagerRuntime &runtime) { return runtime.cacheStats().compiles; }

/// sum(x^(n + 1)) at x = [1, 2]: another structure for every n; the gradient is (n + 1) x^n.
EagerTensor power(EagerSession &s, const EagerTensor &x, int n) {
  EagerTensor y = x;
  for (int i = 0; i < n; ++i)
    y = s.mul(y, x);
  return s.sum(y);
}
Values gradientOfPower(int n) { return {n + 1., (n + 1.) * static_cast<double>(int64_t{1} << n)}; }

Values differentiate(const std::shared_ptr<EagerRuntime> &runtime, int n) {
  CpuEngine engine({.threads = 1});
  EagerTensor x = runtime->variable(vector({1, 2}));
  runtime->session(engine, [&](EagerSession &s) { return power(s, x, n); }).backward(engine);
  return valuesOf(x.grad());
}

} // namespace

TEST(BackgroundTest, TheFirstCallsRunOpByOpAndLaterOnesFused) {
  auto runtime = EagerRuntime::create();
  EXPECT_EQ(differentiate(runtime, 3), gradientOfPower(3));
  CompileStats first = compilesOf(*runtime);
  EXPECT_EQ(first.runsOpByOp, 1u);
  EXPECT_EQ(first.queued + first.inFlight + first.done, 0u); // asked for once
  expectInOrder(runtime->explainCache(), {"miss ", "runs op by op; asked for 1 time, compiled when it is asked for 2 times"});
  EXPECT_EQ(differentiate(runtime, 3), gradientOfPower(3));
  runtime->finishCompiles();
  CompileStats compiled = compilesOf(*runtime);
  EXPECT_EQ(compiled.done, 1u);
  EXPECT_EQ(compiled.queued + compiled.inFlight + compiled.failed + compiled.dropped, 0u);
  EXPECT_GT(compiled.seconds, 0);
  EXPECT_EQ(compiled.seconds, compiled.longestSeconds);
  EXPECT_EQ(differentiate(runtime, 3), gradientOfPower(3));
  CompileStats last = compilesOf(*runtime);
  EXPECT_EQ(last.runsOpByOp, 2u);
  EXPECT_EQ(last.runsFused, 1u);
  expectInOrder(runtime->explainCache(), {"hit ", "runs fused, compiled in the background in ", "fused programs: 1 compiled in ",
                                          "1 run fused, 2 op by op", "found"});
  // One entry answered all the time, and tells what it has come to cost.
  CacheStats stats = runtime->cacheStats().preparedDerivatives;
  EXPECT_EQ(stats.misses, 1u);
  EXPECT_EQ(stats.hits, 2u);
  EXPECT_EQ(stats.entries, 1u);
}

TEST(BackgroundTest, CachesAreToldWhatTheCodeCosts) {
  auto runtime = EagerRuntime::create();
  (void)differentiate(runtime, 4);
  RuntimeCacheStats before = runtime->cacheStats();
  (void)differentiate(runtime, 4);
  runtime->finishCompiles();
  (void)differentiate(runtime, 4);
  RuntimeCacheStats after = runtime->cacheStats();
  EXPECT_GT(after.preparedDerivatives.retainedBytes, before.preparedDerivatives.retainedBytes);
  EXPECT_GT(after.adTransforms.retainedBytes, before.adTransforms.retainedBytes);
}

TEST(BackgroundTest, RuntimesOfOneContextShareTheCompile) {
  auto context = AdContext::create();
  RuntimeOptions options;
  options.adContext = context;
  auto one = EagerRuntime::create(options), other = EagerRuntime::create(options);
  (void)differentiate(one, 5);
  (void)differentiate(other, 5);
  one->finishCompiles();
  EXPECT_EQ(differentiate(one, 5), gradientOfPower(5));
  EXPECT_EQ(differentiate(other, 5), gradientOfPower(5));
  EXPECT_EQ(compilesOf(*one).done, 1u);
  EXPECT_EQ(compilesOf(*one).runsFused, 1u);
  EXPECT_EQ(compilesOf(*other).runsFused, 1u);
  EXPECT_EQ(one->cacheStats().adTransforms.misses, 1u);
}

TEST(BackgroundTest, EveryPolicyGetsItsTierFromASharedContext) {
  auto context = AdContext::create();
  auto make = [&](CompilePolicy policy) { return EagerRuntime::create({.policy = policy, .adContext = context}); };
  auto never = make(CompilePolicy::Never), immediate = make(CompilePolicy::Immediate), behind = make({});
  for (const auto &runtime : {never, immediate, behind, never, immediate, behind})
    EXPECT_EQ(differentiate(runtime, 6), gradientOfPower(6));
  EXPECT_EQ(compilesOf(*never).runsOpByOp, 2u);
  EXPECT_EQ(compilesOf(*immediate).runsFused, 2u);
  EXPECT_EQ(compilesOf(*behind).runsFused, 2u);
  EXPECT_EQ(compilesOf(*never).done, 1u);
  EXPECT_EQ(never->cacheStats().adTransforms.misses, 1u);
  (void)differentiate(never, 6);
  expectInOrder(never->explainCache(), {"runs op by op, as the policy says"});
}

TEST(BackgroundTest, CompiledFunctionsAreCompiledBehindToo) {
  auto runtime = EagerRuntime::create();
  CpuEngine engine({.threads = 1});
  auto cube = runtime->compile([](const EagerTensor &x) { return sum(x * x * x); });
  EagerTensor x = runtime->constant(vector({1, 2}));
  for (int round = 0; round < 4; ++round) {
    auto [value, gradient] = cube.valueAndGrad(engine, x);
    EXPECT_EQ(value.item<double>(), 9);
    EXPECT_EQ(valuesOf(gradient), (Values{3, 12}));
    if (round == 1)
      runtime->finishCompiles();
  }
  EXPECT_EQ(compilesOf(*runtime).runsOpByOp, 2u);
  EXPECT_EQ(compilesOf(*runtime).runsFused, 2u);
}

TEST(BackgroundTest, NumericsAreCheckedOpByOpAlsoOfWhatRunsFused) {
  for (CompilePolicy policy : {CompilePolicy::Background, CompilePolicy::Immediate}) {
    auto runtime = EagerRuntime::create({.policy = policy});
    CpuEngine engine({.threads = 1});
    auto gradientAt = [&](double at) {
      EagerTensor x = runtime->variable(vector({at, 1}));
      EagerTensor loss = runtime->session(engine, [&](EagerSession &s) { return s.sum(s.sqrt(x)); });
      loss.backward(engine);
      return valuesOf(x.grad());
    };
    for (int round = 0; round < 2; ++round)
      EXPECT_EQ(gradientAt(4), (Values{0.25, 0.5}));
    runtime->finishCompiles();
    EXPECT_EQ(gradientAt(4), (Values{0.25, 0.5}));
    const uint64_t fused = compilesOf(*runtime).runsFused;
    NumericsGuard guard;
    EXPECT_THROW(gradientAt(0), NumericsError); // 1 / (2 sqrt(0)) is infinite
    EXPECT_EQ(gradientAt(4), (Values{0.25, 0.5}));
    EXPECT_EQ(compilesOf(*runtime).runsFused, fused);
  }
}

TEST(BackgroundTest, BitsStayWhileProgramsAreSwappedUnderThreads) {
  constexpr int kStructures = 6, kThreads = 4;
  auto never = EagerRuntime::create({.policy = CompilePolicy::Never}), runtime = EagerRuntime::create();
  auto gradient = [](const std::shared_ptr<EagerRuntime> &rt, int n) {
    CpuEngine engine({.threads = 1});
    EagerTensor x = rt->variable(vector({0.1, 0.2, 0.3, -0.7, 1.9}));
    EagerTensor loss = rt->session(engine, [&](EagerSession &s) {
      EagerTensor y = s.exp(x);
      for (int i = 0; i < n; ++i)
        y = s.mul(s.tanh(y), x);
      return s.sum(y);
    });
    loss.backward(engine);
    return valuesOf(x.grad());
  };
  std::vector<Values> want;
  for (int n = 0; n < kStructures; ++n)
    want.push_back(gradient(never, n));
  std::atomic<int> wrong{0};
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      for (int round = 0; round < 40; ++round)
        for (int n = 0; n < kStructures; ++n)
          wrong += gradient(runtime, (n + t) % kStructures) != want[static_cast<size_t>((n + t) % kStructures)];
    });
  for (std::thread &thread : threads)
    thread.join();
  runtime->finishCompiles();
  for (int n = 0; n < kStructures; ++n)
    wrong += gradient(runtime, n) != want[static_cast<size_t>(n)];
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(compilesOf(*runtime).done, static_cast<uint64_t>(kStructures));
  EXPECT_GE(compilesOf(*runtime).runsFused, static_cast<uint64_t>(kStructures));
  EXPECT_GE(compilesOf(*runtime).runsOpByOp, static_cast<uint64_t>(kStructures));
}

TEST(BackgroundTest, RuntimesAreDestroyedWithCompilesInFlight) {
  for (int round = 0; round < 30; ++round) {
    auto runtime = EagerRuntime::create();
    for (int n = 1; n < 4; ++n)
      for (int ask = 0; ask < 2; ++ask)
        EXPECT_EQ(differentiate(runtime, n), gradientOfPower(n));
  }
  auto runtime = EagerRuntime::create();
  (void)differentiate(runtime, 1);
  std::weak_ptr<EagerRuntime> watched = runtime;
  (void)differentiate(runtime, 1);
  runtime.reset();
  EXPECT_TRUE(watched.expired()); // whatever is being compiled
}

TEST(BackgroundTest, WhatNobodyIsLeftToRunIsDropped) {
  auto context = AdContext::create();
  for (int round = 0; round < 40; ++round) {
    auto runtime = EagerRuntime::create({.adContext = context});
    (void)differentiate(runtime, 1 + round % 20);
    (void)differentiate(runtime, 1 + round % 20);
    context->clear();
  }
  auto last = EagerRuntime::create({.adContext = context});
  last->finishCompiles();
  CompileStats stats = compilesOf(*last);
  EXPECT_EQ(stats.done + stats.dropped, 40u);
  EXPECT_EQ(stats.failed, 0u);
}

#if !defined(__SANITIZE_THREAD__) && !(defined(__has_feature) && __has_feature(thread_sanitizer))
TEST(BackgroundTest, ForksAtRandomMoments) {
  auto runtime = EagerRuntime::create();
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    for (int n = 1; n < 4; ++n)
      (void)differentiate(runtime, 1 + (3 * round + n) / 2);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 5000));
    std::cout.flush();
    pid_t child = fork();
    if (child == 0) {
      alarm(60); // one that hangs is a failure
      bool good = true;
      for (int ask = 0; ask < 3; ++ask) {
        for (int n : {1, 2, 40 - round})
          good &= differentiate(runtime, n) == gradientOfPower(n);
        runtime->finishCompiles();
      }
      good &= compilesOf(*runtime).runsFused > 0;
      std::exit(good ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "round " << round << ", status " << status;
  }
  runtime->finishCompiles();
  EXPECT_EQ(compilesOf(*runtime).failed, 0u);
}

TEST(BackgroundTest, AForkedChildFindsTheTablesOfTheProcessFree) {
  auto useTables = [](const std::shared_ptr<EagerRuntime> &runtime) {
    CpuEngine engine({.threads = 1});
    Scope scope(runtime, engine);
    EagerTensor x = runtime->constant(vector({1, 2}));
    for (int i = 0; i < 20; ++i) {
      ExtensionSpec spec;
      spec.family = "test.nothing.v1";
      spec.shape = [](const std::vector<TensorType> &inputs, const IntList &) { return inputs; };
      spec.kernels = {{EngineKind::Cpu, [](ExtensionContext &, const auto &, const auto &) {}}};
      for (int k = 0; k < 20; ++k)
        (void)ExtensionModule(spec);
      customVjp(
          "square", [](const EagerTensor &a) { return a * a; },
          [](const EagerTensor &a, const EagerTensor &, const EagerTensor &ct) { return 2 * a * ct; })(x);
    }
  };
  std::atomic<bool> ends{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      auto own = EagerRuntime::create();
      while (!ends)
        useTables(own);
    });
  for (int round = 0; round < 60; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    pid_t child = fork();
    if (child == 0) {
      alarm(60); // one that hangs is a failure
      useTables(EagerRuntime::create());
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "round " << round << ", status " << status;
    if (HasFailure())
      break;
  }
  ends = true;
  for (std::thread &thread : threads)
    thread.join();
}

TEST(BackgroundChildTest, ForksWhileTheCompilerIsOpened) {
  if (!std::getenv("TENFERRO_TEST_CHILD"))
    GTEST_SKIP() << "run by ChildrenForkedBeforeTheFirstCompileCompile";
  // The first derivatives open the compiler while this thread forks, with handlers that were registered meanwhile.
  std::atomic<bool> ends{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      while (!ends)
        (void)differentiate(EagerRuntime::create(), 2);
    });
  for (int round = 0; round < 25; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    pid_t child = fork();
    if (child == 0) {
      alarm(60); // one that hangs is a failure
      _exit(differentiate(EagerRuntime::create(), 3) == gradientOfPower(3) ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "round " << round << ", status " << status;
  }
  ends = true;
  for (std::thread &thread : threads)
    thread.join();
}

TEST(BackgroundTest, ChildrenForkedBeforeTheFirstCompileCompile) {
  for (int round = 0; round < 12; ++round)
    outputOfTest("TENFERRO_TEST_CHILD=1", "BackgroundChildTest.ForksWhileTheCompilerIsOpened"); // checks the status
}
#endif

//===- In processes of their own --------------------------------------------------------------------------------===//

/// Ends with compiles queued and in flight, after some time and by the call that the test below names.
TEST(BackgroundChildTest, Exit) {
  const char *how = std::getenv("TENFERRO_TEST_CHILD"), *after = std::getenv("TENFERRO_TEST_AFTER");
  if (!how || !after)
    return;
  std::string_view end = how;
  static std::shared_ptr<EagerRuntime> kept = EagerRuntime::create(); // destroyed after main
  EagerTensor x = kept->variable(vector({1, 2}));                     // opens the compiler behind
  if (!end.ends_with("opening"))
    for (int n = 1; n < 6; ++n)
      for (int ask = 0; ask < 2; ++ask)
        EXPECT_EQ(differentiate(kept, n), gradientOfPower(n));
  std::this_thread::sleep_for(std::chrono::microseconds(std::atoi(after)));
  if (end.starts_with("thread"))
    std::thread([] { std::exit(0); }).join();
  if (end == "throw") {
    try {
      throw std::runtime_error("unwinds with a compile in flight");
    } catch (const std::runtime_error &) {
      kept.reset();
    }
  }
  std::exit(0);
}

TEST(BackgroundTest, ProcessesEndWithCompilesInFlight) {
  int microseconds = 0;
  for (const char *how : {"opening", "main", "thread-opening", "thread", "throw"}) {
    // Where LLVM is a shared library, this exit may destroy what its initializers in the other thread have just made:
    // AddressSanitizer sees that once in some hundred runs. Without it 3,400 ended well.
    if (kAddressSanitizer && std::string_view(how) == "thread-opening")
      continue;
    for (int round = 0; round < (how[0] == 't' ? 20 : 5); ++round, microseconds = (microseconds + 7919) % 40000)
      outputOfTest("TENFERRO_TEST_CHILD=" + std::string(how) + " TENFERRO_TEST_AFTER=" + std::to_string(microseconds),
                   "BackgroundChildTest.Exit"); // checks the status
  }
}

TEST(BackgroundChildTest, NoMemoryForCode) {
  if (!std::getenv("TENFERRO_TEST_CHILD"))
    return;
  auto runtime = EagerRuntime::create();
  (void)differentiate(runtime, 2);
  const rlimit none{0, 0}; // of a file, and code lies in one
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  (void)differentiate(runtime, 2);
  runtime->finishCompiles();
  const bool good = differentiate(runtime, 2) == gradientOfPower(2);
  CompileStats stats = compilesOf(*runtime);
  std::cout << (good ? "right" : "wrong") << ", " << stats.failed << " failed, " << stats.runsOpByOp << " op by op\n"
            << runtime->explainCache() << std::endl;
}

TEST(BackgroundTest, AProgramThatFailsToCompileGoesOnOpByOp) {
  std::string output = outputOfTest("TENFERRO_TEST_CHILD=1", "BackgroundChildTest.NoMemoryForCode");
  expectInOrder(output, {"right, 1 failed, 3 op by op", "runs op by op; the fused program failed to compile: ",
                         "fused programs: 0 compiled, 0 queued, 0 in flight, 1 failed"});
}

} // namespace tenferro::test
