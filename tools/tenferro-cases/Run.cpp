// Values, pull-backs, push-forwards, second order and errors of one case.
#include "tools/tenferro-cases/Run.h"

#include "tools/tenferro-cases/Compare.h"
#include "tools/tenferro-cases/Operations.h"

namespace tenferro::cases {

namespace {

class Runner {
public:
  Runner(const Case &test, EagerRuntime &runtime, ExecutionEngine &engine)
      : test_(test), runtime_(runtime), engine_(engine) {}

  std::vector<std::string> values() {
    makeInputs();
    Results outputs = apply(test_.op, test_.attributes);
    if (test_.outputs.size() != outputs.size())
      throw FormatError("'out' expects the " + (outputs.size() == 1 ? "one result" : std::to_string(outputs.size()) + " results") +
                        " of " + test_.op + ", but got " + std::to_string(test_.outputs.size()));
    Tolerance tolerance{test_.rtol, test_.atol, signOfZeroMatters()};
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::string part = outputs.size() == 1 ? "value" : "value[" + std::to_string(i) + "]";
      if (test_.maxUlp)
        report(part, compareAccuracy(outputs[i].value(), test_.outputs[i], *test_.maxUlp,
                                     test_.accuracyFloor.value_or(-1), signOfZeroCounts(test_.op)));
      else
        report(part, compareTensors(outputs[i].value(), test_.outputs[i], tolerance));
    }
    if (test_.maxUlp || !test_.hasDerivatives)
      return failures_;
    tolerance.signOfZero = false;
    guarded("vjp", [&] { pullBack(outputs, tolerance); });
    guarded("jvp", [&] { pushForward(outputs, tolerance); });
    if (!test_.hvp.empty())
      guarded("hvp", [&] { secondOrder(outputs, {10 * test_.rtol, 10 * test_.atol}); });
    return failures_;
  }

  /// The kind of the error that the call raises.
  std::vector<std::string> errors() {
    makeInputs();
    try {
      if (test_.op == "backward" || test_.op == "vjp" || test_.op == "jvp")
        derivativeCall();
      else
        apply(test_.op, test_.attributes);
      failures_.push_back("expected error " + test_.raises + ", got a value");
    } catch (const Error &error) {
      if (error.kind() == ErrorKind::Unsupported && test_.raises != name(error.kind()))
        throw UnsupportedError(
            std::string(error.failure().dtypes.empty() ? "" : "dtype " + std::string(name(error.failure().dtypes[0]))));
      if (name(error.kind()) != test_.raises)
        failures_.push_back("expected error " + test_.raises + ", got " + std::string(name(error.kind())) + ": " +
                            error.what());
    }
    return failures_;
  }

private:
  void report(const std::string &part, const std::string &difference) {
    if (!difference.empty())
      failures_.push_back(part + " " + difference);
  }

  template <typename Body> void guarded(const std::string &part, Body &&body) {
    try {
      body();
    } catch (const std::exception &error) {
      failures_.push_back(part + " raised: " + error.what());
    }
  }

  /// An input that carries a derivative somewhere is a variable.
  void makeInputs() {
    bool derivativeError = !test_.raises.empty();
    for (size_t i = 0; i < test_.inputs.size(); ++i) {
      bool active =
          derivativeError || (i < test_.vjp.size() && test_.vjp[i]) || (i < test_.tangents.size() && test_.tangents[i]);
      inputs_.push_back(active ? runtime_.variable(test_.inputs[i]) : runtime_.constant(test_.inputs[i]));
      if (active && test_.raises.empty()) {
        wrt_.push_back(inputs_.back());
        wrtIndex_.push_back(i);
      }
    }
  }

  Results apply(const std::string &op, const Json &attributes) {
    const Operation &operation = findOperation(op);
    return runtime_.session(engine_, [&](EagerSession &s) { return operation(s, attributes, inputs_); });
  }

  /// "the sign of a zero result counts for odd functions", where the note says so.
  bool signOfZeroMatters() const {
    return test_.note.find("sign of a zero result counts") != std::string::npos && signOfZeroCounts(test_.op);
  }

  Tensor orZeros(const std::optional<EagerTensor> &derivative, const Tensor &like) const {
    return derivative ? derivative->value() : Tensor::zeros(like.shape(), like.dtype());
  }

  /// `total` plus `part`, where either may be absent.
  void accumulate(std::optional<EagerTensor> &total, const std::optional<EagerTensor> &part) {
    if (part)
      total = total ? runtime_.session(engine_, [&](EagerSession &s) { return s.add(*total, *part); }) : *part;
  }

  /// The pull-back of all outputs is the sum of those of each.
  std::vector<std::optional<EagerTensor>> pullBackAll(const Results &outputs) {
    std::vector<std::optional<EagerTensor>> total(wrt_.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!test_.cotangents.at(i))
        continue;
      auto parts = runtime_.vjpMany(engine_, outputs[i], wrt_, runtime_.constant(*test_.cotangents[i]));
      for (size_t k = 0; k < wrt_.size(); ++k)
        accumulate(total[k], parts[k]);
    }
    return total;
  }

  void pullBack(const Results &outputs, const Tolerance &tolerance) {
    auto gradients = pullBackAll(outputs);
    for (size_t k = 0; k < wrt_.size(); ++k)
      if (const auto &want = test_.vjp.at(wrtIndex_[k]))
        report("vjp[" + std::to_string(wrtIndex_[k]) + "]",
               compareTensors(orZeros(gradients[k], *want), *want, tolerance));
  }

  void pushForward(const Results &outputs, const Tolerance &tolerance) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto &want = test_.jvp.at(i);
      if (!want)
        continue;
      // The push-forward along several inputs is the sum of those along each.
      std::optional<EagerTensor> total;
      for (size_t k = 0; k < wrt_.size(); ++k)
        if (const auto &tangent = test_.tangents.at(wrtIndex_[k]))
          accumulate(total, runtime_.jvpOptional(engine_, outputs[i], wrt_[k], runtime_.constant(*tangent)));
      report(outputs.size() == 1 ? "jvp" : "jvp[" + std::to_string(i) + "]",
             compareTensors(orZeros(total, *want), *want, tolerance));
    }
  }

  /// The gradient of <vjp(x; cotangent), tangent>.
  void secondOrder(const Results &outputs, const Tolerance &tolerance) {
    auto gradients = pullBackAll(outputs);
    std::optional<EagerTensor> product;
    runtime_.session(engine_, [&](EagerSession &s) {
      for (size_t k = 0; k < wrt_.size(); ++k) {
        const auto &tangent = test_.tangents.at(wrtIndex_[k]);
        if (!gradients[k] || !tangent)
          continue;
        EagerTensor part = s.sum(s.mul(*gradients[k], s.constant(*tangent)));
        product = product ? s.add(*product, part) : part;
      }
    });
    std::vector<std::optional<EagerTensor>> second(wrt_.size());
    if (product && product->tracksGrad())
      second = runtime_.vjpMany(engine_, *product, wrt_);
    for (size_t k = 0; k < wrt_.size(); ++k)
      if (const auto &want = test_.hvp.at(wrtIndex_[k]))
        report("hvp[" + std::to_string(wrtIndex_[k]) + "]",
               compareTensors(orZeros(second[k], *want), *want, tolerance));
  }

  /// backward, vjp or jvp of the operation in `of`, with a seed of the given shape and dtype.
  void derivativeCall() {
    EagerTensor output = apply(test_.attributes.at("of").get<std::string>(), test_.attributes.at("attrs")).at(0);
    if (test_.op == "backward") {
      output.backward(engine_);
      return;
    }
    std::string prefix = test_.op == "vjp" ? "cotangent" : "tangent";
    Shape shape;
    for (const Json &extent : test_.attributes.at(prefix + "_shape"))
      shape.push_back(extent.get<int64_t>());
    DType dtype = parseDTypeName(test_.op, test_.attributes.at(prefix + "_dtype").get<std::string>());
    if (inputs_.empty())
      throw FormatError(test_.op + " expects an input to differentiate by, but got none");
    EagerTensor seed = runtime_.constant(Tensor::zeros(shape, dtype));
    if (test_.op == "vjp")
      runtime_.vjp(engine_, output, inputs_[0], seed);
    else
      runtime_.jvp(engine_, output, inputs_[0], seed);
  }

  const Case &test_;
  EagerRuntime &runtime_;
  ExecutionEngine &engine_;
  std::vector<EagerTensor> inputs_, wrt_;
  std::vector<size_t> wrtIndex_;
  std::vector<std::string> failures_;
};

} // namespace

std::vector<std::string> runCase(const Case &test, EagerRuntime &runtime, ExecutionEngine &engine) {
  Runner runner(test, runtime, engine);
  return test.raises.empty() ? runner.values() : runner.errors();
}

} // namespace tenferro::cases
