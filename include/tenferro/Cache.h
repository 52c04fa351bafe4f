// Limits and counters of the caches.
#ifndef TENFERRO_CACHE_H
#define TENFERRO_CACHE_H

#include <cstddef>
#include <cstdint>

namespace tenferro {

/// How much a cache may keep; the least recently used entries go first. An entry larger than `maxRetainedBytes` alone is
/// used but not kept; `maxEntries` = 0 keeps nothing.
struct CacheLimits {
  size_t maxEntries = 128;
  size_t maxRetainedBytes = size_t{64} << 20;
};

/// What a cache holds and how it was used since it was made. A waiter on another thread's build counts as a hit.
struct CacheStats {
  size_t entries = 0;
  size_t retainedBytes = 0;
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t evictions = 0;
  uint64_t clears = 0;
};

} // namespace tenferro

#endif // TENFERRO_CACHE_H
