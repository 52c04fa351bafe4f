// Storage: alignment, reuse, counters, sharing between threads.
#include "runtime/core/Buffer.h"

#include "tenferro/Error.h"

#include <cstring>
#include <gtest/gtest.h>
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
  EXPECT_GT(after.cachedBytes, 0u);
  releaseCachedMemory();
  EXPECT_EQ(memoryStats().cachedBytes, 0u);
}

TEST(Buffer, TooMuchIsTyped) {
  try {
    BufferRef::allocate(size_t{1} << 62);
    FAIL();
  } catch (const RuntimeError &error) {
    EXPECT_EQ(error.kind(), ErrorKind::OutOfMemory);
    EXPECT_NE(std::string(error.what()).find("4611686018427387904 bytes"), std::string::npos) << error.what();
  }
}

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
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 1000; ++i)
      BufferRef::allocate(static_cast<size_t>(i) * 100).reset();
    parents.reset();
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}
