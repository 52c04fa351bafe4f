// Blocks from malloc or, large ones, from mmap.
#include "runtime/memory/SystemBlocks.h"

#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>

namespace tenferro::runtime {

namespace {

constexpr size_t kMapFrom = size_t{1} << 20;
constexpr size_t kPage = 4096;
constexpr size_t kHugePage = size_t{2} << 20;

size_t mappedBytes(uint32_t sizeClass) noexcept { return (sizeClassBytes(sizeClass) + kPage - 1) & ~(kPage - 1); }

void *map(size_t bytes) noexcept {
  void *address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return address == MAP_FAILED ? nullptr : address;
}

/// A mapping that starts at a huge page: the ends of a larger one are given back.
void *mapAligned(size_t bytes) noexcept {
  auto *larger = static_cast<char *>(map(bytes + kHugePage));
  if (!larger)
    return map(bytes);
  size_t before = -reinterpret_cast<uintptr_t>(larger) & (kHugePage - 1);
  if (before)
    munmap(larger, before);
  munmap(larger + before + bytes, kHugePage - before);
  madvise(larger + before, bytes & ~(kHugePage - 1), MADV_HUGEPAGE);
  return larger + before;
}

} // namespace

void *systemBlock(uint32_t sizeClass) noexcept {
  size_t bytes = sizeClassBytes(sizeClass);
  if (bytes < kMapFrom)
    return std::aligned_alloc(64, bytes);
  bytes = mappedBytes(sizeClass);
  return bytes < 2 * kHugePage ? map(bytes) : mapAligned(bytes);
}

void freeSystemBlock(void *block, uint32_t sizeClass) noexcept {
  if (sizeClassBytes(sizeClass) < kMapFrom)
    std::free(block);
  else
    munmap(block, mappedBytes(sizeClass));
}

void trimSystemBlocks() noexcept { malloc_trim(0); }

} // namespace tenferro::runtime
