// The warm path of a compiled program: addresses, then one call per launch.
#include "runtime/core/Executor.h"

#include "runtime/core/Address.h"
#include "runtime/core/ExecutableProgram.h"
#include "runtime/core/Failures.h"
#include "runtime/core/FloatEnvironment.h"
#include "runtime/core/LaunchIndexing.h"
#include "runtime/core/LaunchMatmul.h"
#include "runtime/core/LaunchPosition.h"
#include "runtime/core/LaunchScan.h"
#include "runtime/core/LaunchWindows.h"
#include "runtime/core/StridedCopy.h"

#include <algorithm>

namespace tenferro::runtime {

/// What an indexing launch found, with the index.
static RunError nameIndex(RunError error, const Launch &launch, std::span<const TensorView *const> operands) {
  if (launch.kind == LaunchKind::Take)
    return withIndex(error, *operands[1], operands[0]->shape[static_cast<size_t>(launch.axes[0])]);
  if (launch.kind == LaunchKind::ScatterAdd)
    return withIndex(error, *operands[0], operands[2]->shape[static_cast<size_t>(launch.axes[0])]);
  if (launch.kind == LaunchKind::Gather || launch.kind == LaunchKind::Scatter)
    return withStart(error, *launch.windows, operands[0]->shape, *operands[1]);
  return error;
}

static void *addressOf(Place place, char *const *bases) noexcept { return offset(bases[place.slot], place.offset); }

void ExecutableProgram::checkArguments(std::span<const TensorView> arguments, std::span<BufferRef> results) const {
  const Program &program = artifact_.program;
  if (arguments.size() != program.arguments.size() || results.size() != program.results.size())
    raise(makeFailure(ErrorKind::InvalidArgument, "run",
                      "expects " + std::to_string(program.arguments.size()) + " arguments and " +
                          std::to_string(program.results.size()) + " results, but got " +
                          std::to_string(arguments.size()) + " and " + std::to_string(results.size())));
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!program.argumentUsed[i])
      continue;
    const core::ValueType &expected = program.arguments[i];
    const TensorView &got = arguments[i];
    bool empty = false;
    if (got.dtype == expected.dtype && got.shape == expected.shape && got.strides.size() == got.shape.size()) {
      if (got.data)
        continue;
      empty = got.elementCount() == 0;
    }
    if (empty)
      continue;
    Failure failure = makeFailure(ErrorKind::InvalidArgument, "run",
                                  "expects argument " + std::to_string(i) + " of " + std::string(name(expected.dtype)) +
                                      expected.shape.str() + ", but got " + std::string(name(got.dtype)) +
                                      got.shape.str() + (got.data ? "" : " without data"));
    failure.shapes = {expected.shape, got.shape};
    failure.dtypes = {expected.dtype, got.dtype};
    raise(std::move(failure));
  }
}

std::optional<RunError> ExecutableProgram::run(std::span<const TensorView> arguments, std::span<BufferRef> results,
                                               const ThreadTeam &threads, const CallbackCaller *caller,
                                               LaunchObserver *observer) const {
  checkArguments(arguments, results);
  FloatEnvironment environment;
  const Program &program = artifact_.program;
  const LaunchContext context = {kernels_, threads};

  InlineVector<char *, 32> bases(kFirstArgumentSlot + arguments.size() + results.size());
  bases[kIndexSlot] = nullptr;
  BufferRef arena;
  if (program.arenaBytes)
    arena = BufferRef::allocate(static_cast<size_t>(program.arenaBytes));
  bases[kArenaSlot] = static_cast<char *>(arena.data());
  bases[kConstantSlot] = reinterpret_cast<char *>(const_cast<uint8_t *>(program.constants.data()));

  // Arguments: a reshape needs a contiguous copy; other strided ones change the plans of the launches that read them.
  std::vector<BufferRef> copies;
  std::vector<bool> strided;
  for (size_t i = 0; i < arguments.size(); ++i) {
    char *&base = bases[kFirstArgumentSlot + i];
    base = static_cast<char *>(arguments[i].data);
    if (!program.argumentUsed[i] || arguments[i].isContiguous())
      continue;
    if (copied_[i]) {
      copies.push_back(
          BufferRef::allocate(static_cast<size_t>(arguments[i].elementCount()) * byteSize(arguments[i].dtype)));
      copyToContiguous(arguments[i], copies.back().data(), context);
      base = static_cast<char *>(copies.back().data());
    } else {
      strided.resize(arguments.size(), false);
      strided[i] = true;
    }
  }
  std::unique_ptr<BufferRef[]> many;
  BufferRef few[8];
  BufferRef *fresh = few;
  if (results.size() > std::size(few)) {
    many = std::make_unique<BufferRef[]>(results.size());
    fresh = many.get();
  }
  for (size_t i = 0; i < results.size(); ++i) {
    fresh[i] = BufferRef::allocate(resultBytes_[i]);
    bases[kFirstArgumentSlot + arguments.size() + i] = static_cast<char *>(fresh[i].data());
  }

  std::optional<RunError> error;
  std::optional<ValueResolver> resolver;
  for (size_t s = 0; s < launches_.size(); ++s) {
    const BoundLaunch &bound = launches_[s];
    const Step &step = *bound.step;
    const Launch &launch = program.launches[s];
    Status status;
    std::vector<TensorView> views;
    std::vector<const TensorView *> operands;
    bool replan = !strided.empty() && std::any_of(bound.arguments.begin(), bound.arguments.end(),
                                                  [&](uint32_t argument) { return strided[argument]; });
    if ((step.map || step.reduce) && !replan && !observer) {
      InlineVector<void *, 16> addresses(bound.places.size());
      for (size_t i = 0; i < addresses.size(); ++i)
        addresses[i] = addressOf(bound.places[i], bases.data());
      status = step.map ? step.map->run(addresses.data(), threads) : step.reduce->run(addresses.data(), context);
    } else {
      views = step.views;
      if (replan && !resolver)
        resolver.emplace(program, arguments);
      for (size_t i = 0; i < views.size(); ++i) {
        Place place = bound.places[i];
        if (replan) {
          ResolvedValue resolved = resolver->resolve(launch.operands[i]);
          place = resolved.place;
          views[i].strides = std::move(resolved.strides);
        }
        views[i].data = addressOf(place, bases.data());
        operands.push_back(&views[i]);
      }
      if (observer)
        observer->before(s, operands);
      if (step.kind == LaunchKind::Callback) {
        // Whatever a kernel before it reported comes first.
        if (!error)
          runCallback(launch, operands, context, caller);
        if (observer)
          observer->after(s, operands);
        continue;
      }
      status = runStep(step, launch, operands, context);
      if (observer)
        observer->after(s, operands);
    }
    if (status == kOk)
      continue;
    uint64_t ordinal = status >> 8;
    RunError found = {ordinal < launch.opNumbers.size() ? launch.opNumbers[ordinal] : 0,
                      static_cast<KernelError>(status & 0xFF)};
    if (!operands.empty())
      found = nameIndex(found, launch, operands);
    if (!error || found.opNumber < error->opNumber || (found.opNumber == error->opNumber && found.error < error->error))
      error = found;
  }
  if (!error)
    for (size_t i = 0; i < results.size(); ++i)
      results[i] = std::move(fresh[i]);
  return error;
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
  callbacks_[launch.function]->run(*caller, artifact_.program.callbacks[launch.function].parameters, all.first(inputs), all.subspan(inputs));
}

Status ExecutableProgram::runStep(const Step &step, const Launch &launch, std::span<const TensorView *const> operands,
                                  const LaunchContext &context) const {
  switch (step.kind) {
  case LaunchKind::Map: {
    InlineVector<void *, 16> addresses(operands.size());
    for (size_t i = 0; i < operands.size(); ++i)
      addresses[i] = operands[i]->data;
    return MapPlan(step.mapFunction, operands).run(addresses.data(), context.threads);
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
  case LaunchKind::Callback: // see runCallback
    return kOk;
  }
  return kOk;
}

} // namespace tenferro::runtime
