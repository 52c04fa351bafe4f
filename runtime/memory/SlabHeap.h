// Small blocks in the order of their addresses: slabs of one size each, owned by one thread at a time.
//
// A long chain of records takes slab after slab from front to back, and gives the last back first: the next chain finds
// the same slabs in the same order. A slab that is empty again forgets which of its blocks were free, so taking one
// reads no memory.
#ifndef TENFERRO_RUNTIME_MEMORY_SLABHEAP_H
#define TENFERRO_RUNTIME_MEMORY_SLABHEAP_H

#include "runtime/memory/SystemBlocks.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

// Under a sanitizer nothing that was freed is handed out again from here: it would hide uses after the end.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TENFERRO_CHECKED_BLOCKS 1
#endif
#endif
#if defined(TENFERRO_CHECKED_BLOCKS) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef TENFERRO_CHECKED_BLOCKS
#define TENFERRO_CHECKED_BLOCKS 1
#else
#define TENFERRO_CHECKED_BLOCKS 0
#endif

namespace tenferro::runtime {

inline constexpr uint32_t kSlabClasses = kLinearClasses + 8 * 2; ///< blocks of up to 4 KiB
inline constexpr size_t kSlabBytes = size_t{64} << 10, kRegionBytes = size_t{2} << 20;

class SlabHeap;

/// What is known of a slab; lies in front of its region, a cache line each. Its heap's thread alone changes it; `used` and `next`
/// may be read by others.
struct alignas(64) Slab {
  struct Block {
    Block *next;
  };
  Block *free = nullptr;
  std::atomic<char *> fresh{nullptr}; ///< from here on no block was given out since the slab was empty
  char *end = nullptr;
  std::atomic<int32_t> used{0}; ///< blocks given out
  int32_t wake = 0;             ///< a free that leaves so many or fewer is looked at
  uint32_t blockBytes = 0, sizeClass = 0;
  SlabHeap *heap = nullptr; ///< null: in the pool
  Slab *next = nullptr, *previous = nullptr;

  static Slab *of(void *block) noexcept {
    const auto address = reinterpret_cast<uintptr_t>(block), region = address & ~(kRegionBytes - 1);
    return reinterpret_cast<Slab *>(region) + (address - region) / kSlabBytes;
  }
};
static_assert(sizeof(Slab) == 64);

/// The slabs of a thread. A block may be freed by any thread: its slab's owner takes it back when it next runs out. When a thread
/// ends, the next one takes over its heap.
class SlabHeap {
public:
  /// A block of a class below kSlabClasses, aligned to 64 (a power of two up to 128: to its size); null if the
  /// system has no memory.
  static void *allocate(uint32_t sizeClass) noexcept {
    if (SlabHeap *mine = own_) [[likely]] {
      if (void *block = mine->take(sizeClass)) [[likely]]
        return block;
    }
    return allocateSlowly(sizeClass);
  }

  static void free(void *memory) noexcept {
    Slab &slab = *Slab::of(memory);
    if (slab.heap != own_) [[unlikely]]
      return freeForeign(slab, memory);
    auto *block = static_cast<Slab::Block *>(memory);
    block->next = slab.free;
    slab.free = block;
    const int32_t used = slab.used.load(std::memory_order_relaxed) - 1;
    slab.used.store(used, std::memory_order_relaxed);
    if (used <= slab.wake) [[unlikely]]
      slab.heap->wake(slab, used);
  }

  /// Bytes of blocks that were freed and are kept, and of slabs that wait for a use.
  static size_t keptBytes() noexcept;
  /// Of the latter alone.
  static size_t pooledBytes() noexcept;
  /// Gives slabs that wait for a use back to the system until they have at most `limit` bytes.
  static void shrink(size_t limit) noexcept;
  /// Gives back all of them, the empty ones of the calling thread and of threads that ended, and those of other threads when they
  /// next run out of blocks.
  static void trim() noexcept;
  /// Follows a trim of another thread.
  static void followTrims() noexcept;

private:
  friend struct SlabPool;
  SlabHeap() noexcept;

  void *take(uint32_t sizeClass) noexcept {
    Slab &slab = *current_[sizeClass];
    void *block;
    if (slab.free) {
      block = slab.free;
      slab.free = slab.free->next;
    } else {
      char *fresh = slab.fresh.load(std::memory_order_relaxed);
      if (fresh == slab.end) [[unlikely]]
        return nullptr;
      slab.fresh.store(fresh + slab.blockBytes, std::memory_order_relaxed);
      block = fresh;
    }
    slab.used.store(slab.used.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return block;
  }
  void *refill(uint32_t sizeClass) noexcept;
  void wake(Slab &slab, int32_t used) noexcept;
  bool drain() noexcept;
  void link(Slab &slab) noexcept;
  void unlink(Slab &slab) noexcept;

  static void *allocateSlowly(uint32_t sizeClass) noexcept;
  static void freeForeign(Slab &slab, void *memory) noexcept;
  static void open() noexcept;
  struct Owner;

  /// The slab that blocks come from, per class; one without room where there is none. Never in a list.
  Slab *current_[kSlabClasses];
  Slab *partial_[kSlabClasses] = {}; ///< other slabs with room
  std::atomic<Slab::Block *> foreign_{nullptr};
  std::atomic<size_t> foreignBytes_{0};
  uint64_t trims_ = 0;     ///< of the pool, when this heap last came to it
  bool isLost_ = false;    ///< its thread was not taken over by a fork
  SlabHeap *next_ = nullptr;
  SlabHeap *nextIdle_ = nullptr; ///< of those whose thread ended

  // At a fixed distance from the thread pointer: libtenferro may be opened late, when little of that memory is left.
  static inline constinit thread_local SlabHeap *own_ __attribute__((tls_model("initial-exec"))) = nullptr;
  static inline constinit thread_local bool gone_ __attribute__((tls_model("initial-exec"))) = false;
};

/// Bytes beyond the live ones that may be kept now, in all: the allocator's rule.
size_t keepLimit(size_t more) noexcept;
/// Bytes of kept blocks that are not in slabs.
size_t keptLargeBytes() noexcept;
/// Has forks wait for the locks of slabs, which the first block would do.
void registerSlabForkHandlers();
/// Gives kept blocks back where a cap leaves no room for `more` bytes beside them.
void makeRoom(size_t more) noexcept;

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_MEMORY_SLABHEAP_H
