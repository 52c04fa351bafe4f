// Rows and remainders of map kernels of which only the vector loop is generated.
#ifndef TENFERRO_RUNTIME_LAUNCH_VECTORLOOP_H
#define TENFERRO_RUNTIME_LAUNCH_VECTORLOOP_H

#include "runtime/core/KernelAbi.h"

namespace tenferro::runtime {

/// Runs `loop` over n x m iterations as a MapKernel does with these `args` and `outer`. What is left of a row in whole
/// vectors runs on copies, whose other lanes hold 0.
Status runVectorLoop(void *const *args, VectorLoop loop, const int64_t *outer, int64_t n, int64_t m,
                     const VectorLoopShape *shape) noexcept;

/// The function that generated code may call by `name`, or null if there is none.
const void *functionForCode(const char *name) noexcept;

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_LAUNCH_VECTORLOOP_H
