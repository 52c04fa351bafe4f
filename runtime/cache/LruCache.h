// A bounded cache that builds each missing value once, however many threads ask for it.
#ifndef TENFERRO_RUNTIME_CACHE_LRUCACHE_H
#define TENFERRO_RUNTIME_CACHE_LRUCACHE_H

#include "tenferro/Cache.h"
#include "tenferro/Error.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tenferro::runtime {

/// A 128-bit hash of a structure key.
struct CacheKey {
  uint64_t low = 0;
  uint64_t high = 0;
  friend bool operator==(const CacheKey &, const CacheKey &) = default;
};

/// What a builder returns: the value and what keeping it costs.
template <typename Value> struct Built {
  std::shared_ptr<Value> value;
  size_t retainedBytes = 0;
  bool isVariant = false; ///< of another entry, made from it at little cost: counted apart, see `kVariantsPerEntry`
};

/// How many variants a cache keeps for each entry that its limits allow.
inline constexpr size_t kVariantsPerEntry = 32;

/// Values under 128-bit keys, least recently used ones evicted. A caller's shared_ptr keeps a value alive that has been
/// evicted. Thread safe; a hit takes a shared lock only, and none where a Memo knows it. A builder may use the cache
/// for other keys.
template <typename Value> class LruCache {
  struct Entry;

public:
  using Pointer = std::shared_ptr<Value>;

  /// The last hits of whoever owns it, by reference: it keeps no value alive. For one thread at a time; any number of
  /// caches.
  class Memo {
    friend class LruCache;
    struct Line {
      uint64_t cache = 0, removals = 0;
      CacheKey key;
      std::weak_ptr<Entry> entry;
    };
    std::array<Line, 4> lines_;
  };

  explicit LruCache(CacheLimits limits = {}) : limits_(limits) {}
  LruCache(const LruCache &) = delete;
  LruCache &operator=(const LruCache &) = delete;

  /// The value of `key` if it is kept and `verify(const Value &)` accepts it, else null. Counts a hit, or nothing.
  template <typename Verify> Pointer find(const CacheKey &key, Verify &&verify) {
    std::shared_lock lock(mutex_);
    auto it = entries_.find(key);
    if (it == entries_.end() || !verify(static_cast<const Value &>(*it->second->value)))
      return nullptr;
    return hit(*it->second);
  }
  Pointer find(const CacheKey &key) {
    return find(key, [](const Value &) { return true; });
  }

  /// The value of `key`; on a miss the calling thread runs `build()` (returns Built<Value>), and others that ask
  /// meanwhile wait for it. If `build` throws, the exception reaches all of them and nothing is kept. A kept value that
  /// `verify` refuses (a hash collision) is replaced. Asking for a key from inside its own build raises RuntimeState.
  template <typename Verify, typename Build> Pointer get(const CacheKey &key, Verify &&verify, Build &&build) {
    if (Pointer value = find(key, verify))
      return value;
    return buildOnce(key, verify, build);
  }
  template <typename Build> Pointer get(const CacheKey &key, Build &&build) {
    return get(key, [](const Value &) { return true; }, std::forward<Build>(build));
  }
  /// The same without a lock if `memo` remembers the value and it is still kept.
  template <typename Build> Pointer get(const CacheKey &key, Memo &memo, Build &&build) {
    typename Memo::Line &line = memo.lines_[key.low % memo.lines_.size()];
    // What was kept when nothing had been removed yet is kept as long as nothing is.
    if (line.key == key && line.cache == id_ && line.removals == removals_.load(std::memory_order_acquire))
      if (std::shared_ptr<Entry> entry = line.entry.lock()) {
        const Pointer &value = hit(*entry);
        return Pointer(std::move(entry), value.get());
      }
    Pointer value = get(key, std::forward<Build>(build));
    std::shared_lock lock(mutex_);
    if (auto it = entries_.find(key); it != entries_.end())
      line = {id_, removals_.load(std::memory_order_relaxed), key, it->second};
    return value;
  }

  /// Takes a value that the caller built without being waited for, because it must not wait itself: while it holds
  /// something that another build may need. Counts a miss. Keeps the one that is there if `verify` accepts it.
  template <typename Verify> void offer(const CacheKey &key, Verify &&verify, const Built<Value> &built) {
    Dropped dropped;
    std::unique_lock lock(mutex_);
    ++misses_;
    auto it = entries_.find(key);
    if (it == entries_.end() || !verify(static_cast<const Value &>(*it->second->value)))
      insert(key, built, dropped);
    lock.unlock();
  }
  /// Counts the miss of a value that is not to be kept.
  void countMiss() {
    std::unique_lock lock(mutex_);
    ++misses_;
  }

  /// Adds to what keeping `value` costs, if it is the one that is kept under `key`; may evict.
  void grow(const CacheKey &key, const Value *value, size_t bytes) {
    Dropped dropped;
    std::unique_lock lock(mutex_);
    auto it = entries_.find(key);
    if (it != entries_.end() && it->second->value.get() == value) {
      it->second->bytes += bytes;
      retainedBytes_ += bytes;
      evict(dropped);
    }
    lock.unlock();
  }

  CacheStats stats() const {
    std::shared_lock lock(mutex_);
    return {entries_.size(), retainedBytes_, hits_.load(std::memory_order_relaxed), misses_, evictions_, clears_};
  }
  CacheLimits limits() const {
    std::shared_lock lock(mutex_);
    return limits_;
  }
  /// Evicts at once what the new limits do not allow.
  void setLimits(CacheLimits limits) {
    Dropped dropped; // destroyed after the lock is gone
    std::unique_lock lock(mutex_);
    limits_ = limits;
    evict(dropped);
    lock.unlock();
  }
  /// Forgets all entries; `clears` grows and the other counters restart. Builds in flight are kept when they end.
  void clear() {
    Entries dropped;
    std::unique_lock lock(mutex_);
    dropped.swap(entries_);
    removed();
    retainedBytes_ = variants_ = 0;
    misses_ = evictions_ = 0;
    hits_.store(0, std::memory_order_relaxed);
    ++clears_;
    lock.unlock();
  }
  /// Calls `visit(key, value)` for every entry, under the shared lock.
  template <typename Visit> void forEach(Visit &&visit) const {
    std::shared_lock lock(mutex_);
    for (const auto &[key, entry] : entries_)
      visit(key, static_cast<const Value &>(*entry->value));
  }

private:
  struct Hash {
    size_t operator()(const CacheKey &key) const noexcept { return key.low ^ (key.high * 0x9E3779B97F4A7C15u); }
  };
  struct Entry {
    explicit Entry(const Built<Value> &built)
        : value(built.value), bytes(built.retainedBytes), isVariant(built.isVariant) {}
    const Pointer value;
    size_t bytes; ///< under the lock
    const bool isVariant;
    std::atomic<uint64_t> stamp{0};
  };
  using Entries = std::unordered_map<CacheKey, std::shared_ptr<Entry>, Hash>;
  using Dropped = std::vector<std::shared_ptr<Entry>>;
  /// A build in flight.
  struct Flight {
    std::thread::id builder;
    bool done = false;
    Pointer value;
    std::exception_ptr error;
    std::condition_variable_any changed;
  };

  /// Counts it and makes it the most recently used one.
  const Pointer &hit(Entry &entry) {
    hits_.fetch_add(1, std::memory_order_relaxed);
    if (entry.stamp.load(std::memory_order_relaxed) + 1 != clock_.load(std::memory_order_relaxed))
      touch(entry);
    return entry.value;
  }
  void touch(Entry &entry) {
    entry.stamp.store(clock_.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
  }
  /// With the lock held: memos are to look again.
  void removed() { removals_.fetch_add(1, std::memory_order_release); }

  static uint64_t nextId() {
    static std::atomic<uint64_t> next{1};
    return next.fetch_add(1, std::memory_order_relaxed);
  }

  template <typename Verify, typename Build> Pointer buildOnce(const CacheKey &key, Verify &verify, Build &build) {
    std::unique_lock lock(mutex_);
    for (;;) {
      auto it = entries_.find(key);
      if (it != entries_.end() && verify(static_cast<const Value &>(*it->second->value)))
        return hit(*it->second);
      auto found = flights_.find(key);
      if (found == flights_.end())
        break;
      std::shared_ptr<Flight> flight = found->second;
      if (flight->builder == std::this_thread::get_id()) {
        Failure failure;
        failure.kind = ErrorKind::RuntimeState;
        failure.phase = Phase::Compile;
        failure.op = "cache";
        failure.message = "expects a build that does not ask for its own key";
        raise(std::move(failure));
      }
      flight->changed.wait(lock, [&] { return flight->done; });
      if (flight->error)
        std::rethrow_exception(flight->error);
      if (verify(static_cast<const Value &>(*flight->value))) {
        hits_.fetch_add(1, std::memory_order_relaxed);
        return flight->value;
      }
    }
    auto flight = std::make_shared<Flight>();
    flight->builder = std::this_thread::get_id();
    flights_.emplace(key, flight);
    ++misses_;
    lock.unlock();

    Built<Value> built;
    std::exception_ptr error;
    try {
      built = build();
    } catch (...) {
      error = std::current_exception();
    }

    Dropped dropped;
    lock.lock();
    if (!error) {
      try {
        insert(key, built, dropped);
      } catch (...) { // no memory for the entry: the value is good all the same
      }
    }
    flight->value = built.value;
    flight->error = error;
    flight->done = true;
    flights_.erase(key);
    flight->changed.notify_all();
    lock.unlock();
    if (error)
      std::rethrow_exception(error);
    return built.value;
  }

  void insert(const CacheKey &key, const Built<Value> &built, Dropped &dropped) {
    if (!limits_.maxEntries || !limits_.maxRetainedBytes)
      return;
    auto entry = std::make_shared<Entry>(built);
    touch(*entry);
    std::shared_ptr<Entry> &place = entries_[key];
    if (place) {
      forget(*place);
      dropped.push_back(std::move(place));
      removed();
      ++evictions_;
    }
    place = std::move(entry);
    retainedBytes_ += built.retainedBytes;
    variants_ += built.isVariant;
    evict(dropped);
  }

  /// What the counters hold of an entry that goes.
  void forget(const Entry &entry) {
    retainedBytes_ -= entry.bytes;
    variants_ -= entry.isVariant;
  }

  bool hasManyEntries() const { return entries_.size() - variants_ > limits_.maxEntries; }
  bool hasManyVariants() const { // the limit may be the largest number there is
    return variants_ > 0 && (variants_ - 1) / kVariantsPerEntry >= limits_.maxEntries;
  }
  bool hasManyBytes() const {
    if (!limits_.maxRetainedBytes)
      return !entries_.empty();
    // The last one stays whatever its size: a loop over one big program would build it again on every turn.
    return entries_.size() > 1 && retainedBytes_ > limits_.maxRetainedBytes;
  }

  void evict(Dropped &dropped) {
    for (;;) {
      const bool any = hasManyBytes(), plain = hasManyEntries(), variants = hasManyVariants();
      if (!any && !plain && !variants)
        return;
      auto oldest = entries_.end();
      for (auto it = entries_.begin(); it != entries_.end(); ++it)
        if ((any || (it->second->isVariant ? variants : plain)) &&
            (oldest == entries_.end() ||
             it->second->stamp.load(std::memory_order_relaxed) < oldest->second->stamp.load(std::memory_order_relaxed)))
          oldest = it;
      forget(*oldest->second);
      dropped.push_back(std::move(oldest->second));
      entries_.erase(oldest);
      removed();
      ++evictions_;
    }
  }

  mutable std::shared_mutex mutex_;
  CacheLimits limits_;
  Entries entries_;
  std::unordered_map<CacheKey, std::shared_ptr<Flight>, Hash> flights_;
  size_t retainedBytes_ = 0, variants_ = 0;
  uint64_t misses_ = 0, evictions_ = 0, clears_ = 0;
  std::atomic<uint64_t> hits_{0}, clock_{0};
  std::atomic<uint64_t> removals_{0}; ///< written under the lock
  const uint64_t id_ = nextId();      ///< of this cache; unique in the process
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CACHE_LRUCACHE_H
