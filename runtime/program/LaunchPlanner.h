// Planning the launches of a program: kernels found, operands checked against what the drivers expect, loops laid out.
// Internal to the loader.
#ifndef TENFERRO_RUNTIME_PROGRAM_LAUNCHPLANNER_H
#define TENFERRO_RUNTIME_PROGRAM_LAUNCHPLANNER_H

#include "runtime/program/ExecutableProgram.h"

namespace tenferro::runtime {

/// For the launches of one program. All of it outlives the planner. Every failure is an Internal one.
class LaunchPlanner {
public:
  LaunchPlanner(const Program &program, const KernelTable &kernels, const LoadedCode *code)
      : program_(program), kernels_(kernels), code_(code) {}

  /// Fills in what `step` lacks beside kind and views. `coordinates`: by operand, whether it is one.
  std::optional<Failure> plan(const Launch &launch, std::span<const uint8_t> coordinates, Step &step) const;

  /// Address of a JIT function.
  core::Expected<void *> function(uint32_t number) const;

private:
  core::Expected<const Tier0Kernel *> precompiled(const std::string &name, Tier0Class kind) const;
  static std::optional<Failure> checkAccess(const Step &step, std::span<const uint8_t> coordinates, size_t inputs);
  static std::optional<Failure> noCoordinate(std::span<const uint8_t> coordinates);
  std::optional<Failure> planMap(const Launch &launch, std::span<const uint8_t> coordinates, Step &step) const;
  std::optional<Failure> planReduce(const Launch &launch, std::span<const uint8_t> coordinates, Step &step) const;
  std::optional<Failure> checkOther(const Launch &launch, const Step &step) const;
  std::optional<Failure> checkMatmul(const Launch &launch, const Step &step) const;
  std::optional<Failure> checkIndexing(const Launch &launch, const Step &step) const;
  std::optional<Failure> checkWindows(const Launch &launch, const Step &step) const;
  std::optional<Failure> checkScan(const Launch &launch, const Step &step) const;
  std::optional<Failure> checkPosition(const Launch &launch, const Step &step) const;
  std::optional<Failure> checkPad(const Launch &launch, const Step &step) const;

  const Program &program_;
  const KernelTable &kernels_;
  const LoadedCode *code_;
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_PROGRAM_LAUNCHPLANNER_H
