// A call of a compiled function: find its recording and program, bind, run, and record the call where that is asked
// for.
#include "lib/Eager/AdContextState.h"
#include "lib/Eager/Custom/Extensions.h"
#include "lib/Eager/Differentiate.h"
#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/Execution/Execute.h"
#include "lib/Eager/Execution/Numerics.h"
#include "lib/Eager/Located.h"
#include "lib/Eager/Recording.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/TensorImpl.h"
#include "lib/Eager/ThreadState.h"
#include "lib/Eager/Trace/Digest.h"
#include "runtime/core/InlineVector.h"

#include <algorithm>

namespace tenferro::eager {

using detail::CompiledCore;
using detail::CompiledMode;
using detail::EagerAccess;
using detail::TensorAccess;

namespace {

using RecordingCache = runtime::LruCache<const CompiledRecording>;
using Words = runtime::InlineVector<uint64_t, 64>;

constexpr std::string_view opOf(CompiledMode mode) noexcept {
  switch (mode) {
  case CompiledMode::Forward:
    return "compiled";
  case CompiledMode::ValueAndGrad:
    return "valueAndGrad";
  case CompiledMode::Vjp:
    return "vjp";
  case CompiledMode::Jvp:
    break;
  }
  return "jvp";
}

[[noreturn]] void fail(ErrorKind kind, CompiledMode mode, std::string_view argument, std::string message) {
  Failure failure;
  failure.kind = kind;
  failure.op = opOf(mode);
  failure.argument = argument;
  failure.message = std::move(message);
  raise(std::move(failure));
}

/// The functions that this thread is recording, innermost first.
struct ActiveRecording {
  const void *cache;
  runtime::CacheKey key;
  const ActiveRecording *outer;
};
thread_local constinit const ActiveRecording *activeRecordings = nullptr;

class ActiveScope {
public:
  ActiveScope(const void *cache, const runtime::CacheKey &key) : active_{cache, key, activeRecordings} {
    activeRecordings = &active_;
  }
  ~ActiveScope() { activeRecordings = active_.outer; }
  ActiveScope(const ActiveScope &) = delete;

private:
  ActiveRecording active_;
};

/// As deep as the compiler follows calls.
constexpr int kMaxDepth = 64;

void refuseRecursion(const void *cache, const runtime::CacheKey &key, CompiledMode mode) {
  int depth = 0;
  for (const ActiveRecording *active = activeRecordings; active; active = active->outer, ++depth)
    if (active->cache == cache && active->key == key)
      fail(ErrorKind::RuntimeState, mode, "function",
           "expects a function that does not call itself with the structure it is being recorded for");
  if (depth >= kMaxDepth)
    fail(ErrorKind::RuntimeState, mode, "function",
         "expects compiled functions that are recorded inside each other at most " + std::to_string(kMaxDepth) +
             " deep");
}

void spell(Words &words, const RuntimeState &state, uint64_t epoch, const CompiledCore::Request &request) {
  words.push_back(reinterpret_cast<uintptr_t>(request.signature));
  words.push_back(state.id);
  words.push_back(epoch);
  words.push_back(request.sizes.size());
  for (uint64_t size : request.sizes)
    words.push_back(size);
  for (const EagerTensor *argument : request.arguments) {
    const core::ValueType &type = EagerAccess::record(*argument)->type;
    words.push_back(static_cast<uint64_t>(type.dtype) << 32 | type.shape.size());
    for (int64_t extent : type.shape)
      words.push_back(static_cast<uint64_t>(extent));
  }
}

std::shared_ptr<const CompiledRecording> findRecording(RecordingCache &cache, RuntimeState &state,
                                                       ExecutionEngine &engine, const CompiledCore::Request &request,
                                                       const CompiledCore::Body &body) {
  Words words;
  const uint64_t epoch = state.extensions.epoch(); // a recording holds the rules that were installed
  spell(words, state, epoch, request);
  std::span<const uint64_t> spelled(words.data(), words.size());
  Digest hashed = digest(spelled);
  const runtime::CacheKey key{hashed.low, hashed.high};
  if (activeRecordings) [[unlikely]]
    refuseRecursion(&cache, key, request.mode);
  auto verify = [&](const CompiledRecording &known) { return std::ranges::equal(known.words, spelled); };
  auto record = [&]() -> runtime::Built<const CompiledRecording> {
    ActiveScope active(&cache, key);
    std::shared_ptr<CompiledRecording> made = CompiledRecording::make(state.runtime, engine, request.arguments, body);
    made->words.assign(spelled.begin(), spelled.end());
    made->epoch = epoch;
    size_t bytes = made->bytes();
    return {std::move(made), bytes};
  };
  if (!threadState.staging && !threadState.readingRules) [[likely]]
    return cache.get(key, verify, record);
  // While a thread records it waits for no recording of another, which may wait for its own.
  if (std::shared_ptr<const CompiledRecording> known = cache.find(key, verify))
    return known;
  runtime::Built<const CompiledRecording> built = record();
  if (built.value->isLocal)
    cache.countMiss(); // it must not outlive the function around it, nor be seen outside of that
  else
    cache.offer(key, verify, built);
  return built.value;
}

void checkSeeds(const CompiledRecording &recording, RuntimeState &state, const CompiledCore::Request &request) {
  const bool isJvp = request.mode == CompiledMode::Jvp;
  const std::string_view argument = isJvp ? "tangent" : "cotangent";
  const size_t expected = isJvp ? recording.argumentCount : recording.resultCount();
  if (request.mode != CompiledMode::Vjp && !isJvp)
    return;
  if (request.seeds.size() != expected)
    fail(ErrorKind::InvalidArgument, request.mode, argument,
         "expects " + std::to_string(expected) + " tensors, but got " + std::to_string(request.seeds.size()));
  for (size_t i = 0; i < expected; ++i) {
    const Record *seed = EagerAccess::record(*request.seeds[i]);
    const core::ValueType &like = isJvp ? recording.function.graph.inputs[i] : recording.resultType(i);
    if (!seed || !isDifferentiable(like.dtype))
      continue;
    requireRuntime(state, *seed, opOf(request.mode));
    requireType(seed->type, like, opOf(request.mode), argument);
  }
}

/// The inputs of a variant's program, one after the other.
template <typename Visit>
void forEachInput(const CompiledRecording &recording, const CompiledVariant &variant,
                  const CompiledCore::Request &request, Visit &&visit) {
  for (const EagerTensor *argument : request.arguments)
    visit(*argument);
  for (const EagerTensor &capture : recording.function.captures)
    visit(capture);
  for (uint32_t seed : variant.seeds)
    visit(*request.seeds[seed]);
}

/// What the program reads and what a recorded call owns: variables in their version of now.
class Inputs {
public:
  Inputs(const CompiledRecording &recording, const CompiledVariant &variant, const CompiledCore::Request &request,
         Workspace &workspace) {
    size_t count = 0;
    workspace.arguments.resize(request.arguments.size() + recording.function.captures.size() + variant.seeds.size());
    forEachInput(recording, variant, request, [&](const EagerTensor &tensor) {
      Record *record = EagerAccess::record(tensor);
      if (record->kind == RecordKind::Variable) {
        record = static_cast<Variable *>(record)->current();
        versions_.push_back(record);
      } else if (record->kind == RecordKind::Staged) {
        release();
        raiseNoValue(opOf(request.mode), *record);
      }
      records_.push_back(record);
      tracked_ |= record->tracks;
      workspace.arguments[count++] = &TensorAccess::view(record->value);
    });
  }
  Inputs(const Inputs &) = delete;
  ~Inputs() { release(); }

  std::span<Record *const> records() const noexcept { return {records_.data(), records_.size()}; }
  /// Whether one of these inputs is tracked.
  bool tracks(std::span<const uint32_t> inputs) const noexcept {
    return tracked_ && std::ranges::any_of(inputs, [&](uint32_t input) { return records_[input]->tracks; });
  }

private:
  void release() noexcept {
    for (Record *version : versions_)
      eager::release(version);
    versions_.clear();
  }
  runtime::InlineVector<Record *, 16> records_, versions_;
  bool tracked_ = false;
};

/// What the user calls an operation of the function, and where it stands.
struct NamedOperation {
  std::string name;
  std::source_location where;
};
std::optional<NamedOperation> namedOperation(const StagedFunction &function, size_t number, CompiledMode mode) {
  if (number >= function.graph.ops.size())
    return std::nullopt;
  const core::GraphOp &op = function.graph.ops[number];
  std::string name(op.custom ? std::string_view(op.custom->name)
                   : op.callee ? opOf(mode)
                               : std::string_view(core::schema(op.kind).mnemonic));
  return NamedOperation{std::move(name), function.locations[number]};
}

/// Where the function calls a family's kernel, if it does so in one place.
std::source_location placeOfFamily(const StagedFunction &function, std::string_view family) {
  std::source_location where;
  for (size_t k = 0; k < function.graph.ops.size(); ++k) {
    const core::GraphOp &op = function.graph.ops[k];
    if (!op.custom || op.custom->name != family)
      continue;
    if (where.line())
      return {};
    where = function.locations[k];
  }
  return where;
}

[[noreturn]] void raiseRunError(const runtime::RunError &error, const CompiledRecording &recording, CompiledMode mode) {
  Failure failure = runtime::describe(error);
  failure.phase = Phase::Execution;
  failure.op = opOf(mode);
  if (std::optional<NamedOperation> named = namedOperation(recording.function, error.opNumber, mode)) {
    failure.op = std::move(named->name);
    failure.file = named->where.file_name();
    failure.line = static_cast<int>(named->where.line());
  }
  raise(std::move(failure));
}

/// Raises a NumericsError if the run made a NaN or an infinity that reached a result.
void raiseIfNonFinite(const runtime::NonFiniteProbe &probe, const runtime::Program &program,
                      const CompiledRecording &recording, const CompiledVariant &variant) {
  std::optional<MadeNonFinite> made = findMaker(probe, program);
  if (!made)
    return;
  // A derivative is a call behind the operations, of a function that has them in another order.
  const std::vector<uint32_t> &origins = variant.derivativeOrigins;
  size_t number = made->opNumber;
  if (number >= recording.function.graph.ops.size() && made->innerNumber < origins.size())
    number = origins[made->innerNumber];
  std::optional<NamedOperation> named = namedOperation(recording.function, number, variant.mode);
  raiseNonFinite(named ? std::move(named->name) : std::string(opOf(variant.mode)), *made,
                 named ? named->where : std::source_location());
}

/// Runs the program; one tensor per result of it.
std::vector<EagerTensor> run(RuntimeState &state, ExecutionEngine &engine, const CompiledRecording &recording,
                             const CompiledVariant &variant, const CompiledCore::Request &request) {
  std::vector<EagerTensor> outputs(variant.results.size());
  if (outputs.empty())
    return outputs;
  // A derivative is a call behind the operations, of a function with the same ones.
  auto place = [&](uint32_t number) {
    const std::vector<std::source_location> &locations = recording.function.locations;
    if (number > locations.size() && number - locations.size() - 1 < variant.derivativeOrigins.size())
      number = variant.derivativeOrigins[number - locations.size() - 1];
    return placesIn(locations)(number);
  };
  WorkspaceLease workspace;
  const auto [prepared, program] = prepareProgram(
      state, variant.program, variant.text, variant.digest, targetOf(state, engine), place, workspace->memo);
  Inputs inputs(recording, variant, request, *workspace);
  workspace->results.clear();
  const runtime::LoadedProgram &loaded = *program;
  workspace->results.resize(loaded.resultCount());
  const runtime::CallbackCaller caller{&engine, &state};
  std::optional<runtime::NonFiniteProbe> probe;
  if (threadState.checkNumerics) [[unlikely]]
    probe.emplace(loaded.program());
  auto kernelPlace = [&](std::string_view family) { return placeOfFamily(recording.function, family); };
  if (auto error = runningKernels(kernelPlace, [&] {
        return loaded.run(workspace->arguments, workspace->results, launchContext(engine).threads, &caller,
                          probe ? &*probe : nullptr);
      }))
    raiseRunError(*error, recording, request.mode);
  if (probe)
    raiseIfNonFinite(*probe, loaded.program(), recording, variant);

  const bool capture = threadState.capture;
  runtime::InlineVector<bool, 16> moved; // by list of movers
  bool anyMoved = false;
  if (!threadState.noGrad)
    for (const std::vector<uint32_t> &movers : variant.movers) {
      moved.push_back(capture ? !movers.empty() : inputs.tracks(movers));
      anyMoved |= moved.back();
    }
  const bool records = !threadState.noGrad && (anyMoved || capture);
  RecordRef call;
  if (records) {
    if (capture)
      for (Record *input : inputs.records())
        if (input->isLeaf())
          input->captured.store(true, std::memory_order_relaxed);
    auto *made =
        Call::create(state, prepared->derived, prepared->derivedDigest, prepared->resultTypes, inputs.records());
    call = RecordRef(made);
    if (recording.callsFamilies())
      made->familyEpoch = recording.epoch;
    for (const std::source_location &where : recording.function.locations)
      if (where.line()) { // not a number that is repeated
        made->where = where;
        break;
      }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    Tensor value = takeResult(*prepared, *workspace, i);
    if (!records) {
      outputs[i] = EagerAccess::adopt(new ConstantLeaf(state, std::move(value), std::source_location()));
      continue;
    }
    const bool tracks = isDifferentiable(variant.results[i].dtype) && moved[variant.moversOf[i]];
    auto *result = new CallResult(state, tracks, static_cast<Call &>(*call.get()), static_cast<uint32_t>(i));
    result->value = std::move(value);
    if (!recording.function.locations.empty())
      result->where = recording.function.locations.back();
    outputs[i] = EagerAccess::adopt(result);
  }
  return outputs;
}

RuntimeState &runtimeOf(const std::shared_ptr<EagerRuntime> &bound, const CompiledCore::Request &request) {
  if (bound)
    return EagerAccess::state(*bound);
  for (const EagerTensor *argument : request.arguments)
    if (Record *record = EagerAccess::record(*argument))
      return *record->state;
  if (threadState.session)
    return EagerAccess::state(threadState.session->runtime());
  fail(ErrorKind::RuntimeState, request.mode, "function",
       "expects a tensor argument or an open session, as the function belongs to no runtime");
}

} // namespace
} // namespace tenferro::eager

namespace tenferro::detail {

struct CompiledCore::State {
  std::shared_ptr<EagerRuntime> runtime;
  eager::RecordingCache recordings;
};

CompiledCore::CompiledCore(std::shared_ptr<EagerRuntime> runtime)
    : state_(std::make_unique<State>(std::move(runtime))) {}
CompiledCore::~CompiledCore() = default;

CacheStats CompiledCore::stats() const { return state_->recordings.stats(); }
CacheLimits CompiledCore::limits() const { return state_->recordings.limits(); }
void CompiledCore::setLimits(const CacheLimits &limits) {
  eager::checkLimits(limits, "CompiledFunction::setLimits");
  state_->recordings.setLimits(limits);
}
void CompiledCore::clear() { state_->recordings.clear(); }

CompiledCore::Answer CompiledCore::call(ExecutionEngine *borrowed, const Request &request, const Body &body) {
  // What the user's function throws is the user's; everything else without a place is about this call.
  bool isUsers = false;
  Body watched = [&](EagerSession &session, std::span<const EagerTensor> arguments) {
    isUsers = true;
    Leaves results = body(session, arguments);
    isUsers = false;
    return results;
  };
  try {
    return callAt(borrowed, request, watched);
  } catch (const Error &error) {
    if (isUsers || !request.where.line() || !error.failure().file.empty() || !eager::isOwnClass(error))
      throw;
    eager::raiseAt(error.failure(), request.where);
  }
}

CompiledCore::Answer CompiledCore::callAt(ExecutionEngine *borrowed, const Request &request, const Body &body) {
  using namespace eager;
  RuntimeState &state = runtimeOf(state_->runtime, request);
  for (const EagerTensor *argument : request.arguments) {
    if (argument->empty())
      fail(ErrorKind::InvalidArgument, request.mode, "arguments",
           "expects tensors, but an argument is empty (default-made or moved-from)");
    requireRuntime(state, *EagerAccess::record(*argument), opOf(request.mode));
  }
  ExecutionEngine &engine = borrowed ? *borrowed : sessionFor(opOf(request.mode), request.where).engine();
  std::shared_ptr<const CompiledRecording> recording = findRecording(state_->recordings, state, engine, request, body);
  checkSeeds(*recording, state, request);
  const CompiledVariant &variant =
      recording->variant(state, targetOf(state, engine).level, request.mode, request.seeds);

  std::vector<EagerTensor> outputs;
  StagingFrame *frame = threadState.staging ? StagingFrame::of(state) : nullptr;
  if (frame) [[unlikely]] {
    std::vector<uint32_t> inputs;
    forEachInput(*recording, variant, request,
                 [&](const EagerTensor &tensor) { inputs.push_back(frame->numberOf(tensor, opOf(request.mode))); });
    outputs = frame->splice(variant.program->graph, recording->function.locations, inputs);
  } else {
    outputs = run(state, engine, *recording, variant, request);
  }

  Answer answer;
  answer.results.sizes = recording->resultSizes;
  for (const ResultSource &source : recording->sources) {
    switch (source.kind) {
    case ResultSource::Kind::Output:
      answer.results.tensors.push_back(outputs[source.index]);
      break;
    case ResultSource::Kind::Argument:
      answer.results.tensors.push_back(*request.arguments[source.index]);
      break;
    case ResultSource::Kind::Capture:
      answer.results.tensors.push_back(recording->function.captures[source.index]);
      break;
    }
  }
  for (uint32_t place : variant.derivatives)
    answer.derivatives.push_back(place == kAbsent ? EagerTensor() : outputs[place]);
  return answer;
}

} // namespace tenferro::detail
