// Memory of records and of tensors' views.
#ifndef TENFERRO_EAGER_TRACE_SMALLBLOCKS_H
#define TENFERRO_EAGER_TRACE_SMALLBLOCKS_H

#include "runtime/memory/SlabHeap.h"

#include <cstddef>
#include <new>

namespace tenferro::eager {

/// Blocks of up to 1 KiB come from slabs (runtime/memory/SlabHeap.h), in steps of 64; larger ones, and all under a sanitizer, are the
/// global operator new's. A block may be freed by any thread.
class SmallBlocks {
public:
  /// Raises std::bad_alloc.
  static void *allocate(size_t bytes) {
    if (!isSmall(bytes))
      return ::operator new(bytes);
    if (void *block = runtime::SlabHeap::allocate(runtime::sizeClassOf(bytes))) [[likely]]
      return block;
    throw std::bad_alloc();
  }

  /// `bytes` are those it was allocated with.
  static void free(void *memory, size_t bytes) noexcept {
    if (isSmall(bytes))
      runtime::SlabHeap::free(memory);
    else
      ::operator delete(memory);
  }

private:
  static constexpr bool isSmall(size_t bytes) noexcept {
    return !TENFERRO_CHECKED_BLOCKS && bytes <= runtime::kLinearClasses * 64;
  }
};

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_TRACE_SMALLBLOCKS_H
