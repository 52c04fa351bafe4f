// The allocator behind Buffer: size classes, a front per thread without locks, and a shared part that keeps freed
// blocks. Small blocks come from the slabs of SlabHeap.h.
//
// Fresh memory costs a page fault per 4 KiB, so freed blocks are kept: the footprint (live and kept) may reach the peak
// of the live bytes and a quarter, and always kKeepAlways, but not the cap. A front exchanges blocks with the shared
// part in batches.
#include "runtime/memory/Buffer.h"

#include "runtime/core/Failures.h"
#include "runtime/memory/SlabHeap.h"
#include "runtime/memory/SystemBlocks.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <pthread.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENFERRO_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TENFERRO_ASAN 1
#endif
#ifdef TENFERRO_ASAN
#include <sanitizer/asan_interface.h>
#define TENFERRO_POISON(address, size) __asan_poison_memory_region(address, size)
#define TENFERRO_UNPOISON(address, size) __asan_unpoison_memory_region(address, size)
#else
#define TENFERRO_POISON(address, size) ((void)(address), (void)(size))
#define TENFERRO_UNPOISON(address, size) ((void)(address), (void)(size))
#endif

namespace tenferro::runtime {

namespace {

constexpr uint32_t kFrontClasses = kLinearClasses + 8 * 6; ///< up to 64 KiB
constexpr size_t kMostBytes = kMostBlockBytes / 2;
constexpr size_t kKeepAlways = size_t{256} << 20;
constexpr uint32_t kFirstOwnClass = TENFERRO_CHECKED_BLOCKS ? 0 : kSlabClasses; ///< those below are of slabs

uint32_t frontLimit(uint32_t sizeClass) noexcept {
  return static_cast<uint32_t>(std::clamp<size_t>((size_t{128} << 10) / sizeClassBytes(sizeClass), 4, 64));
}

/// Blocks of one class. One thread at a time changes it; `count` may be read by others.
struct FreeList {
  Buffer *head = nullptr;
  std::atomic<uint32_t> count{0};

  uint32_t size() const noexcept { return count.load(std::memory_order_relaxed); }
  void add(uint32_t blocks) noexcept { count.store(size() + blocks, std::memory_order_relaxed); }
};

struct Front {
  FreeList lists[kFrontClasses];
  std::atomic<int64_t> buffers{0}; ///< made minus destroyed by this thread; written by it alone
  uint64_t trims = 0;              ///< of the allocator, when this thread last came to it
  Front *next = nullptr, *previous = nullptr;
};

// One pointer of static TLS: libtenferro may be opened late, when little of it is left.
constinit thread_local Front *front __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local bool frontGone __attribute__((tls_model("initial-exec"))) = false;

// Live bytes never count a buffer that is not given out in the end, so that the peak and the cap are exact.
std::atomic<size_t> liveBytes{0}, peakBytes{0}, capBytes{kNoMemoryCap};

} // namespace

size_t keepLimit(size_t more) noexcept {
  size_t peak = peakBytes.load(std::memory_order_relaxed), live = liveBytes.load(std::memory_order_relaxed) + more;
  size_t footprint = std::min(std::max(kKeepAlways, peak + peak / 4), capBytes.load(std::memory_order_relaxed));
  return footprint > live ? footprint - live : 0;
}

struct BufferAllocator {
  std::mutex mutex;
  FreeList lists[kSizeClasses];
  std::atomic<size_t> cached{0}; ///< written under the lock
  Front *fronts = nullptr;
  int64_t retiredBuffers = 0;
  uint64_t trims = 0; ///< fronts of an older one are emptied when they next come here

  static BufferAllocator &get() {
    // Never destroyed: buffers of static tensors are freed after it would be.
    static BufferAllocator *allocator = [] {
      auto *made = new BufferAllocator;
      pthread_atfork([] { get().mutex.lock(); }, [] { get().mutex.unlock(); }, [] { get().startChild(); });
      return made;
    }();
    return *allocator;
  }

  /// In a forked child, with the lock held: the other threads' fronts may be half changed; their blocks are lost.
  void startChild() noexcept {
    for (Front *each = fronts; each; each = each->next)
      if (each != front)
        retiredBuffers += each->buffers.load(std::memory_order_relaxed);
    fronts = front;
    if (front)
      front->next = front->previous = nullptr;
    mutex.unlock();
  }

  size_t cachedBytes() const noexcept { return cached.load(std::memory_order_relaxed); }
  void countCached(size_t bytes) noexcept { cached.store(cachedBytes() + bytes, std::memory_order_relaxed); }

  static void push(FreeList &list, Buffer *block) noexcept {
    block->next_ = list.head;
    list.head = block;
    list.add(1);
  }
  static Buffer *pop(FreeList &list) noexcept {
    Buffer *block = list.head;
    list.head = block->next_;
    list.add(-1u);
    return block;
  }
  static void keep(BufferAllocator &allocator, Buffer *block) noexcept {
    push(allocator.lists[block->sizeClass_], block);
    allocator.countCached(sizeClassBytes(block->sizeClass_));
  }

  static void releaseAll(FreeList &dropped) noexcept {
    while (dropped.head) {
      Buffer *block = pop(dropped);
      uint32_t sizeClass = block->sizeClass_;
      TENFERRO_UNPOISON(block, sizeClassBytes(sizeClass));
      freeSystemBlock(block, sizeClass);
    }
  }

  /// With the lock held: drops kept blocks, largest first, until at most `limit` bytes are kept.
  void shrink(size_t limit, FreeList &dropped) noexcept {
    for (uint32_t c = kSizeClasses; c-- > kFirstOwnClass && cachedBytes() > limit;) {
      while (lists[c].head && cachedBytes() > limit) {
        push(dropped, pop(lists[c]));
        countCached(-sizeClassBytes(c));
      }
    }
  }

  /// With the lock held: the calling thread's front goes to `dropped` if memory was trimmed since it was last here.
  void followTrims(FreeList &dropped) noexcept {
    if (!front || front->trims == trims)
      return;
    front->trims = trims;
    for (FreeList &list : front->lists)
      while (list.head)
        push(dropped, pop(list));
  }

  /// A block of the class (or, for large ones, of the next two), or null if none is kept. Refills the front.
  Buffer *take(uint32_t sizeClass) noexcept {
    FreeList dropped;
    Buffer *block = nullptr;
    {
      std::lock_guard lock(mutex);
      followTrims(dropped);
      uint32_t last = sizeClass < kFrontClasses ? sizeClass : std::min(sizeClass + 2, kSizeClasses - 1);
      for (uint32_t c = sizeClass; c <= last && !block; ++c) {
        if (!lists[c].head)
          continue;
        block = pop(lists[c]);
        countCached(-sizeClassBytes(c));
        if (front && c < kFrontClasses) {
          FreeList &mine = front->lists[c];
          for (uint32_t i = frontLimit(c) / 2; i > 0 && lists[c].head; --i) {
            push(mine, pop(lists[c]));
            countCached(-sizeClassBytes(c));
          }
        }
      }
    }
    releaseAll(dropped);
    SlabHeap::followTrims();
    return block;
  }

  /// Keeps `block` and half of the front's list of its class.
  void give(Buffer *block) noexcept {
    FreeList dropped;
    {
      std::lock_guard lock(mutex);
      followTrims(dropped);
      uint32_t c = block->sizeClass_;
      keep(*this, block);
      if (front && c < kFrontClasses) {
        FreeList &mine = front->lists[c];
        for (uint32_t i = mine.size() / 2; i > 0; --i)
          keep(*this, pop(mine));
      }
      size_t limit = keepLimit(0), pooled = SlabHeap::pooledBytes();
      if (cachedBytes() + pooled > limit)
        shrink(limit - std::min(limit, pooled), dropped);
    }
    releaseAll(dropped);
  }

  /// A fresh block, kept ones given back where the cap or the system wants it; null if there is none.
  Buffer *fresh(uint32_t sizeClass) noexcept {
    makeRoom(sizeClassBytes(sizeClass));
    void *block = systemBlock(sizeClass);
    if (!block) {
      trimMemory();
      block = systemBlock(sizeClass);
    }
    return block ? new (block) Buffer(0, sizeClass) : nullptr;
  }

  /// A block of a slab; its header is not written yet. Null if there is none.
  static Buffer *small(uint32_t sizeClass) noexcept {
    void *block = SlabHeap::allocate(sizeClass);
    if (!block) [[unlikely]] {
      trimMemory();
      block = SlabHeap::allocate(sizeClass);
    }
    return static_cast<Buffer *>(block);
  }

  void dropKept(size_t limit) noexcept {
    FreeList dropped;
    {
      std::lock_guard lock(mutex);
      size_t pooled = SlabHeap::pooledBytes();
      shrink(limit - std::min(limit, pooled), dropped);
    }
    releaseAll(dropped);
    if (cachedBytes() + SlabHeap::pooledBytes() > limit)
      SlabHeap::shrink(limit - std::min(limit, cachedBytes()));
  }

  void addFront(Front *mine) noexcept {
    std::lock_guard lock(mutex);
    mine->trims = trims;
    mine->next = fronts;
    if (fronts)
      fronts->previous = mine;
    fronts = mine;
  }

  void removeFront(Front *mine) noexcept {
    FreeList dropped;
    {
      std::lock_guard lock(mutex);
      for (FreeList &list : mine->lists)
        while (list.head)
          keep(*this, pop(list));
      retiredBuffers += mine->buffers.load(std::memory_order_relaxed);
      (mine->previous ? mine->previous->next : fronts) = mine->next;
      if (mine->next)
        mine->next->previous = mine->previous;
      shrink(keepLimit(0), dropped);
    }
    releaseAll(dropped);
  }

  static void count(int64_t buffers) noexcept {
    if (Front *mine = front) {
      mine->buffers.store(mine->buffers.load(std::memory_order_relaxed) + buffers, std::memory_order_relaxed);
    } else {
      BufferAllocator &allocator = get();
      std::lock_guard lock(allocator.mutex);
      allocator.retiredBuffers += buffers;
    }
  }

  /// Keeps a block that counts no longer, or does not yet.
  static void putBack(Buffer *block) noexcept {
    if (block->sizeClass_ < kFirstOwnClass)
      return SlabHeap::free(block);
    if (front && block->sizeClass_ < kFrontClasses) {
      FreeList &mine = front->lists[block->sizeClass_];
      if (mine.size() < frontLimit(block->sizeClass_))
        return push(mine, block);
    }
    get().give(block);
  }

  static Buffer *make(size_t bytes);
};

void registerMemoryForkHandlers() {
  BufferAllocator::get();
  registerSlabForkHandlers();
}

size_t keptLargeBytes() noexcept { return BufferAllocator::get().cachedBytes(); }

void makeRoom(size_t more) noexcept {
  if (capBytes.load(std::memory_order_relaxed) != kNoMemoryCap)
    BufferAllocator::get().dropKept(keepLimit(more));
}

namespace {

/// Owns the thread's front; the shared part takes its blocks when the thread ends.
struct FrontOwner {
  FrontOwner() {
    front = new (std::nothrow) Front;
    if (front)
      BufferAllocator::get().addFront(front);
  }
  ~FrontOwner() {
    Front *mine = front;
    front = nullptr;
    frontGone = true;
    if (mine)
      BufferAllocator::get().removeFront(mine);
    delete mine;
  }
};

void openFront() {
  if (!frontGone) {
    thread_local FrontOwner owner;
    (void)owner;
  }
}

/// Counts a buffer as live, unless the cap forbids.
bool countLive(size_t bytes) noexcept {
  size_t live = liveBytes.load(std::memory_order_relaxed), cap = capBytes.load(std::memory_order_relaxed);
  do {
    if (bytes > cap - std::min(live, cap))
      return false;
  } while (!liveBytes.compare_exchange_weak(live, live + bytes, std::memory_order_relaxed));
  live += bytes;
  size_t peak = peakBytes.load(std::memory_order_relaxed);
  while (live > peak && !peakBytes.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
  return true;
}

[[noreturn]] void raiseOutOfMemory(size_t bytes, bool capped) {
  size_t live = liveBytes.load(std::memory_order_relaxed), cap = capBytes.load(std::memory_order_relaxed);
  std::string limit = cap == kNoMemoryCap ? "no cap" : "a cap of " + std::to_string(cap) + " bytes";
  raise(makeFailure(ErrorKind::OutOfMemory, "allocate",
                    std::string("expects memory for a result, but the ") + (capped ? "cap" : "machine") +
                        " leaves none: " + std::to_string(bytes) + " bytes asked for, " + std::to_string(live) +
                        " bytes in use, " + limit));
}

} // namespace

Buffer *BufferAllocator::make(size_t bytes) {
  if (bytes > kMostBytes)
    raiseOutOfMemory(bytes, /*capped=*/bytes > capBytes.load(std::memory_order_relaxed));
  uint32_t sizeClass = sizeClassOf(bytes + sizeof(Buffer));
  if (!front)
    openFront();
  Buffer *block = nullptr;
  if (sizeClass < kFirstOwnClass) [[likely]] {
    block = small(sizeClass);
    if (!block) [[unlikely]]
      raiseOutOfMemory(bytes, /*capped=*/false);
  } else if (front && sizeClass < kFrontClasses && front->lists[sizeClass].head) {
    block = pop(front->lists[sizeClass]);
  } else {
    size_t live = liveBytes.load(std::memory_order_relaxed), cap = capBytes.load(std::memory_order_relaxed);
    if (bytes > cap - std::min(live, cap))
      raiseOutOfMemory(bytes, /*capped=*/true);
    block = get().take(sizeClass);
    if (!block)
      block = get().fresh(sizeClass);
    if (!block)
      raiseOutOfMemory(bytes, /*capped=*/false);
    sizeClass = block->sizeClass_;
  }
  if (!countLive(bytes)) {
    block->sizeClass_ = sizeClass;
    putBack(block);
    raiseOutOfMemory(bytes, /*capped=*/true);
  }
  count(1);
  char *data = static_cast<char *>(block->data());
  TENFERRO_UNPOISON(data, bytes);
  TENFERRO_POISON(data + bytes, sizeClassBytes(sizeClass) - sizeof(Buffer) - bytes);
  return new (static_cast<void *>(block)) Buffer(bytes, sizeClass);
}

BufferRef BufferRef::allocate(size_t bytes) { return BufferRef(BufferAllocator::make(bytes)); }

void BufferRef::destroy(Buffer *buffer) noexcept {
  liveBytes.fetch_sub(buffer->bytes_, std::memory_order_relaxed);
  BufferAllocator::count(-1);
  TENFERRO_POISON(buffer->data(), sizeClassBytes(buffer->sizeClass_) - sizeof(Buffer));
  BufferAllocator::putBack(buffer);
}

} // namespace tenferro::runtime

namespace tenferro {

using namespace runtime;

MemoryStats memoryStats() noexcept {
  BufferAllocator &allocator = BufferAllocator::get();
  const size_t inSlabs = SlabHeap::keptBytes(); // not under the lock: a fork takes that of the slabs first
  std::lock_guard lock(allocator.mutex);
  int64_t buffers = allocator.retiredBuffers;
  size_t cached = allocator.cachedBytes() + inSlabs;
  for (Front *each = allocator.fronts; each; each = each->next) {
    buffers += each->buffers.load(std::memory_order_relaxed);
    for (uint32_t c = 0; c < kFrontClasses; ++c)
      cached += each->lists[c].size() * sizeClassBytes(c);
  }
  return {liveBytes.load(std::memory_order_relaxed), peakBytes.load(std::memory_order_relaxed),
          static_cast<size_t>(std::max<int64_t>(buffers, 0)), cached, capBytes.load(std::memory_order_relaxed)};
}

void resetPeakMemory() noexcept {
  peakBytes.store(liveBytes.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void setMemoryCap(size_t bytes) noexcept {
  capBytes.store(bytes, std::memory_order_relaxed);
  BufferAllocator::get().dropKept(keepLimit(0));
}

void trimMemory() noexcept {
  BufferAllocator &allocator = BufferAllocator::get();
  FreeList dropped;
  {
    std::lock_guard lock(allocator.mutex);
    ++allocator.trims;
    allocator.followTrims(dropped);
    allocator.shrink(0, dropped);
  }
  BufferAllocator::releaseAll(dropped);
  SlabHeap::trim();
  trimSystemBlocks();
}

} // namespace tenferro
