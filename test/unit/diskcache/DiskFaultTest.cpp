// Damaged and strange files and folders, full and read-only disks: a miss each, at most one line of warning, nothing
// else.
#include "DiskTestSupport.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

namespace fs = std::filesystem;

namespace {

/// Exit codes of children.
enum { kFine = 0, kTaken = 1, kNotReplaced = 2, kWrongCounts = 3, kSetup = 4 };

/// In a child: looks "key" up 20 times, which must miss and count `rejected` each time; then stores it, and where
/// `replaced`, finds it.
Child missesThen(const std::string &directory, bool replaced) {
  return inChild([&] {
    DiskCache cache(optionsIn(directory));
    for (int i = 0; i < 20; ++i)
      if (cache.find("key", kNoPatience).artifact)
        return int{kTaken};
    if (cache.stats().misses + cache.stats().rejected == 0)
      return int{kWrongCounts};
    cache.find("key", kNoPatience).store(artifactOf(7, 300));
    DiskCache::Entry entry = cache.find("key", kNoPatience);
    if (entry.artifact.has_value() != replaced || (replaced && !isSame(*entry.artifact, artifactOf(7, 300))))
      return int{kNotReplaced};
    return int{kFine};
  });
}

void expectOneWarning(const Child &child, const std::string &what) {
  EXPECT_EQ(child.exitCode, kFine) << child.errors;
  EXPECT_EQ(lineCount(child.errors), 1u) << child.errors;
  EXPECT_EQ(child.errors.find("tenferro: "), 0u) << child.errors;
  EXPECT_NE(child.errors.find(what), std::string::npos) << child.errors;
}

/// A folder with one entry under "key".
struct Kept {
  Kept() {
    DiskCache cache(optionsIn(folder.path() + "/cache"));
    put(cache, "key", artifactOf(1, 3000));
    path = entryOf(directory());
  }
  std::string directory() const { return folder.path() + "/cache"; }
  TemporaryFolder folder;
  std::string path;
};

bool isRoot() { return geteuid() == 0; }
constexpr uid_t kNobody = 65534;

} // namespace

TEST(DiskFault, TwoThousandFlipsAndTruncations) {
  Kept kept;
  const std::string content = contentOf(kept.path);
  Child child = inChild([&] {
    DiskCache cache(optionsIn(kept.directory()));
    std::mt19937 random(2);
    // In place: a file that is truncated to be written again is flushed by some file systems.
    int file = open(kept.path.c_str(), O_WRONLY | O_CLOEXEC);
    auto writeFrom = [&](size_t at, const std::string &bytes) {
      return pwrite(file, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at)) ==
             static_cast<ssize_t>(bytes.size() - at);
    };
    for (uint64_t round = 0; round < 2000; ++round) {
      const size_t at = random() % content.size();
      std::string damaged = content;
      damaged[at] ^= static_cast<char>(1u << random() % 8);
      if (round % 4 == 3 ? ftruncate(file, static_cast<off_t>(at)) != 0 : !writeFrom(at, damaged))
        return int{kSetup};
      if (cache.find("key", kNoPatience).artifact || cache.stats().rejected != round + 1)
        return int{kTaken};
      if (!writeFrom(at, content))
        return int{kSetup};
    }
    close(file);
    return cache.find("key", kNoPatience).artifact ? int{kFine} : int{kWrongCounts};
  });
  expectOneWarning(child, "is no entry for its key: ");
}

TEST(DiskFault, ZeroBytes) {
  Kept kept;
  overwrite(kept.path, "");
  expectOneWarning(missesThen(kept.directory(), true), "expects at least 48 bytes, but got 0");
}

TEST(DiskFault, OlderFormat) {
  Kept kept;
  std::string content = contentOf(kept.path);
  content[8] = 0;
  overwrite(kept.path, content);
  expectOneWarning(missesThen(kept.directory(), true), "expects format 1, but got 0");
}

TEST(DiskFault, GroupWritable) {
  Kept kept;
  ASSERT_EQ(chmod(kept.path.c_str(), 0620), 0);
  expectOneWarning(missesThen(kept.directory(), true), "may be written by others");
}

TEST(DiskFault, Link) {
  Kept kept;
  std::string elsewhere = kept.folder.path() + "/elsewhere";
  fs::rename(kept.path, elsewhere);
  fs::create_symlink(elsewhere, kept.path);
  std::string before = contentOf(elsewhere);
  expectOneWarning(missesThen(kept.directory(), true), "is a link or no plain file");
  EXPECT_EQ(contentOf(elsewhere), before); // the link was replaced, not what it led to
}

TEST(DiskFault, FifoSocketAndFolder) {
  Kept kept;
  fs::remove(kept.path);
  ASSERT_EQ(mkfifo(kept.path.c_str(), 0600), 0);
  expectOneWarning(missesThen(kept.directory(), true), "is no plain file");
  fs::remove(kept.path);
  int number = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(kept.path.size(), sizeof address.sun_path);
  std::strcpy(address.sun_path, kept.path.c_str());
  ASSERT_EQ(bind(number, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
  expectOneWarning(missesThen(kept.directory(), true), "is a link or no plain file");
  close(number);
  fs::remove(kept.path);
  fs::create_directory(kept.path);
  expectOneWarning(missesThen(kept.directory(), false), "is no plain file");
}

TEST(DiskFault, LocksThatAreStrangeAreDoneWithout) {
  Kept kept;
  fs::remove(kept.path);
  std::string lock = kept.path + ".lock";
  ASSERT_EQ(mkfifo(lock.c_str(), 0600), 0);
  Child child = missesThen(kept.directory(), true);
  EXPECT_EQ(child.exitCode, kFine);
  EXPECT_EQ(child.errors, "");
  fs::remove(kept.path);
  fs::remove(lock);
  fs::create_symlink("/dev/full", lock);
  child = missesThen(kept.directory(), true);
  EXPECT_EQ(child.exitCode, kFine);
  EXPECT_EQ(child.errors, "");
}

TEST(DiskFault, FoldersOfOthersAreLeftAlone) {
  Kept kept;
  std::string inside = subfolderOf(kept.directory());
  auto expectUntouched = [&](const std::string &what) {
    expectOneWarning(missesThen(kept.directory(), false), what);
    EXPECT_TRUE(fs::exists(kept.path));
  };
  for (const std::string &folder : {kept.directory(), inside}) {
    ASSERT_EQ(chmod(folder.c_str(), 0770), 0);
    expectUntouched("may be written by others");
    ASSERT_EQ(chmod(folder.c_str(), 0707), 0);
    expectUntouched("may be written by others");
    ASSERT_EQ(chmod(folder.c_str(), 0700), 0);
    if (isRoot()) {
      ASSERT_EQ(chown(folder.c_str(), kNobody, kNobody), 0);
      expectUntouched("belongs to user 65534");
      ASSERT_EQ(chown(folder.c_str(), 0, 0), 0);
    }
  }
  fs::rename(kept.directory(), kept.folder.path() + "/elsewhere");
  fs::create_symlink(kept.folder.path() + "/elsewhere", kept.directory());
  expectOneWarning(missesThen(kept.directory(), false), "/cache is");
  fs::remove(kept.directory());
  overwrite(kept.directory(), "a file");
  expectOneWarning(missesThen(kept.directory(), false), "is a link, or is no folder");
}

TEST(DiskFault, ForeignOwner) {
  if (!isRoot())
    GTEST_SKIP() << "only root can give files away";
  Kept kept;
  ASSERT_EQ(chown(kept.path.c_str(), kNobody, kNobody), 0);
  expectOneWarning(missesThen(kept.directory(), true), "belongs to user 65534");
}

TEST(DiskFault, ReadOnlyFolder) {
  Kept kept;
  std::string inside = subfolderOf(kept.directory());
  if (isRoot()) {
    for (const std::string &path : {kept.folder.path(), kept.directory(), inside, kept.path})
      ASSERT_EQ(chown(path.c_str(), kNobody, kNobody), 0);
  }
  auto asUser = [&](const std::function<int()> &body) {
    return inChild([&] { return isRoot() && setuid(kNobody) != 0 ? int{kSetup} : body(); });
  };
  ASSERT_EQ(chmod(inside.c_str(), 0500), 0);
  // Entries are read, others are compiled every time.
  Child child = asUser([&] {
    DiskCache cache(optionsIn(kept.directory()));
    for (int i = 0; i < 5; ++i) {
      if (!cache.find("key", kNoPatience).artifact)
        return int{kWrongCounts};
      DiskCache::Entry entry = cache.find("another", kNoPatience);
      if (entry.artifact)
        return int{kTaken};
      entry.store(artifactOf(2, 10));
    }
    DiskCacheStats stats = cache.stats();
    return stats.hits == 5 && stats.misses == 5 && stats.failures == 1 && stats.rejected == 0 ? int{kFine}
                                                                                              : int{kWrongCounts};
  });
  expectOneWarning(child, "Permission denied");
  ASSERT_EQ(chmod(inside.c_str(), 0700), 0);
  // A cache folder that cannot be made.
  ASSERT_EQ(chmod(kept.folder.path().c_str(), 0500), 0);
  child = asUser([&] {
    DiskCache cache(optionsIn(kept.folder.path() + "/new/cache"));
    cache.find("key", kNoPatience).store(artifactOf(1, 10));
    cache.find("key", kNoPatience).store(artifactOf(1, 10));
    return cache.stats().failures == 1 && cache.stats().writes == 0 ? int{kFine} : int{kWrongCounts};
  });
  expectOneWarning(child, "cannot write to ");
  ASSERT_EQ(chmod(kept.folder.path().c_str(), 0700), 0);
  // One that cannot be read.
  ASSERT_EQ(chmod(inside.c_str(), 0000), 0);
  child = asUser([&] {
    DiskCache cache(optionsIn(kept.directory()));
    return cache.find("key", kNoPatience).artifact ? int{kTaken} : int{kFine};
  });
  expectOneWarning(child, "Permission denied");
  ASSERT_EQ(chmod(inside.c_str(), 0700), 0);
}

TEST(DiskFault, FileLimit) {
  Kept kept;
  Child child = inChild([&] {
    rlimit limit{2000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    DiskCache cache(optionsIn(kept.directory()));
    if (!cache.find("key", kNoPatience).artifact)
      return int{kWrongCounts};
    cache.find("another", kNoPatience).store(artifactOf(1, 3000));
    cache.find("another", kNoPatience).store(artifactOf(1, 3000));
    return cache.stats().failures == 1 && cache.stats().writes == 0 ? int{kFine} : int{kWrongCounts};
  });
  expectOneWarning(child, "File too large");
}

TEST(DiskFault, FullDisk) {
  TemporaryFolder folder;
  if (!isRoot() || mount("tenferro-test", folder.path().c_str(), "tmpfs", 0, "size=64k,mode=0700") != 0)
    GTEST_SKIP() << "a small file system needs the right to mount one";
  Child child = inChild([&] {
    DiskCache cache(optionsIn(folder.path()));
    put(cache, "small", artifactOf(1, 3000));
    cache.find("big", kNoPatience).store(artifactOf(2, 100000));
    if (cache.find("big", kNoPatience).artifact || !cache.find("small", kNoPatience).artifact)
      return int{kTaken};
    DiskCacheStats stats = cache.stats();
    // Nothing half written stays.
    entryOf(folder.path());
    return stats.failures == 1 && stats.writes == 1 ? int{kFine} : int{kWrongCounts};
  });
  umount2(folder.path().c_str(), MNT_DETACH);
  expectOneWarning(child, "No space left on device");
}
