// Random programs as compiled functions: forward, vjp, jvp and backward through a call give the bits and the errors of
// the same operations run eagerly, before, while and after a program that is compiled behind takes over.
// compiled-corpus-test [--seed=S] [--programs=N] [--program=I]
#include "test/unit/corpus/CorpusOptions.h"
#include "test/unit/corpus/RandomProgram.h"

#include "lib/Eager/TensorImpl.h"
#include "lib/Eager/Trace/Recorder.h"
#include "runtime/launch/LaunchContext.h"
#include "runtime/launch/StridedCopy.h"
#include "tenferro/tenferro.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

namespace tenferro::test {

namespace {

using Tensors = std::vector<EagerTensor>;

Tensor randomTensor(const core::ValueType &type, Random &random) {
  Argument argument = randomArgument(type, random, random.chance(20));
  Tensor tensor = detail::TensorAccess::allocate(type.dtype, type.shape);
  if (type.shape.elementCount())
    runtime::copyToContiguous(argument.view, detail::TensorAccess::view(tensor).data, runtime::LaunchContext());
  return tensor;
}

/// Which operations the outputs need.
std::vector<bool> needed(const core::Graph &graph) {
  std::vector<bool> values(graph.inputs.size() + graph.ops.size()), operations(graph.ops.size());
  for (uint32_t output : graph.outputs)
    values[output] = true;
  for (size_t k = graph.ops.size(); k-- > 0;) {
    if (!values[graph.inputs.size() + k])
      continue;
    operations[k] = true;
    for (uint32_t operand : graph.ops[k].operands)
      values[operand] = true;
  }
  return operations;
}

/// The program in eager operations.
Tensors replay(const core::Graph &graph, EagerSession &session, const Tensors &arguments) {
  const std::vector<bool> wanted = needed(graph);
  Tensors values = arguments;
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    const core::GraphOp &op = graph.ops[k];
    values.emplace_back();
    if (!wanted[k])
      continue;
    std::vector<const EagerTensor *> operands;
    for (uint32_t operand : op.operands)
      operands.push_back(&values[operand]);
    // A result that records nothing more than a detached value, as the user writes it.
    values.back() = op.kind == core::OpKind::Detach
                        ? operands[0]->detach()
                        : eager::apply(session.runtime(), session.engine(), op.kind, operands, op.attributes,
                                       std::source_location::current());
  }
  Tensors outputs;
  for (uint32_t output : graph.outputs)
    outputs.push_back(values[output]);
  return outputs;
}

/// Bits, where any NaN equals any NaN.
template <typename T> bool sameElements(const Tensor &a, const Tensor &b) {
  std::vector<T> x = a.toVector<T>(), y = b.toVector<T>();
  for (size_t i = 0; i < x.size(); ++i)
    if (std::memcmp(&x[i], &y[i], sizeof(T)) != 0 && !(x[i] != x[i] && y[i] != y[i]))
      return false;
  return true;
}

bool same(const Tensor &a, const Tensor &b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape()))
    return false;
  switch (a.dtype()) {
  case DType::F64:
    return sameElements<double>(a, b);
  case DType::F32:
    return sameElements<float>(a, b);
  case DType::I64:
    return sameElements<int64_t>(a, b);
  case DType::I32:
    return sameElements<int32_t>(a, b);
  default:
    return std::memcmp(a.contiguous().data(), b.contiguous().data(), static_cast<size_t>(a.elementCount())) == 0;
  }
}

bool same(const std::optional<EagerTensor> &a, const EagerTensor &b) {
  if (!a || b.empty())
    return !a && b.empty();
  return same(a->value(), b.value());
}

/// What a call gave: tensors, or the error raised.
struct Outcome {
  std::optional<Failure> failure;
  Tensors tensors;
};
template <typename Call> Outcome outcomeOf(Call &&call) {
  Outcome outcome;
  try {
    outcome.tensors = call();
  } catch (const Error &error) {
    outcome.failure = error.failure();
  }
  return outcome;
}

/// What the programs of a run exercised, so that an empty corpus cannot pass.
struct Coverage {
  int64_t values = 0, errors = 0, gradients = 0, tangents = 0;
  uint64_t runsBeforeSwap = 0, runsAfterSwap = 0, failed = 0;
};

class CompiledCorpus {
public:
  CompiledCorpus(int64_t index, Coverage &coverage) : coverage_(coverage), random_(corpusOptions.seedOf(index)) {
    RandomProgram program = randomProgram(random_);
    graph_ = program.nested ? program.inner : program.graph;
    RuntimeOptions runtimeOptions;
    constexpr CompilePolicy kPolicies[] = {CompilePolicy::Background, CompilePolicy::Immediate,
                                           CompilePolicy::Background, CompilePolicy::Never};
    isBackground_ = (runtimeOptions.policy = kPolicies[index % 4]) == CompilePolicy::Background;
    runtime_ = EagerRuntime::create(runtimeOptions);
  }

  std::string text() const { return core::structureKey(graph_, {}); }

  bool check() {
    if (!isBackground_)
      return checkOnce();
    // The second round asks for the fused programs and goes on while they come.
    for (int round = 0; round < 4; ++round) {
      if (!checkOnce())
        return false;
      if (round == 2)
        runtime_->finishCompiles();
    }
    const CompileStats stats = runtime_->cacheStats().compiles;
    coverage_.runsBeforeSwap += stats.runsOpByOp;
    coverage_.runsAfterSwap += stats.runsFused;
    coverage_.failed += stats.failed;
    return true;
  }

private:
  bool checkOnce() {
    Tensors constants, variables;
    for (const core::ValueType &type : graph_.inputs) {
      Tensor value = randomTensor(type, random_);
      constants.push_back(runtime_->constant(value));
      variables.push_back(runtime_->variable(value));
    }
    auto function = runtime_->compile(
        [this](EagerSession &session, const Tensors &arguments) { return replay(graph_, session, arguments); });
    Outcome want = outcomeOf(
        [&] { return runtime_->session(engine_, [&](EagerSession &s) { return replay(graph_, s, variables); }); });
    Outcome got = outcomeOf([&] { return function(engine_, constants); });
    if (want.failure || got.failure) {
      ++coverage_.errors;
      const bool agree =
          want.failure && got.failure && want.failure->kind == got.failure->kind && want.failure->op == got.failure->op;
      auto text = [](const Outcome &outcome) {
        return outcome.failure ? Error(*outcome.failure).what() : std::string("none");
      };
      if (!agree)
        ADD_FAILURE() << "errors differ: " << text(want) << " against " << text(got);
      return agree;
    }
    for (size_t i = 0; i < want.tensors.size(); ++i, ++coverage_.values)
      if (!same(want.tensors[i].value(), got.tensors[i].value()))
        return differ("result", i);
    std::vector<size_t> floats;
    for (size_t i = 0; i < want.tensors.size(); ++i)
      if (isDifferentiable(want.tensors[i].dtype()))
        floats.push_back(i);
    return floats.empty() || (checkGradients(function, constants, variables, want.tensors, random_.pick(floats)) &&
                              checkTangents(function, constants, variables, want.tensors));
  }

  static bool differ(const char *what, size_t i) {
    ADD_FAILURE() << what << " " << i << " differs";
    return false;
  }

  /// Eagerly, through a recorded call, and as a program of its own.
  template <typename Function>
  bool checkGradients(const Function &function, const Tensors &constants, const Tensors &variables,
                      const Tensors &outputs, size_t output) {
    EagerTensor cotangent =
        runtime_->constant(randomTensor({outputs[output].dtype(), outputs[output].shape()}, random_));
    std::vector<std::optional<EagerTensor>> want = runtime_->vjpMany(engine_, outputs[output], variables, cotangent);
    Tensors seeds(outputs.size());
    seeds[output] = cotangent;
    Tensors got = function.vjp(engine_, constants, seeds).derivative;
    EagerTensor called = function(engine_, variables)[output];
    std::vector<std::optional<EagerTensor>> through = runtime_->vjpMany(engine_, called, variables, cotangent);
    for (size_t i = 0; i < want.size(); ++i) {
      coverage_.gradients += want[i].has_value();
      if (!same(want[i], got[i]))
        return differ("gradient", i);
      if (!same(want[i], through[i].value_or(EagerTensor())))
        return differ("gradient through a call", i);
    }
    return true;
  }

  template <typename Function>
  bool checkTangents(const Function &function, const Tensors &constants, const Tensors &variables,
                     const Tensors &outputs) {
    std::vector<size_t> floats;
    for (size_t i = 0; i < variables.size(); ++i)
      if (isDifferentiable(variables[i].dtype()))
        floats.push_back(i);
    if (floats.empty())
      return true;
    const size_t along = random_.pick(floats);
    EagerTensor tangent =
        runtime_->constant(randomTensor({variables[along].dtype(), variables[along].shape()}, random_));
    Tensors tangents(variables.size());
    tangents[along] = tangent;
    Tensors got = function.jvp(engine_, constants, tangents).derivative;
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::optional<EagerTensor> want = runtime_->jvpOptional(engine_, outputs[i], variables[along], tangent);
      coverage_.tangents += want.has_value();
      if (!same(want, got[i]))
        return differ("tangent", i);
    }
    return true;
  }

  Coverage &coverage_;
  Random random_;
  core::Graph graph_;
  std::shared_ptr<EagerRuntime> runtime_;
  bool isBackground_ = false;
  CpuEngine engine_{{.threads = 1}};
};

TEST(CompiledCorpus, CompiledFunctionsGiveTheBitsOfEager) {
  const int64_t begin = corpusOptions.begin();
  const int64_t end = corpusOptions.end();
  Coverage coverage;
  int64_t bad = 0;
  for (int64_t index = begin; index < end && bad < 5; ++index) {
    bool agrees = false;
    CompiledCorpus program(index, coverage);
    try {
      agrees = program.check();
    } catch (const std::exception &error) {
      ADD_FAILURE() << "exception: " << error.what();
    }
    if (!agrees) {
      ++bad;
      std::printf("%s", program.text().c_str());
      corpusOptions.printReproduction(index);
    }
  }
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(coverage.failed, 0u);
  std::printf("%lld results, %lld gradients, %lld tangents, %lld errors\n", static_cast<long long>(coverage.values),
              static_cast<long long>(coverage.gradients), static_cast<long long>(coverage.tangents),
              static_cast<long long>(coverage.errors));
  if (end - begin < 50)
    return;
  EXPECT_GT(coverage.values, end - begin);
  EXPECT_GT(coverage.gradients * 4, end - begin);
  EXPECT_GT(coverage.tangents * 4, end - begin);
  EXPECT_GT(coverage.runsBeforeSwap, static_cast<uint64_t>(end - begin));
  EXPECT_GT(coverage.runsAfterSwap, static_cast<uint64_t>(end - begin));
}

} // namespace
} // namespace tenferro::test

int main(int argc, char **argv) { return tenferro::test::runCorpusTests(argc, argv, "compiled-corpus-test", 80); }
