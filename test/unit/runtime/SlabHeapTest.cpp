// Slabs: blocks in the order of their addresses, kept bytes, trims, other threads and forks.
#include "runtime/memory/SlabHeap.h"

#include "tenferro/Memory.h"

#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tenferro;
using namespace tenferro::runtime;

static std::vector<void *> takeMany(uint32_t sizeClass, size_t count) {
  std::vector<void *> blocks;
  for (size_t i = 0; i < count; ++i) {
    blocks.push_back(SlabHeap::allocate(sizeClass));
    std::memset(blocks.back(), static_cast<int>(i), sizeClassBytes(sizeClass));
  }
  return blocks;
}

static void freeBackwards(std::vector<void *> &blocks) {
  for (; !blocks.empty(); blocks.pop_back())
    SlabHeap::free(blocks.back());
}

TEST(SlabHeap, BlocksOfAllClassesAreApart) {
  for (uint32_t c = 0; c < kSlabClasses; ++c) {
    const size_t bytes = sizeClassBytes(c), count = 3 * kSlabBytes / bytes;
    std::vector<void *> blocks = takeMany(c, count);
    std::set<char *> sorted;
    for (size_t i = 0; i < count; ++i) {
      auto *block = static_cast<char *>(blocks[i]);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
      EXPECT_EQ(block[0], static_cast<char>(i));
      EXPECT_EQ(block[bytes - 1], static_cast<char>(i));
      sorted.insert(block);
    }
    ASSERT_EQ(sorted.size(), count);
    for (auto at = sorted.begin(), next = std::next(at); next != sorted.end(); at = next++)
      EXPECT_GE(*next - *at, static_cast<ptrdiff_t>(bytes));
    freeBackwards(blocks);
  }
  EXPECT_EQ(sizeClassBytes(kSlabClasses - 1), 4096u);
}

TEST(SlabHeap, AChainThatWasDroppedIsMadeAgainInOrder) {
  constexpr uint32_t kClass = 1; // 128 bytes
  constexpr size_t kCount = 5000, kSlabs = kCount / (kSlabBytes / 128) + 1;
  trimMemory();
  std::vector<void *> blocks = takeMany(kClass, kCount);
  freeBackwards(blocks);
  const size_t pooled = SlabHeap::pooledBytes();
  EXPECT_GE(pooled, (kSlabs - 2) * kSlabBytes);
  blocks = takeMany(kClass, kCount);
  EXPECT_LE(SlabHeap::pooledBytes(), kSlabBytes); // made of the same slabs
  size_t jumps = 0;
  for (size_t i = 1; i < kCount; ++i)
    jumps += static_cast<char *>(blocks[i]) != static_cast<char *>(blocks[i - 1]) + 128;
  EXPECT_LE(jumps, kSlabs); // from slab to slab
  freeBackwards(blocks);
  trimMemory();
}

TEST(SlabHeap, KeptBytesAreThoseThatWereFreed) {
  constexpr uint32_t kClass = 3; // 256 bytes, up to 256 to a slab
  trimMemory();
  EXPECT_EQ(SlabHeap::keptBytes(), 0u);
  const size_t others = memoryStats().cachedBytes; // large blocks of threads that have not trimmed theirs yet
  std::vector<void *> blocks = takeMany(kClass, 1000);
  while (Slab::of(blocks.back())->fresh.load() != Slab::of(blocks.back())->end) // the last slab is full too
    blocks.push_back(SlabHeap::allocate(kClass));
  const size_t count = blocks.size(), step = 8, freed = (count + step - 1) / step * 256;
  EXPECT_EQ(SlabHeap::keptBytes(), 0u);
  for (size_t i = 0; i < count; i += step)
    SlabHeap::free(blocks[i]);
  EXPECT_EQ(SlabHeap::keptBytes(), freed);
  EXPECT_EQ(memoryStats().cachedBytes - others, freed);
  trimMemory(); // no slab is empty
  EXPECT_EQ(SlabHeap::keptBytes(), freed);
  for (size_t i = 0; i < count; i += step)
    blocks[i] = SlabHeap::allocate(kClass); // not from a new slab
  EXPECT_EQ(SlabHeap::keptBytes(), 0u);
  EXPECT_EQ(std::set<void *>(blocks.begin(), blocks.end()).size(), count);
  freeBackwards(blocks);
  EXPECT_GE(SlabHeap::keptBytes(), count * 256);
  trimMemory();
  EXPECT_EQ(SlabHeap::keptBytes(), 0u);
}

TEST(SlabHeap, NoMoreIsKeptThanTheCapAllows) {
  constexpr size_t kMiB = size_t{1} << 20;
  trimMemory();
  const size_t live = memoryStats().liveBytes;
  setMemoryCap(live + 2 * kMiB);
  std::vector<void *> blocks = takeMany(15, 8 * 1024); // 8 MiB
  freeBackwards(blocks);
  EXPECT_LE(SlabHeap::pooledBytes(), 2 * kMiB);
  EXPECT_GE(SlabHeap::pooledBytes(), kMiB);
  setMemoryCap(live + kMiB / 2);
  EXPECT_LE(SlabHeap::pooledBytes(), kMiB / 2);
  setMemoryCap(kNoMemoryCap);
  trimMemory();
}

TEST(SlabHeap, AnotherThreadMayFree) {
  constexpr uint32_t kClass = 7; // 512 bytes
  constexpr size_t kCount = 2000;
  trimMemory();
  std::vector<void *> blocks = takeMany(kClass, kCount);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (size_t i = t; i < kCount; i += 4)
        SlabHeap::free(blocks[i]);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(SlabHeap::keptBytes(), kCount * 512);
  blocks = takeMany(kClass, kCount); // mostly what the others freed
  EXPECT_LE(SlabHeap::keptBytes(), 2 * kSlabBytes);
  freeBackwards(blocks);
  trimMemory();
  EXPECT_EQ(SlabHeap::keptBytes(), 0u);
}

TEST(SlabHeap, WhatAThreadLeavesIsUsedAgain) {
  constexpr uint32_t kClass = 4; // 320 bytes
  constexpr size_t kCount = 4000;
  trimMemory();
  std::vector<void *> blocks;
  std::thread([&] { blocks = takeMany(kClass, kCount); }).join();
  freeBackwards(blocks); // to a heap without a thread
  EXPECT_EQ(SlabHeap::keptBytes(), kCount * 320);
  blocks = takeMany(kClass, kCount); // which gives its slabs before the system is asked
  EXPECT_LE(SlabHeap::keptBytes(), 2 * kSlabBytes);
  freeBackwards(blocks);
  std::thread([&] {
    blocks = takeMany(kClass, 10);
    std::thread([&] { freeBackwards(blocks); }).join();
  }).join();
  trimMemory();
  EXPECT_EQ(SlabHeap::keptBytes(), 0u);
}

TEST(SlabHeap, DestructorsOfThreadLocalsMayAllocate) {
  trimMemory();
  struct Late {
    ~Late() {
      std::vector<void *> blocks = takeMany(2, 700);
      freeBackwards(blocks);
      last = SlabHeap::allocate(2);
    }
    void *last = nullptr; ///< stays: reachable from nowhere when the thread is gone
  };
  void *mine = nullptr;
  std::thread([&] {
    static thread_local Late late; // made before the heap, so it goes after it
    late.last = nullptr;
    mine = SlabHeap::allocate(2);
  }).join();
  SlabHeap::free(mine);
  EXPECT_GE(SlabHeap::keptBytes(), 192u);
  trimMemory();
  // The one block that nobody freed holds a slab, with what was freed of it.
  EXPECT_LE(SlabHeap::keptBytes(), kSlabBytes);
}

TEST(SlabHeap, WorksInAForkedChild) {
  std::vector<void *> parents = takeMany(2, 500), others;
  std::atomic<bool> ready{false}, done{false};
  std::thread busy([&] {
    others = takeMany(2, 500);
    ready = true;
    while (!done.load()) {
      std::vector<void *> blocks = takeMany(2, 1000);
      freeBackwards(blocks);
    }
  });
  while (!ready.load())
    std::this_thread::yield();
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    freeBackwards(parents);
    freeBackwards(others); // of a thread that is not here
    std::vector<void *> blocks = takeMany(2, 3000);
    if (std::set<void *>(blocks.begin(), blocks.end()).size() != 3000)
      _exit(2);
    freeBackwards(blocks);
    trimMemory();
    std::thread([] { SlabHeap::free(SlabHeap::allocate(2)); }).join();
    _exit(0);
  }
  done = true;
  busy.join();
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  freeBackwards(parents);
  freeBackwards(others);
  trimMemory();
}
