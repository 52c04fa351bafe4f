// The checkNumerics mode: the operation that made the first NaN or infinity, forward and backward, and its line.
#include "test/unit/eager/TestSupport.h"

#include <cmath>
#include <limits>

namespace tenferro::test {

namespace {

std::string fileName(const Failure &failure) { return failure.file.substr(failure.file.rfind('/') + 1); }

class NumericsTest : public EachPolicy {
protected:
  EagerTensor variable(const Values &values) { return runtime_->variable(vector(values)); }

  std::shared_ptr<EagerRuntime> runtime_ = EagerRuntime::create(options());
  CpuEngine engine_{{.threads = 1}};
  Scope scope_{runtime_, engine_};
};
TENFERRO_EACH_POLICY(NumericsTest);

TEST_P(NumericsTest, TheForwardNamesTheOperationAndItsLine) {
  EagerTensor x = variable({2, -1});
  NumericsGuard guard = checkNumerics();
  EagerTensor a = x * 1.0;
  int line = 0;
  Failure failure = failureFrom<NumericsError>([&] {
    line = __LINE__ + 1;
    EagerTensor b = log(a);
    (void)(b * b);
  });
  EXPECT_EQ(failure.kind, ErrorKind::NonFinite);
  EXPECT_EQ(failure.op, "log");
  EXPECT_EQ(fileName(failure), "NumericsTest.cpp");
  EXPECT_EQ(failure.line, line);
  EXPECT_EQ(failure.message, "expects finite results of finite values, but element [1] is nan, made of -1");
}

TEST_P(NumericsTest, ABackwardFindsWhatTheForwardMade) {
  // The chain a -> log(-1) -> b; the loss is NaN and the gradient is finite, so that only the forward is to blame.
  EagerTensor x = variable({2, -1});
  EagerTensor a = x * 1.0;
  int line = __LINE__ + 1;
  EagerTensor logarithm = log(a);
  EagerTensor loss = sum(logarithm + 1.0);
  loss.backward(engine_);
  EXPECT_EQ(valuesOf(x.grad()), (Values{0.5, -1}));
  NumericsGuard guard = checkNumerics();
  Failure failure = failureFrom<NumericsError>([&] { loss.backward(engine_); });
  EXPECT_EQ(failure.op, "log");
  EXPECT_EQ(failure.line, line);
  // Behind the operation that made it, nobody else is named, though their values are NaN too.
  Failure again = failureFrom<NumericsError>([&] { runtime_->grad(engine_, loss, x); });
  EXPECT_EQ(again.line, line);
}

TEST_P(NumericsTest, ABackwardNamesTheOperationWhoseDerivativeIsInfinite) {
  // d sqrt(x) / dx at 0 is infinite; the forward is finite all along.
  EagerTensor x = variable({0, 4});
  int line = __LINE__ + 1;
  EagerTensor root = sqrt(x);
  EagerTensor loss = sum(root * 3.0);
  loss.backward(engine_);
  EXPECT_EQ(valuesOf(x.grad()), (Values{std::numeric_limits<double>::infinity(), 0.75}));
  runtime_->clearGrads();
  NumericsGuard guard = checkNumerics();
  Failure failure = failureFrom<NumericsError>([&] { loss.backward(engine_); });
  EXPECT_EQ(failure.op, "sqrt");
  EXPECT_EQ(failure.line, line);
  EXPECT_NE(failure.message.find("expects a finite derivative at finite values, but 'sqrt: "), std::string::npos)
      << failure.message;
  EXPECT_NE(failure.message.find("made an infinity"), std::string::npos) << failure.message;
  EXPECT_FALSE(x.grad()); // nothing arrived in the slot
}

TEST_P(NumericsTest, ADerivativeOfAUsersFunctionIsNamedAsTheUserDoes) {
  // The rule divides by x - 1, which is 0 at the first element.
  CustomFunction pole = customVjp(
      "pole", [](const EagerTensor &x) { return x * 2.0; },
      [](const EagerTensor &x, const EagerTensor &, const EagerTensor &ct) { return ct / (x - 1.0); });
  EagerTensor x = variable({1, 2});
  int line = __LINE__ + 1;
  EagerTensor loss = sum(pole(x));
  NumericsGuard guard = checkNumerics();
  Failure failure = failureFrom<NumericsError>([&] { loss.backward(engine_); });
  EXPECT_EQ(failure.line, line);
  EXPECT_NE(failure.message.find("'pole: cotangent of operand 0' made an infinity"), std::string::npos)
      << failure.message;
}

TEST_P(NumericsTest, AnInfiniteSlopeThatNobodySeesIsNoFault) {
  // The untaken branch's slope is infinite, and a strong zero removes it again.
  EagerTensor x = variable({0, 4});
  EagerTensor safe = where(currentSession().compare(Comparison::Gt, x, 0.0), sqrt(x), 0.0);
  EagerTensor loss = sum(safe);
  NumericsGuard guard = checkNumerics();
  loss.backward(engine_);
  EXPECT_EQ(valuesOf(x.grad()), (Values{0, 0.25}));
}

TEST_P(NumericsTest, WhatTheUserBringsIsNoFault) {
  double inf = std::numeric_limits<double>::infinity();
  NumericsGuard guard = checkNumerics();
  EagerTensor x = variable({1, 2}), mask = runtime_->constant(vector({0, -inf}));
  EagerTensor loss = sum(exp(x + mask));
  EXPECT_DOUBLE_EQ(loss.item<double>(), std::exp(1.0));
  loss.backward(engine_);
  EXPECT_DOUBLE_EQ(valuesOf(x.grad())[0], std::exp(1.0));
  EXPECT_EQ(valuesOf(x.grad())[1], 0);
}

TEST_P(NumericsTest, TheGradientKeepsItsBitsAndNothingIsCheckedAfterwards) {
  EagerTensor x = variable({0.3, -1.7, 2.5});
  EagerTensor loss = sum(exp(x) * tanh(x));
  Values checked, free;
  {
    NumericsGuard guard = checkNumerics();
    loss.backward(engine_);
    checked = valuesOf(x.grad());
  }
  runtime_->clearGrads();
  loss.backward(engine_);
  free = valuesOf(x.grad());
  EXPECT_EQ(checked, free);
  EXPECT_TRUE(std::isnan(log(x).toVector<double>()[1]));
}

TEST_P(NumericsTest, ASecondDerivativeNamesThePrimalOperation) {
  // The first derivative of x^1.5 at 0 is 0, the second is infinite.
  EagerTensor x = variable({0});
  int line = __LINE__ + 1;
  EagerTensor y = sum(pow(x, 1.5));
  EagerTensor dx = runtime_->grad(engine_, y, x);
  EXPECT_EQ(valuesOf(dx), Values{0});
  NumericsGuard guard = checkNumerics();
  Failure failure = failureFrom<NumericsError>([&] { sum(dx).backward(engine_); });
  EXPECT_EQ(failure.op, "grad"); // the operation of the recording is the derivative that was taken
  EXPECT_EQ(fileName(failure), "NumericsTest.cpp");
  EXPECT_EQ(failure.line, line + 1);
}

TEST_P(NumericsTest, ACompiledDerivativeNamesTheOperationAndItsLine) {
  // Recorded first, and last in the walk of the derivative.
  int line = 0;
  auto f = runtime_->compile([&](const EagerTensor &x) {
    line = __LINE__ + 1;
    EagerTensor root = sqrt(x);
    EagerTensor other = sin(exp(x * 2.0));
    return sum(other * root);
  });
  EagerTensor x = variable({0, 1});
  NumericsGuard guard = checkNumerics();
  for (int mode = 0; mode < 3; ++mode) {
    Failure failure = failureFrom<NumericsError>([&] {
      if (mode == 0)
        f.valueAndGrad(x);
      else if (mode == 1)
        f.vjp(x, runtime_->constant(Tensor::full({}, 1.0)));
      else
        f.jvp(x, runtime_->constant(vector({1, 1})));
    });
    EXPECT_EQ(failure.op, "sqrt");
    EXPECT_EQ(failure.line, line);
  }
}

TEST_P(NumericsTest, FunctionsWithRulesAndFamiliesAreNamed) {
  auto halved = customVjp(
      "halved", [](const EagerTensor &x) { return x * 0.5; },
      [](const EagerTensor &x, const EagerTensor &, const EagerTensor &ct) { return ct / x; });
  ExtensionSpec spec;
  spec.family = "lab.poles.v1";
  spec.shape = [](const std::vector<TensorType> &inputs, const IntList &) { return inputs; };
  spec.kernels = {{EngineKind::Cpu, [](ExtensionContext &, const std::vector<KernelInput> &in,
                                       const std::vector<KernelOutput> &out) {
                     for (int64_t i = 0; i < in[0].elementCount(); ++i)
                       out[0].data<double>()[i] = 1 / in[0].data<double>()[i];
                   }}};
  runtime_->installExtension(ExtensionModule(spec));
  EagerTensor x = variable({0, 1});
  EagerTensor loss = sum(halved(x));
  NumericsGuard guard = checkNumerics();
  EXPECT_EQ(failureFrom<NumericsError>([&] { loss.backward(engine_); }).op, "halved");
  auto compiled = runtime_->compile([&](const EagerTensor &v) { return sum(exp(v) * halved(v)); });
  EXPECT_EQ(failureFrom<NumericsError>([&] { compiled.valueAndGrad(x); }).op, "halved");
  int line = __LINE__ + 1;
  Failure failure = failureFrom<NumericsError>([&] { extension("lab.poles.v1", {x}); });
  EXPECT_EQ(failure.op, "lab.poles.v1");
  EXPECT_EQ(failure.line, line);
  EXPECT_EQ(failure.message, "expects finite results of finite values, but element [0] is an infinity");
  auto poles = runtime_->compile([&](const EagerTensor &v) {
    line = __LINE__ + 1;
    return sum(exp(v) * extension("lab.poles.v1", {v})[0]);
  });
  failure = failureFrom<NumericsError>([&] { poles(x); });
  EXPECT_EQ(failure.op, "lab.poles.v1");
  EXPECT_EQ(failure.line, line);
}

} // namespace
} // namespace tenferro::test
