// take, scatter-add and pad: index arithmetic here, elements moved by the strided copy or the add kernel.
#include "runtime/core/LaunchIndexing.h"

#include "runtime/core/Failures.h"
#include "runtime/core/InlineVector.h"
#include "runtime/core/LaunchMap.h"
#include "runtime/core/StridedCopy.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/kernels/KernelTable.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace tenferro::runtime {

namespace {

constexpr int64_t kGrain = 65536; ///< elements of a part of a parallel take

/// Reads index tensors of any integer dtype and any strides, element by element in logical order.
class IndexReader {
public:
  explicit IndexReader(const TensorView &indices)
      : view_(indices), bytes_(static_cast<int64_t>(byteSize(indices.dtype))) {
    contiguous_ = indices.isContiguous();
  }

  /// Element `position`, wrapped once if negative; -1 if it is outside [0, extent).
  int64_t read(int64_t position, int64_t extent) const {
    const char *at = static_cast<const char *>(view_.data);
    if (contiguous_) {
      at += position * bytes_;
    } else {
      for (size_t d = 0; d < view_.shape.size(); ++d) {
        at += position % view_.shape[d] * view_.strides[d] * bytes_;
        position /= view_.shape[d];
      }
    }
    int64_t index = load(at);
    if (index < 0)
      index += extent;
    return index >= 0 && index < extent ? index : -1;
  }

private:
  template <typename T> static int64_t loadAs(const char *at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return static_cast<int64_t>(value);
  }
  int64_t load(const char *at) const {
    switch (view_.dtype) {
    case DType::I64:
      return loadAs<int64_t>(at);
    case DType::I32:
      return loadAs<int32_t>(at);
    case DType::I16:
      return loadAs<int16_t>(at);
    case DType::I8:
      return loadAs<int8_t>(at);
    default:
      return loadAs<uint8_t>(at);
    }
  }

  const TensorView &view_;
  int64_t bytes_;
  bool contiguous_;
};

void requireIndices(const TensorView &indices, const char *op) {
  if (isInteger(indices.dtype))
    return;
  Failure failure =
      makeFailure(ErrorKind::DTypeMismatch, op, "expects integer indices, but got " + std::string(name(indices.dtype)));
  failure.dtypes = {indices.dtype};
  raise(std::move(failure));
}

/// The tensor with the `count` index dimensions from `axis` on taken out: what one index moves.
TensorView sliceView(const TensorView &view, int64_t axis, int64_t count) {
  TensorView slice(view.data, view.dtype, Shape(), IntList());
  for (int64_t d = 0; d < view.shape.rank(); ++d) {
    if (d >= axis && d < axis + count)
      continue;
    slice.shape.push_back(view.shape[d]);
    slice.strides.push_back(view.strides[d]);
  }
  return slice;
}

/// Byte offset of index position `position` of the index dimensions [axis, axis + count) of `view`.
int64_t indexOffset(const TensorView &view, int64_t axis, int64_t count, int64_t position) {
  int64_t elements = 0;
  for (int64_t d = axis; d < axis + count; ++d) {
    elements += position % view.shape[d] * view.strides[d];
    position /= view.shape[d];
  }
  return elements * static_cast<int64_t>(byteSize(view.dtype));
}

/// Slices as at most two dimensions (n, m), when both views allow it: the common cases, without a plan per slice.
struct SimpleSlice {
  bool valid = true;
  int64_t n = 1, m = 1;
  int64_t aInner = 0, aOuter = 0, bInner = 0, bOuter = 0;

  SimpleSlice(const TensorView &a, const TensorView &b, int64_t bytes) {
    int rank = 0;
    for (size_t d = 0; d < a.shape.size(); ++d) {
      int64_t extent = a.shape[d], as = a.strides[d] * bytes, bs = b.strides[d] * bytes;
      if (extent == 1)
        continue;
      if (rank == 0) {
        n = extent, aInner = as, bInner = bs, rank = 1;
      } else if (rank == 1 && as == aInner * n && bs == bInner * n) {
        n *= extent;
      } else if (rank == 1) {
        m = extent, aOuter = as, bOuter = bs, rank = 2;
      } else if (as == aOuter * m && bs == bOuter * m) {
        m *= extent;
      } else {
        valid = false;
      }
    }
    if (rank == 0)
      aInner = bInner = bytes;
  }
};

void fillZero(const TensorView &out, const LaunchContext &context) {
  if (out.elementCount() == 0)
    return; // there may be no address
  if (out.isContiguous()) {
    std::memset(out.data, 0, static_cast<size_t>(out.elementCount()) * byteSize(out.dtype));
    return;
  }
  static const uint64_t zeros[2] = {0, 0};
  TensorView zero(const_cast<uint64_t *>(zeros), out.dtype, out.shape, IntList(out.shape.size(), 0));
  runCopy(zero, out, context);
}

} // namespace

Status runTake(int64_t axis, const TensorView &source, const TensorView &indices, const TensorView &out,
               const LaunchContext &context) {
  requireIndices(indices, "take");
  int64_t indexRank = indices.shape.rank(), count = indices.elementCount(), extent = source.shape[axis];
  TensorView from = sliceView(source, axis, 1), to = sliceView(out, axis, indexRank);
  int64_t elements = to.elementCount(), bytes = static_cast<int64_t>(byteSize(out.dtype));
  IndexReader reader(indices);
  int64_t sourceStep = source.strides[axis] * bytes;
  SimpleSlice simple(from, to, bytes);
  LaunchContext serial = context;
  serial.threads = 1;
  auto range = [&](int64_t begin, int64_t end) {
    TensorView sourceSlice = from, outSlice = to;
    bool outside = false;
    for (int64_t i = begin; i < end; ++i) {
      int64_t index = reader.read(i, extent);
      outside |= index < 0;
      if (!elements)
        continue; // there may be no address
      outSlice.data = static_cast<char *>(out.data) + indexOffset(out, axis, indexRank, i);
      if (index < 0) {
        fillZero(outSlice, serial);
        continue;
      }
      sourceSlice.data = static_cast<char *>(source.data) + index * sourceStep;
      if (simple.valid)
        copyBlock(sourceSlice.data, simple.aInner, simple.aOuter, outSlice.data, simple.bInner, simple.bOuter, simple.n,
                  simple.m, bytes);
      else
        runCopy(sourceSlice, outSlice, serial);
    }
    return outside;
  };
  bool outside = false;
  if (context.threads > 1 && count > 1 && elements * count >= 2 * kGrain) {
    int64_t parts = std::min<int64_t>({count, 4 * int64_t{context.threads}, elements * count / kGrain});
    std::atomic<bool> any{false};
    parallelFor(context.threads, parts, [&](int64_t part) {
      if (range(count * part / parts, count * (part + 1) / parts))
        any.store(true, std::memory_order_relaxed);
    });
    outside = any.load(std::memory_order_relaxed);
  } else {
    outside = range(0, count);
  }
  return outside ? makeStatus(0, KernelError::IndexOutOfRange) : kOk;
}

Status runScatterAdd(int64_t axis, const TensorView &indices, const TensorView &updates, const TensorView &out,
                     const LaunchContext &context) {
  requireIndices(indices, "scatter_add");
  const Tier0Kernel *add = context.kernels->add(out.dtype);
  if (!add)
    raise(makeFailure(ErrorKind::Unsupported, "scatter_add",
                      "expects a dtype that can be added, but got " + std::string(name(out.dtype))));
  fillZero(out, context);
  int64_t indexRank = indices.shape.rank(), count = indices.elementCount(), extent = out.shape[axis];
  TensorView target = sliceView(out, axis, 1), update = sliceView(updates, axis, indexRank);
  int64_t elements = target.elementCount(), bytes = static_cast<int64_t>(byteSize(out.dtype));
  int64_t targetStep = out.strides[axis] * bytes;
  IndexReader reader(indices);
  SimpleSlice simple(target, update, bytes);
  bool direct = simple.valid && simple.aInner == bytes && simple.bInner == bytes;
  auto kernel = reinterpret_cast<MapKernel>(add->variants[0]);
  MapFunction function;
  function.precompiled = add;
  const TensorView *operands[3] = {&target, &update, &target};
  MapPlan plan(function, operands);
  const int64_t inner[3] = {bytes, bytes, bytes}, outer[3] = {simple.aOuter, simple.bOuter, simple.aOuter};
  bool outside = false;
  // One thread for all targets: the order of additions into a target is the order of the indices.
  for (int64_t i = 0; i < count; ++i) {
    int64_t index = reader.read(i, extent);
    if (index < 0) {
      outside = true;
      continue;
    }
    if (!elements)
      continue;
    void *at = static_cast<char *>(out.data) + index * targetStep;
    void *args[3] = {at, static_cast<char *>(updates.data) + indexOffset(updates, axis, indexRank, i), at};
    if (direct)
      kernel(args, inner, outer, simple.n, simple.m);
    else
      plan.run(args, 1);
  }
  return outside ? makeStatus(0, KernelError::IndexOutOfRange) : kOk;
}

void runPad(const IntList &low, const IntList &interior, const TensorView &source, const TensorView &out,
            const LaunchContext &context) {
  fillZero(out, context);
  TensorView from = source, to(out.data, out.dtype, source.shape, out.strides);
  int64_t bytes = static_cast<int64_t>(byteSize(out.dtype)), fromOffset = 0, toOffset = 0;
  for (size_t d = 0; d < source.shape.size(); ++d) {
    // Element i stands at low + i * step; only those inside [0, extent) stay.
    int64_t step = source.shape[d] > 1 ? interior[d] + 1 : 1, extent = out.shape[d];
    int64_t first = low[d] >= 0 ? 0 : (-low[d] + step - 1) / step;
    int64_t end = low[d] >= extent ? 0 : std::min(source.shape[d], (extent - 1 - low[d]) / step + 1);
    if (end <= first)
      return;
    fromOffset += first * source.strides[d];
    toOffset += (low[d] + first * step) * out.strides[d];
    from.shape[d] = to.shape[d] = end - first;
    to.strides[d] = out.strides[d] * step;
  }
  from.data = static_cast<char *>(source.data) + fromOffset * bytes;
  to.data = static_cast<char *>(out.data) + toOffset * bytes;
  runCopy(from, to, context);
}

} // namespace tenferro::runtime
