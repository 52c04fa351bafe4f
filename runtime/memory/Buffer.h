// Reference-counted storage of tensors, from an allocator that keeps what is freed for the next result of that size.
#ifndef TENFERRO_RUNTIME_MEMORY_BUFFER_H
#define TENFERRO_RUNTIME_MEMORY_BUFFER_H

#include "runtime/memory/SlabHeap.h"
#include "tenferro/Memory.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tenferro::runtime {

/// A block of memory that counts its references. Only `BufferRef` makes and destroys one; the bytes follow the header,
/// aligned to 64.
class alignas(64) Buffer {
public:
  void *data() noexcept { return this + 1; }
  const void *data() const noexcept { return this + 1; }
  size_t bytes() const noexcept { return bytes_; }

  /// The header has room for what describes a tensor, so that most tensors are one block.
  static constexpr size_t kRoomBytes = 224;
  /// The room, 8-aligned; null if it was given out before, and under a sanitizer, which then sees who looks into it too late. The
  /// caller has the only reference. Whoever ends the object in it lets go of the buffer only then.
  void *takeRoom() noexcept {
    if (TENFERRO_CHECKED_BLOCKS || roomTaken_)
      return nullptr;
    roomTaken_ = true;
    return room_;
  }

private:
  friend class BufferRef;
  friend struct BufferAllocator;
  Buffer(size_t bytes, uint32_t sizeClass) noexcept : sizeClass_(sizeClass), bytes_(bytes) {}

  std::atomic<uint32_t> references_{1};
  uint32_t sizeClass_;
  size_t bytes_;
  Buffer *next_ = nullptr; ///< in a free list
  bool roomTaken_ = false;
  alignas(8) unsigned char room_[kRoomBytes];
};
static_assert(sizeof(Buffer) == 256);

/// Shared ownership of a Buffer, or null. Thread safety: as std::shared_ptr. 8 bytes.
class BufferRef {
public:
  BufferRef() noexcept = default;
  BufferRef(const BufferRef &other) noexcept : buffer_(other.buffer_) {
    if (buffer_)
      buffer_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  BufferRef(BufferRef &&other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferRef &operator=(BufferRef other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~BufferRef() { reset(); }

  /// Fresh memory with unspecified contents; `bytes` may be 0. Raises OutOfMemory, with the bytes asked for, those in use and the
  /// cap, if the machine has none or the cap is reached.
  static BufferRef allocate(size_t bytes);

  explicit operator bool() const noexcept { return buffer_ != nullptr; }
  Buffer *get() const noexcept { return buffer_; }
  Buffer *operator->() const noexcept { return buffer_; }
  void *data() const noexcept { return buffer_ ? buffer_->data() : nullptr; }
  size_t bytes() const noexcept { return buffer_ ? buffer_->bytes() : 0; }

  /// Whether nobody else holds the buffer, so that it may be written in place.
  bool isUnique() const noexcept { return buffer_ && buffer_->references_.load(std::memory_order_acquire) == 1; }

  void reset() noexcept {
    if (!buffer_)
      return;
    // The last owner needs no read-modify-write: nobody else can add a reference.
    if (buffer_->references_.load(std::memory_order_acquire) == 1 ||
        buffer_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy(buffer_);
    buffer_ = nullptr;
  }

  friend bool operator==(const BufferRef &a, const BufferRef &b) noexcept { return a.buffer_ == b.buffer_; }

private:
  explicit BufferRef(Buffer *buffer) noexcept : buffer_(buffer) {}
  static void destroy(Buffer *buffer) noexcept;

  Buffer *buffer_ = nullptr;
};

// Counters, the cap and giving memory back are public: tenferro/Memory.h.
using tenferro::memoryStats;
using tenferro::MemoryStats;
using tenferro::resetPeakMemory;

/// Has forks wait for the locks of blocks of all sizes, which the first block would do.
void registerMemoryForkHandlers();

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_MEMORY_BUFFER_H
