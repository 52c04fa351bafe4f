// Extension families: modules as registered, their caches, and what a runtime has installed.
#ifndef TENFERRO_EAGER_CUSTOM_EXTENSIONS_H
#define TENFERRO_EAGER_CUSTOM_EXTENSIONS_H

#include "lib/Core/Graph.h"
#include "lib/Eager/Located.h"
#include "runtime/cache/LruCache.h"
#include "runtime/core/Callback.h"
#include "tenferro/Extension.h"

#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <source_location>
#include <string>
#include <unordered_map>

namespace tenferro::eager {

class RuntimeState;
struct FamilyPool;

/// One registration of a family. It is the callback of its kernels in compiled programs, which keep it alive.
class ExtensionModuleState final : public runtime::Callback, public std::enable_shared_from_this<ExtensionModuleState> {
public:
  explicit ExtensionModuleState(ExtensionSpec spec);
  ~ExtensionModuleState() override;

  const ExtensionSpec spec;
  const uint64_t version;

  /// Types of the results. Raises what the shape rule throws; InvalidArgument or Unsupported for types that no tensor
  /// has.
  std::vector<core::ValueType> resultTypes(const std::vector<core::ValueType> &inputs, const IntList &parameters) const;
  /// Which inputs the family is linear in; empty without a transpose. Raises InvalidArgument for flags that do not fit.
  std::vector<bool> linearInputs(const std::vector<core::ValueType> &inputs) const;
  /// Raises Unsupported if there is no kernel for the engine.
  void requireKernel(const ExecutionEngine &engine) const;

  void run(const runtime::CallbackCaller &caller, const IntList &parameters,
           std::span<const runtime::TensorView> inputs, std::span<const runtime::TensorView> outputs) const override;
};

/// A kernel used what it was lent in a way that is none. Raised inside the kernel, where nobody knows the user's line;
/// who runs kernels names it (`runningKernels`).
class KernelMisuse final : public ValidationError {
public:
  using ValidationError::ValidationError;
};

/// What `body` returns. A misuse by a kernel it runs is raised as an error with the place that `placeOf(family)` gives,
/// if that has a line. What a kernel throws itself passes through.
template <typename Body, typename PlaceOf> decltype(auto) runningKernels(PlaceOf &&placeOf, Body &&body) {
  try {
    return body();
  } catch (const KernelMisuse &misuse) {
    const std::source_location where = placeOf(misuse.failure().op);
    if (where.line())
      raiseAt(misuse.failure(), where);
    raise(misuse.failure());
  }
}

/// The module of that version, if it is alive. Versions are unique in the process.
std::shared_ptr<const ExtensionModuleState> findModule(uint64_t version);
/// Finds the kernel of a program's call. Fails if its module is gone.
core::Expected<std::shared_ptr<const runtime::Callback>> resolveCallback(const runtime::CallbackName &name);

/// Plans and scratch of one family in one runtime.
class ExtensionCache {
public:
  struct Entry {
    std::shared_ptr<void> value;
    const void *type = nullptr;
  };
  using Build = std::function<std::pair<std::shared_ptr<void>, size_t>()>;
  /// `version`: of the module that asks. Its plans are no other's: a kernel that was replaced may still be running.
  std::shared_ptr<void> get(const std::string &family, uint64_t version, std::string_view cache, uint64_t discriminator,
                            const void *type, const Build &build);
  runtime::LruCache<const Entry> entries;
};

/// What a runtime has installed. Thread safe.
class ExtensionRegistry {
public:
  explicit ExtensionRegistry(RuntimeState &state);
  ~ExtensionRegistry();

  /// The epoch afterwards: one more, unless this registration was the current one.
  uint64_t install(std::shared_ptr<const ExtensionModuleState> module);
  uint64_t epoch() const noexcept { return epoch_.load(std::memory_order_acquire); }
  /// Raises RuntimeState if the family is not installed; `op` is what asks.
  std::shared_ptr<const ExtensionModuleState> require(std::string_view family, std::string_view op) const;
  /// The family's cache, made on first use.
  ExtensionCache &cache(std::string_view family);
  CacheStats totalStats() const;
  void clearCaches();

  /// A call of a family with its rules, as installed now.
  struct Resolved {
    std::shared_ptr<const core::CustomFunction> function;
    uint64_t epoch = 0;
  };
  /// Reads the family's rules for these types, on placeholders, or takes what was read in this epoch. Raises what a
  /// rule throws, and InvalidArgument, ShapeMismatch, DTypeMismatch for what a rule returns.
  Resolved resolve(ExecutionEngine &engine, std::string_view family, const std::vector<core::ValueType> &inputs,
                   const IntList &parameters);

private:
  RuntimeState &state_;
  std::atomic<uint64_t> epoch_{0};
  mutable std::shared_mutex lock_; ///< of `modules_` and `caches_`
  std::map<std::string, std::shared_ptr<const ExtensionModuleState>, std::less<>> modules_;
  std::map<std::string, std::unique_ptr<ExtensionCache>, std::less<>> caches_;

  std::recursive_mutex resolving_; ///< rules of families may use families
  std::shared_ptr<FamilyPool> pool_;
  int depth_ = 0;
};

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_CUSTOM_EXTENSIONS_H
