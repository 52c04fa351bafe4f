// Recording functions on placeholders: the program that comes out, what is a capture, and what is an error.
#include "lib/Eager/Trace/Staging.h"
#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/Execution/Execute.h"
#include "lib/Eager/ThreadState.h"
#include "test/unit/eager/TestSupport.h"

#include <sstream>
#include <stdexcept>
#include <thread>

namespace tenferro::test {

using core::GraphOp;
using core::OpKind;
using core::ValueType;
using eager::StagedFunction;

class StagingTest : public ::testing::Test {
protected:
  using Tensors = std::vector<EagerTensor>;
  using Arguments = std::span<const EagerTensor>;

  StagedFunction stage(std::vector<ValueType> types, const eager::StagedBody &body) {
    return eager::stage(*runtime_, engine_, types, "test", body);
  }
  static std::vector<OpKind> kindsOf(const StagedFunction &function) {
    std::vector<OpKind> kinds;
    for (const GraphOp &op : function.graph.ops)
      kinds.push_back(op.kind);
    return kinds;
  }

  std::shared_ptr<EagerRuntime> runtime_ = EagerRuntime::create();
  CpuEngine engine_;
  const ValueType vector3_{DType::F64, {3}};
  const ValueType integers_{DType::I64, {3}};
};

TEST_F(StagingTest, OperationsAreAppendedAndNothingRuns) {
  StagedFunction function = stage({vector3_, vector3_}, [&](EagerSession &s, Arguments x) -> Tensors {
    EagerTensor product = s.mul(x[0], x[1]);
    EXPECT_EQ(product.shape(), Shape({3}));
    EXPECT_EQ(product.dtype(), DType::F64);
    s.exp(product); // nobody asks for it
    return {s.sum(x[1] + product), product};
  });
  EXPECT_EQ(function.graph.inputs, (std::vector<ValueType>{vector3_, vector3_}));
  EXPECT_TRUE(function.captures.empty());
  EXPECT_EQ(kindsOf(function), (std::vector{OpKind::Mul, OpKind::Add, OpKind::Sum}));
  EXPECT_EQ(function.graph.ops[0].operands, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(function.graph.ops[1].operands, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(function.graph.ops[2].operands, (std::vector<uint32_t>{3}));
  EXPECT_EQ(function.graph.outputs, (std::vector<uint32_t>{4, 2}));
  EXPECT_EQ(function.locations.size(), 3u);
  EXPECT_NE(std::string(function.locations[0].file_name()).find("StagingTest"), std::string::npos);
  EXPECT_EQ(runtime_->recordCount(), 0u);
}

TEST_F(StagingTest, RealTensorsAreCapturesAndNumbersAreScalars) {
  EagerTensor w = runtime_->variable(vector({1, 2, 3})), c = runtime_->constant(vector({4, 5, 6}));
  StagedFunction function = stage({vector3_}, [&](EagerSession &s, Arguments x) -> Tensors {
    return {s.add(s.mul(s.mul(x[0], w), w), s.mul(s.add(x[0], c), 2.5))};
  });
  ASSERT_EQ(function.captures.size(), 3u);
  EXPECT_EQ(function.captures[0].id(), w.id());
  EXPECT_EQ(function.captures[1].id(), c.id());
  EXPECT_EQ(function.captures[2].shape(), Shape());
  EXPECT_EQ(function.captures[2].item<double>(), 2.5);
  EXPECT_EQ(function.graph.inputs, (std::vector<ValueType>{vector3_, vector3_, vector3_, {DType::F64, {}}}));
  EXPECT_EQ(kindsOf(function),
            (std::vector{OpKind::Mul, OpKind::Mul, OpKind::Add, OpKind::BroadcastInDim, OpKind::Mul, OpKind::Add}));
  // The program is the same text for another number and other tensors.
  EagerTensor other = runtime_->constant(vector({7, 8, 9}));
  StagedFunction again = stage({vector3_}, [&](EagerSession &s, Arguments x) -> Tensors {
    return {s.add(s.mul(s.mul(x[0], other), other), s.mul(s.add(x[0], c), -1))};
  });
  EXPECT_EQ(core::structureKey(function.graph, {}), core::structureKey(again.graph, {}));
}

TEST_F(StagingTest, GuardsOfTheCallerDoNotCountAndThoseInsideDetach) {
  NoGradGuard outside;
  StagedFunction function = stage({vector3_}, [&](EagerSession &s, Arguments x) -> Tensors {
    EagerTensor kept = s.mul(x[0], x[0]);
    EagerTensor fixed;
    {
      NoGradGuard inside;
      fixed = s.neg(x[0]);
    }
    return {s.add(kept, fixed), kept.detach()};
  });
  EXPECT_EQ(kindsOf(function), (std::vector{OpKind::Mul, OpKind::Neg, OpKind::Detach, OpKind::Add, OpKind::Detach}));
  EXPECT_FALSE(runtime_->session(engine_, [&](EagerSession &s) {
    EagerTensor v = runtime_->variable(vector({1}));
    return s.neg(v).tracksGrad(); // the guard outside still holds
  }));
}

TEST_F(StagingTest, FunctionsNest) {
  StagedFunction outer = stage({vector3_}, [&](EagerSession &s, Arguments x) -> Tensors {
    EagerTensor square = s.mul(x[0], x[0]);
    StagedFunction inner =
        stage({vector3_}, [&](EagerSession &t, Arguments y) -> Tensors { return {t.add(t.exp(y[0]), square)}; });
    EXPECT_EQ(kindsOf(inner), (std::vector{OpKind::Exp, OpKind::Add}));
    EXPECT_EQ(inner.captures.size(), 1u);
    return {s.sub(inner.captures[0], x[0])}; // the capture is the outer function's square
  });
  EXPECT_EQ(kindsOf(outer), (std::vector{OpKind::Mul, OpKind::Sub}));
  EXPECT_EQ(outer.graph.ops[1].operands, (std::vector<uint32_t>{1, 0}));
}

TEST_F(StagingTest, ValuesAreATypedError) {
  EagerTensor w = runtime_->variable(vector({1, 2, 3}));
  auto failing = [&](const std::function<void(EagerSession &, const EagerTensor &)> &use) {
    return failureFrom<RuntimeError>([&] {
      stage({vector3_}, [&](EagerSession &s, Arguments x) -> Tensors {
        use(s, s.exp(x[0]));
        return {x[0]};
      });
    });
  };
  Failure failure = failing([](EagerSession &, const EagerTensor &x) { x.toVector<double>(); });
  EXPECT_EQ(failure.kind, ErrorKind::RuntimeState);
  EXPECT_EQ(failure.op, "toVector");
  EXPECT_NE(failure.message.find("f64[3] belongs to a function that is recorded, not run"), std::string::npos);
  std::ostringstream out;
  const int line = __LINE__ + 1;
  failure = failing([&](EagerSession &, const EagerTensor &x) { out << x; });
  EXPECT_EQ(failure.op, "str");
  EXPECT_EQ(failure.line, line);
  EXPECT_NE(failure.file.find("StagingTest"), std::string::npos);
  EXPECT_EQ(failing([&](EagerSession &, const EagerTensor &x) { w.assign(x); }).op, "assign");
  EXPECT_EQ(failing([&](EagerSession &s, const EagerTensor &x) { s.sum(x).backward(engine_); }).op, "backward");
  EXPECT_EQ(failing([&](EagerSession &s, const EagerTensor &) { s.sum(w).backward(engine_); }).op, "backward");
  EXPECT_EQ(valuesOf(w), (Values{1, 2, 3}));
}

TEST_F(StagingTest, AnExceptionOfTheFunctionPassesThrough) {
  EXPECT_THROW(stage({vector3_},
                     [&](EagerSession &, Arguments) -> Tensors {
                       stage({vector3_}, [](EagerSession &, Arguments) -> Tensors { throw std::out_of_range("mine"); });
                       return {};
                     }),
               std::out_of_range);
  EXPECT_EQ(eager::threadState.staging, nullptr);
  EXPECT_EQ(eager::threadState.session, nullptr);
  // Operations run again.
  EXPECT_EQ(valuesOf(runtime_->session(engine_,
                                       [&](EagerSession &s) { return s.add(runtime_->constant(vector({1, 2})), 1); })),
            (Values{2, 3}));
}

TEST_F(StagingTest, PlaceholdersDoNotLeaveTheirRecording) {
  EagerTensor escaped;
  stage({vector3_}, [&](EagerSession &, Arguments x) -> Tensors {
    escaped = x[0];
    return {x[0]};
  });
  Failure failure =
      failureFrom<RuntimeError>([&] { runtime_->session(engine_, [&](EagerSession &s) { s.exp(escaped); }); });
  EXPECT_EQ(failure.op, "exp");
  EXPECT_GT(failure.line, 0);
  failure = failureFrom<RuntimeError>(
      [&] { stage({vector3_}, [&](EagerSession &s, Arguments x) -> Tensors { return {s.mul(x[0], escaped)}; }); });
  EXPECT_NE(failure.message.find("a recording that has ended"), std::string::npos);
  EXPECT_EQ(failureFrom<RuntimeError>([&] { runtime_->vjp(engine_, escaped, escaped, escaped); }).op, "vjp");
  EXPECT_EQ(failureFrom<RuntimeError>([&] { escaped.backwardWith(engine_, vector({1, 1, 1})); }).op, "backwardWith");
  EXPECT_EQ(failureFrom<RuntimeError>([&] { escaped.detach(); }).op, "detach");
  EagerTensor w = runtime_->variable(vector({1, 2, 3}));
  EXPECT_EQ(failureFrom<RuntimeError>([&] { runtime_->vjp(engine_, w, w, escaped); }).kind, ErrorKind::RuntimeState);
  // Nor to another thread.
  stage({vector3_}, [&](EagerSession &, Arguments x) -> Tensors {
    std::thread([&] {
      EXPECT_EQ(
          failureFrom<RuntimeError>([&] { runtime_->session(engine_, [&](EagerSession &s) { s.exp(x[0]); }); }).kind,
          ErrorKind::RuntimeState);
    }).join();
    return {x[0]};
  });
}

TEST_F(StagingTest, RulesAreCheckedWhileRecording) {
  Failure failure = failureFrom<ValidationError>([&] {
    stage({vector3_, {DType::F64, {2}}}, [&](EagerSession &s, Arguments x) -> Tensors { return {s.add(x[0], x[1])}; });
  });
  EXPECT_EQ(failure.kind, ErrorKind::ShapeMismatch);
  EXPECT_NE(failure.file.find("StagingTest"), std::string::npos);
  auto other = EagerRuntime::create();
  failure = failureFrom<ContextMismatch>([&] {
    stage({vector3_},
          [&](EagerSession &s, Arguments x) -> Tensors { return {s.add(x[0], other->constant(vector({1, 2, 3})))}; });
  });
  EXPECT_EQ(failure.ids, (std::vector<uint64_t>{runtime_->id(), other->id()}));
  failure = failureFrom<ValidationError>(
      [&] { stage({vector3_}, [&](EagerSession &, Arguments) -> Tensors { return {EagerTensor()}; }); });
  EXPECT_EQ(failure.kind, ErrorKind::InvalidArgument);
  // Another runtime computes as ever.
  stage({vector3_}, [&](EagerSession &, Arguments x) -> Tensors {
    EagerTensor two = other->session(engine_, [&](EagerSession &s) { return s.add(other->constant(vector({1})), 1); });
    EXPECT_EQ(valuesOf(two), (Values{2}));
    return {x[0]};
  });
}

TEST_F(StagingTest, FrontEndsThatReadValuesStage) {
  StagedFunction function = stage({{DType::F64, {3, 4}}, integers_}, [&](EagerSession &s, Arguments x) -> Tensors {
    return {s.crossEntropy(x[0], x[1]), s.take(x[0], x[1], 1), s.softmax(x[0], 0), s.logsumexp(x[0])};
  });
  EXPECT_EQ(function.graph.outputs.size(), 4u);
  EXPECT_EQ(function.graph.type(function.graph.outputs[0]).shape, Shape());
  EXPECT_EQ(function.graph.type(function.graph.outputs[1]).shape, Shape({3, 3}));
}

} // namespace tenferro::test
