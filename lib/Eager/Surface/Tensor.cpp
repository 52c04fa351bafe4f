// Making tensors, reading their elements and counting their owners.
#include "lib/Eager/TensorImpl.h"

#include "runtime/launch/LaunchContext.h"
#include "runtime/launch/StridedCopy.h"

#include <algorithm>
#include <cstring>

namespace tenferro {

using detail::TensorAccess;

namespace {

[[noreturn]] void fail(ErrorKind kind, std::string argument, std::string message, const Shape *shape = nullptr,
                       std::initializer_list<DType> dtypes = {}) {
  Failure failure;
  failure.kind = kind;
  failure.op = "tensor";
  failure.argument = std::move(argument);
  failure.message = std::move(message);
  if (shape)
    failure.shapes.push_back(*shape);
  failure.dtypes = dtypes;
  raise(std::move(failure));
}

void checkShape(const Shape &shape) {
  if (!shape.isValid())
    fail(ErrorKind::InvalidArgument, "shape",
         "expects extents of at least 0 whose product fits in memory, but got " + shape.str(), &shape);
}

void checkType(const Shape &shape, DType dtype) {
  checkShape(shape);
  if (!isDType(dtype))
    fail(ErrorKind::InvalidArgument, "dtype",
         "expects a dtype, but got case " + std::to_string(static_cast<int>(dtype)));
}

void checkElements(const Shape &shape, DType dtype, const void *elements, size_t count) {
  checkType(shape, dtype);
  if (static_cast<uint64_t>(shape.elementCount()) != count)
    fail(ErrorKind::ElementCount, "values",
         "expects " + std::to_string(shape.elementCount()) + " values for shape " + shape.str() + ", but got " +
             std::to_string(count),
         &shape);
  if (count > 0 && !elements)
    fail(ErrorKind::InvalidArgument, "values", "expects values, but got a null pointer");
}

/// A byte of the user's that is not 0 counts as true; kernels rely on 0 and 1.
void normalizeBools(const Tensor &tensor) {
  if (tensor.dtype() != DType::Bool)
    return;
  auto *bytes = static_cast<uint8_t *>(TensorAccess::view(tensor).data);
  std::transform(bytes, bytes + tensor.elementCount(), bytes, [](uint8_t byte) { return uint8_t(byte != 0); });
}

} // namespace

void TensorAccess::raiseEmpty() {
  fail(ErrorKind::InvalidArgument, "",
       "expects a tensor with a value, but got an empty one (default-made or moved-from)");
}

Tensor::Tensor() noexcept = default;
Tensor::Tensor(const Tensor &other) noexcept : impl_(other.impl_) {
  if (impl_)
    impl_->retain();
}
Tensor::Tensor(Tensor &&other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
Tensor &Tensor::operator=(const Tensor &other) noexcept {
  Tensor copy(other);
  std::swap(impl_, copy.impl_);
  return *this;
}
Tensor &Tensor::operator=(Tensor &&other) noexcept {
  Tensor moved(std::move(other));
  std::swap(impl_, moved.impl_);
  return *this;
}
Tensor::~Tensor() {
  if (impl_)
    impl_->release();
}

Tensor Tensor::fromElements(const Shape &shape, DType dtype, const void *elements, size_t count) {
  checkElements(shape, dtype, elements, count);
  Tensor tensor = TensorAccess::allocate(dtype, shape);
  if (count > 0)
    std::memcpy(TensorAccess::view(tensor).data, elements, count * byteSize(dtype));
  normalizeBools(tensor);
  return tensor;
}

Tensor Tensor::fromRowMajorElements(const Shape &shape, DType dtype, const void *elements, size_t count) {
  checkElements(shape, dtype, elements, count);
  // Row-major elements are the reversed shape's column-major ones.
  Shape reversed;
  for (int64_t axis = shape.rank(); axis-- > 0;)
    reversed.push_back(shape[static_cast<size_t>(axis)]);
  Tensor rows = fromElements(reversed, dtype, elements, count);
  return rows.transposed(rows.reversedAxes()).contiguous();
}

Tensor Tensor::filled(const Shape &shape, DType dtype, const void *value) {
  checkType(shape, dtype);
  Tensor tensor = TensorAccess::allocate(dtype, shape);
  auto *out = static_cast<char *>(TensorAccess::view(tensor).data);
  size_t bytes = byteSize(dtype);
  for (int64_t i = 0, count = shape.elementCount(); i < count; ++i, out += bytes)
    std::memcpy(out, value, bytes);
  normalizeBools(tensor);
  return tensor;
}

Tensor Tensor::zeros(const Shape &shape, DType dtype) {
  checkType(shape, dtype);
  Tensor tensor = TensorAccess::allocate(dtype, shape);
  if (size_t bytes = static_cast<size_t>(shape.elementCount()) * byteSize(dtype))
    std::memset(TensorAccess::view(tensor).data, 0, bytes);
  return tensor;
}

bool Tensor::empty() const noexcept { return impl_ == nullptr; }
const Shape &Tensor::shape() const { return TensorAccess::view(*this).shape; }
int64_t Tensor::rank() const { return shape().rank(); }
DType Tensor::dtype() const { return TensorAccess::view(*this).dtype; }
int64_t Tensor::elementCount() const { return shape().elementCount(); }
const IntList &Tensor::strides() const { return TensorAccess::view(*this).strides; }
bool Tensor::isContiguous() const { return TensorAccess::view(*this).isContiguous(); }

void TensorAccess::checkDType(const Tensor &tensor, DType asked) {
  if (tensor.dtype() != asked)
    fail(ErrorKind::DTypeMismatch, "",
         "holds " + std::string(name(tensor.dtype())) + " elements, but was read as " + std::string(name(asked)),
         nullptr, {tensor.dtype(), asked});
}

const void *Tensor::data() const {
  if (!isContiguous())
    fail(ErrorKind::NotContiguous, "",
         "has strides " + strides().str() + " for shape " + shape().str() +
             ", so there is no plain array; contiguous() makes a copy",
         &shape());
  return TensorAccess::view(*this).data;
}

const void *Tensor::dataOf(DType dtype) const {
  TensorAccess::checkDType(*this, dtype);
  return data();
}

void Tensor::copyOnly(DType dtype, void *out) const {
  TensorAccess::checkDType(*this, dtype);
  if (elementCount() != 1)
    fail(ErrorKind::ElementCount, "", "expects exactly one element, but the shape is " + shape().str(), &shape());
  std::memcpy(out, TensorAccess::view(*this).data, byteSize(dtype));
}

void Tensor::copyElements(DType dtype, void *out) const {
  TensorAccess::checkDType(*this, dtype);
  const runtime::TensorView &view = TensorAccess::view(*this);
  if (int64_t count = view.elementCount()) {
    if (view.isContiguous())
      std::memcpy(out, view.data, static_cast<size_t>(count) * byteSize(dtype));
    else
      runtime::copyToContiguous(view, out, runtime::LaunchContext());
  }
}

void Tensor::raiseNoRoom(size_t count, size_t bytes) {
  fail(ErrorKind::OutOfMemory, "",
       "expects memory for " + std::to_string(count) + " elements of " + std::to_string(bytes) +
           " bytes, but got none");
}

IntList Tensor::reversedAxes() const {
  IntList axes;
  for (int64_t axis = rank(); axis-- > 0;)
    axes.push_back(axis);
  return axes;
}

} // namespace tenferro
