// Running sums along an axis.
#ifndef TENFERRO_RUNTIME_LAUNCH_LAUNCHSCAN_H
#define TENFERRO_RUNTIME_LAUNCH_LAUNCHSCAN_H

#include "runtime/core/TensorView.h"
#include "runtime/launch/LaunchContext.h"

namespace tenferro::runtime {

/// `out[k] = out[k-1] + source[k]` along `axis`, the first element as it is; with `reverse` from the last element down.
/// One addition after the other, whatever the strides and threads. Both have one shape and dtype, and the table must
/// have "add.<dtype>".
void runCumulativeSum(int64_t axis, bool reverse, const TensorView &source, const TensorView &out,
                      const LaunchContext &context);

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_LAUNCH_LAUNCHSCAN_H
