// Executable memory in slabs, each mapped twice: once writable, once executable. Internal to the code loader.
#ifndef TENFERRO_RUNTIME_PROGRAM_CODESLABS_H
#define TENFERRO_RUNTIME_PROGRAM_CODESLABS_H

#include "lib/Core/Expected.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tenferro::runtime {

struct CodeSlab;

/// A piece of a slab; its destruction gives it back. Moves only.
class CodeSpace {
public:
  CodeSpace() = default;
  CodeSpace(CodeSlab *slab, size_t offset, size_t bytes, uint8_t *writable, uint8_t *executable) noexcept
      : slab_(slab), offset_(offset), bytes_(bytes), writable_(writable), executable_(executable) {}
  CodeSpace(CodeSpace &&other) noexcept { *this = std::move(other); }
  CodeSpace &operator=(CodeSpace &&other) noexcept {
    std::swap(slab_, other.slab_);
    std::swap(offset_, other.offset_);
    std::swap(bytes_, other.bytes_);
    std::swap(writable_, other.writable_);
    std::swap(executable_, other.executable_);
    return *this;
  }
  ~CodeSpace();

  size_t bytes() const noexcept { return bytes_; }
  uint8_t *writable() const noexcept { return writable_; }
  uint8_t *executable() const noexcept { return executable_; }

private:
  CodeSlab *slab_ = nullptr;
  size_t offset_ = 0, bytes_ = 0;
  uint8_t *writable_ = nullptr, *executable_ = nullptr;
};

/// Room for `bytes` bytes aligned to `align` (a power of two, at most 4096), or an OutOfMemory failure.
core::Expected<CodeSpace> allocateCode(size_t bytes, size_t align);

/// Makes the handlers for forks known now, which the first allocation would do: handlers run before those that were registered
/// earlier, and who waits for a thread in a handler must do so ahead of the locks that the thread takes.
void registerCodeForkHandlers();

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_PROGRAM_CODESLABS_H
