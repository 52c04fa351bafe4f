// The two caches of derivatives: programs by structure, shared by the runtimes of an AdContext; and what a runtime binds.
#ifndef TENFERRO_EAGER_PREPARED_H
#define TENFERRO_EAGER_PREPARED_H

#include "lib/Eager/Dump.h"
#include "lib/Eager/Walk.h"
#include "runtime/cache/LruCache.h"
#include "runtime/core/Executor.h"

#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <string>

namespace tenferro::eager {

/// A differentiated program under its full key.
struct TransformedProgram {
  std::string text; ///< structure, transform, versions, level and tier: one component a line
  std::shared_ptr<const runtime::LoadedProgram> loaded;
};

/// What a look-up of a runtime answers.
struct PreparedDerivative {
  std::shared_ptr<const std::string> text; ///< the transformed program's, and the engine's kind
  std::shared_ptr<const TransformedProgram> program;
  /// The same derivative as a callee over the leaves, for a result that is recorded.
  std::shared_ptr<const core::DerivedFunction> derived;
  Digest derivedDigest;
  std::vector<core::ValueType> resultTypes;

  const runtime::LoadedProgram &loaded() const noexcept { return *program->loaded; }
};

using TransformCache = runtime::LruCache<const TransformedProgram>;

/// The derivative for the workspace's walk: from the runtime's cache, else from the AdContext's, else compiled now. Leaves what it found for
/// `explainCache`. Raises what the compiler raises.
std::shared_ptr<const PreparedDerivative> prepare(RuntimeState &state, Workspace &workspace, const Target &target);

/// Where the user wrote operation k of a graph.
using PlaceFunction = std::function<compiler::SourcePlace(uint32_t)>;
/// By a list that outlives the function; nothing is known of operations beyond.
PlaceFunction placesIn(std::span<const std::source_location> locations);

/// The same for a program that was recorded as such: `text` is its structure key, `digest` of that.
std::shared_ptr<const PreparedDerivative> prepareProgram(RuntimeState &state,
                                                         const std::shared_ptr<const core::DerivedFunction> &program,
                                                         const std::string &text, const Digest &digest,
                                                         const Target &target, const PlaceFunction &place,
                                                         PreparedCache::Memo &memo);

/// A transformed function as what a call runs.
struct DerivedCallee {
  std::shared_ptr<const core::DerivedFunction> function;
  std::vector<core::ValueType> results;
};

/// The callee for a program under a transform. Which derivatives exist is the compiler's answer (op by op, so that no code is generated
/// for what a caller inlines), kept in the AdContext. Raises what the compiler raises.
DerivedCallee derivedCallee(RuntimeState &state, core::Graph graph, core::Transform transform, runtime::CpuLevel level,
                            const PlaceFunction &place);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_PREPARED_H
