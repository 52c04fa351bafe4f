// Compiled programs that survive the process: one file an entry in a folder of the user's own.
//
//   FOLDER/<identity>/<key>        an entry (ProgramFile.h); both names are hashes, the file holds the texts
//   FOLDER/<identity>/<key>.lock   held by the process that is making the entry
//   FOLDER/<identity>/.new-*       an entry that is being written
//
// Entries appear by rename, so a reader sees all of one or none; a torn or changed one fails its checksum. Whatever is
// wrong with a file or the folder is a miss. The first such thing of a process is told through the log function, the
// rest is counted.
#ifndef TENFERRO_RUNTIME_CACHE_DISKCACHE_H
#define TENFERRO_RUNTIME_CACHE_DISKCACHE_H

#include "runtime/program/Program.h"
#include "tenferro/Cache.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenferro::runtime {

struct DiskCacheOptions {
  std::string directory; ///< absolute; empty turns the cache off
  std::string identity;  ///< of what makes and runs the programs: entries of another one are never seen
  uint64_t maxBytes = uint64_t{256} << 20; ///< of all entries in the folder, of any identity
};

/// Thread safe, and safe against any number of processes on one folder. Opens nothing before it is used. Never throws
/// but for want of memory.
class DiskCache {
public:
  explicit DiskCache(DiskCacheOptions options);
  ~DiskCache();
  DiskCache(const DiskCache &) = delete;
  DiskCache &operator=(const DiskCache &) = delete;

  /// What was found under a key; where nothing was, the turn to make it, until this goes.
  class Entry {
  public:
    Entry() = default;
    Entry(Entry &&other) noexcept { *this = std::move(other); }
    Entry &operator=(Entry &&other) noexcept;
    ~Entry() { release(); }

    /// The program, if there was one.
    std::optional<CompiledArtifact> artifact;
    /// False where the cache is off, and for one that was moved away.
    bool isOpen() const noexcept { return cache_ != nullptr; }
    /// Writes the program that was made instead, and ends the turn. A failure is counted.
    void store(const CompiledArtifact &made);
    /// Counts a program that was found but cannot be used, and why.
    void refuse(std::string_view why);
    /// Counts a program that must not be kept, and ends the turn.
    void skip();

  private:
    friend class DiskCache;
    void release() noexcept;
    DiskCache *cache_ = nullptr;
    std::string name_, key_;
    bool rejected_ = false; ///< there is a file, to be replaced
    int lock_ = -1;
  };

  /// Looks `key` up, counting a hit or a miss. While another process (or another cache object of this one) makes it,
  /// waits at most `patience`, and not once `abandoned` is true; then the caller makes it too.
  Entry find(std::string_view key, std::chrono::milliseconds patience, const std::atomic<bool> *abandoned = nullptr);
  /// The same without a turn: for who will not make it now, or makes it faster than turns are taken.
  Entry look(std::string_view key);

  /// Stores `made` at the next `drain`, or when the cache goes.
  void storeLater(Entry entry, std::shared_ptr<const CompiledArtifact> made);
  /// Stores what waits for that, or waits for the thread that does.
  void drain();

  bool isOn() const noexcept { return !options_.directory.empty() && options_.maxBytes > 0; }
  /// Whether there is any entry of this identity.
  bool hasEntries();
  const std::string &directory() const noexcept { return options_.directory; }
  DiskCacheStats stats() const;

private:
  Entry begin(std::string_view key);
  std::optional<CompiledArtifact> read(Entry &entry);
  int lock(const std::string &name, std::chrono::milliseconds patience, const std::atomic<bool> *abandoned);
  void write(const Entry &entry, const CompiledArtifact &artifact);
  /// 0, or the number of the error.
  int publish(const std::string &name, const std::vector<uint8_t> &bytes);
  void keepInBounds(uint64_t added);
  int folder(bool create);
  void reopen(int stale);
  void reject(const std::string &name, std::string_view why);
  void stopWriting(int error);

  const DiskCacheOptions options_;
  const std::string subfolder_;
  std::atomic<int> folder_{-1};
  std::atomic<bool> refused_{false}, readOnly_{false};

  struct Waiting {
    Entry entry;
    std::shared_ptr<const CompiledArtifact> made;
  };
  // Under locks of the process, which forks wait for.
  std::vector<Waiting> waiting_;
  int64_t knownBytes_ = -1; ///< in the folder at the last count and written since; -1 before the first
  unsigned uncounted_ = 0;  ///< entries written since
  std::vector<int> stale_;  ///< folders that were deleted under us: other threads may still use the numbers

  std::atomic<uint64_t> hits_{0}, misses_{0}, writes_{0}, rejected_{0}, evictions_{0}, skipped_{0}, failures_{0};
  std::atomic<uint64_t> temporaries_{0};
};

/// Has forks wait for what is being written at the end of a compile and when a cache goes, so that a child finds its
/// copies of the caches whole. Handlers that are registered later run earlier: register those of threads that write
/// behind this.
void registerDiskForkHandlers();

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CACHE_DISKCACHE_H
