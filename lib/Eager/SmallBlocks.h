// Memory of records and tensors: each thread keeps the blocks it freed for the next of that size.
#ifndef TENFERRO_EAGER_SMALLBLOCKS_H
#define TENFERRO_EAGER_SMALLBLOCKS_H

#include "lib/Eager/ThreadOwned.h"

#include <cstddef>
#include <cstdint>
#include <new>

namespace tenferro::eager {

/// Blocks of up to 512 bytes in steps of 64; larger ones are the global operator new's. A block may be freed by any thread. Under a
/// sanitizer nothing is kept: it would hide uses after the end.
class SmallBlocks {
public:
  /// Raises std::bad_alloc.
  static void *allocate(size_t bytes) {
    const size_t size = sizeOf(bytes);
    if (kKeeps && size <= kMostBytes)
      if (SmallBlocks *mine = ThreadOwned<SmallBlocks>::get()) [[likely]]
        if (List &list = mine->lists_[size / kStep - 1]; list.first) [[likely]] {
          Block *block = list.first;
          list.first = block->next;
          --list.count;
          return block;
        }
    return ::operator new(size);
  }

  /// `bytes` are those it was allocated with.
  static void free(void *memory, size_t bytes) noexcept {
    const size_t size = sizeOf(bytes);
    if (kKeeps && size <= kMostBytes)
      if (SmallBlocks *mine = ThreadOwned<SmallBlocks>::get()) [[likely]]
        if (List &list = mine->lists_[size / kStep - 1]; list.count < kMostKept) [[likely]] {
          list.first = ::new (memory) Block{list.first};
          ++list.count;
          return;
        }
    ::operator delete(memory);
  }

  SmallBlocks() = default;
  SmallBlocks(const SmallBlocks &) = delete;
  ~SmallBlocks() {
    for (List &list : lists_)
      while (Block *block = list.first) {
        list.first = block->next;
        ::operator delete(block);
      }
  }

private:
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TENFERRO_CHECKED_BLOCKS 1
#endif
#endif
#if defined(TENFERRO_CHECKED_BLOCKS) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr bool kKeeps = false;
#else
  static constexpr bool kKeeps = true;
#endif
  static constexpr size_t kStep = 64, kMostBytes = 512;
  static constexpr uint32_t kMostKept = 128; ///< of one size

  static constexpr size_t sizeOf(size_t bytes) noexcept { return (bytes + kStep - 1) / kStep * kStep; }

  struct Block {
    Block *next;
  };
  struct List {
    Block *first = nullptr;
    uint32_t count = 0;
  };
  List lists_[kMostBytes / kStep];
};

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_SMALLBLOCKS_H
