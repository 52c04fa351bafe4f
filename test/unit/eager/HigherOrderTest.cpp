// Derivatives of derivatives, by hand-computed values.
#include "test/unit/eager/TestSupport.h"

namespace tenferro::test {

class HigherOrderTest : public EachPolicyRuntime {};
TENFERRO_EACH_POLICY(HigherOrderTest);

TEST_P(HigherOrderTest, HessianVectorProductsBothWays) {
  // f = sum(x^2 * y); H_xx v = 2*y*v, H_xy w = 2*x*w.
  EagerTensor x = variable({1, 2}), y = variable({3, 5});
  EagerTensor f = run([&](EagerSession &s) { return s.sum(s.mul(s.mul(x, x), y)); });
  EagerTensor dx = runtime_->grad(engine_, f, x);
  EXPECT_EQ(valuesOf(dx), (Values{6, 20}));
  EagerTensor v = constant({1, 10});
  // Forward over reverse.
  EXPECT_EQ(valuesOf(runtime_->jvp(engine_, dx, x, v)), (Values{6, 100}));
  EXPECT_EQ(valuesOf(runtime_->jvp(engine_, dx, y, v)), (Values{2, 40}));
  // Reverse over reverse.
  EXPECT_EQ(valuesOf(runtime_->vjp(engine_, dx, x, v)), (Values{6, 100}));
  EXPECT_EQ(valuesOf(runtime_->vjp(engine_, dx, y, v)), (Values{2, 40}));
  // Reverse over forward.
  EagerTensor df = runtime_->jvp(engine_, f, x, v);
  EXPECT_EQ(df.item<double>(), 6 + 200);
  EXPECT_EQ(valuesOf(runtime_->grad(engine_, df, x)), (Values{6, 100}));
}

TEST_P(HigherOrderTest, ResultsOfOneCallAreDifferentiatedTogether) {
  // f = sum(x^2 * y): dx = 2xy, dy = x^2. total = sum(dx * dy) = sum(2 x^3 y): by x 6 x^2 y, by y 2 x^3.
  EagerTensor x = variable({1, 2}), y = variable({3, 5});
  EagerTensor f = run([&](EagerSession &s) { return s.sum(s.mul(s.mul(x, x), y)); });
  std::vector<std::optional<EagerTensor>> first = runtime_->vjpMany(engine_, f, {x, y});
  EXPECT_EQ(valuesOf(first[0]), (Values{6, 20}));
  EXPECT_EQ(valuesOf(first[1]), (Values{1, 4}));
  // Two leaves, three operations, two results of one call.
  EXPECT_EQ(runtime_->recordCount(), 7u);
  EagerTensor total = run([&](EagerSession &s) { return s.sum(s.mul(*first[0], *first[1])); });
  std::vector<std::optional<EagerTensor>> second = runtime_->vjpMany(engine_, total, {x, y});
  EXPECT_EQ(valuesOf(second[0]), (Values{18, 120}));
  EXPECT_EQ(valuesOf(second[1]), (Values{2, 16}));
  total.backward(engine_);
  EXPECT_EQ(valuesOf(x.grad()), (Values{18, 120}));
  EXPECT_EQ(valuesOf(y.grad()), (Values{2, 16}));
  // The results go one by one, in any order.
  first[1].reset();
  total = EagerTensor();
  EXPECT_EQ(valuesOf(runtime_->grad(engine_, run([&](EagerSession &s) { return s.sum(*first[0]); }), y)),
            (Values{2, 4}));
  first.clear();
  second.clear();
  f = EagerTensor();
  EXPECT_EQ(runtime_->recordCount(), 2u);
}

TEST_P(HigherOrderTest, ThroughAnIntermediate) {
  // h = x^2, f = sum(h^3); by h: 3 h^2 = 3 x^4, a function of x through h: by x 12 x^3.
  EagerTensor x = variable({1, 2});
  EagerTensor h = run([&](EagerSession &s) { return s.mul(x, x); });
  EagerTensor f = run([&](EagerSession &s) { return s.sum(s.mul(s.mul(h, h), h)); });
  EagerTensor dh = runtime_->grad(engine_, f, h);
  EXPECT_EQ(valuesOf(dh), (Values{3, 48}));
  EagerTensor total = run([&](EagerSession &s) { return s.sum(dh); });
  EXPECT_EQ(valuesOf(runtime_->grad(engine_, total, x)), (Values{12, 96}));
  EXPECT_EQ(valuesOf(runtime_->grad(engine_, total, h)), (Values{6, 24})); // 6 h
}

TEST_P(HigherOrderTest, ALossOfOneElementNeedsNoSeed) {
  // f = x^3 of shape [1, 1, 1]: 3x^2 = 12, 6x = 12, 6.
  EagerTensor x = runtime_->variable(Tensor::full({1, 1, 1}, 2.0));
  EagerTensor f = run([&](EagerSession &s) { return s.mul(s.mul(x, x), x); });
  EXPECT_EQ(f.backward(engine_).of(x)->toVector<double>(), (Values{12}));
  EagerTensor first = runtime_->grad(engine_, f, x), second = runtime_->grad(engine_, first, x);
  EXPECT_EQ(valuesOf(first), (Values{12}));
  EXPECT_EQ(valuesOf(second), (Values{12}));
  EXPECT_EQ(valuesOf(runtime_->grad(engine_, second, x)), (Values{6}));
  EXPECT_EQ(first.shape().str(), "[1, 1, 1]");
  EXPECT_EQ(valuesOf(x.backward(engine_).of(x)), (Values{1}));
}

TEST_P(HigherOrderTest, ReductionsOfManyAxes) {
  // Of rank 40, with extents over 1 at axes 0, 13, 26 and 39: the maximum is shared by 16 equal elements.
  Shape shape;
  for (int axis = 0; axis < 40; ++axis)
    shape.push_back(axis % 13 == 0 ? 2 : 1);
  EagerTensor x = runtime_->variable(Tensor::full(shape, 1.5));
  EagerTensor f = run([&](EagerSession &s) { return s.sum(s.max(s.mul(x, 2.0), {0, 13, 26, 39})); });
  EXPECT_EQ(valuesOf(runtime_->grad(engine_, f, x)), Values(16, 2.0 / 16));
}

TEST_P(HigherOrderTest, NothingIsRecordedUnderNoGrad) {
  EagerTensor x = variable({1, 2});
  EagerTensor f = run([&](EagerSession &s) { return s.sum(s.mul(x, x)); });
  NoGradGuard guard;
  EagerTensor dx = runtime_->grad(engine_, f, x);
  EXPECT_EQ(valuesOf(dx), (Values{2, 4}));
  EXPECT_FALSE(dx.tracksGrad());
}

TEST_P(HigherOrderTest, AProgramTrainedOnItsOwnGradient) {
  // g = d/dx sum(x^3) = 3x^2; penalty = sum(g*g) = 9 x^4; by x 36 x^3.
  EagerTensor x = variable({1, 2});
  for (int step = 0; step < 3; ++step) {
    EagerTensor f = run([&](EagerSession &s) { return s.sum(s.mul(s.mul(x, x), x)); });
    EagerTensor g = runtime_->grad(engine_, f, x);
    EagerTensor penalty = run([&](EagerSession &s) { return s.sum(s.mul(g, g)); });
    x.clearGrad();
    penalty.backward(engine_);
    EXPECT_EQ(valuesOf(x.grad()), (Values{36, 288}));
  }
  CacheStats stats = runtime_->cacheStats().preparedDerivatives;
  EXPECT_EQ(stats.misses, 2u);
  EXPECT_EQ(stats.hits, 4u);
  EXPECT_EQ(runtime_->recordCount(), 1u);
}

} // namespace tenferro::test
