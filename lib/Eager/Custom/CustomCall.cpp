// Running and recording calls of functions with rules and of extension families.
#include "lib/Eager/Custom/CustomCall.h"

#include "lib/Eager/AdContextState.h"
#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/Execution/Execute.h"
#include "lib/Eager/Execution/Numerics.h"
#include "lib/Eager/Located.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/Surface/SessionCall.h"
#include "lib/Eager/TensorImpl.h"
#include "lib/Eager/ThreadState.h"
#include "lib/Eager/Trace/Digest.h"
#include "runtime/core/FloatEnvironment.h"
#include "runtime/launch/StridedCopy.h"

#include <algorithm>

namespace tenferro::eager {

using core::ValueType;
using detail::EagerAccess;
using detail::TensorAccess;

namespace {

/// Recording as if the call were outermost, for the time of a user's function.
class InnerRecording {
public:
  InnerRecording() : noGrad_(std::exchange(threadState.noGrad, 0)), capture_(std::exchange(threadState.capture, 0)) {}
  ~InnerRecording() {
    threadState.noGrad = noGrad_;
    threadState.capture = capture_;
  }
  InnerRecording(const InnerRecording &) = delete;

private:
  const uint32_t noGrad_, capture_;
};

/// The records a call owns: variables in their version of now.
class CallOperands {
public:
  void add(const EagerTensor &tensor, std::string_view op) {
    Record *record = EagerAccess::record(tensor);
    if (record->kind == RecordKind::Variable) {
      record = static_cast<Variable *>(record)->current();
      owned_.emplace_back(record);
    } else if (record->kind == RecordKind::Staged) {
      raiseNoValue(op, *record);
    }
    records_.push_back(record);
  }
  std::span<Record *const> records() const noexcept { return records_; }
  std::vector<ValueType> types() const {
    std::vector<ValueType> types;
    for (const Record *record : records_)
      types.push_back(record->type);
    return types;
  }
  bool tracked() const noexcept {
    return std::any_of(records_.begin(), records_.end(), [](const Record *record) { return record->tracks; });
  }

private:
  std::vector<Record *> records_;
  std::vector<RecordRef> owned_;
};

std::vector<ValueType> typesOf(const TensorList &tensors) {
  std::vector<ValueType> types;
  for (const EagerTensor &tensor : tensors)
    types.push_back(EagerAccess::record(tensor)->type);
  return types;
}

TensorList constants(RuntimeState &state, std::vector<Tensor> values, const std::source_location &where) {
  TensorList results;
  for (Tensor &value : values)
    results.push_back(EagerAccess::adopt(new ConstantLeaf(state, std::move(value), where)));
  return results;
}

/// One operation with its results. `keepOperands` and `keepResults` say which values derivatives will read.
TensorList record(RuntimeState &state, CustomPart part, std::span<Record *const> operands,
                  const std::vector<bool> &keepOperands, const std::vector<bool> &keepResults,
                  std::vector<Tensor> values, const std::source_location &where) {
  std::vector<ValueType> results;
  for (const Tensor &value : values)
    results.push_back({value.dtype(), value.shape()});
  part.keptResults.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    if (keepResults[i])
      part.keptResults[i] = values[i];
  const bool capture = threadState.capture;
  bool active = false;
  for (size_t i = 0; i < operands.size(); ++i) {
    active |= operands[i]->tracks || (capture && isDifferentiable(operands[i]->type.dtype));
    if (capture && operands[i]->isLeaf())
      operands[i]->captured.store(true, std::memory_order_relaxed);
  }
  Call *call = Call::createCustom(state, std::move(part), std::move(results), operands, keepOperands);
  call->where = where;
  RecordRef owner(call);
  TensorList handles;
  for (size_t i = 0; i < values.size(); ++i) {
    auto *result =
        new CallResult(state, active && isDifferentiable(call->results[i].dtype), *call, static_cast<uint32_t>(i));
    result->value = std::move(values[i]);
    result->where = where;
    handles.push_back(EagerAccess::adopt(result));
  }
  return handles;
}

/// A call in a function that is being recorded.
TensorList stagedCall(StagingFrame &frame, std::shared_ptr<const core::CustomFunction> function,
                      const TensorList &inputs, const std::vector<EagerTensor> &captures,
                      const std::source_location &where) {
  core::GraphOp op;
  for (const std::vector<EagerTensor> *list : {&inputs, &captures})
    for (const EagerTensor &tensor : *list)
      op.operands.push_back(frame.numberOf(tensor, function->name));
  op.results = function->results;
  op.custom = std::move(function);
  return frame.add(std::move(op), {}, where);
}

} // namespace

TensorList callFunction(EagerSession &session, const CustomDefinition &definition, const TensorList &inputs,
                        const std::source_location &where) {
  EagerRuntime &runtime = session.runtime();
  RuntimeState &state = EagerAccess::state(runtime);
  SessionCall call(session, definition.name, where);
  for (const EagerTensor &input : inputs)
    call.requireTensor(input);
  if (threadState.staging)
    if (StagingFrame *frame = StagingFrame::of(state)) {
      CustomCallee callee = assembleFunction(runtime, session.engine(), definition, typesOf(inputs), where);
      return stagedCall(*frame, std::move(callee.function), inputs, callee.captures, where);
    }

  CallOperands operands;
  TensorList fresh;
  for (const EagerTensor &input : inputs) {
    located(where, [&] { operands.add(input, definition.name); });
    // The function sees inputs of its own, so that it may differentiate by them and nothing else.
    const Record *record = operands.records().back();
    fresh.push_back(record->tracks ? EagerAccess::adopt(new Variable(state, record->value, where))
                                   : EagerAccess::adopt(new ConstantLeaf(state, record->value, where)));
  }
  std::vector<Tensor> values;
  bool capturesTracked = false;
  {
    InnerRecording inner;
    TensorList outputs = definition.body(fresh);
    for (const EagerTensor &output : outputs) {
      call.requireTensor(output);
      capturesTracked |= output.tracksGrad();
      values.push_back(output.value());
    }
  }
  if (values.empty())
    call.fail(ErrorKind::InvalidArgument, "primal", "expects the function to return a tensor, but it returns none");
  if (threadState.noGrad || !(operands.tracked() || capturesTracked || threadState.capture))
    return constants(state, std::move(values), where);

  CustomCallee callee = assembleFunction(runtime, session.engine(), definition, operands.types(), where);
  for (size_t i = 0; i < std::max(values.size(), callee.function->results.size()); ++i)
    if (values.size() != callee.function->results.size() ||
        !(ValueType{values[i].dtype(), values[i].shape()} == callee.function->results[i]))
      call.fail(ErrorKind::InvalidArgument, "primal",
                "expects the function to return the same types each time it runs, but it did not");
  for (const EagerTensor &capture : callee.captures)
    operands.add(capture, definition.name);
  CustomReads reads = readsOf(*callee.function);
  CustomPart part;
  part.function = std::move(callee.function);
  return record(state, std::move(part), operands.records(), reads.operands, reads.results, std::move(values), where);
}

namespace {

/// Which tensors the rules of a family say they read.
CustomReads declaredReads(const ExtensionSpec &spec, const std::vector<bool> &linear, size_t inputs, size_t results) {
  CustomReads reads{std::vector<bool>(inputs), std::vector<bool>(results)};
  auto add = [](std::vector<bool> &to, uint64_t mask) {
    for (size_t i = 0; i < to.size(); ++i)
      to[i] = to[i] || (mask >> std::min<size_t>(i, 63) & 1);
  };
  if (spec.jvp) {
    add(reads.operands, spec.jvpResiduals.inputs);
    add(reads.results, spec.jvpResiduals.outputs);
  }
  if (spec.vjp) {
    add(reads.operands, spec.vjpResiduals.inputs);
    add(reads.results, spec.vjpResiduals.outputs);
  }
  if (spec.transpose)
    for (size_t i = 0; i < inputs; ++i)
      reads.operands[i] =
          reads.operands[i] || (!linear[i] && (spec.transposeResiduals.inputs >> std::min<size_t>(i, 63) & 1));
  return reads;
}

/// Memory for a kernel. Raises OutOfMemory in the name of the family.
Tensor allocateFor(const ExtensionModuleState &module, const ValueType &type, const std::source_location &where) {
  try {
    return TensorAccess::allocate(type.dtype, type.shape);
  } catch (const Error &error) {
    Failure failure = error.failure();
    failure.op = module.spec.family;
    raiseAt(std::move(failure), where);
  }
}

std::vector<Tensor> runKernel(RuntimeState &state, ExecutionEngine &engine, const ExtensionModuleState &module,
                              std::span<Record *const> operands, const IntList &parameters,
                              const std::vector<ValueType> &results, const std::source_location &where) {
  std::vector<Tensor> copies, values;
  std::vector<runtime::TensorView> inputs, outputs;
  runtime::FloatEnvironment environment;
  for (const Record *operand : operands) {
    runtime::TensorView view = TensorAccess::view(operand->value);
    if (!view.isContiguous()) {
      copies.push_back(allocateFor(module, {view.dtype, view.shape}, where));
      runtime::TensorView copy = TensorAccess::view(copies.back());
      runtime::copyToContiguous(view, copy.data, launchContext(engine));
      view = copy;
    }
    inputs.push_back(std::move(view));
  }
  for (const ValueType &result : results) {
    values.push_back(allocateFor(module, result, where));
    outputs.push_back(TensorAccess::view(values.back()));
  }
  module.run({&engine, &state}, parameters, inputs, outputs);
  return values;
}

} // namespace

TensorList callFamily(EagerSession &session, std::string_view family, const TensorList &inputs,
                      const IntList &parameters, const std::source_location &where) {
  EagerRuntime &runtime = session.runtime();
  RuntimeState &state = EagerAccess::state(runtime);
  SessionCall call(session, family, where);
  for (const EagerTensor &input : inputs)
    call.requireTensor(input);
  std::shared_ptr<const ExtensionModuleState> module = located(where, [&] {
    auto installed = state.extensions.require(family, "extension");
    installed->requireKernel(session.engine());
    return installed;
  });
  if (threadState.staging)
    if (StagingFrame *frame = StagingFrame::of(state))
      return located(where, [&] {
        return stagedCall(*frame,
                          state.extensions.resolve(session.engine(), family, typesOf(inputs), parameters).function,
                          inputs, {}, where);
      });
  CallOperands operands;
  std::vector<ValueType> results;
  std::vector<bool> linear;
  located(where, [&] {
    for (const EagerTensor &input : inputs)
      operands.add(input, family);
    results = module->resultTypes(operands.types(), parameters);
    linear = module->linearInputs(operands.types());
  });
  std::vector<Tensor> values = runningKernels(
      [&](std::string_view) { return where; },
      [&] { return runKernel(state, session.engine(), *module, operands.records(), parameters, results, where); });
  if (threadState.checkNumerics) [[unlikely]] {
    std::vector<const Tensor *> given;
    for (const Record *operand : operands.records())
      given.push_back(&operand->value);
    for (const Tensor &value : values)
      checkKernel(family, given, value, where);
  }
  if (threadState.noGrad || !(operands.tracked() || threadState.capture))
    return constants(state, std::move(values), where);
  CustomReads reads = declaredReads(module->spec, linear, inputs.size(), values.size());
  CustomPart part;
  part.family = family;
  part.parameters = parameters;
  return record(state, std::move(part), operands.records(), reads.operands, reads.results, std::move(values), where);
}

namespace {

/// The rules that are installed now for an operation whose results are recorded already.
ExtensionRegistry::Resolved rulesOf(RuntimeState &state, ExecutionEngine &engine, std::string_view family,
                                    const std::vector<ValueType> &inputs, const IntList &parameters,
                                    const std::vector<ValueType> &results, const std::source_location &where) {
  ExtensionRegistry::Resolved resolved = state.extensions.resolve(engine, family, inputs, parameters);
  if (resolved.function->results == results)
    return resolved;
  Failure failure;
  failure.kind = ErrorKind::InvalidArgument;
  failure.op = family;
  failure.argument = "shape";
  failure.message =
      "expects the family that is installed now to give the result types of the recorded call, but it gives others";
  raiseAt(std::move(failure), where);
}

/// The same for the operations of a compiled function, which was recorded with the rules of then.
void refreshCompiled(RuntimeState &state, ExecutionEngine &engine, Call &call) {
  std::shared_ptr<core::DerivedFunction> fresh;
  {
    std::lock_guard lock(state.walkLock);
    fresh = std::make_shared<core::DerivedFunction>(*call.callee);
  }
  uint64_t epoch = state.extensions.epoch();
  for (core::GraphOp &op : fresh->graph.ops) {
    if (!op.custom || !op.custom->version)
      continue;
    ExtensionRegistry::Resolved resolved = rulesOf(state, engine, op.custom->name, op.custom->operands,
                                                   op.custom->parameters, op.results, call.where);
    op.custom = std::move(resolved.function);
    epoch = std::min(epoch, resolved.epoch);
  }
  Digest digested = digest(std::string_view(core::structureKey(fresh->graph, fresh->transform)));
  std::lock_guard lock(state.walkLock);
  call.callee = std::move(fresh);
  call.digest = digested;
  call.familyEpoch = epoch;
}

} // namespace

void refreshRules(RuntimeState &state, ExecutionEngine &engine, Call &call) {
  if (!call.custom)
    return refreshCompiled(state, engine, call);
  std::vector<ValueType> inputs;
  for (const Record *operand : call.operands())
    inputs.push_back(operand->type);
  ExtensionRegistry::Resolved resolved =
      rulesOf(state, engine, call.custom->family, inputs, call.custom->parameters, call.results, call.where);
  Digest fresh = digest(std::string_view(core::structureKey(*resolved.function)));
  std::lock_guard lock(state.walkLock);
  call.custom->function = std::move(resolved.function);
  call.custom->epoch = resolved.epoch;
  call.digest = fresh;
}

} // namespace tenferro::eager

namespace tenferro {

using eager::CustomDefinition;

namespace detail {

struct ExtensionAccess {
  static CustomFunction make(CustomDefinition definition) {
    return CustomFunction(std::make_shared<const CustomDefinition>(std::move(definition)));
  }
  static const std::shared_ptr<const eager::ExtensionModuleState> &state(const ExtensionModule &module) noexcept {
    return module.state_;
  }
};

void raiseNotOne(std::string_view what, size_t count) {
  Failure failure;
  failure.kind = ErrorKind::InvalidArgument;
  failure.op = "custom function";
  failure.message = "expects a callable on single tensors to be used with one of each, but got " +
                    std::to_string(count) + " " + std::string(what);
  raise(std::move(failure));
}

} // namespace detail

namespace {

CustomFunction define(CustomDefinition definition, const char *op) {
  auto fail = [&](const char *argument, const char *message) {
    Failure failure;
    failure.kind = ErrorKind::InvalidArgument;
    failure.op = op;
    failure.argument = argument;
    failure.message = message;
    raise(std::move(failure));
  };
  if (definition.name.empty())
    fail("name", "expects a name, but it is empty");
  if (!definition.body)
    fail("function", "expects a callable, but it is empty");
  if (!definition.jvp && !definition.vjp && !definition.transpose)
    fail("rule", "expects a callable, but it is empty");
  return detail::ExtensionAccess::make(std::move(definition));
}

} // namespace

CustomFunction makeCustomJvp(std::string name, CustomBody function, CustomRule rule) {
  return define({std::move(name), std::move(function), std::move(rule), nullptr, nullptr}, "customJvp");
}
CustomFunction makeCustomVjp(std::string name, CustomBody function, CustomRule rule) {
  return define({std::move(name), std::move(function), nullptr, std::move(rule), nullptr}, "customVjp");
}
CustomFunction makeCustomLinear(std::string name, CustomBody function, CustomTranspose transpose) {
  return define({std::move(name), std::move(function), nullptr, nullptr, std::move(transpose)}, "customLinear");
}

const std::string &CustomFunction::name() const noexcept { return definition_->name; }

TensorList CustomFunction::operator()(const TensorList &inputs, std::source_location where) const {
  return eager::callFunction(eager::sessionFor(name(), where), *definition_, inputs, where);
}

EagerTensor CustomFunction::operator()(const EagerTensor &input, std::source_location where) const {
  TensorList results = (*this)(TensorList{input}, where);
  if (results.size() != 1)
    detail::raiseNotOne("results", results.size());
  return std::move(results[0]);
}

TensorList EagerSession::extension(std::string_view family, const std::vector<EagerTensor> &inputs,
                                   const IntList &parameters, Where where) {
  return eager::callFamily(*this, family, inputs, parameters, where);
}

TensorList extension(std::string_view family, const TensorList &inputs, const IntList &parameters,
                     std::source_location where) {
  return eager::sessionFor(family, where).extension(family, inputs, parameters, where);
}

std::shared_ptr<AdContext> AdContext::create(const std::vector<ExtensionModule> &extensions,
                                             const CacheLimits &limits) {
  std::shared_ptr<AdContext> context = create(limits);
  auto &installed = detail::AdContextAccess::state(*context).extensions;
  for (const ExtensionModule &extension : extensions) {
    for (const auto &other : installed)
      if (other->spec.family == extension.family()) {
        Failure failure;
        failure.kind = ErrorKind::InvalidArgument;
        failure.op = "AdContext::create";
        failure.argument = "extensions";
        failure.message = "expects one module of a family, but got two of '" + extension.family() + "'";
        raise(std::move(failure));
      }
    installed.push_back(detail::ExtensionAccess::state(extension));
  }
  return context;
}

uint64_t EagerRuntime::installExtension(const ExtensionModule &module) {
  return state_->extensions.install(detail::ExtensionAccess::state(module));
}
uint64_t EagerRuntime::epoch() const noexcept { return state_->extensions.epoch(); }

CacheStats EagerRuntime::extensionCacheStats(std::string_view family) const {
  return state_->extensions.cache(family).entries.stats();
}
CacheLimits EagerRuntime::extensionCacheLimits(std::string_view family) const {
  return state_->extensions.cache(family).entries.limits();
}
void EagerRuntime::setExtensionCacheLimits(std::string_view family, const CacheLimits &limits) {
  eager::checkLimits(limits, "setExtensionCacheLimits");
  state_->extensions.cache(family).entries.setLimits(limits);
}
void EagerRuntime::clearExtensionCache(std::string_view family) { state_->extensions.cache(family).entries.clear(); }
void EagerRuntime::clearExtensionCaches() { state_->extensions.clearCaches(); }

} // namespace tenferro
