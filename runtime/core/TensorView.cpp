// The O(1) views of a tensor.
#include "runtime/core/TensorView.h"

#include <algorithm>

namespace tenferro::runtime {

TensorView TensorView::contiguous(void *data, DType dtype, const Shape &shape) {
  IntList strides;
  strides.reserve(shape.size());
  int64_t stride = 1;
  for (int64_t extent : shape) {
    strides.push_back(stride);
    stride *= extent;
  }
  return {data, dtype, shape, std::move(strides)};
}

bool TensorView::isContiguous() const noexcept {
  int64_t expected = 1;
  bool ok = true;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t extent = shape[d];
    if (extent == 0)
      return true;
    if (extent != 1 && strides[d] != expected)
      ok = false;
    expected *= extent;
  }
  return ok;
}

TensorView TensorView::transposed(const IntList &permutation) const {
  TensorView result(data, dtype, Shape(permutation.size(), 0), IntList(permutation.size(), 0));
  for (size_t d = 0; d < permutation.size(); ++d) {
    result.shape[d] = shape[permutation[d]];
    result.strides[d] = strides[permutation[d]];
  }
  return result;
}

TensorView TensorView::sliced(const IntList &starts, const IntList &steps, const Shape &extents) const {
  TensorView result(data, dtype, extents, IntList(extents.size(), 0));
  int64_t offset = 0;
  bool empty = false;
  for (size_t d = 0; d < extents.size(); ++d) {
    offset += starts[d] * strides[d];
    // Where no step is taken, any stride will do; the product may not fit.
    result.strides[d] = extents[d] > 1 ? steps[d] * strides[d] : strides[d];
    empty |= extents[d] == 0;
  }
  if (data && !empty) // the start of an empty slice may lie outside
    result.data = static_cast<char *>(data) + offset * static_cast<int64_t>(byteSize(dtype));
  return result;
}

TensorView TensorView::reversed(const IntList &dimensions) const {
  IntList starts(shape.size(), 0), steps(shape.size(), 1);
  for (int64_t d : dimensions) {
    starts[d] = shape[d] - 1;
    steps[d] = -1;
  }
  return sliced(starts, steps, shape);
}

TensorView TensorView::diagonal(int64_t a, int64_t b) const {
  TensorView result = *this;
  result.shape[a] = std::min(shape[a], shape[b]);
  result.strides[a] = strides[a] + strides[b];
  result.shape.erase(static_cast<size_t>(b));
  result.strides.erase(static_cast<size_t>(b));
  return result;
}

TensorView TensorView::broadcastTo(const Shape &result, const IntList &dimensions) const {
  TensorView view(data, dtype, result, IntList(result.size(), 0));
  for (size_t d = 0; d < dimensions.size(); ++d)
    if (shape[d] == result[dimensions[d]])
      view.strides[dimensions[d]] = strides[d];
  return view;
}

bool TensorView::reshaped(const Shape &target, TensorView &result) const {
  IntList targetStrides(target.size(), 0);
  if (elementCount() == 0) {
    result = contiguous(data, dtype, target);
    return true;
  }
  // Groups of source dimensions that a single stride walks face groups of target dimensions of the same product.
  size_t from = 0, to = 0;
  while (to < target.size()) {
    if (target[to] == 1) {
      targetStrides[to++] = 0;
      continue;
    }
    while (from < shape.size() && shape[from] == 1)
      ++from;
    if (from == shape.size())
      return false;
    int64_t stride = strides[from], extent = shape[from], end = strides[from] * shape[from];
    ++from;
    int64_t covered = 1;
    while (to < target.size() && covered < extent) {
      targetStrides[to] = stride * covered;
      covered *= target[to++];
      while (covered > extent) { // needs the next source dimension in the same group
        while (from < shape.size() && shape[from] == 1)
          ++from;
        if (from == shape.size() || strides[from] != end)
          return false;
        extent *= shape[from];
        end *= shape[from];
        ++from;
      }
    }
    if (covered != extent)
      return false;
  }
  result = TensorView(data, dtype, target, std::move(targetStrides));
  return true;
}

} // namespace tenferro::runtime
