// Programs that a line of an oracle file spells out: a list of steps, each an operation or a derivative of an earlier
// step.
#include "tools/tenferro-cases/Operations.h"

#include <map>

namespace tenferro::cases {

namespace {

/// Runs the steps in their order; names stand for the inputs of the line and for the results of earlier steps.
class Steps {
public:
  explicit Steps(EagerSession &session) : session_(session) {}

  void define(const std::string &name, const EagerTensor &value) {
    if (!values_.emplace(name, value).second)
      throw FormatError("expects a name of its own for each input and step, but '" + name + "' is taken");
  }

  void run(const Json &step) {
    auto op = step.at("op").get<std::string>();
    std::vector<EagerTensor> in;
    for (const Json &operand : step.at("in"))
      in.push_back(value(operand));
    Results results = apply(op, step.value("attrs", Json::object()), in);
    Json names = step.at("name");
    if (!names.is_array())
      names = Json::array({names});
    if (names.size() != results.size())
      throw FormatError("'name' expects " + std::to_string(results.size()) + " for the results of " + op +
                        ", but got " + names.dump());
    for (size_t i = 0; i < results.size(); ++i)
      define(names[i].get<std::string>(), results[i]);
  }

  /// By name; a number is an f64 constant of rank 0.
  EagerTensor value(const Json &operand) {
    if (operand.is_number())
      return session_.constant(Tensor::scalar(operand.get<double>()));
    auto name = operand.get<std::string>();
    auto found = values_.find(name);
    if (found == values_.end())
      throw FormatError("'" + name + "' names neither an input nor an earlier step");
    return found->second;
  }

private:
  Results apply(const std::string &op, const Json &attributes, std::span<const EagerTensor> in) {
    if (op == "vjp" || op == "jvp")
      return derivative(op, in);
    if (op == "detach" || op == "variable") {
      require(op, in, 1, 1);
      return op == "detach" ? in[0].detach() : session_.runtime().variable(in[0].value());
    }
    return findOperation(op)(session_, attributes, in);
  }

  void require(const std::string &op, std::span<const EagerTensor> in, size_t least, size_t most) {
    if (in.size() < least || in.size() > most)
      throw FormatError(op + " expects " + std::to_string(least) + (most > least ? " or " + std::to_string(most) : "") +
                        " inputs, but got " + std::to_string(in.size()));
  }

  /// Inputs y, x and the cotangent (of a scalar y: 1) or tangent. What is proven absent is zeros.
  EagerTensor derivative(const std::string &op, std::span<const EagerTensor> in) {
    require(op, in, op == "vjp" ? 2 : 3, 3);
    EagerRuntime &runtime = session_.runtime();
    ExecutionEngine &engine = session_.engine();
    std::optional<EagerTensor> found = op == "jvp"      ? runtime.jvpOptional(engine, in[0], in[1], in[2])
                                       : in.size() == 2 ? runtime.gradOptional(engine, in[0], in[1])
                                                        : runtime.vjpOptional(engine, in[0], in[1], in[2]);
    if (found)
      return *found;
    const EagerTensor &like = op == "jvp" ? in[0] : in[1];
    return session_.constant(Tensor::zeros(like.shape(), like.dtype()));
  }

  EagerSession &session_;
  std::map<std::string, EagerTensor> values_;
};

} // namespace

Results runSteps(EagerSession &session, const Json &attributes, std::span<const EagerTensor> in) {
  const Json &names = attributes.at("inputs");
  if (names.size() != in.size())
    throw FormatError("'inputs' expects a name per input, so " + std::to_string(in.size()) + ", but got " +
                      names.dump());
  Steps steps(session);
  for (size_t i = 0; i < in.size(); ++i)
    steps.define(names[i].get<std::string>(), in[i]);
  for (const Json &step : attributes.at("steps"))
    steps.run(step);
  std::vector<EagerTensor> results;
  for (const Json &name : attributes.at("results"))
    results.push_back(steps.value(name));
  return results;
}

} // namespace tenferro::cases
