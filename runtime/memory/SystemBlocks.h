// The size classes of the allocator, and the blocks of a class as the operating system gives them.
#ifndef TENFERRO_RUNTIME_MEMORY_SYSTEMBLOCKS_H
#define TENFERRO_RUNTIME_MEMORY_SYSTEMBLOCKS_H

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tenferro::runtime {

// Classes are multiples of 64 up to 1 KiB, then eight to the octave.
inline constexpr uint32_t kLinearClasses = 16;
inline constexpr uint32_t kSizeClasses = kLinearClasses + 8 * 38;
inline constexpr size_t kMostBlockBytes = size_t{1} << 48;

/// The smallest class that holds a block of `bytes`, from 1 to kMostBlockBytes.
inline uint32_t sizeClassOf(size_t bytes) noexcept {
  if (bytes <= 1024)
    return static_cast<uint32_t>((bytes + 63) / 64) - 1;
  size_t last = bytes - 1;
  int octave = 63 - std::countl_zero(last); // bytes is in (2^octave, 2^(octave + 1)]
  return kLinearClasses + 8 * static_cast<uint32_t>(octave - 10) + static_cast<uint32_t>((last >> (octave - 3)) & 7);
}

inline size_t sizeClassBytes(uint32_t sizeClass) noexcept {
  if (sizeClass < kLinearClasses)
    return size_t{64} * (sizeClass + 1);
  uint32_t octave = (sizeClass - kLinearClasses) / 8 + 10, step = (sizeClass - kLinearClasses) % 8;
  return (size_t{1} << octave) + (size_t{step} + 1) * (size_t{1} << (octave - 3));
}

/// A fresh block of the class, aligned to 64, or null if the system has none. From 1 MiB on blocks are mappings of
/// their own, so that freeing them gives the memory back; from 4 MiB on they ask for huge pages.
void *systemBlock(uint32_t sizeClass) noexcept;
void freeSystemBlock(void *block, uint32_t sizeClass) noexcept;

/// Gives back what freed small blocks left with the C library.
void trimSystemBlocks() noexcept;

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_MEMORY_SYSTEMBLOCKS_H
