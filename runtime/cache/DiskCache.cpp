// Looking entries up, taking turns, publishing by rename, evicting by the time of last use.
#include "runtime/cache/DiskCache.h"

#include "runtime/cache/DiskFolder.h"
#include "runtime/cache/ProgramFile.h"
#include "runtime/core/Log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tenferro::runtime {

namespace {

constexpr uint64_t kLargestEntry = uint64_t{1} << 30;
constexpr std::string_view kLockSuffix = ".lock", kTemporaryPrefix = ".new-";
/// Left behind by a process that died: older than this, nobody works on it.
constexpr int64_t kAbandonedSeconds = 600;
constexpr size_t kMostReopenings = 16;
/// How often a folder that others write to as well is counted.
constexpr unsigned kWritesPerCount = 64;

constexpr int kNoFolder = -1; ///< among numbers of errors

std::string hex(XXH128_hash_t hash) {
  std::string digits;
  for (uint64_t half : {hash.high64, hash.low64})
    for (int shift = 60; shift >= 0; shift -= 4)
      digits += "0123456789abcdef"[half >> shift & 15];
  return digits;
}
std::string hashName(std::string_view text) { return hex(XXH3_128bits(text.data(), text.size())); }

bool isHashName(std::string_view name) {
  return name.size() == 32 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The locks of all caches: of the process, so that three handlers around a fork do. Files are written under the first
/// one, which the user's log function may be called under.
struct Locks {
  std::recursive_mutex draining;
  std::mutex opening;  ///< of folders: a fork copies the files that are open and the memory with their numbers one by one
  std::mutex cleaning; ///< nobody waits for it
  std::mutex instant;  ///< of what takes no time: lists of what waits and of stale folders
};

Locks &locks() {
  static Locks *made = [] {
    auto *fresh = new Locks; // never destroyed: threads may write while the process ends
    pthread_atfork(
        [] {
          locks().draining.lock();
          locks().opening.lock();
          locks().cleaning.lock();
          locks().instant.lock();
        },
        [] {
          locks().instant.unlock();
          locks().cleaning.unlock();
          locks().opening.unlock();
          locks().draining.unlock();
        },
        [] { new (&locks()) Locks; }); // a thread that forks from its log function is another one in the child
    return fresh;
  }();
  return *made;
}

/// The first thing that is wrong with any cache folder of the process.
void warnOnce(const std::string &line) {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true))
    logWarning(line + "; more of this kind is only counted");
}

bool readAll(int file, std::span<uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::read(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

/// 0, or the errno.
int writeAll(int file, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count < 0 ? errno : EIO;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return 0;
}

/// Whether a file may become that long: beyond the limit the kernel would end the process with SIGXFSZ.
bool fitsFileLimit(uint64_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

std::string withoutEndSlashes(std::string path) {
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  return path;
}

DiskCacheOptions tidied(DiskCacheOptions options) {
  options.directory = withoutEndSlashes(std::move(options.directory));
  return options;
}

} // namespace

//===- Entries --------------------------------------------------------------------------------------------------===//

DiskCache::Entry &DiskCache::Entry::operator=(Entry &&other) noexcept {
  if (this != &other) {
    release();
    artifact = std::move(other.artifact);
    cache_ = std::exchange(other.cache_, nullptr);
    name_ = std::move(other.name_);
    key_ = std::move(other.key_);
    rejected_ = other.rejected_;
    lock_ = std::exchange(other.lock_, -1);
  }
  return *this;
}

void DiskCache::Entry::store(const CompiledArtifact &made) {
  if (cache_)
    cache_->write(*this, made);
  release();
}

void DiskCache::Entry::refuse(std::string_view why) {
  artifact.reset();
  if (!cache_)
    return;
  cache_->hits_.fetch_sub(1, std::memory_order_relaxed);
  cache_->misses_.fetch_add(1, std::memory_order_relaxed);
  cache_->reject(name_, why);
  rejected_ = true;
}

void DiskCache::Entry::skip() {
  if (cache_)
    cache_->skipped_.fetch_add(1, std::memory_order_relaxed);
  release();
}

void DiskCache::Entry::release() noexcept {
  if (lock_ < 0)
    return;
  // The name goes first: who waits for this file sees that and asks for a new one.
  if (int folder = cache_->folder_.load(); folder >= 0)
    unlinkat(folder, (name_ + std::string(kLockSuffix)).c_str(), 0);
  flock(lock_, LOCK_UN); // also where a forked child holds the same file
  close(lock_);
  lock_ = -1;
}

//===- The cache ------------------------------------------------------------------------------------------------===//

DiskCache::DiskCache(DiskCacheOptions options)
    : options_(tidied(std::move(options))), subfolder_(hashName(options_.identity)) {
  locks(); // so that no fork meets them in the making
}

DiskCache::~DiskCache() {
  drain();
  OpenFile last(folder_.load());
  for (int folder : stale_)
    close(folder);
}

DiskCacheStats DiskCache::stats() const {
  DiskCacheStats stats;
  stats.hits = hits_.load(std::memory_order_relaxed);
  stats.misses = misses_.load(std::memory_order_relaxed);
  stats.writes = writes_.load(std::memory_order_relaxed);
  stats.rejected = rejected_.load(std::memory_order_relaxed);
  stats.evictions = evictions_.load(std::memory_order_relaxed);
  stats.skipped = skipped_.load(std::memory_order_relaxed);
  stats.failures = failures_.load(std::memory_order_relaxed);
  return stats;
}

/// The entry as it is on disk; empty where the cache is off.
DiskCache::Entry DiskCache::begin(std::string_view key) {
  Entry entry;
  if (!isOn() || refused_.load(std::memory_order_relaxed))
    return entry;
  entry.key_ = options_.identity + std::string(key);
  entry.name_ = hashName(entry.key_);
  entry.cache_ = this;
  entry.artifact = read(entry);
  return entry;
}

DiskCache::Entry DiskCache::look(std::string_view key) {
  Entry entry = begin(key);
  if (entry.cache_)
    (entry.artifact ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
  return entry;
}

DiskCache::Entry DiskCache::find(std::string_view key, std::chrono::milliseconds patience,
                                 const std::atomic<bool> *abandoned) {
  Entry entry = begin(key);
  if (!entry.cache_)
    return entry;
  if (!entry.artifact && !readOnly_.load(std::memory_order_relaxed)) {
    entry.lock_ = lock(entry.name_, patience, abandoned);
    // Who had the turn before may have made it.
    entry.artifact = read(entry);
    if (entry.artifact)
      entry.release();
  }
  (entry.artifact ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
  return entry;
}

void DiskCache::storeLater(Entry entry, std::shared_ptr<const CompiledArtifact> made) {
  std::lock_guard lock(locks().instant);
  waiting_.push_back({std::move(entry), std::move(made)});
}

void DiskCache::drain() {
  std::lock_guard storing(locks().draining);
  std::unique_lock lock(locks().instant);
  std::vector<Waiting> waiting = std::exchange(waiting_, {});
  lock.unlock();
  for (Waiting &next : waiting)
    next.entry.store(*next.made);
}

bool DiskCache::hasEntries() {
  if (!isOn() || refused_.load(std::memory_order_relaxed))
    return false;
  int directory = folder(false);
  if (directory < 0)
    return false;
  bool found = false;
  forEachFile(directory, false, [&](FolderFile &file) {
    found = isHashName(file.name);
    return !found;
  });
  return found;
}

/// The open subfolder, or -1.
int DiskCache::folder(bool create) {
  if (int open = folder_.load(std::memory_order_acquire); open >= 0)
    return open;
  std::unique_lock lock(locks().opening);
  if (int open = folder_.load(std::memory_order_acquire); open >= 0)
    return open;
  Opened outer = openFolder(options_.directory, create);
  Opened inner;
  if (outer.file && outer.wrong.empty())
    inner = openSubfolder(outer.file.number(), subfolder_, create);
  if (inner.file && inner.wrong.empty() && !inner.error) {
    int opened = inner.file.release();
    folder_.store(opened, std::memory_order_release);
    return opened;
  }
  lock.unlock(); // the user's log function may come here again
  for (const Opened *opened : {&outer, &inner}) {
    if (!opened->wrong.empty()) {
      refused_.store(true);
      rejected_.fetch_add(1, std::memory_order_relaxed);
      warnOnce("compiled programs are not kept: the folder " + options_.directory +
               (opened == &inner ? "/" + subfolder_ : "") + " " + opened->wrong);
      return -1;
    }
    if (opened->error) {
      if (create)
        stopWriting(opened->error);
      return -1;
    }
  }
  return -1;
}

/// After the folder was deleted.
void DiskCache::reopen(int stale) {
  std::lock_guard lock(locks().instant);
  if (stale_.size() == kMostReopenings || !folder_.compare_exchange_strong(stale, -1))
    return;
  stale_.push_back(stale);
}

void DiskCache::reject(const std::string &name, std::string_view why) {
  rejected_.fetch_add(1, std::memory_order_relaxed);
  warnOnce("a kept program is compiled again: " + options_.directory + "/" + subfolder_ + "/" + name + " " +
           std::string(why));
}

void DiskCache::stopWriting(int error) {
  failures_.fetch_add(1, std::memory_order_relaxed);
  readOnly_.store(true, std::memory_order_relaxed);
  warnOnce("compiled programs are not kept from now on: cannot write to " + options_.directory + ": " +
           std::string(std::strerror(error)));
}

/// A file that is rejected twice under one look-up counts once.
std::optional<CompiledArtifact> DiskCache::read(Entry &entry) {
  int directory = folder(false);
  if (directory < 0)
    return std::nullopt;
  auto refuse = [&](std::string_view why) -> std::optional<CompiledArtifact> {
    if (!std::exchange(entry.rejected_, true))
      reject(entry.name_, why);
    return std::nullopt;
  };
  Opened opened = openEntry(directory, entry.name_);
  if (opened.error == ENOENT)
    return std::nullopt;
  if (opened.error)
    opened.wrong = std::string("cannot be opened: ") + std::strerror(opened.error);
  else if (opened.wrong.empty() && opened.bytes > kLargestEntry)
    opened.wrong = "is too long";
  if (!opened.wrong.empty())
    return refuse(opened.wrong);
  std::vector<uint8_t> bytes(opened.bytes);
  if (!readAll(opened.file.number(), bytes))
    return refuse("cannot be read to its end");
  core::Expected<CompiledArtifact> artifact = readProgramFile(bytes, entry.key_);
  if (!artifact)
    return refuse("is no entry for its key: " + artifact.failure().message);
  futimens(opened.file.number(), nullptr); // used now; where that is not allowed it ages
  return std::move(*artifact);
}

/// The lock of a name, or -1: after `patience`, and where locks do not work.
int DiskCache::lock(const std::string &name, std::chrono::milliseconds patience, const std::atomic<bool> *abandoned) {
  const auto end = std::chrono::steady_clock::now() + patience;
  const std::string file = name + std::string(kLockSuffix);
  std::chrono::microseconds pause{100};
  for (;;) {
    int directory = folder(true);
    if (directory < 0)
      return -1;
    OpenFile opened(openat(directory, file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
    if (!opened && errno == ENOENT) { // the folder is gone
      reopen(directory);
      if (folder(true) == directory)
        return -1;
      continue;
    }
    struct stat status{};
    if (!opened)
      return -1;
    for (;;) {
      if (flock(opened.number(), LOCK_EX | LOCK_NB) == 0)
        break;
      if ((errno != EWOULDBLOCK && errno != EINTR) || std::chrono::steady_clock::now() >= end ||
          (abandoned && abandoned->load(std::memory_order_relaxed)))
        return -1;
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::microseconds(5000));
    }
    if (fstat(opened.number(), &status) != 0)
      return -1;
    if (status.st_nlink > 0)
      return opened.release();
  }
}

void DiskCache::write(const Entry &entry, const CompiledArtifact &artifact) {
  if (readOnly_.load(std::memory_order_relaxed) || refused_.load(std::memory_order_relaxed))
    return;
  const std::string &name = entry.name_;
  // Another process may have been as fast; and some file systems flush what replaces a file.
  if (int directory = folder_.load();
      !entry.rejected_ && directory >= 0 && faccessat(directory, name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0)
    return;
  std::vector<uint8_t> bytes = writeProgramFile(entry.key_, artifact);
  if (bytes.size() > std::min(kLargestEntry, options_.maxBytes)) {
    skipped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  int error = publish(name, bytes);
  if (error == ENOENT) // once more in a new folder
    error = publish(name, bytes);
  if (error == kNoFolder)
    return; // counted where it was opened
  if (error) {
    stopWriting(error);
    return;
  }
  writes_.fetch_add(1, std::memory_order_relaxed);
  keepInBounds(bytes.size());
}

int DiskCache::publish(const std::string &name, const std::vector<uint8_t> &bytes) {
  if (!fitsFileLimit(bytes.size()))
    return EFBIG;
  int directory = folder(true);
  if (directory < 0)
    return kNoFolder;
  const std::string temporary = std::string(kTemporaryPrefix) + std::to_string(getpid()) + "-" +
                                std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + "-" +
                                std::to_string(temporaries_.fetch_add(1, std::memory_order_relaxed));
  OpenFile file(openat(directory, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) {
    int error = errno;
    if (error == ENOENT)
      reopen(directory);
    return error;
  }
  int error = writeAll(file.number(), bytes);
  // Some file systems tell of a full disk only now.
  if (close(file.release()) != 0 && !error && errno != EINTR)
    error = errno;
  if (!error && renameat(directory, temporary.c_str(), directory, name.c_str()) != 0)
    error = errno;
  if (error)
    unlinkat(directory, temporary.c_str(), 0);
  return error;
}

void registerDiskForkHandlers() { locks(); }

void DiskCache::keepInBounds(uint64_t added) {
  std::unique_lock lock(locks().cleaning, std::try_to_lock);
  if (!lock.owns_lock())
    return; // another thread is at it
  ++uncounted_;
  if (knownBytes_ >= 0)
    knownBytes_ += static_cast<int64_t>(added);
  const auto most = static_cast<int64_t>(std::min<uint64_t>(options_.maxBytes, INT64_MAX));
  if (knownBytes_ >= 0 && knownBytes_ <= most && uncounted_ < kWritesPerCount)
    return;
  uncounted_ = 0;

  struct Kept {
    int folder;
    FolderFile file;
  };
  std::vector<OpenFile> folders;
  std::vector<Kept> kept;
  int64_t bytes = 0;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  Opened outer = openFolder(options_.directory, false);
  if (!outer.file || !outer.wrong.empty())
    return;
  forEachFile(outer.file.number(), true, [&](const FolderFile &inner) {
    if (!isHashName(inner.name))
      return true; // not ours
    if (inner.name != subfolder_ && unlinkat(outer.file.number(), inner.name.c_str(), AT_REMOVEDIR) == 0)
      return true; // of another version, and empty
    Opened opened = openSubfolder(outer.file.number(), inner.name, false);
    if (!opened.file || !opened.wrong.empty())
      return true;
    forEachFile(opened.file.number(), false, [&](FolderFile &file) {
      bool isTurn = file.name.starts_with(kTemporaryPrefix) || file.name.ends_with(kLockSuffix);
      if (isTurn && file.seconds + kAbandonedSeconds < now.tv_sec)
        unlinkat(opened.file.number(), file.name.c_str(), 0);
      if (isHashName(file.name)) {
        bytes += static_cast<int64_t>(file.bytes);
        kept.push_back({opened.file.number(), std::move(file)});
      }
      return true;
    });
    folders.push_back(std::move(opened.file));
    return true;
  });
  if (bytes > most) {
    std::sort(kept.begin(), kept.end(), [](const Kept &a, const Kept &b) {
      return std::pair(a.file.seconds, a.file.nanoseconds) < std::pair(b.file.seconds, b.file.nanoseconds);
    });
    // Some room beyond, so that not every write counts again.
    for (const Kept &oldest : kept) {
      if (bytes <= most - most / 8)
        break;
      if (unlinkat(oldest.folder, oldest.file.name.c_str(), 0) == 0)
        evictions_.fetch_add(1, std::memory_order_relaxed);
      bytes -= static_cast<int64_t>(oldest.file.bytes);
    }
  }
  knownBytes_ = bytes;
}

} // namespace tenferro::runtime
