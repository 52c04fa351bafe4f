// Sessions, scopes and runtimes that end in an odd order, and computing while the process or a thread ends.
#include "test/unit/eager/TestSupport.h"

#include <cstdlib>
#include <iostream>
#include <memory>
#include <thread>

namespace tenferro::test {

TEST(LifetimeTest, ScopesEndInAnyOrder) {
  CpuEngine engine;
  auto first = EagerRuntime::create(), second = EagerRuntime::create(), third = EagerRuntime::create();
  auto a = std::make_unique<Scope>(first, engine), b = std::make_unique<Scope>(second, engine),
       c = std::make_unique<Scope>(third, engine);
  b.reset();
  EXPECT_EQ(&currentSession().runtime(), third.get());
  a.reset();
  EXPECT_EQ(&currentSession().runtime(), third.get());
  c.reset();
  EXPECT_EQ(failureFrom<RuntimeError>([] { currentSession(); }).kind, ErrorKind::RuntimeState);
}

TEST(LifetimeTest, ASessionKeepsItsRuntime) {
  CpuEngine engine;
  auto runtime = EagerRuntime::create();
  EagerTensor made = runtime->session(engine, [&](EagerSession &s) {
    runtime.reset();
    return s.iota({3}, 0, DType::F64);
  });
  EXPECT_EQ(valuesOf(made), (Values{0, 1, 2}));
}

namespace {

/// A gradient of a new shape at each use, so that one is looked up and made.
void differentiate(const char *where) {
  static thread_local int64_t extent = 1;
  CpuEngine engine{{.threads = 2}};
  RuntimeOptions options;
  options.policy = CompilePolicy::Never;
  auto runtime = EagerRuntime::create(options);
  EagerTensor x = runtime->variable(Tensor::full({++extent, 2}, 2.0));
  Scope scope(runtime, engine);
  EagerTensor loss = sum(transpose(x) * transpose(x, {1, 0}) * 1.5);
  loss.backward(engine);
  if (runtime->explainCache().starts_with("miss "))
    std::cout << where << ' ' << x.grad()->toVector<double>()[0] << std::endl;
}

struct AtEnd {
  const char *where;
  ~AtEnd() { differentiate(where); }
};

} // namespace

/// Run by the test below in a process of its own.
TEST(LifetimeChildTest, ComputesAtTheEnd) {
  if (!std::getenv("TENFERRO_TEST_CHILD"))
    return;
  static AtEnd ofProcess{"process"}; // destroyed after everything the library makes below
  std::atexit([] { differentiate("atexit"); });
  std::thread([] {
    static thread_local AtEnd ofThread{"thread"};
    differentiate(ofThread.where);
  }).join();
  differentiate("test");
}

TEST(LifetimeTest, DestructorsOfStaticsAndThreadLocalsCompute) {
  std::string output = outputOfTest("TENFERRO_TEST_CHILD=1", "LifetimeChildTest.ComputesAtTheEnd");
  // d sum(1.5 x^2) = 3 x = 6
  for (const char *line : {"thread 6\nthread 6\n", "test 6\n", "atexit 6\n", "process 6\n"})
    EXPECT_NE(output.find(line), std::string::npos) << output;
}

} // namespace tenferro::test
