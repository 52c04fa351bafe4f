// What the docstrings promise about threads; run under ThreadSanitizer.
#include "test/unit/surface/Support.h"

#include <thread>

namespace tenferro::test {
namespace {

template <typename Body> void inThreads(int count, Body &&body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&body, i] { body(i); });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Threads, TensorsAreReadConcurrently) {
  Tensor shared = Tensor::fromRowMajor<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  inThreads(8, [&](int) {
    for (int i = 0; i < 200; ++i) {
      Tensor copy = shared, view = copy.transposed({1, 0});
      EXPECT_EQ(view.toRowMajor<double>(), (std::vector<double>{1, 4, 2, 5, 3, 6}));
      EXPECT_EQ(view.contiguous().data<double>()[1], 2);
      EXPECT_EQ(shared.str(), "f64[2, 3] [[1, 2, 3], [4, 5, 6]]");
    }
  });
}

TEST(Threads, HandlesOfOneTensorInManySessions) {
  auto rt = EagerRuntime::create({.policy = CompilePolicy::Never});
  CpuEngine engine({.threads = 1});
  EagerTensor x = rt->variable(vec({1, 2, 3}));
  {
    EagerTensor y = rt->session(engine, [&](EagerSession &s) { return s.mul(x, x); });
    inThreads(8, [&](int i) {
      for (int k = 0; k < 100; ++k) {
        EagerTensor mine = y;
        EagerTensor z = rt->session(engine, [&](EagerSession &s) { return s.sum(s.add(s.mul(mine, i), x)); });
        EXPECT_EQ(z.item<double>(), 14 * i + 6);
      }
    });
  }
  EXPECT_EQ(rt->recordCount(), 1u);
}

TEST(Threads, ScopesBelongToTheirThread) {
  inThreads(4, [](int i) {
    auto rt = EagerRuntime::create({.policy = CompilePolicy::Never});
    CpuEngine engine({.threads = 1});
    Scope scope(rt, engine);
    EagerTensor x = rt->variable(Tensor::scalar(double(i)));
    for (int k = 0; k < 100; ++k)
      EXPECT_EQ((x * 2.0 + 1.0).item<double>(), 2 * i + 1);
  });
}

} // namespace
} // namespace tenferro::test
