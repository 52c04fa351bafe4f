// What a failed run says: the kind of the error, its message, and the index that was out of range.
#include "runtime/core/Address.h"
#include "runtime/core/Failures.h"
#include "runtime/launch/LaunchWindows.h"
#include "runtime/program/Executor.h"

#include <cstring>

namespace tenferro::runtime {

Failure describe(KernelError error) {
  switch (error) {
  case KernelError::DivisionByZero:
    return makeFailure(ErrorKind::DivisionByZero, "", "expects integer divisors other than 0");
  case KernelError::IndexOutOfRange:
    return makeFailure(ErrorKind::IndexOutOfRange, "", "expects indices in range");
  case KernelError::NegativePower:
    return makeFailure(ErrorKind::InvalidArgument, "", "expects integer exponents of at least 0");
  }
  return makeFailure(ErrorKind::Internal, "",
                     "expects a known kernel error, but got " + std::to_string(static_cast<int>(error)));
}

Failure describe(const RunError &error) {
  Failure failure = describe(error.error);
  if (!error.hasIndex)
    return failure;
  failure.message = (error.axis < 0 ? "expects indices in [" : "expects starts in [") + std::to_string(error.low) +
                    ", " + std::to_string(error.high) + ")";
  if (error.axis >= 0) {
    failure.message += " along axis " + std::to_string(error.axis);
    failure.axes = {error.axis};
  }
  failure.message += ", but got " + std::to_string(error.index);
  return failure;
}

namespace {

template <typename T> int64_t elementAt(const void *address) noexcept {
  T value;
  std::memcpy(&value, address, sizeof value);
  return static_cast<int64_t>(value);
}

int64_t integerAt(const void *address, DType dtype) noexcept {
  return dtype == DType::I64   ? elementAt<int64_t>(address)
         : dtype == DType::I32 ? elementAt<int32_t>(address)
                               : elementAt<uint8_t>(address);
}

} // namespace

RunError withIndex(RunError error, const TensorView &indices, int64_t extent) {
  if (error.error != KernelError::IndexOutOfRange ||
      (indices.dtype != DType::I64 && indices.dtype != DType::I32 && indices.dtype != DType::U8))
    return error;
  const auto elementBytes = static_cast<int64_t>(byteSize(indices.dtype));
  IntList position(indices.shape.size(), 0);
  for (int64_t left = indices.elementCount(); left > 0; --left) {
    int64_t at = 0;
    for (size_t d = 0; d < position.size(); ++d)
      at += position[d] * indices.strides[d];
    int64_t index = integerAt(offset(indices.data, at * elementBytes), indices.dtype);
    if (index < -extent || index >= extent) {
      error.hasIndex = true;
      error.index = index;
      error.low = -extent;
      error.high = extent;
      return error;
    }
    for (size_t d = 0; d < position.size() && ++position[d] == indices.shape[d]; ++d)
      position[d] = 0;
  }
  return error;
}

RunError withStart(RunError error, const WindowDimensions &dims, const Shape &whole, const TensorView &indices) {
  if (error.error != KernelError::IndexOutOfRange)
    return error;
  if (std::optional<OutsideStart> found = findOutside(dims, whole, indices)) {
    const auto axis = static_cast<size_t>(found->dimension);
    error.hasIndex = true;
    error.index = found->value;
    error.low = -whole[axis];
    error.high = whole[axis] - dims.sizes[axis] + 1;
    error.axis = found->dimension;
  }
  return error;
}

} // namespace tenferro::runtime
