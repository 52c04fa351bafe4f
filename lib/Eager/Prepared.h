// The two caches of derivatives: programs by structure, shared by the runtimes of an AdContext; and what a runtime binds.
#ifndef TENFERRO_EAGER_PREPARED_H
#define TENFERRO_EAGER_PREPARED_H

#include "lib/Eager/Dump.h"
#include "lib/Eager/Walk.h"
#include "runtime/cache/LruCache.h"
#include "runtime/core/Executor.h"

#include <memory>
#include <string>

namespace tenferro::eager {

/// A differentiated program under its full key.
struct TransformedProgram {
  std::string text; ///< structure, transform, versions, level and tier: one component a line
  std::shared_ptr<const runtime::LoadedProgram> loaded;
};

/// What a look-up of a runtime answers.
struct PreparedDerivative {
  std::string text; ///< the transformed program's, and the engine's kind
  std::shared_ptr<const TransformedProgram> program;
  /// The same derivative as a callee over the leaves, for a result that is recorded.
  std::shared_ptr<const core::DerivedFunction> derived;
  Digest derivedDigest;
  std::vector<core::ValueType> resultTypes;

  const runtime::LoadedProgram &loaded() const noexcept { return *program->loaded; }
};

using TransformCache = runtime::LruCache<const TransformedProgram>;
using PreparedCache = runtime::LruCache<const PreparedDerivative>;

/// The derivative for a walk: from the runtime's cache, else from the AdContext's, else compiled now. Leaves what it found for
/// `explainCache`. Raises what the compiler raises.
std::shared_ptr<const PreparedDerivative> prepare(RuntimeState &state, const Walk &walk, const Target &target);

/// The explanation of the calling thread's last look-up in this runtime.
std::string explainLastLookup(RuntimeState &state);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_PREPARED_H
