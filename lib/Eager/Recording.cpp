// Recording a compiled function, and the programs of its derivatives.
#include "lib/Eager/Recording.h"

#include "lib/Core/WalkOrder.h"
#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/Failures.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/ThreadState.h"
#include "lib/Eager/Trace/Digest.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tenferro::eager {

using detail::CompiledMode;
using detail::EagerAccess;

namespace {

bool matches(const CompiledVariant &variant, CompiledMode mode, std::span<const EagerTensor *const> seeds) {
  if (variant.mode != mode || variant.seeded.size() != seeds.size())
    return false;
  for (size_t i = 0; i < seeds.size(); ++i)
    if (variant.seeded[i] == seeds[i]->empty())
      return false;
  return true;
}

/// The program that computes the outputs of `graph` and calls a derivative of it on its inputs and seeds behind them.
core::Graph withDerivative(const core::Graph &graph, const std::vector<core::ValueType> &seeds, DerivedCallee callee) {
  core::Graph both;
  both.inputs = graph.inputs;
  both.inputs.insert(both.inputs.end(), seeds.begin(), seeds.end());
  const auto inputs = static_cast<uint32_t>(graph.inputs.size()), moved = static_cast<uint32_t>(seeds.size());
  auto number = [&](uint32_t value) { return value < inputs ? value : value + moved; };
  uint32_t next = inputs + moved;
  for (core::GraphOp op : graph.ops) {
    for (uint32_t &operand : op.operands)
      operand = number(operand);
    next += static_cast<uint32_t>(op.results.size());
    both.ops.push_back(std::move(op));
  }
  for (uint32_t output : graph.outputs)
    both.outputs.push_back(number(output));
  core::GraphOp call;
  for (uint32_t i = 0; i < inputs + moved; ++i)
    call.operands.push_back(i);
  call.results = std::move(callee.results);
  call.callee = std::move(callee.function);
  for (size_t r = 0; r < call.results.size(); ++r)
    both.outputs.push_back(next++);
  both.ops.push_back(std::move(call));
  return both;
}

/// Fills in which inputs move which results.
void findMovers(const core::Graph &graph, CompiledVariant &variant) {
  std::vector<const core::ValueType *> types;
  std::vector<uint32_t> producers(graph.inputs.size(), kAbsent); // by value
  for (const core::ValueType &input : graph.inputs)
    types.push_back(&input);
  for (size_t k = 0; k < graph.ops.size(); ++k)
    for (const core::ValueType &result : graph.ops[k].results) {
      types.push_back(&result);
      producers.push_back(static_cast<uint32_t>(k));
    }
  std::vector<uint32_t> lists(graph.ops.size(), kAbsent); // by operation
  std::vector<uint32_t> seen(types.size(), kAbsent);      // by value: the last list that met it
  std::vector<uint32_t> makers;
  for (uint32_t output : graph.outputs)
    makers.push_back(producers[output]);
  // In the order of the program, so that a later list takes an earlier one instead of walking to its inputs again.
  std::sort(makers.begin(), makers.end());
  makers.erase(std::unique(makers.begin(), makers.end()), makers.end());
  for (uint32_t maker : makers) {
    const auto list = static_cast<uint32_t>(variant.movers.size());
    std::vector<uint32_t> inputs, pending{maker};
    auto isNew = [&](uint32_t value) { return std::exchange(seen[value], list) != list; };
    while (!pending.empty()) {
      const uint32_t number = pending.back();
      pending.pop_back();
      if (lists[number] != kAbsent) {
        std::ranges::copy_if(variant.movers[lists[number]], std::back_inserter(inputs), isNew);
        continue;
      }
      const core::GraphOp &op = graph.ops[number];
      if (op.kind == core::OpKind::Detach && !op.callee && !op.custom)
        continue;
      for (uint32_t operand : op.operands) {
        if (!isDifferentiable(types[operand]->dtype) || !isNew(operand))
          continue;
        if (producers[operand] == kAbsent)
          inputs.push_back(operand);
        else
          pending.push_back(producers[operand]);
      }
    }
    lists[maker] = list;
    variant.movers.push_back(std::move(inputs));
  }
  for (uint32_t output : graph.outputs)
    variant.moversOf.push_back(lists[producers[output]]);
}

/// The order of recording where it is not that of a walk: operation numbers of a program's errors depend on it, its
/// structure does not.
std::string orderText(const core::Graph &graph) {
  const std::vector<uint32_t> origins = core::inWalkOrder(graph, {}).origins;
  if (std::is_sorted(origins.begin(), origins.end()))
    return {};
  std::string text = "order";
  for (uint32_t origin : origins)
    text += ' ' + std::to_string(origin);
  return text + '\n';
}

} // namespace

std::shared_ptr<CompiledRecording> CompiledRecording::make(EagerRuntime &runtime, ExecutionEngine &engine,
                                                           std::span<const EagerTensor *const> arguments,
                                                           const detail::CompiledCore::Body &body) {
  auto recording = std::make_shared<CompiledRecording>();
  recording->argumentCount = arguments.size();
  std::vector<core::ValueType> types;
  for (const EagerTensor *argument : arguments)
    types.push_back(EagerAccess::record(*argument)->type);
  std::vector<EagerTensor> results;
  recording->function =
      stage(runtime, engine, types, "compile", [&](EagerSession &session, std::span<const EagerTensor> inputs) {
        detail::CompiledCore::Leaves leaves = body(session, inputs);
        recording->resultSizes = std::move(leaves.sizes);
        return std::move(leaves.tensors);
      });
  core::Graph &graph = recording->function.graph;
  if (graph.outputs.empty())
    raise(failureOf(ErrorKind::InvalidArgument, "compile", "function",
                    "expects a function that returns a tensor, but it returns none"));
  std::vector<uint32_t> outputs;
  for (uint32_t value : graph.outputs) {
    ResultSource source;
    source.value = value;
    recording->resultTypes_.push_back(graph.type(value));
    if (value < arguments.size()) {
      source.kind = ResultSource::Kind::Argument;
      source.index = value;
    } else if (value < graph.inputs.size()) {
      source.kind = ResultSource::Kind::Capture;
      source.index = value - static_cast<uint32_t>(arguments.size());
      if (EagerAccess::record(recording->function.captures[source.index])->kind == RecordKind::Constant)
        raise(failureOf(ErrorKind::InvalidArgument, "compile", "function",
                        "expects results that are computed from tensors, but result " +
                            std::to_string(recording->sources.size()) + " is a constant, the same in every call"));
    } else {
      auto known = std::find(outputs.begin(), outputs.end(), value);
      source.index = static_cast<uint32_t>(known - outputs.begin());
      if (known == outputs.end())
        outputs.push_back(value);
    }
    recording->sources.push_back(source);
  }
  graph.outputs = std::move(outputs);
  for (const core::GraphOp &op : graph.ops)
    recording->callsFamilies_ |= op.custom && op.custom->version != 0;
  recording->isLocal = threadState.readingRules; // families' rules refer to each other without owning
  for (const EagerTensor &capture : recording->function.captures)
    recording->isLocal |= EagerAccess::record(capture)->kind == RecordKind::Staged;
  return recording;
}

size_t CompiledRecording::bytes() const {
  const core::Graph &graph = function.graph;
  size_t bytes = sizeof *this + graph.inputs.size() * sizeof(core::ValueType) + words.size() * sizeof(uint64_t);
  for (const core::GraphOp &op : graph.ops)
    bytes += sizeof op + op.operands.size() * sizeof(uint32_t) + op.results.size() * sizeof(core::ValueType);
  return bytes;
}

const CompiledVariant &CompiledRecording::variant(RuntimeState &state, runtime::CpuLevel level, CompiledMode mode,
                                                  std::span<const EagerTensor *const> seeds) const {
  auto find = [&]() -> const CompiledVariant * {
    const CompiledVariant *known = head_.load(std::memory_order_acquire);
    while (known && !matches(*known, mode, seeds))
      known = known->next.get();
    return known;
  };
  if (const CompiledVariant *known = find()) [[likely]]
    return *known;
  std::lock_guard lock(lock_);
  if (const CompiledVariant *known = find())
    return *known;
  std::unique_ptr<CompiledVariant> made = build(state, level, mode, seeds);
  made->next = std::move(first_);
  first_ = std::move(made);
  head_.store(first_.get(), std::memory_order_release);
  return *first_;
}

std::unique_ptr<CompiledVariant> CompiledRecording::build(RuntimeState &state, runtime::CpuLevel level,
                                                          CompiledMode mode,
                                                          std::span<const EagerTensor *const> seeds) const {
  auto variant = std::make_unique<CompiledVariant>();
  variant->mode = mode;
  for (const EagerTensor *seed : seeds)
    variant->seeded.push_back(!seed->empty());
  auto program = std::make_shared<core::DerivedFunction>();
  program->graph = function.graph;
  const bool isJvp = mode == CompiledMode::Jvp;
  if (mode == CompiledMode::ValueAndGrad &&
      (resultCount() != 1 || resultTypes_[0].shape.elementCount() != 1 || !isDifferentiable(resultTypes_[0].dtype))) {
    Failure failure =
        failureOf(ErrorKind::NonScalarGrad, "valueAndGrad", "function",
                  "expects a function that returns one float of one element, but it returns " +
                      (resultCount() == 1 ? "" : std::to_string(resultCount()) + " tensors, the first ") +
                      std::string(name(resultTypes_[0].dtype)) + resultTypes_[0].shape.str());
    failure.shapes = {resultTypes_[0].shape};
    raise(std::move(failure));
  }
  if (mode != CompiledMode::Forward) {
    core::Graph graph = function.graph;
    core::Transform transform;
    transform.kind = isJvp ? core::TransformKind::Jvp : core::TransformKind::Vjp;
    transform.seedOnes = mode == CompiledMode::ValueAndGrad;
    std::vector<core::ValueType> seedTypes;
    std::vector<uint32_t> answers; // per entry of the derivative: the argument or result it is for
    graph.outputs.clear();
    for (uint32_t i = 0; i < resultCount(); ++i) {
      if (!isDifferentiable(resultTypes_[i].dtype) || (mode == CompiledMode::Vjp && !variant->seeded[i]))
        continue;
      graph.outputs.push_back(sources[i].value);
      if (mode == CompiledMode::Vjp) {
        seedTypes.push_back(resultTypes_[i]);
        variant->seeds.push_back(i);
      }
      if (isJvp)
        answers.push_back(i);
    }
    for (uint32_t i = 0; i < argumentCount; ++i) {
      if (!isDifferentiable(graph.inputs[i].dtype) || (isJvp && !variant->seeded[i]))
        continue;
      transform.wrt.push_back(i);
      if (isJvp) {
        seedTypes.push_back(graph.inputs[i]);
        variant->seeds.push_back(i);
      } else {
        answers.push_back(i);
      }
    }
    variant->derivatives.assign(isJvp ? resultCount() : argumentCount, kAbsent);
    DerivedCallee callee;
    if (!transform.wrt.empty() && !graph.outputs.empty()) {
      core::OrderedGraph ordered = core::inWalkOrder(graph, transform);
      std::vector<std::source_location> locations;
      for (uint32_t origin : ordered.origins)
        locations.push_back(function.locations[origin]);
      variant->derivativeOrigins = std::move(ordered.origins);
      callee = derivedCallee(state, std::move(ordered.graph), std::move(transform), level, placesIn(locations));
    }
    if (mode == CompiledMode::ValueAndGrad && callee.results.empty())
      raise(failureOf(
          ErrorKind::InactiveGrad, "valueAndGrad", "wrt",
          "the gradient is inactive: the result does not depend on any argument through differentiable operations"));
    if (!callee.results.empty()) {
      auto place = static_cast<uint32_t>(function.graph.outputs.size());
      for (size_t i = 0; i < answers.size(); ++i)
        if (callee.function->active[i])
          variant->derivatives[answers[i]] = place++;
      program->graph = withDerivative(function.graph, seedTypes, std::move(callee));
    } else {
      variant->seeds.clear(); // nothing reads them
    }
  }
  for (uint32_t output : program->graph.outputs)
    variant->results.push_back(program->graph.type(output));
  findMovers(program->graph, *variant);
  program->active.assign(program->graph.outputs.size(), true);
  variant->text = core::structureKey(program->graph, program->transform) + orderText(program->graph);
  variant->digest = digest(std::string_view(variant->text));
  variant->program = std::move(program);
  return variant;
}

} // namespace tenferro::eager
