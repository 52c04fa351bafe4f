// Watching the stages of a compile.
#ifndef TENFERRO_EAGER_EXPLAIN_DUMP_H
#define TENFERRO_EAGER_EXPLAIN_DUMP_H

#include "lib/Compiler/CompileInterface.h"
#include "tenferro/EagerRuntime.h"

#include <exception>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>

namespace tenferro::eager {

using DumpFunction = std::function<void(compiler::Stage, std::string_view)>;

/// Stands between the compiler, which no exception may cross, and the user's function: keeps what that throws.
class DumpRelay {
public:
  explicit DumpRelay(const DumpFunction &dump) : dump_(dump) {}
  /// For a CompileRequest; refers to this object. Empty if nobody watches.
  DumpFunction function();
  /// Throws what the user's function threw, if it did; it is not called again after that.
  void rethrow() const;

private:
  const DumpFunction &dump_;
  std::exception_ptr error_;
};

/// The user's function for the background thread, which may still compile when the runtime goes. Thread safe.
class DumpGate {
public:
  explicit DumpGate(DumpFunction dump) : dump_(std::move(dump)) {}
  /// Calls the function, unless the gate is closed or the function has thrown.
  void call(compiler::Stage stage, std::string_view text) noexcept;
  /// Forgets the function, after a call in flight in another thread.
  void close() noexcept;
  /// Throws what the function threw, once; from then on it is called again.
  void rethrow();

private:
  std::recursive_mutex mutex_; ///< the function may drop the runtime
  DumpFunction dump_;
  std::exception_ptr error_;
};

/// What a runtime does with stages: the caller's function, or printing the stages that TENFERRO_DUMP names to stderr, or
/// nothing (an empty function). Raises InvalidArgument for a stage that does not exist.
DumpFunction dumpFunction(const RuntimeOptions &options);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_EXPLAIN_DUMP_H
