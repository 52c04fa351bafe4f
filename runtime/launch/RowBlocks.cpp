// Which launches share their rows, how many rows fit the caches, and running them.
//
// Blocks change the order of memory accesses, so two launches of a group may touch the same memory only where both find
// row r at the same place: then all that happens to a row happens in the program's order.
#include "runtime/launch/RowBlocks.h"

#include "runtime/core/Address.h"
#include "runtime/program/ExecutableProgram.h"
#include "runtime/threads/ThreadPool.h"

#include <algorithm>

namespace tenferro::runtime {

namespace {

/// Elements of a block, about: a few operands of it lie in the caches of a core.
constexpr int64_t kBlockElements = 16384;
/// Bytes that the members of a group read or write again, at least.
constexpr int64_t kWorthBytes = 1 << 19;
constexpr size_t kMostMembers = 64;

} // namespace

/// Goes through the launches of a program once.
class RowBlockFinder {
public:
  RowBlockFinder(const Program &program, ValueResolver &resolver, std::span<const BoundLaunch> launches,
                 std::span<const std::unique_ptr<Step>> steps)
      : program_(program), resolver_(resolver), launches_(launches), steps_(steps) {}

  std::vector<RowBlocks> find() {
    for (size_t i = 0; i < program_.launches.size();) {
      reset();
      size_t end = i;
      while (end < program_.launches.size() && end - i < kMostMembers && add(end))
        ++end;
      if (isWorth(end - i))
        groups_.push_back(make(i, end));
      i = std::max(end, i + 1);
    }
    return std::move(groups_);
  }

private:
  /// What a launch of the group does with one operand. Places count bytes in a slot.
  struct Use {
    uint32_t root; ///< the value in memory
    uint32_t slot;
    int64_t offset, low, high; ///< of the first element; of all it touches
    int64_t rowStride;         ///< in bytes; steps of a coordinate
    bool writes, isApart;      ///< no row reaches into the next one
    bool isInner = false;
  };

  void reset() {
    rows_ = widest_ = 0;
    uses_.clear();
  }

  static int64_t bytesOf(const TensorView &view) {
    return view.elementCount() * static_cast<int64_t>(byteSize(view.dtype));
  }

  uint32_t rootOf(uint32_t value) const {
    while (program_.values[value].storage == StorageKind::View)
      value = program_.values[value].index;
    return value;
  }

  /// Adds a launch to the group if that is possible.
  bool add(size_t number) {
    const Launch &launch = program_.launches[number];
    const Step &step = *steps_[launches_[number].step];
    if (!step.map && !step.reduce)
      return false;
    const Shape &shape = step.views[0].shape;
    size_t axis = shape.size();
    while (axis > 0 && shape[axis - 1] == 1)
      --axis;
    const int64_t elements = shape.elementCount();
    if (axis-- == 0 || elements == 0 || (rows_ && shape[axis] != rows_))
      return false;
    if (!rows_ && bytesOf(step.views[0]) < kWorthBytes)
      return false; // it starts with a large one: most programs are looked through quickly
    size_t kept = axis;
    for (int64_t reduced : launch.axes)
      if (reduced == static_cast<int64_t>(axis))
        return false;
      else
        kept -= reduced < static_cast<int64_t>(axis);
    const int64_t rows = shape[axis], width = elements / rows;
    if (width > 4 * kBlockElements)
      return false;
    const size_t before = uses_.size(), inputs = launch.operands.size() - launch.outputs;
    for (size_t i = 0; i < launch.operands.size(); ++i) {
      Use use = useOf(launch.operands[i], step.views[i], step.reduce && i >= inputs ? kept : axis);
      use.writes = i >= inputs;
      if (!isCompatible(use)) {
        uses_.resize(before);
        return false;
      }
      uses_.push_back(use);
    }
    rows_ = rows;
    widest_ = std::max(widest_, width);
    return true;
  }

  Use useOf(uint32_t value, const TensorView &view, size_t axis) {
    const ResolvedValue resolved = resolver_.resolve(value);
    const int64_t unit = resolved.slot == kIndexSlot ? 1 : static_cast<int64_t>(byteSize(view.dtype));
    Use use{rootOf(value), resolved.slot, resolved.offset, resolved.offset, resolved.offset, 0, false, false};
    int64_t inRow = unit;
    use.high += unit;
    for (size_t d = 0; d < view.shape.size(); ++d) {
      const int64_t reach = view.strides[d] * (view.shape[d] - 1) * unit;
      (reach < 0 ? use.low : use.high) += reach;
      inRow += d == axis ? 0 : std::abs(reach);
    }
    use.rowStride = view.strides[axis] * unit;
    use.isApart = use.low == use.offset && inRow <= use.rowStride;
    return use;
  }

  bool isCompatible(const Use &use) const {
    if (use.writes && !use.isApart)
      return false;
    return std::all_of(uses_.begin(), uses_.end(), [&](const Use &other) {
      if (other.slot != use.slot || !(other.writes || use.writes) || other.high <= use.low || use.high <= other.low)
        return true;
      return other.offset == use.offset && other.rowStride == use.rowStride && other.isApart && use.isApart;
    });
  }

  int64_t height() const noexcept { return std::max<int64_t>(kBlockElements / widest_, 1); }

  bool isWorth(size_t members) const {
    if (members < 2 || height() * 2 > rows_)
      return false;
    int64_t again = 0;
    for (size_t i = 0; i < uses_.size(); ++i)
      if (uses_[i].slot != kIndexSlot &&
          std::any_of(uses_.begin(), uses_.begin() + static_cast<ptrdiff_t>(i), [&](const Use &earlier) {
            return earlier.slot == uses_[i].slot && earlier.offset == uses_[i].offset;
          }))
        again += uses_[i].high - uses_[i].low;
    return again >= kWorthBytes;
  }

  /// Marks what lies in arena memory whose values are written and read by launches in [begin, end) alone.
  void findInner(size_t begin, size_t end) {
    if (firstUses_.empty()) {
      firstUses_.assign(program_.values.size(), program_.launches.size());
      lastUses_.assign(program_.values.size(), 0);
      for (size_t l = 0; l < program_.launches.size(); ++l)
        for (uint32_t operand : program_.launches[l].operands) {
          const uint32_t root = rootOf(operand);
          firstUses_[root] = std::min(firstUses_[root], l);
          lastUses_[root] = l;
        }
    }
    for (Use &use : uses_)
      use.isInner = use.slot == kArenaSlot && firstUses_[use.root] >= begin && lastUses_[use.root] < end;
    auto sharePlace = [](const Use &a, const Use &b) {
      return a.slot == b.slot && a.offset == b.offset && a.rowStride == b.rowStride;
    };
    for (const Use &use : uses_) // values may have the same memory one after the other
      if (!use.isInner)
        for (Use &other : uses_)
          if (sharePlace(use, other))
            other.isInner = false;
  }

  std::unique_ptr<const RowBlocks::Plan> plan(const Launch &launch, const Step &step, int64_t height) const {
    auto plan = std::make_unique<RowBlocks::Plan>();
    plan->views = step.views;
    for (TensorView &view : plan->views) {
      size_t axis = view.shape.size(); // the last one longer than 1 of the outputs of a reduction as well
      while (view.shape[axis - 1] == 1)
        --axis;
      view.shape[axis - 1] = height;
      plan->operands.push_back(&view);
    }
    if (step.map)
      plan->map.emplace(step.mapFunction, plan->operands);
    else
      plan->reduction.emplace(step.reduceFunction, launch.axes, plan->operands);
    return plan;
  }

  RowBlocks make(size_t begin, size_t end) {
    findInner(begin, end);
    RowBlocks group;
    group.first_ = begin;
    group.rows_ = rows_;
    const int64_t blocks = (rows_ + height() - 1) / height();
    group.height_ = (rows_ + blocks - 1) / blocks; // all of about one size, of whole lines where rows are short
    if (group.height_ > 64)
      group.height_ = (group.height_ + 63) & ~int64_t{63};
    const int64_t rest = rows_ % group.height_;
    const Use *use = uses_.data();
    int64_t time = 0, bytes = 0;
    for (size_t l = begin; l < end; ++l) {
      const Launch &launch = program_.launches[l];
      const Step &step = *steps_[launches_[l].step];
      RowBlocks::Member member;
      if (launch.kernel.empty())
        member.kernel = launches_[l].kernel;
      member.places = launches_[l].places;
      member.whole = plan(launch, step, group.height_);
      if (rest)
        member.last = plan(launch, step, rest);
      Work one{step.views[0].shape.elementCount(), 0,
               step.map ? step.mapFunction.precompiled ? step.mapFunction.precompiled->weight : step.mapFunction.weight
                        : step.reduceFunction.weight};
      for (const TensorView &view : step.views) {
        member.rowStrides.push_back(use->rowStride);
        member.isInner.push_back(use->isInner);
        if (use->slot != kIndexSlot) {
          one.bytes += static_cast<int64_t>(byteSize(view.dtype));
          one.widest = std::max(one.widest, static_cast<int64_t>(byteSize(view.dtype)));
          bytes += use->isInner ? 0 : use->high - use->low;
        }
        ++use;
      }
      time += one.time();
      group.work_.widest = std::max(group.work_.widest, one.widest);
      group.members_.push_back(std::move(member));
    }
    // As one operation on all elements: the bytes that cross the caches, and the time of the launches.
    group.work_.count = rows_ * widest_;
    group.work_.bytes = bytes / group.work_.count;
    group.work_.weight = time / group.work_.count / (2 * group.work_.widest);
    return group;
  }

  const Program &program_;
  ValueResolver &resolver_;
  std::span<const BoundLaunch> launches_;
  std::span<const std::unique_ptr<Step>> steps_;
  std::vector<RowBlocks> groups_;
  std::vector<size_t> firstUses_, lastUses_; ///< by value in memory: launches
  // Of the group that is being collected.
  int64_t rows_ = 0, widest_ = 0; ///< elements of a row at most
  std::vector<Use> uses_;         ///< of all operands, launch by launch
};

std::vector<RowBlocks> RowBlocks::find(const Program &program, ValueResolver &resolver,
                                       std::span<const BoundLaunch> launches,
                                       std::span<const std::unique_ptr<Step>> steps) {
  return RowBlockFinder(program, resolver, launches, steps).find();
}

size_t RowBlocks::bytes() const noexcept {
  size_t bytes = 0;
  for (const Member &member : members_) {
    const size_t operands = member.rowStrides.size(), plans = member.last ? 2 : 1;
    bytes += sizeof member + operands * (sizeof(int64_t) + 1) +
             plans * (sizeof(Plan) + operands * (sizeof(TensorView) + sizeof(void *)));
  }
  return bytes;
}

void RowBlocks::run(std::span<const Place> places, char *const *bases, const LaunchContext &context,
                    std::span<SharedStatus> statuses) const {
  const LaunchContext single{context.kernels, {}};
  const int64_t blocks = (rows_ + height_ - 1) / height_;
  // Each part has rows of its own in inner memory.
  const int64_t parts = std::min(work_.parts(context.threads), rows_ / height_);
  parallelFor(context.threads, parts, work_.time(), [&](int64_t part) {
    for (int64_t block = blocks * part / parts; block < blocks * (part + 1) / parts; ++block)
      runBlock(block, part, places, bases, single, statuses);
  });
}

void RowBlocks::runBlock(int64_t block, int64_t part, std::span<const Place> places, char *const *bases,
                         const LaunchContext &context, std::span<SharedStatus> statuses) const {
  const bool isWhole = (block + 1) * height_ <= rows_;
  for (size_t l = 0; l < members_.size(); ++l) {
    const Member &member = members_[l];
    InlineVector<void *, 16> addresses(member.rowStrides.size());
    for (size_t i = 0; i < addresses.size(); ++i) {
      const Place place = places[member.places + i];
      const int64_t row = (member.isInner[i] ? part : block) * height_;
      addresses[i] = offset(bases[place.base], place.offset + row * member.rowStrides[i]);
    }
    const Plan &plan = isWhole ? *member.whole : *member.last;
    Status status;
    if (!plan.map)
      status = plan.reduction->run(addresses.data(), context);
    else
      status = plan.map->run(addresses.data(), context.threads, member.kernel ? member.kernel : plan.map->kernel());
    if (status != kOk) [[unlikely]]
      statuses[l].add(status);
  }
}

} // namespace tenferro::runtime
