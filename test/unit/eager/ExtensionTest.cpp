// Extension families: kernels, rules and their routes, epochs and replaced rules, caches, threads, errors.
#include "test/unit/eager/TestSupport.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

namespace tenferro::test {

namespace {

using Types = std::vector<TensorType>;
using Inputs = std::vector<KernelInput>;
using Outputs = std::vector<KernelOutput>;

Types sameAsFirst(const Types &inputs, const IntList &) { return {inputs.at(0)}; }

/// Element by element over doubles.
template <typename Function> ExtensionKernel elementwise(Function function) {
  return [function](ExtensionContext &, const Inputs &inputs, const Outputs &outputs) {
    std::transform(inputs[0].data<double>(), inputs[0].data<double>() + inputs[0].elementCount(),
                   outputs[0].data<double>(), function);
  };
}

ExtensionSpec specOf(std::string family, ExtensionKernel kernel) {
  return {.family = std::move(family), .shape = sameAsFirst, .kernels = {{EngineKind::Cpu, std::move(kernel)}}};
}

/// The identity whose gradient is `slope` times the cotangent.
ExtensionModule scaled(double slope) {
  ExtensionSpec spec = specOf("lab.identity.v1", elementwise([](double x) { return x; }));
  spec.vjp = [slope](const RuleContext &, const TensorList &ct) { return TensorList{slope * ct[0]}; };
  spec.vjpResiduals = {.inputs = 0, .outputs = 0};
  return ExtensionModule(std::move(spec));
}

} // namespace

class ExtensionTest : public EachPolicy {
protected:
  EagerTensor grad(const EagerTensor &y, const EagerTensor &x) { return runtime_->grad(engine_, y, x); }
  EagerTensor call(const char *family, const EagerTensor &x) { return extension(family, {x})[0]; }

  std::shared_ptr<EagerRuntime> runtime_ = EagerRuntime::create(options());
  CpuEngine engine_;
  Scope scope_{runtime_, engine_};
  EagerTensor x_ = runtime_->variable(vector({1, 2, 3}));
};

TEST_P(ExtensionTest, FamilyIdsAreChecked) {
  for (const char *id : {"", "square", "lab.square", "lab.square.v", "lab.square.1", "lab..v1", ".square.v1",
                         "lab.square.v01", "lab.square.v1.", "lab.sq uare.v1", "a.b.c.v1"}) {
    Failure failure =
        failureFrom<ValidationError>([&] { ExtensionModule(specOf(id, elementwise([](double x) { return x; }))); });
    EXPECT_EQ(failure.argument, "family") << id;
  }
  EXPECT_EQ(scaled(1).family(), "lab.identity.v1");
  EXPECT_EQ(failureFrom<ValidationError>([] {
              ExtensionModule({.family = "lab.x.v0", .shape = sameAsFirst, .kernels = {}});
            }).argument,
            "kernels");
}

TEST_P(ExtensionTest, AKernelThatReadsAnotherDtypeIsToldWhatItsOperandHolds) {
  runtime_->installExtension(ExtensionModule(specOf(
      "lab.narrow.v1", [](ExtensionContext &, const Inputs &inputs, const Outputs &) { inputs[0].data<float>(); })));
  int line = __LINE__ + 1;
  Failure failure = failureFrom<ValidationError>([&] { extension("lab.narrow.v1", {x_}); });
  EXPECT_EQ(failure.kind, ErrorKind::DTypeMismatch);
  EXPECT_EQ(failure.op, "lab.narrow.v1");
  EXPECT_NE(failure.message.find("holds f64 elements, but was read as f32"), std::string::npos) << failure.message;
  EXPECT_EQ(failure.line, line);
  // In a compiled function the line of the operation; that of the call where it may be one of two.
  line = __LINE__ + 1;
  auto once = runtime_->compile([](const EagerTensor &x) { return extension("lab.narrow.v1", {x})[0]; });
  EXPECT_EQ(failureFrom<ValidationError>([&] { once(x_); }).line, line);
  auto twice = runtime_->compile(
      [](const EagerTensor &x) { return extension("lab.narrow.v1", {x})[0] + extension("lab.narrow.v1", {-x})[0]; });
  line = __LINE__ + 1;
  EXPECT_EQ(failureFrom<ValidationError>([&] { twice(x_); }).line, line);
}

TEST_P(ExtensionTest, AKernelOfADerivativeNamesTheCallerOfTheDerivative) {
  runtime_->installExtension(ExtensionModule(specOf(
      "lab.narrow.v1", [](ExtensionContext &, const Inputs &inputs, const Outputs &) { inputs[0].data<float>(); })));
  auto odd = customVjp(
      "odd", [](const EagerTensor &x) { return x * 2.0; },
      [](const EagerTensor &, const EagerTensor &, const EagerTensor &ct) {
        return extension("lab.narrow.v1", {ct})[0];
      });
  EagerTensor loss = sum(odd(x_));
  const int line = __LINE__ + 1;
  Failure failure = failureFrom<ValidationError>([&] { loss.backward(engine_); });
  EXPECT_EQ(failure.op, "lab.narrow.v1");
  EXPECT_EQ(failure.line, line);
  EXPECT_NE(failure.file.find("ExtensionTest"), std::string::npos);
}

TEST_P(ExtensionTest, AReplacedRuleNeverAnswers) {
  ExtensionModule first = scaled(1), second = scaled(2);
  EXPECT_EQ(runtime_->epoch(), 0u);
  EXPECT_EQ(runtime_->installExtension(first), 1u);
  EXPECT_EQ(runtime_->installExtension(first), 1u); // as it was
  EagerTensor loss = sum(call("lab.identity.v1", x_));
  EXPECT_EQ(loss.item<double>(), 6);
  loss.backward(engine_);
  EXPECT_EQ(valuesOf(x_.grad()), (Values{1, 1, 1}));

  EXPECT_EQ(runtime_->installExtension(second), 2u);
  EXPECT_EQ(runtime_->epoch(), 2u);
  x_.clearGrad();
  loss.backward(engine_); // recorded before
  std::string why = runtime_->explainCache();
  EXPECT_EQ(valuesOf(x_.grad()), (Values{2, 2, 2}));
  EXPECT_NE(why.find("first difference"), std::string::npos) << why;
  EXPECT_NE(why.substr(0, why.find('\n', why.find("first difference"))).find("rule version"), std::string::npos) << why;
  x_.clearGrad();
  sum(call("lab.identity.v1", x_)).backward(engine_); // recorded after
  EXPECT_EQ(valuesOf(x_.grad()), (Values{2, 2, 2}));
  // And back: the first program is still there and right.
  EXPECT_EQ(runtime_->installExtension(first), 3u);
  EXPECT_EQ(valuesOf(grad(loss, x_)), (Values{1, 1, 1}));
}

TEST_P(ExtensionTest, InACompiledFunctionToo) {
  runtime_->installExtension(scaled(1));
  auto compiled = runtime_->compile([&](const EagerTensor &x) { return sum(call("lab.identity.v1", x) * x); });
  EXPECT_EQ(compiled(x_).item<double>(), 14);
  EXPECT_EQ(valuesOf(compiled.valueAndGrad(x_).derivative), (Values{2, 4, 6}));
  runtime_->installExtension(scaled(2));
  EXPECT_EQ(valuesOf(compiled.valueAndGrad(x_).derivative), (Values{3, 6, 9}));
}

TEST_P(ExtensionTest, ForwardRuleIsTransposed) {
  ExtensionSpec spec = specOf("lab.square.v1", elementwise([](double x) { return x * x; }));
  spec.jvp = [](const RuleContext &c, const TensorList &t) { return TensorList{2.0 * c.inputs[0] * t[0]}; };
  spec.jvpResiduals = {.inputs = 1, .outputs = 0};
  runtime_->installExtension(ExtensionModule(spec));
  EagerTensor y = sum(call("lab.square.v1", call("lab.square.v1", x_))); // x^4
  EagerTensor first = grad(y, x_);
  EXPECT_EQ(valuesOf(first), (Values{4, 32, 108}));
  EXPECT_EQ(valuesOf(grad(sum(first), x_)), (Values{12, 48, 108}));
  EagerTensor ones = runtime_->constant(vector({1, 1, 1}));
  EXPECT_EQ(runtime_->jvp(engine_, y, x_, ones).item<double>(), 144);
  // The gradient rule wins where both are there.
  spec.vjp = [](const RuleContext &, const TensorList &ct) { return TensorList{7.0 * ct[0]}; };
  runtime_->installExtension(ExtensionModule(spec));
  EagerTensor z = sum(call("lab.square.v1", x_));
  EXPECT_EQ(valuesOf(grad(z, x_)), (Values{7, 7, 7}));
  EXPECT_EQ(runtime_->jvp(engine_, z, x_, ones).item<double>(), 12);
}

TEST_P(ExtensionTest, ALinearFamilyIsItsOwnTangentAndMayBeItsOwnTranspose) {
  // Reversal: its transpose is itself, so reading its rule needs its rule.
  ExtensionSpec spec = specOf("lab.reverse.v1", [](ExtensionContext &, const Inputs &in, const Outputs &out) {
    std::reverse_copy(in[0].data<double>(), in[0].data<double>() + in[0].elementCount(), out[0].data<double>());
  });
  spec.transpose = [](const RuleContext &c, const TensorList &ct) {
    EXPECT_TRUE(c.inputs[0].empty());
    return extension("lab.reverse.v1", ct);
  };
  runtime_->installExtension(ExtensionModule(spec));
  EagerTensor weights = runtime_->constant(vector({10, 20, 30}));
  EagerTensor y = sum(call("lab.reverse.v1", x_ * x_) * weights); // 30 x0^2 + 20 x1^2 + 10 x2^2
  EXPECT_EQ(y.item<double>(), 200);
  EagerTensor first = grad(y, x_);
  EXPECT_EQ(valuesOf(first), (Values{60, 80, 60}));
  EXPECT_EQ(valuesOf(grad(sum(first), x_)), (Values{60, 40, 20}));
  EXPECT_EQ(runtime_->jvp(engine_, y, x_, runtime_->constant(vector({1, 1, 1}))).item<double>(), 200);
}

TEST_P(ExtensionTest, KeepsWhatTheMasksSayAndRunsTheKernelOnce) {
  auto calls = std::make_shared<std::atomic<int>>(0);
  ExtensionSpec spec = specOf("lab.exp.v1", [calls](ExtensionContext &, const Inputs &in, const Outputs &out) {
    ++*calls;
    for (int64_t i = 0; i < in[0].elementCount(); ++i)
      out[0].data<double>()[i] = in[0].data<double>()[i] * 10; // any function will do
  });
  spec.vjp = [](const RuleContext &c, const TensorList &ct) {
    EXPECT_TRUE(c.inputs[0].empty());
    return TensorList{c.outputs[0] * ct[0]};
  };
  spec.vjpResiduals = {.inputs = 0, .outputs = 1};
  runtime_->installExtension(ExtensionModule(spec));
  EagerTensor loss = sum(call("lab.exp.v1", x_ * 1.0));
  EXPECT_EQ(*calls, 1);
  EXPECT_EQ(valuesOf(grad(loss, x_)), (Values{10, 20, 30}));
  EXPECT_EQ(*calls, 1); // the result was kept
  // A rule that reads outside of its mask is told so.
  spec.vjp = [](const RuleContext &c, const TensorList &ct) { return TensorList{c.inputs[0] * ct[0]}; };
  runtime_->installExtension(ExtensionModule(spec));
  failureFrom<ValidationError>([&] { grad(loss, x_); });
}

TEST_P(ExtensionTest, SeveralOperandsParametersAndStrides) {
  // Rows of a matrix times a number per row, by the number in `parameters`; reads a transposed view.
  ExtensionSpec spec;
  spec.family = "lab.rows.v2";
  spec.shape = [](const Types &in, const IntList &) -> Types {
    if (in.size() != 2 || in[0].shape.rank() != 2)
      throw ExtensionError("lab.rows.v2", "expects a matrix and a vector");
    return {in[0], {DType::I64, {}}};
  };
  spec.kernels = {{EngineKind::Cpu, [](ExtensionContext &c, const Inputs &in, const Outputs &out) {
                     int64_t rows = in[0].shape()[0], columns = in[0].shape()[1];
                     for (int64_t j = 0; j < columns; ++j)
                       for (int64_t i = 0; i < rows; ++i)
                         out[0].data<double>()[i + j * rows] = in[0].data<double>()[i + j * rows] *
                                                               in[1].data<double>()[i] *
                                                               static_cast<double>(c.parameters()[0]);
                     *out[1].data<int64_t>() = rows;
                   }}};
  spec.vjp = [](const RuleContext &c, const TensorList &ct) {
    EagerSession &s = currentSession();
    EagerTensor scale = s.mul(ct[0], static_cast<double>(c.parameters[0]));
    EagerTensor column = s.reshape(c.inputs[1], {c.inputs[1].shape()[0], 1});
    return TensorList{scale * column, sum(scale * c.inputs[0], {1})};
  };
  runtime_->installExtension(ExtensionModule(spec));
  EagerTensor a = runtime_->variable(Tensor::fromRowMajor<double>({3, 2}, {1, 2, 3, 4, 5, 6}));
  EagerTensor w = runtime_->variable(vector({10, 100}));
  TensorList y = extension("lab.rows.v2", {transpose(a), w}, {2}); // [[1,3,5],[2,4,6]]
  EXPECT_EQ(y[0].value().toRowMajor<double>(), (Values{20, 60, 100, 400, 800, 1200}));
  EXPECT_EQ(y[1].item<int64_t>(), 2);
  sum(y[0]).backward(engine_);
  EXPECT_EQ(a.grad()->toRowMajor<double>(), (Values{20, 200, 20, 200, 20, 200}));
  EXPECT_EQ(valuesOf(w.grad()), (Values{18, 24}));
  Failure failure = failureFrom<ExtensionError>([&] { extension("lab.rows.v2", {w}, {2}); });
  EXPECT_EQ(failure.op, "lab.rows.v2");
}

TEST_P(ExtensionTest, MissingRolesNameFamilyRoleAndOrder) {
  runtime_->installExtension(ExtensionModule(specOf("lab.bare.v1", elementwise([](double x) { return x; }))));
  EagerTensor y = sum(call("lab.bare.v1", x_));
  Failure failure = failureFrom<UnsupportedAdRule>([&] { grad(y, x_); });
  EXPECT_EQ(failure.op, "lab.bare.v1");
  EXPECT_NE(failure.message.find("role vjp or jvp for input 0 at order 1"), std::string::npos) << failure.message;
  // A rule that uses it works once.
  ExtensionSpec once = specOf("lab.once.v1", elementwise([](double x) { return x; }));
  once.vjp = [](const RuleContext &c, const TensorList &ct) {
    return TensorList{ct[0] * extension("lab.bare.v1", {c.inputs[0]})[0]};
  };
  runtime_->installExtension(ExtensionModule(once));
  EagerTensor g = grad(sum(call("lab.once.v1", x_)), x_);
  EXPECT_EQ(valuesOf(g), (Values{1, 2, 3}));
  failure = failureFrom<UnsupportedAdRule>([&] { grad(sum(g), x_); });
  EXPECT_EQ(failure.op, "lab.bare.v1");
  EXPECT_NE(failure.message.find("at order 2"), std::string::npos) << failure.message;
}

TEST_P(ExtensionTest, ExceptionsPassThroughUnchanged) {
  struct Mine : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  auto broken = std::make_shared<std::atomic<bool>>(false);
  ExtensionSpec spec = specOf("lab.fragile.v1", [broken](ExtensionContext &, const Inputs &in, const Outputs &out) {
    if (*broken)
      throw Mine("kernel");
    std::copy_n(in[0].data<double>(), in[0].elementCount(), out[0].data<double>());
  });
  spec.vjp = [](const RuleContext &, const TensorList &ct) { return extension("lab.fragile.v1", ct); };
  runtime_->installExtension(ExtensionModule(spec));
  EagerTensor loss = sum(call("lab.fragile.v1", x_));
  EXPECT_EQ(valuesOf(grad(loss, x_)), (Values{1, 1, 1}));
  *broken = true;
  EXPECT_THROW(call("lab.fragile.v1", x_), Mine);
  EXPECT_THROW(grad(loss, x_), Mine); // inside the compiled program
  *broken = false;
  EXPECT_EQ(valuesOf(grad(loss, x_)), (Values{1, 1, 1}));
  // A rule that throws while it is read, through `grad`.
  auto angry = std::make_shared<std::atomic<bool>>(true);
  spec.vjp = [angry](const RuleContext &, const TensorList &ct) {
    if (*angry)
      throw Mine("rule");
    return ct;
  };
  runtime_->installExtension(ExtensionModule(spec));
  EXPECT_THROW(grad(loss, x_), Mine);
  *angry = false;
  EXPECT_EQ(valuesOf(grad(loss, x_)), (Values{1, 1, 1}));
}

TEST_P(ExtensionTest, OneCatchSufficesForEveryFamily) {
  ExtensionSpec spec = specOf("lab.strict.v1", [](ExtensionContext &c, const Inputs &, const Outputs &) {
    throw ExtensionError(c.family(), "expects something else", ErrorKind::Unsupported);
  });
  runtime_->installExtension(ExtensionModule(spec));
  EagerTensor singles = runtime_->constant(Tensor::from<float>({1}, {1}));
  runtime_->installExtension(scaled(1));
  std::vector<std::function<void()>> calls = {[&] { call("lab.strict.v1", x_); },        // its own
                                              [&] { call("lab.absent.v1", x_); },        // not installed
                                              [&] { call("lab.identity.v1", singles); }, // the kernel reads doubles
                                              [&] { call("lab.identity.v1", EagerTensor()); }, // no tensor
                                              [&] { currentSession().reshape(x_, {7}); },      // a core operation
                                              [&] { runtime_->installExtension(ExtensionModule({})); }};
  int caught = 0;
  for (const auto &attempt : calls)
    try {
      runtime_->session(engine_, [&](EagerSession &) { attempt(); });
    } catch (const Error &error) {
      EXPECT_FALSE(std::string(error.what()).empty());
      ++caught;
    }
  EXPECT_EQ(caught, 6);
}

TEST_P(ExtensionTest, RulesOfAFamilyCaptureNoTensors) {
  EagerTensor w = runtime_->constant(vector({1, 1, 1}));
  ExtensionSpec spec = specOf("lab.captures.v1", elementwise([](double x) { return x; }));
  spec.vjp = [w](const RuleContext &, const TensorList &ct) { return TensorList{w * ct[0]}; };
  runtime_->installExtension(ExtensionModule(spec));
  Failure failure = failureFrom<ValidationError>([&] { grad(sum(call("lab.captures.v1", x_)), x_); });
  EXPECT_EQ(failure.op, "lab.captures.v1");
  EXPECT_EQ(failure.argument, "vjp");
}

TEST_P(ExtensionTest, EachFamilyHasItsCache) {
  auto made = std::make_shared<std::atomic<int>>(0);
  ExtensionSpec spec =
      specOf("lab.planned.v1", [made](ExtensionContext &context, const Inputs &in, const Outputs &out) {
        auto plan = context.cached<double>("plans", static_cast<uint64_t>(in[0].elementCount()), [&] {
          ++*made;
          return std::pair(std::make_shared<double>(2.0), size_t{100});
        });
        for (int64_t i = 0; i < in[0].elementCount(); ++i)
          out[0].data<double>()[i] = *plan * in[0].data<double>()[i];
      });
  runtime_->installExtension(ExtensionModule(spec));
  auto run = [&](int64_t n) { return valuesOf(call("lab.planned.v1", runtime_->constant(Tensor::full({n}, 3.0))))[0]; };
  EXPECT_EQ(run(1), 6);
  EXPECT_EQ(run(1), 6);
  EXPECT_EQ(run(2), 6);
  EXPECT_EQ(*made, 2);
  CacheStats stats = runtime_->extensionCacheStats("lab.planned.v1");
  EXPECT_EQ(stats, (CacheStats{.entries = 2, .retainedBytes = 200, .hits = 1, .misses = 2}));
  EXPECT_EQ(runtime_->cacheStats().extensions, stats);
  runtime_->setExtensionCacheLimits("lab.planned.v1", {.maxEntries = 1});
  EXPECT_EQ(runtime_->extensionCacheLimits("lab.planned.v1").maxEntries, 1u);
  stats = runtime_->extensionCacheStats("lab.planned.v1");
  EXPECT_EQ(stats.entries, 1u);
  EXPECT_EQ(stats.evictions, 1u);
  EXPECT_EQ(runtime_->extensionCacheStats("lab.other.v1").entries, 0u);
  runtime_->clearExtensionCache("lab.planned.v1");
  stats = runtime_->extensionCacheStats("lab.planned.v1");
  EXPECT_EQ(stats.entries, 0u);
  EXPECT_EQ(stats.clears, 1u);
  EXPECT_EQ(run(1), 6);
  EXPECT_EQ(*made, 3);
  failureFrom<ValidationError>([&] { runtime_->setExtensionCacheLimits("lab.planned.v1", {.maxEntries = 0}); });
  runtime_->clearCaches();
  EXPECT_EQ(runtime_->cacheStats().extensions.entries, 0u);
}

TEST_P(ExtensionTest, PlansOfAReplacedModuleAreNoOthers) {
  // The kernel that is replaced is still making its plan when the next module is installed.
  auto stage = std::make_shared<std::atomic<int>>(0);
  auto planned = [&](double factor) {
    ExtensionSpec spec =
        specOf("lab.planned.v1", [stage, factor](ExtensionContext &context, const Inputs &in, const Outputs &out) {
          auto plan = context.cached<double>("plans", 1, [&] {
            if (factor == 2)
              for (*stage = 1; *stage == 1;)
                std::this_thread::yield();
            return std::pair(std::make_shared<double>(factor), size_t{8});
          });
          out[0].data<double>()[0] = *plan * in[0].data<double>()[0];
        });
    return ExtensionModule(std::move(spec));
  };
  EagerTensor one = runtime_->constant(vector({1}));
  runtime_->installExtension(planned(2));
  std::thread old([&] {
    CpuEngine engine;
    Scope scope(runtime_, engine);
    EXPECT_EQ(valuesOf(call("lab.planned.v1", one)), (Values{2}));
  });
  while (*stage != 1)
    std::this_thread::yield();
  runtime_->installExtension(planned(5));
  *stage = 2;
  old.join();
  EXPECT_EQ(valuesOf(call("lab.planned.v1", one)), (Values{5}));
}

TEST_P(ExtensionTest, ARecordedCompiledCallReadsReplacedRules) {
  runtime_->installExtension(scaled(1));
  auto f = runtime_->compile(
      [](EagerSession &s, const EagerTensor &x) { return s.sum(s.mul(s.extension("lab.identity.v1", {x})[0], 3)); });
  EagerTensor loss = f(engine_, x_);
  EXPECT_EQ(valuesOf(grad(loss, x_)), (Values{3, 3, 3}));
  runtime_->installExtension(scaled(2));
  EXPECT_EQ(valuesOf(grad(loss, x_)), (Values{6, 6, 6}));
  loss.backward(engine_);
  EXPECT_EQ(valuesOf(x_.grad()), (Values{6, 6, 6}));
  // A replacement that does not fit what was recorded is an error.
  ExtensionSpec spec = specOf("lab.identity.v1", elementwise([](double x) { return x; }));
  spec.shape = [](const Types &, const IntList &) { return Types{{DType::F64, Shape({7})}}; };
  runtime_->installExtension(ExtensionModule(spec));
  EXPECT_EQ(failureFrom<ValidationError>([&] { grad(loss, x_); }).op, "lab.identity.v1");
}

TEST_P(ExtensionTest, ARuleInstallsNothing) {
  // Each reading would ask for another one.
  ExtensionSpec spec = specOf("lab.restless.v1", elementwise([](double x) { return x; }));
  spec.vjp = [runtime = runtime_.get()](const RuleContext &, const TensorList &ct) {
    runtime->installExtension(scaled(1));
    return ct;
  };
  runtime_->installExtension(ExtensionModule(spec));
  Failure failure = failureFrom<RuntimeError>([&] { grad(sum(call("lab.restless.v1", x_)), x_); });
  EXPECT_EQ(failure.op, "installExtension");
  failureFrom<RuntimeError>([&] { call("lab.identity.v1", x_); });
  EXPECT_EQ(runtime_->epoch(), 1u);
}

TEST_P(ExtensionTest, ErrorsOfTheUsersClassKeepItInDerivatives) {
  ExtensionSpec spec = specOf("lab.picky.v1", elementwise([](double x) { return x; }));
  spec.vjp = [](const RuleContext &, const TensorList &) -> TensorList {
    throw ExtensionError("lab.picky.v1", "expects something else");
  };
  runtime_->installExtension(ExtensionModule(spec));
  EagerTensor loss = sum(call("lab.picky.v1", x_));
  EXPECT_EQ(failureFrom<ExtensionError>([&] { loss.backward(engine_); }).message, "expects something else");
  EXPECT_EQ(failureFrom<ExtensionError>([&] { grad(loss, x_); }).op, "lab.picky.v1");
}

TEST_P(ExtensionTest, ErrorsOfACallNameTheFamilyAndTheLine) {
  ExtensionSpec spec = specOf("lab.narrow.v1", elementwise([](double x) { return x; }));
  spec.shape = [](const Types &, const IntList &) { return Types{{DType::F64, Shape({-1})}}; };
  runtime_->installExtension(ExtensionModule(spec));
  int line = __LINE__ + 1;
  Failure failure = failureFrom<ValidationError>([&] { extension("lab.narrow.v1", {x_}); });
  EXPECT_EQ(failure.op, "lab.narrow.v1");
  EXPECT_EQ(failure.line, line);
  spec.shape = [](const Types &, const IntList &) { return Types{{DType::F64, Shape({int64_t{1} << 50})}}; };
  runtime_->installExtension(ExtensionModule(spec));
  line = __LINE__ + 1;
  failure = failureFrom<RuntimeError>([&] { extension("lab.narrow.v1", {x_}); });
  EXPECT_EQ(failure.kind, ErrorKind::OutOfMemory);
  EXPECT_EQ(failure.op, "lab.narrow.v1");
  EXPECT_EQ(failure.line, line);
  // The kernel reads doubles.
  runtime_->installExtension(scaled(1));
  EagerTensor singles = runtime_->constant(Tensor::from<float>({1}, {1}));
  EXPECT_EQ(failureFrom<ValidationError>([&] { call("lab.identity.v1", singles); }).op, "lab.identity.v1");
}

TEST_P(ExtensionTest, RuntimesOfOneContextHaveRulesOfTheirOwn) {
  RuntimeOptions shared = options();
  shared.adContext = AdContext::create();
  std::vector<std::shared_ptr<EagerRuntime>> runtimes = {EagerRuntime::create(shared), EagerRuntime::create(shared)};
  for (double slope : {1.0, 2.0}) {
    std::shared_ptr<EagerRuntime> &runtime = runtimes[slope == 2.0];
    runtime->installExtension(scaled(slope));
    Scope scope(runtime, engine_);
    EagerTensor x = runtime->variable(vector({5}));
    sum(extension("lab.identity.v1", {x})[0]).backward(engine_);
    EXPECT_EQ(valuesOf(x.grad()), (Values{slope}));
  }
}

TEST_P(ExtensionTest, AContextBuiltWithRules) {
  RuntimeOptions shared = options();
  shared.adContext = AdContext::create({scaled(3)}, {.maxEntries = 7});
  EXPECT_EQ(shared.adContext->limits().maxEntries, 7u);
  for (int i = 0; i < 2; ++i) {
    auto runtime = EagerRuntime::create(shared);
    EXPECT_EQ(runtime->epoch(), 1u);
    Scope scope(runtime, engine_);
    EagerTensor x = runtime->variable(vector({5}));
    sum(extension("lab.identity.v1", {x})[0]).backward(engine_);
    EXPECT_EQ(valuesOf(x.grad()), (Values{3}));
  }
  EXPECT_EQ(shared.adContext->stats().misses, 1u);
  EXPECT_EQ(shared.adContext->stats().hits, 1u);
  failureFrom<ValidationError>([] { AdContext::create({scaled(1), scaled(2)}); });
}

TEST_P(ExtensionTest, RegisteringWhileOthersRun) {
  runtime_->installExtension(scaled(1));
  std::vector<ExtensionModule> modules = {scaled(1), scaled(2), scaled(3)};
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      CpuEngine engine;
      EagerTensor x = runtime_->variable(vector({1, 1}));
      for (int i = 0; i < 40 || !stop; ++i) {
        Scope scope(runtime_, engine);
        EagerTensor loss = sum(extension("lab.identity.v1", {x})[0]);
        double slope = valuesOf(runtime_->grad(engine, loss, x))[0];
        if (slope != 1 && slope != 2 && slope != 3)
          ++wrong;
        if (i > 400)
          break;
      }
    });
  for (int i = 0; i < 60; ++i)
    runtime_->installExtension(modules[static_cast<size_t>(i) % 3]);
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(runtime_->epoch(), 61u);
  EagerTensor loss = sum(call("lab.identity.v1", x_));
  EXPECT_EQ(valuesOf(grad(loss, x_)), (Values{3, 3, 3}));
}

INSTANTIATE_TEST_SUITE_P(Policies, ExtensionTest,
                         testing::Values(CompilePolicy::Background, CompilePolicy::Immediate, CompilePolicy::Never));

} // namespace tenferro::test
