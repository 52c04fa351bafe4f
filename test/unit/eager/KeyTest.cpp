// Which programs share a key, and what is said about a look-up.
#include "test/unit/eager/TestSupport.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>

namespace tenferro::test {

/// A runtime that runs on tier 0: keys do not depend on how a program runs.
class KeyTest : public testing::Test {
protected:
  using Program = std::function<EagerTensor(EagerSession &)>;

  EagerTensor record(const Program &program) { return runtime_->session(engine_, program); }
  /// Misses and hits of one backward of `program`.
  std::pair<uint64_t, uint64_t> lookUp(const Program &program) {
    CacheStats before = stats();
    record(program).backward(engine_);
    CacheStats after = stats();
    return {after.misses - before.misses, after.hits - before.hits};
  }
  void expectMiss(const Program &program) { EXPECT_EQ(lookUp(program), std::pair(uint64_t{1}, uint64_t{0})); }
  void expectHit(const Program &program) { EXPECT_EQ(lookUp(program), std::pair(uint64_t{0}, uint64_t{1})); }
  CacheStats stats() const { return runtime_->cacheStats().preparedDerivatives; }
  EagerTensor variable(const Values &values) { return runtime_->variable(vector(values)); }
  EagerTensor constant(const Values &values) { return runtime_->constant(vector(values)); }

  static RuntimeOptions options() {
    RuntimeOptions options;
    options.policy = CompilePolicy::Never;
    return options;
  }
  std::shared_ptr<EagerRuntime> runtime_ = EagerRuntime::create(options());
  CpuEngine engine_;
};

TEST_F(KeyTest, ASquareIsNotAProduct) {
  EagerTensor x = variable({1, 2}), y = variable({3, 4});
  expectMiss([&](EagerSession &s) { return s.sum(s.mul(x, x)); });
  expectMiss([&](EagerSession &s) { return s.sum(s.mul(x, y)); });
  expectHit([&](EagerSession &s) { return s.sum(s.mul(y, x)); });
  expectHit([&](EagerSession &s) { return s.sum(s.mul(y, y)); });
}

TEST_F(KeyTest, SharedAndDuplicatedSubtreesDiffer) {
  EagerTensor x = variable({1, 2});
  expectMiss([&](EagerSession &s) {
    EagerTensor e = s.exp(x);
    return s.sum(s.mul(e, e));
  });
  expectMiss([&](EagerSession &s) { return s.sum(s.mul(s.exp(x), s.exp(x))); });
}

TEST_F(KeyTest, FreshObjectsAndOtherOrdersAreTheSame) {
  expectMiss([&](EagerSession &s) {
    EagerTensor x = variable({1, 2}), y = variable({3, 4});
    EagerTensor a = s.exp(x);
    EagerTensor b = s.tanh(y);
    return s.sum(s.mul(a, b));
  });
  expectHit([&](EagerSession &s) {
    EagerTensor y = variable({5, 6}), x = variable({7, 8});
    EagerTensor b = s.tanh(y);
    EagerTensor unused = s.sqrt(y);
    EagerTensor a = s.exp(x);
    return s.sum(s.mul(a, b));
  });
}

TEST_F(KeyTest, TypeShapeAttributeAndWrtMatter) {
  EagerTensor x = variable({1, 2});
  expectMiss([&](EagerSession &s) { return s.sum(s.mul(x, x)); });
  EagerTensor longer = variable({1, 2, 3});
  expectMiss([&](EagerSession &s) { return s.sum(s.mul(longer, longer)); });
  EagerTensor narrow = runtime_->variable(Tensor::from({2}, {1.f, 2.f}));
  expectMiss([&](EagerSession &s) { return s.sum(s.mul(narrow, narrow)); });
  EagerTensor matrix = runtime_->variable(Tensor::from({2, 2}, {1., 2., 3., 4.}));
  expectMiss([&](EagerSession &s) { return s.sum(s.exp(s.sum(matrix, 0))); });
  expectMiss([&](EagerSession &s) { return s.sum(s.exp(s.sum(matrix, 1))); });
  // The same program, differentiated by one input instead of two.
  EagerTensor y = variable({3, 4});
  EagerTensor c = constant({3, 4});
  expectMiss([&](EagerSession &s) { return s.sum(s.mul(x, y)); });
  expectMiss([&](EagerSession &s) { return s.sum(s.mul(x, c)); });
}

TEST_F(KeyTest, TheSameOperationOnOtherTypesInTurn) {
  // What a thread remembers of an operation must not answer for another type, nor for another way to its result.
  EagerTensor x2 = variable({1, 2}), x3 = variable({1, 2, 3});
  EagerTensor f3 = runtime_->variable(Tensor::from<float>({3}, {1, 2, 3}));
  auto product = [](const EagerTensor &x) { return [x](EagerSession &s) { return s.sum(s.mul(x, x)); }; };
  auto choice = [](const EagerTensor &x, const EagerTensor &y) {
    return [x, y](EagerSession &s) { return s.sum(s.where(s.greater(x, y), x, y)); };
  };
  for (const EagerTensor &x : {x2, x3, f3})
    expectMiss(product(x));
  EagerTensor y2 = variable({2, 1}), y3 = variable({3, 2, 1});
  expectMiss(choice(x2, y2));
  expectMiss(choice(x3, y3));
  for (int turn = 0; turn < 2; ++turn) {
    for (const EagerTensor &x : {x3, x2, f3})
      expectHit(product(x));
    expectHit(choice(x2, y2));
    expectHit(choice(x3, y3));
  }
}

TEST_F(KeyTest, ConstantsAndScalarsAreData) {
  EagerTensor x = variable({1, 2});
  expectMiss([&](EagerSession &s) { return s.sum(s.mul(s.mul(x, constant({3, 4})), 5.0)); });
  EXPECT_EQ(valuesOf(x.grad()), (Values{15, 20}));
  x.clearGrad();
  expectHit([&](EagerSession &s) { return s.sum(s.mul(s.mul(x, constant({6, 7})), 2.0)); });
  EXPECT_EQ(valuesOf(x.grad()), (Values{12, 14}));
}

TEST_F(KeyTest, RepeatedNumbersAreBoundAsNumbers) {
  EagerTensor x = variable({1, 2});
  auto twice = [&](double factor) {
    EagerTensor repeated = runtime_->constant(Tensor::scalar(factor).broadcastTo({2}));
    return record([&](EagerSession &s) { return s.sum(s.mul(s.mul(x, x), repeated)); });
  };
  twice(3).backward(engine_);
  EXPECT_EQ(valuesOf(x.grad()), (Values{6, 12}));
  EXPECT_NE(runtime_->explainCache().find("input f64[]"), std::string::npos) << runtime_->explainCache();
  x.clearGrad();
  twice(5).backward(engine_);
  EXPECT_EQ(valuesOf(x.grad()), (Values{10, 20}));
  EXPECT_EQ(stats().hits, 1u);
  // As itself where it is differentiated, and inside a second derivative.
  EagerTensor dx = runtime_->grad(engine_, twice(5), x);
  EagerTensor sum = record([&](EagerSession &s) { return s.sum(s.mul(dx, dx)); });
  EXPECT_EQ(valuesOf(runtime_->grad(engine_, sum, x)), (Values{200, 400})); // (2*5*x)^2 = 100 x^2
  CaptureGuard capture = runtime_->capture();
  EagerTensor repeated = runtime_->constant(Tensor::scalar(7.0).broadcastTo({2}));
  EagerTensor y = record([&](EagerSession &s) { return s.sum(s.mul(x, repeated)); });
  EXPECT_EQ(valuesOf(runtime_->grad(engine_, y, repeated)), (Values{1, 2}));
}

TEST_F(KeyTest, KeptViewsBindWhatTheyView) {
  // sum(exp(x)^T * w): the product keeps exp(x)^T, whose elements are exp's result; at x = 0 everything is w.
  EagerTensor x = runtime_->variable(Tensor::zeros({2, 3}, DType::F64));
  EagerTensor w = runtime_->variable(Tensor::from({3, 2}, {1., 2., 3., 4., 5., 6.}));
  record([&](EagerSession &s) { return s.sum(s.mul(s.transpose(s.exp(x)), w)); }).backward(engine_);
  EXPECT_EQ(valuesOf(x.grad()), (Values{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(valuesOf(w.grad()), (Values{1, 1, 1, 1, 1, 1}));
  EXPECT_NE(runtime_->explainCache().find("input f64[2, 3]\ninput f64[3, 2]\ninput f64[2, 3]\n"), std::string::npos)
      << runtime_->explainCache();
  // A row repeated: the product keeps 2 elements, not 6.
  EagerTensor row = variable({0, 0});
  EagerTensor v = runtime_->variable(Tensor::from({3, 2}, {1., 2., 3., 4., 5., 6.}));
  record([&](EagerSession &s) { return s.sum(s.mul(s.exp(row), v)); }).backward(engine_);
  EXPECT_EQ(valuesOf(row.grad()), (Values{6, 15}));
  EXPECT_EQ(valuesOf(v.grad()), (Values{1, 1, 1, 1, 1, 1}));
}

TEST_F(KeyTest, AnotherLevelIsAnotherKey) {
  if (engine_.features() != CpuFeatures::V4)
    GTEST_SKIP() << "the machine has one level";
  EagerTensor x = variable({1, 2});
  EagerTensor loss = record([&](EagerSession &s) { return s.sum(s.mul(x, x)); });
  loss.backward(engine_);
  CpuEngine lower({.threads = 1, .features = CpuFeatures::V3});
  loss.backward(lower);
  EXPECT_EQ(stats().misses, 2u);
  EXPECT_EQ(valuesOf(x.grad()), (Values{4, 8}));
}

TEST_F(KeyTest, RuntimesOfOneContextShareTransforms) {
  RuntimeOptions shared = options();
  shared.adContext = AdContext::create();
  for (uint64_t round = 0; round < 2; ++round) {
    auto runtime = EagerRuntime::create(shared);
    EagerTensor x = runtime->variable(vector({1, 2}));
    EagerTensor y = runtime->session(engine_, [&](EagerSession &s) { return s.mul(x, x); });
    EagerTensor seed = runtime->constant(vector({1, 10}));
    EXPECT_EQ(valuesOf(runtime->vjp(engine_, y, x, seed)), (Values{2, 40}));
    EXPECT_EQ(runtime->cacheStats().preparedDerivatives.misses, 1u);
    EXPECT_EQ(shared.adContext->stats().misses, 1u);
    EXPECT_EQ(shared.adContext->stats().hits, round);
    EXPECT_EQ(shared.adContext->stats().entries, 1u);
  }
}

TEST_F(KeyTest, LimitsEvictAndClearsForget) {
  EXPECT_EQ(runtime_->preparedDerivativeLimits(), CacheLimits());
  runtime_->setPreparedDerivativeLimits({.maxEntries = 1});
  EXPECT_EQ(runtime_->preparedDerivativeLimits().maxEntries, 1u);
  EagerTensor x = variable({1, 2});
  auto square = [&](EagerSession &s) { return s.sum(s.mul(x, x)); };
  auto exponential = [&](EagerSession &s) { return s.sum(s.exp(x)); };
  expectMiss(square);
  expectMiss(exponential);
  EXPECT_EQ(stats().entries, 1u);
  EXPECT_EQ(stats().evictions, 1u);
  expectMiss(square);

  runtime_->clearPreparedDerivatives();
  EXPECT_EQ(stats(), (CacheStats{.clears = 1}));
  expectMiss(square);
  // The differentiated program was still there.
  EXPECT_GE(runtime_->cacheStats().adTransforms.hits, 1u);
  runtime_->clearCaches();
  EXPECT_EQ(runtime_->cacheStats().adTransforms.entries, 0u);
  EXPECT_EQ(runtime_->cacheStats().adTransforms.clears, 1u);
  EXPECT_EQ(stats().clears, 2u);
  x.clearGrad();
  expectMiss(square);
  EXPECT_EQ(valuesOf(x.grad()), (Values{2, 4}));
}

TEST_F(KeyTest, CachesHoldNoTensor) {
  EagerTensor x = variable({1, 2});
  expectMiss([&](EagerSession &s) { return s.sum(s.mul(x, constant({3, 4}))); });
  x = EagerTensor();
  EXPECT_EQ(runtime_->recordCount(), 0u);
  EXPECT_EQ(stats().entries, 1u);
}

TEST_F(KeyTest, ExplainCacheTellsThatAnotherRuntimeWasAsked) {
  std::thread([&] {
    EXPECT_EQ(runtime_->explainCache().find("this thread has looked nothing up\n"), 0u);
    EagerTensor x = variable({1, 2});
    expectMiss([&](EagerSession &s) { return s.sum(s.mul(x, x)); });
    EXPECT_EQ(EagerRuntime::create()->explainCache().find("the last look-up of this thread was in another runtime\n"), 0u);
  }).join();
}

TEST_F(KeyTest, ExplainCacheTellsHitFromMiss) {
  EagerTensor x = variable({1, 2}), longer = variable({1, 2, 3});
  expectMiss([&](EagerSession &s) { return s.sum(s.mul(x, x)); });
  EXPECT_EQ(runtime_->explainCache().substr(0, 5), "miss ");
  EXPECT_NE(runtime_->explainCache().find("the cache had no entry"), std::string::npos);
  expectHit([&](EagerSession &s) { return s.sum(s.mul(x, x)); });
  EXPECT_EQ(runtime_->explainCache().substr(0, 4), "hit ");
  EXPECT_NE(runtime_->explainCache().find("f64[2]"), std::string::npos);
  expectMiss([&](EagerSession &s) { return s.sum(s.mul(longer, longer)); });
  std::string explanation = runtime_->explainCache();
  EXPECT_NE(explanation.find("shape of input 0: asked for f64[3], kept is f64[2]"), std::string::npos) << explanation;
}

/// The text of the last look-up of a fixed program, made from fresh objects.
static std::string keyOfExample() {
  RuntimeOptions options;
  options.policy = CompilePolicy::Never;
  Example e(options);
  e.forward();
  e.loss.backward(e.engine);
  e.loss.backward(e.engine);
  return e.runtime->explainCache();
}

TEST(KeyProcessTest, PrintKey) {
  if (std::getenv("TENFERRO_TEST_PRINT_KEY"))
    std::printf("KEY<%s>", keyOfExample().c_str());
  EXPECT_EQ(keyOfExample(), keyOfExample());
}

TEST(KeyProcessTest, AnotherProcessGivesTheSameText) {
  std::string output = outputOfTest("TENFERRO_TEST_PRINT_KEY=1", "KeyProcessTest.PrintKey");
  EXPECT_NE(output.find("KEY<" + keyOfExample() + ">"), std::string::npos) << output;
}

} // namespace tenferro::test
