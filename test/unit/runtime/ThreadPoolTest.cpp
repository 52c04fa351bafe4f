// The pool and the floating-point environment of its workers.
#include "runtime/threads/ThreadPool.h"
#include "runtime/core/FloatEnvironment.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tenferro::runtime;

TEST(ThreadPool, EveryTaskOnce) {
  for (int threads : {1, 2, 3, 8}) {
    for (int64_t tasks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> runs(tasks);
      parallelFor(threads, tasks, [&](int64_t task) { runs[task].fetch_add(1); });
      for (auto &count : runs)
        ASSERT_EQ(count.load(), 1);
    }
  }
}

TEST(ThreadPool, ManyRegions) {
  std::atomic<int64_t> sum{0};
  for (int region = 0; region < 20000; ++region)
    parallelFor(2, 2, [&](int64_t task) { sum.fetch_add(task + 1, std::memory_order_relaxed); });
  EXPECT_EQ(sum.load(), 60000);
}

TEST(ThreadPool, NestedAndConcurrentRegionsRunSerially) {
  std::atomic<int> count{0};
  parallelFor(2, 4, [&](int64_t) { parallelFor(2, 5, [&](int64_t) { count.fetch_add(1); }); });
  EXPECT_EQ(count.load(), 20);
  std::vector<std::thread> users;
  for (int user = 0; user < 4; ++user)
    users.emplace_back([&] {
      for (int i = 0; i < 500; ++i)
        parallelFor(3, 6, [&](int64_t) { count.fetch_add(1, std::memory_order_relaxed); });
    });
  for (auto &user : users)
    user.join();
  EXPECT_EQ(count.load(), 20 + 4 * 500 * 6);
}

TEST(ThreadPool, ExceptionsArrive) {
  for (int round = 0; round < 100; ++round) {
    try {
      parallelFor(2, 50, [&](int64_t task) {
        if (task == 17)
          throw std::runtime_error("task 17");
      });
      FAIL();
    } catch (const std::runtime_error &error) {
      EXPECT_STREQ(error.what(), "task 17");
    }
  }
  int after = 0;
  parallelFor(1, 3, [&](int64_t) { ++after; });
  EXPECT_EQ(after, 3);
}

TEST(ThreadPool, WorkersMoveToTheCoresOfTheTeam) {
  const cpu_set_t allowed = allowedCores();
  int core = CPU_SETSIZE - 1;
  while (!CPU_ISSET(core, &allowed))
    --core;
  const CoreSet one(std::span<const int>(&core, 1));
  /// The cores that the worker of a region of two tasks may use.
  auto coresOfWorker = [](const ThreadTeam &team) {
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> arrived{0};
    cpu_set_t seen;
    CPU_ZERO(&seen);
    parallelFor(team, 2, [&](int64_t) {
      for (arrived.fetch_add(1); arrived.load() < 2;) // one task a thread
        std::this_thread::yield();
      if (std::this_thread::get_id() != caller)
        seen = allowedCores();
    });
    return seen;
  };
  for (int round = 0; round < 3; ++round) {
    cpu_set_t cores = coresOfWorker({2, &one});
    EXPECT_TRUE(CPU_EQUAL(&cores, &one.set()));
    cores = coresOfWorker(2);
    EXPECT_TRUE(CPU_EQUAL(&cores, &allowed));
    cores = allowedCores();
    EXPECT_TRUE(CPU_EQUAL(&cores, &allowed)); // the caller stays
  }
}

TEST(ThreadPool, NoThreadBeforeTheFirstRegionAndAfterAFork) {
  std::atomic<int> warm{0};
  parallelFor(2, 8, [&](int64_t) { warm.fetch_add(1); });
  EXPECT_GE(poolWorkers(), 1);
  pid_t child = fork();
  if (child == 0) {
    if (poolWorkers() != 0)
      _exit(2);
    parallelFor(1, 100, [](int64_t) {});
    if (poolWorkers() != 0)
      _exit(3);
    std::atomic<int> count{0};
    for (int region = 0; region < 200; ++region)
      parallelFor(2, 16, [&](int64_t) { count.fetch_add(1); });
    _exit(count.load() == 3200 && poolWorkers() == 1 ? 0 : 4);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(ThreadPool, ShortRegionsWakeWorkersWhereMostOfTheTimeIsTheirs) {
  pid_t child = fork();
  if (child == 0) {
    // 10 us each, with pauses of a multiple: no thread is made for them.
    auto region = [](int64_t picoseconds) {
      parallelFor(2, 2, picoseconds, [](int64_t) { std::this_thread::sleep_for(std::chrono::microseconds(5)); });
    };
    for (int i = 0; i < 20; ++i) {
      region(10'000'000);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (poolWorkers() != 0)
      _exit(2);
    // Milliseconds of such regions without pauses: a worker is there in the end. They claim to be longer than they are
    // on any machine, which makes them dense.
    for (int i = 0; i < 1000 && poolWorkers() == 0; ++i)
      parallelFor(2, 2, 10'000'000, [](int64_t) {});
    if (poolWorkers() != 1)
      _exit(3);
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  // A long region does not wait for more of its kind.
  child = fork();
  if (child == 0) {
    parallelFor(2, 2, 100'000'000, [](int64_t) {});
    _exit(poolWorkers() == 1 ? 0 : 4);
  }
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(ThreadPool, ThreadsStartInRangesOfTheirOwn) {
  const std::thread::id caller = std::this_thread::get_id();
  for (int round = 0; round < 50; ++round) {
    std::atomic<int64_t> first{-1}; // of the worker; the caller waits for it in its own first task
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    parallelFor(2, 8, [&](int64_t task) {
      int64_t none = -1;
      if (std::this_thread::get_id() != caller)
        first.compare_exchange_strong(none, task);
      while (first.load() < 0 && std::chrono::steady_clock::now() < deadline)
        std::this_thread::yield();
    });
    ASSERT_EQ(first.load(), 4);
  }
}

TEST(FloatEnvironment, DefaultInsideUsersOutside) {
  unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040 | 0x6000); // flush to zero, denormals are zero, round toward zero
  volatile double tiny = std::numeric_limits<double>::denorm_min(), one = 1.0, third = 3.0;
  EXPECT_EQ(tiny * one, 0.0);
  std::atomic<int> wrong{0};
  {
    FloatEnvironment environment;
    FloatEnvironment nested;
    EXPECT_NE(tiny * one, 0.0);
    parallelFor(2, 64, [&](int64_t) {
      volatile double inside = tiny * one, rounded = one / third;
      if (inside == 0.0 || rounded != 0x1.5555555555555p-2)
        wrong.fetch_add(1);
    });
  }
  EXPECT_EQ(tiny * one, 0.0);
  EXPECT_EQ(_mm_getcsr() & 0xFFC0, (before | 0x8040 | 0x6000) & 0xFFC0);
  _mm_setcsr(before);
  EXPECT_EQ(wrong.load(), 0);
}
