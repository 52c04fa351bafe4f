// The folder of entries: finding, limits, identities.
#include "DiskTestSupport.h"
#include "tenferro/Log.h"

#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

namespace fs = std::filesystem;

TEST(DiskCache, StoresAndFinds) {
  TemporaryFolder folder;
  DiskCache cache(optionsIn(folder.path() + "/made/on/use/"));
  EXPECT_TRUE(cache.isOn());
  EXPECT_FALSE(cache.hasEntries());
  EXPECT_FALSE(fs::exists(folder.path() + "/made"));
  const CompiledArtifact artifact = artifactOf(1, 5000);
  {
    DiskCache::Entry entry = cache.find("key", kNoPatience);
    EXPECT_FALSE(entry.artifact);
    EXPECT_FALSE(cache.hasEntries());
    entry.store(artifact);
  }
  EXPECT_TRUE(cache.hasEntries());
  DiskCache second(optionsIn(folder.path() + "/made/on/use"));
  EXPECT_TRUE(second.hasEntries());
  for (DiskCache *reader : {&cache, &second}) {
    DiskCache::Entry entry = reader->find("key", kNoPatience);
    ASSERT_TRUE(entry.artifact);
    EXPECT_TRUE(isSame(*entry.artifact, artifact));
    EXPECT_FALSE(reader->find("another key", kNoPatience).artifact);
  }
  DiskCacheStats stats = cache.stats();
  EXPECT_EQ(stats.hits, 1u);
  EXPECT_EQ(stats.misses, 2u);
  EXPECT_EQ(stats.writes, 1u);
  EXPECT_EQ(stats.rejected + stats.evictions + stats.skipped + stats.failures, 0u);
  // For this user alone, and nothing but the entry is left.
  struct stat status{};
  ASSERT_EQ(stat(entryOf(folder.path() + "/made/on/use").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  ASSERT_EQ(stat(cache.directory().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST(DiskCache, ALookTakesNoTurn) {
  TemporaryFolder folder;
  DiskCache cache(optionsIn(folder.path() + "/cache"));
  EXPECT_FALSE(cache.look("key").artifact);
  EXPECT_FALSE(fs::exists(folder.path() + "/cache"));
  cache.look("key").store(artifactOf(1, 100)); // but may store
  DiskCache::Entry turn = cache.find("another", kNoPatience), look = cache.look("another");
  EXPECT_FALSE(turn.artifact || look.artifact);
  EXPECT_TRUE(isSame(*cache.look("key").artifact, artifactOf(1, 100)));
  EXPECT_EQ(cache.stats().hits, 1u);
  EXPECT_EQ(cache.stats().misses, 4u);
}

TEST(DiskCache, WhatIsStoredLaterIsStored) {
  TemporaryFolder folder;
  auto first = std::make_shared<const CompiledArtifact>(artifactOf(1, 100));
  {
    DiskCache cache(optionsIn(folder.path()));
    cache.storeLater(cache.look("key"), first);
    EXPECT_FALSE(cache.look("key").artifact);
    cache.drain();
    EXPECT_TRUE(isSame(*cache.look("key").artifact, *first));
    cache.storeLater(cache.look("another"), first);
  }
  DiskCache cache(optionsIn(folder.path()));
  EXPECT_TRUE(cache.look("another").artifact); // at the end of the cache
  EXPECT_EQ(first.use_count(), 1);
}

TEST(DiskCache, AnEntryThatAppearsMeanwhileStays) {
  TemporaryFolder folder;
  DiskCache cache(optionsIn(folder.path()));
  DiskCache::Entry one = cache.look("key"), other = cache.look("key");
  one.store(artifactOf(1, 100));
  other.store(artifactOf(1, 100));
  EXPECT_EQ(cache.stats().writes, 1u);
}

TEST(DiskCache, OffIsOff) {
  DiskCache off({});
  EXPECT_FALSE(off.isOn());
  EXPECT_FALSE(off.hasEntries());
  off.find("key", kNoPatience).store(artifactOf(1, 10));
  EXPECT_EQ(off.stats(), DiskCacheStats());
  TemporaryFolder folder;
  DiskCacheOptions nothing = optionsIn(folder.path());
  nothing.maxBytes = 0;
  DiskCache empty(nothing);
  empty.find("key", kNoPatience).store(artifactOf(1, 10));
  EXPECT_EQ(empty.stats(), DiskCacheStats());
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(DiskCache, AnotherIdentityIsAnotherCache) {
  TemporaryFolder folder;
  DiskCache one(optionsIn(folder.path(), "0.1.0 build a\n")), other(optionsIn(folder.path(), "0.1.0 build b\n"));
  put(one, "key", artifactOf(1, 100));
  EXPECT_FALSE(other.hasEntries());
  EXPECT_FALSE(other.find("key", kNoPatience).artifact);
  put(other, "key", artifactOf(2, 100));
  EXPECT_TRUE(isSame(*one.find("key", kNoPatience).artifact, artifactOf(1, 100)));
  EXPECT_TRUE(isSame(*other.find("key", kNoPatience).artifact, artifactOf(2, 100)));
}

// Where something is rejected, in a child: the one warning of the process is its.

TEST(DiskCache, AnEntryUnderAnotherNameIsRefused) {
  // As if two keys had one hash, or somebody moved a file.
  TemporaryFolder folder;
  std::string moved;
  {
    DiskCache cache(optionsIn(folder.path(), "build b\n"));
    put(cache, "key", artifactOf(1, 100));
    moved = entryOf(folder.path());
  }
  std::string content = contentOf(moved);
  fs::remove_all(fs::path(moved).parent_path());
  DiskCache cache(optionsIn(folder.path(), "build a\n"));
  put(cache, "key", artifactOf(2, 100));
  overwrite(entryOf(folder.path()), content);
  Child child =
      inChild([&] { return !cache.find("key", kNoPatience).artifact && cache.stats().rejected == 1 ? 0 : 1; });
  EXPECT_EQ(child.exitCode, 0);
  EXPECT_NE(child.errors.find("expects the key that was asked for"), std::string::npos) << child.errors;
}

TEST(DiskCache, RefusedProgramsAreMissesAndReplaced) {
  TemporaryFolder folder;
  Child child = inChild([&] {
    DiskCache cache(optionsIn(folder.path()));
    put(cache, "key", artifactOf(1, 100));
    DiskCache::Entry entry = cache.find("key", kNoPatience);
    if (!entry.artifact)
      return 1;
    entry.refuse("does not load");
    DiskCacheStats stats = cache.stats();
    if (entry.artifact || stats.hits != 0 || stats.misses != 2 || stats.rejected != 1)
      return 2;
    entry.store(artifactOf(2, 100));
    entry = cache.find("key", kNoPatience);
    return entry.artifact && isSame(*entry.artifact, artifactOf(2, 100)) ? 0 : 3;
  });
  EXPECT_EQ(child.exitCode, 0);
  EXPECT_NE(child.errors.find("does not load"), std::string::npos) << child.errors;
}

TEST(DiskCache, WarningsGoToTheLogFunctionOncePerProcess) {
  TemporaryFolder folder;
  Child child = inChild([&] {
    std::vector<std::string> lines;
    setLogFunction([&](std::string_view line) { lines.emplace_back(line); });
    DiskCache cache(optionsIn(folder.path()));
    put(cache, "key", artifactOf(1, 100));
    overwrite(entryOf(folder.path()), "damaged");
    cache.find("key", kNoPatience);
    DiskCache another(optionsIn(folder.path()));
    another.find("key", kNoPatience);
    setLogFunction({});
    return lines.size() == 1 && lines[0].find(folder.path()) != std::string::npos && another.stats().rejected == 1 ? 0
                                                                                                                   : 1;
  });
  EXPECT_EQ(child.exitCode, 0);
  EXPECT_EQ(child.errors, "");
}

TEST(DiskCache, SkippedProgramsAreCounted) {
  TemporaryFolder folder;
  DiskCacheOptions options = optionsIn(folder.path());
  options.maxBytes = 4000;
  DiskCache cache(options);
  cache.find("key", kNoPatience).skip();
  cache.find("big", kNoPatience).store(artifactOf(1, 5000));
  EXPECT_EQ(cache.stats().skipped, 2u);
  EXPECT_EQ(cache.stats().writes, 0u);
  EXPECT_TRUE(fs::is_empty(subfolderOf(folder.path())));
}

TEST(DiskCache, LeastRecentlyUsedGoFirst) {
  TemporaryFolder folder;
  DiskCacheOptions options = optionsIn(folder.path());
  options.maxBytes = 100000;
  {
    DiskCache old(optionsIn(folder.path(), "an older build\n"));
    put(old, "key", artifactOf(0, 10000));
    fs::last_write_time(entryOf(folder.path()), fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  DiskCache cache(options);
  auto keyOf = [](int i) { return "key " + std::to_string(i); };
  for (int i = 0; i < 8; ++i)
    put(cache, keyOf(i), artifactOf(static_cast<uint64_t>(i), 10000));
  EXPECT_EQ(cache.stats().evictions, 0u);
  EXPECT_TRUE(cache.find(keyOf(0), kNoPatience).artifact); // used: now 1 is older
  put(cache, keyOf(8), artifactOf(8, 10000));
  // More than 100,000 with what the files hold beside their objects: the older build's goes, then 1 for room.
  EXPECT_EQ(cache.stats().evictions, 2u);
  EXPECT_FALSE(cache.find(keyOf(1), kNoPatience).artifact);
  for (int i : {0, 2, 3, 4, 5, 6, 7, 8})
    EXPECT_TRUE(cache.find(keyOf(i), kNoPatience).artifact) << i;
  // The older build's folder is empty now and goes at the next count.
  for (int i = 9; i < 20; ++i)
    put(cache, keyOf(i), artifactOf(static_cast<uint64_t>(i), 10000));
  subfolderOf(folder.path());
  uint64_t bytes = 0;
  for (const auto &file : fs::directory_iterator(subfolderOf(folder.path())))
    bytes += file.file_size();
  EXPECT_LE(bytes, options.maxBytes);
  EXPECT_GE(bytes, options.maxBytes / 2);
}

TEST(DiskCache, WhatDeadProcessesLeftIsRemoved) {
  TemporaryFolder folder;
  {
    DiskCache cache(optionsIn(folder.path()));
    put(cache, "key", artifactOf(1, 100));
  }
  std::string inside = subfolderOf(folder.path());
  const std::string left[] = {inside + "/.new-1-2-3", inside + "/0123456789abcdef0123456789abcdef.lock"};
  for (const std::string &path : left) {
    overwrite(path, "x");
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  const std::string fresh = inside + "/.new-4-5-6", foreign = inside + "/notes.txt";
  overwrite(fresh, "x");
  overwrite(foreign, "x");
  fs::last_write_time(foreign, fs::file_time_type::clock::now() - std::chrono::hours(1));
  DiskCache cache(optionsIn(folder.path()));
  put(cache, "another", artifactOf(1, 100));
  for (const std::string &path : left)
    EXPECT_FALSE(fs::exists(path)) << path;
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_TRUE(fs::exists(foreign));
}

TEST(DiskCache, AFolderThatIsDeletedMeanwhileIsMadeAgain) {
  TemporaryFolder folder;
  DiskCache cache(optionsIn(folder.path() + "/cache"));
  for (int round = 0; round < 5; ++round) {
    put(cache, "key", artifactOf(1, 100));
    EXPECT_TRUE(cache.find("key", kNoPatience).artifact) << round;
    fs::remove_all(folder.path() + "/cache");
    EXPECT_FALSE(cache.find("key", kNoPatience).artifact) << round;
    fs::remove_all(folder.path() + "/cache");
    // Between a look-up and its store, too.
    DiskCache::Entry entry = cache.find("key", kNoPatience);
    fs::remove_all(folder.path() + "/cache");
    entry.store(artifactOf(1, 100));
    EXPECT_TRUE(cache.find("key", kNoPatience).artifact) << round;
  }
  EXPECT_EQ(cache.stats().failures, 0u);
}
