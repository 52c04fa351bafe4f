// What the bodies of a function with its own derivative rules take and return.
#include "lib/Core/Graph.h"

namespace tenferro::core {

namespace {

void appendDifferentiable(std::vector<ValueType> &to, const std::vector<ValueType> &from, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (isDifferentiable(from[i].dtype))
      to.push_back(from[i]);
}

} // namespace

RoleTypes roleTypes(const CustomFunction &function, CustomRole role) {
  RoleTypes types;
  const std::vector<ValueType> &operands = function.operands, &results = function.results;
  auto isLinear = [&](size_t i) { return i < function.linear.size() && function.linear[i]; };
  switch (role) {
  case CustomRole::Primal:
    types.arguments.assign(operands.begin(), operands.begin() + function.inputs + function.captures);
    types.results = results;
    return types;
  case CustomRole::Jvp:
  case CustomRole::Vjp:
    types.arguments = operands;
    types.arguments.insert(types.arguments.end(), results.begin(), results.end());
    if (role == CustomRole::Jvp) {
      appendDifferentiable(types.arguments, operands, function.inputs);
      appendDifferentiable(types.results, results, results.size());
    } else {
      appendDifferentiable(types.arguments, results, results.size());
      appendDifferentiable(types.results, operands, function.inputs);
    }
    return types;
  case CustomRole::Transpose:
    for (size_t i = 0; i < operands.size(); ++i)
      (isLinear(i) ? types.results : types.arguments).push_back(operands[i]);
    appendDifferentiable(types.arguments, results, results.size());
    return types;
  }
  return types;
}

std::string_view name(CustomRole role) noexcept {
  constexpr std::string_view names[] = {"primal", "jvp", "vjp", "transpose"};
  return names[static_cast<size_t>(role)];
}

const RuleFunction *roleBody(const CustomFunction &function, CustomRole role) noexcept {
  const std::shared_ptr<const RuleFunction> *bodies[] = {&function.primal, &function.jvp, &function.vjp,
                                                         &function.transpose};
  return bodies[static_cast<size_t>(role)]->get();
}

} // namespace tenferro::core
