// Which work is worth several threads, and in how many parts: by an estimate of its time, which counts bytes and
// instructions rather than elements.
#ifndef TENFERRO_RUNTIME_CORE_GRAIN_H
#define TENFERRO_RUNTIME_CORE_GRAIN_H

#include <algorithm>
#include <cstdint>

namespace tenferro::runtime {

/// What element-wise work takes. Numbers are picoseconds, measured on 512-bit vectors: an addition of f64 takes 100 in
/// the near caches and 220 behind them, exp 450.
struct Work {
  int64_t count = 0;  ///< elements
  int64_t bytes = 0;  ///< moved for each, of all operands
  int64_t weight = 0; ///< vector instructions for each
  int64_t widest = 1; ///< bytes of the widest operand's elements

  constexpr int64_t elementTime() const noexcept {
    const bool isNear = count * bytes <= int64_t{1} << 20;
    return std::max<int64_t>({bytes * (isNear ? 4 : 9), weight * widest * 2, 1});
  }
  /// On one thread.
  constexpr int64_t time() const noexcept { return count * elementTime(); }

  /// Whether several threads are worth it. A region costs 0.7 us. While operands fit the cache of a core they lie in the
  /// caller's, and so will results be read: to fetch half of them from another core takes 80 a byte of all, which is more than
  /// most single operations. Operands beyond it are shared out for good: from there on every operation of their
  /// size is split, the light ones too, so that each thread keeps its half of all of them.
  constexpr bool isSplit() const noexcept {
    if (count * widest >= int64_t{1} << 19)
      return time() >= 2'000'000;
    return time() >= 3'000'000 + count * bytes * 80;
  }

  /// Parts for so many threads; 1: it stays on the calling one.
  constexpr int64_t parts(int threads) const noexcept {
    return threads <= 1 || !isSplit() ? 1 : std::clamp<int64_t>(time() / 1'500'000, 2, 4 * int64_t{threads});
  }
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CORE_GRAIN_H
