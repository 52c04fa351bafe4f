// A tensor's elements where they are: address, dtype, shape and signed strides. Owns nothing.
#ifndef TENFERRO_RUNTIME_CORE_TENSORVIEW_H
#define TENFERRO_RUNTIME_CORE_TENSORVIEW_H

#include "tenferro/DType.h"
#include "tenferro/Shape.h"

namespace tenferro::runtime {

/// `data` is the address of the element with all coordinates 0; strides count elements and may be 0 or negative.
///
/// Where a kernel's operand is Access::Index (a coordinate, no memory), `data` is the first value itself as an integer
/// and the strides are its steps.
///
/// The O(1) views below expect valid arguments (the shape rules of lib/Core have checked them).
struct TensorView {
  void *data = nullptr;
  DType dtype = DType::F64;
  Shape shape;
  IntList strides;

  TensorView() = default;
  TensorView(void *data, DType dtype, Shape shape, IntList strides)
      : data(data), dtype(dtype), shape(std::move(shape)), strides(std::move(strides)) {}

  /// Contiguous: the leftmost index varies fastest.
  static TensorView contiguous(void *data, DType dtype, const Shape &shape);

  /// Whether the elements lie one after the other, leftmost fastest. Strides of extents 0 and 1 do not matter; a tensor
  /// without elements is contiguous.
  bool isContiguous() const noexcept;

  int64_t elementCount() const noexcept { return shape.elementCount(); }

  /// Dimension d of the result is dimension `permutation[d]`.
  TensorView transposed(const IntList &permutation) const;

  /// Dimension d walks from `starts[d]` in steps of `steps[d]` (not 0) over `extents[d]` elements.
  TensorView sliced(const IntList &starts, const IntList &steps, const Shape &extents) const;

  /// Dimension d runs backwards for each d of `dimensions`.
  TensorView reversed(const IntList &dimensions) const;

  /// The elements at equal coordinates of the dimensions a and b: b goes away, a keeps its place.
  TensorView diagonal(int64_t a, int64_t b) const;

  /// Dimension d of this view becomes dimension `dimensions[d]` of the result; other dimensions of `result`, and those
  /// whose extent here is 1 and there is not, repeat (stride 0).
  TensorView broadcastTo(const Shape &result, const IntList &dimensions) const;

  /// The same elements in logical order (leftmost fastest) under another shape of as many elements. False if the
  /// strides do not allow it; `result` is then untouched.
  bool reshaped(const Shape &shape, TensorView &result) const;
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CORE_TENSORVIEW_H
