// Contexts: differentiated programs that several runtimes share.
#include "test/unit/eager/TestSupport.h"

namespace tenferro::test {

class AdContextTest : public EachPolicy {
protected:
  std::shared_ptr<EagerRuntime> runtimeOf(const std::shared_ptr<AdContext> &context) {
    RuntimeOptions options = this->options();
    options.adContext = context;
    return EagerRuntime::create(options);
  }
  /// The pull-back of ones through x*x (or x*x*x).
  Values vjp(const std::shared_ptr<EagerRuntime> &runtime, bool cube = false) {
    EagerTensor x = runtime->variable(vector({1, 2, 3}));
    EagerTensor y = runtime->session(engine_, [&](EagerSession &s) {
      EagerTensor square = s.mul(x, x);
      return cube ? s.mul(square, x) : square;
    });
    return valuesOf(runtime->vjp(engine_, y, x, runtime->constant(vector({1, 1, 1}))));
  }
  CpuEngine engine_;
};
TENFERRO_EACH_POLICY(AdContextTest);

TEST_P(AdContextTest, RuntimesShareTransforms) {
  auto context = AdContext::create();
  auto first = runtimeOf(context), second = runtimeOf(context);
  EXPECT_EQ(vjp(first), (Values{2, 4, 6}));
  EXPECT_EQ(context->stats().misses, 1u);
  EXPECT_EQ(context->stats().hits, 0u);
  EXPECT_EQ(vjp(second), (Values{2, 4, 6}));
  EXPECT_EQ(context->stats().misses, 1u);
  EXPECT_EQ(context->stats().hits, 1u);
  EXPECT_EQ(second->cacheStats().preparedDerivatives.misses, 1u);
  // The second time a runtime asks, its own cache answers.
  EXPECT_EQ(vjp(second), (Values{2, 4, 6}));
  EXPECT_EQ(context->stats().hits, 1u);
  EXPECT_EQ(second->cacheStats().preparedDerivatives.hits, 1u);
  second->clearPreparedDerivatives();
  EXPECT_EQ(vjp(second), (Values{2, 4, 6}));
  EXPECT_EQ(context->stats().hits, 2u);
  EXPECT_EQ(first->cacheStats().adTransforms, second->cacheStats().adTransforms);
  EXPECT_EQ(first->adContext(), context);
}

TEST_P(AdContextTest, ALimitOfOneKeepsOne) {
  auto context = AdContext::create({.maxEntries = 1});
  auto runtime = runtimeOf(context);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(vjp(runtime), (Values{2, 4, 6}));
    EXPECT_EQ(vjp(runtime, true), (Values{3, 12, 27}));
    EXPECT_EQ(context->stats().entries, 1u);
    runtime->clearPreparedDerivatives();
  }
  EXPECT_EQ(context->stats().misses, 4u);
  EXPECT_EQ(context->stats().evictions, 3u);
  EXPECT_EQ(failureFrom<ValidationError>([] { AdContext::create({.maxEntries = 0}); }).argument, "maxEntries");
  context->clear();
  EXPECT_EQ(context->stats().clears, 1u);
  EXPECT_EQ(context->stats().entries, 0u);
}

TEST_P(AdContextTest, CompiledFunctionsShareTransforms) {
  auto context = AdContext::create();
  auto first = runtimeOf(context), second = runtimeOf(context);
  auto f = compile([](EagerSession &s, const EagerTensor &x) { return s.sum(s.mul(x, x)); });
  f.valueAndGrad(engine_, first->constant(vector({1, 2})));
  const CacheStats before = context->stats();
  EXPECT_EQ(valuesOf(f.valueAndGrad(engine_, second->constant(vector({1, 2}))).derivative), (Values{2, 4}));
  EXPECT_EQ(context->stats().misses, before.misses);
  EXPECT_EQ(context->stats().entries, before.entries);
}

} // namespace tenferro::test
