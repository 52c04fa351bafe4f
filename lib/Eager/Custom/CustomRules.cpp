// Staging of rules, and the layout that all bodies of a function share.
#include "lib/Eager/Custom/CustomRules.h"

#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/ForkLocks.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/TensorImpl.h"
#include "lib/Eager/ThreadState.h"
#include "lib/Eager/Trace/Digest.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace tenferro::eager {

using core::CustomRole;
using core::RoleTypes;
using core::ValueType;
using detail::EagerAccess;
using detail::TensorAccess;

namespace {

Failure ruleFailure(const core::CustomFunction &function, CustomRole role, ErrorKind kind, std::string message) {
  Failure failure;
  failure.kind = kind;
  failure.op = function.name;
  failure.argument = name(role);
  failure.message = std::move(message);
  return failure;
}

std::string ruleName(CustomRole role) {
  return role == CustomRole::Primal ? "the function" : "the " + std::string(name(role)) + " rule";
}

/// The value of a captured number, if it is one.
std::optional<core::RuleConstant> numberOf(const EagerTensor &tensor) {
  const Record *record = EagerAccess::record(tensor);
  if (record->kind != RecordKind::Constant || record->type.shape.elementCount() != 1)
    return std::nullopt;
  core::RuleConstant constant;
  switch (record->type.dtype) {
  case DType::F32:
    constant.real = tensor.value().item<float>();
    break;
  case DType::F64:
    constant.real = tensor.value().item<double>();
    break;
  case DType::I32:
    constant.integer = tensor.value().item<int32_t>();
    break;
  case DType::I64:
    constant.integer = tensor.value().item<int64_t>();
    break;
  case DType::U8:
    constant.integer = tensor.value().item<uint8_t>();
    break;
  case DType::Bool:
    constant.integer = tensor.value().item<bool>();
    break;
  default:
    return std::nullopt;
  }
  return constant;
}

} // namespace

void CustomAssembler::fail(Failure failure) const {
  if (where_) {
    failure.file = where_->file_name();
    failure.line = static_cast<int>(where_->line());
  }
  raise(std::move(failure));
}

void CustomAssembler::checkResults(CustomRole role, const core::Graph &graph) const {
  RoleTypes types = core::roleTypes(function_, role);
  if (graph.outputs.size() != types.results.size())
    fail(ruleFailure(function_, role, ErrorKind::InvalidArgument,
                     "expects " + ruleName(role) + " to return " + std::to_string(types.results.size()) +
                         " tensors, but got " + std::to_string(graph.outputs.size())));
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const ValueType &got = graph.type(graph.outputs[i]), &expected = types.results[i];
    std::string result = "expects result " + std::to_string(i) + " of " + ruleName(role) + " of ";
    if (got.dtype != expected.dtype) {
      Failure failure =
          ruleFailure(function_, role, ErrorKind::DTypeMismatch,
                      result + std::string(name(expected.dtype)) + ", but got " + std::string(name(got.dtype)));
      failure.dtypes = {expected.dtype, got.dtype};
      fail(std::move(failure));
    }
    if (!(got.shape == expected.shape)) {
      Failure failure = ruleFailure(function_, role, ErrorKind::ShapeMismatch,
                                    result + "shape " + expected.shape.str() + ", but got " + got.shape.str());
      failure.shapes = {expected.shape, got.shape};
      fail(std::move(failure));
    }
  }
}

void CustomAssembler::stageBody(EagerRuntime &runtime, ExecutionEngine &engine, CustomRole role,
                                const StagedBody &body) {
  RoleTypes types = core::roleTypes(function_, role);
  Staged staged{role, stage(runtime, engine, types.arguments, function_.name, body), {}, {}};
  if (role == CustomRole::Primal && function_.results.empty()) {
    for (uint32_t output : staged.function.graph.outputs)
      function_.results.push_back(staged.function.graph.type(output));
    if (function_.results.empty())
      fail(ruleFailure(function_, role, ErrorKind::InvalidArgument,
                       "expects the function to return a tensor, but it returns none"));
  }
  checkResults(role, staged.function.graph);
  staged_.push_back(std::move(staged));
}

void CustomAssembler::classify(Staged &staged) {
  for (const EagerTensor &tensor : staged.function.captures) {
    std::optional<core::RuleConstant> number = numberOf(tensor);
    // A zero takes part in deciding whether a rule is linear.
    if (number && !embedsNumbers_ && (number->real != 0 || number->integer != 0 || !isDifferentiable(tensor.dtype())))
      number.reset();
    if (!number && embedsNumbers_)
      fail(ruleFailure(function_, staged.role, ErrorKind::InvalidArgument,
                       "expects " + ruleName(staged.role) + " of a family to capture no tensors; pass them as inputs"));
    staged.numbers.push_back(number);
    size_t place = 0;
    if (!number) {
      auto known = std::find_if(captures_.begin(), captures_.end(), [&](const EagerTensor &capture) {
        return EagerAccess::record(capture) == EagerAccess::record(tensor);
      });
      place = static_cast<size_t>(known - captures_.begin());
      if (known == captures_.end())
        captures_.push_back(tensor);
    }
    staged.captures.push_back(place);
  }
}

std::shared_ptr<const core::RuleFunction> CustomAssembler::laidOut(Staged &staged) const {
  const core::Graph &from = staged.function.graph;
  auto rule = std::make_shared<core::RuleFunction>();
  core::Graph &to = rule->graph;
  RoleTypes types = core::roleTypes(function_, staged.role);
  // Before the captures stand the inputs, or those of them that the role is given.
  size_t before = function_.inputs;
  size_t captures = staged.role == CustomRole::Primal ? function_.captures : captures_.size();
  if (staged.role == CustomRole::Transpose)
    before -= static_cast<size_t>(std::count(function_.linear.begin(), function_.linear.end(), true));
  const size_t placeholders = from.inputs.size() - staged.function.captures.size();
  to.inputs = types.arguments;
  std::vector<uint32_t> number(from.inputs.size());
  for (size_t i = 0; i < placeholders; ++i)
    number[i] = static_cast<uint32_t>(i < before ? i : i + captures);
  for (size_t i = 0; i < staged.captures.size(); ++i) {
    if (!staged.numbers[i]) {
      number[placeholders + i] = static_cast<uint32_t>(before + staged.captures[i]);
      continue;
    }
    core::RuleConstant constant = *staged.numbers[i];
    constant.input = number[placeholders + i] = static_cast<uint32_t>(to.inputs.size());
    to.inputs.push_back(from.inputs[placeholders + i]);
    rule->constants.push_back(constant);
  }
  auto renumbered = [&](uint32_t value) {
    return value < from.inputs.size() ? number[value]
                                      : static_cast<uint32_t>(value - from.inputs.size() + to.inputs.size());
  };
  to.ops = std::move(staged.function.graph.ops);
  for (core::GraphOp &op : to.ops)
    for (uint32_t &operand : op.operands)
      operand = renumbered(operand);
  for (uint32_t output : from.outputs)
    to.outputs.push_back(renumbered(output));
  return rule;
}

std::vector<EagerTensor> CustomAssembler::finish() {
  for (Staged &staged : staged_)
    if (staged.role == CustomRole::Primal)
      classify(staged);
  function_.captures = static_cast<uint32_t>(captures_.size());
  for (Staged &staged : staged_)
    if (staged.role != CustomRole::Primal)
      classify(staged);
  for (const EagerTensor &capture : captures_)
    function_.operands.push_back(EagerAccess::record(capture)->type);
  for (Staged &staged : staged_) {
    std::shared_ptr<const core::RuleFunction> *bodies[] = {&function_.primal, &function_.jvp, &function_.vjp,
                                                           &function_.transpose};
    *bodies[static_cast<size_t>(staged.role)] = laidOut(staged);
  }
  return std::move(captures_);
}

CustomReads readsOf(const core::CustomFunction &function) {
  CustomReads reads{std::vector<bool>(function.operands.size()), std::vector<bool>(function.results.size())};
  std::vector<size_t> fixed; // operands of the transpose
  for (size_t i = 0; i < function.operands.size(); ++i)
    if (i >= function.linear.size() || !function.linear[i])
      fixed.push_back(i);
  for (CustomRole role : {CustomRole::Jvp, CustomRole::Vjp, CustomRole::Transpose}) {
    const core::RuleFunction *rule = core::roleBody(function, role);
    if (!rule)
      continue;
    auto read = [&](uint32_t value) {
      if (role == CustomRole::Transpose) {
        if (value < fixed.size())
          reads.operands[fixed[value]] = true;
      } else if (value < function.operands.size()) {
        reads.operands[value] = true;
      } else if (value < function.operands.size() + function.results.size()) {
        reads.results[value - function.operands.size()] = true;
      }
    };
    for (const core::GraphOp &op : rule->graph.ops)
      for (uint32_t operand : op.operands)
        read(operand);
    for (uint32_t output : rule->graph.outputs)
      read(output);
  }
  return reads;
}

namespace {

/// Functions that somebody holds, by digest: calls of one function share its bodies.
class Interned {
public:
  static Interned &get() { return processWide<Interned>(); }
  std::mutex lock;

  std::shared_ptr<const core::CustomFunction> intern(std::shared_ptr<const core::CustomFunction> fresh) {
    std::string text = core::structureKey(*fresh);
    Digest key = digest(std::string_view(text));
    std::lock_guard guard(lock);
    auto [place, isNew] = known_.try_emplace({key.low, key.high});
    if (!isNew)
      if (std::shared_ptr<const core::CustomFunction> known = place->second.lock())
        return known;
    place->second = fresh;
    if (known_.size() > 2 * alive_) {
      std::erase_if(known_, [](const auto &entry) { return entry.second.expired(); });
      alive_ = std::max<size_t>(known_.size(), 64);
    }
    return fresh;
  }

private:
  std::map<std::pair<uint64_t, uint64_t>, std::weak_ptr<const core::CustomFunction>> known_;
  size_t alive_ = 64; ///< after the last sweep
};

/// Counts functions whose rules are read one inside the other: a rule that calls its own function would never end.
class NestedReading {
public:
  static constexpr uint32_t kMost = 64;
  NestedReading() noexcept { ++threadState.readingFunctions; }
  ~NestedReading() { --threadState.readingFunctions; }
  NestedReading(const NestedReading &) = delete;
  NestedReading &operator=(const NestedReading &) = delete;
  bool isTooDeep() const noexcept { return threadState.readingFunctions > kMost; }
};

TensorList slice(std::span<const EagerTensor> tensors, size_t from, size_t count) {
  return TensorList(tensors.begin() + static_cast<ptrdiff_t>(from),
                    tensors.begin() + static_cast<ptrdiff_t>(from + count));
}

} // namespace

void registerFunctionTable() { Interned::get(); }

CustomCallee assembleFunction(EagerRuntime &runtime, ExecutionEngine &engine, const CustomDefinition &definition,
                              const std::vector<ValueType> &inputs, const std::source_location &where) {
  auto function = std::make_shared<core::CustomFunction>();
  function->name = definition.name;
  function->operands = inputs;
  function->inputs = static_cast<uint32_t>(inputs.size());
  if (definition.transpose)
    for (const ValueType &type : inputs)
      function->linear.push_back(isDifferentiable(type.dtype));
  CustomAssembler assembler(*function, /*embedsNumbers=*/false, &where);
  NestedReading reading;
  if (reading.isTooDeep())
    raise({.kind = ErrorKind::Unsupported,
           .op = definition.name,
           .message = "expects functions and rules that call at most " + std::to_string(NestedReading::kMost) +
                      " functions with rules, one inside the other; a rule may not call its own function",
           .file = where.file_name(),
           .line = static_cast<int>(where.line())});
  assembler.stageBody(runtime, engine, CustomRole::Primal, [&](EagerSession &, std::span<const EagerTensor> arguments) {
    return definition.body(slice(arguments, 0, arguments.size()));
  });
  const size_t results = function->results.size();
  auto stageRule = [&](CustomRole role, const CustomRule &rule) {
    if (!rule)
      return;
    assembler.stageBody(runtime, engine, role, [&](EagerSession &, std::span<const EagerTensor> arguments) {
      size_t residuals = inputs.size() + results;
      return rule(slice(arguments, 0, inputs.size()), slice(arguments, inputs.size(), results),
                  slice(arguments, residuals, arguments.size() - residuals));
    });
  };
  stageRule(CustomRole::Jvp, definition.jvp);
  stageRule(CustomRole::Vjp, definition.vjp);
  if (definition.transpose)
    assembler.stageBody(
        runtime, engine, CustomRole::Transpose, [&](EagerSession &, std::span<const EagerTensor> arguments) {
          auto fixed = static_cast<size_t>(std::count(function->linear.begin(), function->linear.end(), false));
          return definition.transpose(slice(arguments, fixed, arguments.size() - fixed));
        });
  CustomCallee callee;
  callee.captures = assembler.finish();
  // What a family's rule reads refers to the family without owning it: not for others.
  callee.function = threadState.readingRules ? std::move(function) : Interned::get().intern(std::move(function));
  return callee;
}

} // namespace tenferro::eager
