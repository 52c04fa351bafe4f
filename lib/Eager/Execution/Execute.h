// Running one operation now, on precompiled kernels.
#ifndef TENFERRO_EAGER_EXECUTION_EXECUTE_H
#define TENFERRO_EAGER_EXECUTION_EXECUTE_H

#include "lib/Core/Graph.h"
#include "runtime/launch/LaunchContext.h"
#include "tenferro/Engine.h"
#include "tenferro/Tensor.h"

#include <span>

namespace tenferro::detail {

struct EngineAccess {
  /// Where workers run for this engine; null: anywhere.
  static const runtime::CoreSet *cores(const CpuEngine &engine) noexcept { return engine.placement_.get(); }
};

} // namespace tenferro::detail

namespace tenferro::runtime {
class KernelTable;
struct Tier0Kernel;
} // namespace tenferro::runtime

namespace tenferro::eager {

/// The kernels and threads of an engine.
runtime::LaunchContext launchContext(const ExecutionEngine &engine);

/// The result of an operation whose shape rule holds, of type `dtype`, `shape`. View operations, and those that change nothing,
/// share storage. The caller holds a FloatEnvironment. Raises Unsupported where there is no kernel for the dtypes, OutOfMemory, and
/// the errors kernels report, with the operation's name.
Tensor execute(core::OpKind kind, std::span<const Tensor *const> operands, const core::Attributes &attributes,
               DType dtype, const Shape &shape, const runtime::LaunchContext &context);

/// The kernel of an element-wise operation, or null.
const runtime::Tier0Kernel *elementwiseKernel(core::OpKind kind, std::span<const Tensor *const> operands,
                                              const core::Attributes &attributes, DType dtype,
                                              const runtime::KernelTable &kernels);

/// The sum of two tensors of one shape and dtype, in the default floating-point environment.
Tensor addTensors(const Tensor &a, const Tensor &b, const runtime::LaunchContext &context);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_EXECUTION_EXECUTE_H
