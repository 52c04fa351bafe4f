// Refuses malformed graphs: after these checks, import trusts every number it reads.
#include "lib/Import/GraphCheck.h"

#include "lib/Core/ShapeRules.h"

#include <algorithm>
#include <set>
#include <string>

namespace tenferro::compiler {
namespace {

using core::Graph;
using core::Transform;
using core::TransformKind;
using core::ValueType;

Failure invalid(ErrorKind kind, std::string op, std::string message) {
  Failure failure;
  failure.kind = kind;
  failure.phase = Phase::Compile;
  failure.op = std::move(op);
  failure.message = std::move(message);
  return failure;
}

std::string describe(const ValueType &type) { return std::string(name(type.dtype)) + type.shape.str(); }

std::optional<Failure> checkType(const ValueType &type, const std::string &op) {
  if (static_cast<int>(type.dtype) >= kDTypeCount)
    return invalid(ErrorKind::InvalidArgument, op,
                   "expects a dtype, but got number " + std::to_string(static_cast<int>(type.dtype)));
  if (!core::isSupported(type.dtype)) {
    auto failure = invalid(ErrorKind::Unsupported, op,
                           "expects f32, f64, i32, i64, u8 or bool, but got " + std::string(name(type.dtype)));
    failure.dtypes = {type.dtype};
    return failure;
  }
  if (!type.shape.isValid())
    return invalid(ErrorKind::InvalidArgument, op,
                   "expects extents that are at least 0 and fit in memory, but got " + type.shape.str());
  return std::nullopt;
}

class Checker {
public:
  std::optional<Failure> check(const Graph &graph, const Transform &transform, int depth) {
    if (depth > kMaxCallDepth)
      return invalid(ErrorKind::Unsupported, "call",
                     "expects calls nested at most " + std::to_string(kMaxCallDepth) + " deep");
    std::vector<const ValueType *> types;
    for (const ValueType &input : graph.inputs) {
      if (auto failure = checkType(input, "input"))
        return failure;
      types.push_back(&input);
    }
    for (const core::GraphOp &op : graph.ops) {
      auto failure = op.custom ? checkCustom(op, types, depth)
                     : op.callee ? checkCall(op, types, depth)
                                 : checkOp(op, types);
      if (failure)
        return failure;
      for (const ValueType &result : op.results)
        types.push_back(&result);
    }
    for (uint32_t output : graph.outputs)
      if (output >= types.size())
        return badNumber("output", output, types.size());
    for (core::SavedValue saved : graph.saved) {
      if (saved.value >= types.size())
        return badNumber("saved value", saved.value, types.size());
      if (saved.input >= graph.inputs.size())
        return badNumber("input of a saved value", saved.input, graph.inputs.size());
      if (*types[saved.value] != graph.inputs[saved.input])
        return invalid(ErrorKind::InvalidArgument, "saved",
                       "expects a saved value and its input to have equal types, but got " +
                           describe(*types[saved.value]) + " and " + describe(graph.inputs[saved.input]));
    }
    return checkTransform(graph, transform, types);
  }

private:
  static Failure badNumber(const std::string &what, uint64_t number, uint64_t count) {
    return invalid(ErrorKind::InvalidArgument, what,
                   "expects a number below " + std::to_string(count) + ", but got " + std::to_string(number));
  }

  static std::optional<Failure> checkOp(const core::GraphOp &op, const std::vector<const ValueType *> &types) {
    int kind = static_cast<int>(op.kind);
    if (kind >= core::kOpKindCount)
      return badNumber("operation", static_cast<uint64_t>(kind), core::kOpKindCount);
    std::string mnemonic(core::schema(op.kind).mnemonic);
    std::vector<ValueType> operands;
    for (uint32_t operand : op.operands) {
      if (operand >= types.size())
        return badNumber(mnemonic, operand, types.size());
      operands.push_back(*types[operand]);
    }
    auto result = core::inferResult(op.kind, operands, op.attributes);
    if (!result) {
      result.failure().phase = Phase::Compile;
      return result.failure();
    }
    if (op.results.size() != 1 || op.results[0] != *result)
      return invalid(
          ErrorKind::InvalidArgument, mnemonic,
          "expects one result of type " + describe(*result) + ", but got " +
              (op.results.size() == 1 ? describe(op.results[0]) : std::to_string(op.results.size()) + " results"));
    return std::nullopt;
  }

  std::optional<Failure> checkCall(const core::GraphOp &op, const std::vector<const ValueType *> &types, int depth) {
    const core::DerivedFunction &callee = *op.callee;
    if (checked_.insert(&callee).second)
      if (auto failure = check(callee.graph, callee.transform, depth + 1))
        return failure;
    Signature signature = signatureOf(callee.graph, callee.transform);
    if (op.operands.size() != signature.arguments.size())
      return invalid(ErrorKind::InvalidArgument, "call",
                     "expects " + std::to_string(signature.arguments.size()) + " operands, but got " +
                         std::to_string(op.operands.size()));
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (op.operands[i] >= types.size())
        return badNumber("call", op.operands[i], types.size());
      if (*types[op.operands[i]] != signature.arguments[i])
        return invalid(ErrorKind::InvalidArgument, "call",
                       "expects operand " + std::to_string(i) + " of type " + describe(signature.arguments[i]) +
                           ", but got " + describe(*types[op.operands[i]]));
    }
    if (callee.active.size() != signature.results.size())
      return invalid(ErrorKind::InvalidArgument, "call",
                     "expects " + std::to_string(signature.results.size()) + " activity flags, but got " +
                         std::to_string(callee.active.size()));
    std::vector<ValueType> results;
    for (size_t i = 0; i < signature.results.size(); ++i)
      if (callee.active[i])
        results.push_back(signature.results[i]);
    if (results != op.results)
      return invalid(ErrorKind::InvalidArgument, "call", "expects the result types of its callee");
    return std::nullopt;
  }

  /// Operands and results of a call as its function says, which in turn is what its bodies take and return.
  std::optional<Failure> checkCustom(const core::GraphOp &op, const std::vector<const ValueType *> &types, int depth) {
    const core::CustomFunction &callee = *op.custom;
    if (checkedCustoms_.insert(&callee).second)
      if (auto failure = checkCustomFunction(callee, depth))
        return failure;
    if (op.operands.size() != callee.operands.size())
      return invalid(ErrorKind::InvalidArgument, callee.name,
                     "expects " + std::to_string(callee.operands.size()) + " operands, but got " +
                         std::to_string(op.operands.size()));
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (op.operands[i] >= types.size())
        return badNumber(callee.name, op.operands[i], types.size());
      if (*types[op.operands[i]] != callee.operands[i])
        return invalid(ErrorKind::InvalidArgument, callee.name,
                       "expects operand " + std::to_string(i) + " of type " + describe(callee.operands[i]) +
                           ", but got " + describe(*types[op.operands[i]]));
    }
    if (op.results != callee.results)
      return invalid(ErrorKind::InvalidArgument, callee.name, "expects the result types of its function");
    return std::nullopt;
  }

  std::optional<Failure> checkCustomFunction(const core::CustomFunction &function, int depth) {
    for (const std::vector<ValueType> *list : {&function.operands, &function.results})
      for (const ValueType &type : *list)
        if (auto failure = checkType(type, function.name))
          return failure;
    size_t linear = function.transpose ? function.inputs : 0;
    if (function.results.empty() || function.linear.size() != linear ||
        static_cast<size_t>(function.inputs) + function.captures > function.operands.size())
      return invalid(ErrorKind::InvalidArgument, function.name,
                     "expects results, inputs and captures among the operands, and one linear flag per input where there is a transpose");
    for (size_t i = 0; i < linear; ++i)
      if (function.linear[i] && !isDifferentiable(function.operands[i].dtype))
        return invalid(ErrorKind::InvalidArgument, function.name, "expects linear inputs to be floats");
    using core::CustomRole;
    for (CustomRole role : {CustomRole::Primal, CustomRole::Jvp, CustomRole::Vjp, CustomRole::Transpose})
      if (const core::RuleFunction *rule = core::roleBody(function, role))
        if (auto failure = checkRole(function, role, *rule, depth))
          return failure;
    return std::nullopt;
  }

  std::optional<Failure> checkRole(const core::CustomFunction &function, core::CustomRole role,
                                   const core::RuleFunction &rule, int depth) {
    if (auto failure = check(rule.graph, {}, depth + 1))
      return failure;
    std::string what = function.name + "." + std::string(core::name(role));
    core::RoleTypes types = core::roleTypes(function, role);
    size_t arguments = types.arguments.size();
    if (rule.graph.inputs.size() != arguments + rule.constants.size() || !rule.graph.saved.empty() ||
        !std::equal(types.arguments.begin(), types.arguments.end(), rule.graph.inputs.begin()))
      return invalid(ErrorKind::InvalidArgument, what, "expects the arguments of its role, then its constants");
    for (size_t i = 0; i < rule.constants.size(); ++i)
      if (rule.constants[i].input != arguments + i)
        return invalid(ErrorKind::InvalidArgument, what, "expects its constants behind its arguments");
    std::vector<ValueType> results;
    auto values = valueTypes(rule.graph);
    for (uint32_t output : rule.graph.outputs)
      results.push_back(*values[output]);
    if (results != types.results)
      return invalid(ErrorKind::InvalidArgument, what, "expects the results of its role");
    return std::nullopt;
  }

  static std::optional<Failure> checkTransform(const Graph &graph, const Transform &transform,
                                               const std::vector<const ValueType *> &types) {
    if (transform.kind == TransformKind::Forward)
      return std::nullopt;
    if (transform.kind != TransformKind::Vjp && transform.kind != TransformKind::Jvp)
      return badNumber("transform", static_cast<uint64_t>(transform.kind), 3);
    std::string op = transform.kind == TransformKind::Vjp ? "vjp" : "jvp";
    for (uint32_t value : transform.wrt) {
      if (value >= types.size())
        return badNumber(op, value, types.size());
      if (!isDifferentiable(types[value]->dtype)) {
        auto failure = invalid(ErrorKind::DTypeMismatch, op,
                               "expects floats to differentiate with respect to, but got " +
                                   std::string(name(types[value]->dtype)));
        failure.argument = "wrt";
        failure.dtypes = {types[value]->dtype};
        return failure;
      }
    }
    auto distinct = std::set<uint32_t>(transform.wrt.begin(), transform.wrt.end());
    if (distinct.size() != transform.wrt.size()) {
      auto failure = invalid(ErrorKind::InvalidArgument, op, "expects distinct values, but got one twice");
      failure.argument = "wrt";
      return failure;
    }
    if (transform.kind == TransformKind::Vjp && transform.seedOnes) {
      if (graph.outputs.size() != 1 || types[graph.outputs[0]]->shape.elementCount() != 1 ||
          !isDifferentiable(types[graph.outputs[0]]->dtype)) {
        auto failure =
            invalid(ErrorKind::NonScalarGrad, op, "expects one float output of one element to seed with one");
        failure.shapes = {graph.outputs.empty() ? Shape() : types[graph.outputs[0]]->shape};
        return failure;
      }
    }
    return std::nullopt;
  }

  std::set<const core::DerivedFunction *> checked_;
  std::set<const core::CustomFunction *> checkedCustoms_;
};

} // namespace

std::vector<const ValueType *> valueTypes(const Graph &graph) {
  std::vector<const ValueType *> types;
  for (const ValueType &input : graph.inputs)
    types.push_back(&input);
  for (const core::GraphOp &op : graph.ops)
    for (const ValueType &result : op.results)
      types.push_back(&result);
  return types;
}

Signature signatureOf(const Graph &graph, const Transform &transform) {
  auto types = valueTypes(graph);
  Signature signature;
  signature.arguments = graph.inputs;
  switch (transform.kind) {
  case TransformKind::Forward:
    for (uint32_t output : graph.outputs)
      signature.results.push_back(*types[output]);
    break;
  case TransformKind::Vjp:
    if (!transform.seedOnes)
      for (uint32_t output : graph.outputs)
        signature.arguments.push_back(*types[output]);
    for (uint32_t value : transform.wrt)
      signature.results.push_back(*types[value]);
    break;
  case TransformKind::Jvp:
    for (uint32_t value : transform.wrt)
      signature.arguments.push_back(*types[value]);
    for (uint32_t output : graph.outputs)
      signature.results.push_back(*types[output]);
    break;
  }
  return signature;
}

std::optional<Failure> checkGraph(const Graph &graph, const Transform &transform) {
  return Checker().check(graph, transform, 0);
}

} // namespace tenferro::compiler
