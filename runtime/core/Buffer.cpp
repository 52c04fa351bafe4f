// The allocator behind Buffer: size classes, a front per thread without locks, and a shared part that keeps freed
// blocks.
//
// Fresh memory costs a page fault per 4 KiB, so freed blocks are kept: the footprint (live and kept) may reach the peak
// of the live bytes and a quarter, and always kKeepAlways. A front exchanges blocks with the shared part in batches.
#include "runtime/core/Buffer.h"

#include "runtime/core/Failures.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/mman.h>

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

// Classes hold whole blocks, header included: multiples of 64 up to 1 KiB, then eight to the octave.
constexpr uint32_t kLinearClasses = 16;
constexpr uint32_t kClasses = kLinearClasses + 8 * 38;
constexpr uint32_t kFrontClasses = kLinearClasses + 8 * 6; ///< up to 64 KiB
constexpr size_t kMostBytes = size_t{1} << 47;
constexpr size_t kKeepAlways = size_t{256} << 20;
constexpr size_t kHugePage = size_t{2} << 20;

uint32_t classOf(size_t block) noexcept {
  if (block <= 1024)
    return static_cast<uint32_t>((block + 63) / 64) - 1;
  size_t last = block - 1;
  int octave = 63 - std::countl_zero(last); // block is in (2^octave, 2^(octave + 1)]
  return kLinearClasses + 8 * (octave - 10) + static_cast<uint32_t>((last >> (octave - 3)) & 7);
}

size_t classBytes(uint32_t sizeClass) noexcept {
  if (sizeClass < kLinearClasses)
    return size_t{64} * (sizeClass + 1);
  uint32_t octave = (sizeClass - kLinearClasses) / 8 + 10, step = (sizeClass - kLinearClasses) % 8;
  return (size_t{1} << octave) + (size_t{step} + 1) * (size_t{1} << (octave - 3));
}

uint32_t frontLimit(uint32_t sizeClass) noexcept {
  return static_cast<uint32_t>(std::clamp<size_t>((size_t{128} << 10) / classBytes(sizeClass), 4, 64));
}

struct FreeList {
  Buffer *head = nullptr;
  uint32_t count = 0;
};

struct Front {
  FreeList lists[kFrontClasses];
  std::atomic<int64_t> buffers{0}; ///< made minus destroyed by this thread; written by it alone
  Front *next = nullptr, *previous = nullptr;
};

// One pointer of static TLS: libtenferro may be opened late, when little of it is left.
constinit thread_local Front *front __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local bool frontGone __attribute__((tls_model("initial-exec"))) = false;

std::atomic<size_t> liveBytes{0}, peakBytes{0};

} // namespace

struct BufferAllocator {
  std::mutex mutex;
  FreeList lists[kClasses];
  size_t cached = 0;
  Front *fronts = nullptr;
  int64_t retiredBuffers = 0;

  static BufferAllocator &get() {
    // Never destroyed: buffers of static tensors are freed after it would be.
    static BufferAllocator *allocator = [] {
      auto *made = new BufferAllocator;
      pthread_atfork([] { get().mutex.lock(); }, [] { get().mutex.unlock(); }, [] { get().mutex.unlock(); });
      return made;
    }();
    return *allocator;
  }

  static void push(FreeList &list, Buffer *block) noexcept {
    block->next_ = list.head;
    list.head = block;
    ++list.count;
  }
  static Buffer *pop(FreeList &list) noexcept {
    Buffer *block = list.head;
    list.head = block->next_;
    --list.count;
    return block;
  }
  static uint32_t classOfBlock(const Buffer *block) noexcept { return block->sizeClass_; }

  static void releaseBlock(Buffer *block) noexcept {
    TENFERRO_UNPOISON(block, classBytes(block->sizeClass_));
    std::free(block);
  }

  static void *freshBlock(uint32_t sizeClass) noexcept {
    size_t bytes = classBytes(sizeClass);
    if (bytes < 2 * kHugePage)
      return std::aligned_alloc(64, bytes);
    void *block = std::aligned_alloc(kHugePage, (bytes + kHugePage - 1) & ~(kHugePage - 1));
    if (block)
      madvise(block, bytes & ~(kHugePage - 1), MADV_HUGEPAGE);
    return block;
  }

  /// With the lock held: drops kept blocks, largest first, until at most `limit` bytes are kept.
  void shrink(size_t limit, FreeList &dropped) noexcept {
    for (uint32_t c = kClasses; c-- > 0 && cached > limit;) {
      while (lists[c].head && cached > limit) {
        push(dropped, pop(lists[c]));
        cached -= classBytes(c);
      }
    }
  }
  static void releaseAll(FreeList &dropped) noexcept {
    while (dropped.head)
      releaseBlock(pop(dropped));
  }

  size_t keepLimit() const noexcept {
    size_t peak = peakBytes.load(std::memory_order_relaxed), live = liveBytes.load(std::memory_order_relaxed);
    size_t footprint = std::max(kKeepAlways, peak + peak / 4);
    return footprint > live ? footprint - live : 0;
  }

  /// A block of the class (or, for large ones, of the next two), or null if none is kept. Refills the front.
  Buffer *take(uint32_t sizeClass) noexcept {
    std::lock_guard lock(mutex);
    uint32_t last = sizeClass < kFrontClasses ? sizeClass : std::min(sizeClass + 2, kClasses - 1);
    for (uint32_t c = sizeClass; c <= last; ++c) {
      if (!lists[c].head)
        continue;
      Buffer *block = pop(lists[c]);
      cached -= classBytes(c);
      if (front && c < kFrontClasses) {
        FreeList &mine = front->lists[c];
        for (uint32_t i = frontLimit(c) / 2; i > 0 && lists[c].head; --i) {
          push(mine, pop(lists[c]));
          cached -= classBytes(c);
        }
      }
      return block;
    }
    return nullptr;
  }

  /// Keeps `block` and half of the front's list of its class.
  void give(Buffer *block) noexcept {
    FreeList dropped;
    {
      std::lock_guard lock(mutex);
      uint32_t c = block->sizeClass_;
      push(lists[c], block);
      cached += classBytes(c);
      if (front && c < kFrontClasses) {
        FreeList &mine = front->lists[c];
        for (uint32_t i = mine.count / 2; i > 0; --i) {
          push(lists[c], pop(mine));
          cached += classBytes(c);
        }
      }
      size_t limit = keepLimit();
      if (cached > limit)
        shrink(limit, dropped);
    }
    releaseAll(dropped);
  }

  void emptyFront(Front &mine) noexcept {
    for (uint32_t c = 0; c < kFrontClasses; ++c) {
      while (mine.lists[c].head) {
        push(lists[c], pop(mine.lists[c]));
        cached += classBytes(c);
      }
    }
  }

  void addFront(Front *mine) noexcept {
    std::lock_guard lock(mutex);
    mine->next = fronts;
    if (fronts)
      fronts->previous = mine;
    fronts = mine;
  }

  void removeFront(Front *mine) noexcept {
    std::lock_guard lock(mutex);
    emptyFront(*mine);
    retiredBuffers += mine->buffers.load(std::memory_order_relaxed);
    (mine->previous ? mine->previous->next : fronts) = mine->next;
    if (mine->next)
      mine->next->previous = mine->previous;
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

  static Buffer *make(size_t bytes);
};

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

void countLive(size_t bytes) noexcept {
  size_t live = liveBytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  size_t peak = peakBytes.load(std::memory_order_relaxed);
  while (live > peak && !peakBytes.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
}

[[noreturn]] void raiseOutOfMemory(size_t bytes) {
  raise(makeFailure(ErrorKind::OutOfMemory, "allocate",
                    "expects memory for a result, but got none for " + std::to_string(bytes) + " bytes with " +
                        std::to_string(liveBytes.load(std::memory_order_relaxed)) + " bytes in use"));
}

} // namespace

Buffer *BufferAllocator::make(size_t bytes) {
  if (bytes > kMostBytes)
    raiseOutOfMemory(bytes);
  uint32_t sizeClass = classOf(bytes + sizeof(Buffer));
  if (!front)
    openFront();
  void *block = nullptr;
  if (front && sizeClass < kFrontClasses && front->lists[sizeClass].head) {
    block = pop(front->lists[sizeClass]);
  } else {
    BufferAllocator &allocator = get();
    if (Buffer *kept = allocator.take(sizeClass)) {
      sizeClass = kept->sizeClass_;
      block = kept;
    } else {
      block = freshBlock(sizeClass);
      if (!block) {
        releaseCachedMemory();
        block = freshBlock(sizeClass);
      }
      if (!block)
        raiseOutOfMemory(bytes);
    }
  }
  TENFERRO_UNPOISON(static_cast<char *>(block) + sizeof(Buffer), bytes);
  TENFERRO_POISON(static_cast<char *>(block) + sizeof(Buffer) + bytes, classBytes(sizeClass) - sizeof(Buffer) - bytes);
  countLive(bytes);
  count(1);
  return new (block) Buffer(bytes, sizeClass);
}

BufferRef BufferRef::allocate(size_t bytes) { return BufferRef(BufferAllocator::make(bytes)); }

void BufferRef::destroy(Buffer *buffer) noexcept {
  liveBytes.fetch_sub(buffer->bytes_, std::memory_order_relaxed);
  BufferAllocator::count(-1);
  uint32_t sizeClass = buffer->sizeClass_;
  TENFERRO_POISON(buffer->data(), classBytes(sizeClass) - sizeof(Buffer));
  if (front && sizeClass < kFrontClasses) {
    FreeList &mine = front->lists[sizeClass];
    if (mine.count < frontLimit(sizeClass)) {
      BufferAllocator::push(mine, buffer);
      return;
    }
  }
  BufferAllocator::get().give(buffer);
}

MemoryStats memoryStats() noexcept {
  BufferAllocator &allocator = BufferAllocator::get();
  std::lock_guard lock(allocator.mutex);
  int64_t buffers = allocator.retiredBuffers;
  for (Front *each = allocator.fronts; each; each = each->next)
    buffers += each->buffers.load(std::memory_order_relaxed);
  return {liveBytes.load(std::memory_order_relaxed), peakBytes.load(std::memory_order_relaxed),
          static_cast<size_t>(std::max<int64_t>(buffers, 0)), allocator.cached};
}

void resetPeakMemory() noexcept {
  peakBytes.store(liveBytes.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void releaseCachedMemory() noexcept {
  BufferAllocator &allocator = BufferAllocator::get();
  FreeList dropped;
  {
    std::lock_guard lock(allocator.mutex);
    if (front)
      allocator.emptyFront(*front);
    allocator.shrink(0, dropped);
  }
  BufferAllocator::releaseAll(dropped);
}

} // namespace tenferro::runtime
