// take, its transpose scatter-add, pad, diagonals and concatenation.
#ifndef TENFERRO_RUNTIME_LAUNCH_LAUNCHINDEXING_H
#define TENFERRO_RUNTIME_LAUNCH_LAUNCHINDEXING_H

#include "runtime/core/TensorView.h"
#include "runtime/launch/LaunchContext.h"

#include <span>

namespace tenferro::runtime {

/// `out[a, i, b] = source[a, indices[i], b]` where a are the axes before `axis` and b those after it; i has the rank of
/// `indices` (i32, i64 or a smaller integer). A negative index counts from the end. An index outside gives
/// makeStatus(0, IndexOutOfRange), reads nothing, and leaves zeros in its place.
Status runTake(int64_t axis, const TensorView &source, const TensorView &indices, const TensorView &out,
               const LaunchContext &context);

/// The transpose: `out` is zero, then for each i in ascending logical order (leftmost fastest)
/// `out[a, indices[i], b] += updates[a, i, b]`. The table must have "add.<dtype>". Indices as in `runTake`; the update
/// of an index outside is dropped and reported.
Status runScatterAdd(int64_t axis, const TensorView &indices, const TensorView &updates, const TensorView &out,
                     const LaunchContext &context);

/// `out` is zero except that source element i stands at `low + i * (interior + 1)`, in each dimension; elements that
/// fall outside (a negative `low`) are dropped.
void runPad(const IntList &low, const IntList &interior, const TensorView &source, const TensorView &out,
            const LaunchContext &context);

/// `out` is zero except that its diagonal over the dimensions a and b, as `TensorView::diagonal` has it, is `source`.
void runEmbedDiag(int64_t a, int64_t b, const TensorView &source, const TensorView &out, const LaunchContext &context);

/// The operands one after the other along `axis`.
void runConcatenate(int64_t axis, std::span<const TensorView *const> operands, const TensorView &out,
                    const LaunchContext &context);

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_LAUNCH_LAUNCHINDEXING_H
