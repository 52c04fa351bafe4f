// Element-wise results larger than the cache, written past it: a normal store reads each line before it is overwritten.
#ifndef TENFERRO_RUNTIME_MEMORY_NONTEMPORAL_H
#define TENFERRO_RUNTIME_MEMORY_NONTEMPORAL_H

#include "runtime/core/KernelAbi.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tenferro::runtime {

/// Bytes of all operands from which on results are written past the caches: what the last level holds, so that a
/// smaller result is still there for its reader. Found once.
size_t streamingBytes() noexcept;

/// A row of a map kernel for `runStreamed`: `inputs` inputs, then outputs, with elements of `outputBytes` each.
struct StreamedMap {
  MapKernel kernel;
  uint32_t inputs;
  std::span<const uint8_t> outputBytes;
  const int64_t *inner, *outer; ///< as the kernel takes them; outputs are consecutive

  /// Whether the outputs at these addresses can be written past the caches: whole lines, none of them an input's.
  bool fits(void *const *data) const noexcept;

  /// The kernel over n elements, into memory that stays in cache and from there past it, a few lines at a time, so that
  /// loads and stores overlap. The bits are the kernel's. Other threads see the results after the usual
  /// synchronisation.
  Status run(void *const *data, int64_t n) const;
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_MEMORY_NONTEMPORAL_H
