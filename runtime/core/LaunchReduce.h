// Running a reduction over operands of any strides, in the fixed tree of KernelAbi.h.
#ifndef TENFERRO_RUNTIME_CORE_LAUNCHREDUCE_H
#define TENFERRO_RUNTIME_CORE_LAUNCHREDUCE_H

#include "runtime/core/LaunchContext.h"
#include "runtime/core/TensorView.h"
#include "runtime/kernels/Tier0.h"

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
};

/// Reduces `axes` (ascending): for each kept position the K elements over the reduced axes, in logical order, leftmost
/// fastest, are cut into blocks of kReductionBlock; each block goes through the tree of lanes, and the blocks' results
/// are reduced again in the same way until one is left.
///
/// `operands` are inputs of one shape, then outputs of that shape without `axes`. An Access::Index input must be an
/// arithmetic progression over the reduced elements (always so with one reduced axis); `isReducible` tells.
Status runReduce(const ReduceFunction &function, const IntList &axes, std::span<const TensorView *const> operands,
                 const LaunchContext &context);

/// The same for a precompiled reduction: one input, one output.
Status runReduce(const Tier0Kernel &kernel, const IntList &axes, const TensorView &input, const TensorView &output,
                 const LaunchContext &context);

/// Whether `runReduce` can walk an Access::Index input with these strides.
bool isReducible(const TensorView &index, const IntList &axes);

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CORE_LAUNCHREDUCE_H
