// The lines of a tensor along one axis.
#include "runtime/core/Lines.h"

#include <utility>

namespace tenferro::runtime {

Lines::Lines(const TensorView &source, const TensorView &out, int64_t axis) : length_(source.shape[axis]) {
  const auto sourceBytes = static_cast<int64_t>(byteSize(source.dtype)),
             outBytes = static_cast<int64_t>(byteSize(out.dtype));
  const bool keepsAxis = out.shape.size() == source.shape.size();
  step_ = {source.strides[axis] * sourceBytes, keepsAxis ? out.strides[axis] * outBytes : 0};
  size_t outAxis = 0;
  for (size_t d = 0; d < source.shape.size(); ++d) {
    if (static_cast<int64_t>(d) == axis) {
      outAxis += keepsAxis;
      continue;
    }
    Dimension next{source.shape[d], {source.strides[d] * sourceBytes, out.strides[outAxis++] * outBytes}};
    count_ *= next.extent;
    if (next.extent == 1)
      continue;
    Dimension *last = dimensions_.empty() ? nullptr : &dimensions_.back();
    if (last && next.stride.source == last->stride.source * last->extent &&
        next.stride.out == last->stride.out * last->extent)
      last->extent *= next.extent;
    else
      dimensions_.push_back(next);
  }
  for (Dimension &dimension : dimensions_)
    if (dimension.stride.source == sourceBytes && dimension.stride.out == outBytes) {
      bundle_ = dimension.extent;
      std::swap(dimension, dimensions_[0]);
      break;
    }
}

Lines::Place Lines::at(int64_t line) const noexcept {
  Place place{0, 0};
  for (const Dimension &dimension : dimensions_) {
    int64_t position = line % dimension.extent;
    line /= dimension.extent;
    place.source += position * dimension.stride.source;
    place.out += position * dimension.stride.out;
  }
  return place;
}

} // namespace tenferro::runtime
