// Values made at first use: made by whoever comes first, and never waited for.
#include "runtime/core/FirstUse.h"

#include <atomic>
#include <gtest/gtest.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tenferro::runtime;

TEST(FirstUse, AllThreadsGetTheSameOne) {
  static constinit FirstUse<std::vector<int>> value;
  std::atomic<int> ready{0};
  std::vector<const std::vector<int> *> seen(8);
  std::vector<std::thread> threads;
  for (const std::vector<int> *&mine : seen)
    threads.emplace_back([&] {
      mine = &value.get([&] {
        for (++ready; ready.load() < 8;) // all of them make one
          std::this_thread::yield();
        return std::vector<int>{1, 2, 3};
      });
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), 1u);
  EXPECT_EQ(value.get([]() -> std::vector<int> { throw 1; }), (std::vector<int>{1, 2, 3})); // made already
}

TEST(FirstUse, WhatThrowsIsMadeByTheNext) {
  static constinit FirstUse<int> value;
  EXPECT_THROW(value.get([]() -> int { throw 1; }), int);
  EXPECT_EQ(value.get([] { return 2; }), 2);
}

TEST(FirstUse, AForkedChildDoesNotWaitForAThreadOfItsParent) {
  static constinit FirstUse<int> value;
  std::atomic<bool> making{false}, forked{false};
  std::thread maker([&] {
    value.get([&] {
      for (making = true; !forked.load();)
        std::this_thread::yield();
      return 1;
    });
  });
  while (!making.load())
    std::this_thread::yield();
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(value.get([] { return 2; }) == 2 ? 0 : 1);
  }
  forked = true;
  maker.join();
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(value.get([] { return 3; }), 1);
}
