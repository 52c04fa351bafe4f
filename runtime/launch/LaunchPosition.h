// Where the largest or smallest element along an axis stands.
#ifndef TENFERRO_RUNTIME_LAUNCH_LAUNCHPOSITION_H
#define TENFERRO_RUNTIME_LAUNCH_LAUNCHPOSITION_H

#include "runtime/core/TensorView.h"
#include "runtime/launch/LaunchContext.h"

namespace tenferro::runtime {

/// Whether `runArgExtremum` takes elements of this dtype.
bool hasPositions(DType dtype) noexcept;

/// `out` (i64, the shape of `source` without `axis`) is where along `axis`, of at least one element, the largest element
/// stands, or the smallest: the first of equals, the first NaN if there is one.
void runArgExtremum(int64_t axis, bool largest, const TensorView &source, const TensorView &out,
                    const LaunchContext &context);

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_LAUNCH_LAUNCHPOSITION_H
