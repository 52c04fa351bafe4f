// Errors arrive typed, with their facts, and leave the runtime usable.
#include "test/unit/eager/TestSupport.h"

namespace tenferro::test {

TEST(ErrorTest, BackwardOfAVectorCarriesTheShape) {
  Example e;
  e.forward();
  try {
    e.h.backward(e.engine);
    FAIL() << "no exception";
  } catch (const NonScalarGrad &error) {
    EXPECT_EQ(error.shape(), Shape({3}));
    EXPECT_EQ(error.op(), "backward");
    EXPECT_EQ(error.phase(), Phase::GraphBuild);
  }
  EXPECT_THROW(e.runtime->grad(e.engine, e.h, e.x), NonScalarGrad);
}

TEST(ErrorTest, GradByAConstantIsInactive) {
  Example e;
  e.forward();
  Failure failure = failureFrom<ValidationError>([&] { e.runtime->grad(e.engine, e.loss, e.c); });
  EXPECT_EQ(failure.kind, ErrorKind::InactiveGrad);
  EXPECT_EQ(failure.op, "grad");
  EXPECT_EQ(failure.argument, "wrt");
  EXPECT_EQ(failure.phase, Phase::GraphBuild);
  EXPECT_NE(failure.message.find("the gradient is inactive for the constant f64[3] of TestSupport."), std::string::npos)
      << failure.message;
  EXPECT_NE(failure.message.find("gradOptional"), std::string::npos) << failure.message;
  EXPECT_FALSE(e.runtime->gradOptional(e.engine, e.loss, e.c));
  // Integers: a variable of them has no derivative, whatever the loss reads.
  EagerTensor count = e.runtime->variable(Tensor::from({2}, {int64_t(1), int64_t(2)}));
  failure = failureFrom<ValidationError>([&] { e.runtime->grad(e.engine, e.loss, count); });
  EXPECT_NE(failure.message.find("the variable i64[2] of ErrorTest.cpp:"), std::string::npos) << failure.message;
  EXPECT_NE(failure.message.find("i64 carries no derivative"), std::string::npos) << failure.message;
  failure = failureFrom<ValidationError>([&] { count.backwardWith(e.engine, count.value()); });
  EXPECT_NE(failure.message.find("integers and bools carry no derivative"), std::string::npos) << failure.message;
  // A variable the loss does not depend on.
  EagerTensor other = e.runtime->variable(vector({1}));
  EXPECT_FALSE(e.runtime->gradOptional(e.engine, e.loss, other));
  EXPECT_THROW(e.runtime->grad(e.engine, e.loss, other), ValidationError);
  EagerTensor one = e.runtime->constant(vector({1}));
  EXPECT_FALSE(e.runtime->jvpOptional(e.engine, e.loss, other, one));
  failure = failureFrom<ValidationError>([&] { e.runtime->jvp(e.engine, e.loss, other, one); });
  EXPECT_NE(failure.message.find("jvpOptional"), std::string::npos) << failure.message;
}

TEST(ErrorTest, TwoRuntimesAreAContextMismatch) {
  Example e, other;
  e.forward();
  const std::vector<uint64_t> both = {e.runtime->id(), other.runtime->id()};
  EXPECT_NE(both[0], both[1]);
  auto mixed = [&] { e.runtime->session(e.engine, [&](EagerSession &s) { s.mul(e.x, other.x); }); };
  EXPECT_EQ(failureFrom<ContextMismatch>(mixed).ids, both);
  EXPECT_EQ(failureFrom<ContextMismatch>([&] { e.runtime->grad(e.engine, e.loss, other.x); }).ids, both);
  EXPECT_EQ(failureFrom<ContextMismatch>([&] { other.runtime->grad(e.engine, e.loss, other.x); }).ids,
            (std::vector<uint64_t>{both[1], both[0]}));
  EXPECT_EQ(failureFrom<ContextMismatch>([&] { e.runtime->vjp(e.engine, e.h, e.x, other.c); }).ids, both);
  EXPECT_EQ(failureFrom<ContextMismatch>([&] { e.x.assign(other.c); }).ids, both);
}

TEST(ErrorTest, ADerivativeByWhatACallHidesIsRefused) {
  // dx = 2*c*x also depends on h = c*x; a second derivative by h would have to reach into the first.
  Example e;
  e.forward();
  EagerTensor dx = e.runtime->grad(e.engine, e.loss, e.x);
  EagerTensor total = e.runtime->session(e.engine, [&](EagerSession &s) { return s.sum(s.mul(dx, e.h)); });
  EXPECT_THROW(e.runtime->gradOptional(e.engine, total, e.h), UnsupportedAdRule);
  // By h itself both times: d/dh sum(h*x) = x, whose derivative by h is structurally zero.
  EagerTensor dh = e.runtime->grad(e.engine, e.loss, e.h);
  EagerTensor sum = e.runtime->session(e.engine, [&](EagerSession &s) { return s.sum(dh); });
  EXPECT_FALSE(e.runtime->gradOptional(e.engine, sum, e.h));
  // By x: sum(2*c*x * c*x) = sum(2*c*c*x*x).
  EXPECT_EQ(valuesOf(e.runtime->grad(e.engine, total, e.x)), (Values{400, 3200, 10800}));
}

TEST(ErrorTest, SeedsHaveTheOutputsType) {
  Example e;
  e.forward();
  Failure failure = failureFrom<ValidationError>([&] { e.h.backwardWith(e.engine, vector({1, 2})); });
  EXPECT_EQ(failure.kind, ErrorKind::ShapeMismatch);
  EXPECT_EQ(failure.argument, "seed");
  failure = failureFrom<ValidationError>([&] { e.h.backwardWith(e.engine, Tensor::from({3}, {1.f, 2.f, 3.f})); });
  EXPECT_EQ(failure.kind, ErrorKind::DTypeMismatch);
  failure = failureFrom<ValidationError>([&] { e.h.backwardWith(e.engine, Tensor()); });
  EXPECT_EQ(failure.kind, ErrorKind::InvalidArgument);
  EagerTensor two = e.runtime->constant(vector({1, 2}));
  EXPECT_EQ(failureFrom<ValidationError>([&] { e.runtime->vjp(e.engine, e.h, e.x, two); }).argument, "cotangent");
  EXPECT_EQ(failureFrom<ValidationError>([&] { e.runtime->jvp(e.engine, e.h, e.x, two); }).argument, "tangent");
  EXPECT_FALSE(e.x.grad());
}

TEST(ErrorTest, BackwardWithoutAVariable) {
  Example e;
  EagerTensor y = e.runtime->session(e.engine, [&](EagerSession &s) { return s.sum(e.c); });
  Failure failure = failureFrom<ValidationError>([&] { y.backward(e.engine); });
  EXPECT_EQ(failure.op, "backward");
  EXPECT_EQ(failure.kind, ErrorKind::InactiveGrad);
}

TEST(ErrorTest, IntegerVariablesAreInactiveLeaves) {
  auto runtime = EagerRuntime::create();
  CpuEngine engine;
  EagerTensor n = runtime->variable(Tensor::scalar<int64_t>(4));
  EXPECT_FALSE(n.tracksGrad());
  EXPECT_EQ(runtime->slotCount(), 0u);
  EXPECT_EQ(runtime->recordCount(), 1u);
  n.assign(Tensor::scalar<int64_t>(5));
  EXPECT_EQ(n.item<int64_t>(), 5);
  EXPECT_THROW(n.backward(engine), ValidationError);
  EXPECT_FALSE(runtime->gradOptional(engine, n, n));
  EXPECT_FALSE(n.grad());
}

TEST(ErrorTest, ABooleanResultEndsTracking) {
  Example e;
  EagerTensor positive = e.runtime->session(e.engine, [&](EagerSession &s) { return s.greater(e.x, 1.5); });
  EXPECT_FALSE(positive.tracksGrad());
  // select reads it all the same: d sum(where(x > 1.5, x*x, x)) / dx = [1, 4, 6].
  EagerTensor loss = e.runtime->session(e.engine, [&](EagerSession &s) {
    return s.sum(s.where(positive, s.mul(e.x, e.x), e.x));
  });
  loss.backward(e.engine);
  EXPECT_EQ(valuesOf(e.x.grad()), (Values{1, 4, 6}));
}

TEST(ErrorTest, AssignChecksItsArguments) {
  Example e;
  EXPECT_EQ(failureFrom<ValidationError>([&] { e.c.assign(vector({1, 2, 3})); }).kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(failureFrom<ValidationError>([&] { e.x.assign(vector({1, 2})); }).kind, ErrorKind::ShapeMismatch);
  EXPECT_EQ(failureFrom<ValidationError>([&] { e.x.assign(Tensor::from({3}, {1.f, 2.f, 3.f})); }).kind,
            ErrorKind::DTypeMismatch);
  EXPECT_EQ(failureFrom<ValidationError>([&] { e.x.assign(Tensor()); }).kind, ErrorKind::InvalidArgument);
  EXPECT_EQ(valuesOf(e.x), (Values{1, 2, 3}));
}

TEST(ErrorTest, EmptyHandlesAreValidationErrors) {
  Example e;
  e.forward();
  EagerTensor moved = std::move(e.h);
  EXPECT_TRUE(e.h.empty());
  EXPECT_THROW(e.h.shape(), ValidationError);
  EXPECT_THROW(e.h.value(), ValidationError);
  EXPECT_THROW(e.h.grad(), ValidationError);
  EXPECT_THROW(e.h.backward(e.engine), ValidationError);
  EXPECT_THROW(e.h.detach(), ValidationError);
  EXPECT_THROW(e.h.assign(vector({1})), ValidationError);
  EXPECT_THROW(e.x.assign(e.h), ValidationError);
  EXPECT_THROW(e.runtime->grad(e.engine, e.loss, e.h), ValidationError);
  EXPECT_THROW(e.runtime->grad(e.engine, e.h, e.x), ValidationError);
  EXPECT_THROW(e.runtime->variable(Tensor()), ValidationError);
  EXPECT_THROW(e.runtime->session(e.engine, [&](EagerSession &s) { s.mul(e.x, e.h); }), ValidationError);
  e.h = moved;
  EXPECT_EQ(valuesOf(e.h), (Values{10, 40, 90}));
  EXPECT_EQ(e.runtime->recordCount(), 5u);
}

TEST(ErrorTest, AUsersExceptionPassesThroughASession) {
  struct Mine {
    int number;
  };
  Example e;
  try {
    e.runtime->session(e.engine, [&](EagerSession &s) {
      s.mul(e.x, e.x);
      throw Mine{7};
    });
    FAIL() << "no exception";
  } catch (const Mine &mine) {
    EXPECT_EQ(mine.number, 7);
  }
  EXPECT_THROW(currentSession(), RuntimeError);
  e.forward();
  e.loss.backward(e.engine);
  EXPECT_EQ(valuesOf(e.x.grad()), (Values{20, 80, 180}));
}

TEST(ErrorTest, AnErrorInsideASessionNamesTheLine) {
  Example e;
  int line = 0;
  Failure failure = failureFrom<ValidationError>([&] {
    e.runtime->session(e.engine, [&](EagerSession &s) {
      EagerTensor two = s.constant(vector({1, 2}));
      line = __LINE__ + 1;
      s.mul(e.x, two);
    });
  });
  EXPECT_EQ(failure.kind, ErrorKind::ShapeMismatch);
  EXPECT_EQ(failure.line, line);
  EXPECT_NE(failure.file.find("ErrorTest.cpp"), std::string::npos) << failure.file;
  e.forward();
  EXPECT_EQ(e.loss.item<double>(), 360);
}

TEST(ErrorTest, KernelErrorsNameTheOperationAndTheLine) {
  auto runtime = EagerRuntime::create();
  CpuEngine engine;
  EagerTensor one = runtime->constant(Tensor::from<int64_t>({2}, {1, 1}));
  EagerTensor zero = runtime->constant(Tensor::from<int64_t>({2}, {1, 0}));
  int line = 0;
  Failure failure = failureFrom<Error>([&] {
    runtime->session(engine, [&](EagerSession &s) {
      line = __LINE__ + 1;
      s.div(one, zero);
    });
  });
  EXPECT_EQ(failure.kind, ErrorKind::DivisionByZero);
  EXPECT_EQ(failure.phase, Phase::Execution);
  EXPECT_EQ(failure.op, "div");
  EXPECT_EQ(failure.line, line);
}

TEST(ErrorTest, AnIndexOutOfRangeLeavesTheRuntimeUsable) {
  auto runtime = EagerRuntime::create();
  CpuEngine engine;
  EagerTensor x = runtime->variable(vector({1, 2, 3}));
  EagerTensor index = runtime->variable(Tensor::from<int64_t>({2}, {0, 5}));
  Failure failure = failureFrom<Error>([&] {
    runtime->session(engine, [&](EagerSession &s) { s.take(x, index, 0); });
  });
  EXPECT_EQ(failure.kind, ErrorKind::IndexOutOfRange);
  EXPECT_EQ(failure.op, "take");
  EXPECT_EQ(failure.message, "expects indices in [-3, 3), but got 5");
  EagerTensor logits = runtime->variable(Tensor::zeros({2, 3}, DType::F64)), label = runtime->constant(Tensor::from<int32_t>({2}, {1, -1}));
  failure = failureFrom<Error>([&] {
    runtime->session(engine, [&](EagerSession &s) { s.crossEntropy(logits, label); });
  });
  EXPECT_EQ(failure.kind, ErrorKind::IndexOutOfRange);
  EXPECT_EQ(failure.argument, "targets");
  EXPECT_EQ(failure.message, "expects classes in [0, 3), but got -1");
  index.assign(Tensor::from<int64_t>({2}, {0, 2}));
  EagerTensor loss = runtime->session(engine, [&](EagerSession &s) { return s.sum(s.take(x, index, 0)); });
  loss.backward(engine);
  EXPECT_EQ(valuesOf(x.grad()), (Values{1, 0, 1}));
}

TEST(ErrorTest, LimitsNeedAnEntry) {
  Example e;
  EXPECT_EQ(failureFrom<ValidationError>([&] { e.runtime->setPreparedDerivativeLimits({.maxEntries = 0}); }).argument,
            "maxEntries");
  EXPECT_THROW(AdContext::create({.maxEntries = 0}), ValidationError);
  EXPECT_THROW(e.runtime->adContext()->setLimits({.maxEntries = 0}), ValidationError);
  RuntimeOptions options;
  options.preparedLimits.maxEntries = 0;
  EXPECT_THROW(EagerRuntime::create(options), ValidationError);
  options = {};
  options.policy = static_cast<CompilePolicy>(9);
  EXPECT_EQ(failureFrom<ValidationError>([&] { EagerRuntime::create(options); }).argument, "policy");
}

TEST(ErrorTest, EnginesCheckTheirOptions) {
  EXPECT_EQ(failureFrom<ValidationError>([] { CpuEngine engine({.threads = 0}); }).argument, "threads");
  EXPECT_EQ(CpuEngine({.threads = 1, .features = CpuFeatures::V3}).features(), CpuFeatures::V3);
}

} // namespace tenferro::test
