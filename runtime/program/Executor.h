// Running compiled programs: everything that can be decided once is decided when a program is loaded.
#ifndef TENFERRO_RUNTIME_PROGRAM_EXECUTOR_H
#define TENFERRO_RUNTIME_PROGRAM_EXECUTOR_H

#include "lib/Core/Expected.h"
#include "runtime/core/Callback.h"
#include "runtime/core/TensorView.h"
#include "runtime/launch/LaunchContext.h"
#include "runtime/memory/Buffer.h"
#include "runtime/program/Program.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tenferro::runtime {

/// The first operation of a program that failed, in trace order, and how.
struct RunError {
  uint32_t opNumber = 0;
  KernelError error{};
  /// IndexOutOfRange, where it is known: the first index outside [low, high); of a window's start along `axis`, else
  /// -1.
  bool hasIndex = false;
  int64_t index = 0, low = 0, high = 0, axis = -1;
  friend bool operator==(const RunError &, const RunError &) = default;
};

/// The error an operation raises for a kernel error: kind and message; the caller adds the op's name and location.
Failure describe(KernelError error);
/// The same with the index and the extent, where they are known.
Failure describe(const RunError &error);

/// `error` with the first index of `indices` (I64, I32 or U8) outside [-extent, extent).
RunError withIndex(RunError error, const TensorView &indices, int64_t extent);
/// `error` with the first start of a window outside of `whole`.
RunError withStart(RunError error, const WindowDimensions &dims, const Shape &whole, const TensorView &indices);

class LoadedCode;

/// Sees the operands of every launch, in the order of `Launch::operands`; those of Access::Index have no memory.
class LaunchObserver {
public:
  virtual ~LaunchObserver() = default;
  virtual void before(size_t launch, std::span<const TensorView *const> operands) = 0;
  virtual void after(size_t launch, std::span<const TensorView *const> operands) = 0;
};

/// A program ready to run: code loaded, precompiled kernels resolved, views and loops of contiguous arguments planned.
/// Immutable; any number of threads may run it at once.
class LoadedProgram {
public:
  virtual ~LoadedProgram() = default;

  /// Checks the artifact against itself (a view comes after what it views; bad numbers, unknown kernels, offsets
  /// outside: an Internal failure with the facts) and loads it. `kernels` outlives the program. `callbacks` finds the kernels
  /// that users brought; its failure is the answer.
  static core::Expected<std::shared_ptr<const LoadedProgram>>
  load(CompiledArtifact artifact, const KernelTable &kernels, const CallbackResolver &callbacks = {});

  /// The same with machine code that another program has loaded: JIT function i is function i of `code`, which may be null
  /// where no launch has one. For programs that differ in sizes alone and share their kernels. The artifact of the result
  /// is `program` and `active`, without object and functions.
  static core::Expected<std::shared_ptr<const LoadedProgram>>
  load(Program program, std::vector<bool> active, std::shared_ptr<const LoadedCode> code, const KernelTable &kernels,
       const CallbackResolver &callbacks = {});

  /// Runs all launches on `arguments` (dtypes and shapes as `program().arguments`; any strides; unused ones may have
  /// null data or be null and are not looked at) and puts fresh contiguous buffers into `results`, one per result; what they held
  /// before goes when the run begins, so no argument may lie in it. Sets the default floating-point environment
  /// meanwhile. If kernels report errors, the one of the smallest operation number is returned and `results` are null.
  /// Raises InvalidArgument if the counts or an argument's shape or dtype are wrong. `caller` is for kernels that users
  /// brought: a program with such needs it. What they throw passes through, and `results` hold what they hold. `observer`, which may be null, sees every
  /// launch.
  virtual std::optional<RunError> run(std::span<const TensorView *const> arguments, std::span<BufferRef> results,
                                      const ThreadTeam &threads, const CallbackCaller *caller = nullptr,
                                      LaunchObserver *observer = nullptr) const = 0;
  std::optional<RunError> run(std::span<const TensorView> arguments, std::span<BufferRef> results, const ThreadTeam &threads,
                              const CallbackCaller *caller = nullptr, LaunchObserver *observer = nullptr) const {
    std::vector<const TensorView *> views;
    for (const TensorView &argument : arguments)
      views.push_back(&argument);
    return run(std::span<const TensorView *const>(views), results, threads, caller, observer);
  }

  const Program &program() const noexcept { return artifact_.program; }
  const std::vector<bool> &active() const noexcept { return artifact_.active; }
  const CompiledArtifact &artifact() const noexcept { return artifact_; }
  /// The machine code of the JIT functions; null if there is none.
  const std::shared_ptr<const LoadedCode> &code() const noexcept { return code_; }
  size_t resultCount() const noexcept { return artifact_.program.results.size(); }
  const core::ValueType &resultType(size_t i) const noexcept {
    return artifact_.program.values[artifact_.program.results[i]].type;
  }

  /// Estimate of the memory the program keeps: code, plans, constants, the artifact. Shared code counts for the program that
  /// loaded it.
  size_t retainedBytes() const noexcept { return retainedBytes_; }

protected:
  CompiledArtifact artifact_;
  std::shared_ptr<const LoadedCode> code_;
  size_t retainedBytes_ = 0;
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_PROGRAM_EXECUTOR_H
