// take, scatter-add, pad and diagonals: index arithmetic here, elements moved by the window drivers and the strided
// copy.
#include "runtime/launch/LaunchIndexing.h"

#include "runtime/launch/LaunchWindows.h"
#include "runtime/launch/StridedCopy.h"

#include <algorithm>

namespace tenferro::runtime {

/// One index starts a window that is the whole tensor, with an extent of 1 along `axis`.
static WindowDimensions alongAxis(int64_t axis, int64_t indexRank, const Shape &whole) {
  WindowDimensions dims;
  dims.fixed = {axis};
  dims.map = {axis};
  dims.vectorDim = indexRank;
  for (int64_t d = 0; d < whole.rank(); ++d)
    if (d != axis)
      dims.window.push_back(d < axis ? d : d + indexRank - 1);
  dims.sizes = whole;
  dims.sizes[axis] = 1;
  return dims;
}

Status runTake(int64_t axis, const TensorView &source, const TensorView &indices, const TensorView &out,
               const LaunchContext &context) {
  requireIndices(indices, "take");
  return runGather(alongAxis(axis, indices.shape.rank(), source.shape), source, indices, out, context);
}

Status runScatterAdd(int64_t axis, const TensorView &indices, const TensorView &updates, const TensorView &out,
                     const LaunchContext &context) {
  requireIndices(indices, "scatter_add");
  runZero(out, context);
  return runScatterInto(alongAxis(axis, indices.shape.rank(), out.shape), indices, updates, out, context);
}

void runPad(const IntList &low, const IntList &interior, const TensorView &source, const TensorView &out,
            const LaunchContext &context) {
  runZero(out, context);
  TensorView from = source, to(out.data, out.dtype, source.shape, out.strides);
  int64_t bytes = static_cast<int64_t>(byteSize(out.dtype)), fromOffset = 0, toOffset = 0;
  for (size_t d = 0; d < source.shape.size(); ++d) {
    // Element i stands at low + i * step; only those inside [0, extent) stay.
    int64_t step = source.shape[d] > 1 ? interior[d] + 1 : 1, extent = out.shape[d];
    int64_t first = low[d] >= 0 ? 0 : (-low[d] + step - 1) / step;
    int64_t end = low[d] >= extent ? 0 : std::min(source.shape[d], (extent - 1 - low[d]) / step + 1);
    if (end <= first)
      return;
    fromOffset += first * source.strides[d];
    toOffset += (low[d] + first * step) * out.strides[d];
    from.shape[d] = to.shape[d] = end - first;
    to.strides[d] = out.strides[d] * step;
  }
  from.data = static_cast<char *>(source.data) + fromOffset * bytes;
  to.data = static_cast<char *>(out.data) + toOffset * bytes;
  runCopy(from, to, context);
}

void runEmbedDiag(int64_t a, int64_t b, const TensorView &source, const TensorView &out, const LaunchContext &context) {
  runZero(out, context);
  TensorView diagonal = out.diagonal(a, b);
  runCopy(source, diagonal, context);
}

void runConcatenate(int64_t axis, std::span<const TensorView *const> operands, const TensorView &out,
                    const LaunchContext &context) {
  IntList starts(out.shape.size(), 0);
  const IntList steps(out.shape.size(), 1);
  for (const TensorView *operand : operands) {
    runCopy(*operand, out.sliced(starts, steps, operand->shape), context);
    starts[axis] += operand->shape[axis];
  }
}

} // namespace tenferro::runtime
