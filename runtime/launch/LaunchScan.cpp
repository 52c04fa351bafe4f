// Running sums. Lines that lie beside each other go through the add kernel together, a row of them at a time; a line
// alone is a loop. Either way each element is the one before it plus its own, so both give the same bits.
#include "runtime/launch/LaunchScan.h"

#include "runtime/core/Address.h"
#include "runtime/core/Failures.h"
#include "runtime/core/Lines.h"
#include "runtime/kernels/KernelTable.h"
#include "runtime/launch/StridedCopy.h"
#include "runtime/threads/ThreadPool.h"

#include <algorithm>
#include <cstring>

namespace tenferro::runtime {

namespace {

constexpr int64_t kParallelElements = 65536; ///< below this a region is not worth it
constexpr int64_t kElementTime = 300;        ///< picoseconds, about
constexpr int64_t kRow = 1024;               ///< lines of a row, at most: two rows stay in L1
constexpr int64_t kShortRow = 8;             ///< below this a call of the kernel costs more than it saves

/// One line; integers wrap, so they are added as unsigned numbers.
template <typename T> void scanLine(const char *source, char *out, const Lines &lines) {
  T sum;
  std::memcpy(&sum, source, sizeof(T));
  std::memcpy(out, &sum, sizeof(T));
  for (int64_t k = 1; k < lines.length(); ++k) {
    T next;
    source += lines.step().source;
    out += lines.step().out;
    std::memcpy(&next, source, sizeof(T));
    sum = static_cast<T>(sum + next);
    std::memcpy(out, &sum, sizeof(T));
  }
}

using LineScan = void (*)(const char *, char *, const Lines &);

LineScan lineScan(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return scanLine<double>;
  case DType::F32:
    return scanLine<float>;
  case DType::I64:
    return scanLine<uint64_t>;
  case DType::I32:
    return scanLine<uint32_t>;
  case DType::U8:
    return scanLine<uint8_t>;
  default:
    return nullptr;
  }
}

/// `n` lines beside each other, row after row.
void scanRows(MapKernel add, char *source, char *out, const Lines &lines, int64_t n, int64_t bytes) {
  const int64_t inner[3] = {bytes, bytes, bytes}, outer[3] = {0, 0, 0};
  std::memcpy(out, source, static_cast<size_t>(n * bytes));
  for (int64_t k = 1; k < lines.length(); ++k) {
    char *before = out;
    source += lines.step().source;
    out += lines.step().out;
    void *args[3] = {before, source, out};
    add(args, inner, outer, n, 1);
  }
}

/// The same elements with one axis walked from its other end.
TensorView reversed(const TensorView &view, int64_t axis) {
  TensorView result = view;
  int64_t last = (view.shape[axis] - 1) * view.strides[axis];
  result.data = offset(view.data, last * static_cast<int64_t>(byteSize(view.dtype)));
  result.strides[axis] = -view.strides[axis];
  return result;
}

} // namespace

void runCumulativeSum(int64_t axis, bool reverse, const TensorView &source, const TensorView &out,
                      const LaunchContext &context) {
  const Tier0Kernel *add = context.kernels->add(out.dtype);
  LineScan scan = lineScan(out.dtype);
  if (!add || !scan)
    raise(makeFailure(ErrorKind::Unsupported, "cumsum",
                      "expects a dtype that can be added, but got " + std::string(name(out.dtype))));
  if (out.elementCount() == 0)
    return;
  if (reverse)
    return runCumulativeSum(axis, false, reversed(source, axis), reversed(out, axis), context);
  const Lines lines(source, out, axis);
  const auto kernel = reinterpret_cast<MapKernel>(add->variants[0]);
  const auto bytes = static_cast<int64_t>(byteSize(out.dtype));
  ThreadTeam threads = context.threads;
  if (out.elementCount() < kParallelElements)
    threads.count = 1;
  char *from = static_cast<char *>(source.data), *to = static_cast<char *>(out.data);
  if (lines.bundle() >= kShortRow) {
    int64_t rows = (lines.bundle() + kRow - 1) / kRow;
    parallelFor(threads, lines.count() / lines.bundle() * rows, out.elementCount() * kElementTime, [&](int64_t task) {
      int64_t first = task % rows * kRow, n = std::min(kRow, lines.bundle() - first);
      Lines::Place place = lines.at(task / rows * lines.bundle() + first);
      scanRows(kernel, from + place.source, to + place.out, lines, n, bytes);
    });
    return;
  }
  int64_t parts = std::min<int64_t>(lines.count(), 4 * int64_t{threads.count});
  parallelFor(threads, parts, out.elementCount() * kElementTime, [&](int64_t part) {
    for (int64_t line = lines.count() * part / parts; line < lines.count() * (part + 1) / parts; ++line) {
      Lines::Place place = lines.at(line);
      scan(from + place.source, to + place.out, lines);
    }
  });
}

} // namespace tenferro::runtime
