// The map driver: merge, choose the vectorised dimension, call the kernel on rows, pack what does not fit.
#include "runtime/launch/LaunchMap.h"

#include "runtime/core/Address.h"
#include "runtime/core/FirstUse.h"
#include "runtime/launch/LoopNest.h"
#include "runtime/launch/StridedCopy.h"
#include "runtime/memory/Buffer.h"
#include "runtime/memory/NonTemporal.h"
#include "runtime/memory/SpreadBuffers.h"
#include "runtime/threads/SharedStatus.h"
#include "runtime/threads/ThreadPool.h"

#include <algorithm>
#include <unistd.h>

namespace tenferro::runtime {

namespace {

/// Elements of a packed tile, and how many of them along m at most.
constexpr int64_t kTileElements = 2048;
constexpr int64_t kTileRows = 32;
/// Fewer elements never fill the last cache.
constexpr int64_t kStreamElements = 1 << 18;
/// Fewer elements fill no cache and are not worth threads.
constexpr int64_t kFewElements = 1024;

Access accessOf(const MapFunction &function, uint32_t operand) noexcept {
  if (!function.precompiled)
    return function.access[operand];
  return operand < function.precompiled->inputs ? function.precompiled->access[operand] : Access::Unit;
}

} // namespace

MapPlan::MapPlan(const MapFunction &function, std::span<const TensorView *const> operands)
    : function_(function), operands_(static_cast<uint32_t>(operands.size())) {
  uint32_t inputs = operands_ - function.outputs;
  elementBytes_.resize(operands_);
  pack_ = InlineVector<uint8_t, 4>(operands_, 0);
  for (uint32_t i = 0; i < operands_; ++i)
    elementBytes_[i] = accessOf(function, i) == Access::Index ? 0 : static_cast<uint8_t>(byteSize(operands[i]->dtype));

  const Shape &shape = operands.back()->shape;
  LoopNest nest(operands_);
  count_ = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    count_ *= shape[d];
    if (shape[d] == 1)
      continue;
    int64_t *strides = nest.add(shape[d]);
    for (uint32_t i = 0; i < operands_; ++i)
      strides[i] = operands[i]->strides[d] * std::max<int64_t>(elementBytes_[i], elementBytes_[i] == 0);
  }
  inner_ = InlineVector<int64_t, 4>(operands_, 0);
  outer_ = InlineVector<int64_t, 4>(operands_, 0);
  if (count_ == 0)
    return;
  nest.sortByStride(inputs);
  nest.merge();

  // The vectorised dimension: fewest operands to pack per element, long rows next. A JIT operand compiled as a scalar
  // must be one there; if no dimension will do, rows have one element.
  size_t best = nest.rank();
  double bestCost = 1e300;
  for (size_t d = 0; d < nest.rank(); ++d) {
    double cost = 6.0 / static_cast<double>(nest.extent(d));
    bool possible = true, allScalar = true;
    for (uint32_t i = 0; i < operands_ && possible; ++i) {
      int64_t stride = nest.stride(d, i);
      switch (accessOf(function, i)) {
      case Access::Index:
        allScalar = false;
        break;
      case Access::Scalar:
        possible = stride == 0;
        break;
      case Access::Unit:
        bool scalar = function.precompiled && i < inputs && stride == 0;
        if (!scalar && stride != elementBytes_[i])
          cost += 1.0;
        if (i < inputs && !scalar)
          allScalar = false;
        break;
      }
    }
    if (function.precompiled && allScalar)
      cost += 0.5;
    if (possible && cost < bestCost) {
      bestCost = cost;
      best = d;
    }
  }
  if (best < nest.rank()) {
    n_ = nest.extent(best);
    std::copy_n(nest.strides(best), operands_, inner_.data());
    nest.erase(best);
  } else {
    for (uint32_t i = 0; i < operands_; ++i)
      inner_[i] = accessOf(function, i) == Access::Unit ? elementBytes_[i] : 0;
  }

  // Which variant, and what is packed.
  uint32_t mask = 0;
  for (uint32_t i = 0; i < operands_; ++i) {
    Access access = accessOf(function, i);
    if (access == Access::Index || access == Access::Scalar)
      continue;
    if (n_ == 1)
      inner_[i] = elementBytes_[i]; // one element is consecutive
    if (function.precompiled && i < inputs && inner_[i] == 0)
      mask |= 1u << i;
    else if (inner_[i] != elementBytes_[i])
      pack_[i] = 1;
  }
  if (function.precompiled) {
    for (uint32_t i = 0; i < inputs && !function.precompiled->variants[mask]; ++i) {
      if (mask >> i & 1) { // every input a scalar: one is spread out in scratch memory
        mask &= ~(1u << i);
        pack_[i] = 1;
      }
    }
    kernel_ = reinterpret_cast<MapKernel>(function.precompiled->variants[mask]);
  } else {
    kernel_ = function.jit;
  }
  uint32_t packed = operands_;
  for (uint32_t i = operands_; i-- > 0;)
    if (pack_[i])
      packed = i;
  packs_ = packed < operands_;

  // The kernel's own outer loop: the packed operand's fastest dimension, else the longest.
  if (nest.rank()) {
    size_t chosen = 0;
    for (size_t d = 1; d < nest.rank(); ++d) {
      if (packs_) {
        int64_t a = std::llabs(nest.stride(d, packed)), b = std::llabs(nest.stride(chosen, packed));
        if (a && (!b || a < b))
          chosen = d;
      } else if (nest.extent(d) > nest.extent(chosen)) {
        chosen = d;
      }
    }
    m_ = nest.extent(chosen);
    std::copy_n(nest.strides(chosen), operands_, outer_.data());
    nest.erase(chosen);
  }
  rank_ = static_cast<uint32_t>(nest.rank());
  streams_ = overflowsCaches();
  for (size_t d = 0; d < nest.rank(); ++d) {
    rest_ *= nest.extent(d);
    restExtents_.push_back(nest.extent(d));
    for (uint32_t i = 0; i < operands_; ++i)
      restStrides_.push_back(nest.stride(d, i));
  }
  work_ = estimate();
}

/// Whether its operands, each walked once, are more than the caches hold.
bool MapPlan::overflowsCaches() const noexcept {
  if (count_ < kStreamElements || n_ != count_ || packs_)
    return false;
  size_t bytes = 0;
  for (uint32_t i = 0; i < operands_; ++i)
    bytes += inner_[i] == 0 ? 0 : elementBytes_[i];
  return static_cast<size_t>(count_) * bytes >= streamingBytes();
}

Work MapPlan::estimate() const noexcept {
  Work work{count_, 0, function_.precompiled ? function_.precompiled->weight : function_.weight};
  for (uint32_t i = 0; i < operands_; ++i) {
    work.bytes += inner_[i] == 0 ? 0 : elementBytes_[i] << pack_[i];
    work.whole += isWhole(i) ? elementBytes_[i] : 0;
    work.widest = std::max<int64_t>(work.widest, elementBytes_[i]);
  }
  return work;
}

/// Whether no element of the operand serves two positions.
bool MapPlan::isWhole(uint32_t operand) const noexcept {
  bool whole = (n_ == 1 || inner_[operand] != 0) && (m_ == 1 || outer_[operand] != 0);
  for (uint32_t d = 0; d < rank_; ++d)
    whole &= restStrides_[d * operands_ + operand] != 0;
  return whole;
}

bool MapPlan::isSplit() const noexcept { return work_.maySplit(); }

Status MapPlan::run(void *const *data, const ThreadTeam &threads, MapKernel kernel) const {
  if (count_ == 0)
    return kOk;
  const uint32_t inputs = operands_ - function_.outputs;
  const StreamedMap streamed{
      kernel, inputs, {elementBytes_.data() + inputs, function_.outputs}, inner_.data(), outer_.data()};
  const bool streams = streams_ && streamed.fits(data);
  int64_t parts = 1;
  if (threads > 1 && work_.maySplit()) {
    Work work = work_;
    for (uint32_t i = 0; i < operands_; ++i)
      work.spread += SpreadBuffers::have(data[i]) && isWhole(i) ? elementBytes_[i] : 0;
    parts = work.parts(threads);
    for (uint32_t i = inputs; i < operands_; ++i)
      SpreadBuffers::note(data[i], parts > 1);
  }
  if (parts <= 1) {
    if (streams)
      return streamed.run(data, n_);
    if (rest_ == 1 && !packs_)
      return kernel(data, inner_.data(), outer_.data(), n_, m_);
    return runPart(kernel, data, {0, n_}, {0, m_}, {0, rest_});
  }
  // Parts of an outer loop if that will do, else of the longest of the three.
  int64_t longest = std::max(m_, rest_);
  if (!isCutOutside(longest, parts, threads))
    longest = std::max(n_, longest);
  parts = std::min(parts, longest);
  SharedStatus status;
  parallelFor(threads, parts, work_.time(), [&](int64_t part) {
    Range whole[3] = {{0, n_}, {0, m_}, {0, rest_}};
    Range &split = whole[longest == rest_ ? 2 : longest == m_ ? 1 : 0];
    split = {longest * part / parts, longest * (part + 1) / parts};
    if (streams) { // whole lines
      split.begin &= ~int64_t{63};
      if (part + 1 < parts)
        split.end &= ~int64_t{63};
      InlineVector<void *, 8> address(operands_);
      for (uint32_t i = 0; i < operands_; ++i)
        address[i] = offset(data[i], split.begin * inner_[i]);
      status.add(streamed.run(address.data(), split.end - split.begin));
      return;
    }
    status.add(runPart(kernel, data, whole[0], whole[1], whole[2]));
  });
  return status.get();
}

Status MapPlan::runPart(MapKernel kernel, void *const *data, Range n, Range m, Range rest) const {
  InlineVector<void *, 8> address(operands_);
  InlineVector<int64_t, 8> position(rank_);
  for (uint32_t i = 0; i < operands_; ++i)
    address[i] = offset(data[i], n.begin * inner_[i] + m.begin * outer_[i]);
  int64_t index = rest.begin;
  for (uint32_t d = 0; d < rank_; ++d) {
    position[d] = index % restExtents_[d];
    index /= restExtents_[d];
    for (uint32_t i = 0; i < operands_; ++i)
      address[i] = offset(address[i], position[d] * restStrides_[d * operands_ + i]);
  }
  BufferRef scratch;
  if (packs_)
    scratch = BufferRef::allocate(scratchBytes());
  Status status = kOk;
  for (int64_t row = rest.begin; row < rest.end; ++row) {
    int64_t rows = n.end - n.begin, columns = m.end - m.begin;
    status =
        combine(status, packs_ ? runPacked(kernel, address.data(), rows, columns, static_cast<char *>(scratch.data()))
                               : kernel(address.data(), inner_.data(), outer_.data(), rows, columns));
    for (uint32_t d = 0; d < rank_; ++d) {
      const int64_t *strides = restStrides_.data() + d * operands_;
      for (uint32_t i = 0; i < operands_; ++i)
        address[i] = offset(address[i], strides[i]);
      if (++position[d] < restExtents_[d])
        break;
      for (uint32_t i = 0; i < operands_; ++i)
        address[i] = offset(address[i], -strides[i] * restExtents_[d]);
      position[d] = 0;
    }
  }
  return status;
}

size_t MapPlan::scratchBytes() const noexcept {
  size_t bytes = 0;
  for (uint32_t i = 0; i < operands_; ++i)
    bytes += pack_[i] ? elementBytes_[i] * kTileElements : 0;
  return bytes;
}

Status MapPlan::runPacked(MapKernel kernel, void *const *data, int64_t n, int64_t m, char *scratch) const {
  int64_t mTile = std::min(m, kTileRows), nTile = std::min(n, kTileElements / mTile);
  mTile = std::min(m, kTileElements / nTile);
  uint32_t inputs = operands_ - function_.outputs;
  InlineVector<void *, 8> address(operands_);
  InlineVector<int64_t, 8> inner(operands_), outer(operands_);
  char *next = scratch;
  for (uint32_t i = 0; i < operands_; ++i) {
    inner[i] = pack_[i] ? elementBytes_[i] : inner_[i];
    outer[i] = outer_[i];
    if (pack_[i]) {
      address[i] = next;
      next += elementBytes_[i] * kTileElements;
    }
  }
  Status status = kOk;
  for (int64_t j = 0; j < m; j += mTile) {
    int64_t columns = std::min(mTile, m - j);
    for (int64_t k = 0; k < n; k += nTile) {
      int64_t rows = std::min(nTile, n - k);
      for (uint32_t i = 0; i < operands_; ++i) {
        void *at = offset(data[i], k * inner_[i] + j * outer_[i]);
        if (!pack_[i]) {
          address[i] = at;
          continue;
        }
        outer[i] = rows * elementBytes_[i];
        if (i < inputs)
          copyBlock(at, inner_[i], outer_[i], address[i], elementBytes_[i], outer[i], rows, columns, elementBytes_[i]);
      }
      status = combine(status, kernel(address.data(), inner.data(), outer.data(), rows, columns));
      for (uint32_t i = inputs; i < operands_; ++i)
        if (pack_[i])
          copyBlock(address[i], elementBytes_[i], outer[i], offset(data[i], k * inner_[i] + j * outer_[i]), inner_[i],
                    outer_[i], rows, columns, elementBytes_[i]);
    }
  }
  return status;
}

/// What the first cache of a core holds.
static size_t nearestBytes() noexcept {
  static constinit FirstUse<size_t> bytes;
  return bytes.get([] {
    long first = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    return first > 0 ? static_cast<size_t>(first) : size_t{32} << 10;
  });
}

/// Operands a few times larger than the first cache: pieces that fit it, forward in one call and backward in the next, so
/// that each call starts with what the one before left there, its result for one. An addition of 4,096 doubles takes
/// 0.7 of the time.
static Status runInTurns(MapKernel kernel, uint32_t operands, void *const *data, const int64_t *inner,
                         const int64_t *outer, int64_t count, int64_t piece) {
  static constinit thread_local bool backward __attribute__((tls_model("initial-exec"))) = false;
  backward = !backward;
  piece = std::max<int64_t>(piece & ~int64_t{63}, 64);
  const int64_t pieces = (count + piece - 1) / piece;
  Status status = kOk;
  for (int64_t p = 0; p < pieces; ++p) {
    const int64_t begin = piece * (backward ? pieces - 1 - p : p);
    void *address[4];
    for (uint32_t i = 0; i < operands; ++i)
      address[i] = offset(data[i], begin * inner[i]);
    status = combine(status, kernel(address, inner, outer, std::min(piece, count - begin), 1));
  }
  return status;
}

Status runMapContiguous(const Tier0Kernel &kernel, uint32_t scalars, void *const *data, int64_t count,
                        const LaunchContext &context) {
  auto function = reinterpret_cast<MapKernel>(kernel.variants[scalars]);
  int64_t inner[4], outer[4] = {0, 0, 0, 0};
  for (uint32_t i = 0; i < kernel.inputs; ++i)
    inner[i] = scalars >> i & 1                    ? 0
               : kernel.access[i] == Access::Index ? 1
                                                   : static_cast<int64_t>(byteSize(kernel.dtypes[i]));
  inner[kernel.inputs] = static_cast<int64_t>(byteSize(kernel.dtypes[kernel.inputs]));
  const auto outputBytes = static_cast<uint8_t>(inner[kernel.inputs]);
  const StreamedMap streamed{function, kernel.inputs, {&outputBytes, 1}, inner, outer};
  if (count < kFewElements) [[likely]]
    return function(data, inner, outer, count, 1);
  Work work{count, outputBytes, kernel.weight, outputBytes, outputBytes};
  for (uint32_t i = 0; i < kernel.inputs; ++i) {
    const int64_t bytes = kernel.access[i] == Access::Index ? 0 : inner[i];
    work.bytes += bytes;
    work.widest = std::max(work.widest, bytes);
    work.whole += bytes;
  }
  const auto bytes = static_cast<size_t>(count * work.bytes);
  const bool streams = bytes >= streamingBytes() && streamed.fits(data);
  int64_t parts = 1;
  if (context.threads > 1 && work.maySplit()) {
    for (uint32_t i = 0; i < kernel.inputs + 1u; ++i)
      work.spread += SpreadBuffers::have(data[i]) ? inner[i] : 0;
    parts = work.parts(context.threads);
    SpreadBuffers::note(data[kernel.inputs], parts > 1);
  }
  if (parts <= 1) {
    if (streams)
      return streamed.run(data, count);
    if (bytes > nearestBytes() && bytes <= 4 * nearestBytes())
      return runInTurns(function, kernel.inputs + 1u, data, inner, outer, count,
                        static_cast<int64_t>(nearestBytes()) / work.bytes);
    return function(data, inner, outer, count, 1);
  }
  SharedStatus status;
  parallelFor(context.threads, parts, work.time(), [&](int64_t part) {
    // Boundaries at multiples of 64 elements, so that no two threads write one cache line.
    int64_t begin = count * part / parts & ~int64_t{63};
    int64_t end = part + 1 == parts ? count : count * (part + 1) / parts & ~int64_t{63};
    void *address[4];
    for (uint32_t i = 0; i < kernel.inputs + 1u; ++i)
      address[i] = offset(data[i], begin * inner[i]);
    status.add(streams ? streamed.run(address, end - begin) : function(address, inner, outer, end - begin, 1));
  });
  return status.get();
}

Status runMap(const Tier0Kernel &kernel, std::span<const TensorView *const> operands, const LaunchContext &context) {
  // Contiguous operands and single elements need no plan.
  const TensorView &out = *operands[kernel.inputs];
  bool simple = out.isContiguous();
  uint32_t scalars = 0;
  int64_t count = out.elementCount();
  if (count == 0)
    return kOk;
  for (uint32_t i = 0; i < kernel.inputs && simple; ++i) {
    const TensorView &operand = *operands[i];
    if (operand.isContiguous())
      continue;
    bool constant = kernel.access[i] != Access::Index;
    for (size_t d = 0; d < operand.shape.size() && constant; ++d)
      constant = operand.strides[d] == 0 || operand.shape[d] == 1;
    simple = constant;
    scalars |= 1u << i;
  }
  void *data[4];
  for (uint32_t i = 0; i < kernel.inputs + 1u; ++i)
    data[i] = operands[i]->data;
  if (simple && kernel.variants[scalars])
    return runMapContiguous(kernel, scalars, data, count, context);
  MapFunction function;
  function.precompiled = &kernel;
  return MapPlan(function, operands).run(data, context.threads);
}

} // namespace tenferro::runtime
