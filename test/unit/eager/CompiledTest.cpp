// Compiled functions: recorded once per structure, the bits of eager, derivatives, captures, errors.
#include "test/unit/eager/TestSupport.h"

#include <array>
#include <atomic>
#include <concepts>
#include <functional>
#include <string>
#include <thread>
#include <tuple>

namespace tenferro::test {

/// What a user's struct brings to be an argument or a result.
struct Layer {
  EagerTensor weight, bias;
};
static auto tensors(Layer &layer) { return std::tie(layer.weight, layer.bias); }

struct Network {
  std::vector<Layer> layers;
};
static auto tensors(Network &network) { return std::tie(network.layers); }

class CompiledTest : public EachPolicyRuntime {};
TENFERRO_EACH_POLICY(CompiledTest);

TEST_P(CompiledTest, TheFunctionRunsOncePerStructure) {
  int runs = 0;
  auto f = runtime_->compile([&](EagerSession &s, const EagerTensor &x) {
    ++runs;
    return s.sum(s.mul(x, x));
  });
  EXPECT_EQ(f(engine_, constant({1, 2, 3})).item<double>(), 14);
  EXPECT_EQ(f(engine_, constant({2, 2, 2})).item<double>(), 12);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(f.stats().misses, 1u);
  EXPECT_EQ(f.stats().hits, 1u);
  // Another shape, another dtype: other structures.
  EXPECT_EQ(f(engine_, constant({1, 2})).item<double>(), 5);
  EXPECT_EQ(f(engine_, runtime_->constant(Tensor::from<float>({2}, {1, 2}))).item<float>(), 5);
  EXPECT_EQ(f(engine_, constant({3, 4})).item<double>(), 25);
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(f.stats().entries, 3u);
  f.clear();
  f(engine_, constant({3, 4}));
  EXPECT_EQ(runs, 4);
}

TEST_P(CompiledTest, OneProgramForEqualStructure) {
  // Other lambdas, other constants, other numbers: the same program.
  auto scaled = [&](EagerTensor c, double factor) {
    return runtime_->compile([=](EagerSession &s, const EagerTensor &x) { return s.sum(s.mul(s.mul(x, c), factor)); });
  };
  EXPECT_EQ(scaled(constant({1, 10}), 2)(engine_, constant({3, 4})).item<double>(), 86);
  EXPECT_EQ(runtime_->cacheStats().preparedDerivatives.misses, 1u);
  EXPECT_EQ(scaled(constant({5, 6}), -1)(engine_, constant({1, 1})).item<double>(), -11);
  EXPECT_EQ(runtime_->cacheStats().preparedDerivatives.misses, 1u);
  EXPECT_EQ(runtime_->cacheStats().preparedDerivatives.hits, 1u);
  EXPECT_EQ(runtime_->cacheStats().preparedDerivatives.entries, 1u);
  EXPECT_NE(runtime_->explainCache().find("hit"), std::string::npos);
}

TEST_P(CompiledTest, AnAssignedCaptureIsSeen) {
  EagerTensor w = variable({1, 2});
  auto f = runtime_->compile([&](EagerSession &s, const EagerTensor &x) { return s.mul(x, w); });
  EXPECT_EQ(valuesOf(f(engine_, constant({3, 4}))), (Values{3, 8}));
  w.assign(vector({10, 20}));
  EXPECT_EQ(valuesOf(f(engine_, constant({3, 4}))), (Values{30, 80}));
  EXPECT_EQ(f.stats().misses, 1u);
}

TEST_P(CompiledTest, OperatorsAndNoSessionArgument) {
  Scope scope(runtime_, engine_);
  auto f = runtime_->compile([](const EagerTensor &x, const EagerTensor &y) { return tanh(x * y + x) * exp(-x); });
  EagerTensor x = variable({0.5, -1.25, 3}), y = variable({2, 0.125, -0.5});
  EXPECT_EQ(valuesOf(f(x, y)), valuesOf(tanh(x * y + x) * exp(-x)));
}

TEST_P(CompiledTest, BackwardGoesThroughACall) {
  // loss = sum(w * x^2) through a compiled square: dw = x^2, dx = 2 w x.
  EagerTensor w = variable({1, 2}), x = variable({3, 4});
  auto square = runtime_->compile([](EagerSession &s, const EagerTensor &v) { return s.mul(v, v); });
  EagerTensor loss = run([&](EagerSession &s) { return s.sum(s.mul(w, square(s, x))); });
  EXPECT_TRUE(loss.tracksGrad());
  loss.backward(engine_);
  EXPECT_EQ(valuesOf(w.grad()), (Values{9, 16}));
  EXPECT_EQ(valuesOf(x.grad()), (Values{6, 16}));
  // To a capture, too, and to any order.
  auto cubed = runtime_->compile([&](EagerSession &s) { return s.sum(s.mul(s.mul(x, x), x)); });
  EagerTensor dx = runtime_->grad(engine_, cubed(engine_), x);
  EXPECT_EQ(valuesOf(dx), (Values{27, 48}));
  EagerTensor again = run([&](EagerSession &s) { return s.sum(dx); });
  EXPECT_EQ(valuesOf(runtime_->grad(engine_, again, x)), (Values{18, 24}));
  // Not while recording is off.
  NoGradGuard guard;
  EXPECT_FALSE(square(engine_, x).tracksGrad());
}

TEST_P(CompiledTest, ValueAndGradientsHaveTheFormOfTheArguments) {
  auto f = runtime_->compile([](EagerSession &s, const EagerTensor &x, const Layer &layer) {
    return s.sum(s.add(s.mul(s.mul(x, x), layer.weight), layer.bias));
  });
  auto [value, gradients] = f.valueAndGrad(engine_, constant({1, 2}), Layer{constant({3, 5}), constant({7, 9})});
  EXPECT_EQ(value.item<double>(), 3 + 20 + 16);
  auto &[dx, layer] = gradients;
  EXPECT_EQ(valuesOf(dx), (Values{6, 20}));
  EXPECT_EQ(valuesOf(layer.weight), (Values{1, 4}));
  EXPECT_EQ(valuesOf(layer.bias), (Values{1, 1}));
  // One argument: its own type. Nothing depends on the second vector element, nothing differentiates by integers.
  auto first = runtime_->compile([](EagerSession &s, const std::vector<EagerTensor> &all) {
    return s.sum(s.mul(all[0], s.cast(all[2], DType::F64)));
  });
  std::vector<EagerTensor> arguments = {constant({1, 2}), constant({1}),
                                        runtime_->constant(Tensor::from<int64_t>({2}, {4, 5}))};
  auto [sum, all] = first.valueAndGrad(engine_, arguments);
  EXPECT_EQ(sum.item<double>(), 14);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(valuesOf(all[0]), (Values{4, 5}));
  EXPECT_TRUE(all[1].empty());
  EXPECT_TRUE(all[2].empty());
}

TEST_P(CompiledTest, VjpAndJvp) {
  // y0 = a * b, y1 = exp(0 * a) + b = 1 + b.
  auto f = runtime_->compile([](EagerSession &s, const EagerTensor &a, const EagerTensor &b) {
    return std::pair{s.mul(a, b), s.add(s.exp(s.mul(a, 0)), b)};
  });
  EagerTensor a = constant({2, 3}), b = constant({5, 7});
  auto pulled = f.vjp(engine_, a, b, std::pair{constant({1, 10}), constant({100, 1000})});
  EXPECT_EQ(valuesOf(pulled.value.first), (Values{10, 21}));
  EXPECT_EQ(valuesOf(pulled.value.second), (Values{6, 8}));
  EXPECT_EQ(valuesOf(std::get<0>(pulled.derivative)), (Values{5, 70}));
  EXPECT_EQ(valuesOf(std::get<1>(pulled.derivative)), (Values{102, 1030}));
  auto pushed = f.jvp(engine_, a, b, constant({1, 1}), constant({10, 100}));
  EXPECT_EQ(valuesOf(pushed.value.first), (Values{10, 21}));
  EXPECT_EQ(valuesOf(pushed.derivative.first), (Values{25, 307}));
  EXPECT_EQ(valuesOf(pushed.derivative.second), (Values{10, 100}));
  // Empty seeds are zeros: only a moves, only the second result is pulled.
  pushed = f.jvp(engine_, a, b, constant({1, 1}), EagerTensor());
  EXPECT_EQ(valuesOf(pushed.derivative.first), (Values{5, 7}));
  EXPECT_EQ(valuesOf(pushed.derivative.second), (Values{0, 0}));
  pulled = f.vjp(engine_, a, b, std::pair{EagerTensor(), constant({3, 4})});
  EXPECT_EQ(valuesOf(std::get<1>(pulled.derivative)), (Values{3, 4}));
  EXPECT_EQ(f.stats().misses, 1u);
}

TEST_P(CompiledTest, DerivativesOfDerivatives) {
  EagerTensor x = variable({0.5, -1, 2});
  auto f = runtime_->compile([](EagerSession &s, const EagerTensor &v) { return s.sum(s.mul(s.exp(v), v)); });
  // Recorded: the gradient of a compiled gradient is that of the eager one.
  EagerTensor loss = run([&](EagerSession &s) { return s.sum(s.mul(s.exp(x), x)); });
  EagerTensor dx = runtime_->grad(engine_, loss, x);
  EagerTensor compiled = f.valueAndGrad(engine_, x).derivative;
  EXPECT_EQ(valuesOf(compiled), valuesOf(dx));
  auto total = [&](const EagerTensor &gradient) { return run([&](EagerSession &s) { return s.sum(gradient); }); };
  EXPECT_EQ(valuesOf(runtime_->grad(engine_, total(compiled), x)), valuesOf(runtime_->grad(engine_, total(dx), x)));
  // Inside a function that is recorded.
  auto inside = runtime_->compile([&](EagerSession &s, const EagerTensor &v) {
    EagerTensor first = runtime_->grad(engine_, s.sum(s.mul(s.exp(v), v)), v);
    return std::pair{first, runtime_->grad(engine_, s.sum(first), v)};
  });
  auto [first, second] = inside(engine_, x);
  EXPECT_EQ(valuesOf(first), valuesOf(dx));
  EXPECT_EQ(valuesOf(second), valuesOf(runtime_->grad(engine_, total(dx), x)));
}

TEST_P(CompiledTest, IntermediatesAndTangentsInsideAFunction) {
  // h = x*x, y = h*h: dy/dh = 2h, and d(dy/dh)/dx = 4x; jvp of y along x by t: 4 x^3 t.
  auto f = runtime_->compile([&](EagerSession &s, const EagerTensor &x, const EagerTensor &t) {
    EagerTensor h = s.mul(x, x), y = s.mul(h, h);
    EagerTensor dh = runtime_->grad(engine_, s.sum(y), h);
    return std::array{dh, runtime_->grad(engine_, s.sum(dh), x), runtime_->jvp(engine_, y, x, t)};
  });
  std::array<EagerTensor, 3> out = f(engine_, constant({2, 3}), constant({1, 10}));
  EXPECT_EQ(valuesOf(out[0]), (Values{8, 18}));
  EXPECT_EQ(valuesOf(out[1]), (Values{8, 12}));
  EXPECT_EQ(valuesOf(out[2]), (Values{32, 1080}));
  auto hidden = runtime_->compile([&](EagerSession &s, const EagerTensor &x) {
    EagerTensor h = s.exp(x);
    EagerTensor dx = runtime_->grad(engine_, s.sum(s.mul(h, h)), x);
    return runtime_->grad(engine_, s.sum(dx), h);
  });
  EXPECT_EQ(failureFrom<UnsupportedAdRule>([&] { hidden(engine_, constant({1})); }).argument, "wrt");
}

TEST_P(CompiledTest, DerivativesByCapturesInsideAFunction) {
  // sum(w x^2) by the captured w: x^2; by what an outer function captured and handed down: the same.
  EagerTensor w = variable({2, 5}), never = variable({1, 1});
  auto f = runtime_->compile([&](EagerSession &s, const EagerTensor &x) {
    EagerTensor loss = s.sum(s.mul(w, s.mul(x, x)));
    EXPECT_FALSE(runtime_->gradOptional(engine_, loss, never));
    auto inner = runtime_->compile([&](EagerSession &t, const EagerTensor &y) {
      return runtime_->grad(engine_, t.sum(t.mul(t.mul(w, y), x)), x); // w y
    });
    return std::pair{runtime_->grad(engine_, loss, w), inner(s, x)};
  });
  auto [byWeight, byOuter] = f(engine_, constant({3, 4}));
  EXPECT_EQ(valuesOf(byWeight), (Values{9, 16}));
  EXPECT_EQ(valuesOf(byOuter), (Values{6, 20}));
  w.assign(vector({1, 1}));
  EXPECT_EQ(valuesOf(f(engine_, constant({3, 4})).second), (Values{3, 4}));
}

TEST_P(CompiledTest, ADerivativeOfAnOutsideResultIsRefused) {
  EagerTensor x = variable({1, 2});
  EagerTensor loss = run([&](EagerSession &s) { return s.sum(s.mul(x, x)); });
  auto f = runtime_->compile(
      [&](EagerSession &s, const EagerTensor &y) { return s.mul(runtime_->grad(engine_, loss, x), y); });
  EXPECT_EQ(failureFrom<Error>([&] { f(engine_, x); }).argument, "output");
}

TEST_P(CompiledTest, DetachedPartsAreConstants) {
  EagerTensor x = variable({3, 4});
  auto f = runtime_->compile([](EagerSession &s, const EagerTensor &v) {
    EagerTensor fixed;
    {
      NoGradGuard guard;
      fixed = s.mul(v, v);
    }
    return s.sum(s.mul(s.mul(v, fixed), v.detach()));
  });
  // v * const(v^2) * const(v): the value v^4, the slope v^3.
  auto [value, slope] = f.valueAndGrad(engine_, x);
  EXPECT_EQ(value.item<double>(), 81 + 256);
  EXPECT_EQ(valuesOf(slope), (Values{27, 64}));
  f(engine_, x).backward(engine_);
  EXPECT_EQ(valuesOf(x.grad()), (Values{27, 64}));
}

TEST_P(CompiledTest, ResultsTrackWhatMovesThemAsEagerOnesDo) {
  auto f = [](EagerSession &s, const EagerTensor &x, const EagerTensor &w) {
    EagerTensor fixed;
    {
      NoGradGuard guard;
      fixed = s.mul(x, w);
    }
    return std::tuple{fixed, s.mul(x, x), s.mul(w, 2), s.add(fixed, w), s.mul(x, w.detach()), s.argmax(x)};
  };
  auto compiled = runtime_->compile(f);
  auto tracked = [](const auto &results) {
    return std::apply([](const auto &...result) { return std::vector<bool>{result.tracksGrad()...}; }, results);
  };
  auto expectSame = [&](const EagerTensor &x, const EagerTensor &w, const std::vector<bool> &expected) {
    EXPECT_EQ(tracked(compiled(engine_, x, w)), expected);
    runtime_->session(engine_, [&](EagerSession &s) { EXPECT_EQ(tracked(f(s, x, w)), expected); });
  };
  EagerTensor x = variable({3, 4}), w = variable({1, 2}), c = constant({5, 6});
  expectSame(x, w, {false, true, true, true, true, false});
  expectSame(x, c, {false, true, false, false, true, false});
  expectSame(c, w, {false, false, true, true, false, false});
  expectSame(c, c, {false, false, false, false, false, false});
  // The whole path under the guard: nothing is recorded, so that nothing keeps the variable's value alive.
  auto all = runtime_->compile([](EagerSession &s, const EagerTensor &v) {
    NoGradGuard guard;
    return s.mul(v, v);
  });
  EXPECT_FALSE(all(engine_, x).tracksGrad());
  EXPECT_EQ(failureFrom<ValidationError>([&] { runtime_->grad(engine_, all(engine_, variable({3})), x); }).kind,
            ErrorKind::InactiveGrad);
  // A gradient is moved by what it depends on: that of x w by w alone.
  auto product =
      runtime_->compile([](EagerSession &s, const EagerTensor &a, const EagerTensor &b) { return s.sum(s.mul(a, b)); });
  EXPECT_TRUE(std::get<0>(product.valueAndGrad(engine_, c, w).derivative).tracksGrad());
  EXPECT_FALSE(std::get<0>(product.valueAndGrad(engine_, c, c).derivative).tracksGrad());
}

TEST_P(CompiledTest, NormsTakeTheScaleOfEachRun) {
  // One program for numbers in range, out of range, and for zeros: what they are divided by is computed in every run.
  auto f = runtime_->compile([](EagerSession &s, const EagerTensor &x) { return s.norm(x); });
  for (Values values : {Values{3, 4}, Values{3e200, 4e200}, Values{3e-200, 4e-200}, Values{0, 0}}) {
    EagerTensor x = variable(values);
    auto [value, gradient] = f.valueAndGrad(engine_, x);
    EXPECT_DOUBLE_EQ(value.item<double>(), values[0] / 3 * 5);
    EagerTensor eager = run([&](EagerSession &s) { return s.norm(x); });
    EXPECT_EQ(value.item<double>(), eager.item<double>());
    EXPECT_EQ(valuesOf(gradient), valuesOf(runtime_->grad(engine_, eager, x)));
  }
  EXPECT_EQ(f.stats().entries, 1u);
  // Positions and running sums are programs too.
  auto g = runtime_->compile([](EagerSession &s, const EagerTensor &x) {
    return s.mul(s.take(s.cumsum(x, 0), s.argmax(x), 0), s.prod(x));
  });
  EXPECT_EQ(g(engine_, constant({2, 5, 1})).item<double>(), 70);
}

TEST_P(CompiledTest, FunctionsInsideFunctions) {
  int runs = 0;
  auto inner = runtime_->compile([&](EagerSession &s, const EagerTensor &v) {
    ++runs;
    return s.mul(v, v);
  });
  auto outer = runtime_->compile([&](EagerSession &s, const EagerTensor &v) {
    EagerTensor by = runtime_->grad(engine_, s.sum(inner(s, v)), v); // 2v
    auto [value, slope] =
        runtime_->compile([&](EagerSession &t, const EagerTensor &u) { return t.sum(t.mul(inner(t, u), v)); })
            .valueAndGrad(s, v); // sum(v^3), 2 v^2 by u
    return s.sum(s.add(s.mul(inner(s, inner(s, v)), by), s.mul(slope, value)));
  });
  // 2 v^5 + 2 v^2 sum(v^3) for [1, 2]: 2 + 18 + 64 + 72.
  EXPECT_EQ(outer(engine_, constant({1, 2})).item<double>(), 156);
  EXPECT_EQ(outer(engine_, constant({1, 1})).item<double>(), 2 + 4 + 2 + 4);
  EXPECT_EQ(runs, 1);
}

TEST_P(CompiledTest, ArgumentsAndCapturesPassThrough) {
  EagerTensor w = variable({7}), x = variable({2, 3});
  auto f = runtime_->compile([&](EagerSession &s, const EagerTensor &v) {
    EagerTensor twice = s.add(v, v);
    return std::vector{v, twice, w, twice};
  });
  std::vector<EagerTensor> out = f(engine_, x);
  EXPECT_EQ(out[0].id(), x.id());
  EXPECT_EQ(out[2].id(), w.id());
  EXPECT_EQ(valuesOf(out[1]), (Values{4, 6}));
  EXPECT_EQ(out[1].id(), out[3].id());
  // Cotangents of one value twice add up; that of the argument goes straight back.
  auto pulled = f.vjp(engine_, x, std::vector{constant({1, 1}), constant({10, 10}), EagerTensor(), constant({100, 0})});
  EXPECT_EQ(valuesOf(pulled.derivative), (Values{221, 21}));
  auto identity = runtime_->compile([](EagerSession &, const EagerTensor &v) { return v; });
  EXPECT_EQ(identity(engine_, x).id(), x.id());
}

TEST_P(CompiledTest, StructsOfVectors) {
  auto forward = [](EagerSession &s, const Network &network, EagerTensor x) {
    for (const Layer &layer : network.layers)
      x = s.tanh(s.add(s.matmul(layer.weight, x), layer.bias));
    return s.sum(s.mul(x, x));
  };
  auto matrix = [&](const Values &values) { return runtime_->variable(Tensor::from({2, 2}, values)); };
  Network network{
      {{matrix({0.5, -0.25, 1, 0.75}), variable({0.125, 0.5})}, {matrix({1, 2, -1, 0.5}), variable({0, -0.5})}}};
  EagerTensor x = constant({0.25, -1.5});
  auto f = runtime_->compile([&](EagerSession &s, const Network &n, const EagerTensor &v) { return forward(s, n, v); });
  auto [value, gradients] = f.valueAndGrad(engine_, network, x);
  EagerTensor loss = run([&](EagerSession &s) { return forward(s, network, x); });
  loss.backward(engine_);
  EXPECT_EQ(value.item<double>(), loss.item<double>());
  const Network &slopes = std::get<0>(gradients);
  ASSERT_EQ(slopes.layers.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(valuesOf(slopes.layers[i].weight), valuesOf(network.layers[i].weight.grad()));
    EXPECT_EQ(valuesOf(slopes.layers[i].bias), valuesOf(network.layers[i].bias.grad()));
  }
  // Another number of layers is another structure.
  network.layers.pop_back();
  f(engine_, network, x);
  EXPECT_EQ(f.stats().misses, 2u);
}

TEST_P(CompiledTest, ErrorsAreTyped) {
  auto f = runtime_->compile([](EagerSession &s, const EagerTensor &x, const EagerTensor &y) { return s.add(x, y); });
  auto other = EagerRuntime::create();
  EagerTensor x = constant({1, 2}), y = constant({3, 4});
  EXPECT_EQ(failureFrom<ContextMismatch>([&] { f(engine_, x, other->constant(vector({1, 2}))); }).ids,
            (std::vector<uint64_t>{runtime_->id(), other->id()}));
  EXPECT_EQ(failureFrom<ValidationError>([&] { f(engine_, x, EagerTensor()); }).argument, "arguments");
  Failure failure = failureFrom<ValidationError>([&] { f(engine_, x, constant({1, 2, 3})); });
  EXPECT_EQ(failure.kind, ErrorKind::ShapeMismatch);
  EXPECT_NE(failure.file.find("CompiledTest"), std::string::npos);
  EXPECT_EQ(failureFrom<ValidationError>([&] { f.vjp(engine_, x, y, constant({1})); }).kind, ErrorKind::ShapeMismatch);
  EXPECT_EQ(failureFrom<ValidationError>([&] {
              f.jvp(engine_, x, y, runtime_->constant(Tensor::from<float>({2}, {1, 2})), y);
            }).argument,
            "tangent");
  failure = failureFrom<NonScalarGrad>([&] { f.valueAndGrad(engine_, x, y); });
  EXPECT_EQ(failure.shapes[0], Shape({2}));
  EXPECT_EQ(failure.message, "expects a function that returns one float of one element, but it returns f64[2]");
  EXPECT_EQ(f.stats().entries, 1u);

  auto nothing = runtime_->compile([](EagerSession &, const EagerTensor &) { return std::vector<EagerTensor>(); });
  EXPECT_EQ(failureFrom<ValidationError>([&] { nothing(engine_, x); }).argument, "function");
  auto fixed = runtime_->compile([&](EagerSession &, const EagerTensor &) { return y; });
  EXPECT_NE(failureFrom<ValidationError>([&] { fixed(engine_, x); }).message.find("is a constant"), std::string::npos);
  auto unrelated = runtime_->compile([&](EagerSession &s, const EagerTensor &) { return s.sum(y); });
  EXPECT_EQ(failureFrom<ValidationError>([&] { unrelated.valueAndGrad(engine_, x); }).kind, ErrorKind::InactiveGrad);
  EXPECT_EQ(unrelated(engine_, x).item<double>(), 7);

  std::function<EagerTensor(EagerSession &, const EagerTensor &)> again;
  auto recursive = runtime_->compile([&](EagerSession &s, const EagerTensor &v) { return again(s, v); });
  again = [&](EagerSession &s, const EagerTensor &v) { return s.neg(recursive(s, v)); };
  failure = failureFrom<RuntimeError>([&] { recursive(engine_, x); });
  EXPECT_NE(failure.message.find("does not call itself"), std::string::npos);
  // Ever larger structures never meet themselves.
  auto growing = runtime_->compile([&](EagerSession &s, const EagerTensor &v) { return again(s, v); });
  again = [&](EagerSession &s, const EagerTensor &v) {
    Shape shape = v.shape();
    shape.push_back(1);
    return growing(s, s.reshape(v, shape));
  };
  failure = failureFrom<Error>([&] { growing(engine_, x); });
  EXPECT_EQ(failure.kind, ErrorKind::RuntimeState);

  EXPECT_EQ(failureFrom<RuntimeError>([&] { compile([&] { return y; })(engine_); }).kind, ErrorKind::RuntimeState);
  struct Mine {};
  auto throws = runtime_->compile(
      [](EagerSession &, const EagerTensor &v) -> EagerTensor { return v.empty() ? v : throw Mine(); });
  EXPECT_THROW(throws(engine_, x), Mine);
  EXPECT_EQ(valuesOf(run([&](EagerSession &s) { return s.add(x, y); })), (Values{4, 6}));
}

TEST_P(CompiledTest, ErrorsOfACallNameItsLine) {
  auto f = runtime_->compile([](EagerSession &s, const EagerTensor &x, const EagerTensor &y) { return s.add(x, y); });
  auto other = EagerRuntime::create();
  EagerTensor x = constant({1, 2}), y = constant({3, 4}), foreign = other->constant(vector({1, 2})), empty;
  EagerTensor narrow = runtime_->constant(Tensor::from<float>({2}, {1, 2})), longer = constant({1, 2, 3});
  auto nothing = runtime_->compile([](EagerSession &, const EagerTensor &) { return std::vector<EagerTensor>(); });
  auto fixed = runtime_->compile([&](EagerSession &, const EagerTensor &) { return y; });
  auto free = compile([&] { return y; });
  std::vector<EagerTensor> pair{x, y};
  auto list =
      runtime_->compile([](EagerSession &s, const std::vector<EagerTensor> &all) { return s.add(all[0], all[1]); });
  runtime_->session(engine_, [&](EagerSession &s) {
    const int line = __LINE__ + 2;
    const std::vector<std::function<void()>> calls = {
        [&] { f(engine_, x, foreign); },
        [&] { f(s, foreign, x); },
        [&] { f(x, empty); },
        [&] { f.vjp(engine_, x, y, longer); },
        [&] { f.vjp(x, y, foreign); },
        [&] { f.jvp(engine_, x, y, narrow, y); },
        [&] { f.jvp(s, x, y, longer, y); },
        [&] { f.valueAndGrad(engine_, x, y); },
        [&] { nothing(engine_, x); },
        [&] { fixed(x); },
        [&] { list.jvp(engine_, pair, std::vector<EagerTensor>{x}); },
    };
    for (size_t i = 0; i < calls.size(); ++i) {
      Failure failure = failureFrom<Error>(calls[i]);
      EXPECT_EQ(failure.line, line + static_cast<int>(i));
      EXPECT_NE(failure.file.find("CompiledTest"), std::string::npos) << i;
    }
  });
  const int line = __LINE__ + 1;
  EXPECT_EQ(failureFrom<RuntimeError>([&] { free(engine_); }).line, line);
  // What the function throws is its own, whatever class it has.
  Failure own;
  own.kind = ErrorKind::InvalidArgument;
  own.message = "mine";
  auto throws =
      runtime_->compile([&](EagerSession &, const EagerTensor &) -> EagerTensor { throw ValidationError(own); });
  EXPECT_EQ(failureFrom<ValidationError>([&] { throws(engine_, x); }).line, 0);
  // Of long calls the first argument brings the place.
  auto many = runtime_->compile([](const std::same_as<EagerTensor> auto &...all) { return (all + ...); });
  EXPECT_EQ(valuesOf(many(engine_, x, x, x, x, x, x, x, x, x, x, x, y)), (Values{14, 26}));
  EXPECT_EQ(valuesOf(many(engine_, x, x, x, x, x, x, x, x, x, x, x, x, y)), (Values{15, 28}));
  auto summed = runtime_->compile([](const std::same_as<EagerTensor> auto &...all) { return sum((all + ...)); });
  runtime_->session(engine_, [&](EagerSession &s) {
    EXPECT_EQ(valuesOf(many(x, x, x, x, x, x, x, x, x, x, x, x, y)), (Values{15, 28}));
    const int start = __LINE__ + 2;
    const std::vector<std::function<void()>> calls = {
        [&] { many(engine_, x, x, x, x, x, x, x, x, x, x, x, x, empty); },
        [&] { many(s, x, x, x, x, x, x, x, x, x, x, x, x, empty); },
        [&] { many(x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, empty); },
        [&] { many(constant({1, 2}), x, x, x, x, x, x, x, x, x, x, x, x, empty); },
        [&] { summed.valueAndGrad(engine_, x, x, x, x, x, x, x, x, x, x, x, x, empty); },
        [&] { many.vjp(x, x, x, x, x, x, x, x, x, x, x, x, x, longer); },
        [&] { many.jvp(s, x, x, x, x, x, x, y, x, x, x, x, x, x, longer); },
    };
    for (size_t i = 0; i < calls.size(); ++i)
      EXPECT_EQ(failureFrom<Error>(calls[i]).line, start + static_cast<int>(i)) << i;
  });
  auto behind = runtime_->compile([](const std::vector<EagerTensor> &, const std::same_as<EagerTensor> auto &...all) {
    return (all + ...);
  });
  EXPECT_EQ(valuesOf(behind(engine_, pair, x, x, x, x, x, x, x, x, x, x, x, y)), (Values{14, 26}));
  EXPECT_EQ(failureFrom<Error>([&] { behind(engine_, pair, x, x, x, x, x, x, x, x, x, x, x, empty); }).line, __LINE__);
}

TEST_P(CompiledTest, ErrorsOfAProgramNameTheLine) {
  int line = 0;
  auto f = runtime_->compile([&](EagerSession &s, const EagerTensor &a, const EagerTensor &b) {
    EagerTensor sum = s.add(a, b);
    line = __LINE__ + 1;
    return s.mul(sum, s.div(a, b));
  });
  auto integers = [&](std::vector<int64_t> values) { return runtime_->constant(Tensor::from<int64_t>({2}, values)); };
  EXPECT_EQ(f(engine_, integers({6, 8}), integers({2, 4})).toVector<int64_t>(), (std::vector<int64_t>{24, 24}));
  Failure failure = failureFrom<ValidationError>([&] { f(engine_, integers({6, 8}), integers({2, 0})); });
  EXPECT_EQ(failure.kind, ErrorKind::DivisionByZero);
  EXPECT_EQ(failure.op, "div");
  EXPECT_EQ(failure.line, line);
  EXPECT_NE(failure.file.find("CompiledTest"), std::string::npos);
}

TEST_P(CompiledTest, AFreeFunctionFollowsItsArguments) {
  auto f = compile([](EagerSession &s, const EagerTensor &x) { return s.add(x, 1); });
  auto other = EagerRuntime::create(options());
  EXPECT_EQ(valuesOf(f(engine_, constant({1}))), (Values{2}));
  EagerTensor result = f(engine_, other->constant(vector({5})));
  EXPECT_EQ(valuesOf(result), (Values{6}));
  EXPECT_EQ(result.runtime()->id(), other->id());
  EXPECT_EQ(f.stats().entries, 2u);
}

TEST_P(CompiledTest, ManyThreadsRecordOnce) {
  std::atomic<int> runs = 0;
  EagerTensor w = variable({0.5, -0.25, 2});
  auto f = runtime_->compile([&](EagerSession &s, const EagerTensor &x) {
    ++runs;
    return s.sum(s.mul(s.tanh(s.mul(x, w)), x));
  });
  EagerTensor x = constant({1, 2, 3});
  const double value = run([&](EagerSession &s) { return s.sum(s.mul(s.tanh(s.mul(x, w)), x)); }).item<double>();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      CpuEngine engine;
      for (int i = 0; i < 40; ++i) {
        EXPECT_EQ(f(engine, x).item<double>(), value);
        if ((i + t) % 3 == 0)
          EXPECT_EQ(f.valueAndGrad(engine, x).value.item<double>(), value);
        if ((i + t) % 5 == 0)
          f.jvp(engine, x, x);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(f.stats().misses, 1u);
}

TEST_P(CompiledTest, WhatCapturesAPlaceholderIsNotKept) {
  EagerTensor outer;
  auto inner = runtime_->compile([&](EagerSession &s, const EagerTensor &t) { return s.mul(t, outer); });
  auto f = runtime_->compile([&](EagerSession &s, const EagerTensor &x, const EagerTensor &t) {
    outer = x;
    return s.sum(inner(s, t));
  });
  EagerTensor t = constant({10});
  EXPECT_EQ(f(engine_, constant({1, 2}), t).item<double>(), 30);
  EXPECT_EQ(f(engine_, constant({1, 2, 3}), t).item<double>(), 60); // another recording of f, another placeholder
  EXPECT_EQ(inner.stats().entries, 0u);
  EXPECT_EQ(inner.stats().misses, 2u);
  outer = constant({7});
  EXPECT_EQ(valuesOf(inner(engine_, t)), (Values{70}));
}

TEST_P(CompiledTest, FunctionsThatCallEachOtherAreRefusedInEveryThread) {
  // Each thread records one of two functions when it meets the other, which the other thread is recording.
  std::function<EagerTensor(EagerSession &, const EagerTensor &)> callF, callG;
  std::atomic<int> inside{0};
  auto meet = [&] {
    for (++inside; inside < 2;)
      std::this_thread::yield();
  };
  auto f = runtime_->compile([&](EagerSession &s, const EagerTensor &x) { return meet(), callG(s, x); });
  auto g = runtime_->compile([&](EagerSession &s, const EagerTensor &x) { return meet(), callF(s, x); });
  callF = [&](EagerSession &s, const EagerTensor &x) { return f(s, x); };
  callG = [&](EagerSession &s, const EagerTensor &x) { return g(s, x); };
  EagerTensor x = constant({1, 2});
  auto attempt = [&](auto &function) {
    CpuEngine engine;
    Failure failure = failureFrom<RuntimeError>([&] { function(engine, x); });
    EXPECT_EQ(failure.kind, ErrorKind::RuntimeState);
  };
  std::thread other([&] { attempt(g); });
  attempt(f);
  other.join();
}

TEST_P(CompiledTest, NothingLivesLongerThanTheFunction) {
  EagerTensor x = variable({1, 2});
  {
    auto f = runtime_->compile([](EagerSession &s, const EagerTensor &v) { return s.sum(s.mul(v, 2.5)); });
    f.valueAndGrad(engine_, x);
    EXPECT_EQ(runtime_->recordCount(), 2u); // the variable, and the number in the recording
  }
  EXPECT_EQ(runtime_->recordCount(), 1u);
}

} // namespace tenferro::test
