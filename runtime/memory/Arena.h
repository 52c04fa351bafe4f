// Places in the memory that the values of a program share: the one rule of the compiler's buffer planning and of
// programs made for another size.
#ifndef TENFERRO_RUNTIME_MEMORY_ARENA_H
#define TENFERRO_RUNTIME_MEMORY_ARENA_H

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace tenferro::runtime {

/// Gives out blocks of an arena that grows: the smallest free block that fits, the lowest of equal ones, else more at the
/// top. Offsets are multiples of `kAlignment`. Which blocks are free does not depend on the order in which they were given back.
class Arena {
public:
  static constexpr int64_t kAlignment = 64;

  /// The offset of `bytes` bytes.
  int64_t take(int64_t bytes);
  /// Makes what `take(bytes)` gave free again.
  void give(int64_t offset, int64_t bytes);
  /// Bytes of the arena: the most that were in use at once, with what lay free between them.
  int64_t bytes() const noexcept { return high_; }

private:
  static int64_t alignUp(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }
  void insert(int64_t offset, int64_t bytes);
  void erase(std::map<int64_t, int64_t>::iterator block);

  std::map<int64_t, int64_t> free_;              ///< bytes by offset; neighbours are merged
  std::set<std::pair<int64_t, int64_t>> bySize_; ///< the same as (bytes, offset)
  int64_t top_ = 0, high_ = 0;
};

inline void Arena::insert(int64_t offset, int64_t bytes) {
  free_.emplace(offset, bytes);
  bySize_.emplace(bytes, offset);
}

inline void Arena::erase(std::map<int64_t, int64_t>::iterator block) {
  bySize_.erase({block->second, block->first});
  free_.erase(block);
}

inline int64_t Arena::take(int64_t bytes) {
  bytes = alignUp(bytes);
  if (auto best = bySize_.lower_bound({bytes, 0}); best != bySize_.end()) {
    auto [size, offset] = *best;
    erase(free_.find(offset));
    if (size != bytes)
      insert(offset + bytes, size - bytes);
    return offset;
  }
  int64_t offset = top_;
  if (!free_.empty()) { // grow the last block
    auto last = std::prev(free_.end());
    if (last->first + last->second == top_) {
      offset = last->first;
      erase(last);
    }
  }
  top_ = offset + bytes;
  high_ = std::max(high_, top_);
  return offset;
}

inline void Arena::give(int64_t offset, int64_t bytes) {
  bytes = alignUp(bytes);
  if (bytes == 0)
    return;
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + bytes == next->first) {
    bytes += next->second;
    auto merged = next++;
    erase(merged);
  }
  if (next != free_.begin())
    if (auto before = std::prev(next); before->first + before->second == offset) {
      offset = before->first;
      bytes += before->second;
      erase(before);
    }
  insert(offset, bytes);
}

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_MEMORY_ARENA_H
