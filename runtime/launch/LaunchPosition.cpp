// argmax and argmin in one pass: a line alone is a loop, lines beside each other are compared row by row.
#include "runtime/launch/LaunchPosition.h"

#include "runtime/core/Lines.h"
#include "runtime/threads/ThreadPool.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

namespace tenferro::runtime {

namespace {

constexpr int64_t kParallelElements = 65536; ///< below this a region is not worth it
constexpr int64_t kRow = 256;                ///< lines compared together, at most
constexpr int64_t kShortRow = 8;             ///< below this lines are walked one by one

template <typename T> T load(const char *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <typename T> struct Best {
  T value;
  int64_t position;
};

/// Whether `x` takes the place of what came before it: beyond it, or the first NaN.
template <typename T, bool largest> bool beats(T x, T best) {
  bool beyond = largest ? x > best : x < best;
  if constexpr (std::is_floating_point_v<T>)
    return beyond || (std::isnan(x) && !std::isnan(best));
  return beyond;
}

/// Elements [from, to) of a line that starts at `line`.
template <typename T, bool largest> Best<T> scanLine(const char *line, int64_t step, int64_t from, int64_t to) {
  Best<T> best{load<T>(line + from * step), from};
  for (int64_t k = from + 1; k < to; ++k)
    if (T x = load<T>(line + k * step); beats<T, largest>(x, best.value))
      best = {x, k};
  return best;
}

/// `n` lines beside each other.
template <typename T, bool largest> void scanRows(const char *source, char *out, const Lines &lines, int64_t n) {
  T values[kRow];
  int64_t positions[kRow] = {};
  std::memcpy(values, source, static_cast<size_t>(n) * sizeof(T));
  for (int64_t k = 1; k < lines.length(); ++k) {
    source += lines.step().source;
    for (int64_t j = 0; j < n; ++j) {
      T x = load<T>(source + j * static_cast<int64_t>(sizeof(T)));
      bool better = beats<T, largest>(x, values[j]);
      values[j] = better ? x : values[j];
      positions[j] = better ? k : positions[j];
    }
  }
  std::memcpy(out, positions, static_cast<size_t>(n) * sizeof(int64_t));
}

template <typename T, bool largest> void run(const Lines &lines, const char *source, char *out, const ThreadTeam &threads) {
  if (lines.bundle() >= kShortRow) {
    int64_t rows = (lines.bundle() + kRow - 1) / kRow;
    parallelFor(threads, lines.count() / lines.bundle() * rows, [&](int64_t task) {
      int64_t first = task % rows * kRow, n = std::min(kRow, lines.bundle() - first);
      Lines::Place place = lines.at(task / rows * lines.bundle() + first);
      scanRows<T, largest>(source + place.source, out + place.out, lines, n);
    });
    return;
  }
  // Few lines are cut; of two parts' winners the first stays unless the second beats it.
  int64_t step = lines.step().source;
  int64_t cuts = lines.count() < threads.count ? std::min<int64_t>(4 * int64_t{threads.count}, lines.length()) : 1;
  std::vector<Best<T>> best(static_cast<size_t>(lines.count() * cuts));
  int64_t tasks = std::min<int64_t>(lines.count() * cuts, 4 * int64_t{threads.count});
  parallelFor(threads, tasks, [&](int64_t task) {
    int64_t end = lines.count() * cuts * (task + 1) / tasks;
    for (int64_t i = lines.count() * cuts * task / tasks; i < end; ++i) {
      int64_t cut = i % cuts, length = lines.length();
      best[static_cast<size_t>(i)] = scanLine<T, largest>(source + lines.at(i / cuts).source, step, length * cut / cuts,
                                                          length * (cut + 1) / cuts);
    }
  });
  for (int64_t line = 0; line < lines.count(); ++line) {
    const Best<T> *parts = best.data() + line * cuts, *winner = parts;
    for (int64_t cut = 1; cut < cuts; ++cut)
      if (beats<T, largest>(parts[cut].value, winner->value))
        winner = parts + cut;
    std::memcpy(out + lines.at(line).out, &winner->position, sizeof(int64_t));
  }
}

using Runner = void (*)(const Lines &, const char *, char *, const ThreadTeam &);

template <typename T> Runner runner(bool largest) { return largest ? run<T, true> : run<T, false>; }

Runner runner(DType dtype, bool largest) noexcept {
  switch (dtype) {
  case DType::F64:
    return runner<double>(largest);
  case DType::F32:
    return runner<float>(largest);
  case DType::I64:
    return runner<int64_t>(largest);
  case DType::I32:
    return runner<int32_t>(largest);
  case DType::U8:
    return runner<uint8_t>(largest);
  default:
    return nullptr;
  }
}

} // namespace

bool hasPositions(DType dtype) noexcept { return runner(dtype, true) != nullptr; }

void runArgExtremum(int64_t axis, bool largest, const TensorView &source, const TensorView &out,
                    const LaunchContext &context) {
  if (out.elementCount() == 0)
    return;
  ThreadTeam threads = context.threads;
  if (source.elementCount() < kParallelElements)
    threads.count = 1;
  runner(source.dtype, largest)(Lines(source, out, axis), static_cast<const char *>(source.data),
                                static_cast<char *>(out.data), threads);
}

} // namespace tenferro::runtime
