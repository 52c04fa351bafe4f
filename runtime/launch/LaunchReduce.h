// Running a reduction over operands of any strides, in the fixed tree of KernelAbi.h.
#ifndef TENFERRO_RUNTIME_LAUNCH_LAUNCHREDUCE_H
#define TENFERRO_RUNTIME_LAUNCH_LAUNCHREDUCE_H

#include "runtime/core/InlineVector.h"
#include "runtime/core/TensorView.h"
#include "runtime/kernels/Tier0.h"
#include "runtime/launch/LaunchContext.h"
#include "runtime/launch/LoopNest.h"
#include "runtime/threads/Grain.h"

#include <span>

namespace tenferro::runtime {

/// Outputs a reduction kernel has at most.
inline constexpr uint32_t kMostReduceOutputs = 4;

/// A reduction kernel as the driver calls it. `access` has one entry per operand: of inputs along the vectorised
/// dimension of either kernel; `combine` one precompiled plain reduction per output ("sum.f64"), which reduces the
/// results of blocks where more than kReductionBlock elements are reduced. At most kMostReduceOutputs outputs.
struct ReduceFunction {
  ReduceKernel row = nullptr;
  ReduceKernel column = nullptr;
  std::span<const Access> access;
  uint32_t outputs = 1;
  std::span<const Tier0Kernel *const> combine;
  uint32_t weight = 1; ///< of the body, as Launch::weight
};

/// How a reduction walks its operands, found once per shape and set of strides: row or column kernel, what is packed,
/// the kept dimensions merged. Immutable once made.
///
/// Reduces `axes` (ascending): for each kept position the K elements over the reduced axes, in logical order, leftmost
/// fastest, are cut into blocks of kReductionBlock; each block goes through the tree of lanes, and the blocks' results
/// are reduced again in the same way until one is left.
class ReducePlan {
public:
  /// `operands` are inputs of one shape, then outputs of that shape without `axes`; their `data` is not read. They,
  /// `axes` and what `function` refers to must outlive the plan. An Access::Index input must be an arithmetic
  /// progression over the reduced elements (always so with one reduced axis); `isReducible` tells.
  ReducePlan(const ReduceFunction &function, const IntList &axes, std::span<const TensorView *const> operands);

  /// Runs it on these addresses, in the order of the operands.
  Status run(void *const *data, const LaunchContext &context) const;

  /// Set if a run is one call of the row kernel, whatever the threads. Valid while the plan is.
  KernelCall oneCall() const noexcept {
    return kept_ != 1 || blocks_ != 1 || packs_ ? KernelCall() : KernelCall{reducedStride_.data(), unit_.data(), k_, 1};
  }

private:
  bool isIndex(uint32_t i) const noexcept { return i < inputs_ && function_.access[i] == Access::Index; }
  bool fits(uint32_t input, int64_t stride) const noexcept;
  int64_t outputStride(uint32_t output, size_t axis) const noexcept;
  void chooseKernel();
  void makeNest();
  int64_t parts(void *const *base, const LaunchContext &context) const;
  Status runTasks(void *const *base, const LaunchContext &context) const;
  Status runRow(void *const *base, const LaunchContext &context) const;
  Status runBlocks(void *const *row, int64_t first, int64_t last) const;
  Status runTile(void *const *base, const int64_t *at, int64_t block, int64_t m, char *scratch) const;
  void packInput(uint32_t i, void *source, int64_t sourceKept, int64_t first, int64_t n, int64_t m, char *out,
                 int64_t outReduced, int64_t outKept) const;
  Status reducePartials(uint32_t number, void *partials, void *out, const LaunchContext &context) const;

  const ReduceFunction function_;
  const IntList &axes_;
  uint32_t inputs_, count_;
  bool column_ = false, packs_ = false;
  int64_t k_ = 1, kept_ = 1, blocks_ = 1, blockStride_ = 0;
  Work work_;
  size_t columnAxis_ = 0;
  InlineVector<const TensorView *, 4> operands_;
  InlineVector<size_t, 8> keptAxes_, outputAxis_, partialOrder_;
  InlineVector<int64_t, 4> unit_,
      reducedStride_; ///< bytes of an element (1 of an index), stride of the reduced elements
  InlineVector<uint8_t, 4> pack_;
  LoopNest nest_; ///< kept dimensions over all operands; dimension 0 is the kernel's m
};

/// Plans and runs.
Status runReduce(const ReduceFunction &function, const IntList &axes, std::span<const TensorView *const> operands,
                 const LaunchContext &context);

/// The same for a precompiled reduction: one input, one output.
Status runReduce(const Tier0Kernel &kernel, const IntList &axes, const TensorView &input, const TensorView &output,
                 const LaunchContext &context);

/// Whether `runReduce` can walk an Access::Index input with these strides.
bool isReducible(const TensorView &index, const IntList &axes);

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_LAUNCH_LAUNCHREDUCE_H
