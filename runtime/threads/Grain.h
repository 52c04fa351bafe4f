// Which work is worth several threads, and in how many parts: by an estimate of its time, which counts bytes and
// instructions rather than elements.
#ifndef TENFERRO_RUNTIME_THREADS_GRAIN_H
#define TENFERRO_RUNTIME_THREADS_GRAIN_H

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
  int64_t whole = 0;  ///< of the bytes, those of operands that have an element of their own for each
  int64_t spread = 0; ///< of these, those of operands that lie in the caches of several cores

  static constexpr int64_t kLeast = 1'000'000; ///< of time that several threads are worth at all

  constexpr int64_t elementTime() const noexcept {
    const bool isNear = count * bytes <= int64_t{1} << 20;
    return std::max<int64_t>({bytes * (isNear ? 4 : 9), weight * widest * 2, 1});
  }
  /// On one thread.
  constexpr int64_t time() const noexcept { return count * elementTime(); }

  /// Whether several threads are worth it. A region costs 0.7 us. While operands fit the cache of a core they lie in
  /// the caller's, and so will results be read: to fetch half of them from another core takes 80 a byte of all, which
  /// is more than most single operations. Operands beyond it are shared out for good: from there on every operation of
  /// their size is split, the light ones too, so that each thread keeps its half of all of them. So are smaller ones
  /// where half of what they touch is shared out already.
  constexpr bool isSplit() const noexcept {
    if (spread && 2 * spread >= whole)
      return maySplit();
    if (count * widest >= int64_t{1} << 19)
      return time() >= 2'000'000;
    return time() >= 3'000'000 + count * bytes * 80;
  }
  /// Whether they are wherever its operands lie.
  constexpr bool maySplit() const noexcept { return time() >= kLeast; }

  /// Parts for so many threads; 1: it stays on the calling one.
  constexpr int64_t parts(int threads) const noexcept {
    return threads <= 1 || !isSplit() ? 1 : std::clamp<int64_t>(time() / 1'500'000, 2, 4 * int64_t{threads});
  }
};

/// Whether the outer one of two loops is cut into parts: where it gives each thread as much. Maps and reductions of the
/// same operands are cut alike, so that each thread finds in its caches what it left.
constexpr bool isCutOutside(int64_t rounds, int64_t parts, int threads) noexcept {
  return rounds >= parts || (rounds > 0 && rounds % threads == 0);
}

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_THREADS_GRAIN_H
