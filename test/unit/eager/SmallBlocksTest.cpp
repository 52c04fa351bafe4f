// The blocks that threads keep for records and tensors.
#include "lib/Eager/Trace/SmallBlocks.h"

#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <vector>

namespace tenferro::eager {

TEST(SmallBlocksTest, BlocksAreDistinctAndTheirOwnersAlone) {
  struct Piece {
    unsigned char *memory;
    size_t bytes;
    unsigned char fill;
  };
  std::vector<Piece> pieces;
  auto check = [](const Piece &piece) {
    for (size_t i = 0; i < piece.bytes; ++i)
      ASSERT_EQ(piece.memory[i], piece.fill);
  };
  unsigned char fill = 0;
  for (int round = 0; round < 3; ++round) {
    for (size_t bytes = 1; bytes < 1200; bytes += 7) { // below, at and above the sizes that are kept
      Piece piece = {static_cast<unsigned char *>(SmallBlocks::allocate(bytes)), bytes, ++fill};
      std::memset(piece.memory, piece.fill, bytes);
      pieces.push_back(piece);
    }
    for (size_t i = 0; i < pieces.size(); i += 2) { // every other one goes and comes again in the next round
      check(pieces[i]);
      SmallBlocks::free(pieces[i].memory, pieces[i].bytes);
      pieces[i] = pieces.back();
      pieces.pop_back();
    }
  }
  std::set<void *> addresses;
  for (const Piece &piece : pieces) {
    check(piece);
    EXPECT_TRUE(addresses.insert(piece.memory).second);
    SmallBlocks::free(piece.memory, piece.bytes);
  }
}

TEST(SmallBlocksTest, AnotherThreadMayFreeAndThreadsEnd) {
  constexpr size_t kBytes = 200, kBlocks = 1000; // more than a thread keeps
  std::vector<void *> blocks;
  std::thread([&] {
    for (size_t i = 0; i < kBlocks; ++i)
      blocks.push_back(SmallBlocks::allocate(kBytes));
  }).join();
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (size_t i = t; i < kBlocks; i += 4)
        SmallBlocks::free(blocks[i], kBytes);
      void *block = SmallBlocks::allocate(kBytes);
      std::memset(block, 1, kBytes);
      SmallBlocks::free(block, kBytes);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(std::set<void *>(blocks.begin(), blocks.end()).size(), kBlocks);
}

} // namespace tenferro::eager
