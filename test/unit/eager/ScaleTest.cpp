// Time per operation stays flat as traces grow, and no depth is too deep.
#include "test/unit/eager/TestSupport.h"

#include <algorithm>
#include <ctime>
#include <functional>

namespace tenferro::test {

namespace {

/// Processor time of the process in seconds: other work on the machine does not count.
double processorTime() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A shape of trace: records about `n` operations that end in a scalar.
struct Scaling {
  const char *name;
  EagerTensor (*record)(EagerRuntime &, EagerSession &, const EagerTensor &x, const EagerTensor &c, int n,
                        std::vector<EagerTensor> &alive);
};

EagerTensor chain(EagerRuntime &, EagerSession &s, const EagerTensor &x, const EagerTensor &c, int n,
                  std::vector<EagerTensor> &) {
  EagerTensor v = x;
  for (int i = 0; i < n; ++i)
    v = i % 3 == 0 ? s.mul(v, c) : i % 3 == 1 ? s.add(v, x) : s.tanh(v);
  return s.sum(v);
}

/// One value that every operation reads.
EagerTensor fanOut(EagerRuntime &, EagerSession &s, const EagerTensor &x, const EagerTensor &c, int n,
                   std::vector<EagerTensor> &) {
  EagerTensor v = x;
  for (int i = 0; i < n; ++i)
    v = i % 2 ? s.mul(v, x) : s.sub(c, v);
  return s.sum(v);
}

EagerTensor manyLeaves(EagerRuntime &runtime, EagerSession &s, const EagerTensor &x, const EagerTensor &, int n,
                       std::vector<EagerTensor> &alive) {
  EagerTensor v = x;
  for (int i = 0; i < n / 2; ++i) {
    alive.push_back(runtime.variable(vector({0.5, 0.25, -0.5, 1})));
    v = s.add(v, s.mul(x, alive.back()));
  }
  return s.sum(v);
}

/// Two paths between every pair of neighbours: as many paths as powers of two, and as many operations as lengths.
EagerTensor diamonds(EagerRuntime &, EagerSession &s, const EagerTensor &x, const EagerTensor &c, int n,
                     std::vector<EagerTensor> &) {
  EagerTensor v = x;
  for (int i = 0; i < n / 3; ++i)
    v = s.mul(s.add(v, s.tanh(v)), c);
  return s.sum(v);
}

/// Views of views, each of them read.
EagerTensor views(EagerRuntime &, EagerSession &s, const EagerTensor &x, const EagerTensor &c, int n,
                  std::vector<EagerTensor> &) {
  EagerTensor square = s.reshape(s.mul(x, c), {2, 2}), v = square;
  for (int i = 0; i < n / 3; ++i) {
    square = s.transpose(square, {1, 0});
    v = s.mul(s.sub(v, square), square);
  }
  return s.sum(v);
}

/// Reshapes that simplification melts into one.
EagerTensor reshapes(EagerRuntime &, EagerSession &s, const EagerTensor &x, const EagerTensor &c, int n,
                     std::vector<EagerTensor> &) {
  EagerTensor v = s.mul(x, c);
  const Shape shapes[] = {{2, 2}, {4, 1}, {1, 4}};
  for (int i = 0; i < n; ++i)
    v = s.reshape(v, shapes[i % 3]);
  return s.sum(s.mul(v, v));
}

class ScaleTest : public testing::TestWithParam<std::pair<Scaling, CompilePolicy>> {
protected:
  /// Seconds per operation from recording to the gradient, best of two.
  double secondsPerOperation(int n) {
    double best = 1e300;
    for (int round = 0; round < 2; ++round) {
      auto runtime = EagerRuntime::create({.policy = GetParam().second});
      CpuEngine engine({.threads = 1});
      EagerTensor x = runtime->variable(vector({0.5, -0.25, 0.75, 1}));
      EagerTensor c = runtime->constant(vector({1, 0.5, -1, 0.75}));
      std::vector<EagerTensor> alive;
      double start = processorTime();
      {
        EagerTensor loss = runtime->session(
            engine, [&](EagerSession &s) { return GetParam().first.record(*runtime, s, x, c, n, alive); });
        loss.backward(engine);
      }
      best = std::min(best, (processorTime() - start) / n);
    }
    return best;
  }
};

/// Sixteen times as much: caches fall behind and memory is touched for the first time, which is a factor below three; a
/// quadratic part that matters is a factor of sixteen.
TEST_P(ScaleTest, TimePerOperationIsFlat) {
  const int small = 500, large = 16 * small;
  secondsPerOperation(small); // opens the compiler
  const double few = secondsPerOperation(small), many = secondsPerOperation(large);
  EXPECT_LT(many, 4 * few) << few * 1e6 << " us an operation at " << small << ", " << many * 1e6 << " at " << large;
}

std::vector<std::pair<Scaling, CompilePolicy>> scalings() {
  std::vector<std::pair<Scaling, CompilePolicy>> all;
  for (Scaling scaling : {Scaling{"Chain", chain}, Scaling{"FanOut", fanOut}, Scaling{"ManyLeaves", manyLeaves},
                          Scaling{"Diamonds", diamonds}, Scaling{"Views", views}, Scaling{"Reshapes", reshapes}})
    for (CompilePolicy policy : {CompilePolicy::Never, CompilePolicy::Immediate})
      all.emplace_back(scaling, policy);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Shapes, ScaleTest, testing::ValuesIn(scalings()), [](const auto &info) {
  return std::string(info.param.first.name) + (info.param.second == CompilePolicy::Never ? "Never" : "Immediate");
});

} // namespace

/// d/dx of x^(1 + n) at 1.
TEST(DeepTraceTest, AHundredThousandOperationsAreDifferentiatedAndDropped) {
  auto runtime = EagerRuntime::create({.policy = CompilePolicy::Never});
  CpuEngine engine({.threads = 1});
  EagerTensor x = runtime->variable(Tensor::scalar(1.0)), one = runtime->constant(Tensor::scalar(1.0));
  constexpr int kHalf = 50000;
  {
    EagerTensor y = x;
    runtime->session(engine, [&](EagerSession &s) {
      for (int i = 0; i < kHalf; ++i)
        y = s.mul(s.mul(y, one), x);
    });
    y.backward(engine);
  }
  EXPECT_EQ(valuesOf(x.grad()), Values{1.0 + kHalf});
  EXPECT_EQ(runtime->recordCount(), 2u);
}

/// A program whose entry is larger than the whole cache is made once.
TEST(DeepTraceTest, OneProgramLargerThanTheCacheIsKept) {
  auto runtime = EagerRuntime::create(
      {.policy = CompilePolicy::Never, .preparedLimits = {.maxEntries = 128, .maxRetainedBytes = 1000}});
  CpuEngine engine({.threads = 1});
  EagerTensor x = runtime->variable(Tensor::scalar(0.5));
  for (int step = 0; step < 3; ++step) {
    EagerTensor y = runtime->session(engine, [&](EagerSession &s) { return s.mul(s.exp(x), s.tanh(x)); });
    y.backward(engine);
  }
  CacheStats stats = runtime->cacheStats().preparedDerivatives;
  EXPECT_EQ(stats.misses, 1u);
  EXPECT_EQ(stats.hits, 2u);
  EXPECT_EQ(stats.entries, 1u);
  EXPECT_GT(stats.retainedBytes, 1000u);
}

/// The second derivative of x^k by grad of grad: k (k - 1) at 1.
TEST(DeepTraceTest, GradientOfAGradientOfALongTrace) {
  auto runtime = EagerRuntime::create({.policy = CompilePolicy::Never});
  CpuEngine engine({.threads = 1});
  EagerTensor x = runtime->variable(Tensor::scalar(1.0));
  constexpr int kPower = 3201;
  EagerTensor y = x;
  runtime->session(engine, [&](EagerSession &s) {
    for (int i = 1; i < kPower; ++i)
      y = s.mul(y, x);
  });
  EagerTensor second = runtime->grad(engine, runtime->grad(engine, y, x), x);
  EXPECT_EQ(second.item<double>(), 1.0 * kPower * (kPower - 1));
}

/// Gradients by many variables at once, in the order they are asked for.
TEST(DeepTraceTest, GradientsByThousandsOfVariables) {
  auto runtime = EagerRuntime::create({.policy = CompilePolicy::Never});
  CpuEngine engine({.threads = 1});
  constexpr int kCount = 5000;
  std::vector<EagerTensor> leaves;
  for (int i = 0; i < kCount; ++i)
    leaves.push_back(runtime->variable(Tensor::scalar(1.0 * i)));
  EagerTensor sum = runtime->session(engine, [&](EagerSession &s) {
    EagerTensor v = s.mul(leaves[0], leaves[0]);
    for (int i = 1; i < kCount; ++i)
      v = s.add(v, s.mul(leaves[i], leaves[i]));
    return v;
  });
  std::vector<EagerTensor> asked(leaves.rbegin(), leaves.rend());
  asked.push_back(leaves[7]);
  std::vector<std::optional<EagerTensor>> gradients = runtime->vjpMany(engine, sum, asked);
  ASSERT_EQ(gradients.size(), asked.size());
  for (int i = 0; i < kCount; ++i)
    ASSERT_EQ(gradients[i]->item<double>(), 2.0 * (kCount - 1 - i));
  EXPECT_EQ(gradients[kCount]->item<double>(), 14.0);
}

} // namespace tenferro::test
