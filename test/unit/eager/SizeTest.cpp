// One structure in many sizes: two are compiled, and a third to check; the others follow, with the bits of their own
// programs.
#include "test/unit/eager/TestSupport.h"

#include "tenferro/Compile.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <thread>

namespace tenferro::test {

namespace {

/// Numbers that are all different and not round.
Tensor numbers(const Shape &shape, double scale) {
  Values values;
  for (int64_t i = 0; i < shape.elementCount(); ++i)
    values.push_back(scale * (static_cast<double>((i * 2654435761 + 12345) % 1000003) / 1000003 - 0.4));
  return Tensor::from(shape, values);
}

/// The bytes of what a computation gives for one set of sizes, on a runtime that may know others.
using Case = std::function<std::vector<Values>(EagerRuntime &, CpuEngine &, int64_t n, int64_t m)>;

std::vector<Values> gradientOf(EagerRuntime &runtime, CpuEngine &engine, const std::vector<EagerTensor> &variables,
                               const EagerTensor &loss) {
  loss.backward(engine);
  std::vector<Values> results{valuesOf(loss)};
  for (const EagerTensor &variable : variables)
    results.push_back(valuesOf(variable.grad()));
  runtime.clearGrads();
  return results;
}

std::vector<Values> elementwise(EagerRuntime &runtime, CpuEngine &engine, int64_t n, int64_t) {
  EagerTensor x = runtime.variable(numbers({n}, 2)), c = runtime.constant(numbers({n}, 3));
  return gradientOf(runtime, engine, {x}, runtime.session(engine, [&](EagerSession &s) {
    EagerTensor y = s.tanh(s.add(s.mul(x, c), x));
    return s.mean(s.mul(y, s.exp(s.neg(x))));
  }));
}

std::vector<Values> softmaxOfProduct(EagerRuntime &runtime, CpuEngine &engine, int64_t n, int64_t m) {
  EagerTensor w = runtime.variable(numbers({m, 5}, 1)), x = runtime.constant(numbers({m, n}, 1));
  EagerTensor bias = runtime.variable(numbers({5}, 1));
  return gradientOf(runtime, engine, {w, bias}, runtime.session(engine, [&](EagerSession &s) {
    EagerTensor logits = s.add(s.matmul(s.transpose(x), w), bias); // [n, 5], of a transposed argument
    return s.sum(s.mul(s.softmax(logits, 1), logits));
  }));
}

std::vector<Values> joinedAndReversed(EagerRuntime &runtime, CpuEngine &engine, int64_t n, int64_t m) {
  EagerTensor x = runtime.variable(numbers({n, 3}, 1)), y = runtime.variable(numbers({m, 3}, 1));
  return gradientOf(runtime, engine, {x, y}, runtime.session(engine, [&](EagerSession &s) {
    EagerTensor all = s.concatenate({s.reverse(x, {0}), y}, 0);
    EagerTensor rolled = s.slice(all, {1, 0}, {n + m, 3}, {1, 1});
    return s.sum(s.mul(rolled, s.slice(all, {0, 0}, {n + m - 1, 3}, {1, 1})));
  }));
}

std::vector<Values> secondOrder(EagerRuntime &runtime, CpuEngine &engine, int64_t n, int64_t) {
  EagerTensor x = runtime.variable(numbers({n}, 1)), direction = runtime.constant(numbers({n}, 3));
  EagerTensor loss = runtime.session(engine, [&](EagerSession &s) { return s.sum(s.mul(s.exp(x), s.mul(x, x))); });
  EagerTensor gradient = runtime.grad(engine, loss, x);
  EagerTensor product = runtime.vjp(engine, gradient, x, direction);
  EagerTensor pushed = runtime.jvp(engine, gradient, x, direction);
  return {valuesOf(gradient), valuesOf(product), valuesOf(pushed)};
}

std::vector<Values> withSeed(EagerRuntime &runtime, CpuEngine &engine, int64_t n, int64_t m) {
  EagerTensor x = runtime.variable(numbers({n, m}, 1));
  EagerTensor y = runtime.session(engine, [&](EagerSession &s) { return s.sin(s.transpose(s.mul(x, x))); });
  y.backwardWith(engine, numbers({m, n}, 5));
  std::vector<Values> results{valuesOf(x.grad())};
  runtime.clearGrads();
  return results;
}

/// Thirty-two layers of widths that are all different.
std::vector<Values> deepNetwork(EagerRuntime &runtime, CpuEngine &engine, int64_t n, int64_t) {
  constexpr int64_t kLayers = 32;
  std::vector<EagerTensor> weights;
  for (int64_t i = 0; i < kLayers; ++i)
    weights.push_back(runtime.variable(numbers({100 + i, 101 + i}, 0.3)));
  EagerTensor x = runtime.constant(numbers({n, 100}, 1));
  return gradientOf(runtime, engine, weights, runtime.session(engine, [&](EagerSession &s) {
    EagerTensor y = x;
    for (const EagerTensor &weight : weights)
      y = s.tanh(s.matmul(y, weight));
    return s.mean(s.mul(y, y));
  }));
}

std::vector<Values> compiledFunction(EagerRuntime &runtime, CpuEngine &engine, int64_t n, int64_t m) {
  auto function = runtime.compile([](EagerSession &s, const EagerTensor &x, const EagerTensor &y) {
    return s.sum(s.mul(s.cos(x), s.broadcastTo(y, x.shape())));
  });
  EagerTensor x = runtime.constant(numbers({m, n}, 1)), y = runtime.constant(numbers({1, n}, 2));
  return {valuesOf(function(engine, x, y))};
}

/// The same on a runtime of its own, which compiles nothing and knows no other size.
std::vector<Values> alone(const Case &body, int64_t n, int64_t m) {
  RuntimeOptions options;
  options.policy = CompilePolicy::Never;
  auto runtime = EagerRuntime::create(options);
  CpuEngine engine({.threads = 1});
  return body(*runtime, engine, n, m);
}

bool sameBits(const std::vector<Values> &a, const std::vector<Values> &b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].size() != b[i].size() || std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(double)) != 0)
      return false;
  return true;
}

/// loss = sum(c * x * x) with x_i = i and c_i = 1 + i mod 7: the gradient is 2 c x, exactly.
struct Loop3 {
  Loop3(EagerRuntime &runtime, int64_t n) {
    Values start, factors;
    for (int64_t i = 0; i < n; ++i) {
      start.push_back(static_cast<double>(i));
      factors.push_back(static_cast<double>(1 + i % 7));
    }
    x = runtime.variable(vector(start));
    c = runtime.constant(vector(factors));
  }
  void step(EagerRuntime &runtime, CpuEngine &engine) const {
    runtime.session(engine, [&](EagerSession &s) { return s.sum(s.mul(s.mul(c, x), x)); }).backward(engine);
    Values gradient = valuesOf(x.grad());
    for (size_t i = 0; i < gradient.size(); ++i) {
      ASSERT_EQ(gradient[i], 2. * static_cast<double>(i * (1 + i % 7))) << gradient.size();
    }
    x.clearGrad();
  }
  EagerTensor x, c;
};

} // namespace

class SizeTest : public EachPolicyRuntime {};
TENFERRO_EACH_POLICY(SizeTest);

TEST_P(SizeTest, TwoHundredSizesCompileThrice) {
  for (int64_t from : {64, 1024}) {
    auto runtime = EagerRuntime::create(options());
    CpuEngine engine({.threads = 1});
    std::vector<Loop3> jobs;
    for (int64_t n = from; n < from + 200; ++n)
      jobs.emplace_back(*runtime, n);
    for (const Loop3 &job : jobs)
      job.step(*runtime, engine);
    runtime->finishCompiles();
    RuntimeCacheStats first = runtime->cacheStats();
    EXPECT_EQ(first.adTransforms.misses, 3u);
    EXPECT_EQ(first.compiles.done, GetParam() == CompilePolicy::Never ? 0u : 3u);
    EXPECT_EQ(first.sizes.symbolic, 1u);
    EXPECT_EQ(first.sizes.fixed, 0u);
    EXPECT_EQ(first.sizes.made, 198u);
    EXPECT_EQ(first.preparedDerivatives.misses, 200u);
    EXPECT_EQ(first.preparedDerivatives.evictions, 0u);
    for (const Loop3 &job : jobs)
      job.step(*runtime, engine);
    RuntimeCacheStats second = runtime->cacheStats();
    EXPECT_EQ(second.preparedDerivatives.misses, 200u);
    EXPECT_EQ(second.preparedDerivatives.hits, 200u);
    EXPECT_EQ(second.adTransforms.misses, 3u);
    EXPECT_EQ(second.compiles.done, first.compiles.done);
    EXPECT_EQ(second.compiles.runsFused - first.compiles.runsFused, GetParam() == CompilePolicy::Never ? 0u : 200u);
  }
}

TEST_P(SizeTest, TheBitsAreThoseOfTheProgramOfTheSize) {
  const std::pair<const char *, Case> cases[] = {
      {"elementwise", elementwise},
      {"softmaxOfProduct", softmaxOfProduct},
      {"joinedAndReversed", joinedAndReversed},
      {"secondOrder", secondOrder},
      {"withSeed", withSeed},
      {"compiledFunction", compiledFunction},
  };
  for (const auto &[name, body] : cases) {
    auto runtime = EagerRuntime::create(options());
    // Around a vector, a block of the reduction tree, and the terms and outputs that make a product a tree.
    const std::pair<int64_t, int64_t> sizes[] = {{64, 9},   {63, 10},  {2, 3},     {8, 4},    {12, 254},
                                                 {13, 256}, {11, 257}, {4095, 6},  {4096, 7}, {4097, 8},
                                                 {66, 300}, {12, 64},  {8193, 20}, {30, 2}};
    for (int pass = 0; pass < 2; ++pass) {
      for (auto [n, m] : sizes)
        EXPECT_TRUE(sameBits(body(*runtime, engine_, n, m), alone(body, n, m))) << name << " " << n << " " << m;
      runtime->finishCompiles();
    }
    EXPECT_GT(runtime->cacheStats().sizes.made, 5u) << name << "\n" << runtime->explainCache();
  }
}

TEST_P(SizeTest, APartBeginsWhereItDoesAndNotAtASizeThatWasThereTwice) {
  // d/dy sum(all * all) = 2 y, where y begins behind a and one element, or behind four of a.
  auto partOf = [&](int copies, int64_t n, int64_t m, int64_t other) {
    std::vector<EagerTensor> parts(static_cast<size_t>(copies), runtime_->constant(numbers({n}, 1)));
    if (copies == 1)
      parts.push_back(runtime_->constant(vector({3})));
    const Tensor values = numbers({m}, 2);
    EagerTensor y = runtime_->variable(values), z = runtime_->variable(numbers({other}, 1));
    parts.push_back(y);
    run([&](EagerSession &s) {
      EagerTensor all = s.concatenate(parts, 0);
      return s.add(s.sum(s.mul(all, all)), s.sum(z));
    }).backward(engine_);
    Values expected = values.toVector<double>();
    for (double &value : expected)
      value *= 2;
    EXPECT_EQ(valuesOf(y.grad()), expected) << copies << " of " << n << ", then " << m << ", beside " << other;
  };
  for (auto [n, m] : {std::pair<int64_t, int64_t>{3, 4}, {5, 6}, {20, 7}, {7, 20}, {40, 3}})
    partOf(1, n, m, 50);
  for (auto [n, other] : {std::pair<int64_t, int64_t>{3, 12}, {5, 20}, {7, 24}, {7, 20}, {6, 10}, {9, 36}})
    partOf(4, n, n, other);
  EXPECT_GT(runtime_->cacheStats().sizes.made, 2u);
}

TEST_P(SizeTest, WhatFollowsIsExplained) {
  Loop3 first(*runtime_, 64), second(*runtime_, 70), third(*runtime_, 1000);
  first.step(*runtime_, engine_);
  EXPECT_EQ(runtime_->explainCache().find("symbolic in"), std::string::npos);
  second.step(*runtime_, engine_);
  third.step(*runtime_, engine_);
  std::string text = runtime_->explainCache();
  EXPECT_NE(text.find("symbolic in size 64 (argument 0, axis 0), compiled for 64 and 70, checked with "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("sizes: 1 symbolic structure, 0 fixed, 1 program made\n"), std::string::npos) << text;
}

TEST_P(SizeTest, WhatDoesNotFollowIsNamedAndCompiled) {
  // The derivative of a product halves its axis until one element is left: as many steps as the size has digits.
  for (int64_t n : {5, 9, 17, 33}) {
    Values values(static_cast<size_t>(n), 1);
    values[0] = 3;
    EagerTensor x = variable(values);
    run([&](EagerSession &s) { return s.prod(x); }).backward(engine_);
    Values expected(static_cast<size_t>(n), 3);
    expected[0] = 1;
    EXPECT_EQ(valuesOf(x.grad()), expected);
  }
  RuntimeCacheStats stats = runtime_->cacheStats();
  EXPECT_EQ(stats.adTransforms.misses, 4u);
  EXPECT_EQ(stats.sizes.made, 0u);
  EXPECT_EQ(stats.sizes.symbolic, 0u);
  EXPECT_EQ(stats.sizes.fixed, 1u);
  EXPECT_NE(runtime_->explainCache().find("static for "), std::string::npos) << runtime_->explainCache();
}

TEST_P(SizeTest, SizesOfZeroAndOneAreOtherStructures) {
  for (int64_t n : {4, 5, 1, 0, 6}) {
    Loop3 job(*runtime_, n);
    job.step(*runtime_, engine_);
  }
  EXPECT_EQ(runtime_->cacheStats().adTransforms.misses, 5u); // 4, 5, 1, 0 and what 6 is checked with
  EXPECT_EQ(runtime_->cacheStats().sizes.made, 1u);
}

TEST_P(SizeTest, ManySizesThatStayAreNoHindrance) {
  for (int64_t n : {32, 33, 8, 257, 2})
    EXPECT_TRUE(sameBits(deepNetwork(*runtime_, engine_, n, 0), alone(deepNetwork, n, 0))) << n;
  EXPECT_EQ(runtime_->cacheStats().adTransforms.misses, 3u);
  EXPECT_EQ(runtime_->cacheStats().sizes.made, 3u);
}

TEST_P(SizeTest, TwoSizesThatVaryApartAreFollowedTogether) {
  for (int64_t n = 20; n < 30; ++n)
    for (int64_t m = 40; m < 50; ++m) {
      Values start;
      for (int64_t i = 0; i < n * m; ++i)
        start.push_back(static_cast<double>(i));
      EagerTensor x = runtime_->variable(Tensor::from({n, m}, start));
      run([&](EagerSession &s) { return s.sum(s.mul(s.transpose(x), s.transpose(x))); }).backward(engine_);
      for (double &value : start)
        value *= 2;
      EXPECT_EQ(valuesOf(x.grad()), start);
      runtime_->clearGrads();
    }
  // Two of one row and what checks them, one of the next row, and what checks that both sizes may vary at once.
  EXPECT_EQ(runtime_->cacheStats().adTransforms.misses, 5u);
  EXPECT_EQ(runtime_->cacheStats().sizes.made, 97u);
}

TEST_P(SizeTest, EqualSizesAreOneSize) {
  auto step = [&](int64_t n, int64_t m) {
    EagerTensor x = runtime_->variable(Tensor::from({n, m}, Values(static_cast<size_t>(n * m), 2)));
    run([&](EagerSession &s) { return s.sum(s.mul(s.transpose(x), s.transpose(x))); }).backward(engine_);
    EXPECT_EQ(valuesOf(x.grad()), Values(static_cast<size_t>(n * m), 4));
  };
  step(3, 4);
  step(5, 7);
  step(6, 6); // a square is another structure
  EXPECT_EQ(runtime_->cacheStats().adTransforms.misses, 3u);
  step(7, 7);
  step(8, 8);
  step(8, 9);
  EXPECT_EQ(runtime_->cacheStats().adTransforms.misses, 6u); // each structure is checked
  EXPECT_EQ(runtime_->cacheStats().sizes.made, 2u);
}

TEST_P(SizeTest, LimitsHold) {
  const CacheLimits limits{1, 1 << 20};
  runtime_->setPreparedDerivativeLimits(limits);
  for (int64_t n = 2; n < 200; ++n)
    Loop3(*runtime_, n).step(*runtime_, engine_);
  CacheStats stats = runtime_->cacheStats().preparedDerivatives;
  EXPECT_GT(stats.evictions, 0u);
  EXPECT_LE(stats.retainedBytes, limits.maxRetainedBytes);
  EXPECT_LE(stats.entries, 1u + 32u);
  runtime_->clearCaches();
  EXPECT_EQ(runtime_->cacheStats().sizes.symbolic, 0u);
  Loop3(*runtime_, 3).step(*runtime_, engine_);
  EXPECT_EQ(runtime_->cacheStats().adTransforms.misses, 1u);
}

TEST_P(SizeTest, RuntimesOfOneContextShareThem) {
  Loop3(*runtime_, 3).step(*runtime_, engine_);
  Loop3(*runtime_, 4).step(*runtime_, engine_);
  RuntimeOptions other = options();
  other.adContext = runtime_->adContext();
  auto second = EagerRuntime::create(other);
  Loop3(*second, 5).step(*second, engine_);
  Loop3(*runtime_, 6).step(*runtime_, engine_);
  EXPECT_EQ(second->cacheStats().adTransforms.misses, 3u);
  EXPECT_EQ(second->cacheStats().sizes.made, 2u);
}

TEST(SizeDiskTest, ProgramsFromDiskGiveTheOthers) {
  std::string directory = std::filesystem::temp_directory_path() / "tenferro-size-test-XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  RuntimeOptions options;
  options.diskCache.directory = directory;
  CpuEngine engine({.threads = 1});
  for (bool again : {false, true}) {
    auto runtime = EagerRuntime::create(options); // with a context of its own
    for (int64_t n = 64; n < 100; ++n)
      Loop3(*runtime, n).step(*runtime, engine);
    runtime->finishCompiles();
    RuntimeCacheStats stats = runtime->cacheStats();
    EXPECT_EQ(stats.adTransforms.misses, 3u);
    EXPECT_EQ(stats.sizes.made, 34u);
    EXPECT_EQ(stats.compiles.done, again ? 0u : 3u);
    if (again) {
      EXPECT_EQ(stats.compiles.runsFused, 36u); // the three were read fused, and the others follow them
    }
  }
  std::filesystem::remove_all(directory);
}

/// loss = sum(f(x) * x) with x_i = i, where f is a cube, by a function with rules or of a family: the gradient is 4
/// x^3, exactly.
void cubeStep(EagerRuntime &runtime, CpuEngine &engine, int64_t n,
              const std::function<EagerTensor(const EagerTensor &)> &cube) {
  Values start;
  for (int64_t i = 0; i < n; ++i)
    start.push_back(static_cast<double>(i));
  EagerTensor x = runtime.variable(vector(start));
  runtime.session(engine, [&](EagerSession &s) { return s.sum(s.mul(cube(x), x)); }).backward(engine);
  Values gradient = valuesOf(x.grad());
  for (size_t i = 0; i < gradient.size(); ++i)
    ASSERT_EQ(gradient[i], 4. * static_cast<double>(i * i * i)) << n;
  runtime.clearGrads();
}

TEST_P(SizeTest, FunctionsWithRulesAreCheckedAsOthers) {
  auto cube = customVjp(
      "cube", [](const EagerTensor &x) { return x * x * x; },
      [](const EagerTensor &x, const EagerTensor &, const EagerTensor &ct) { return 3.0 * x * x * ct; });
  for (int64_t n = 4; n < 40; n += 2)
    cubeStep(*runtime_, engine_, n, [&](const EagerTensor &x) { return cube(x); });
  EXPECT_EQ(runtime_->cacheStats().adTransforms.misses, 3u);
  EXPECT_EQ(runtime_->cacheStats().sizes.made, 16u);
}

TEST_P(SizeTest, FamiliesAreCheckedWithSizesThatWereAskedFor) {
  // Nobody but the family knows the shapes of an opaque kernel.
  ExtensionSpec spec{
      .family = "lab.cube.v1",
      .shape = [](const std::vector<TensorType> &inputs, const IntList &) { return std::vector{inputs.at(0)}; },
      .kernels = {{EngineKind::Cpu, [](ExtensionContext &, const std::vector<KernelInput> &inputs,
                                       const std::vector<KernelOutput> &outputs) {
                     for (int64_t i = 0; i < inputs[0].elementCount(); ++i) {
                       const double x = inputs[0].data<double>()[i];
                       outputs[0].data<double>()[i] = x * x * x;
                     }
                   }}}};
  spec.vjp = [](const RuleContext &c, const TensorList &ct) {
    return TensorList{3.0 * c.inputs[0] * c.inputs[0] * ct[0]};
  };
  spec.vjpResiduals = {.inputs = 1, .outputs = 0};
  runtime_->installExtension(ExtensionModule(std::move(spec)));
  auto step = [&](int64_t n) {
    cubeStep(*runtime_, engine_, n, [](const EagerTensor &x) { return extension("lab.cube.v1", {x})[0]; });
  };
  for (int64_t n : {4, 6, 8, 10, 12, 14}) // all even: what follows their halves would look like what follows them
    step(n);
  EXPECT_EQ(runtime_->cacheStats().sizes.made, 0u);
  EXPECT_EQ(runtime_->cacheStats().adTransforms.misses, 6u);
  step(9);
  step(16);
  step(21);
  EXPECT_EQ(runtime_->cacheStats().sizes.made, 2u);
  EXPECT_EQ(runtime_->cacheStats().sizes.symbolic, 1u);
  EXPECT_EQ(runtime_->cacheStats().adTransforms.misses, 7u);
  EXPECT_NE(runtime_->explainCache().find("checked with 9\n"), std::string::npos) << runtime_->explainCache();
}

TEST_P(SizeTest, CapturedConstantsHaveTheSizeToo) {
  // f(x) = sum(c x), compiled with c as a constant of its own: the gradient is c.
  for (int64_t n : {5, 8, 3, 64, 1000}) {
    const Tensor factors = numbers({n}, 7);
    EagerTensor c = runtime_->constant(factors);
    auto function = runtime_->compile([&](EagerSession &s, const EagerTensor &x) { return s.sum(s.mul(c, x)); });
    EXPECT_EQ(valuesOf(function.valueAndGrad(engine_, runtime_->variable(numbers({n}, 1))).derivative),
              valuesOf(factors))
        << n;
  }
  EXPECT_GT(runtime_->cacheStats().sizes.made, 0u);
}

TEST_P(SizeTest, ViewsAndRowsOfOtherAlignmentsFollow) {
  // Rows of a matrix from an odd element on, backwards and by twos: d/dx sum(y y) = 2 y at the elements that y has.
  for (auto [n, m] : {std::pair<int64_t, int64_t>{9, 5}, {12, 7}, {33, 8}, {64, 3}, {65, 66}, {7, 2}, {1001, 4}}) {
    const Tensor values = numbers({n, m}, 2);
    EagerTensor x = runtime_->variable(values);
    run([&](EagerSession &s) {
      EagerTensor row = s.slice(s.transpose(x), {1, 1}, {2, n}, {1, 2});
      EagerTensor y = s.reverse(row, {1});
      return s.sum(s.mul(y, y));
    }).backward(engine_);
    Values expected = values.toVector<double>(); // the first axis runs fastest
    for (int64_t j = 0; j < m; ++j)
      for (int64_t i = 0; i < n; ++i)
        expected[static_cast<size_t>(j * n + i)] *= j == 1 && i % 2 == 1 ? 2 : 0;
    EXPECT_EQ(valuesOf(x.grad()), expected) << n << " " << m;
    runtime_->clearGrads();
  }
  EXPECT_GT(runtime_->cacheStats().sizes.made, 2u);
}

TEST_P(SizeTest, ElementsBeforeTheEndFollowIt) {
  // sum(x[:-1]^2), compiled: the gradient is 2 x but for the last element.
  for (int64_t n : {64, 65, 9, 1000, 12, 2, 3, 5}) {
    const Tensor values = numbers({n}, 2);
    auto function = runtime_->compile([&](EagerSession &s, const EagerTensor &x) {
      EagerTensor y = s.slice(x, {0}, {n - 1}, {1});
      return s.sum(s.mul(y, y));
    });
    Values expected = values.toVector<double>();
    for (double &value : expected)
      value *= 2;
    expected.back() = 0;
    EXPECT_EQ(valuesOf(function.valueAndGrad(engine_, runtime_->variable(values)).derivative), expected) << n;
  }
  // The function and its derivative for 9, 1000 and 12; x[:1], x[:2] and x[:4] may be the same for every size.
  EXPECT_EQ(runtime_->cacheStats().sizes.made, 6u);
}

TEST(SizeDiskTest, SomeOfTheProgramsOnDiskAreAsGoodAsAll) {
  CpuEngine engine({.threads = 1});
  for (int kept = 0; kept < 4; ++kept) {
    std::string directory = std::filesystem::temp_directory_path() / "tenferro-size-test-XXXXXX";
    ASSERT_NE(mkdtemp(directory.data()), nullptr);
    RuntimeOptions options;
    options.diskCache.directory = directory;
    auto churn = [&](int64_t from, int64_t to) {
      auto runtime = EagerRuntime::create(options);
      for (int pass = 0; pass < 3; ++pass) {
        for (int64_t n = from; n < to; ++n)
          Loop3(*runtime, n).step(*runtime, engine);
        runtime->finishCompiles();
      }
      EXPECT_GT(runtime->cacheStats().sizes.made, static_cast<uint64_t>(to - from) / 2) << kept;
      EXPECT_GT(runtime->cacheStats().compiles.runsFused, static_cast<uint64_t>(to - from)) << kept;
    };
    churn(64, 90);
    // One file in two goes, another one each time; then sizes in another order.
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(directory))
      if (entry.is_regular_file())
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (size_t i = 0; i < files.size(); ++i)
      if ((i >> (kept / 2) & 1) == static_cast<size_t>(kept % 2))
        std::filesystem::remove(files[i]);
    churn(65, 90);
    churn(64, 80);
    std::filesystem::remove_all(directory);
  }
}

TEST_P(SizeTest, ProgramsOutliveWhatTheyWereMadeFrom) {
  const CacheLimits few{1, 64 << 20};
  runtime_->adContext()->setLimits(few);
  runtime_->setPreparedDerivativeLimits(few);
  CpuEngine engine({.threads = 2});
  std::vector<Loop3> jobs;
  for (int64_t n : {4, 5, 6, 7, 5000, 9, 64})
    jobs.emplace_back(*runtime_, n);
  for (int round = 0; round < 6; ++round) {
    for (const Loop3 &job : jobs)
      job.step(*runtime_, engine);
    EagerTensor x = runtime_->variable(numbers({3 + round}, 1)); // another structure pushes it out
    run([&](EagerSession &s) { return s.sum(s.exp(x)); }).backward(engine_);
    if (round == 2)
      runtime_->clearCaches();
    if (round == 3)
      trimMemory();
    if (round == 4)
      runtime_->finishCompiles();
  }
}

TEST_P(SizeTest, ThreadsOfTwoRuntimesChurnTogether) {
  RuntimeOptions other = options();
  other.adContext = runtime_->adContext();
  other.policy = GetParam() == CompilePolicy::Immediate ? CompilePolicy::Background : CompilePolicy::Immediate;
  auto second = EagerRuntime::create(other);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      CpuEngine engine({.threads = 1});
      EagerRuntime &runtime = t % 2 ? *second : *runtime_;
      auto cube = customVjp(
          "cube", [](const EagerTensor &x) { return x * x * x; },
          [](const EagerTensor &x, const EagerTensor &, const EagerTensor &ct) { return 3.0 * x * x * ct; });
      for (int64_t i = 0; i < 60; ++i) {
        const int64_t n = 2 + (i * (2 * t + 1) + t) % 37;
        Loop3(runtime, n).step(runtime, engine);
        cubeStep(runtime, engine, 2 + n % 11, [&](const EagerTensor &x) { return cube(x); });
        if (t == 3 && i == 20)
          runtime.clearCaches();
        if (t == 4 && i == 30)
          trimMemory();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  runtime_->finishCompiles();
  Loop3(*second, 100).step(*second, engine_);
  EXPECT_GT(second->cacheStats().sizes.made, 20u);
}

TEST_P(SizeTest, ThreadsMeetSizesTogether) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      CpuEngine engine({.threads = 1});
      for (int64_t round = 0; round < 3; ++round)
        for (int64_t n = 2; n < 40; ++n)
          Loop3(*runtime_, 2 + (n * (2 * t + 1) + round) % 38).step(*runtime_, engine);
    });
  for (std::thread &thread : threads)
    thread.join();
  runtime_->finishCompiles();
  // Whoever comes before two are compiled compiles.
  EXPECT_LE(runtime_->cacheStats().adTransforms.misses, 10u);
  EXPECT_GE(runtime_->cacheStats().preparedDerivatives.hits, 800u);
}

} // namespace tenferro::test
