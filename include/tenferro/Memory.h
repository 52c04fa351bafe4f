// The memory of tensors: how much is in use, how much is kept for reuse, and how much there may be.
#ifndef TENFERRO_MEMORY_H
#define TENFERRO_MEMORY_H

#include "tenferro/Export.h"

#include <cstddef>
#include <limits>

namespace tenferro {

/// No bound.
inline constexpr size_t kNoMemoryCap = std::numeric_limits<size_t>::max();

/// The elements of all tensors of the process, and of results and scratch while programs run. Bytes are those asked
/// for, except where it says blocks: those have a header of 256 bytes and are rounded up by at most an eighth. Blocks of up
/// to 4 KiB, also of what is recorded, lie in slabs of 64 KiB, each of one size.
struct MemoryStats {
  size_t liveBytes = 0;
  size_t peakBytes = 0; ///< most live bytes since the start or `resetPeakMemory`
  size_t liveBuffers = 0;
  /// Blocks that were freed and are kept for the next result of their size, and slabs that are empty.
  size_t cachedBytes = 0;
  size_t capBytes = kNoMemoryCap;
  friend bool operator==(const MemoryStats &, const MemoryStats &) = default;
};

/// Exact when no other thread allocates meanwhile. Thread safety of everything here: from any thread.
TENFERRO_EXPORT MemoryStats memoryStats() noexcept;

/// The peak starts again at what is live now.
TENFERRO_EXPORT void resetPeakMemory() noexcept;

/// Live bytes stay at most `bytes`, or where they are more already, do not grow: a result beyond that is a RuntimeError
/// of kind OutOfMemory that names the bytes asked for, those in use and the cap, and leaves everything as it was. Kept
/// blocks make room first: live bytes and kept blocks together stay below the cap, but for the rounding of blocks and
/// at most 10 MiB of blocks that each thread keeps to itself, and the free part of slabs that hold a block. Without a call there is no cap (`kNoMemoryCap`).
TENFERRO_EXPORT void setMemoryCap(size_t bytes) noexcept;

/// Gives kept blocks back to the operating system: those that threads share, those of the calling thread, and those of
/// other threads when they next run out of blocks or have too many. A slab that holds a block stays. Blocks are kept because fresh memory costs a page
/// fault per 4 KiB; without a call, live and kept together stay at most a quarter above the peak, or 256 MiB.
TENFERRO_EXPORT void trimMemory() noexcept;

} // namespace tenferro

#endif // TENFERRO_MEMORY_H
