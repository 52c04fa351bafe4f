// The two caches of derivatives: programs by structure, shared by the runtimes of an AdContext; and what a runtime
// binds.
#ifndef TENFERRO_EAGER_PROGRAMS_PREPARED_H
#define TENFERRO_EAGER_PROGRAMS_PREPARED_H

#include "lib/Eager/Programs/ProgramSource.h"
#include "lib/Eager/Programs/TransformedProgram.h"
#include "lib/Eager/Trace/Walk.h"
#include "runtime/cache/LruCache.h"
#include "runtime/program/Executor.h"

#include <atomic>
#include <memory>
#include <string>

namespace tenferro::eager {

/// An entry of a runtime's cache.
struct PreparedDerivative {
  std::shared_ptr<const std::string> text; ///< the transformed program's, and the engine's kind
  std::shared_ptr<TransformedProgram> program;
  /// The same derivative as a callee over the leaves, for a result that is recorded.
  std::shared_ptr<const core::DerivedFunction> derived;
  Digest derivedDigest;
  std::vector<core::ValueType> resultTypes;

  /// What answers from now on under the runtime's policy; null while a better tier may come. `settledTier` is written
  /// before.
  mutable std::atomic<const runtime::LoadedProgram *> settled{nullptr};
  mutable std::atomic<Tier> settledTier{Tier::OpByOp};
  mutable std::atomic<size_t> accounted{0}; ///< bytes of `program` that the cache was told of
};

/// What a look-up answers.
struct PreparedAnswer {
  std::shared_ptr<const PreparedDerivative> entry;
  /// What this call runs, also if another tier appears meanwhile: `entry` keeps it.
  const runtime::LoadedProgram *program = nullptr;
};

using TransformCache = runtime::LruCache<TransformedProgram>;

/// The derivative for the workspace's walk: from the runtime's cache, else from the AdContext's, else made now, in the
/// tier the policy names (one that reports numerics runs op by op). A hit takes no lock beyond the cache's. Leaves what
/// it found for `explainCache`. Raises what the compiler raises; never for the sake of a compile behind it.
PreparedAnswer prepare(RuntimeState &state, Workspace &workspace, const Target &target);

/// The same for a program that was recorded as such: `text` is its structure key, `digest` of that.
PreparedAnswer prepareProgram(RuntimeState &state, const std::shared_ptr<const core::DerivedFunction> &program,
                              const std::string &text, const Digest &digest, const Target &target,
                              const PlaceFunction &place, PreparedCache::Memo &memo);

/// A transformed function as what a call runs.
struct DerivedCallee {
  std::shared_ptr<const core::DerivedFunction> function;
  std::vector<core::ValueType> results;
};

/// The callee for a program under a transform. Which derivatives exist is the compiler's answer (op by op, so that no
/// code is generated for what a caller inlines), kept in the AdContext. Raises what the compiler raises.
DerivedCallee derivedCallee(RuntimeState &state, core::Graph graph, core::Transform transform, runtime::CpuLevel level,
                            const PlaceFunction &place);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_PROGRAMS_PREPARED_H
