// The explanations of a derivative: its program with the user's lines, what is kept, and why a look-up missed.
#include "test/unit/eager/TestSupport.h"

#include <algorithm>

namespace tenferro::test {

namespace {

class ExplainTest : public testing::Test {
protected:
  EagerTensor variable(const Values &values) { return runtime_->variable(vector(values)); }

  std::shared_ptr<EagerRuntime> runtime_ = EagerRuntime::create();
  CpuEngine engine_{{.threads = 1}};
  Scope scope_{runtime_, engine_};
};

std::string here(int line) { return "ExplainTest.cpp:" + std::to_string(line); }

TEST_F(ExplainTest, TheGradientIsAProgramWithTheUsersLines) {
  EagerTensor x = runtime_->variable(vector({1, 2, 3}));
  EagerTensor c = runtime_->constant(vector({10, 20, 30}));
  int line = __LINE__ + 1;
  EagerTensor e = exp(c * x);
  EagerTensor loss = sum(e * 2.0);
  std::string text = explainGradient(loss, x);
  expectInOrder(text, {"// the gradient of sum f64[], " + here(line + 1) + ": EagerTensor loss = sum(e * 2.0);",
                       "// result 0: the gradient by variable f64[3], " + here(line - 3), "func.func @gradient(",
                       "%c: tensor<3xf64>,", "// constant f64[3], " + here(line - 2), "%number: tensor<f64>,",
                       "// the number 2 as f64", "%kept_exp: tensor<3xf64>)", "// exp f64[3], kept from " + here(line),
                       "-> tensor<3xf64> {", "// " + here(line) + ": EagerTensor e = exp(c * x);", "// exp: cotangent",
                       "// mul: cotangent of operand 1", "return "});
  // exp itself is not computed again.
  EXPECT_EQ(text.find("tenferro.exp"), std::string::npos) << text;
  // Nothing was compiled, run or cached.
  EXPECT_EQ(runtime_->cacheStats().preparedDerivatives.misses, 0u);
  EXPECT_FALSE(x.grad());
}

TEST_F(ExplainTest, EveryVariableHasAResult) {
  EagerTensor x = variable({1, 2}), y = variable({3, 4});
  std::string text = explainGradient(sum(x * y));
  expectInOrder(text, {"// result 0: the gradient by variable f64[2]", "// result 1: the gradient by variable f64[2]",
                       "-> (tensor<2xf64>, tensor<2xf64>)"});
  // Of a result that is no scalar the cotangent is an argument.
  expectInOrder(explainGradient(x * y, x), {"%seed: tensor<2xf64>)", "// the cotangent of the result"});
}

TEST_F(ExplainTest, ErrorsAreTypedAndNameTheCall) {
  EagerTensor x = variable({1, 2}), y = variable({1, 2});
  EagerTensor loss = sum(x * x);
  int line = __LINE__ + 1;
  Failure failure = failureFrom<ValidationError>([&] { explainGradient(loss, y); });
  EXPECT_EQ(failure.kind, ErrorKind::InactiveGrad);
  EXPECT_EQ(failure.argument, "wrt");
  EXPECT_EQ(failure.line, line);
  EXPECT_EQ(failureFrom<ValidationError>([&] { explainGradient(EagerTensor()); }).kind, ErrorKind::InvalidArgument);
  auto other = EagerRuntime::create();
  EagerTensor foreign = other->variable(vector({1}));
  EXPECT_EQ(failureFrom<ContextMismatch>([&] { explainGradient(loss, foreign); }).ids.size(), 2u);
  // Refused where `grad` would refuse: the derivative hides the square.
  EagerTensor square = x * x;
  EagerTensor both = sum(runtime_->grad(engine_, sum(square * square), x) * square);
  EXPECT_EQ(failureFrom<UnsupportedAdRule>([&] { explainGradient(both, square); }).op, "explainGradient");
}

TEST_F(ExplainTest, ResidualsTellBytesUsersAndCost) {
  EagerTensor x = runtime_->variable(Tensor::full({4, 2}, 0.5));
  EagerTensor w = runtime_->variable(Tensor::full({2, 3}, 0.25));
  int line = __LINE__ + 1;
  EagerTensor hidden = tanh(matmul(x, w));
  EagerTensor loss = sum(hidden);
  std::string text = explainResiduals(loss);
  // tanh keeps its 12 operands and results, 8 bytes each. The product again: 2*4*2*3 flops, 8 + 6 elements read, 12
  // written.
  expectInOrder(text,
                {"kept for the gradient of sum f64[], " + here(line + 1), "2 values kept, 192 bytes",
                 "dot_general f64[4, 3], 96 bytes, " + here(line),
                 "to recompute  48 flops and 208 bytes of traffic (dot_general)",
                 "tanh f64[4, 3], 96 bytes, " + here(line) + ": EagerTensor hidden = tanh(matmul(x, w));", "needed by",
                 "tanh: ", "to recompute", "flops and 192 bytes of traffic (tanh)",
                 "read in place, at no cost:", "variable f64[4, 2]", "needed by", "dot_general: cotangent of operand"});
  std::string none = explainResiduals(sum(x * 3.0));
  expectInOrder(none, {"nothing is kept"});
}

TEST_F(ExplainTest, OperationsOnCoordinatesHaveACost) {
  EagerSession &s = currentSession();
  EagerTensor x = variable({1, 2, 3});
  EagerTensor index = runtime_->constant(Tensor::from<int64_t>({2}, {2, 0}));
  {
    auto capture = runtime_->capture(); // or nothing that no variable moves would be recorded
    EagerTensor loss = sum(matmul(x, s.oneHot(index, 3, 0)));
    // 2 indices and 6 elements of 8 bytes.
    expectInOrder(explainResiduals(loss),
                  {"one_hot f64[3, 2], 48 bytes", "to recompute  0 flops and 64 bytes of traffic (one_hot)"});
  }
  // Which update of an element stands is known by its number along the updates.
  EagerTensor updates = variable({4, 5});
  EagerTensor placed = s.scatterAlongAxis(x, index, updates, 0, ScatterUpdate::Set);
  expectInOrder(explainGradient(placed, updates), {"// scatter: cotangent", "tenferro.iota", "return "});
}

TEST_F(ExplainTest, ResultsOfFunctionsWithRulesAreNamed) {
  CustomFunction own = customVjp(
      "own", [](const EagerTensor &x) { return exp(x); },
      [](const EagerTensor &, const EagerTensor &y, const EagerTensor &ct) { return y * ct; });
  EagerTensor x = variable({1, 2});
  const int line = __LINE__ + 1;
  EagerTensor y = own(x);
  expectInOrder(explainResiduals(sum(y)), {"1 value kept, 16 bytes", "own f64[2], 16 bytes, " + here(line),
                                           "to recompute  a call of own"});
  // So are the terms of their rules: reverse by the vjp, forward by the jvp, here of the second input.
  EagerTensor scale = runtime_->variable(vector({3, 4}));
  CustomFunction gain = customJvp(
      "gain", [](const TensorList &in) { return TensorList{in[0] * in[1]}; },
      [](const TensorList &in, const TensorList &, const TensorList &t) {
        return TensorList{t[0] * in[1] + in[0] * t[1]};
      });
  CustomFunction backward = customVjp(
      "backward", [](const TensorList &in) { return TensorList{in[0] * in[1]}; },
      [](const TensorList &in, const TensorList &, const TensorList &ct) {
        return TensorList{ct[0] * in[1], ct[0] * in[0]};
      });
  expectInOrder(explainGradient(own(x), x), {"// own: cotangent of operand 0"});
  expectInOrder(explainGradient(backward({x, scale})[0], scale), {"// backward: cotangent of operand 1"});
  expectInOrder(explainGradient(gain({x, scale})[0], scale), {"// gain: cotangent"});
  expectInOrder(explainResiduals(sum(own(exp(x)) * x)), {"needed by     mul (own: cotangent of operand 0)"});
  CustomFunction odd = customVjp(
      "two\nlines", [](const EagerTensor &v) { return exp(v); },
      [](const EagerTensor &, const EagerTensor &y, const EagerTensor &ct) { return y * ct; });
  expectInOrder(explainGradient(odd(x), x), {"// two lines f64[2]", "// two lines: cotangent of operand 0"});
  const std::string gradient = explainGradient(own(x), x);
  EXPECT_EQ(gradient.find("custom_call: "), std::string::npos) << gradient;
  EagerTensor one = own(runtime_->variable(Tensor::scalar(1.)));
  const int last = __LINE__ - 1;
  expectInOrder(explainGradient(one), {"// the gradient of own f64[], " + here(last), "kept from " + here(last)});
}

TEST_F(ExplainTest, KernelsWhoseRulesCallKernelsAreCallsWithoutRules) {
  // Reversal is its own transpose, so its cotangent is a call of a family that has rules.
  ExtensionSpec spec{.family = "lab.reverse.v1",
                     .shape = [](const std::vector<TensorType> &in, const IntList &) { return in; },
                     .kernels = {{EngineKind::Cpu, [](ExtensionContext &, const std::vector<KernelInput> &in,
                                                      const std::vector<KernelOutput> &out) {
                                    std::reverse_copy(in[0].data<double>(), in[0].data<double>() + in[0].elementCount(),
                                                      out[0].data<double>());
                                  }}}};
  spec.transpose = [](const RuleContext &, const TensorList &ct) { return extension("lab.reverse.v1", ct); };
  runtime_->installExtension(ExtensionModule(spec));
  EagerTensor x = variable({1, 2, 3});
  EagerTensor loss = sum(extension("lab.reverse.v1", {x * x})[0]);
  std::string text = explainGradient(loss, x);
  expectInOrder(text, {"tenferro.custom_call \"lab.reverse.v1\"", "// lab.reverse.v1: cotangent", "// mul: cotangent"});
  EXPECT_EQ(text.find("@lab"), std::string::npos) << text; // no symbol that is not there
  expectInOrder(explainResiduals(loss), {"kept for the gradient of sum f64[]", "read in place, at no cost:"});
  // A function with rules that computes with the family is a call again in the derivative of its derivative.
  CustomFunction own = customVjp(
      "own", [](const EagerTensor &v) { return extension("lab.reverse.v1", {v})[0]; },
      [](const EagerTensor &v, const EagerTensor &y, const EagerTensor &ct) {
        return ct * v / y * extension("lab.reverse.v1", {v})[0];
      });
  EagerTensor first = runtime_->grad(engine_, sum(own(x)), x);
  text = explainGradient(sum(first * first), x);
  expectInOrder(text, {"tenferro.custom_call \"lab.reverse.v1\"", "return "});
  EXPECT_EQ(text.find('@', text.find("@gradient") + 1), std::string::npos) << text;
  expectInOrder(explainResiduals(sum(first * first)), {"kept for the gradient of sum f64[]"});
}

TEST_F(ExplainTest, DumpsNameTheUsersLines) {
  std::string trace;
  RuntimeOptions options;
  options.dump = [&](DumpStage stage, std::string_view text) {
    if (stage == DumpStage::Trace)
      trace = text;
  };
  auto runtime = EagerRuntime::create(options);
  Scope scope(runtime, engine_);
  EagerTensor x = runtime->variable(vector({1, 2}));
  int line = __LINE__ + 1;
  EagerTensor loss = sum(x * x);
  loss.backward(engine_);
  runtime->finishCompiles();
  EXPECT_NE(trace.find(here(line)), std::string::npos) << trace;
  EXPECT_EQ(trace.find("trace:0"), std::string::npos) << trace;
}

//===- The cache ------------------------------------------------------------------------------------------------===//

TEST_F(ExplainTest, AMissNamesTheNearestEntryAndWhatDiffers) {
  auto differentiate = [&](const EagerTensor &loss) { loss.backward(engine_); };
  EagerTensor x = variable({1, 2});
  differentiate(sum(x * x));
  differentiate(sum(exp(x)));
  auto difference = [&] {
    std::string text = runtime_->explainCache();
    EXPECT_EQ(text.substr(0, 5), "miss ");
    size_t start = text.find("first difference: ") + 18;
    return text.substr(start, text.find('\n', start) - start);
  };
  EagerTensor longer = variable({1, 2, 3});
  differentiate(sum(longer * longer));
  EXPECT_EQ(difference(), "shape of input 0: asked for f64[3], kept is f64[2]");
  EagerTensor narrow = runtime_->variable(Tensor::from({2}, {1.f, 2.f}));
  differentiate(sum(narrow * narrow));
  EXPECT_EQ(difference(), "dtype of input 0: asked for f32[2], kept is f64[2]");
  differentiate(sum(x + x));
  EXPECT_EQ(difference(), "operation 0: asked for add, kept is mul");
  EagerTensor y = variable({3, 4}), z = variable({5, 6});
  EagerTensor product = sum(y * z);
  differentiate(product);
  (void)runtime_->grad(engine_, product, y);
  EXPECT_EQ(difference(), "wrt set: asked for wrt (0), kept is wrt (0, 1)");
  EagerTensor square = runtime_->variable(Tensor::full({2, 2}, 1.0));
  differentiate(sum(sum(square, 0)));
  differentiate(sum(sum(square, 1)));
  EXPECT_EQ(difference(), "attribute axes of operation 0 (sum): asked for [1], kept is [0]");
  CacheStats stats = runtime_->cacheStats().preparedDerivatives;
  EXPECT_NE(runtime_->explainCache().find("prepared derivatives: " + std::to_string(stats.entries) +
                                          " of at most 128 entries"),
            std::string::npos);
  EXPECT_NE(runtime_->explainCache().find("ad transforms: "), std::string::npos);
}

TEST_F(ExplainTest, InputsAreCountedInTheirOwnProgram) {
  EagerTensor x = variable({1, 2}), c = runtime_->constant(vector({3, 4}));
  sum(x * x).backward(engine_);
  sum(x * c).backward(engine_);
  expectInOrder(runtime_->explainCache(),
                {"first difference: number of inputs, kept values among them: asked for 2, kept is 1\n"});
  // A function with rules has inputs of its own, before those of the program that calls it.
  runtime_->clearCaches();
  CustomFunction own = customVjp(
      "own", [](const EagerTensor &x) { return exp(x); },
      [](const EagerTensor &, const EagerTensor &y, const EagerTensor &ct) { return y * ct; });
  EagerTensor scale = runtime_->variable(Tensor::scalar(1.));
  sum(own(scale) * variable({1, 2})).backward(engine_);
  sum(own(scale) * variable({1, 2, 3})).backward(engine_);
  expectInOrder(runtime_->explainCache(), {"first difference: shape of input 1: asked for f64[3], kept is f64[2]\n"});
}

TEST_F(ExplainTest, AHitStillTellsTheLastMiss) {
  EagerTensor x = variable({1, 2}), longer = variable({1, 2, 3});
  sum(x * x).backward(engine_);
  sum(longer * longer).backward(engine_);
  sum(x * x).backward(engine_);
  std::string text = runtime_->explainCache();
  expectInOrder(
      text, {"hit ", "last miss ", "shape of input 0: asked for f64[3], kept is f64[2]", "1 hit, 2 misses", "found"});
}

TEST_F(ExplainTest, AMissOutlivesTheEntryItWasComparedWith) {
  RuntimeOptions options;
  options.policy = CompilePolicy::Never;
  options.preparedLimits.maxEntries = 1;
  auto runtime = EagerRuntime::create(options);
  Scope scope(runtime, engine_);
  EagerTensor x = runtime->variable(vector({1, 2})), longer = runtime->variable(vector({1, 2, 3}));
  sum(x * x).backward(engine_);
  sum(longer * longer).backward(engine_); // evicts the other
  expectInOrder(runtime->explainCache(), {"miss ", "shape of input 0: asked for f64[3], kept is f64[2]"});
}

} // namespace
} // namespace tenferro::test
