// Cutting the space into blocks, finding room for what is needed inside one, and running.
#include "lib/Eager/Execution/BlockedLoop.h"

#include "lib/Eager/Execution/WholeReductions.h"
#include "runtime/core/Address.h"
#include "runtime/core/TensorView.h"
#include "runtime/launch/LaunchMap.h"
#include "runtime/launch/LaunchReduce.h"
#include "runtime/memory/Buffer.h"
#include "runtime/threads/Grain.h"
#include "runtime/threads/SharedStatus.h"
#include "runtime/threads/ThreadPool.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace tenferro::eager {

using runtime::Status;
using runtime::TensorView;

namespace {

/// Elements along the closest axis that a block takes together.
constexpr int64_t kLine = 64;

bool has(AxisSet set, size_t axis) noexcept { return set >> axis & 1; }

/// The kernel calls of one step on blocks of one shape.
struct PlannedStep {
  std::array<TensorView, 4> views;
  std::array<const TensorView *, 4> pointers{};
  IntList reduced;
  std::optional<runtime::MapPlan> map;
  std::optional<runtime::ReducePlan> reduction;
};

class BlockRunner {
public:
  /// `isFlat`: the space is one axis, and all reductions are over it.
  BlockRunner(const BlockedLoop &loop, const runtime::LaunchContext &context, bool isFlat)
      : loop_(loop), context_(context) {
    if (isFlat)
      reductions_.emplace(loop);
    chooseBlocks();
    placeValues();
    whole_ = plan(block_);
    if (rest_) {
      IntList extents = block_;
      extents[cut_] = rest_;
      last_ = plan(extents);
    }
  }

  Status run() const;

private:
  using Plans = std::unique_ptr<PlannedStep[]>;

  void chooseBlocks();
  void placeValues();
  Plans plan(const IntList &extents) const;
  TensorView view(uint32_t value, AxisSet visited, AxisSet dropped, const IntList &extents) const;
  runtime::Work estimate() const;
  Status runBlock(int64_t number, char *scratch, const runtime::LaunchContext &context) const;

  const BlockedLoop &loop_;
  const runtime::LaunchContext &context_;
  std::optional<WholeReductions> reductions_;
  IntList block_;    ///< extents of a block
  IntList counts_;   ///< blocks along each axis
  size_t cut_ = 0;   ///< the axis along which the last block may be shorter
  int64_t rest_ = 0; ///< its extent there; 0: as the others
  int64_t blocks_ = 1;
  std::vector<size_t> places_; ///< of values of a block, in its scratch memory
  size_t scratchBytes_ = 0;
  Plans whole_, last_;
};

/// From the axis whose elements lie farthest apart: single positions, until cutting one more axis in pieces makes the
/// block small enough. Axes that are reduced stay whole.
void BlockRunner::chooseBlocks() {
  const AxisSet reduced = reductions_ ? 0 : loop_.reduced();
  block_ = loop_.extents;
  counts_ = IntList(block_.size(), 1);
  int64_t elements = 1;
  for (int64_t extent : block_)
    elements *= extent;
  const int64_t most = reduced ? BlockedLoop::kBlock : BlockedLoop::kBlockWithoutRows;
  for (size_t i = block_.size(); i-- > 0 && elements > most;) {
    const auto axis = static_cast<size_t>(loop_.order[i]);
    const int64_t extent = block_[axis];
    if (extent == 1 || has(reduced, axis))
      continue;
    const int64_t others = elements / extent, line = reductions_ ? runtime::kReductionBlock : i == 0 ? kLine : 1;
    int64_t piece = std::max<int64_t>(most / others, 1);
    piece = (extent + (extent + piece - 1) / piece - 1) / ((extent + piece - 1) / piece); // all of about one size
    piece = std::min((piece + line - 1) / line * line, extent);
    block_[axis] = piece;
    counts_[axis] = (extent + piece - 1) / piece;
    blocks_ *= counts_[axis];
    elements = others * piece;
    cut_ = axis;
    rest_ = extent % piece;
  }
}

/// Room for each value that is needed inside a block alone, from the step that makes it to the last one that reads it.
void BlockRunner::placeValues() {
  const size_t count = loop_.values.size();
  std::vector<size_t> lastUse(count, 0), bytes(count, 0);
  for (size_t s = 0; s < loop_.steps.size(); ++s)
    for (uint32_t i = 0; i < loop_.steps[s].inputs; ++i)
      lastUse[loop_.steps[s].values[i]] = s;
  for (size_t v = 0; v < count; ++v) {
    size_t elements = 1;
    for (size_t axis = 0; axis < block_.size(); ++axis)
      elements *= has(loop_.values[v].axes, axis) ? static_cast<size_t>(block_[axis]) : 1;
    bytes[v] = (elements * byteSize(loop_.values[v].dtype) + 63) & ~size_t{63};
  }
  places_.assign(count, 0);
  struct Room {
    size_t place, bytes;
  };
  std::vector<Room> free;
  for (size_t s = 0; s < loop_.steps.size(); ++s) {
    const BlockedLoop::Step &step = loop_.steps[s];
    const uint32_t result = step.values[step.inputs];
    auto releaseInputs = [&](bool inPlace) {
      for (uint32_t i = 0; i < step.inputs; ++i) {
        const uint32_t v = step.values[i];
        const BlockedLoop::Value &value = loop_.values[v];
        if (!value.isOfBlock() || lastUse[v] != s || std::count(&step.values[0], &step.values[i], v))
          continue;
        // A map may write over what it reads at the same place.
        const BlockedLoop::Value &to = loop_.values[result];
        const bool samePlace = !step.reduced && value.axes == to.axes && byteSize(value.dtype) == byteSize(to.dtype);
        if (samePlace == inPlace)
          free.push_back({places_[v], bytes[v]});
      }
    };
    releaseInputs(true);
    if (loop_.values[result].isOfBlock()) {
      auto room = std::find_if(free.begin(), free.end(), [&](const Room &r) { return r.bytes == bytes[result]; });
      if (room != free.end()) {
        places_[result] = room->place;
        free.erase(room);
      } else {
        places_[result] = scratchBytes_;
        scratchBytes_ += bytes[result];
      }
    }
    releaseInputs(false);
  }
}

/// A value on a block of these extents, as a step that visits `visited` sees it; without the axes of `dropped`.
TensorView BlockRunner::view(uint32_t number, AxisSet visited, AxisSet dropped, const IntList &extents) const {
  const BlockedLoop::Value &value = loop_.values[number];
  IntList strides = value.strides;
  if (value.isOfBlock()) {
    strides = IntList(extents.size(), 0);
    int64_t stride = 1;
    for (int64_t axis : loop_.order)
      if (has(value.axes, static_cast<size_t>(axis))) {
        strides[static_cast<size_t>(axis)] = stride;
        stride *= extents[static_cast<size_t>(axis)];
      }
  }
  TensorView view;
  view.dtype = value.dtype;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    if (has(dropped, axis))
      continue;
    view.shape.push_back(has(visited, axis) ? extents[axis] : 1);
    view.strides.push_back(strides[axis]);
  }
  return view;
}

BlockRunner::Plans BlockRunner::plan(const IntList &extents) const {
  static constexpr runtime::Access kUnit = runtime::Access::Unit;
  auto plans = std::make_unique<PlannedStep[]>(loop_.steps.size());
  for (size_t s = 0; s < loop_.steps.size(); ++s) {
    const BlockedLoop::Step &step = loop_.steps[s];
    PlannedStep &planned = plans[s];
    if (reductions_ && step.reduced)
      continue;
    for (uint32_t i = 0; i <= step.inputs; ++i) {
      planned.views[i] = view(step.values[i], step.axes, i < step.inputs ? 0 : step.reduced, extents);
      planned.pointers[i] = &planned.views[i];
    }
    const std::span<const TensorView *const> operands(planned.pointers.data(), step.inputs + 1);
    if (!step.reduced) {
      runtime::MapFunction function;
      function.precompiled = step.kernel;
      planned.map.emplace(function, operands);
      continue;
    }
    for (size_t axis = 0; axis < extents.size(); ++axis)
      if (has(step.reduced, axis))
        planned.reduced.push_back(static_cast<int64_t>(axis));
    runtime::ReduceFunction function;
    function.row = reinterpret_cast<runtime::ReduceKernel>(step.kernel->variants[0]);
    function.column = reinterpret_cast<runtime::ReduceKernel>(step.kernel->variants[1]);
    function.access = {&kUnit, 1};
    function.combine = {&step.kernel, 1};
    function.weight = step.kernel->weight;
    planned.reduction.emplace(function, planned.reduced, operands);
  }
  return plans;
}

/// All steps as one element-wise operation: its bytes are those of the arrays, its weight the time of the steps on a
/// block, which lies in the near caches.
runtime::Work BlockRunner::estimate() const {
  auto elementsOf = [&](AxisSet axes) {
    int64_t elements = 1;
    for (size_t axis = 0; axis < loop_.extents.size(); ++axis)
      elements *= has(axes, axis) ? loop_.extents[axis] : 1;
    return elements;
  };
  runtime::Work work{elementsOf(~AxisSet{0}), 0, 0, 1};
  for (const BlockedLoop::Value &value : loop_.values) {
    const auto bytes = static_cast<int64_t>(byteSize(value.dtype));
    work.widest = std::max(work.widest, bytes);
    if (value.array)
      work.bytes += bytes * elementsOf(value.axes) / work.count;
  }
  int64_t time = 0;
  for (const BlockedLoop::Step &step : loop_.steps) {
    runtime::Work one{1, 0, step.kernel->weight, 1};
    for (uint32_t i = 0; i <= step.inputs; ++i) {
      const auto bytes = static_cast<int64_t>(byteSize(loop_.values[step.values[i]].dtype));
      one.bytes += bytes;
      one.widest = std::max(one.widest, bytes);
    }
    time += one.time() * elementsOf(step.axes) / work.count;
  }
  work.weight = time / (2 * work.widest);
  return work;
}

Status BlockRunner::run() const {
  if (blocks_ == 1 && !reductions_) { // each step over all of it, on the engine's threads
    runtime::BufferRef scratch = runtime::BufferRef::allocate(scratchBytes_);
    return runBlock(0, static_cast<char *>(scratch.data()), context_);
  }
  const runtime::LaunchContext single{context_.kernels, {}};
  const runtime::Work work = estimate();
  const int64_t parts = std::min(work.parts(context_.threads), blocks_);
  const size_t partBytes = (scratchBytes_ + 4095) & ~size_t{4095};
  runtime::BufferRef scratch = runtime::BufferRef::allocate(partBytes * static_cast<size_t>(parts));
  runtime::SharedStatus status;
  runtime::parallelFor(context_.threads, parts, work.time(), [&](int64_t part) {
    char *own = static_cast<char *>(scratch.data()) + static_cast<size_t>(part) * partBytes;
    for (int64_t number = blocks_ * part / parts; number < blocks_ * (part + 1) / parts; ++number)
      status.add(runBlock(number, own, single));
  });
  if (reductions_)
    status.add(reductions_->finish(context_));
  return status.get();
}

Status BlockRunner::runBlock(int64_t number, char *scratch, const runtime::LaunchContext &context) const {
  IntList begin(block_.size(), 0);
  bool isLast = false;
  for (int64_t axis : loop_.order) {
    const auto a = static_cast<size_t>(axis);
    const int64_t position = number % counts_[a];
    number /= counts_[a];
    begin[a] = position * block_[a];
    isLast |= a == cut_ && rest_ && position + 1 == counts_[a];
  }
  runtime::InlineVector<void *, 32> addresses(loop_.values.size());
  for (size_t v = 0; v < loop_.values.size(); ++v) {
    const BlockedLoop::Value &value = loop_.values[v];
    if (value.isOfBlock()) {
      addresses[v] = scratch + places_[v];
      continue;
    }
    int64_t at = 0;
    for (size_t axis = 0; axis < begin.size(); ++axis)
      at += begin[axis] * value.strides[axis];
    const auto unit = value.isCoordinate ? 1 : static_cast<int64_t>(byteSize(value.dtype));
    addresses[v] = runtime::offset(value.array, at * unit);
  }
  const PlannedStep *plans = isLast ? last_.get() : whole_.get();
  Status status = runtime::kOk;
  for (size_t s = 0; s < loop_.steps.size(); ++s) {
    const BlockedLoop::Step &step = loop_.steps[s];
    void *data[4];
    for (uint32_t i = 0; i <= step.inputs; ++i)
      data[i] = addresses[step.values[i]];
    if (reductions_ && step.reduced)
      status = runtime::combine(
          status, reductions_->addBlock(s, data[0], begin[0], std::min(block_[0], loop_.extents[0] - begin[0])));
    else
      status = runtime::combine(status, plans[s].map ? plans[s].map->run(data, context.threads)
                                                     : plans[s].reduction->run(data, context));
  }
  return status;
}

} // namespace

AxisSet BlockedLoop::reduced() const noexcept {
  AxisSet all = 0;
  for (const Step &step : steps)
    all |= step.reduced;
  return all;
}

int64_t BlockedLoop::smallestBlock(AxisSet reduced) const noexcept {
  int64_t elements = 1;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto axis = static_cast<size_t>(order[i]);
    if (has(reduced, axis))
      elements *= extents[axis];
    else if (i == 0)
      elements *= std::min(extents[axis], kLine);
  }
  return elements;
}

AxisSet BlockedLoop::longAxes() const noexcept {
  AxisSet axes = 0;
  for (size_t axis = 0; axis < extents.size(); ++axis)
    axes |= AxisSet{extents[axis] > 1} << axis;
  return axes;
}

std::optional<BlockedLoop> BlockedLoop::flattened() const {
  const AxisSet every = longAxes();
  BlockedLoop flat;
  flat.extents = {Shape(extents).elementCount()};
  flat.order = {0};
  const IntList contiguous = Shape(extents).contiguousStrides();
  auto one = [&](AxisSet axes) -> std::optional<AxisSet> {
    if ((axes & every) == every)
      return 1;
    return axes & every ? std::nullopt : std::optional<AxisSet>(0);
  };
  for (const Value &value : values) {
    const std::optional<AxisSet> axes = one(value.axes);
    if (!axes)
      return {};
    for (size_t axis = 0; axis < extents.size(); ++axis)
      if (*axes && value.array && has(every, axis) && value.strides[axis] != contiguous[axis])
        return {};
    flat.values.push_back({value.dtype, *axes, value.array, {static_cast<int64_t>(*axes)}, value.isCoordinate});
  }
  for (Step step : steps) {
    const std::optional<AxisSet> axes = one(step.axes), reduced = one(step.reduced);
    if (!axes || !reduced)
      return {};
    step.axes = *axes;
    step.reduced = *reduced;
    flat.steps.push_back(step);
  }
  return flat;
}

Status BlockedLoop::run(const runtime::LaunchContext &context) const {
  const AxisSet every = longAxes();
  if (every && (reduced() & every) == every)
    if (const std::optional<BlockedLoop> flat = flattened())
      return BlockRunner(*flat, context, true).run();
  return BlockRunner(*this, context, false).run();
}

} // namespace tenferro::eager
