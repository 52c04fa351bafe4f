// Walk, look up, bind, run, and record the answer.
#include "lib/Eager/Differentiate.h"

#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/Execution/Execute.h"
#include "lib/Eager/Execution/Numerics.h"
#include "lib/Eager/Explain/Describe.h"
#include "lib/Eager/Failures.h"
#include "lib/Eager/Located.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/TensorImpl.h"
#include "lib/Eager/ThreadState.h"
#include "lib/Eager/Trace/Places.h"
#include "lib/Eager/Trace/Recorder.h"
#include "lib/Eager/Trace/Staging.h"
#include "runtime/core/InlineVector.h"

#include <algorithm>

namespace tenferro::eager {

using detail::EagerAccess;
using detail::TensorAccess;

void requireRuntime(const RuntimeState &state, const Record &record, std::string_view op) {
  if (record.state == &state)
    return;
  Failure failure = failureOf(ErrorKind::ContextMismatch, op, {},
                              "expects tensors of one runtime, but got runtimes " + std::to_string(state.id) + " and " +
                                  std::to_string(record.state->id));
  failure.ids = {state.id, record.state->id};
  raise(std::move(failure));
}

void requireType(const core::ValueType &seed, const core::ValueType &like, std::string_view op, std::string_view argument) {
  if (seed.dtype != like.dtype) {
    Failure failure = failureOf(ErrorKind::DTypeMismatch, op, argument,
                                "expects dtype " + std::string(name(like.dtype)) + ", but got " + std::string(name(seed.dtype)));
    failure.dtypes = {like.dtype, seed.dtype};
    raise(std::move(failure));
  }
  if (!(seed.shape == like.shape)) {
    Failure failure = failureOf(ErrorKind::ShapeMismatch, op, argument,
                                "expects shape " + like.shape.str() + ", but got " + seed.shape.str());
    failure.shapes = {like.shape, seed.shape};
    raise(std::move(failure));
  }
}

Target targetOf(RuntimeState &state, const ExecutionEngine &engine) {
  state.registerEngine(engine.kind());
  auto &cpu = static_cast<const CpuEngine &>(engine);
  return {static_cast<uint8_t>(engine.kind()), static_cast<runtime::CpuLevel>(cpu.features())};
}

Tensor takeResult(const PreparedDerivative &prepared, Workspace &workspace, size_t i) {
  const core::ValueType &type = prepared.resultTypes[i];
  return TensorAccess::contiguous(std::move(workspace.results[i]), type.dtype, type.shape);
}

namespace {

Record &requireRecord(const EagerTensor &tensor, std::string_view op, std::string_view argument) {
  if (Record *record = EagerAccess::record(tensor))
    return *record;
  raise(failureOf(ErrorKind::InvalidArgument, op, argument, "expects a tensor, but it is empty (default-made or moved-from)"));
}

void requireScalar(const core::ValueType &type, std::string_view op) {
  if (type.shape.elementCount() == 1)
    return;
  Failure failure = failureOf(ErrorKind::NonScalarGrad, op, "output",
                              "expects a scalar output where no seed is given, but got shape " + type.shape.str());
  failure.shapes = {type.shape};
  raise(std::move(failure));
}

/// What a trace holds for a handle: itself, or a variable's version of now. With a reference. RuntimeState for a placeholder,
/// which is in no trace.
RecordRef traced(Record &record, std::string_view op) {
  if (record.kind == RecordKind::Staged)
    raiseNoValue(op, record);
  if (record.kind == RecordKind::Variable)
    return RecordRef(static_cast<Variable &>(record).current());
  retain(&record);
  return RecordRef(&record);
}

/// Binds leaves, kept values and `seeds`, runs, and leaves the buffers in the workspace.
void run(RuntimeState &state, const runtime::LoadedProgram &loaded, Workspace &workspace, const Record &output,
         std::span<const Tensor> seeds,
         ExecutionEngine &engine) {
  const Walk &walk = workspace.walk;
  const size_t leaves = walk.leaves().size(), saved = walk.savedCount();
  workspace.arguments.resize(leaves + saved + seeds.size());
  const runtime::TensorView **argument = workspace.arguments.data();
  workspace.room.clear();
  for (size_t i = 0; i < leaves; ++i)
    *argument++ = walk.leafArgument(i, workspace.room);
  for (size_t i = 0; i < saved; ++i)
    *argument++ = walk.savedArgument(i, workspace.room);
  for (const Tensor &seed : seeds)
    *argument++ = &TensorAccess::view(seed);
  workspace.results.clear();
  workspace.results.resize(loaded.resultCount());
  const runtime::LaunchContext context = launchContext(engine);
  const runtime::CallbackCaller caller{&engine, &state};
  std::optional<runtime::RunError> error;
  auto runWith = [&](runtime::LaunchObserver *observer) {
    // Kernels of a derivative are its rules', which have no line: the caller's is named.
    return runningKernels([](std::string_view) { return std::source_location(); }, [&] {
      return loaded.run(workspace.arguments, workspace.results, context.threads, &caller, observer);
    });
  };
  if (!threadState.checkNumerics) [[likely]] {
    error = runWith(nullptr);
    if (!error)
      return;
  } else {
    const runtime::Program &program = loaded.program();
    runtime::NonFiniteProbe probe(program);
    error = runWith(&probe);
    if (!error)
      return checkDerivative(walk, output, program, probe, context);
  }
  Failure failure = runtime::describe(*error);
  failure.phase = Phase::Execution;
  // Broadcasts in front cannot fail.
  if (size_t number = error->opNumber - walk.leadingOperations(); number < walk.operations().size()) {
    const Operation &operation = *walk.operations()[number];
    failure.op = nameOf(operation);
    failure.file = operation.where.file_name();
    failure.line = static_cast<int>(operation.where.line());
  }
  raise(std::move(failure));
}

bool isEligible(const Record &record) {
  return isDifferentiable(record.type.dtype) && (record.tracks || record.captured.load(std::memory_order_relaxed));
}

/// The same for a function that is being recorded: the derivative becomes a call in it, and nothing runs. Constants of the user that
/// the function captures may be asked for like arguments: a recording keeps all operations.
std::vector<std::optional<EagerTensor>> differentiateStaged(RuntimeState &state, StagingFrame &frame, ExecutionEngine &engine,
                                                            const FunctionalRequest &request) {
  const bool isJvp = request.kind == core::TransformKind::Jvp;
  std::vector<std::optional<EagerTensor>> answers(isJvp ? 1 : request.wrt.size());
  const Record &output = *EagerAccess::record(*request.output);
  const uint32_t *outputNumber = frame.findNumber(output);
  if (!outputNumber || output.kind != RecordKind::Staged)
    raise(failureOf(ErrorKind::Unsupported, request.op, "output",
                    "expects an output that the function being recorded has computed, but this one comes from outside of it"));
  std::vector<uint32_t> wrt, asked;
  for (const EagerTensor *input : request.wrt) {
    const Record &record = *EagerAccess::record(*input);
    const uint32_t *number = isDifferentiable(record.type.dtype) ? frame.findNumber(record) : nullptr;
    asked.push_back(number ? *number : ~uint32_t{0});
    if (number && std::find(wrt.begin(), wrt.end(), *number) == wrt.end())
      wrt.push_back(*number);
  }
  if (wrt.empty() || !isDifferentiable(output.type.dtype))
    return answers;
  std::span<const uint32_t> cut;
  if (wrt.size() == 1)
    cut = wrt;
  StagingFrame::Part part = frame.part({outputNumber, 1}, {}, cut, StagingFrame::Order::Walk);
  std::vector<uint32_t> hidden = frame.hiddenIn(part.operations);
  core::Transform transform;
  transform.kind = request.kind;
  transform.seedOnes = !request.seed;
  std::vector<uint32_t> reached; // by entry of the transform
  for (uint32_t number : wrt) {
    if (number & 1 && std::find(hidden.begin(), hidden.end(), number) != hidden.end())
      raise(failureOf(ErrorKind::UnsupportedAdRule, request.op, "wrt",
                      "the output depends on the derivative of a program in which this tensor is an intermediate result; "
                      "differentiate by what that derivative was taken by, or by arguments"));
    if (auto place = part.places.find(number); place != part.places.end()) {
      transform.wrt.push_back(place->second);
      reached.push_back(number);
    }
  }
  if (reached.empty())
    return answers;
  std::vector<uint32_t> operands = part.inputs;
  if (request.seed)
    operands.insert(operands.end(), isJvp ? reached.size() : 1, frame.numberOf(*request.seed, request.op));
  for (uint32_t index = 0; index < part.graph.ops.size(); ++index)
    for (uint32_t result : frame.resultsOf(part.operations[index]))
      hidden.push_back(result);
  const std::vector<std::source_location> locations = frame.locationsOf(part.operations);
  DerivedCallee callee = derivedCallee(state, std::move(part.graph), std::move(transform),
                                       targetOf(state, engine).level, placesIn(locations));
  const std::vector<bool> &active = callee.function->active;
  if (callee.results.empty())
    return answers;
  core::GraphOp call;
  call.operands = std::move(operands);
  call.results = callee.results;
  call.callee = callee.function;
  std::vector<EagerTensor> results = frame.add(std::move(call), std::move(hidden), request.where);
  if (isJvp) {
    answers[0] = std::move(results[0]);
    return answers;
  }
  size_t next = 0;
  for (size_t i = 0; i < active.size(); ++i) {
    if (!active[i])
      continue;
    const EagerTensor &result = results[next++];
    for (size_t w = 0; w < asked.size(); ++w)
      if (asked[w] == reached[i])
        answers[w] = result;
  }
  return answers;
}

/// The results of a run as tensors of the runtime.
class ResultMaker {
public:
  ResultMaker(RuntimeState &state, const PreparedDerivative &prepared, Workspace &workspace, size_t seeds,
              const FunctionalRequest &request)
      : state_(state), prepared_(prepared), workspace_(workspace), where_(request.where) {
    runtime::InlineVector<Record *, 8> operands;
    for (Record *leaf : workspace.walk.leaves())
      operands.push_back(leaf);
    RecordRef seedRecord;
    if (request.seed) {
      seedRecord = traced(*EagerAccess::record(*request.seed), "seed");
      for (size_t i = 0; i < seeds; ++i)
        operands.push_back(seedRecord.get());
    }
    tracks_ = !threadState.noGrad && (threadState.capture || std::any_of(operands.begin(), operands.end(),
                                                                         [](Record *operand) { return operand->tracks; }));
    if (!tracks_)
      return;
    Call *call = Call::create(state, prepared.derived, prepared.derivedDigest, prepared.resultTypes,
                              {operands.data(), operands.size()});
    call->where = where_;
    call_ = RecordRef(call);
    addInner(workspace.walk, *call);
  }

  EagerTensor make(size_t i) {
    Tensor value = takeResult(prepared_, workspace_, i);
    if (!tracks_)
      return EagerAccess::adopt(new ConstantLeaf(state_, std::move(value), where_));
    auto *result = new CallResult(state_, true, static_cast<Call &>(*call_.get()), static_cast<uint32_t>(i));
    result->where = where_;
    result->value = std::move(value);
    return EagerAccess::adopt(result);
  }

private:
  /// Remembers what a later derivative could be asked for that the call hides.
  static void addInner(const Walk &walk, Call &call) {
    for (Operation *operation : walk.operations()) {
      if (operation->kind == RecordKind::Call) {
        const std::vector<uint64_t> &deeper = static_cast<Call *>(operation)->inner;
        call.inner.insert(call.inner.end(), deeper.begin(), deeper.end());
      } else if (operation->handles.load(std::memory_order_relaxed)) {
        call.inner.push_back(idOf(*operation));
      }
      for (Record *operand : operation->operands())
        if (operand->kind == RecordKind::Result && operand->handles.load(std::memory_order_relaxed))
          call.inner.push_back(idOf(*operand));
    }
  }

  RuntimeState &state_;
  const PreparedDerivative &prepared_;
  Workspace &workspace_;
  const std::source_location &where_;
  RecordRef call_;
  bool tracks_ = false;
};

/// The wrt entries that a derivative can exist for, each once.
Places<Record> eligibleRecords(const RuntimeState &state, const FunctionalRequest &request) {
  Places<Record> records;
  for (const EagerTensor *wrt : request.wrt) {
    Record &record = requireRecord(*wrt, request.op, "wrt");
    requireRuntime(state, record, request.op);
    bool isNew = false;
    if (isEligible(record))
      records.add(&record, isNew);
  }
  return records;
}

} // namespace

void refuseHidden(const Walk &walk, std::span<Record *const> wrt, std::string_view op) {
  runtime::InlineVector<uint64_t, 4> ids;
  for (Record *record : wrt)
    if (!record->isLeaf() && record->kind != RecordKind::Variable)
      ids.push_back(idOf(*record));
  if (ids.empty())
    return;
  std::sort(ids.begin(), ids.end());
  for (const Operation *operation : walk.operations()) {
    if (operation->kind != RecordKind::Call)
      continue;
    for (uint64_t id : static_cast<const Call *>(operation)->inner)
      if (std::binary_search(ids.begin(), ids.end(), id))
        raise(failureOf(ErrorKind::UnsupportedAdRule, op, "wrt",
                        "the output depends on the derivative of a program in which tensor " + std::to_string(id) +
                            " is an intermediate result; differentiate by what that derivative was taken by, or by variables"));
  }
}

namespace {

/// What a record of a walk and what the user called `wrt` have in common: the slot of a variable and its versions, else themselves.
const void *identityOf(const Record *record) {
  if (record->kind == RecordKind::Variable)
    return static_cast<const Variable *>(record)->slot();
  if (record->kind == RecordKind::Version)
    return static_cast<const VersionLeaf *>(record)->slot;
  return record;
}

} // namespace

void raiseInactive(std::string_view op, const EagerTensor &wrt, const std::source_location &where) {
  raiseAt(failureOf(ErrorKind::InactiveGrad, op, "wrt",
                    "the gradient is inactive for " + describe(*EagerAccess::record(wrt)) + ": " +
                        (isDifferentiable(wrt.dtype())
                             ? "the output does not depend on it through recorded differentiable operations; use " +
                                   std::string(op) + "Optional where it may be absent"
                             : std::string(name(wrt.dtype())) + " carries no derivative, only floats do")),
          where);
}

static std::vector<std::optional<EagerTensor>> answer(RuntimeState &state, ExecutionEngine &engine,
                                                      const FunctionalRequest &request) {
  const bool isJvp = request.kind == core::TransformKind::Jvp;
  Record &output = requireRecord(*request.output, request.op, "output");
  requireRuntime(state, output, request.op);
  const Places<Record> eligible = eligibleRecords(state, request);
  const std::span<Record *const> wrt = eligible.list();
  if (request.seed) {
    std::string_view argument = isJvp ? "tangent" : "cotangent";
    Record &seed = requireRecord(*request.seed, request.op, argument);
    requireRuntime(state, seed, request.op);
    requireType(seed.type, isJvp ? EagerAccess::record(*request.wrt[0])->type : output.type, request.op, argument);
  } else {
    requireScalar(output.type, request.op);
  }
  if (threadState.staging) [[unlikely]]
    if (StagingFrame *frame = StagingFrame::of(state))
      return differentiateStaged(state, *frame, engine, request);
  if (request.seed && EagerAccess::record(*request.seed)->kind == RecordKind::Staged)
    raiseNoValue(request.op, *EagerAccess::record(*request.seed));
  std::vector<std::optional<EagerTensor>> answers(isJvp ? 1 : request.wrt.size());
  if (wrt.empty() || !isDifferentiable(output.type.dtype))
    return answers;

  RecordRef traceOutput = traced(output, request.op);
  WorkspaceLease workspace;
  DerivativeRequest walkRequest;
  walkRequest.kind = request.kind;
  walkRequest.seedOnes = !request.seed;
  walkRequest.output = traceOutput.get();
  walkRequest.wrt = wrt;
  // One intermediate result is an input of the derivative like a leaf: what it came from does not matter.
  walkRequest.cutAtWrt = wrt.size() == 1 && wrt[0]->kind != RecordKind::Variable;
  walkRequest.target = targetOf(state, engine);
  walkRequest.engine = &engine;
  workspace->walk.run(state, walkRequest);
  const Walk &walk = workspace->walk;
  refuseHidden(walk, wrt, request.op);
  if (walk.wrt().empty())
    return answers;
  const auto [prepared, loaded] = prepare(state, *workspace, walkRequest.target);
  if (prepared->resultTypes.empty()) // nothing is active
    return answers;

  const size_t seeds = !request.seed ? 0 : isJvp ? walk.wrt().size() : 1;
  std::vector<Tensor> seedValues(seeds, seeds ? request.seed->value() : Tensor());
  run(state, *loaded, *workspace, *traceOutput.get(), seedValues, engine);
  ResultMaker results(state, *prepared, *workspace, seeds, request);
  if (isJvp) {
    answers[0] = results.make(0);
    return answers;
  }
  if (prepared->resultTypes.size() == 1 && request.wrt.size() == 1) {
    answers[0] = results.make(0);
    return answers;
  }
  const std::vector<bool> &active = loaded->active();
  Places<const void> asked;
  runtime::InlineVector<size_t, 4> places; // of each wrt
  bool isNew = false;
  for (const EagerTensor *tensor : request.wrt)
    places.push_back(asked.add(identityOf(EagerAccess::record(*tensor)), isNew));
  std::vector<std::optional<EagerTensor>> found(asked.size());
  size_t next = 0;
  for (size_t i = 0; i < active.size(); ++i) {
    if (!active[i])
      continue;
    EagerTensor part = results.make(next++);
    std::optional<EagerTensor> &answer = found[asked.find(identityOf(walk.wrt()[i]))];
    if (!answer) {
      answer = part;
    } else {
      const EagerTensor *parts[] = {&*answer, &part}; // versions of one variable
      answer = apply(state.runtime, engine, core::OpKind::Add, parts, {}, request.where);
    }
  }
  for (size_t w = 0; w < places.size(); ++w)
    answers[w] = found[places[w]];
  return answers;
}

std::vector<std::optional<EagerTensor>> differentiate(RuntimeState &state, ExecutionEngine &engine,
                                                      const FunctionalRequest &request) {
  return located(request.where, [&] { return answer(state, engine, request); });
}

static Gradients fillSlots(ExecutionEngine &engine, const EagerTensor &tensor, const Tensor *seed) {
  const std::string_view op = seed ? "backwardWith" : "backward";
  Record &output = requireRecord(tensor, op, "output");
  RuntimeState &state = *output.state;
  if (output.kind == RecordKind::Staged || (threadState.staging && StagingFrame::of(state)))
    raise(failureOf(ErrorKind::RuntimeState, op, "output",
                    "fills gradient slots, which a function that is being recorded cannot do; use grad, vjp or jvp inside it"));
  if (seed)
    requireType({seed->dtype(), seed->shape()}, output.type, op, "seed");
  else
    requireScalar(output.type, op);
  RecordRef traceOutput = traced(output, op);
  WorkspaceLease workspace;
  DerivativeRequest request;
  request.seedOnes = !seed;
  request.output = traceOutput.get();
  request.allVariables = true;
  request.target = targetOf(state, engine);
  request.engine = &engine;
  if (output.tracks)
    workspace->walk.run(state, request);
  const Walk &walk = workspace->walk;
  if (!output.tracks || walk.wrt().empty())
    raise(failureOf(
        ErrorKind::InactiveGrad, op, "output",
        "expects a result that depends on a variable through recorded differentiable operations, but there is none "
        "(integers and bools carry no derivative)"));
  const auto [prepared, loaded] = prepare(state, *workspace, request.target);
  run(state, *loaded, *workspace, *traceOutput.get(), seed ? std::span<const Tensor>(seed, 1) : std::span<const Tensor>(),
      engine);

  const runtime::LaunchContext context = launchContext(engine);
  const std::vector<bool> &active = loaded->active();
  Gradients gradients;
  std::vector<Gradients::Entry> &entries = EagerAccess::entries(gradients);
  entries.reserve(prepared->resultTypes.size());
  Places<Slot> slots;
  size_t next = 0;
  for (size_t i = 0; i < active.size(); ++i) {
    if (!active[i])
      continue;
    Slot *slot = static_cast<VersionLeaf *>(walk.wrt()[i])->slot;
    Tensor gradient = takeResult(*prepared, *workspace, next++);
    if (walk.repeatsSlots()) { // all that a variable gets in this call, before its slot gets it
      bool isNew = false;
      size_t place = slots.add(slot, isNew);
      if (!isNew) {
        entries[place].gradient = addTensors(entries[place].gradient, gradient, context);
        continue;
      }
    }
    entries.push_back({slot->id(), std::move(gradient)});
  }
  runtime::InlineVector<Slot *, 4> filled;
  if (walk.repeatsSlots()) {
    for (size_t i = 0; i < slots.size(); ++i)
      filled.push_back(slots[i]);
  } else {
    for (size_t i = 0; i < active.size(); ++i)
      if (active[i])
        filled.push_back(static_cast<VersionLeaf *>(walk.wrt()[i])->slot);
  }
  if (filled.size() == 1) {
    filled[0]->accumulate(entries[0].gradient, context);
    return gradients;
  }
  // All sums first: if memory runs out, no slot has changed.
  std::vector<Slot::Sum> sums;
  sums.reserve(filled.size());
  for (size_t i = 0; i < filled.size(); ++i)
    sums.push_back(filled[i]->sumWith(entries[i].gradient, context));
  for (size_t i = 0; i < filled.size(); ++i)
    filled[i]->keep(std::move(sums[i]), entries[i].gradient, context);
  return gradients;
}

Gradients backward(ExecutionEngine &engine, const EagerTensor &tensor, const Tensor *seed,
                   const std::source_location &where) {
  return located(where, [&] { return fillSlots(engine, tensor, seed); });
}

} // namespace tenferro::eager
