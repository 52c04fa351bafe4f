// Slabs: 256 KiB of an anonymous file, mapped writable and executable, so that the number of maps stays small however
// many programs are compiled.
//
// Fork: both processes share the file, so after a fork neither may write to a slab of before. Both freeze them; a
// frozen slab goes when its last piece does.
#include "runtime/program/CodeSlabs.h"

#include "runtime/core/Failures.h"
#include "runtime/program/CodeLoader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

namespace tenferro::runtime {

struct CodeSlab {
  struct Piece {
    size_t offset, bytes;
  };
  uint8_t *writable = nullptr, *executable = nullptr;
  size_t bytes = 0, used = 0;
  bool frozen = false;
  std::vector<Piece> free; ///< by offset, never adjacent

  ~CodeSlab() {
    if (writable)
      munmap(writable, bytes);
    if (executable)
      munmap(executable, bytes);
  }
};

namespace {

constexpr size_t kSlabBytes = size_t{256} << 10;
constexpr size_t kPieceAlign = 64;

struct Slabs {
  std::mutex mutex;
  std::vector<std::unique_ptr<CodeSlab>> slabs;

  void freeze() noexcept {
    for (auto &slab : slabs)
      slab->frozen = true;
    mutex.unlock();
  }
};

Slabs &slabs() {
  // Never destroyed: programs in static variables end after it would.
  static Slabs *all = [] {
    auto *made = new Slabs;
    pthread_atfork([] { slabs().mutex.lock(); }, [] { slabs().freeze(); }, [] { slabs().freeze(); });
    return made;
  }();
  return *all;
}

} // namespace

void registerCodeForkHandlers() { slabs(); }

namespace {

Failure noMemory(const char *call) {
  return makeFailure(ErrorKind::OutOfMemory, "load code",
                     std::string("expects executable memory, but ") + call + " failed: " + std::strerror(errno));
}

core::Expected<std::unique_ptr<CodeSlab>> makeSlab(size_t bytes) {
  int file = memfd_create("tenferro-code", MFD_CLOEXEC | MFD_EXEC);
  if (file < 0 && errno == EINVAL) // a kernel older than the flag
    file = memfd_create("tenferro-code", MFD_CLOEXEC);
  if (file < 0)
    return noMemory("memfd_create");
  auto slab = std::make_unique<CodeSlab>();
  slab->bytes = bytes;
  std::optional<Failure> failure;
  if (ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    failure = noMemory("ftruncate");
  } else {
    void *writable = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (writable == MAP_FAILED)
      failure = noMemory("mmap");
    else
      slab->writable = static_cast<uint8_t *>(writable);
    void *executable = failure ? MAP_FAILED : mmap(nullptr, bytes, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
    if (executable != MAP_FAILED)
      slab->executable = static_cast<uint8_t *>(executable);
    else if (!failure)
      failure = noMemory("mmap");
  }
  close(file);
  if (failure)
    return std::move(*failure);
  slab->free.push_back({0, bytes});
  return slab;
}

/// First fit in the slab.
bool takePiece(CodeSlab &slab, size_t bytes, size_t align, size_t &offset) {
  for (size_t i = 0; i < slab.free.size(); ++i) {
    CodeSlab::Piece piece = slab.free[i];
    size_t start = (piece.offset + align - 1) & ~(align - 1), end = piece.offset + piece.bytes;
    if (start > end || bytes > end - start)
      continue;
    slab.free.erase(slab.free.begin() + static_cast<ptrdiff_t>(i));
    if (start + bytes < end)
      slab.free.insert(slab.free.begin() + static_cast<ptrdiff_t>(i), {start + bytes, end - start - bytes});
    if (start > piece.offset)
      slab.free.insert(slab.free.begin() + static_cast<ptrdiff_t>(i), {piece.offset, start - piece.offset});
    slab.used += bytes;
    offset = start;
    return true;
  }
  return false;
}

} // namespace

core::Expected<CodeSpace> allocateCode(size_t bytes, size_t align) {
  bytes = std::max((bytes + kPieceAlign - 1) & ~(kPieceAlign - 1), kPieceAlign);
  align = std::max(align, kPieceAlign);
  Slabs &all = slabs();
  std::lock_guard lock(all.mutex);
  size_t offset = 0;
  for (auto &slab : all.slabs)
    if (!slab->frozen && takePiece(*slab, bytes, align, offset))
      return CodeSpace(slab.get(), offset, bytes, slab->writable + offset, slab->executable + offset);
  auto made = makeSlab(std::max(kSlabBytes, (bytes + 4095) & ~size_t{4095}));
  if (!made)
    return std::move(made.failure());
  CodeSlab *slab = made->get();
  all.slabs.push_back(std::move(*made));
  takePiece(*slab, bytes, align, offset);
  return CodeSpace(slab, offset, bytes, slab->writable + offset, slab->executable + offset);
}

CodeSpace::~CodeSpace() {
  if (!slab_)
    return;
  Slabs &all = slabs();
  std::unique_ptr<CodeSlab> dropped;
  std::lock_guard lock(all.mutex);
  CodeSlab &slab = *slab_;
  slab.used -= bytes_;
  if (slab.used == 0) { // one empty slab stays for the next program
    bool another = false;
    for (auto &each : all.slabs)
      another |= each.get() != slab_ && !each->frozen && each->used == 0;
    if (slab.frozen || another || slab.bytes > kSlabBytes) {
      auto it = std::find_if(all.slabs.begin(), all.slabs.end(), [&](auto &each) { return each.get() == slab_; });
      dropped = std::move(*it);
      all.slabs.erase(it);
      return;
    }
    slab.free.assign(1, {0, slab.bytes});
    return;
  }
  auto it = std::find_if(slab.free.begin(), slab.free.end(), [&](auto &piece) { return piece.offset > offset_; });
  it = slab.free.insert(it, {offset_, bytes_});
  if (it + 1 != slab.free.end() && it->offset + it->bytes == (it + 1)->offset) {
    it->bytes += (it + 1)->bytes;
    slab.free.erase(it + 1);
  }
  if (it != slab.free.begin() && (it - 1)->offset + (it - 1)->bytes == it->offset) {
    (it - 1)->bytes += it->bytes;
    slab.free.erase(it);
  }
}

CodeStats codeStats() {
  Slabs &all = slabs();
  std::lock_guard lock(all.mutex);
  CodeStats stats;
  for (auto &slab : all.slabs) {
    ++stats.slabs;
    stats.slabBytes += slab->bytes;
    stats.usedBytes += slab->used;
  }
  return stats;
}

} // namespace tenferro::runtime
