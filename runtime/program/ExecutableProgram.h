// A program as the executor runs it. Internal to the executor and the loader.
//
// What a run reads of each launch lies in three arrays that it walks from front to back: 24 bytes a launch, 8 bytes an
// operand, and the numbers of kernel calls, one set for all launches of one kind and layout. The artifact, types and
// plans are for loading, errors, and launches that are more than one kernel call.
#ifndef TENFERRO_RUNTIME_PROGRAM_EXECUTABLEPROGRAM_H
#define TENFERRO_RUNTIME_PROGRAM_EXECUTABLEPROGRAM_H

#include "runtime/launch/LaunchMap.h"
#include "runtime/launch/LaunchReduce.h"
#include "runtime/launch/RowBlocks.h"
#include "runtime/program/CodeLoader.h"
#include "runtime/program/Executor.h"
#include "runtime/program/ValueResolver.h"

#include <memory>
#include <optional>
#include <vector>

namespace tenferro::runtime {

/// Where an operand starts: bytes from a base address that is known when the program runs. Bases are the slots of
/// ValueResolver.h, then those of `FarBase`.
struct Place {
  uint32_t base = 0;
  uint32_t offset = 0;
};

/// A base in the middle of a large slot, for what lies further from its start than a Place can say.
struct FarBase {
  uint32_t slot = 0;
  int64_t offset = 0;
  friend bool operator==(const FarBase &, const FarBase &) = default;
};

/// What launches share that differ in addresses alone, or are maps that differ in their JIT functions: everything
/// decided that depends on neither.
struct Step {
  LaunchKind kind = LaunchKind::Map;
  std::unique_ptr<MapPlan> map;
  std::unique_ptr<ReducePlan> reduce;
  MapFunction mapFunction; ///< its JIT function is that of the first of the launches
  ReduceFunction reduceFunction;
  std::vector<const Tier0Kernel *> combine;
  std::vector<Access> access;
  std::vector<TensorView> views; ///< of the operands, without addresses
};

/// One launch.
struct BoundLaunch {
  MapKernel kernel = nullptr; ///< of a map, and of a reduction that is one call, which has the same type
  uint32_t step = 0;
  uint32_t places = 0;     ///< the first of its operands' places
  uint32_t call = kNoCall; ///< if it is one call of the kernel, its numbers: n, m, inner strides, outer strides
  uint32_t operands : 31 = 0;
  uint32_t isSplit : 1 = 0; ///< several threads may make more of it than one call

  static constexpr uint32_t kNoCall = ~uint32_t{0};
  /// Operands a launch that is one call has at most.
  static constexpr uint32_t kMostOperands = 32;
};
static_assert(sizeof(BoundLaunch) == 24 && std::is_same_v<MapKernel, ReduceKernel>);

/// What an argument is compared with: a contiguous one has these extents, then these strides.
struct ArgumentType {
  DType dtype{};
  uint32_t rank = 0;
  uint32_t words = 0; ///< the first of its 2 * rank numbers
};

class ExecutableProgram final : public LoadedProgram {
public:
  std::optional<RunError> run(std::span<const TensorView *const> arguments, std::span<BufferRef> results,
                              const ThreadTeam &threads, const CallbackCaller *caller,
                              LaunchObserver *observer) const override;
  std::span<const RowBlocks> rowBlocks() const noexcept { return rowBlocks_; }

private:
  friend class ProgramLoader;
  struct Irregular;
  struct Run;

  size_t numberOf(const BoundLaunch &launch) const noexcept { return static_cast<size_t>(&launch - launches_.data()); }
  void bindIrregular(size_t argument, Run &run) const;
  void checkArgument(size_t argument, const TensorView &got) const;
  /// Of a long program: asks the processor for the code and the operands of the launch behind `launch`.
  void prefetchNext(const BoundLaunch &launch, char *const *bases) const noexcept;
  /// A launch that is not one call, or whose operands somebody sees, or whose arguments are strided.
  Status runLaunch(size_t number, Run &run) const;
  Status runViews(const Step &step, const BoundLaunch &bound, const Launch &launch,
                  std::span<const TensorView *const> operands, const LaunchContext &context) const;
  void runRowBlocks(const RowBlocks &group, Run &run) const;
  void runCallback(const Launch &launch, std::span<const TensorView *const> operands, const LaunchContext &context,
                   const CallbackCaller *caller) const;
  bool readsStrided(const BoundLaunch &bound, const Irregular &irregular) const;
  /// What the launch reported, for the error of the run. `operands` where its kind names an index.
  [[gnu::cold]] void note(size_t number, Status status, Run &run,
                          std::span<const TensorView *const> operands = {}) const;

  static constexpr size_t kCacheLine = 64;
  /// More launches than this leave the near caches between two runs.
  static constexpr size_t kManyLaunches = 128;
  static constexpr uint32_t kUnused = ~uint32_t{0};

  const KernelTable *kernels_ = nullptr;
  std::vector<BoundLaunch> launches_; ///< one for each launch of the program, and one that is never run
  std::vector<Place> places_;
  /// Of a program of many launches: cache lines of code of each launch's kernel, as far as they are worth asking for.
  std::vector<uint8_t> codeLines_;
  std::vector<int64_t> calls_;
  std::vector<FarBase> farBases_;
  std::vector<uint32_t> argumentTypes_; ///< by argument: which of `types_`, or kUnused
  std::vector<ArgumentType> types_;
  std::vector<int64_t> typeWords_;
  std::vector<size_t> resultBytes_;
  std::vector<bool> copied_; ///< arguments that must be contiguous
  std::vector<std::unique_ptr<Step>> steps_;
  std::vector<RowBlocks> rowBlocks_; ///< launches that may run together, in order
  std::vector<std::shared_ptr<const Callback>> callbacks_;
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_PROGRAM_EXECUTABLEPROGRAM_H
