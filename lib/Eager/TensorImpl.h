// What a Tensor points to: a counted pair of shared storage and a view of it.
#ifndef TENFERRO_EAGER_TENSORIMPL_H
#define TENFERRO_EAGER_TENSORIMPL_H

#include "lib/Eager/Trace/SmallBlocks.h"
#include "runtime/core/TensorView.h"
#include "runtime/memory/Buffer.h"
#include "tenferro/Tensor.h"

#include <atomic>
#include <utility>

namespace tenferro {

/// Immutable once it is visible to a second owner. The view's `data` lies in the buffer (anywhere where there are no
/// elements). The first contiguous tensor over a buffer lies in the buffer's own block, but not under a sanitizer.
struct Tensor::Impl {
  Impl(runtime::BufferRef storage, runtime::TensorView elements) noexcept
      : buffer(std::move(storage)), view(std::move(elements)), count(view.elementCount()) {
    isContiguous = view.isContiguous();
  }
  /// Contiguous elements at the front of the buffer. Built in place: this is a part of every operation.
  Impl(runtime::BufferRef storage, DType dtype, const Shape &shape) : buffer(std::move(storage)) {
    view.data = buffer.data();
    view.dtype = dtype;
    int64_t stride = 1;
    for (int64_t extent : shape) {
      view.shape.push_back(extent);
      view.strides.push_back(stride);
      stride *= extent > 0 ? extent : 1;
      count *= extent;
    }
  }
  static void *operator new(size_t bytes) { return eager::SmallBlocks::allocate(bytes); }
  static void operator delete(void *memory, size_t bytes) noexcept { eager::SmallBlocks::free(memory, bytes); }

  /// Over a buffer that nobody else holds.
  static Impl *create(runtime::BufferRef storage, DType dtype, const Shape &shape) {
    static_assert(sizeof(Impl) <= runtime::Buffer::kRoomBytes);
    void *room = storage->takeRoom();
    if (!room) [[unlikely]]
      return new Impl(std::move(storage), dtype, shape);
    auto *impl = ::new (room) Impl(std::move(storage), dtype, shape);
    impl->isInBuffer = true;
    return impl;
  }

  std::atomic<uint32_t> references{1};
  bool isInBuffer = false;
  bool isContiguous = true; ///< what the view says, asked once
  runtime::BufferRef buffer;
  runtime::TensorView view;
  int64_t count = 1; ///< of elements

  void retain() noexcept { references.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    // The last owner needs no read-modify-write: nobody else can add a reference.
    if (references.load(std::memory_order_acquire) == 1 || references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy();
  }

private:
  void destroy() noexcept {
    if (!isInBuffer)
      return delete this;
    runtime::BufferRef own = std::move(buffer);
    this->~Impl();
  }
};

namespace detail {

/// The way from a Tensor to its storage and back, for the library's own use.
struct TensorAccess {
  /// A tensor over `view`, which lies in `buffer`.
  static Tensor make(runtime::BufferRef buffer, runtime::TensorView view) {
    Tensor tensor;
    tensor.impl_ = new Tensor::Impl(std::move(buffer), std::move(view));
    return tensor;
  }

  /// A contiguous tensor with unspecified elements, to be written through `view(tensor).data` before anyone else sees
  /// it. The shape must be valid. Raises OutOfMemory.
  static Tensor allocate(DType dtype, const Shape &shape) {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    return contiguous(runtime::BufferRef::allocate(static_cast<size_t>(count) * byteSize(dtype)), dtype, shape);
  }

  /// A contiguous tensor over the elements at the front of `buffer`, which nobody else holds.
  static Tensor contiguous(runtime::BufferRef buffer, DType dtype, const Shape &shape) {
    Tensor tensor;
    tensor.impl_ = Tensor::Impl::create(std::move(buffer), dtype, shape);
    return tensor;
  }

  /// A tensor over the same storage as `tensor`.
  static Tensor withView(const Tensor &tensor, runtime::TensorView view) {
    return make(impl(tensor).buffer, std::move(view));
  }

  /// Shape, dtype, strides and address. Errors: InvalidArgument for an empty tensor.
  static const runtime::TensorView &view(const Tensor &tensor) { return impl(tensor).view; }
  static bool isContiguous(const Tensor &tensor) { return impl(tensor).isContiguous; }
  static int64_t elementCount(const Tensor &tensor) { return impl(tensor).count; }
  static const runtime::BufferRef &buffer(const Tensor &tensor) { return impl(tensor).buffer; }

  /// DTypeMismatch unless the elements are of `asked`.
  static void checkDType(const Tensor &tensor, DType asked);
  /// The only element, as `Tensor::item`.
  static void copyOnly(const Tensor &tensor, DType dtype, void *out) { tensor.copyOnly(dtype, out); }

  /// Whether both are copies of one tensor, or empty.
  static bool isSame(const Tensor &a, const Tensor &b) noexcept { return a.impl_ == b.impl_; }

  /// Whether others hold copies of this tensor.
  static bool isShared(const Tensor &tensor) noexcept {
    return tensor.impl_->references.load(std::memory_order_acquire) > 1;
  }
  /// Gives memory to a tensor that was made without, before anyone looks for its elements.
  static void place(const Tensor &tensor, runtime::BufferRef buffer) noexcept {
    void *data = buffer.data();
    place(tensor, std::move(buffer), data);
  }
  static void place(const Tensor &tensor, runtime::BufferRef buffer, void *data) noexcept {
    tensor.impl_->view.data = data;
    tensor.impl_->buffer = std::move(buffer);
  }
  /// The same where the elements are those of a tensor of one element.
  static void fill(const Tensor &tensor, const Tensor &from) noexcept { place(tensor, buffer(from), view(from).data); }

  /// Whether nobody else can see the elements: neither through a copy of the tensor nor through a view.
  static bool isUnique(const Tensor &tensor) noexcept {
    return tensor.impl_ && tensor.impl_->references.load(std::memory_order_acquire) == 1 &&
           tensor.impl_->buffer.isUnique();
  }

private:
  static const Tensor::Impl &impl(const Tensor &tensor) {
    if (!tensor.impl_)
      raiseEmpty();
    return *tensor.impl_;
  }
  [[noreturn]] static void raiseEmpty();
};

} // namespace detail
} // namespace tenferro

#endif // TENFERRO_EAGER_TENSORIMPL_H
