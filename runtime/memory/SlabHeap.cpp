// Where heaps get their slabs: regions of the system, and a pool of empty slabs that all threads share.
#include "runtime/memory/SlabHeap.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <utility>

namespace tenferro::runtime {

namespace {

constexpr size_t kSlabsPerRegion = kRegionBytes / kSlabBytes; ///< the first holds the Slab objects
constexpr int32_t kNever = -1;
/// The first regions do without: clearing a huge page takes as long as thousands of small operations.
constexpr size_t kSmallPageRegions = 2;

Slab noRoom;

/// A mapping at a multiple of its size, or null.
void *mapRegion() noexcept {
  void *larger = mmap(nullptr, 2 * kRegionBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (larger == MAP_FAILED)
    return nullptr;
  auto *first = static_cast<char *>(larger);
  const size_t before = -reinterpret_cast<uintptr_t>(first) & (kRegionBytes - 1);
  if (before)
    munmap(first, before);
  munmap(first + before + kRegionBytes, kRegionBytes - before);
  return first + before;
}

char *firstByte(Slab *slab) noexcept {
  const uintptr_t region = reinterpret_cast<uintptr_t>(slab) & ~(kRegionBytes - 1);
  return reinterpret_cast<char *>(region) + static_cast<size_t>(slab - reinterpret_cast<Slab *>(region)) * kSlabBytes;
}

/// Where its blocks begin: slabs differ in it, or all first blocks would want the same few lines of the first cache.
char *firstBlock(Slab *slab) noexcept {
  const uintptr_t number = (reinterpret_cast<uintptr_t>(slab) & (kRegionBytes - 1)) / sizeof(Slab);
  return firstByte(slab) + number * 640 % 4096;
}

} // namespace

struct SlabPool {
  std::mutex mutex;
  Slab *touched = nullptr;    ///< empty slabs whose memory is there; the last one given back first
  Slab *untouched = nullptr;  ///< empty slabs without memory
  std::atomic<size_t> touchedBytes{0};
  Slab *regions = nullptr;    ///< the first Slab of each, linked by `next`; its `used` counts the slabs of heaps
  size_t regionCount = 0;
  SlabHeap *heaps = nullptr, *idle = nullptr;
  std::atomic<uint64_t> trims{0}; ///< changed under the lock
  std::mutex lateMutex; ///< taken before `mutex`
  SlabHeap *late = nullptr;   ///< of threads whose own heap is gone

  static SlabPool &get() noexcept {
    // Never destroyed: static objects free blocks after it would be.
    static SlabPool *pool = [] {
      alignas(SlabPool) static char memory[sizeof(SlabPool)];
      auto *made = ::new (memory) SlabPool;
      pthread_atfork(
          [] {
            get().lateMutex.lock();
            get().mutex.lock();
          },
          [] {
            get().mutex.unlock();
            get().lateMutex.unlock();
          },
          [] { get().startChild(); });
      return made;
    }();
    return *pool;
  }

  /// In a forked child, with the locks held: the heaps of other threads may be half changed; their free blocks are lost.
  void startChild() noexcept {
    for (SlabHeap *heap = heaps; heap; heap = heap->next_)
      heap->isLost_ |= heap != SlabHeap::own_ && heap != late && !isIdle(heap);
    mutex.unlock();
    lateMutex.unlock();
  }
  bool isIdle(const SlabHeap *heap) const noexcept {
    for (const SlabHeap *each = idle; each; each = each->nextIdle_)
      if (each == heap)
        return true;
    return false;
  }

  static Slab *regionOf(Slab *slab) noexcept {
    return reinterpret_cast<Slab *>(reinterpret_cast<uintptr_t>(slab) & ~(kRegionBytes - 1));
  }
  static void countUses(Slab *region, int32_t change) noexcept {
    region->used.store(region->used.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
  }
  void countTouched(size_t bytes) noexcept {
    touchedBytes.store(touchedBytes.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  }

  /// With the lock held: an empty slab, or null.
  Slab *take() noexcept {
    if (!touched) {
      for (SlabHeap *heap = idle; heap; heap = heap->nextIdle_)
        if (heap->drain())
          putEmpty(*heap);
      if (!touched && !untouched)
        addRegion();
    }
    Slab *&list = touched ? touched : untouched;
    Slab *slab = list;
    if (!slab)
      return nullptr;
    if (touched)
      countTouched(-kSlabBytes);
    list = slab->next;
    countUses(regionOf(slab), 1);
    return slab;
  }

  void addRegion() noexcept {
    void *memory = mapRegion();
    if (!memory)
      return;
    if (regionCount++ >= kSmallPageRegions)
      madvise(memory, kRegionBytes, MADV_HUGEPAGE);
    auto *slabs = static_cast<Slab *>(memory);
    for (size_t i = kSlabsPerRegion; i-- > 0;) {
      Slab *slab = ::new (static_cast<void *>(slabs + i)) Slab;
      Slab *&list = i ? untouched : regions;
      slab->next = list;
      list = slab;
    }
  }

  /// With the lock held. Gives the memory of the slab back where no more may be kept.
  void put(Slab *slab) noexcept {
    slab->heap = nullptr;
    countUses(regionOf(slab), -1);
    const bool keeps = touchedBytes.load(std::memory_order_relaxed) + kSlabBytes + keptLargeBytes() <= keepLimit(0);
    if (keeps)
      countTouched(kSlabBytes);
    else
      madvise(firstByte(slab), kSlabBytes, MADV_DONTNEED);
    Slab *&list = keeps ? touched : untouched;
    slab->next = list;
    list = slab;
  }

  /// With the lock held: an idle heap's foreign blocks and empty slabs come here.
  void empty(SlabHeap &heap) noexcept;
  void putEmpty(SlabHeap &heap) noexcept;

  void shrink(size_t limit) noexcept {
    while (touched && touchedBytes.load(std::memory_order_relaxed) > limit) {
      Slab *slab = touched;
      touched = slab->next;
      countTouched(-kSlabBytes);
      madvise(firstByte(slab), kSlabBytes, MADV_DONTNEED);
      slab->next = untouched;
      untouched = slab;
    }
    dropRegions();
  }

  /// Unmaps the regions that no heap has a slab of.
  void dropRegions() noexcept {
    bool drops = false;
    for (Slab *region = regions; region; region = region->next)
      drops |= region->used.load(std::memory_order_relaxed) == 0;
    if (!drops)
      return;
    for (Slab **list : {&touched, &untouched})
      for (Slab **at = list; *at;) {
        if (regionOf(*at)->used.load(std::memory_order_relaxed) == 0) {
          if (list == &touched)
            countTouched(-kSlabBytes);
          *at = (*at)->next;
        } else {
          at = &(*at)->next;
        }
      }
    for (Slab **at = &regions; *at;) {
      Slab *region = *at;
      if (region->used.load(std::memory_order_relaxed) == 0) {
        *at = region->next;
        --regionCount;
        munmap(region, kRegionBytes);
      } else {
        at = &region->next;
      }
    }
  }
};

/// Gives the thread's heap to the next thread when it ends.
struct SlabHeap::Owner {
  ~Owner() {
    SlabHeap *mine = own_;
    own_ = nullptr;
    gone_ = true;
    if (!mine)
      return;
    SlabPool &pool = SlabPool::get();
    std::lock_guard lock(pool.mutex);
    pool.empty(*mine);
    mine->nextIdle_ = pool.idle;
    pool.idle = mine;
  }
};

SlabHeap::SlabHeap() noexcept { std::fill(std::begin(current_), std::end(current_), &noRoom); }

void SlabHeap::open() noexcept {
  SlabPool &pool = SlabPool::get();
  {
    std::lock_guard lock(pool.mutex);
    SlabHeap *heap = pool.idle;
    if (heap) {
      pool.idle = heap->nextIdle_;
    } else if ((heap = new (std::nothrow) SlabHeap)) {
      heap->next_ = pool.heaps;
      pool.heaps = heap;
    }
    if (!heap)
      return;
    heap->trims_ = pool.trims.load(std::memory_order_relaxed);
    own_ = heap;
  }
  thread_local Owner owner;
  (void)owner;
}

void *SlabHeap::allocateSlowly(uint32_t sizeClass) noexcept {
  if (!own_ && !gone_)
    open();
  if (SlabHeap *mine = own_) {
    void *block = mine->take(sizeClass);
    return block ? block : mine->refill(sizeClass);
  }
  // At the end of a thread: all of them share one heap.
  SlabPool &pool = SlabPool::get();
  std::lock_guard lock(pool.lateMutex);
  if (!pool.late) {
    auto *heap = new (std::nothrow) SlabHeap;
    if (!heap)
      return nullptr;
    std::lock_guard listLock(pool.mutex);
    heap->trims_ = pool.trims.load(std::memory_order_relaxed);
    heap->next_ = pool.heaps;
    pool.heaps = heap;
    pool.late = heap;
  }
  void *block = pool.late->take(sizeClass);
  return block ? block : pool.late->refill(sizeClass);
}

void SlabHeap::freeForeign(Slab &slab, void *memory) noexcept {
  SlabHeap &heap = *slab.heap;
  auto *block = static_cast<Slab::Block *>(memory);
  heap.foreignBytes_.fetch_add(slab.blockBytes, std::memory_order_relaxed);
  block->next = heap.foreign_.load(std::memory_order_relaxed);
  while (!heap.foreign_.compare_exchange_weak(block->next, block, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

/// Takes back what other threads freed. Whether that left a slab empty, which stays where it is.
bool SlabHeap::drain() noexcept {
  if (!foreign_.load(std::memory_order_relaxed))
    return false;
  bool emptied = false;
  size_t bytes = 0;
  for (Slab::Block *block = foreign_.exchange(nullptr, std::memory_order_acquire); block;) {
    Slab::Block *next = block->next;
    Slab &slab = *Slab::of(block);
    bytes += slab.blockBytes;
    block->next = slab.free;
    slab.free = block;
    const int32_t used = slab.used.load(std::memory_order_relaxed) - 1;
    slab.used.store(used, std::memory_order_relaxed);
    emptied |= used == 0;
    if (slab.wake > 0) { // it was full
      slab.wake = 0;
      link(slab);
    }
    block = next;
  }
  foreignBytes_.fetch_sub(bytes, std::memory_order_relaxed);
  return emptied;
}

void SlabHeap::link(Slab &slab) noexcept {
  Slab *&list = partial_[slab.sizeClass];
  slab.previous = nullptr;
  slab.next = list;
  if (list)
    list->previous = &slab;
  list = &slab;
}

void SlabHeap::unlink(Slab &slab) noexcept {
  (slab.previous ? slab.previous->next : partial_[slab.sizeClass]) = slab.next;
  if (slab.next)
    slab.next->previous = slab.previous;
}

void SlabHeap::wake(Slab &slab, int32_t used) noexcept {
  if (slab.wake > 0) { // it was full
    slab.wake = 0;
    link(slab);
  }
  if (used > 0)
    return;
  unlink(slab);
  SlabPool &pool = SlabPool::get();
  std::lock_guard lock(pool.mutex);
  pool.put(&slab);
}

/// With the pool's lock held: empty slabs go there.
void SlabPool::putEmpty(SlabHeap &heap) noexcept {
  for (uint32_t c = 0; c < kSlabClasses; ++c) {
    for (Slab *slab = heap.partial_[c]; slab;) {
      Slab *next = slab->next;
      if (slab->used.load(std::memory_order_relaxed) == 0) {
        heap.unlink(*slab);
        put(slab);
      }
      slab = next;
    }
    if (Slab *current = heap.current_[c]; current != &noRoom && current->used.load(std::memory_order_relaxed) == 0) {
      heap.current_[c] = &noRoom;
      put(current);
    }
  }
}

void SlabPool::empty(SlabHeap &heap) noexcept {
  heap.drain();
  putEmpty(heap);
}

void SlabHeap::followTrims() noexcept {
  SlabHeap *mine = own_;
  SlabPool &pool = SlabPool::get();
  if (!mine || mine->trims_ == pool.trims.load(std::memory_order_relaxed))
    return;
  std::lock_guard lock(pool.mutex);
  mine->trims_ = pool.trims.load(std::memory_order_relaxed);
  pool.empty(*mine);
  pool.shrink(0);
}

void *SlabHeap::refill(uint32_t sizeClass) noexcept {
  SlabPool &pool = SlabPool::get();
  followTrims();
  if (drain()) {
    std::lock_guard lock(pool.mutex);
    pool.putEmpty(*this);
  }
  if (void *block = take(sizeClass))
    return block;
  if (Slab *full = std::exchange(current_[sizeClass], &noRoom); full != &noRoom)
    full->wake = full->used.load(std::memory_order_relaxed) - 1;
  Slab *slab = partial_[sizeClass];
  if (slab) {
    unlink(*slab);
  } else {
    makeRoom(kSlabBytes);
    std::lock_guard lock(pool.mutex);
    slab = pool.take();
    if (!slab)
      return nullptr;
    const size_t bytes = sizeClassBytes(sizeClass);
    char *first = firstBlock(slab);
    slab->free = nullptr;
    slab->fresh.store(first, std::memory_order_relaxed);
    slab->end = first + static_cast<size_t>(firstByte(slab) + kSlabBytes - first) / bytes * bytes;
    slab->blockBytes = static_cast<uint32_t>(bytes);
    slab->sizeClass = sizeClass;
    slab->heap = this;
  }
  slab->wake = kNever;
  current_[sizeClass] = slab;
  return take(sizeClass);
}

void registerSlabForkHandlers() { SlabPool::get(); }

size_t SlabHeap::pooledBytes() noexcept { return SlabPool::get().touchedBytes.load(std::memory_order_relaxed); }

size_t SlabHeap::keptBytes() noexcept {
  SlabPool &pool = SlabPool::get();
  std::lock_guard lock(pool.mutex);
  size_t bytes = pool.touchedBytes.load(std::memory_order_relaxed);
  for (Slab *region = pool.regions; region; region = region->next)
    for (Slab *slab = region + 1; slab < region + kSlabsPerRegion; ++slab) {
      if (!slab->heap || slab->heap->isLost_)
        continue;
      // Another thread may be between the two: what it has is not free.
      const auto given = static_cast<size_t>(slab->fresh.load(std::memory_order_relaxed) - firstBlock(slab));
      const auto used = static_cast<size_t>(slab->used.load(std::memory_order_relaxed)) * slab->blockBytes;
      bytes += given - std::min(given, used);
    }
  for (SlabHeap *heap = pool.heaps; heap; heap = heap->next_)
    bytes += heap->foreignBytes_.load(std::memory_order_relaxed);
  return bytes;
}

void SlabHeap::shrink(size_t limit) noexcept {
  SlabPool &pool = SlabPool::get();
  std::lock_guard lock(pool.mutex);
  pool.shrink(limit);
}

void SlabHeap::trim() noexcept {
  SlabPool &pool = SlabPool::get();
  // A thread at its end that is allocating sees to the shared heap itself.
  std::unique_lock late(pool.lateMutex, std::try_to_lock);
  std::lock_guard lock(pool.mutex);
  const uint64_t trims = pool.trims.load(std::memory_order_relaxed) + 1;
  pool.trims.store(trims, std::memory_order_relaxed);
  for (SlabHeap *heap = pool.idle; heap; heap = heap->nextIdle_)
    pool.empty(*heap);
  for (SlabHeap *heap : {own_, late ? pool.late : nullptr})
    if (heap) {
      heap->trims_ = trims;
      pool.empty(*heap);
    }
  pool.shrink(0);
}

} // namespace tenferro::runtime
