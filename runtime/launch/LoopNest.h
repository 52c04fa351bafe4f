// A nest of loops over several operands: what merging dimensions works on. Internal to the launch drivers.
#ifndef TENFERRO_RUNTIME_LAUNCH_LOOPNEST_H
#define TENFERRO_RUNTIME_LAUNCH_LOOPNEST_H

#include "runtime/core/InlineVector.h"

#include <cstdint>
#include <cstdlib>

namespace tenferro::runtime {

/// Extents, and for each dimension the byte stride of every operand. Dimension 0 is the innermost.
class LoopNest {
public:
  explicit LoopNest(uint32_t operands) : operands_(operands) {}

  size_t rank() const noexcept { return extents_.size(); }
  uint32_t operands() const noexcept { return operands_; }
  int64_t extent(size_t d) const noexcept { return extents_[d]; }
  int64_t stride(size_t d, uint32_t operand) const noexcept { return strides_[d * operands_ + operand]; }
  int64_t *strides(size_t d) noexcept { return strides_.data() + d * operands_; }
  const int64_t *strides(size_t d) const noexcept { return strides_.data() + d * operands_; }

  /// Adds an outermost dimension and returns its strides, to be filled in.
  int64_t *add(int64_t extent) {
    extents_.push_back(extent);
    strides_.resize(strides_.size() + operands_);
    return strides(rank() - 1);
  }

  /// Moves dimension d to the innermost place, keeping the order of the others.
  void moveInnermost(size_t d) noexcept {
    for (; d > 0; --d)
      swap(d, d - 1);
  }

  /// Orders dimensions from `first` on by the size of the operand's stride, smallest innermost (stable).
  void sortByStride(uint32_t operand, size_t first = 0) noexcept {
    for (size_t i = first + 1; i < rank(); ++i)
      for (size_t d = i; d > first && std::llabs(stride(d, operand)) < std::llabs(stride(d - 1, operand)); --d)
        swap(d, d - 1);
  }

  /// Merges a dimension into the one inside it wherever every operand walks both with one stride.
  void merge() noexcept {
    size_t kept = 0;
    for (size_t d = 1; d < rank(); ++d) {
      bool same = true;
      for (uint32_t i = 0; i < operands_ && same; ++i)
        same = stride(d, i) == stride(kept, i) * extents_[kept];
      if (same) {
        extents_[kept] *= extents_[d];
      } else if (++kept != d) {
        extents_[kept] = extents_[d];
        for (uint32_t i = 0; i < operands_; ++i)
          strides(kept)[i] = strides(d)[i];
      }
    }
    if (rank())
      truncate(kept + 1);
  }

  void erase(size_t d) noexcept {
    for (size_t i = d; i + 1 < rank(); ++i)
      swap(i, i + 1);
    truncate(rank() - 1);
  }

private:
  void truncate(size_t rank) noexcept {
    extents_.resize(rank);
    strides_.resize(rank * operands_);
  }
  void swap(size_t a, size_t b) noexcept {
    std::swap(extents_[a], extents_[b]);
    for (uint32_t i = 0; i < operands_; ++i)
      std::swap(strides(a)[i], strides(b)[i]);
  }

  uint32_t operands_;
  InlineVector<int64_t, 8> extents_;
  InlineVector<int64_t, 32> strides_;
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_LAUNCH_LOOPNEST_H
