// The reduction driver. For kept shape (M) and K reduced elements cut into B blocks:
//
//   B = 1: kernel over K -> outputs
//   B > 1: kernel over each block -> partial results, one more dimension of extent B; then the plain reduction of the
//          same kind over that dimension, by this same driver -> outputs
//
// The row kernel runs along the reduced elements, the column kernel along kept ones; an input that neither can read in
// place is packed tile by tile. Which of them runs does not change a bit.
#include "runtime/launch/LaunchReduce.h"

#include "runtime/core/Address.h"
#include "runtime/launch/StridedCopy.h"
#include "runtime/memory/Buffer.h"
#include "runtime/memory/SpreadBuffers.h"
#include "runtime/threads/SharedStatus.h"
#include "runtime/threads/ThreadPool.h"

#include <algorithm>

namespace tenferro::runtime {

namespace {

constexpr int64_t kPackedElements = 32768; ///< of a packed tile, at most

struct Dim {
  int64_t extent, stride;
};
using Dims = InlineVector<Dim, 6>;

/// The reduced dimensions of one operand, merged in logical order.
Dims reducedDims(const TensorView &view, const IntList &axes, int64_t unit) {
  Dims dims;
  for (int64_t axis : axes) {
    int64_t extent = view.shape[axis], stride = view.strides[axis] * unit;
    if (extent == 1)
      continue;
    if (!dims.empty() && stride == dims.back().stride * dims.back().extent)
      dims.back().extent *= extent;
    else
      dims.push_back({extent, stride});
  }
  return dims;
}

} // namespace

ReducePlan::ReducePlan(const ReduceFunction &function, const IntList &axes, std::span<const TensorView *const> operands)
    : function_(function), axes_(axes), inputs_(static_cast<uint32_t>(operands.size()) - function.outputs),
      count_(static_cast<uint32_t>(operands.size())), operands_(operands.size()), unit_(operands.size()),
      nest_(static_cast<uint32_t>(operands.size())) {
  std::copy(operands.begin(), operands.end(), operands_.begin());
  const TensorView &first = *operands_[0];
  size_t next = 0;
  for (size_t d = 0; d < first.shape.size(); ++d) {
    if (next < axes_.size() && axes_[next] == static_cast<int64_t>(d)) {
      k_ *= first.shape[d];
      ++next;
      continue;
    }
    kept_ *= first.shape[d];
    if (first.shape[d] != 1)
      keptAxes_.push_back(d);
    outputAxis_.push_back(d);
  }
  if (kept_ == 0)
    return;
  blocks_ = std::max<int64_t>(1, (k_ + kReductionBlock - 1) / kReductionBlock);
  for (uint32_t i = 0; i < count_; ++i)
    unit_[i] = isIndex(i) ? 1 : static_cast<int64_t>(byteSize(operands_[i]->dtype));
  chooseKernel();
  makeNest();
  work_ = {kept_ * k_, 0, function_.weight};
  for (uint32_t i = 0; i < inputs_; ++i)
    if (!isIndex(i)) {
      work_.bytes += unit_[i] << pack_[i];
      work_.widest = std::max(work_.widest, unit_[i]);
    }
}

Status ReducePlan::run(void *const *data, const LaunchContext &context) const {
  if (kept_ == 0)
    return kOk;
  if (blocks_ == 1) {
    if (kept_ == 1 && !packs_) // one row
      return function_.row(data, reducedStride_.data(), unit_.data(), k_, 1);
    return runTasks(data, context);
  }
  InlineVector<void *, 8> base(count_);
  std::copy_n(data, count_, base.begin());
  BufferRef partials[kMostReduceOutputs];
  for (uint32_t j = 0; j < function_.outputs; ++j) {
    partials[j] = BufferRef::allocate(static_cast<size_t>(blocks_ * kept_ * unit_[inputs_ + j]));
    base[inputs_ + j] = partials[j].data();
  }
  Status status = runTasks(base.data(), context);
  for (uint32_t j = 0; j < function_.outputs; ++j)
    status = combine(status, reducePartials(j, partials[j].data(), data[inputs_ + j], context));
  return status;
}

int64_t ReducePlan::outputStride(uint32_t output, size_t axis) const noexcept {
  size_t d = 0;
  while (outputAxis_[d] != axis)
    ++d;
  return operands_[inputs_ + output]->strides[d] * unit_[inputs_ + output];
}

bool ReducePlan::fits(uint32_t input, int64_t stride) const noexcept {
  switch (function_.access[input]) {
  case Access::Unit:
    return stride == unit_[input];
  case Access::Scalar:
    return stride == 0;
  case Access::Index:
    break;
  }
  return true;
}

/// Row or column kernel, the column kernel's dimension, and which inputs are packed.
void ReducePlan::chooseKernel() {
  InlineVector<uint8_t, 8> single(inputs_);
  reducedStride_ = InlineVector<int64_t, 4>(count_, 0);
  pack_ = InlineVector<uint8_t, 4>(inputs_, 0);
  uint32_t rowPacks = 0;
  for (uint32_t i = 0; i < inputs_; ++i) {
    Dims dims = reducedDims(*operands_[i], axes_, unit_[i]);
    single[i] = dims.size() <= 1;
    reducedStride_[i] = dims.size() == 1 ? dims[0].stride : fits(i, unit_[i]) ? unit_[i] : 0;
    rowPacks += k_ > 0 && !(single[i] && fits(i, reducedStride_[i]));
  }
  uint32_t columnPacks = count_;
  for (size_t axis : keptAxes_) {
    bool unitOutputs = true;
    uint32_t packs = 0;
    for (uint32_t j = 0; j < function_.outputs && blocks_ == 1; ++j)
      unitOutputs &= outputStride(j, axis) == unit_[inputs_ + j];
    bool possible = unitOutputs;
    for (uint32_t i = 0; i < inputs_; ++i) {
      bool inPlace = single[i] && fits(i, operands_[i]->strides[axis] * unit_[i]);
      packs += !inPlace;
      possible &= inPlace || function_.access[i] == Access::Unit;
    }
    if (possible && packs < columnPacks) {
      columnPacks = packs;
      columnAxis_ = axis;
    }
  }
  // A single reduced element makes short rows; columns are as good as a map then.
  column_ = k_ > 0 && function_.column && (columnPacks < rowPacks || (k_ == 1 && columnPacks == rowPacks));
  for (uint32_t i = 0; i < inputs_ && k_ > 0; ++i) {
    pack_[i] = !(single[i] && fits(i, column_ ? operands_[i]->strides[columnAxis_] * unit_[i] : reducedStride_[i]));
    packs_ |= pack_[i] != 0;
  }
}

/// The kept dimensions over all operands; dimension 0 is the kernel's m.
void ReducePlan::makeNest() {
  InlineVector<size_t, 8> order;
  if (column_)
    order.push_back(columnAxis_);
  size_t sorted = order.size();
  for (size_t axis : keptAxes_)
    if (!column_ || axis != columnAxis_)
      order.push_back(axis);
  // Partial results are laid out in the order of the first input, outputs are walked in their own.
  auto key = [&](size_t axis) { return std::llabs(blocks_ > 1 ? operands_[0]->strides[axis] : outputStride(0, axis)); };
  for (size_t i = sorted + 1; i < order.size(); ++i)
    for (size_t d = i; d > sorted && key(order[d]) < key(order[d - 1]); --d)
      std::swap(order[d], order[d - 1]);
  partialOrder_ = order;
  int64_t partialStride = column_ ? 1 : blocks_;
  for (size_t axis : order) {
    int64_t extent = operands_[0]->shape[axis];
    int64_t *strides = nest_.add(extent);
    for (uint32_t i = 0; i < inputs_; ++i)
      strides[i] = operands_[i]->strides[axis] * unit_[i];
    for (uint32_t j = 0; j < function_.outputs; ++j)
      strides[inputs_ + j] = blocks_ > 1 ? partialStride * unit_[inputs_ + j] : outputStride(j, axis);
    partialStride *= extent;
  }
  nest_.merge();
  if (!column_ && nest_.rank() > 1) {
    size_t longest = 0;
    for (size_t d = 1; d < nest_.rank(); ++d)
      if (nest_.extent(d) > nest_.extent(longest))
        longest = d;
    nest_.moveInnermost(longest);
  }
  blockStride_ = column_ ? kept_ : 1;
}

/// For so many threads: fewer than two unless that is worth it.
int64_t ReducePlan::parts(void *const *base, const LaunchContext &context) const {
  if (context.threads <= 1 || !work_.maySplit())
    return 1;
  Work work = work_;
  for (uint32_t i = 0; i < inputs_; ++i)
    if (!isIndex(i)) {
      work.whole += unit_[i];
      work.spread += SpreadBuffers::have(base[i]) ? unit_[i] : 0;
    }
  return work.parts(context.threads);
}

/// Blocks of the row at these addresses, to partial results that lie side by side: to the kernel they are rows
/// themselves.
Status ReducePlan::runBlocks(void *const *row, int64_t first, int64_t last) const {
  InlineVector<int64_t, 8> next(count_);
  for (uint32_t i = 0; i < count_; ++i)
    next[i] = i < inputs_ ? kReductionBlock * reducedStride_[i] : unit_[i];
  auto run = [&](int64_t begin, int64_t n, int64_t rows) {
    InlineVector<void *, 8> address(count_);
    for (uint32_t i = 0; i < count_; ++i)
      address[i] = offset(row[i], begin * next[i]);
    return function_.row(address.data(), reducedStride_.data(), next.data(), n, rows);
  };
  const int64_t whole = std::min(last, k_ / kReductionBlock);
  Status status = whole > first ? run(first, kReductionBlock, whole - first) : kOk;
  return last > whole ? combine(status, run(whole, k_ - whole * kReductionBlock, 1)) : status;
}

/// All blocks of the only row.
Status ReducePlan::runRow(void *const *base, const LaunchContext &context) const {
  const int64_t parts = std::min(blocks_, this->parts(base, context));
  if (parts <= 1)
    return runBlocks(base, 0, blocks_);
  SharedStatus status;
  parallelFor(context.threads, parts, work_.time(),
              [&](int64_t part) { status.add(runBlocks(base, blocks_ * part / parts, blocks_ * (part + 1) / parts)); });
  return status.get();
}

Status ReducePlan::runTasks(void *const *base, const LaunchContext &context) const {
  if (kept_ == 1 && !packs_)
    return runRow(base, context);
  int64_t m = nest_.rank() ? nest_.extent(0) : 1, perBlock = std::min(k_, kReductionBlock);
  int64_t tile = m;
  int64_t parts = this->parts(base, context);
  const bool parallel = parts > 1;
  if (parallel)
    tile = std::clamp<int64_t>(kept_ * k_ / parts / std::max<int64_t>(perBlock, 1), 1, m);
  const bool wholeRows = parallel && !column_ && !packs_ && blocks_ > 1 && isCutOutside(kept_, parts, context.threads);
  if (wholeRows)
    tile = 1;
  if (column_ && parallel) // whole cache lines of the outputs and inputs
    tile = std::min(m, (std::max<int64_t>(tile, 64) + 63) & ~int64_t{63});
  if (packs_)
    tile = std::min(tile, std::max<int64_t>(kPackedElements / std::max<int64_t>(perBlock, 1), 8));
  tile = std::max<int64_t>(tile, 1);
  int64_t tiles = (m + tile - 1) / tile, rest = kept_ / std::max<int64_t>(m, 1);
  const int64_t blocks = wholeRows ? 1 : blocks_; // apart
  int64_t tasks = tiles * rest * blocks;
  auto task = [&](int64_t index, char *scratch) {
    int64_t block = index % blocks;
    index /= blocks;
    int64_t first = index % tiles * tile;
    index /= tiles;
    InlineVector<int64_t, 8> at(count_, 0); // byte offsets of the kept position
    for (size_t d = 1; d < nest_.rank(); ++d) {
      int64_t position = index % nest_.extent(d);
      index /= nest_.extent(d);
      for (uint32_t i = 0; i < count_; ++i)
        at[i] += position * nest_.stride(d, i);
    }
    if (nest_.rank())
      for (uint32_t i = 0; i < count_; ++i)
        at[i] += first * nest_.stride(0, i);
    if (!wholeRows)
      return runTile(base, at.data(), block, std::min(tile, m - first), scratch);
    InlineVector<void *, 8> row(count_);
    for (uint32_t i = 0; i < count_; ++i)
      row[i] = offset(base[i], at[i]);
    return runBlocks(row.data(), 0, blocks_);
  };
  size_t scratchBytes = 0;
  for (uint32_t i = 0; i < inputs_; ++i)
    scratchBytes += pack_[i] ? static_cast<size_t>(tile * perBlock * unit_[i] + 64) : 0;
  if (!parallel || tasks == 1) {
    BufferRef scratch = packs_ ? BufferRef::allocate(scratchBytes) : BufferRef();
    Status status = kOk;
    for (int64_t index = 0; index < tasks; ++index)
      status = combine(status, task(index, static_cast<char *>(scratch.data())));
    return status;
  }
  parts = std::min(tasks, parts);
  SharedStatus status;
  parallelFor(context.threads, parts, work_.time(), [&](int64_t part) {
    BufferRef scratch = packs_ ? BufferRef::allocate(scratchBytes) : BufferRef();
    for (int64_t index = tasks * part / parts; index < tasks * (part + 1) / parts; ++index)
      status.add(task(index, static_cast<char *>(scratch.data())));
  });
  return status.get();
}

/// One block of `m` neighbouring outputs; `at` are the operands' byte offsets.
Status ReducePlan::runTile(void *const *base, const int64_t *at, int64_t block, int64_t m, char *scratch) const {
  int64_t first = block * kReductionBlock, n = std::min(k_ - first, kReductionBlock);
  InlineVector<void *, 8> address(count_);
  InlineVector<int64_t, 8> reduced(count_, 0), kept(count_, 0);
  for (uint32_t i = 0; i < count_; ++i)
    kept[i] = nest_.rank() ? nest_.stride(0, i) : unit_[i];
  for (uint32_t i = 0; i < inputs_; ++i) {
    address[i] = offset(base[i], at[i]);
    reduced[i] = reducedStride_[i];
    if (!pack_[i]) {
      address[i] = offset(address[i], first * reducedStride_[i]);
      continue;
    }
    reduced[i] = column_ ? m * unit_[i] : unit_[i];
    int64_t packedKept = column_ ? unit_[i] : n * unit_[i];
    packInput(i, address[i], kept[i], first, n, m, scratch, reduced[i], packedKept);
    kept[i] = packedKept;
    address[i] = scratch;
    scratch += (n * m * unit_[i] + 63) & ~int64_t{63};
  }
  for (uint32_t i = inputs_; i < count_; ++i)
    address[i] = offset(base[i], at[i] + (blocks_ > 1 ? block * blockStride_ * unit_[i] : 0));
  return (column_ ? function_.column : function_.row)(address.data(), reduced.data(), kept.data(), n, m);
}

/// Copies reduced elements [first, first + n) of `m` outputs: runs along the operand's innermost reduced dimension.
void ReducePlan::packInput(uint32_t i, void *source, int64_t sourceKept, int64_t first, int64_t n, int64_t m, char *out,
                           int64_t outReduced, int64_t outKept) const {
  Dims dims = reducedDims(*operands_[i], axes_, unit_[i]);
  if (dims.empty())
    dims.push_back({1, 0});
  for (int64_t done = 0; done < n;) {
    int64_t index = first + done, inside = index % dims[0].extent, run = std::min(dims[0].extent - inside, n - done);
    int64_t at = inside * dims[0].stride;
    index /= dims[0].extent;
    for (size_t d = 1; d < dims.size(); ++d) {
      at += index % dims[d].extent * dims[d].stride;
      index /= dims[d].extent;
    }
    char *to = out + done * outReduced;
    if (column_)
      copyBlock(offset(source, at), sourceKept, dims[0].stride, to, outKept, outReduced, m, run, unit_[i]);
    else
      copyBlock(offset(source, at), dims[0].stride, sourceKept, to, outReduced, outKept, run, m, unit_[i]);
    done += run;
  }
}

Status ReducePlan::reducePartials(uint32_t number, void *partials, void *out, const LaunchContext &context) const {
  // Dimension 0 of the partial results is the block, the others are the kept axes in the output's order.
  TensorView output = *operands_[inputs_ + number];
  output.data = out;
  TensorView partial(partials, output.dtype, Shape(output.shape.size() + 1, 1), IntList(output.shape.size() + 1, 0));
  partial.shape[0] = blocks_;
  partial.strides[0] = blockStride_;
  int64_t stride = column_ ? 1 : blocks_;
  for (size_t axis : partialOrder_) {
    size_t d = 0;
    while (outputAxis_[d] != axis)
      ++d;
    partial.shape[d + 1] = output.shape[d];
    partial.strides[d + 1] = stride;
    stride *= output.shape[d];
  }
  return runReduce(*function_.combine[number], IntList{0}, partial, output, context);
}

Status runReduce(const ReduceFunction &function, const IntList &axes, std::span<const TensorView *const> operands,
                 const LaunchContext &context) {
  InlineVector<void *, 8> data(operands.size());
  for (size_t i = 0; i < operands.size(); ++i)
    data[i] = operands[i]->data;
  return ReducePlan(function, axes, operands).run(data.data(), context);
}

Status runReduce(const Tier0Kernel &kernel, const IntList &axes, const TensorView &input, const TensorView &output,
                 const LaunchContext &context) {
  const Tier0Kernel *self = &kernel;
  const Access access = Access::Unit;
  ReduceFunction function;
  function.row = reinterpret_cast<ReduceKernel>(kernel.variants[0]);
  function.column = reinterpret_cast<ReduceKernel>(kernel.variants[1]);
  function.access = {&access, 1};
  function.combine = {&self, 1};
  function.weight = kernel.weight;
  // A full reduction of contiguous elements of one block needs no plan.
  if (output.shape.empty() && input.isContiguous() && axes.size() == input.shape.size()) {
    int64_t count = input.elementCount();
    if (count <= kReductionBlock) {
      void *args[2] = {input.data, output.data};
      int64_t strides[2] = {static_cast<int64_t>(byteSize(input.dtype)), static_cast<int64_t>(byteSize(output.dtype))};
      return function.row(args, strides, strides, count, 1);
    }
  }
  const TensorView *operands[2] = {&input, &output};
  return runReduce(function, axes, operands, context);
}

bool isReducible(const TensorView &index, const IntList &axes) { return reducedDims(index, axes, 1).size() <= 1; }

} // namespace tenferro::runtime
