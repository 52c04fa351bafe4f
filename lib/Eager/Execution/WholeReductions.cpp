// Parts of reductions lie side by side: to the kernel, the elements of each are a row.
#include "lib/Eager/Execution/WholeReductions.h"

#include "runtime/core/Address.h"
#include "runtime/launch/LaunchReduce.h"

#include <cstring>

namespace tenferro::eager {

using runtime::kReductionBlock;
using runtime::Status;
using runtime::TensorView;

WholeReductions::WholeReductions(const BlockedLoop &loop)
    : loop_(loop), count_((loop.extents[0] + kReductionBlock - 1) / kReductionBlock), parts_(loop.steps.size()) {
  for (size_t s = 0; s < parts_.size(); ++s)
    if (loop.steps[s].reduced)
      parts_[s] = runtime::BufferRef::allocate(static_cast<size_t>(count_) *
                                               byteSize(loop.values[loop.steps[s].values[1]].dtype));
}

Status WholeReductions::addBlock(size_t number, void *from, int64_t first, int64_t count) const {
  const BlockedLoop::Step &step = loop_.steps[number];
  const auto row = reinterpret_cast<runtime::ReduceKernel>(step.kernel->variants[0]);
  const auto unit = static_cast<int64_t>(byteSize(loop_.values[step.values[0]].dtype));
  const auto partUnit = static_cast<int64_t>(byteSize(loop_.values[step.values[1]].dtype));
  const int64_t inside[2] = {unit, partUnit}, next[2] = {unit * kReductionBlock, partUnit};
  const int64_t rows = count / kReductionBlock, rest = count % kReductionBlock;
  void *args[2] = {from, runtime::offset(parts_[number].data(), first / kReductionBlock * partUnit)};
  Status status = rows ? row(args, inside, next, kReductionBlock, rows) : runtime::kOk;
  if (rest) {
    void *last[2] = {runtime::offset(from, rows * next[0]), runtime::offset(args[1], rows * next[1])};
    status = runtime::combine(status, row(last, inside, next, rest, 1));
  }
  return status;
}

Status WholeReductions::finish(const runtime::LaunchContext &context) const {
  Status status = runtime::kOk;
  for (size_t s = 0; s < parts_.size(); ++s) {
    if (!parts_[s])
      continue;
    const BlockedLoop::Step &step = loop_.steps[s];
    const BlockedLoop::Value &result = loop_.values[step.values[1]];
    if (count_ == 1) {
      std::memcpy(result.array, parts_[s].data(), byteSize(result.dtype));
      continue;
    }
    const TensorView parts = TensorView::contiguous(parts_[s].data(), result.dtype, {count_});
    const TensorView whole = TensorView::contiguous(result.array, result.dtype, {});
    status = runtime::combine(status, runtime::runReduce(*step.kernel, {0}, parts, whole, context));
  }
  return status;
}

} // namespace tenferro::eager
