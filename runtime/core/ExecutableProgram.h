// A program as the executor runs it. Internal to Executor.cpp and ProgramLoader.cpp.
#ifndef TENFERRO_RUNTIME_CORE_EXECUTABLEPROGRAM_H
#define TENFERRO_RUNTIME_CORE_EXECUTABLEPROGRAM_H

#include "runtime/core/CodeLoader.h"
#include "runtime/core/Executor.h"
#include "runtime/core/LaunchMap.h"
#include "runtime/core/LaunchReduce.h"

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tenferro::runtime {

/// Where an operand starts: a byte offset from a base address that is known when the program runs. The base of slot 0
/// is null: the offset of an Index operand is its first value.
struct Place {
  uint32_t slot = 0;
  int64_t offset = 0;
};
inline constexpr uint32_t kIndexSlot = 0, kArenaSlot = 1, kConstantSlot = 2, kFirstArgumentSlot = 3;

/// A value resolved through its views.
struct ResolvedValue {
  Place place;
  IntList strides; ///< in elements
};

/// Resolves values of a program. With `arguments`, their strides are used; otherwise arguments are contiguous. Remembers views of
/// views: chains of them may be long.
class ValueResolver {
public:
  explicit ValueResolver(const Program &program, std::span<const TensorView> arguments = {})
      : program_(program), arguments_(arguments) {}

  ResolvedValue resolve(uint32_t value);

private:
  ResolvedValue resolveStored(const ProgramValue &value) const;
  static ResolvedValue resolveView(const ProgramValue &value, const ResolvedValue &source);

  const Program &program_;
  std::span<const TensorView> arguments_;
  std::unordered_map<uint32_t, ResolvedValue> views_;
};

/// What launches that differ in addresses alone share: everything decided that does not depend on them.
struct Step {
  LaunchKind kind = LaunchKind::Map;
  std::unique_ptr<MapPlan> map;
  std::unique_ptr<ReducePlan> reduce;
  MapFunction mapFunction;
  ReduceFunction reduceFunction;
  std::vector<const Tier0Kernel *> combine;
  std::vector<Access> access;
  std::vector<Place> places;     ///< of the first of the launches
  std::vector<TensorView> views; ///< of the operands, without addresses
};

/// One launch: its step and where its operands are.
struct BoundLaunch {
  const Step *step = nullptr;
  std::vector<Place> places;
  std::vector<uint32_t> arguments; ///< which arguments the operands read
};

class ExecutableProgram final : public LoadedProgram {
public:
  std::optional<RunError> run(std::span<const TensorView> arguments, std::span<BufferRef> results,
                              const ThreadTeam &threads, const CallbackCaller *caller,
                              LaunchObserver *observer) const override;

private:
  friend class ProgramLoader;

  void checkArguments(std::span<const TensorView> arguments, std::span<BufferRef> results) const;
  void runCallback(const Launch &launch, std::span<const TensorView *const> operands, const LaunchContext &context,
                   const CallbackCaller *caller) const;
  Status runStep(const Step &step, const Launch &launch, std::span<const TensorView *const> operands,
                 const LaunchContext &context) const;

  const KernelTable *kernels_ = nullptr;
  std::vector<std::unique_ptr<Step>> steps_;
  std::vector<BoundLaunch> launches_; ///< one for each launch of the program
  std::vector<bool> copied_; ///< arguments that must be contiguous
  std::vector<size_t> resultBytes_;
  std::vector<std::shared_ptr<const Callback>> callbacks_;
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CORE_EXECUTABLEPROGRAM_H
