// Running an element-wise kernel over operands of any strides.
#ifndef TENFERRO_RUNTIME_LAUNCH_LAUNCHMAP_H
#define TENFERRO_RUNTIME_LAUNCH_LAUNCHMAP_H

#include "runtime/core/InlineVector.h"
#include "runtime/core/TensorView.h"
#include "runtime/kernels/Tier0.h"
#include "runtime/launch/LaunchContext.h"
#include "runtime/threads/Grain.h"

#include <span>

namespace tenferro::runtime {

/// An element-wise kernel as the driver calls it: precompiled, with a variant per set of scalar operands, or one JIT
/// function with the access of each operand it was compiled for.
struct MapFunction {
  const Tier0Kernel *precompiled = nullptr;
  MapKernel jit = nullptr;
  std::span<const Access> access; ///< JIT only: inputs, then outputs
  uint32_t outputs = 1;
  uint32_t weight = 1; ///< JIT only: Launch::weight
};

/// How a map walks its operands, found once per shape and set of strides: dimensions merged over all operands, one of
/// them vectorised (n), one the kernel's own outer loop (m), the rest walked by the driver; operands that do not have
/// the stride the kernel was compiled for go through scratch memory in tiles. A value; immutable once made.
class MapPlan {
public:
  /// `operands` are inputs, then outputs, all of one shape; their `data` is not read. `function.access` must outlive
  /// the plan.
  MapPlan(const MapFunction &function, std::span<const TensorView *const> operands);

  /// Runs it on these addresses, in the order of the operands.
  Status run(void *const *data, const ThreadTeam &threads) const { return run(data, threads, kernel_); }
  /// The same with another JIT function of the same accesses.
  Status run(void *const *data, const ThreadTeam &threads, MapKernel kernel) const;

  /// The kernel it calls.
  MapKernel kernel() const noexcept { return kernel_; }
  /// Set if a run on one thread is one call of the kernel. Valid while the plan is.
  KernelCall oneCall() const noexcept {
    return count_ == 0 || rest_ != 1 || packs_ || streams_ ? KernelCall() : KernelCall{inner_.data(), outer_.data(), n_, m_};
  }
  /// Whether a run on several threads may be more than one call where a run on one is one.
  bool isSplit() const noexcept;

  /// Elements visited.
  int64_t elementCount() const noexcept { return count_; }

private:
  struct Range {
    int64_t begin, end;
  };
  Status runPart(MapKernel kernel, void *const *data, Range n, Range m, Range rest) const;
  Status runPacked(MapKernel kernel, void *const *data, int64_t n, int64_t m, char *scratch) const;
  size_t scratchBytes() const noexcept;
  bool overflowsCaches() const noexcept;
  Work estimate() const noexcept;
  bool isWhole(uint32_t operand) const noexcept;

  MapFunction function_;
  MapKernel kernel_ = nullptr;
  uint32_t operands_ = 0;
  uint32_t rank_ = 0; ///< of the rest
  bool packs_ = false;
  bool streams_ = false; ///< results may be written past the caches
  int64_t count_ = 0, n_ = 1, m_ = 1, rest_ = 1;
  Work work_;                              ///< wherever the operands lie
  InlineVector<int64_t, 4> inner_, outer_; ///< byte strides (index steps) along n and m
  InlineVector<int64_t, 6> restExtents_;
  InlineVector<int64_t, 24> restStrides_; ///< [dimension][operand]
  InlineVector<uint8_t, 4> elementBytes_; ///< 0 for an index
  InlineVector<uint8_t, 4> pack_;         ///< which operands go through scratch memory
};

/// Plans and runs. `operands` are inputs, then the output, all of one shape (a broadcast operand has strides 0; an
/// Access::Index operand is as TensorView says). An output may be the same memory as an input read at the same place.
Status runMap(const Tier0Kernel &kernel, std::span<const TensorView *const> operands, const LaunchContext &context);

/// The fast path of `runMap` for `count` elements where every operand is contiguous, except that input i is one element
/// if bit i of `scalars` is set.
Status runMapContiguous(const Tier0Kernel &kernel, uint32_t scalars, void *const *data, int64_t count,
                        const LaunchContext &context);

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_LAUNCH_LAUNCHMAP_H
