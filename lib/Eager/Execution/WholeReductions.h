// Reductions of all elements in a loop over blocks of them: the first level of the tree inside the loop, the rest
// behind.
#ifndef TENFERRO_EAGER_EXECUTION_WHOLEREDUCTIONS_H
#define TENFERRO_EAGER_EXECUTION_WHOLEREDUCTIONS_H

#include "lib/Eager/Execution/BlockedLoop.h"
#include "runtime/memory/Buffer.h"

#include <vector>

namespace tenferro::eager {

/// Those of a loop over one axis. Refers to the loop.
class WholeReductions {
public:
  /// Raises OutOfMemory.
  explicit WholeReductions(const BlockedLoop &loop);

  /// What step `number` makes of `count` elements at `from`, of which the first is element `first`, a multiple of
  /// kReductionBlock. Blocks may come in any order and from any thread.
  runtime::Status addBlock(size_t number, void *from, int64_t first, int64_t count) const;

  /// When all elements have come: the results.
  runtime::Status finish(const runtime::LaunchContext &context) const;

private:
  const BlockedLoop &loop_;
  int64_t count_;                         ///< of parts: results of kReductionBlock elements each
  std::vector<runtime::BufferRef> parts_; ///< by step; null for maps
};

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_EXECUTION_WHOLEREDUCTIONS_H
