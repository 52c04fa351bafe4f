// Gather and scatter: starts of windows read here, elements moved by the strided copy or an element-wise kernel.
#include "runtime/launch/LaunchWindows.h"

#include "runtime/core/Failures.h"
#include "runtime/core/InlineVector.h"
#include "runtime/kernels/KernelTable.h"
#include "runtime/launch/LaunchMap.h"
#include "runtime/launch/StridedCopy.h"
#include "runtime/memory/Buffer.h"
#include "runtime/threads/Grain.h"
#include "runtime/threads/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace tenferro::runtime {

namespace {

constexpr int64_t kGrain = 65536; ///< elements of a part of a parallel launch

bool contains(const IntList &list, int64_t value) { return std::find(list.begin(), list.end(), value) != list.end(); }

template <typename T> int64_t loadAs(const char *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return static_cast<int64_t>(value);
}

int64_t loadIndex(DType dtype, const char *at) {
  switch (dtype) {
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

/// Where a start is, or -1 outside. In an extent of 0 everything is.
int64_t placeStart(int64_t start, int64_t extent, int64_t size, IndexMode mode) {
  if (size > extent)
    return -1;
  if (mode == IndexMode::Clip)
    return std::clamp<int64_t>(start, 0, extent - size);
  if (mode == IndexMode::Error && start < 0)
    start += extent;
  return start >= 0 && start <= extent - size ? start : -1;
}

/// The windows of one launch, numbered; what lies inside a window is left to the caller.
///
/// A window is one per index vector. For a scatter, dimensions along which windows may overlap are numbered too: then
/// the order of the numbers is the order in which updates meet a target.
class WindowWalk {
public:
  WindowWalk(const WindowDimensions &dims, const TensorView &whole, const TensorView &indices, const TensorView &picked,
             bool splitsOverlaps)
      : mode_(dims.mode), indices_(indices), slice_(whole.data, whole.dtype, Shape(), IntList()),
        pickedSlice_(picked.data, picked.dtype, Shape(), IntList()) {
    int64_t bytes = static_cast<int64_t>(byteSize(whole.dtype)),
            indexBytes = static_cast<int64_t>(byteSize(indices.dtype));
    int64_t batch = 0, next = 0;
    for (int64_t d = 0; d < picked.shape.rank(); ++d) {
      Walked walked{picked.shape[d], picked.strides[d] * bytes, 0, 0};
      if (contains(dims.window, d)) {
        while (contains(dims.fixed, next))
          ++next;
        int64_t along = next++;
        if (!splitsOverlaps || walked.extent <= 1 || !contains(dims.map, along)) {
          slice_.shape.push_back(walked.extent);
          slice_.strides.push_back(whole.strides[along]);
          pickedSlice_.shape.push_back(walked.extent);
          pickedSlice_.strides.push_back(picked.strides[d]);
          continue;
        }
        walked.whole = whole.strides[along] * bytes;
      } else {
        if (batch == dims.vectorDim)
          ++batch;
        walked.index = indices.strides[batch++] * indexBytes;
      }
      count_ *= walked.extent;
      if (walked.extent != 1)
        walked_.push_back(walked);
    }
    for (int64_t d : dims.fixed)
      fits_ &= whole.shape[d] > 0;
    for (size_t k = 0; k < dims.map.size(); ++k) {
      int64_t d = dims.map[k];
      int64_t component =
          dims.vectorDim < indices.shape.rank() ? static_cast<int64_t>(k) * indices.strides[dims.vectorDim] : 0;
      starts_.push_back({component * indexBytes, whole.shape[d], dims.sizes[d], whole.strides[d] * bytes});
    }
  }

  int64_t count() const noexcept { return count_; }
  /// A window of the whole tensor and its elements in the picked one, at number 0.
  const TensorView &slice() const noexcept { return slice_; }
  const TensorView &pickedSlice() const noexcept { return pickedSlice_; }

  /// Byte offsets of window `number` from number 0; false if it is outside (`pickedOffset` is set all the same).
  bool find(int64_t number, int64_t &wholeOffset, int64_t &pickedOffset) const {
    const char *at = static_cast<const char *>(indices_.data);
    wholeOffset = pickedOffset = 0;
    for (const Walked &walked : walked_) {
      int64_t coordinate = number % walked.extent;
      number /= walked.extent;
      pickedOffset += coordinate * walked.picked;
      at += coordinate * walked.index;
      wholeOffset += coordinate * walked.whole;
    }
    for (const Start &start : starts_) {
      int64_t place = placeStart(loadIndex(indices_.dtype, at + start.component), start.extent, start.size, mode_);
      if (place < 0)
        return false;
      wholeOffset += place * start.stride;
    }
    return fits_;
  }

private:
  struct Walked {
    int64_t extent, picked, index, whole; ///< strides in bytes
  };
  struct Start {
    int64_t component, extent, size, stride; ///< component and stride in bytes
  };
  IndexMode mode_;
  const TensorView &indices_;
  TensorView slice_, pickedSlice_;
  int64_t count_ = 1;
  bool fits_ = true;
  InlineVector<Walked, 6> walked_;
  InlineVector<Start, 4> starts_;
};

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

const Tier0Kernel *kernelOf(ScatterUpdate update, DType dtype, const KernelTable &kernels) {
  switch (update) {
  case ScatterUpdate::Add:
    return kernels.add(dtype);
  case ScatterUpdate::Mul:
    return kernels.find(core::OpKind::Mul, dtype);
  case ScatterUpdate::Max:
    return kernels.find(core::OpKind::Maximum, dtype);
  case ScatterUpdate::Min:
    return kernels.find(core::OpKind::Minimum, dtype);
  case ScatterUpdate::Set:
    break;
  }
  return nullptr;
}

/// All windows in turn, restricted to `target` and `update`: the walk's slices or a part of them.
bool scatterPart(const WindowWalk &walk, const Tier0Kernel *combine, const TensorView &target, const TensorView &update,
                 const LaunchContext &serial) {
  int64_t elements = target.elementCount(), bytes = static_cast<int64_t>(byteSize(target.dtype));
  SimpleSlice simple(target, update, bytes);
  bool direct = simple.valid && simple.aInner == bytes && simple.bInner == bytes;
  auto kernel = combine ? reinterpret_cast<MapKernel>(combine->variants[0]) : nullptr;
  MapFunction function;
  function.precompiled = combine;
  const TensorView *operands[3] = {&target, &update, &target};
  std::optional<MapPlan> plan;
  if (combine && !direct)
    plan.emplace(function, operands);
  const int64_t inner[3] = {bytes, bytes, bytes}, outer[3] = {simple.aOuter, simple.bOuter, simple.aOuter};
  TensorView from = update, to = target;
  bool outside = false;
  for (int64_t i = 0, count = walk.count(); i < count; ++i) {
    int64_t wholeOffset, pickedOffset;
    if (!walk.find(i, wholeOffset, pickedOffset)) {
      outside = true;
      continue;
    }
    if (!elements)
      continue; // there may be no address
    to.data = static_cast<char *>(target.data) + wholeOffset;
    from.data = static_cast<char *>(update.data) + pickedOffset;
    void *args[3] = {to.data, from.data, to.data};
    if (!combine && simple.valid)
      copyBlock(from.data, simple.bInner, simple.bOuter, to.data, simple.aInner, simple.aOuter, simple.n, simple.m,
                bytes);
    else if (!combine)
      runCopy(from, to, serial);
    else if (direct)
      kernel(args, inner, outer, simple.n, simple.m);
    else
      plan->run(args, 1);
  }
  return outside;
}

/// `view` from `begin` to before `end` along dimension d.
TensorView part(const TensorView &view, size_t d, int64_t begin, int64_t end) {
  TensorView result = view;
  result.data = static_cast<char *>(view.data) + begin * view.strides[d] * static_cast<int64_t>(byteSize(view.dtype));
  result.shape[d] = end - begin;
  return result;
}

Status statusOf(bool outside, IndexMode mode) {
  return outside && mode == IndexMode::Error ? makeStatus(0, KernelError::IndexOutOfRange) : kOk;
}

} // namespace

void requireIndices(const TensorView &indices, const char *op) {
  if (isInteger(indices.dtype))
    return;
  Failure failure =
      makeFailure(ErrorKind::DTypeMismatch, op, "expects integer indices, but got " + std::string(name(indices.dtype)));
  failure.dtypes = {indices.dtype};
  raise(std::move(failure));
}

Status runGather(const WindowDimensions &dims, const TensorView &source, const TensorView &indices,
                 const TensorView &out, const LaunchContext &context) {
  WindowWalk walk(dims, source, indices, out, /*splitsOverlaps=*/false);
  int64_t count = walk.count(), elements = walk.slice().elementCount(),
          bytes = static_cast<int64_t>(byteSize(out.dtype));
  SimpleSlice simple(walk.slice(), walk.pickedSlice(), bytes);
  LaunchContext serial = context;
  if (count > 1) // of one window the copy has threads of its own
    serial.threads = 1;
  const bool blocks = simple.valid && (count > 1 || elements < kGrain);
  auto range = [&](int64_t begin, int64_t end) {
    TensorView from = walk.slice(), to = walk.pickedSlice();
    bool outside = false;
    for (int64_t i = begin; i < end; ++i) {
      int64_t wholeOffset, pickedOffset;
      bool inside = walk.find(i, wholeOffset, pickedOffset);
      outside |= !inside;
      if (!elements)
        continue; // there may be no address
      to.data = static_cast<char *>(out.data) + pickedOffset;
      if (!inside) {
        runZero(to, serial);
        continue;
      }
      from.data = static_cast<char *>(source.data) + wholeOffset;
      if (blocks)
        copyBlock(from.data, simple.aInner, simple.aOuter, to.data, simple.bInner, simple.bOuter, simple.n, simple.m,
                  bytes);
      else
        runCopy(from, to, serial);
    }
    return outside;
  };
  if (context.threads <= 1 || count <= 1 || elements * count < 2 * kGrain)
    return statusOf(range(0, count), dims.mode);
  int64_t parts = std::min<int64_t>({count, 4 * int64_t{context.threads}, elements * count / kGrain});
  std::atomic<bool> outside{false};
  parallelFor(context.threads, parts, Work{elements * count, 2 * bytes}.time(), [&](int64_t part) {
    if (range(count * part / parts, count * (part + 1) / parts))
      outside.store(true, std::memory_order_relaxed);
  });
  return statusOf(outside.load(std::memory_order_relaxed), dims.mode);
}

Status runScatterInto(const WindowDimensions &dims, const TensorView &indices, const TensorView &updates,
                      const TensorView &out, const LaunchContext &context) {
  const Tier0Kernel *combine = kernelOf(dims.update, out.dtype, *context.kernels);
  if (!combine && dims.update != ScatterUpdate::Set)
    raise(makeFailure(ErrorKind::Unsupported, "scatter",
                      "expects a dtype that the update has a kernel for, but got " + std::string(name(out.dtype))));
  WindowWalk walk(dims, out, indices, updates, /*splitsOverlaps=*/true);
  LaunchContext serial = context;
  serial.threads = 1;
  const TensorView &target = walk.slice(), &update = walk.pickedSlice();
  size_t longest = 0;
  for (size_t d = 1; d < target.shape.size(); ++d)
    if (target.shape[d] >= target.shape[longest])
      longest = d;
  int64_t elements = target.elementCount() * walk.count();
  if (context.threads <= 1 || elements < 2 * kGrain || target.shape.empty() || target.shape[longest] < 2)
    return statusOf(scatterPart(walk, combine, target, update, serial), dims.mode);
  // Each thread takes a part of every window: the updates of one target stay in one thread, and in order.
  int64_t extent = target.shape[longest];
  int64_t parts = std::min<int64_t>({extent, int64_t{context.threads}, elements / kGrain});
  std::atomic<bool> outside{false};
  parallelFor(
      context.threads, parts, Work{elements, 3 * static_cast<int64_t>(byteSize(out.dtype))}.time(), [&](int64_t p) {
        int64_t begin = extent * p / parts, end = extent * (p + 1) / parts;
        if (scatterPart(walk, combine, part(target, longest, begin, end), part(update, longest, begin, end), serial))
          outside.store(true, std::memory_order_relaxed);
      });
  return statusOf(outside.load(std::memory_order_relaxed), dims.mode);
}

Status runScatter(const WindowDimensions &dims, const TensorView &operand, const TensorView &indices,
                  const TensorView &updates, const TensorView &out, const LaunchContext &context) {
  runCopy(operand, out, context);
  return runScatterInto(dims, indices, updates, out, context);
}

Status runScatterPrefix(const WindowDimensions &dims, const TensorView &operand, const TensorView &indices,
                        const TensorView &factors, const TensorView &addends, const TensorView &out,
                        const LaunchContext &context) {
  const Tier0Kernel *mul = kernelOf(ScatterUpdate::Mul, out.dtype, *context.kernels);
  const Tier0Kernel *add = context.kernels->add(out.dtype);
  if (!mul || !add)
    raise(makeFailure(ErrorKind::Unsupported, "scatter_prefix",
                      "expects a dtype that is multiplied and added, but got " + std::string(name(out.dtype))));
  LaunchContext serial = context;
  serial.threads = 1;
  BufferRef memory = BufferRef::allocate(static_cast<size_t>(operand.elementCount()) * byteSize(operand.dtype));
  TensorView targets = TensorView::contiguous(memory.data(), operand.dtype, operand.shape);
  runCopy(operand, targets, context);
  const WindowWalk walk(dims, targets, indices, out, /*splitsOverlaps=*/true);
  const WindowWalk ofFactors(dims, targets, indices, factors, true), ofAddends(dims, targets, indices, addends, true);
  TensorView target = walk.slice(), found = walk.pickedSlice(), factor = ofFactors.pickedSlice(),
             addend = ofAddends.pickedSlice();
  const TensorView *products[] = {&factor, &target, &target}, *sums[] = {&target, &addend, &target};
  MapFunction multiply, accumulate;
  multiply.precompiled = mul;
  accumulate.precompiled = add;
  const MapPlan product(multiply, products), sum(accumulate, sums);
  int64_t elements = target.elementCount();
  bool outside = false;
  for (int64_t i = 0, count = walk.count(); i < count; ++i) {
    int64_t number = dims.backward ? count - 1 - i : i, at, toFound, toFactor, toAddend;
    bool inside = walk.find(number, at, toFound);
    outside |= !inside;
    if (!elements)
      continue; // there may be no address
    found.data = static_cast<char *>(out.data) + toFound;
    if (!inside) {
      runZero(found, serial);
      continue;
    }
    ofFactors.find(number, at, toFactor);
    ofAddends.find(number, at, toAddend);
    target.data = static_cast<char *>(targets.data) + at;
    runCopy(target, found, serial);
    void *factorArgs[] = {static_cast<char *>(factors.data) + toFactor, target.data, target.data};
    void *addendArgs[] = {target.data, static_cast<char *>(addends.data) + toAddend, target.data};
    product.run(factorArgs, 1);
    sum.run(addendArgs, 1);
  }
  return statusOf(outside, dims.mode);
}

std::optional<OutsideStart> findOutside(const WindowDimensions &dims, const Shape &whole, const TensorView &indices) {
  int64_t bytes = static_cast<int64_t>(byteSize(indices.dtype));
  for (int64_t i = 0, count = indices.elementCount(); i < count; ++i) {
    const char *at = static_cast<const char *>(indices.data);
    int64_t rest = i, component = 0;
    for (int64_t d = 0; d < indices.shape.rank(); ++d) {
      int64_t coordinate = rest % indices.shape[d];
      rest /= indices.shape[d];
      at += coordinate * indices.strides[d] * bytes;
      if (d == dims.vectorDim)
        component = coordinate;
    }
    int64_t d = dims.map[component], start = loadIndex(indices.dtype, at);
    if (placeStart(start, whole[d], dims.sizes[d], IndexMode::Error) < 0)
      return OutsideStart{start, d};
  }
  return std::nullopt;
}

} // namespace tenferro::runtime
