// Statistics and limits shared by every cache.
#ifndef TENFERRO_CACHE_H
#define TENFERRO_CACHE_H

#include "tenferro/Export.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tenferro {

/// Exact counters of one cache since it was made or last cleared; a clear adds one to `clears` and restarts the rest.
struct CacheStats {
  uint64_t entries = 0;
  uint64_t retainedBytes = 0; ///< programs, code and metadata; never tensor payload
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t evictions = 0;
  uint64_t clears = 0;
  friend bool operator==(const CacheStats &, const CacheStats &) = default;
};

/// Bounds of one cache; the least recently used entries go first. Lowering a limit evicts at once. An entry that is larger than
/// the cache stays alone until the next one comes, counted as any other, so that a loop over one big program compiles it once.
struct CacheLimits {
  size_t maxEntries = 128; ///< at least 1; of programs that share another one's code for other sizes, 32 times as many besides
  size_t maxRetainedBytes = 64 << 20; ///< 0 keeps nothing
  friend bool operator==(const CacheLimits &, const CacheLimits &) = default;
};

/// Counters of the compiled programs that survive the process, of one runtime since it was made. All 0 while that is off.
struct DiskCacheStats {
  uint64_t hits = 0;      ///< programs that were read instead of compiled
  uint64_t misses = 0;    ///< the others that were looked for, with those that were rejected
  uint64_t writes = 0;    ///< programs that were written
  uint64_t rejected = 0;  ///< files and folders that were there but not taken: damaged, of another user, of another build
  uint64_t evictions = 0; ///< files that this runtime removed to stay inside the limit
  uint64_t skipped = 0;   ///< programs that are not written: too big, or with calls of two modules of one family
  uint64_t failures = 0;  ///< writes that failed; nothing more is written after one
  friend bool operator==(const DiskCacheStats &, const DiskCacheStats &) = default;
};

/// Fused programs: what was compiled, what waits, and which programs ran. All but the runs are counted for all runtimes of one
/// AdContext together, since it was made.
struct CompileStats {
  uint64_t queued = 0;       ///< waiting for the background thread now
  uint64_t inFlight = 0;     ///< being compiled by it now
  uint64_t done = 0;         ///< compiled, in the background or (CompilePolicy::Immediate) in the calling thread
  uint64_t failed = 0;       ///< these programs go on op by op; `explainCache()` tells why
  uint64_t dropped = 0;      ///< asked for, but nobody was left to run them
  double seconds = 0;        ///< spent on those that are done
  double longestSeconds = 0; ///< the longest of them
  uint64_t runsOpByOp = 0;   ///< calls of derivatives and compiled functions of this runtime that ran op by op
  uint64_t runsFused = 0;    ///< and that ran a fused program
};

/// Structures that were met in more than one set of sizes, counted for all runtimes of one AdContext together. A runtime with a
/// dump function compiles every program, so that each is seen.
struct SizeStats {
  uint64_t symbolic = 0; ///< those whose programs follow the sizes: two are compiled and a third to check, the others made from them
  uint64_t fixed = 0;    ///< those with something that does not follow: compiled for each; `explainCache()` tells what
  uint64_t made = 0;     ///< programs that were made for other sizes without compiling
  friend bool operator==(const SizeStats &, const SizeStats &) = default;
};

/// The caches a runtime reports on.
struct RuntimeCacheStats {
  CacheStats adTransforms;        ///< differentiated programs; shared by the runtimes of one AdContext
  CacheStats preparedDerivatives; ///< executables bound to shapes, wrt set and engine kind
  CacheStats extensions;          ///< plans and scratch of all extension families together
  CompileStats compiles;          ///< fused programs and which programs ran
  SizeStats sizes;                ///< structures in several sizes
  DiskCacheStats disk;            ///< compiled programs that survive the process
};

} // namespace tenferro

#endif // TENFERRO_CACHE_H
