// The warm path of a compiled program: addresses, then one call per launch.
#include "runtime/program/Executor.h"

#include "runtime/core/Address.h"
#include "runtime/core/Failures.h"
#include "runtime/core/FloatEnvironment.h"
#include "runtime/launch/LaunchIndexing.h"
#include "runtime/launch/LaunchMatmul.h"
#include "runtime/launch/LaunchPosition.h"
#include "runtime/launch/LaunchScan.h"
#include "runtime/launch/LaunchWindows.h"
#include "runtime/launch/StridedCopy.h"
#include "runtime/program/ExecutableProgram.h"

#include <algorithm>
#include <tuple>

namespace tenferro::runtime {

/// What an indexing launch found, with the index.
static RunError nameIndex(RunError error, const Launch &launch, std::span<const TensorView *const> operands) {
  if (launch.kind == LaunchKind::Take)
    return withIndex(error, *operands[1], operands[0]->shape[static_cast<size_t>(launch.axes[0])]);
  if (launch.kind == LaunchKind::ScatterAdd)
    return withIndex(error, *operands[0], operands[2]->shape[static_cast<size_t>(launch.axes[0])]);
  if (launch.kind == LaunchKind::Gather || launch.kind == LaunchKind::Scatter ||
      launch.kind == LaunchKind::ScatterPrefix)
    return withStart(error, *launch.windows, operands[0]->shape, *operands[1]);
  return error;
}

/// What a run keeps beside the usual: copies of arguments that must be contiguous, and which others are not.
struct ExecutableProgram::Irregular {
  std::vector<BufferRef> copies;
  std::vector<uint8_t> strided; ///< by argument; empty if none is
  std::optional<ValueResolver> resolver;
};

/// One run in progress.
struct ExecutableProgram::Run {
  std::span<const TensorView *const> arguments;
  LaunchContext context;
  const CallbackCaller *caller;
  LaunchObserver *observer;
  char **bases;
  std::unique_ptr<Irregular> irregular;
  std::optional<RunError> &error;
};

/// Whether an argument is there, of the type, and contiguous as it is usual: strides of extents 0 and 1 too.
static bool isPlain(const TensorView &got, const ArgumentType &type, const int64_t *words) noexcept {
  const size_t rank = type.rank;
  if (got.dtype != type.dtype || !got.data || got.shape.size() != rank || got.strides.size() != rank)
    return false;
  const int64_t *extents = got.shape.data(), *strides = got.strides.data();
  for (size_t d = 0; d < rank; ++d)
    if (extents[d] != words[d] || strides[d] != words[rank + d])
      return false;
  return true;
}

static void *addressOf(Place place, char *const *bases) noexcept { return offset(bases[place.base], place.offset); }

[[noreturn, gnu::cold]] static void raiseCounts(const Program &program, size_t arguments, size_t results) {
  raise(makeFailure(ErrorKind::InvalidArgument, "run",
                    "expects " + std::to_string(program.arguments.size()) + " arguments and " +
                        std::to_string(program.results.size()) + " results, but got " + std::to_string(arguments) +
                        " and " + std::to_string(results)));
}

void ExecutableProgram::checkArgument(size_t argument, const TensorView &got) const {
  const core::ValueType &expected = artifact_.program.arguments[argument];
  if (got.dtype == expected.dtype && got.shape == expected.shape && got.strides.size() == got.shape.size() &&
      (got.data || got.elementCount() == 0))
    return;
  Failure failure = makeFailure(ErrorKind::InvalidArgument, "run",
                                "expects argument " + std::to_string(argument) + " of " +
                                    std::string(name(expected.dtype)) + expected.shape.str() + ", but got " +
                                    std::string(name(got.dtype)) + got.shape.str() + (got.data ? "" : " without data"));
  failure.shapes = {expected.shape, got.shape};
  failure.dtypes = {expected.dtype, got.dtype};
  raise(std::move(failure));
}

/// An argument that is not plainly contiguous, or wrong. A reshape needs a contiguous copy; other strided ones change
/// the plans of the launches that read them.
void ExecutableProgram::bindIrregular(size_t argument, Run &run) const {
  const TensorView &got = *run.arguments[argument];
  checkArgument(argument, got);
  char *&base = run.bases[kFirstArgumentSlot + argument];
  base = static_cast<char *>(got.data);
  if (got.isContiguous())
    return;
  if (!run.irregular)
    run.irregular = std::make_unique<Irregular>();
  if (copied_[argument]) {
    BufferRef copy = BufferRef::allocate(static_cast<size_t>(got.elementCount()) * byteSize(got.dtype));
    copyToContiguous(got, copy.data(), run.context);
    base = static_cast<char *>(copy.data());
    run.irregular->copies.push_back(std::move(copy));
  } else {
    run.irregular->strided.resize(argumentTypes_.size(), 0);
    run.irregular->strided[argument] = 1;
  }
}

void ExecutableProgram::prefetchNext(const BoundLaunch &launch, char *const *bases) const noexcept {
  const BoundLaunch &next = *(&launch + 1);
  const auto *code = reinterpret_cast<const char *>(next.kernel);
  for (uint32_t line = 0, lines = codeLines_[numberOf(launch) + 1]; line < lines; ++line)
    __builtin_prefetch(code + line * kCacheLine);
  const Place *place = places_.data() + next.places;
  for (uint32_t i = 0; i < next.operands; ++i) {
    const auto *operand = static_cast<const char *>(addressOf(place[i], bases));
    __builtin_prefetch(operand);
    __builtin_prefetch(operand + kCacheLine);
  }
}

std::optional<RunError> ExecutableProgram::run(std::span<const TensorView *const> arguments, std::span<BufferRef> results,
                                               const ThreadTeam &threads, const CallbackCaller *caller,
                                               LaunchObserver *observer) const {
  if (arguments.size() != argumentTypes_.size() || results.size() != resultBytes_.size()) [[unlikely]]
    raiseCounts(artifact_.program, arguments.size(), results.size());
  FloatEnvironment environment;
  InlineVector<char *, 32> bases(kFirstArgumentSlot + arguments.size() + results.size() + farBases_.size());
  std::optional<RunError> error;
  Run run = {arguments, {kernels_, threads}, caller, observer, bases.data(), nullptr, error};
  constexpr size_t kAhead = 8; // what a long recording kept has left the caches
  char **next = bases.data() + kFirstArgumentSlot;
  const uint32_t *number = argumentTypes_.data();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i + kAhead < arguments.size())
      if (const TensorView *later = arguments[i + kAhead]) {
        __builtin_prefetch(later);
        __builtin_prefetch(&later->strides);
      }
    if (*number != kUnused) {
      const TensorView &got = *arguments[i];
      const ArgumentType &type = types_[*number];
      if (isPlain(got, type, typeWords_.data() + type.words)) [[likely]]
        *next = static_cast<char *>(got.data);
      else
        bindIrregular(i, run);
    }
    ++number;
    ++next;
  }
  for (size_t i = 0; i < results.size(); ++i, ++next) {
    results[i] = BufferRef::allocate(resultBytes_[i]);
    *next = static_cast<char *>(results[i].data());
  }
  BufferRef arena;
  if (artifact_.program.arenaBytes)
    arena = BufferRef::allocate(static_cast<size_t>(artifact_.program.arenaBytes));
  bases[kIndexSlot] = nullptr;
  bases[kArenaSlot] = static_cast<char *>(arena.data());
  bases[kConstantSlot] = reinterpret_cast<char *>(const_cast<uint8_t *>(artifact_.program.constants.data()));
  for (const FarBase &far : farBases_)
    *next++ = static_cast<char *>(offset(bases[far.slot], far.offset));

  const bool isLong = !codeLines_.empty();
  const bool isUsual = !observer && !run.irregular, isSerial = threads <= 1;
  const RowBlocks *group = isUsual ? rowBlocks_.data() : nullptr, *groups = rowBlocks_.data() + rowBlocks_.size();
  const BoundLaunch *end = launches_.data() + launches_.size() - 1;
  auto firstOf = [&](const RowBlocks *blocks) {
    return blocks && blocks != groups ? launches_.data() + blocks->first() : nullptr;
  };
  const BoundLaunch *together = firstOf(group);
  for (const BoundLaunch *current = launches_.data(); current != end; ++current) {
    if (current == together) [[unlikely]] {
      runRowBlocks(*group, run);
      current += group->count() - 1;
      together = firstOf(++group);
      continue;
    }
    const BoundLaunch &launch = *current;
    Status status;
    if (isUsual && launch.call != BoundLaunch::kNoCall && (isSerial || !launch.isSplit)) [[likely]] {
      void *addresses[BoundLaunch::kMostOperands];
      const Place *place = places_.data() + launch.places;
      const uint32_t operands = launch.operands;
      for (uint32_t i = 0; i < operands; ++i)
        addresses[i] = addressOf(place[i], run.bases);
      if (isLong) [[unlikely]]
        prefetchNext(launch, run.bases);
      const int64_t *call = calls_.data() + launch.call;
      status = launch.kernel(addresses, call + 2, call + 2 + operands, call[0], call[1]);
    } else {
      status = runLaunch(numberOf(launch), run);
    }
    if (status != kOk) [[unlikely]]
      note(numberOf(launch), status, run);
  }
  if (error) [[unlikely]]
    for (BufferRef &result : results)
      result.reset();
  return error;
}

bool ExecutableProgram::readsStrided(const BoundLaunch &bound, const Irregular &irregular) const {
  const size_t own = kFirstArgumentSlot + argumentTypes_.size() + resultBytes_.size();
  for (uint32_t i = 0; i < bound.operands; ++i) {
    const uint32_t base = places_[bound.places + i].base;
    const uint32_t slot = base < own ? base : farBases_[base - own].slot;
    const size_t argument = slot - kFirstArgumentSlot; // wraps for the slots before
    if (slot >= kFirstArgumentSlot && argument < irregular.strided.size() && irregular.strided[argument])
      return true;
  }
  return false;
}

void ExecutableProgram::runRowBlocks(const RowBlocks &group, Run &run) const {
  std::vector<SharedStatus> statuses(group.count());
  group.run(places_, run.bases, run.context, statuses);
  for (size_t i = 0; i < statuses.size(); ++i)
    if (statuses[i].get() != kOk)
      note(group.first() + i, statuses[i].get(), run);
}

Status ExecutableProgram::runLaunch(size_t number, Run &run) const {
  const BoundLaunch &bound = launches_[number];
  const Step &step = *steps_[bound.step];
  const bool replan = run.irregular && !run.irregular->strided.empty() && readsStrided(bound, *run.irregular);
  if ((step.map || step.reduce) && !replan && !run.observer) {
    InlineVector<void *, 16> addresses(bound.operands);
    for (uint32_t i = 0; i < bound.operands; ++i)
      addresses[i] = addressOf(places_[bound.places + i], run.bases);
    return step.map ? step.map->run(addresses.data(), run.context.threads, bound.kernel)
                    : step.reduce->run(addresses.data(), run.context);
  }
  const Launch &launch = artifact_.program.launches[number];
  // Most kinds of launch have a few operands.
  constexpr size_t kFew = 6;
  TensorView few[kFew];
  std::vector<TensorView> many;
  if (bound.operands > kFew)
    many.resize(bound.operands);
  TensorView *views = many.empty() ? few : many.data();
  InlineVector<const TensorView *, 16> operands(bound.operands);
  if (replan && !run.irregular->resolver)
    run.irregular->resolver.emplace(artifact_.program, run.arguments, copied_);
  for (uint32_t i = 0; i < bound.operands; ++i) {
    TensorView &view = views[i];
    operands[i] = &view;
    view.dtype = step.views[i].dtype;
    view.shape = step.views[i].shape;
    if (!replan) {
      view.strides = step.views[i].strides;
      view.data = addressOf(places_[bound.places + i], run.bases);
      continue;
    }
    ResolvedValue resolved = run.irregular->resolver->resolve(launch.operands[i]);
    view.strides = std::move(resolved.strides);
    view.data = offset(run.bases[resolved.slot], resolved.offset);
  }
  const std::span<const TensorView *const> all(operands.data(), operands.size());
  if (run.observer)
    run.observer->before(number, all);
  Status status = kOk;
  if (step.kind != LaunchKind::Callback)
    status = runViews(step, bound, launch, all, run.context);
  else if (!run.error) // whatever a kernel before it reported comes first
    runCallback(launch, all, run.context, run.caller);
  if (run.observer)
    run.observer->after(number, all);
  if (status != kOk) [[unlikely]] {
    note(number, status, run, all);
    return kOk;
  }
  return status;
}

void ExecutableProgram::note(size_t number, Status status, Run &run,
                             std::span<const TensorView *const> operands) const {
  const Launch &launch = artifact_.program.launches[number];
  const uint64_t ordinal = status >> 8;
  RunError found = {ordinal < launch.opNumbers.size() ? launch.opNumbers[ordinal] : 0,
                    static_cast<KernelError>(status & 0xFF)};
  if (!operands.empty())
    found = nameIndex(found, launch, operands);
  // An operation may be several launches, in another order where they are fused: the smallest of what they find.
  auto rank = [](const RunError &error) {
    return std::tuple(error.opNumber, error.error, !error.hasIndex, error.axis, error.low, error.high, error.index);
  };
  std::optional<RunError> &error = run.error;
  if (!error || rank(found) < rank(*error))
    error = found;
}

void ExecutableProgram::runCallback(const Launch &launch, std::span<const TensorView *const> operands,
                                    const LaunchContext &context, const CallbackCaller *caller) const {
  if (!caller)
    raise(makeFailure(ErrorKind::RuntimeState, artifact_.program.callbacks[launch.function].family,
                      "expects a runtime and an engine to run on, but the program was run without"));
  std::vector<TensorView> views;
  std::vector<BufferRef> copies;
  for (const TensorView *operand : operands) {
    views.push_back(*operand);
    if (operand->isContiguous())
      continue;
    TensorView &view = views.back();
    copies.push_back(BufferRef::allocate(static_cast<size_t>(view.elementCount()) * byteSize(view.dtype)));
    copyToContiguous(*operand, copies.back().data(), context);
    view = TensorView(copies.back().data(), view.dtype, view.shape, view.shape.contiguousStrides());
  }
  size_t inputs = views.size() - launch.outputs;
  std::span<const TensorView> all = views;
  callbacks_[launch.function]->run(*caller, artifact_.program.callbacks[launch.function].parameters, all.first(inputs),
                                   all.subspan(inputs));
}

Status ExecutableProgram::runViews(const Step &step, const BoundLaunch &bound, const Launch &launch,
                                   std::span<const TensorView *const> operands, const LaunchContext &context) const {
  switch (step.kind) {
  case LaunchKind::Map: {
    InlineVector<void *, 16> addresses(operands.size());
    for (size_t i = 0; i < operands.size(); ++i)
      addresses[i] = operands[i]->data;
    MapFunction function = step.mapFunction;
    if (!function.precompiled)
      function.jit = bound.kernel;
    return MapPlan(function, operands).run(addresses.data(), context.threads);
  }
  case LaunchKind::Reduce:
    return runReduce(step.reduceFunction, launch.axes, operands, context);
  case LaunchKind::Matmul:
    runMatmul(*launch.dot, *operands[0], *operands[1], *operands[2], context);
    return kOk;
  case LaunchKind::Take:
    return runTake(launch.axes[0], *operands[0], *operands[1], *operands[2], context);
  case LaunchKind::ScatterAdd:
    return runScatterAdd(launch.axes[0], *operands[0], *operands[1], *operands[2], context);
  case LaunchKind::Pad:
    runPad(launch.low, launch.interior, *operands[0], *operands[1], context);
    return kOk;
  case LaunchKind::CumulativeSum:
    runCumulativeSum(launch.axes[0], launch.reverse, *operands[0], *operands[1], context);
    return kOk;
  case LaunchKind::ArgMax:
  case LaunchKind::ArgMin:
    runArgExtremum(launch.axes[0], step.kind == LaunchKind::ArgMax, *operands[0], *operands[1], context);
    return kOk;
  case LaunchKind::Copy:
    runCopy(*operands[0], *operands[1], context);
    return kOk;
  case LaunchKind::Gather:
    return runGather(*launch.windows, *operands[0], *operands[1], *operands[2], context);
  case LaunchKind::Scatter:
    return runScatter(*launch.windows, *operands[0], *operands[1], *operands[2], *operands[3], context);
  case LaunchKind::ScatterPrefix:
    return runScatterPrefix(*launch.windows, *operands[0], *operands[1], *operands[2], *operands[3], *operands[4],
                            context);
  case LaunchKind::Callback: // see runLaunch
    return kOk;
  }
  return kOk;
}

} // namespace tenferro::runtime
