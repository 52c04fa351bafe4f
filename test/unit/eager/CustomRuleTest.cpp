// Functions with derivative rules of their own: who answers, orders, nesting, captures, and what is an error.
#include "test/unit/eager/TestSupport.h"

#include <limits>
#include <optional>
#include <stdexcept>

namespace tenferro::test {

namespace {

EagerTensor cubed(const EagerTensor &x) { return x * x * x; }

/// x^3 whose reverse rule is right.
CustomFunction cubeByVjp() {
  return customVjp("cube", cubed,
                   [](const EagerTensor &x, const EagerTensor &, const EagerTensor &ct) { return 3.0 * x * x * ct; });
}
/// x^3 whose forward rule is right.
CustomFunction cubeByJvp() {
  return customJvp("cube", cubed,
                   [](const EagerTensor &x, const EagerTensor &, const EagerTensor &t) { return 3.0 * x * x * t; });
}

} // namespace

class CustomRuleTest : public EachPolicy {
protected:
  EagerTensor variable(double value) { return runtime_->variable(Tensor::scalar(value)); }
  EagerTensor grad(const EagerTensor &y, const EagerTensor &x) { return runtime_->grad(engine_, y, x); }
  EagerTensor jvp(const EagerTensor &y, const EagerTensor &x) {
    return runtime_->jvp(engine_, y, x, runtime_->constant(Tensor::scalar(1.0)));
  }

  std::shared_ptr<EagerRuntime> runtime_ = EagerRuntime::create(options());
  CpuEngine engine_;
  Scope scope_{runtime_, engine_};
};

TEST_P(CustomRuleTest, ReverseRuleToEveryOrder) {
  EagerTensor x = variable(2);
  EagerTensor y = cubeByVjp()(x);
  EXPECT_EQ(y.item<double>(), 8);
  EagerTensor first = grad(y, x);
  EXPECT_EQ(first.item<double>(), 12);
  EagerTensor second = grad(first, x);
  EXPECT_EQ(second.item<double>(), 12);
  EXPECT_EQ(grad(second, x).item<double>(), 6);
  EXPECT_EQ(jvp(first, x).item<double>(), 12); // forward over reverse needs no forward rule
  y.backward(engine_);
  EXPECT_EQ(x.grad()->item<double>(), 12);
}

TEST_P(CustomRuleTest, ForwardRuleInEveryMixOfModes) {
  EagerTensor x = variable(2);
  EagerTensor y = cubeByJvp()(x);
  EagerTensor forward = jvp(y, x), reverse = grad(y, x);
  EXPECT_EQ(forward.item<double>(), 12);
  EXPECT_EQ(reverse.item<double>(), 12);
  for (const EagerTensor &first : {forward, reverse}) {
    EXPECT_EQ(jvp(first, x).item<double>(), 12);
    EagerTensor second = grad(first, x);
    EXPECT_EQ(second.item<double>(), 12);
    EXPECT_EQ(grad(second, x).item<double>(), 6);
  }
}

TEST_P(CustomRuleTest, AForwardRuleByOneOfItsInputs) {
  // d(x w + z) by each of three alone, with the rule's first and second terms scaled by 10 and 100.
  auto f = customJvp(
      "f", [](const TensorList &in) { return TensorList{in[0] * in[1] + in[2]}; },
      [](const TensorList &in, const TensorList &, const TensorList &t) {
        return TensorList{10.0 * (t[0] * in[1]) + (-t[1]) * (-100.0 * in[0]) + t[2]};
      });
  EagerTensor x = variable(2), w = variable(3), z = variable(5);
  EagerTensor y = f({x, w, z})[0];
  const double expected[] = {30, 200, 1};
  for (int i = 0; const EagerTensor &by : {x, w, z}) {
    EXPECT_EQ(grad(y, by).item<double>(), expected[i]);
    EXPECT_EQ(jvp(y, by).item<double>(), expected[i++]);
  }
  EXPECT_EQ(grad(grad(y, x), w).item<double>(), 10);
  EXPECT_EQ(grad(grad(y, w), x).item<double>(), 100);
  // An infinite factor of an absent tangent makes no NaN.
  EagerTensor far = variable(std::numeric_limits<double>::infinity());
  EXPECT_EQ(grad(f({x, far, z})[0], z).item<double>(), 1);
  EXPECT_EQ(jvp(f({x, far, z})[0], z).item<double>(), 1);
}

TEST_P(CustomRuleTest, TheRuleAnswersAndNotTheFunction) {
  EagerTensor x = variable(2);
  auto five = [](const EagerTensor &, const EagerTensor &, const EagerTensor &d) { return 5.0 * d; };
  EXPECT_EQ(grad(customVjp("five", cubed, five)(x), x).item<double>(), 5);
  EXPECT_EQ(jvp(customJvp("five", cubed, five)(x), x).item<double>(), 5);
  EXPECT_EQ(grad(customJvp("five", cubed, five)(x), x).item<double>(), 5);
  EagerTensor line = customLinear(
      "line", [](const EagerTensor &v) { return 3.0 * v; }, [](const EagerTensor &ct) { return 5.0 * ct; })(x);
  EXPECT_EQ(line.item<double>(), 6);
  EXPECT_EQ(grad(line, x).item<double>(), 5); // the transpose
  EXPECT_EQ(jvp(line, x).item<double>(), 3);  // the function
}

TEST_P(CustomRuleTest, AsTheSameFunctionInPlainOperations) {
  // log(1 + e^x) at 0.5: derivatives s, s (1 - s), s (1 - s) (1 - 2 s) of s = sigmoid(0.5).
  const double first = 0.6224593312018546, second = 0.2350037122015945, third = -0.05755679485232076;
  auto softplus = customVjp(
      "softplus", [](const EagerTensor &x) { return log1p(exp(x)); },
      [](const EagerTensor &x, const EagerTensor &, const EagerTensor &ct) { return sigmoid(x) * ct; });
  EagerTensor x = variable(0.5);
  for (const EagerTensor &y : {softplus(x), log1p(exp(x))}) {
    EagerTensor d = grad(y, x);
    EXPECT_NEAR(d.item<double>(), first, 1e-15);
    EagerTensor dd = grad(d, x);
    EXPECT_NEAR(dd.item<double>(), second, 1e-15);
    EXPECT_NEAR(grad(dd, x).item<double>(), third, 1e-15);
    EXPECT_NEAR(jvp(dd, x).item<double>(), third, 1e-15);
  }
}

TEST_P(CustomRuleTest, InsideAGradientOfAGradient) {
  // With f = x^3: the sum of squares of f' is 9 sum x^4, and its gradient 36 x^3.
  EagerTensor x = runtime_->variable(vector({1, 2, -3}));
  EagerTensor g = grad(sum(cubeByVjp()(x)), x);
  EXPECT_EQ(valuesOf(g), (Values{3, 12, 27}));
  sum(g * g).backward(engine_);
  EXPECT_EQ(valuesOf(x.grad()), (Values{36, 288, -972}));
}

TEST_P(CustomRuleTest, SeveralInputsAndResults) {
  // (x w, x + k) with the rule of the first scaled by 10, so that both cotangents and both gradients are seen.
  auto pair = customVjp(
      "pair", [](const TensorList &in) { return TensorList{in[0] * in[1], in[2], in[0] + in[1]}; },
      [](const TensorList &in, const TensorList &out, const TensorList &ct) {
        EXPECT_EQ(in.size(), 3u);
        EXPECT_EQ(out.size(), 3u);
        EXPECT_EQ(ct.size(), 2u); // the integer result has none
        return TensorList{10.0 * ct[0] * in[1] + ct[1], 10.0 * ct[0] * in[0] + ct[1]};
      });
  EagerTensor x = runtime_->variable(vector({1, 2})), w = runtime_->variable(vector({3, 5}));
  EagerTensor n = runtime_->constant(Tensor::from<int64_t>({2}, {7, 8}));
  TensorList y = pair({x, w, n});
  ASSERT_EQ(y.size(), 3u);
  EXPECT_EQ(valuesOf(y[0]), (Values{3, 10}));
  EXPECT_EQ(y[1].toVector<int64_t>(), (std::vector<int64_t>{7, 8}));
  EXPECT_EQ(valuesOf(y[2]), (Values{4, 7}));
  sum(y[0] + 100.0 * y[2]).backward(engine_);
  EXPECT_EQ(valuesOf(x.grad()), (Values{130, 150}));
  EXPECT_EQ(valuesOf(w.grad()), (Values{110, 120}));
  // One result alone: the cotangent of the other is zero.
  EXPECT_EQ(valuesOf(grad(sum(y[2]), w)), (Values{1, 1}));
}

TEST_P(CustomRuleTest, CapturedTensors) {
  EagerTensor x = variable(2), scale = runtime_->constant(Tensor::scalar(7.0)), w = variable(3);
  auto scaled = customJvp(
      "scaled", [&](const EagerTensor &v) { return v * scale; },
      [&](const EagerTensor &, const EagerTensor &, const EagerTensor &t) { return t * scale; });
  EXPECT_EQ(grad(scaled(x), x).item<double>(), 7);
  // What a rule alone captured is followed by the next order: d/dw of (w 2 x) at x = 2.
  auto byRule = customVjp(
      "by rule", [](const EagerTensor &v) { return v * v; },
      [&](const EagerTensor &v, const EagerTensor &, const EagerTensor &ct) { return 2.0 * w * v * ct; });
  EagerTensor g = grad(byRule(x), x);
  EXPECT_EQ(g.item<double>(), 12);
  EXPECT_EQ(grad(g, w).item<double>(), 4);
  EXPECT_FALSE(runtime_->gradOptional(engine_, byRule(x), w).has_value());
  // What the function captured is not an input: no silent zero.
  auto hidden = customVjp(
      "hidden", [&](const EagerTensor &v) { return v * w; },
      [](const EagerTensor &, const EagerTensor &, const EagerTensor &ct) { return ct; });
  Failure failure = failureFrom<UnsupportedAdRule>([&] { hidden(x).backward(engine_); });
  EXPECT_EQ(failure.op, "hidden");
  EXPECT_NE(failure.message.find("captured value 0 at order 1"), std::string::npos) << failure.message;
  failureFrom<UnsupportedAdRule>([&] { grad(hidden(runtime_->constant(Tensor::scalar(1.0))), w); });
}

TEST_P(CustomRuleTest, NestedInBodyAndRule) {
  CustomFunction inner = cubeByVjp();
  // x^3 * x^3 with the rule 2 y' y, written with the inner function again.
  auto outer = customVjp(
      "sixth", [&](const EagerTensor &x) { return inner(x) * inner(x); },
      [&](const EagerTensor &x, const EagerTensor &, const EagerTensor &ct) {
        return 2.0 * inner(x) * 3.0 * x * x * ct;
      });
  EagerTensor x = variable(2);
  EagerTensor y = outer(x);
  EXPECT_EQ(y.item<double>(), 64);
  EagerTensor first = grad(y, x); // 6 x^5
  EXPECT_EQ(first.item<double>(), 192);
  EagerTensor second = grad(first, x); // 30 x^4
  EXPECT_EQ(second.item<double>(), 480);
  EXPECT_EQ(grad(second, x).item<double>(), 960);
}

TEST_P(CustomRuleTest, AFunctionMayDifferentiateInside) {
  // The rule asks for the derivative of the function itself.
  auto sine = customVjp(
      "square", [](const EagerTensor &x) { return x * x; },
      [&](const EagerTensor &x, const EagerTensor &, const EagerTensor &ct) {
        return runtime_->grad(engine_, x * x, x) * ct;
      });
  EagerTensor x = variable(3);
  EagerTensor first = grad(sine(x), x);
  EXPECT_EQ(first.item<double>(), 6);
  EXPECT_EQ(grad(first, x).item<double>(), 2);
}

TEST_P(CustomRuleTest, ZerosOfARuleAreLinear) {
  auto ramp = customJvp(
      "ramp", [](const EagerTensor &x) { return maximum(x, 0.0); },
      [](const EagerTensor &x, const EagerTensor &, const EagerTensor &t) {
        return where(currentSession().compare(Comparison::Gt, x, 0.0), t, 0.0);
      });
  EagerTensor x = runtime_->variable(vector({-1, 0, 2}));
  EXPECT_EQ(valuesOf(grad(sum(ramp(x)), x)), (Values{0, 0, 1}));
}

TEST_P(CustomRuleTest, RulesRunOnlyWhereTheCallIsRecorded) {
  int runs = 0;
  auto counted = customVjp("counted", cubed, [&](const EagerTensor &x, const EagerTensor &, const EagerTensor &ct) {
    ++runs;
    return 3.0 * x * x * ct;
  });
  counted(runtime_->constant(Tensor::scalar(2.0)));
  EagerTensor x = variable(2);
  {
    NoGradGuard guard;
    EXPECT_FALSE(counted(x).tracksGrad());
  }
  EXPECT_EQ(runs, 0);
  EagerTensor y = counted(x);
  EXPECT_EQ(runs, 1);
  grad(y, x);
  grad(y, x);
  EXPECT_EQ(runs, 1);
}

TEST_P(CustomRuleTest, SameStructureIsOneEntry) {
  CustomFunction cube = cubeByVjp();
  for (double value : {1.0, 2.0, 3.0}) {
    EagerTensor x = variable(value);
    cube(x).backward(engine_);
    EXPECT_EQ(x.grad()->item<double>(), 3 * value * value);
  }
  CacheStats stats = runtime_->cacheStats().preparedDerivatives;
  EXPECT_EQ(stats.misses, 1u);
  EXPECT_EQ(stats.hits, 2u);
  // Numbers of a rule are data; another rule is another program.
  for (double slope : {4.0, 5.0}) {
    EagerTensor x = variable(2);
    customVjp("cube", cubed,
              [slope](const EagerTensor &, const EagerTensor &, const EagerTensor &ct) { return slope * ct; })(x)
        .backward(engine_);
    EXPECT_EQ(x.grad()->item<double>(), slope);
  }
  stats = runtime_->cacheStats().preparedDerivatives;
  EXPECT_EQ(stats.misses, 2u);
  EXPECT_EQ(stats.hits, 3u);
}

TEST_P(CustomRuleTest, InACompiledFunction) {
  CustomFunction cube = cubeByJvp();
  auto compiled = runtime_->compile([&](const EagerTensor &x) { return sum(cube(x)); });
  EagerTensor x = runtime_->variable(vector({1, 2}));
  EXPECT_EQ(compiled(x).item<double>(), 9);
  EXPECT_EQ(valuesOf(compiled.valueAndGrad(x).derivative), (Values{3, 12}));
  EXPECT_EQ(valuesOf(grad(compiled(x), x)), (Values{3, 12}));
}

TEST_P(CustomRuleTest, WrongResultsNameFunctionAndRule) {
  EagerTensor x = runtime_->variable(vector({1, 2}));
  auto rule = [&](const CustomRule &vjp) {
    return [=] { customVjp("bad", [](const TensorList &in) { return in; }, vjp)({x}); };
  };
  using List = TensorList;
  Failure count =
      failureFrom<ValidationError>(rule([](const List &, const List &, const List &ct) { return List{ct[0], ct[0]}; }));
  EXPECT_EQ(count.op, "bad");
  EXPECT_EQ(count.argument, "vjp");
  EXPECT_EQ(count.message, "expects the vjp rule to return 1 tensors, but got 2");
  EXPECT_NE(count.file.find("CustomRuleTest"), std::string::npos) << count.file;
  Failure shape =
      failureFrom<ValidationError>(rule([](const List &, const List &, const List &ct) { return List{sum(ct[0])}; }));
  EXPECT_EQ(shape.kind, ErrorKind::ShapeMismatch);
  EXPECT_EQ(shape.message, "expects result 0 of the vjp rule of shape [2], but got []");
  Failure dtype = failureFrom<ValidationError>(
      rule([](const List &, const List &, const List &ct) { return List{currentSession().cast(ct[0], DType::F32)}; }));
  EXPECT_EQ(dtype.kind, ErrorKind::DTypeMismatch);
  EXPECT_EQ(dtype.message, "expects result 0 of the vjp rule of f64, but got f32");
  failureFrom<ValidationError>([&] {
    customVjp(
        "none", [](const List &) { return List{}; },
        [](const List &, const List &, const List &) { return List{}; })({x});
  });
  failureFrom<ValidationError>([&] {
    customVjp("", cubed, [](const EagerTensor &, const EagerTensor &, const EagerTensor &ct) { return ct; });
  });
  failureFrom<ValidationError>([&] { cubeByVjp()({x, x}); });
}

TEST_P(CustomRuleTest, MissingAndNonlinearRules) {
  EagerTensor x = variable(2);
  Failure missing = failureFrom<UnsupportedAdRule>([&] { jvp(cubeByVjp()(x), x); });
  EXPECT_EQ(missing.op, "cube");
  EXPECT_NE(missing.message.find("role jvp at order 1"), std::string::npos) << missing.message;
  auto square = customJvp(
      "square", [](const EagerTensor &v) { return v * v; },
      [](const EagerTensor &, const EagerTensor &, const EagerTensor &t) { return t * t; });
  for (bool forward : {true, false}) {
    EagerTensor first = x * x;
    const int line = __LINE__ + 1;
    EagerTensor y = square(first);
    Failure nonlinear = failureFrom<ValidationError>([&] { forward ? jvp(y, x) : grad(y, x); });
    EXPECT_EQ(nonlinear.line, line);
    EXPECT_EQ(nonlinear.op, "square");
    EXPECT_NE(nonlinear.message.find("expects a jvp rule that is linear in its tangents"), std::string::npos)
        << nonlinear.message;
  }
}

TEST_P(CustomRuleTest, ARuleThatCallsItsOwnFunctionIsAnError) {
  // The exponential function is its own derivative, but the rule has to take the result it is given.
  std::optional<CustomFunction> own;
  own = customVjp(
      "own", [](const EagerTensor &x) { return exp(x); },
      [&](const EagerTensor &x, const EagerTensor &, const EagerTensor &ct) { return (*own)(x) * (*own)(ct); });
  EagerTensor x = variable(0);
  Failure failure = failureFrom<RuntimeError>([&] { (*own)(x); });
  EXPECT_EQ(failure.kind, ErrorKind::Unsupported);
  EXPECT_EQ(failure.op, "own");
  EXPECT_NE(failure.message.find("a rule may not call its own function"), std::string::npos) << failure.message;
  EXPECT_GT(failure.line, 0);
  // Without a derivative to record no rule is read; a chain of functions may be long, and nothing is left behind.
  EXPECT_EQ((*own)(x.detach()).item<double>(), 1);
  std::vector<CustomFunction> chain;
  for (int i = 0; i < 64; ++i)
    chain.push_back(customVjp(
        "link", [](const EagerTensor &x) { return 2 * x; },
        [i, &chain](const EagerTensor &x, const EagerTensor &, const EagerTensor &ct) {
          return ct * (i ? chain[static_cast<size_t>(i) - 1](x) : 2 * x); // not its derivative, so that it can be told apart
        }));
  EagerTensor y = variable(3);
  for (int again = 0; again < 2; ++again)
    EXPECT_EQ(grad(chain.back()(y), y).item<double>(), 6);
}

TEST_P(CustomRuleTest, ExceptionsPassThroughUnchanged) {
  struct Mine : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  EagerTensor x = variable(2);
  auto body = customVjp(
      "throws", [](const EagerTensor &) -> EagerTensor { throw Mine("body"); },
      [](const EagerTensor &, const EagerTensor &, const EagerTensor &ct) { return ct; });
  auto rule =
      customVjp("throws", cubed, [](const EagerTensor &, const EagerTensor &, const EagerTensor &) -> EagerTensor {
        throw Mine("rule");
      });
  for (const CustomFunction &function : {body, rule})
    EXPECT_THROW(function(x), Mine);
  // Nothing of it stays: the session works as before.
  EXPECT_EQ(grad(cubeByVjp()(x), x).item<double>(), 12);
  // Asking a placeholder for its value is an error of ours.
  auto asks = customVjp("asks", cubed, [](const EagerTensor &v, const EagerTensor &, const EagerTensor &ct) {
    return v.item<double>() * ct;
  });
  EXPECT_THROW(asks(x), Error);
}

INSTANTIATE_TEST_SUITE_P(Policies, CustomRuleTest,
                         testing::Values(CompilePolicy::Background, CompilePolicy::Immediate, CompilePolicy::Never));

} // namespace tenferro::test
