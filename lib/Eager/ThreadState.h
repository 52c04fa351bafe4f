// What belongs to a thread: the guards that are alive, and its last look-up.
#ifndef TENFERRO_EAGER_THREADSTATE_H
#define TENFERRO_EAGER_THREADSTATE_H

#include "runtime/cache/LruCache.h"

#include <cstdint>
#include <source_location>
#include <string_view>

namespace tenferro {
class EagerSession;
} // namespace tenferro

namespace tenferro::eager {

class StagingFrame;

/// Plain data, so that reading it costs an address.
struct ThreadState {
  uint32_t noGrad = 0;  ///< NoGradGuards alive
  uint32_t capture = 0; ///< CaptureGuards alive
  uint32_t checkNumerics = 0; ///< NumericsGuards alive
  EagerSession *session = nullptr;
  uint32_t readingRules = 0; ///< rules of extension families that are being read
  uint32_t readingFunctions = 0; ///< functions with rules that are being read, one inside the other
  StagingFrame *staging = nullptr; ///< the innermost function that is being recorded
  int64_t blocksFrom =
      1 << 19; ///< bytes of an operand from which composites run in blocks: below, all lies in the near caches

  /// The last nodes that the thread recorded, for `Operation::earlier`.
  static constexpr uint32_t kRecentNodes = 8;
  const void *recentNodes[kRecentNodes] = {};
  uint32_t nodesMade = 0;

  // The last look-up of a prepared derivative; runtime 0: none.
  uint64_t lookupRuntime = 0;
  bool lookupHit = false;
  runtime::CacheKey lookupKey;
};

/// Reached at a fixed distance from the thread pointer, also from a library that is opened late: it is small.
extern thread_local constinit ThreadState threadState __attribute__((tls_model("initial-exec")));

/// The current session for operation `op`, written at `where`. Errors: RuntimeState under that name and line if there
/// is none.
EagerSession &sessionFor(std::string_view op, const std::source_location &where);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_THREADSTATE_H
