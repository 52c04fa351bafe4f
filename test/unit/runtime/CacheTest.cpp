// The cache: counters, limits, one build per key, failures, collisions.
#include "runtime/cache/LruCache.h"

#include <chrono>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

using namespace tenferro;
using namespace tenferro::runtime;

namespace {
using Cache = LruCache<const std::string>;

Cache::Pointer put(Cache &cache, uint64_t key, Cache::Memo &memo, size_t bytes = 10) {
  return cache.get({key, 0}, memo, [&] {
    return Built<const std::string>{std::make_shared<const std::string>(std::to_string(key)), bytes};
  });
}

Cache::Pointer put(Cache &cache, uint64_t key, size_t bytes = 10, int *builds = nullptr) {
  return cache.get({key, 0}, [&] {
    if (builds)
      ++*builds;
    return Built<const std::string>{std::make_shared<const std::string>(std::to_string(key)), bytes};
  });
}
} // namespace

TEST(LruCache, HitsMissesAndBytes) {
  Cache cache;
  int builds = 0;
  auto first = put(cache, 1, 30, &builds), again = put(cache, 1, 30, &builds);
  EXPECT_EQ(first, again);
  EXPECT_EQ(builds, 1);
  put(cache, 2, 12);
  CacheStats stats = cache.stats();
  EXPECT_EQ(stats.entries, 2u);
  EXPECT_EQ(stats.retainedBytes, 42u);
  EXPECT_EQ(stats.hits, 1u);
  EXPECT_EQ(stats.misses, 2u);
  EXPECT_EQ(cache.find({3, 0}), nullptr);
  EXPECT_EQ(cache.find({1, 1}), nullptr);
  EXPECT_EQ(cache.stats().misses, 2u);
  cache.clear();
  stats = cache.stats();
  EXPECT_EQ(stats.entries, 0u);
  EXPECT_EQ(stats.retainedBytes, 0u);
  EXPECT_EQ(stats.clears, 1u);
  EXPECT_EQ(*first, "1"); // a caller's reference outlives the entry
}

TEST(LruCache, LeastRecentlyUsedGoesFirst) {
  Cache cache({3, 1000});
  put(cache, 1);
  put(cache, 2);
  put(cache, 3);
  put(cache, 1); // now 2 is the oldest
  put(cache, 4);
  EXPECT_EQ(cache.find({2, 0}), nullptr);
  EXPECT_NE(cache.find({1, 0}), nullptr);
  EXPECT_EQ(cache.stats().evictions, 1u);
  put(cache, 5, 990); // 1,000 bytes at most
  EXPECT_EQ(cache.stats().entries, 2u);
  EXPECT_EQ(cache.stats().retainedBytes, 1000u);
  put(cache, 6, 1001); // larger than the cache: alone until the next one comes
  EXPECT_EQ(cache.stats().entries, 1u);
  EXPECT_EQ(cache.stats().retainedBytes, 1001u);
  EXPECT_EQ(cache.stats().evictions, 5u);
  EXPECT_NE(cache.find({6, 0}), nullptr);
  put(cache, 7, 10);
  EXPECT_EQ(cache.stats().entries, 1u);
  EXPECT_EQ(cache.stats().retainedBytes, 10u);
  EXPECT_EQ(cache.find({6, 0}), nullptr);
  cache.setLimits({1, 1000});
  EXPECT_EQ(cache.stats().entries, 1u);
  cache.setLimits({0, 0});
  EXPECT_EQ(cache.stats().entries, 0u);
  int builds = 0;
  put(cache, 8, 1, &builds);
  put(cache, 8, 1, &builds);
  EXPECT_EQ(builds, 2);
}

TEST(LruCache, VariantsAreCountedApart) {
  Cache cache({1, 1000});
  auto variant = [&](uint64_t key) {
    cache.get({key, 0}, [&] {
      return Built<const std::string>{std::make_shared<const std::string>("variant"), 10, /*isVariant=*/true};
    });
  };
  put(cache, 1);
  for (uint64_t key = 100; key < 140; ++key)
    variant(key);
  // 32 of them beside the one entry; none has pushed it out, though they are younger.
  EXPECT_EQ(cache.stats().entries, 33u);
  EXPECT_EQ(cache.stats().evictions, 8u);
  EXPECT_EQ(cache.stats().retainedBytes, 330u);
  EXPECT_NE(cache.find({1, 0}), nullptr);
  EXPECT_EQ(cache.find({107, 0}), nullptr);
  EXPECT_NE(cache.find({108, 0}), nullptr);
  // A second entry pushes out the first one, not a variant.
  put(cache, 2);
  EXPECT_EQ(cache.find({1, 0}), nullptr);
  EXPECT_NE(cache.find({108, 0}), nullptr);
  // Bytes are for all together: the oldest go, whatever they are.
  cache.setLimits({1, 20});
  EXPECT_EQ(cache.stats().retainedBytes, 20u);
  EXPECT_NE(cache.find({2, 0}), nullptr);
  EXPECT_NE(cache.find({108, 0}), nullptr);
  cache.clear();
  EXPECT_EQ(cache.stats().entries, 0u);
  for (uint64_t key = 200; key < 240; ++key)
    variant(key);
  EXPECT_EQ(cache.stats().entries, 2u); // of 20 bytes
}

TEST(LruCache, AMemoAnswersLikeTheCache) {
  Cache cache({3, 1000}), other;
  Cache::Memo memo;
  auto first = put(cache, 1, memo);
  EXPECT_EQ(put(cache, 1, memo), first);
  EXPECT_EQ(put(cache, 5, memo)->size(), 1u); // the same line of the memo
  EXPECT_EQ(put(cache, 1, memo), first);
  EXPECT_NE(put(other, 1, memo), first); // the same key of another cache
  EXPECT_EQ(cache.stats().hits, 2u);
  EXPECT_EQ(cache.stats().misses, 2u);

  // Hits through a memo keep an entry young.
  put(cache, 2, memo);
  put(cache, 1, memo);
  put(cache, 1, memo);
  put(cache, 3, memo); // evicts 5
  EXPECT_EQ(cache.find({5, 0}), nullptr);
  EXPECT_NE(cache.find({1, 0}), nullptr);

  // What is gone is not answered, though a caller still has it.
  put(cache, 2, memo);
  cache.setLimits({1, 1000});
  EXPECT_EQ(cache.stats().entries, 1u);
  uint64_t misses = cache.stats().misses;
  EXPECT_EQ(*put(cache, 1, memo), "1");
  EXPECT_EQ(cache.stats().misses, misses + 1);
  cache.clear();
  EXPECT_EQ(*put(cache, 1, memo), "1");
  EXPECT_EQ(cache.stats().misses, 1u);
  EXPECT_EQ(cache.stats().hits, 0u);
  cache.clear();
  EXPECT_EQ(*first, "1");

  // It keeps nothing alive.
  std::weak_ptr<const std::string> gone = put(cache, 7, memo);
  cache.clear();
  EXPECT_TRUE(gone.expired());
}

TEST(LruCache, SixteenThreadsBuildOnce) {
  Cache cache;
  for (uint64_t key = 0; key < 20; ++key) {
    std::atomic<int> builds{0};
    std::vector<std::thread> threads;
    std::vector<Cache::Pointer> got(16);
    for (int t = 0; t < 16; ++t)
      threads.emplace_back([&, t] {
        got[t] = cache.get({key, key}, [&] {
          builds.fetch_add(1);
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
          return Built<const std::string>{std::make_shared<const std::string>("x"), 1};
        });
      });
    for (auto &thread : threads)
      thread.join();
    EXPECT_EQ(builds.load(), 1);
    for (auto &value : got)
      EXPECT_EQ(value, got[0]);
  }
  CacheStats stats = cache.stats();
  EXPECT_EQ(stats.misses, 20u);
  EXPECT_EQ(stats.hits, 20u * 15);
}

TEST(LruCache, FailureReachesAllAndIsNotKept) {
  Cache cache;
  std::atomic<int> builds{0}, failed{0};
  std::vector<std::thread> threads;
  std::atomic<bool> open{false};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      try {
        cache.get({9, 9}, [&]() -> Built<const std::string> {
          builds.fetch_add(1);
          while (!open.load())
            std::this_thread::yield();
          throw std::runtime_error("no code");
        });
      } catch (const std::runtime_error &error) {
        failed.fetch_add(std::string(error.what()) == "no code");
      }
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  open.store(true);
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(failed.load(), 8);
  EXPECT_GE(builds.load(), 1);
  EXPECT_EQ(cache.stats().entries, 0u);
  EXPECT_EQ(*put(cache, 9), "9");
}

TEST(LruCache, BuildsMayAskForOtherKeysButNotTheirOwn) {
  Cache cache;
  auto outer = cache.get({1, 0}, [&] {
    EXPECT_EQ(*put(cache, 2), "2");
    return Built<const std::string>{std::make_shared<const std::string>("outer"), 1};
  });
  EXPECT_EQ(*outer, "outer");
  EXPECT_EQ(cache.stats().entries, 2u);
  try {
    cache.get({3, 0}, [&] {
      put(cache, 3);
      return Built<const std::string>{};
    });
    FAIL();
  } catch (const RuntimeError &error) {
    EXPECT_EQ(error.kind(), ErrorKind::RuntimeState);
  }
  EXPECT_EQ(*put(cache, 3), "3");
}

TEST(LruCache, CollisionsAreNotHits) {
  Cache cache;
  auto get = [&](const std::string &text) {
    return cache.get(
        {5, 5}, [&](const std::string &kept) { return kept == text; },
        [&] { return Built<const std::string>{std::make_shared<const std::string>(text), 4}; });
  };
  EXPECT_EQ(*get("a"), "a");
  EXPECT_EQ(*get("b"), "b");
  EXPECT_EQ(*get("b"), "b");
  CacheStats stats = cache.stats();
  EXPECT_EQ(stats.misses, 2u);
  EXPECT_EQ(stats.hits, 1u);
  EXPECT_EQ(stats.entries, 1u);
  EXPECT_EQ(stats.retainedBytes, 4u);
}

TEST(LruCache, AnOfferedValueStaysUnlessThereIsOne) {
  Cache cache;
  auto built = [](const char *text) { return Built<const std::string>{std::make_shared<const std::string>(text), 10}; };
  auto any = [](const std::string &) { return true; };
  cache.offer({1, 0}, any, built("first"));
  cache.offer({1, 0}, any, built("second"));
  EXPECT_EQ(*cache.find({1, 0}), "first");
  cache.offer({1, 0}, [](const std::string &known) { return known != "first"; }, built("third")); // a collision
  EXPECT_EQ(*cache.find({1, 0}), "third");
  cache.countMiss();
  CacheStats stats = cache.stats();
  EXPECT_EQ(stats.misses, 4u);
  EXPECT_EQ(stats.entries, 1u);
  EXPECT_EQ(stats.retainedBytes, 10u);
}

TEST(LruCache, ThreadsHitEvictAndClear) {
  Cache cache({8, 1000});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Cache::Memo memo;
      for (int i = 0; i < 2000; ++i) {
        uint64_t key = static_cast<uint64_t>(i * (t + 1)) % 16;
        ASSERT_EQ(*put(cache, key), std::to_string(key));
        ASSERT_EQ(*put(cache, key, memo), std::to_string(key));
        ASSERT_EQ(*put(cache, key / 4, memo), std::to_string(key / 4));
        if (i % 500 == t)
          cache.clear();
        cache.stats();
      }
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_LE(cache.stats().entries, 8u);
  EXPECT_EQ(cache.stats().retainedBytes, cache.stats().entries * 10);
}
