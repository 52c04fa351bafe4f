// Views of tensors: another shape and other strides over the same elements.
#include "lib/Core/ShapeRules.h"
#include "lib/Eager/TensorImpl.h"

#include "runtime/launch/LaunchContext.h"
#include "runtime/launch/StridedCopy.h"

namespace tenferro {

using detail::TensorAccess;

namespace {

/// The shape the operation of the same name gives, so that views break the same rules with the same errors.
Shape resultShape(core::OpKind kind, const Tensor &tensor, const core::Attributes &attributes) {
  core::ValueType operand{tensor.dtype(), tensor.shape()};
  core::Expected<core::ValueType> result = core::inferResult(kind, {&operand, 1}, attributes);
  if (!result)
    raise(std::move(result.failure()));
  return std::move(result->shape);
}

void append(core::Attributes &attributes, const IntList &list) {
  attributes.push_back(static_cast<int64_t>(list.size()));
  for (int64_t value : list)
    attributes.push_back(value);
}

} // namespace

Tensor Tensor::transposed(const IntList &permutation) const {
  core::Attributes attributes;
  append(attributes, permutation);
  resultShape(core::OpKind::Transpose, *this, attributes);
  return TensorAccess::withView(*this, TensorAccess::view(*this).transposed(permutation));
}

Tensor Tensor::sliced(const IntList &starts, const IntList &limits, const IntList &strides) const {
  core::Attributes attributes;
  append(attributes, starts);
  append(attributes, limits);
  append(attributes, strides);
  Shape extents = resultShape(core::OpKind::Slice, *this, attributes);
  return TensorAccess::withView(*this, TensorAccess::view(*this).sliced(starts, strides, extents));
}

Tensor Tensor::broadcastTo(const Shape &result) const {
  // Right aligned: the operand's axes are the last ones of the result.
  IntList dimensions;
  for (int64_t axis = 0; axis < rank(); ++axis)
    dimensions.push_back(result.rank() - rank() + axis);
  core::Expected<Shape> shape = core::broadcastShapes("broadcast_to", this->shape(), result);
  if (!shape)
    raise(std::move(shape.failure()));
  if (!(*shape == result)) {
    Failure failure;
    failure.kind = ErrorKind::ShapeMismatch;
    failure.op = "broadcast_to";
    failure.argument = "shape";
    failure.message = "expects a shape that " + this->shape().str() + " repeats to, but got " + result.str();
    failure.shapes = {this->shape(), result};
    raise(std::move(failure));
  }
  return TensorAccess::withView(*this, TensorAccess::view(*this).broadcastTo(result, dimensions));
}

Tensor Tensor::reshaped(const Shape &shape) const {
  core::Attributes attributes;
  append(attributes, shape);
  resultShape(core::OpKind::Reshape, *this, attributes);
  const runtime::TensorView &view = TensorAccess::view(*this);
  runtime::TensorView reshaped;
  if (view.reshaped(shape, reshaped))
    return TensorAccess::withView(*this, std::move(reshaped));
  return contiguous().reshaped(shape);
}

Tensor Tensor::contiguous() const {
  if (isContiguous())
    return *this;
  const runtime::TensorView &view = TensorAccess::view(*this);
  Tensor copy = TensorAccess::allocate(view.dtype, view.shape);
  runtime::copyToContiguous(view, TensorAccess::view(copy).data, runtime::LaunchContext());
  return copy;
}

} // namespace tenferro
