// Storage: alignment, reuse, counters, the cap, what is kept and given back, sharing between threads, forks.
#include "runtime/memory/Buffer.h"

#include "runtime/memory/SystemBlocks.h"
#include "tenferro/Error.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tenferro;
using namespace tenferro::runtime;

TEST(Buffer, AlignedAndWritableAtAnySize) {
  for (size_t bytes : {0, 1, 63, 64, 65, 960, 961, 1000, 4096, 65000, 65536, 100000, 1 << 20, 5 << 20}) {
    BufferRef buffer = BufferRef::allocate(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 64, 0u);
    EXPECT_EQ(buffer.bytes(), bytes);
    std::memset(buffer.data(), 0xAB, bytes);
  }
}

TEST(Buffer, FreedMemoryComesBack) {
  for (size_t bytes : {size_t{500}, size_t{40000}, size_t{3} << 20}) {
    BufferRef first = BufferRef::allocate(bytes);
    void *address = first.data();
    first.reset();
    BufferRef second = BufferRef::allocate(bytes);
    EXPECT_EQ(second.data(), address) << bytes;
  }
}

TEST(Buffer, CountersAreExact) {
  MemoryStats before = memoryStats();
  resetPeakMemory();
  {
    BufferRef a = BufferRef::allocate(1000), b = a, c = BufferRef::allocate(2000000);
    EXPECT_FALSE(a.isUnique());
    EXPECT_TRUE(c.isUnique());
    MemoryStats now = memoryStats();
    EXPECT_EQ(now.liveBytes - before.liveBytes, 2001000u);
    EXPECT_EQ(now.liveBuffers - before.liveBuffers, 2u);
    a.reset();
    EXPECT_TRUE(b.isUnique());
    EXPECT_EQ(memoryStats().liveBytes - before.liveBytes, 2001000u);
  }
  MemoryStats after = memoryStats();
  EXPECT_EQ(after.liveBytes, before.liveBytes);
  EXPECT_EQ(after.liveBuffers, before.liveBuffers);
  EXPECT_EQ(after.peakBytes, before.liveBytes + 2001000);
  EXPECT_GE(after.cachedBytes, 2001000u);
  trimMemory();
  EXPECT_EQ(memoryStats().cachedBytes, 0u);
}

TEST(Buffer, TooMuchIsTyped) {
  try {
    BufferRef::allocate(size_t{1} << 62);
    FAIL();
  } catch (const RuntimeError &error) {
    EXPECT_EQ(error.kind(), ErrorKind::OutOfMemory);
    EXPECT_NE(std::string(error.what()).find("4611686018427387904 bytes asked for"), std::string::npos) << error.what();
  }
}

// Sanitizers need address space of their own.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TENFERRO_OWN_ADDRESS_SPACE 1
#endif
#endif

/// The process's address space (field 0 of statm) or resident memory (field 1) in bytes.
static size_t processBytes(int field) {
  std::ifstream statm("/proc/self/statm");
  size_t pages = 0;
  for (int i = 0; i <= field; ++i)
    statm >> pages;
  return pages * 4096;
}

static constexpr size_t kMiB = size_t{1} << 20;

TEST(Buffer, SizeClassesHoldTheirBlocks) {
  for (size_t bytes = 1; bytes < kMostBlockBytes; bytes += bytes / 7 + 1) {
    uint32_t c = sizeClassOf(bytes);
    ASSERT_LT(c, kSizeClasses);
    ASSERT_GE(sizeClassBytes(c), bytes);
    ASSERT_TRUE(c == 0 || sizeClassBytes(c - 1) < bytes) << bytes;
    ASSERT_LE(sizeClassBytes(c), bytes + std::max<size_t>(64, bytes / 8)) << bytes;
    ASSERT_EQ(sizeClassBytes(c) % 64, 0u);
  }
}

TEST(Buffer, CapIsAnErrorWithItsNumbers) {
  trimMemory();
  const size_t live = memoryStats().liveBytes;
  setMemoryCap(live + 10 * kMiB);
  {
    BufferRef most = BufferRef::allocate(10 * kMiB - 100);
    BufferRef::allocate(100).reset();
    for (size_t bytes : {size_t{101}, 5 * kMiB}) {
      try {
        BufferRef::allocate(bytes);
        ADD_FAILURE() << bytes;
      } catch (const RuntimeError &error) {
        EXPECT_EQ(error.kind(), ErrorKind::OutOfMemory);
        EXPECT_EQ(error.failure().message,
                  "expects memory for a result, but the cap leaves none: " + std::to_string(bytes) +
                      " bytes asked for, " + std::to_string(live + 10 * kMiB - 100) + " bytes in use, a cap of " +
                      std::to_string(live + 10 * kMiB) + " bytes");
      }
    }
    EXPECT_EQ(memoryStats().liveBytes, live + 10 * kMiB - 100);
    setMemoryCap(live); // less than there is: what lives may stay
    EXPECT_THROW(BufferRef::allocate(1), RuntimeError);
    BufferRef::allocate(0).reset();
  }
  EXPECT_EQ(memoryStats().liveBytes, live);
  EXPECT_EQ(memoryStats().capBytes, live);
  setMemoryCap(kNoMemoryCap);
  BufferRef::allocate(20 * kMiB).reset();
}

TEST(Buffer, KeptBlocksMakeRoomUnderTheCap) {
  trimMemory();
  const size_t live = memoryStats().liveBytes;
  setMemoryCap(live + 64 * kMiB);
  for (size_t size : {20, 24, 30, 40, 60}) {
    BufferRef::allocate(size * kMiB).reset(); // none of the kept ones fits
    EXPECT_LE(memoryStats().cachedBytes, 64 * kMiB + 10 * kMiB);
  }
  BufferRef large = BufferRef::allocate(50 * kMiB);
  EXPECT_LE(memoryStats().cachedBytes, 14 * kMiB + 10 * kMiB);
  large.reset();
  setMemoryCap(live + 4 * kMiB);
  EXPECT_LE(memoryStats().cachedBytes, 4 * kMiB + 10 * kMiB);
  setMemoryCap(kNoMemoryCap);
}

TEST(Buffer, CapIsExactWithThreads) {
  const size_t live = memoryStats().liveBytes;
  resetPeakMemory();
  setMemoryCap(live + 4 * kMiB);
  std::atomic<int> failures{0}, refused{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) // together exactly the cap
    threads.emplace_back([&, t] {
      for (int i = 0; i < 3000; ++i) {
        try {
          BufferRef::allocate(i % 3 == t % 3 ? 1 * kMiB : 60000);
        } catch (const RuntimeError &) {
          failures.fetch_add(1);
        }
      }
    });
  threads.emplace_back([&] {
    for (int i = 0; i < 3000; ++i) {
      try {
        BufferRef::allocate(i % 2 ? 4 * kMiB + 1 : size_t{1} << 45); // never fits; may not take room meanwhile
      } catch (const RuntimeError &) {
        refused.fetch_add(1);
      }
    }
  });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(failures.load(), 0);
  EXPECT_EQ(refused.load(), 3000);
  EXPECT_EQ(memoryStats().liveBytes, live);
  EXPECT_LE(memoryStats().peakBytes, live + 4 * kMiB);
  setMemoryCap(kNoMemoryCap);
}

TEST(Buffer, WhatIsKeptIsBounded) {
  trimMemory();
  resetPeakMemory();
  for (size_t size = 1; size <= 100; ++size) // 5 GiB in all if everything were kept
    BufferRef::allocate(size * kMiB).reset();
  EXPECT_LE(memoryStats().cachedBytes, 256 * kMiB + memoryStats().peakBytes / 4 + 10 * kMiB);
  EXPECT_GE(memoryStats().cachedBytes, 100 * kMiB);
  trimMemory();
}

TEST(Buffer, TrimGivesMemoryBack) {
  trimMemory();
  size_t before = processBytes(1);
  std::vector<BufferRef> buffers;
  for (size_t bytes : {12 * kMiB, 3 * kMiB, kMiB / 2}) {
    for (int i = 0; i < 4; ++i) {
      buffers.push_back(BufferRef::allocate(bytes));
      std::memset(buffers.back().data(), 1, bytes);
    }
  }
  buffers.clear();
  EXPECT_GE(processBytes(1), before + 55 * kMiB); // kept
  trimMemory();
  EXPECT_EQ(memoryStats().cachedBytes, 0u);
  EXPECT_LE(processBytes(1), before + 10 * kMiB);
}

TEST(Buffer, OtherThreadsFollowATrim) {
  trimMemory();
  std::atomic<int> step{0};
  auto wait = [&](int wanted) {
    while (step.load() != wanted)
      std::this_thread::yield();
  };
  std::thread other([&] {
    BufferRef::allocate(1000).reset();
    step = 1;
    wait(2);
    BufferRef::allocate(300000).reset(); // too large for a front: comes to the shared part
    step = 3;
    wait(4);
  });
  wait(1);
  size_t kept = memoryStats().cachedBytes;
  EXPECT_GE(kept, 1000u); // in the other thread's front
  trimMemory();
  step = 2;
  wait(3);
  EXPECT_EQ(memoryStats().cachedBytes, sizeClassBytes(sizeClassOf(300000 + sizeof(Buffer))));
  step = 4;
  other.join();
}

#ifndef TENFERRO_OWN_ADDRESS_SPACE
TEST(Buffer, MachineWithoutMemoryIsAnErrorAfterKeptBlocksAreGivenUp) {
  pid_t child = fork();
  if (child == 0) {
    trimMemory();
    resetPeakMemory();
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max = processBytes(0) + 100 * kMiB;
    setrlimit(RLIMIT_AS, &limit);
    BufferRef::allocate(70 * kMiB).reset(); // kept
    if (memoryStats().cachedBytes < 70 * kMiB)
      _exit(2);
    BufferRef second = BufferRef::allocate(90 * kMiB); // only without the kept one
    std::memset(second.data(), 1, second.bytes());
    try {
      BufferRef::allocate(60 * kMiB);
      _exit(3);
    } catch (const RuntimeError &error) {
      std::string text = error.what();
      if (error.kind() != ErrorKind::OutOfMemory || text.find("the machine leaves none") == std::string::npos ||
          text.find(std::to_string(60 * kMiB) + " bytes asked for") == std::string::npos ||
          text.find("no cap") == std::string::npos)
        _exit(4);
    }
    second.reset();
    BufferRef::allocate(60 * kMiB).reset();
    _exit(memoryStats().peakBytes >= 90 * kMiB && memoryStats().peakBytes < 150 * kMiB ? 0 : 5);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
#endif

TEST(Buffer, ThreadsAllocateHereAndFreeThere) {
  MemoryStats before = memoryStats();
  constexpr int kRounds = 2000;
  std::vector<BufferRef> handed(kRounds);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = t; i < kRounds; i += 4) {
        handed[i] = BufferRef::allocate(64 + i % 700);
        std::memset(handed[i].data(), t, handed[i].bytes());
        BufferRef::allocate(100000).reset();
      }
    });
  for (auto &thread : threads)
    thread.join();
  threads.clear();
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (int i = t; i < kRounds; i += 2) {
        EXPECT_EQ(static_cast<uint8_t *>(handed[i].data())[0], i % 4);
        BufferRef copy = handed[i];
        handed[i].reset();
      }
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(memoryStats().liveBytes, before.liveBytes);
  EXPECT_EQ(memoryStats().liveBuffers, before.liveBuffers);
}

TEST(Buffer, WorksInAForkedChild) {
  BufferRef parents = BufferRef::allocate(5000);
  std::atomic<bool> ready{false}, done{false};
  std::thread busy([&] { // has a front when the process forks, and keeps the lock busy
    for (size_t i = 0; !done.load(); ++i) {
      BufferRef::allocate(1000 + i % 100000).reset();
      ready = true;
    }
  });
  while (!ready.load())
    std::this_thread::yield();
  pid_t child = fork();
  if (child == 0) {
    trimMemory();
    if (memoryStats().cachedBytes != 0)
      _exit(2); // the other thread is not here
    for (int i = 0; i < 1000; ++i)
      BufferRef::allocate(static_cast<size_t>(i) * 100).reset();
    parents.reset();
    _exit(0);
  }
  done = true;
  busy.join();
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Buffer, IsCountedWhileTheProcessForks) {
  pid_t child = fork(); // what waits for ever ends by its alarm
  if (child == 0) {
    alarm(20);
    registerMemoryForkHandlers();
    std::atomic<bool> done{false};
    std::thread busy([&] {
      while (!done.load())
        memoryStats();
    });
    int failed = 0;
    for (int i = 0; i < 500; ++i) {
      pid_t grandchild = fork();
      if (grandchild == 0)
        _exit(0);
      int status = 1;
      waitpid(grandchild, &status, 0);
      failed += status != 0;
    }
    done = true;
    busy.join();
    _exit(failed != 0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

#if !TENFERRO_CHECKED_BLOCKS
TEST(Buffer, HasRoomForOneDescription) {
  BufferRef buffer = BufferRef::allocate(100);
  auto *room = static_cast<unsigned char *>(buffer->takeRoom());
  ASSERT_NE(room, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(room) % 8, 0u);
  EXPECT_EQ(buffer->takeRoom(), nullptr);
  std::memset(room, 1, Buffer::kRoomBytes);
  std::memset(buffer.data(), 2, 100);
  EXPECT_EQ(room[Buffer::kRoomBytes - 1], 1);
  EXPECT_EQ(buffer.bytes(), 100u);
  EXPECT_TRUE(buffer.isUnique());
  buffer.reset();
  buffer = BufferRef::allocate(100); // likely the same block
  EXPECT_NE(buffer->takeRoom(), nullptr);
}
#endif
