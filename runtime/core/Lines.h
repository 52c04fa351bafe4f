// The lines of a tensor along one axis: what running sums and positions of extrema walk. Internal to the launch
// drivers.
#ifndef TENFERRO_RUNTIME_CORE_LINES_H
#define TENFERRO_RUNTIME_CORE_LINES_H

#include "runtime/core/InlineVector.h"
#include "runtime/core/TensorView.h"

namespace tenferro::runtime {

/// The lines of `source` along `axis`, numbered, and where each one's result stands in `out`: a line too, or one
/// element where `out` lacks the axis. Offsets and strides count bytes.
class Lines {
public:
  struct Place {
    int64_t source, out;
  };

  Lines(const TensorView &source, const TensorView &out, int64_t axis);

  int64_t count() const noexcept { return count_; }
  /// Elements of a line, and what leads from one to the next.
  int64_t length() const noexcept { return length_; }
  const Place &step() const noexcept { return step_; }
  /// How many lines from each multiple of it on lie element beside element, in both tensors.
  int64_t bundle() const noexcept { return bundle_; }

  /// Where line `line` starts.
  Place at(int64_t line) const noexcept;

private:
  struct Dimension {
    int64_t extent;
    Place stride;
  };
  InlineVector<Dimension, 6> dimensions_; ///< that of the bundle first
  int64_t count_ = 1, length_ = 0, bundle_ = 1;
  Place step_{};
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CORE_LINES_H
