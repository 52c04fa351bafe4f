// What the tests of the disk cache share: an artifact, a folder that goes away, child processes.
#ifndef TENFERRO_TEST_UNIT_DISKCACHE_DISKTESTSUPPORT_H
#define TENFERRO_TEST_UNIT_DISKCACHE_DISKTESTSUPPORT_H

#include "runtime/cache/DiskCache.h"

#include <functional>
#include <string>

namespace tenferro::runtime::test {

/// An artifact in which every field has a value of its own and every list at least one element; not a program that
/// runs.
CompiledArtifact fullArtifact();

/// An artifact with `bytes` bytes of an object that follow from `seed`.
CompiledArtifact artifactOf(uint64_t seed, size_t bytes);

/// Whether both have the same object and constants.
bool isSame(const CompiledArtifact &a, const CompiledArtifact &b);

/// A fresh folder under the temporary one, removed at the end.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  const std::string &path() const noexcept { return path_; }

private:
  std::string path_;
};

inline DiskCacheOptions optionsIn(const std::string &directory, std::string identity = "build 1\n") {
  return {directory, std::move(identity), uint64_t{256} << 20};
}

constexpr std::chrono::milliseconds kNoPatience{0};

/// Stores an artifact under a key.
void put(DiskCache &cache, const std::string &key, const CompiledArtifact &artifact);
/// The subfolder of the one identity that is there, with its path.
std::string subfolderOf(const std::string &directory);
/// The one entry there, with its path.
std::string entryOf(const std::string &directory);
std::string contentOf(const std::string &path);
void overwrite(const std::string &path, const std::string &content);

/// How a child ended and what it wrote to stderr.
struct Child {
  int exitCode = -1; ///< 128 + the signal if one ended it
  std::string errors;
};
/// Runs `body` in a forked child, which exits with what it returns; ends it after `seconds`.
Child inChild(const std::function<int()> &body, int seconds = 60);
/// How many lines a text has.
size_t lineCount(const std::string &text);

} // namespace tenferro::runtime::test

#endif // TENFERRO_TEST_UNIT_DISKCACHE_DISKTESTSUPPORT_H
