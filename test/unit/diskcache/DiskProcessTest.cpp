// Many processes on one folder: each entry made once, none torn, nobody waits for a process that is gone or stuck.
#include "DiskTestSupport.h"
#include "tenferro/Log.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kPatience{20000};

pid_t start(const std::function<int()> &body) {
  pid_t pid = fork();
  if (pid == 0)
    _exit(body());
  return pid;
}
/// The exit code, or 128 + the signal.
int waitFor(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// "Compiles": says so in a file that all share, and takes a while.
CompiledArtifact compile(const std::string &log, int round) {
  int file = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  std::string line = "round " + std::to_string(round) + "\n";
  if (write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    _exit(9);
  close(file);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return artifactOf(static_cast<uint64_t>(round), 20000);
}

} // namespace

TEST(DiskProcess, EightColdProcessesCompileEachProgramOnce) {
  constexpr int rounds = 100, kProcesses = 8;
  TemporaryFolder folder;
  const std::string log = folder.path() + "/log";
  std::vector<pid_t> processes;
  for (int p = 0; p < kProcesses; ++p)
    processes.push_back(start([&] {
      DiskCache cache(optionsIn(folder.path() + "/cache"));
      for (int round = 0; round < rounds; ++round) {
        DiskCache::Entry entry = cache.find("round " + std::to_string(round), kPatience);
        if (!entry.artifact) {
          entry.store(compile(log, round));
          continue;
        }
        if (!isSame(*entry.artifact, artifactOf(static_cast<uint64_t>(round), 20000)))
          return 1;
      }
      DiskCacheStats stats = cache.stats();
      return stats.rejected == 0 && stats.failures == 0 && stats.hits + stats.misses == static_cast<uint64_t>(rounds)
                 ? 0
                 : 2;
    }));
  for (pid_t process : processes)
    EXPECT_EQ(waitFor(process), 0);
  EXPECT_EQ(lineCount(contentOf(log)), static_cast<size_t>(rounds));
  size_t files = 0;
  for (const auto &file : fs::directory_iterator(subfolderOf(folder.path() + "/cache"))) {
    ++files;
    EXPECT_EQ(file.path().filename().string().size(), 32u) << file.path(); // no lock, nothing half written
  }
  EXPECT_EQ(files, static_cast<size_t>(rounds));
}

TEST(DiskProcess, ThreadsOfOneProcessTakeTurnsToo) {
  TemporaryFolder folder;
  std::vector<std::thread> threads;
  std::atomic<int> made{0}, wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      DiskCache cache(optionsIn(folder.path())); // as runtimes have one each
      for (int round = 0; round < 10; ++round) {
        DiskCache::Entry entry = cache.find("round " + std::to_string(round), kPatience);
        CompiledArtifact expected = artifactOf(static_cast<uint64_t>(round), 2000);
        if (entry.artifact) {
          wrong += !isSame(*entry.artifact, expected);
          continue;
        }
        ++made;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        entry.store(expected);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(made, 10);
  EXPECT_EQ(wrong, 0);
}

TEST(DiskProcess, AHundredKillsDuringWrites) {
  TemporaryFolder folder;
  const std::string directory = folder.path() + "/cache";
  constexpr size_t kBytes = 300000;
  constexpr uint64_t kKeys = 5;
  uint64_t found = 0;
  int begun[2];
  ASSERT_EQ(pipe(begun), 0);
  for (int kill = 0; kill < 100; ++kill) {
    pid_t writer = start([&] {
      setLogFunction([](std::string_view) {});
      DiskCache cache(optionsIn(directory));
      CompiledArtifact artifacts[kKeys];
      for (uint64_t i = 0; i < kKeys; ++i)
        artifacts[i] = artifactOf(i, kBytes);
      if (write(begun[1], "x", 1) != 1)
        return 1;
      for (uint64_t i = 0;; ++i) {
        DiskCache::Entry entry = cache.find("key " + std::to_string(i % kKeys), kNoPatience);
        if (entry.artifact)
          entry.refuse("written again"); // over the one that is there
        entry.store(artifacts[i % kKeys]);
      }
      return 0;
    });
    char byte;
    ASSERT_EQ(read(begun[0], &byte, 1), 1);
    std::this_thread::sleep_for(std::chrono::microseconds(kill * 137 % 9000));
    ASSERT_EQ(::kill(writer, SIGKILL), 0);
    EXPECT_EQ(waitFor(writer), 128 + SIGKILL);
    DiskCache cache(optionsIn(directory));
    for (uint64_t i = 0; i < kKeys; ++i) {
      DiskCache::Entry entry = cache.find("key " + std::to_string(i), kNoPatience);
      found += entry.artifact.has_value();
      if (entry.artifact)
        EXPECT_TRUE(isSame(*entry.artifact, artifactOf(i, kBytes))) << kill;
    }
    EXPECT_EQ(cache.stats().rejected, 0u) << kill;
  }
  close(begun[0]);
  close(begun[1]);
  EXPECT_GT(found, 100u); // writers got somewhere
  // What they left half written goes when it is old.
  for (const auto &file : fs::directory_iterator(subfolderOf(directory)))
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
  DiskCache cache(optionsIn(directory));
  put(cache, "one more", artifactOf(9, 10));
  for (const auto &file : fs::directory_iterator(subfolderOf(directory)))
    EXPECT_EQ(file.path().filename().string().size(), 32u) << file.path();
}

TEST(DiskProcess, ForksWhileFilesAreWritten) {
  TemporaryFolder folder;
  DiskCache cache(optionsIn(folder.path() + "/cache"));
  auto writeLater = [&](const std::string &key) {
    cache.storeLater(cache.find(key, kNoPatience), std::make_shared<const CompiledArtifact>(artifactOf(1, 200000)));
    cache.drain();
  };
  std::atomic<bool> ends{false};
  std::vector<std::thread> writers;
  for (int t = 0; t < 3; ++t)
    writers.emplace_back([&, t] {
      for (int i = 0; !ends; ++i)
        writeLater("thread " + std::to_string(t) + " " + std::to_string(i % 40));
    });
  for (int round = 0; round < 60; ++round) {
    const std::string key = "child " + std::to_string(round);
    pid_t process = start([&] {
      alarm(60); // one that hangs is a failure
      writeLater(key);
      DiskCache::Entry entry = cache.find(key, kNoPatience);
      return entry.artifact && isSame(*entry.artifact, artifactOf(1, 200000)) ? 0 : 1;
    });
    EXPECT_EQ(waitFor(process), 0) << round;
    EXPECT_TRUE(cache.find(key, kNoPatience).artifact) << round;
    if (HasFailure())
      break;
  }
  ends = true;
  for (std::thread &writer : writers)
    writer.join();
  EXPECT_EQ(cache.stats().rejected, 0u);
}

TEST(DiskProcess, ForksFromTheLogFunctionWhileFilesAreWritten) {
  TemporaryFolder folder;
  const Child child = inChild([&] { // the one warning of a process
    int inner = -1;
    setLogFunction([&](std::string_view) {
      inner = waitFor(start([&] {
        alarm(60); // one that hangs is a failure
        const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
        setrlimit(RLIMIT_FSIZE, &all);
        DiskCache other(optionsIn(folder.path() + "/cache"));
        other.storeLater(other.find("key", kNoPatience), std::make_shared<const CompiledArtifact>(artifactOf(2, 3000)));
        other.drain();
        return other.find("key", kNoPatience).artifact ? 0 : 1;
      }));
    });
    const rlimit small{2000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &small);
    DiskCache cache(optionsIn(folder.path() + "/cache"));
    cache.storeLater(cache.find("another", kNoPatience), std::make_shared<const CompiledArtifact>(artifactOf(1, 3000)));
    cache.drain();
    cache.drain();
    return inner != 0 ? 1 : cache.stats().failures != 1 ? 2 : cache.find("key", kNoPatience).artifact ? 0 : 3;
  });
  EXPECT_EQ(child.exitCode, 0) << child.errors;
}

TEST(DiskProcess, ATurnEndsWithItsProcess) {
  TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  pid_t holder = start([&] {
    DiskCache cache(optionsIn(folder.path()));
    DiskCache::Entry entry = cache.find("key", kNoPatience);
    if (write(ready[1], "x", 1) != 1)
      return 1;
    pause();
    return 0;
  });
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  // A stuck one is waited for as long as was said.
  DiskCache cache(optionsIn(folder.path()));
  auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(cache.find("key", std::chrono::milliseconds(200)).artifact);
  auto waited = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(waited, std::chrono::milliseconds(200));
  EXPECT_LT(waited, std::chrono::seconds(10));
  // One that is wanted elsewhere waits no longer.
  std::atomic<bool> abandoned{false};
  std::thread caller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    abandoned = true;
  });
  begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(cache.find("key", kPatience, &abandoned).artifact);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kPatience / 2);
  caller.join();
  // Other keys are free.
  begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(cache.find("another", kPatience).artifact);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kPatience / 2);
  // One that dies is not waited for any longer.
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    kill(holder, SIGKILL);
  });
  begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(cache.find("key", kPatience).artifact);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kPatience / 2);
  killer.join();
  waitFor(holder);
  close(ready[0]);
  close(ready[1]);
}
