// Copying elements between any two stride patterns.
#ifndef TENFERRO_RUNTIME_LAUNCH_STRIDEDCOPY_H
#define TENFERRO_RUNTIME_LAUNCH_STRIDEDCOPY_H

#include "runtime/core/TensorView.h"
#include "runtime/launch/LaunchContext.h"

namespace tenferro::runtime {

/// `out` becomes `source`: same shape and dtype, any strides (0 in the source repeats), no overlap unless equal. Walks
/// tiles where the two disagree on the fastest dimension, so that both stay in cache.
void runCopy(const TensorView &source, const TensorView &out, const LaunchContext &context);

/// Every element of `out` becomes zero (+0, false).
void runZero(const TensorView &out, const LaunchContext &context);

/// A fresh-layout copy into contiguous memory at `data` (as many bytes as the view's elements).
void copyToContiguous(const TensorView &source, void *data, const LaunchContext &context);

/// Copies an n x m block of elements of `elementBytes` bytes; strides in bytes.
void copyBlock(const void *source, int64_t sourceInner, int64_t sourceOuter, void *out, int64_t outInner,
               int64_t outOuter, int64_t n, int64_t m, int64_t elementBytes);

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_LAUNCH_STRIDEDCOPY_H
