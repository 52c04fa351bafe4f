// The eager runtime: owns the caches and the gradient slots, makes tensors, differentiates.
#ifndef TENFERRO_EAGERRUNTIME_H
#define TENFERRO_EAGERRUNTIME_H

#include "tenferro/Autodiff.h"
#include "tenferro/Cache.h"
#include "tenferro/EagerSession.h"
#include "tenferro/EagerTensor.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenferro {

/// What happens when no compiled program answers a derivative or a call of a compiled function. The bits are the same.
enum class CompilePolicy : uint8_t {
  /// Run op by op on the precompiled kernels at once. A program that is asked for again is compiled by a thread of the library
  /// and takes over between two calls; if that fails it goes on op by op (RuntimeCacheStats::compiles and `explainCache()` tell).
  Background,
  Immediate, ///< compile the fused program in the calling thread
  Never,     ///< run op by op always
};

/// Stages of a program that can be watched.
enum class DumpStage : uint8_t { Trace, Frozen, Linearized, Transposed, Fused, Lowered, Llvm, Asm };

struct RuntimeOptions {
  CompilePolicy policy = CompilePolicy::Background;
  CacheLimits preparedLimits = {};
  std::shared_ptr<AdContext> adContext = nullptr; ///< private if null
  /// Called with each stage of every program that is compiled. The environment variable TENFERRO_DUMP (a
  /// comma-separated list of stage names, or "all") prints to stderr instead when this is not set. Under
  /// CompilePolicy::Background every program is compiled when it is first asked for if somebody watches; the function is then called by the
  /// library's thread, what it throws arrives at `finishCompiles`, and the end of the runtime waits for its compiles. It must not fork.
  std::function<void(DumpStage, std::string_view)> dump = nullptr;
  /// As setMemoryCap of tenferro/Memory.h, for the whole process; by default the cap stays as it is.
  std::optional<size_t> memoryCap = std::nullopt;

  /// Compiled programs on disk, which a later process of the same build runs without compiling anything.
  struct DiskCache {
    bool enabled = true;
    /// Empty: the folder that the environment variable TENFERRO_CACHE_DIR names (empty or "off", in any case: no cache), else
    /// $XDG_CACHE_HOME/tenferro, else $HOME/.cache/tenferro. It is made when the first program is kept; one that belongs to
    /// somebody else or that others may write to is not used.
    std::string directory = {};
    /// Of all files in it; the least recently used go first. 0 keeps nothing.
    uint64_t maxBytes = uint64_t{256} << 20;
  };
  DiskCache diskCache = {};
};

/// While alive, operations of this thread record nothing. Nests. Thread safety: stays in its thread.
class TENFERRO_EXPORT [[nodiscard]] NoGradGuard {
public:
  NoGradGuard();
  ~NoGradGuard();
  NoGradGuard(const NoGradGuard &) = delete;
  NoGradGuard &operator=(const NoGradGuard &) = delete;
};

/// While alive, operations of this thread record untracked inputs too, so that a vjp with respect to them works. Nests.
class TENFERRO_EXPORT [[nodiscard]] CaptureGuard {
public:
  CaptureGuard();
  ~CaptureGuard();
  CaptureGuard(const CaptureGuard &) = delete;
  CaptureGuard &operator=(const CaptureGuard &) = delete;
};

template <typename Function> class CompiledFunction;
class ExtensionModule;

/// Thread safety: every method may be called from any thread. A forked child may use those that no other thread was in at the fork.
class TENFERRO_EXPORT EagerRuntime : public std::enable_shared_from_this<EagerRuntime> {
public:
  using Where = std::source_location;
  /// Errors: InvalidArgument for limits without an entry and a policy that is none.
  static std::shared_ptr<EagerRuntime> create(const RuntimeOptions &options = {});
  ~EagerRuntime();
  EagerRuntime(const EagerRuntime &) = delete;
  EagerRuntime &operator=(const EagerRuntime &) = delete;

  /// Distinct for every runtime of the process, from 1.
  uint64_t id() const noexcept;

  /// A leaf with a gradient slot, tracked if its elements are floats. Integers and bools may be assigned like other
  /// variables, but carry no derivative: nothing fills their slot, and `grad` by one is an error. Shape and dtype are the
  /// value's for ever; elements are shared, not copied. Errors: InvalidArgument for an empty tensor.
  EagerTensor variable(const Tensor &value, Where where = Where::current());
  /// An untracked leaf. Errors: as `variable`.
  EagerTensor constant(const Tensor &value, Where where = Where::current());

  /// Runs `body(session)` on the engine, which is borrowed meanwhile, and returns what it returns; its exceptions pass through unchanged. While it
  /// runs, operators and free functions of this thread use this session.
  template <typename Body> auto session(ExecutionEngine &engine, Body &&body) {
    SessionEntry entry(*this, engine);
    return std::forward<Body>(body)(entry.session());
  }

  /// d output / d wrt of a scalar, itself tracked; slots are untouched. `wrt` may be a leaf or an intermediate result.
  /// Errors: NonScalarGrad; ContextMismatch; ValidationError{op "grad", argument "wrt"} where the gradient is structurally zero, so
  /// for integers, bools, and constants unless a capture guard was alive when they were used; UnsupportedAdRule where the output
  /// depends on an earlier derivative of a program in which `wrt` was an intermediate result (by variables every order works).
  EagerTensor grad(ExecutionEngine &engine, const EagerTensor &output, const EagerTensor &wrt,
                   Where where = Where::current());
  /// Here and below, none where the derivative is structurally zero, in place of the error.
  std::optional<EagerTensor> gradOptional(ExecutionEngine &engine, const EagerTensor &output, const EagerTensor &wrt,
                                          Where where = Where::current());
  /// Pull-back of a cotangent of the output's shape and dtype to `wrt`. Errors: as grad; ShapeMismatch, DTypeMismatch.
  EagerTensor vjp(ExecutionEngine &engine, const EagerTensor &output, const EagerTensor &wrt,
                  const EagerTensor &cotangent, Where where = Where::current());
  std::optional<EagerTensor> vjpOptional(ExecutionEngine &engine, const EagerTensor &output, const EagerTensor &wrt,
                                         const EagerTensor &cotangent, Where where = Where::current());
  /// One program for several inputs, in their order; none where structurally zero. Without a cotangent the output is a scalar.
  /// Errors: as vjp.
  std::vector<std::optional<EagerTensor>> vjpMany(ExecutionEngine &engine, const EagerTensor &output,
                                                  const std::vector<EagerTensor> &wrt,
                                                  const std::optional<EagerTensor> &cotangent = {},
                                                  Where where = Where::current());
  /// Push-forward of a tangent of wrt's shape and dtype to the output, of whose shape and dtype it is. A tangent along an
  /// intermediate moves it alone. Errors: as vjp.
  EagerTensor jvp(ExecutionEngine &engine, const EagerTensor &output, const EagerTensor &wrt,
                  const EagerTensor &tangent, Where where = Where::current());
  std::optional<EagerTensor> jvpOptional(ExecutionEngine &engine, const EagerTensor &output, const EagerTensor &wrt,
                                         const EagerTensor &tangent, Where where = Where::current());

  /// `function` as a program, recorded once per structure of its arguments: see CompiledFunction. Include tenferro/Compile.h.
  template <typename Function> CompiledFunction<std::decay_t<Function>> compile(Function &&function);

  /// Waits for all work that was submitted to the engine.
  void synchronize(ExecutionEngine &engine);
  /// Kinds of the engines that have been presented so far (sessions, scopes, derivatives, compiled calls), in order of their
  /// numbers. The runtime keeps no engine.
  std::vector<EngineKind> engineKinds() const;

  /// Makes a family's kernels and rules available, in place of an earlier module of the family; no derivative is answered by a
  /// replaced rule afterwards, also of what was recorded before. Returns the epoch: one more than before, or the same where this
  /// module was installed already. Errors: RuntimeState from inside of a family's rule. Include tenferro/Extension.h.
  uint64_t installExtension(const ExtensionModule &module);
  /// How often extensions have been installed or replaced.
  uint64_t epoch() const noexcept;
  /// The cache of plans and scratch of one family; replacing the family clears it. Of a family that is not installed: zeros.
  CacheStats extensionCacheStats(std::string_view family) const;
  CacheLimits extensionCacheLimits(std::string_view family) const;
  void setExtensionCacheLimits(std::string_view family, const CacheLimits &limits); ///< Errors: InvalidArgument for maxEntries 0
  void clearExtensionCache(std::string_view family);
  void clearExtensionCaches();

  /// Empties every live gradient slot.
  void clearGrads();
  NoGradGuard noGrad() const { return NoGradGuard(); }
  CaptureGuard capture() const { return CaptureGuard(); }

  /// Live leaves, constants and recorded results; live slots (tracked records). Exact.
  size_t recordCount() const noexcept;
  size_t slotCount() const noexcept;
  /// Records visited by walks of backward, grad, vjp and jvp since the runtime was made.
  uint64_t visitedCount() const noexcept;

  /// Waits until everything that was given to the background thread, by this runtime and those that share its AdContext, is
  /// compiled: from then on those programs run fused. For tests and measurements; nothing else has to wait. Returns at once
  /// while the process ends. Throws what the dump function has thrown since the last call. Errors: RuntimeState in a dump function.
  void finishCompiles();

  RuntimeCacheStats cacheStats() const;
  /// Of the executables. Clearing forgets what was prepared, so that it is looked up further down (`clearPreparedDerivatives`), the
  /// differentiated programs of the AdContext, for all its runtimes (`clearAdTransforms`), or both and those of the extension
  /// families (`clearCaches`); what is running goes on. Programs on disk stay.
  CacheLimits preparedDerivativeLimits() const;
  void setPreparedDerivativeLimits(const CacheLimits &limits); ///< Errors: InvalidArgument for maxEntries 0
  void clearPreparedDerivatives();
  void clearAdTransforms();
  void clearCaches();
  /// What the last look-up of this thread found: hit or miss, the key, and on a miss the nearest entry and the first
  /// component that differs.
  std::string explainCache() const;
  const std::shared_ptr<AdContext> &adContext() const noexcept;

private:
  friend struct detail::EagerAccess;
  class TENFERRO_EXPORT SessionEntry {
  public:
    SessionEntry(EagerRuntime &runtime, ExecutionEngine &engine);
    ~SessionEntry();
    EagerSession &session() noexcept { return session_; }

  private:
    std::shared_ptr<EagerRuntime> runtime_; // the body may drop the last handle
    EagerSession session_;
  };
  explicit EagerRuntime(const RuntimeOptions &options);
  struct State;
  std::unique_ptr<State> state_;
};

/// While alive, operators and free functions of this thread run on this runtime and engine, which has to live as long. Nests.
/// Errors: InvalidArgument for no runtime. Thread safety: made and destroyed in one thread.
class TENFERRO_EXPORT [[nodiscard]] Scope {
public:
  Scope(const std::shared_ptr<EagerRuntime> &runtime, ExecutionEngine &engine);
  ~Scope();
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;

private:
  std::shared_ptr<EagerRuntime> runtime_;
  EagerSession session_;
};

/// The session operators and free functions of this thread use. Errors: RuntimeState if there is none.
TENFERRO_EXPORT EagerSession &currentSession();

} // namespace tenferro

#endif // TENFERRO_EAGERRUNTIME_H
