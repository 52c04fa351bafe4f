// Programs that survive the process, through the public API: every case is a process of its own.
//
// TENFERRO_TEST_ROUNDS: rounds of eight cold processes (default 2).
#include "test/unit/eager/DiskProcesses.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace fs = std::filesystem;

using namespace tenferro::test;

namespace {

const std::string kAll = "0 1 2 5 second compiled custom";

} // namespace

TEST_F(Disk, ASecondProcessCompilesNothing) {
  const Answer without = child("-", kAll, "DISK_CHILD_CACHE_DIR=off");
  EXPECT_EQ(without["hits"] + without["misses"] + without["writes"], 0);
  EXPECT_EQ(without["llvm"], 1);
  const Answer cold = child(directory(), kAll);
  EXPECT_EQ(cold.bits, without.bits);
  EXPECT_EQ(cold["llvm"], 1);
  EXPECT_EQ(cold["hits"], 0);
  EXPECT_GE(cold["writes"], 8); // the second derivative takes two programs
  EXPECT_EQ(cold["writes"], cold["misses"]);
  EXPECT_EQ(entries().size(), static_cast<size_t>(cold["writes"]));
  const Answer warm = child(directory(), kAll);
  EXPECT_EQ(warm.bits, without.bits);
  EXPECT_EQ(warm["llvm"], 0) << "a process that finds all its programs opened the compiler";
  EXPECT_EQ(warm["hits"], cold["writes"]);
  EXPECT_EQ(warm["misses"], 0);
  EXPECT_EQ(warm["writes"], 0);
  EXPECT_EQ(cold.errors + warm.errors, "");
  RecordProperty("microseconds", static_cast<int>(warm["microseconds"]));
  std::printf("first gradient after %lld us, cold after %lld us\n", warm["microseconds"], cold["microseconds"]);
}

TEST_F(Disk, OpByOpProgramsSurviveToo) {
  const Answer cold = child(directory(), "never " + kAll), warm = child(directory(), "never " + kAll);
  EXPECT_EQ(warm.bits, cold.bits);
  EXPECT_EQ(warm["llvm"], 0);
  EXPECT_EQ(warm["misses"], 0);
  // The fused programs are other entries.
  const Answer fused = child(directory(), kAll);
  EXPECT_EQ(fused.bits, cold.bits);
  EXPECT_GT(fused["writes"], 0);
}

TEST_F(Disk, WhatIsCompiledBehindSurvives) {
  // Asked for once: op by op, kept as such, and as good the next time.
  const Answer once = child(directory(), "background 1 2"), again = child(directory(), "background 1 2");
  EXPECT_EQ(once["writes"], 2);
  EXPECT_EQ(once["fused"] + once["compiled"], 0);
  EXPECT_EQ(again.bits, once.bits);
  EXPECT_EQ(again["hits"], 2);
  EXPECT_EQ(again["fused"] + again["writes"], 0);
  EXPECT_EQ(again["llvm"], 0);
  // Asked for again it is compiled behind, and fused from the start in the next process.
  const Answer behind = child(directory(), "background 1 1"), warm = child(directory(), "background 1 1");
  EXPECT_EQ(behind["compiled"], 1);
  EXPECT_EQ(behind["writes"], 1);
  EXPECT_EQ(warm.bits, behind.bits);
  EXPECT_EQ(warm["fused"], 2);
  EXPECT_EQ(warm["compiled"] + warm["writes"] + warm["misses"], 0);
  EXPECT_EQ(warm["hits"], 1);
  EXPECT_EQ(warm["llvm"], 0);
  // Programs of other policies are the same.
  EXPECT_EQ(child(directory(), "1")["hits"], 1);
  EXPECT_EQ(child(directory(), "never 1 2")["hits"], 2);
  // The whole list, to the end.
  const std::string words = "background " + kAll + " " + kAll;
  const Answer cold = child(directory(), words), last = child(directory(), words);
  EXPECT_EQ(cold.bits, child("-", words, "DISK_CHILD_CACHE_DIR=off").bits);
  EXPECT_EQ(last.bits, cold.bits);
  EXPECT_EQ(last["writes"], 0);
  EXPECT_EQ(last["llvm"], 0);
}

TEST_F(Disk, WhatWaitsToBeKeptIsKeptAtTheEndOfTheProcess) {
  const Answer hasty = child(directory(), "hasty background " + kAll);
  const Answer warm = child(directory(), "never " + kAll);
  EXPECT_EQ(warm.bits, hasty.bits);
  EXPECT_GE(warm["hits"], 8);
  EXPECT_EQ(warm["misses"], 0);
}

TEST_F(Disk, LevelsAreKeptApart) {
  const Answer low = child(directory(), "v3 1 2"), high = child(directory(), "1 2"),
               again = child(directory(), "v3 1 2");
  EXPECT_EQ(low.bits, high.bits);
  EXPECT_EQ(again.bits, low.bits);
  EXPECT_EQ(again["llvm"], 0);
  EXPECT_EQ(again["hits"], 2);
}

TEST_F(Disk, AnEntryOfAnotherLevelIsNotRun) {
  child(directory(), "v3 1");
  ASSERT_EQ(entries().size(), 1u);
  const std::string low = entries()[0], content = contentOf(low);
  const Answer cold = child(directory(), "never 1"); // of this level
  ASSERT_EQ(entries().size(), 2u);
  for (const std::string &entry : entries())
    if (entry != low)
      std::ofstream(entry, std::ios::binary | std::ios::trunc) << content;
  const Answer warm = child(directory(), "never 1");
  EXPECT_EQ(warm.bits, cold.bits);
  EXPECT_EQ(warm["rejected"], 1);
  EXPECT_EQ(warm["llvm"], 1);
  EXPECT_EQ(lineCount(warm.errors), 1u) << warm.errors;
}

TEST_F(Disk, RuntimesOfOneProcessShareIt) {
  const Answer answer = child(directory(), "twice " + kAll);
  EXPECT_EQ(answer["hits"], answer["writes"]);
  EXPECT_EQ(answer["misses"], answer["writes"]);
}

TEST_F(Disk, ProgramsThatCallFamiliesSurviveWithTheKernelsOfTheProcess) {
  // d sum(x x / 2) / dx = x, at x = [0.25, -1.5, 3]
  const std::string halved = "3fd0000000000000 bff8000000000000 4008000000000000\n";
  // d sum(x x / 4) / dx = x / 2, and with a rule that says twice as much x
  const std::string quartered = "3fc0000000000000 bfe8000000000000 3ff8000000000000\n";
  for (const std::string policy : {"", "never ", "background "}) {
    const Answer cold = child(directory(), policy + "0 family family");
    EXPECT_EQ(cold.bits.substr(cold.bits.find("bits family")), "bits family " + halved + "bits family " + halved);
    EXPECT_GE(cold["writes"], 2);
    // Numbers of registrations differ: this process makes another one first.
    const Answer warm = child(directory(), policy + "0 kernel family family");
    EXPECT_EQ(warm.bits.substr(warm.bits.find("bits kernel")),
              "bits kernel " + quartered + "bits family " + halved + "bits family " + halved);
    EXPECT_EQ(warm["hits"], 4);
    EXPECT_EQ(warm["writes"] + warm["skipped"], 0);
    EXPECT_EQ(warm["llvm"], 0);
    // Another rule is another program.
    const Answer rule = child(directory(), policy + "rule");
    EXPECT_EQ(rule.bits, "bits rule " + halved);
    EXPECT_EQ(rule["hits"], 0);
    EXPECT_EQ(rule["writes"], 1);
    EXPECT_EQ(cold.errors + warm.errors + rule.errors, "");
    fs::remove_all(directory());
  }
}

TEST_F(Disk, ProgramsThatCallTwoModulesOfAFamilyAreNotKept) {
  for (int process = 0; process < 2; ++process) {
    const Answer answer = child(directory(), "modules");
    // d sum((d sum(x x x / 2) / dx) / 4) / dx = 3 x / 4
    EXPECT_EQ(answer.bits, "bits modules 3fc8000000000000 bff2000000000000 4002000000000000\n");
    EXPECT_EQ(answer["hits"], process); // the first derivative calls one
    EXPECT_EQ(answer["writes"], 1 - process);
    EXPECT_EQ(answer["skipped"], 1);
    EXPECT_EQ(answer.errors, "");
  }
}

TEST_F(Disk, DamagedEntriesAreCompiledAgain) {
  const Answer cold = child(directory(), kAll);
  int change = 0;
  for (const std::string &entry : entries()) {
    std::string content = contentOf(entry);
    switch (change++ % 4) {
    case 0:
      content[content.size() / 2] ^= 4;
      break;
    case 1:
      content.resize(content.size() / 3);
      break;
    case 2:
      content.clear();
      break;
    default:
      content += 'x';
    }
    std::ofstream(entry, std::ios::binary | std::ios::trunc) << content;
  }
  const Answer damaged = child(directory(), kAll);
  EXPECT_EQ(damaged.bits, cold.bits);
  EXPECT_EQ(damaged["rejected"], cold["writes"]);
  EXPECT_EQ(damaged["writes"], cold["writes"]);
  EXPECT_EQ(lineCount(damaged.errors), 1u) << damaged.errors;
  const Answer warm = child(directory(), kAll);
  EXPECT_EQ(warm.bits, cold.bits);
  EXPECT_EQ(warm["hits"], cold["writes"]);
  EXPECT_EQ(warm.errors, "");
}

TEST_F(Disk, ExplainCacheSaysSo) {
  const Answer cold = child(directory(), "explain 1");
  EXPECT_NE(cold.rest.find("disk cache: " + directory() + ", 0 hits, 1 miss, 1 write"), std::string::npos) << cold.rest;
  EXPECT_EQ(cold.rest.find("read from disk"), std::string::npos) << cold.rest;
  const Answer warm = child(directory(), "explain 1");
  EXPECT_NE(warm.rest.find("disk cache: " + directory() + ", 1 hit, 0 misses, 0 writes"), std::string::npos)
      << warm.rest;
  EXPECT_NE(warm.rest.find("read from disk"), std::string::npos) << warm.rest;
  const Answer off = child("-", "explain 1", "DISK_CHILD_CACHE_DIR=off");
  EXPECT_NE(off.rest.find("disk cache: off"), std::string::npos) << off.rest;
}

TEST_F(Disk, TheEnvironmentNamesTheFolder) {
  const std::string home = "HOME='" + root_ + "/home' XDG_CACHE_HOME= ";
  EXPECT_EQ(child("-", "1", home)["writes"], 1);
  EXPECT_TRUE(fs::exists(root_ + "/home/.cache/tenferro"));
  EXPECT_EQ(child("-", "1", home)["hits"], 1);
  EXPECT_EQ(child("-", "1", home + "XDG_CACHE_HOME='" + root_ + "/xdg'")["writes"], 1);
  EXPECT_TRUE(fs::exists(root_ + "/xdg/tenferro"));
  EXPECT_EQ(child("-", "1", home + "DISK_CHILD_CACHE_DIR='" + root_ + "/moved'")["writes"], 1);
  EXPECT_TRUE(fs::exists(root_ + "/moved"));
  for (const char *off : {"DISK_CHILD_CACHE_DIR=off", "DISK_CHILD_CACHE_DIR=OFF", "DISK_CHILD_CACHE_DIR="}) {
    Answer answer = child("-", "1", home + off);
    EXPECT_EQ(answer["hits"] + answer["misses"] + answer["writes"], 0) << off;
  }
  EXPECT_FALSE(fs::exists("OFF"));
  // Without any, there is none; a relative XDG_CACHE_HOME is none.
  EXPECT_EQ(child("-", "1", "env -u HOME -u XDG_CACHE_HOME")["misses"], 0);
  EXPECT_EQ(child("-", "1", "HOME= XDG_CACHE_HOME=relative")["misses"], 0);
  EXPECT_FALSE(fs::exists("relative"));
  // The option wins.
  EXPECT_EQ(child(directory(), "1", home + "DISK_CHILD_CACHE_DIR=off")["writes"], 1);
}

TEST_F(Disk, EightColdProcessesCompileEachProgramOnce) {
  const char *variable = std::getenv("TENFERRO_TEST_ROUNDS");
  const int rounds = variable && *variable ? std::atoi(variable) : 2;
  const Answer expected = child("-", kAll, "DISK_CHILD_CACHE_DIR=off");
  for (int round = 0; round < rounds; ++round) {
    std::vector<Answer> answers(8);
    std::vector<std::thread> threads;
    for (Answer &answer : answers)
      threads.emplace_back([&] { answer = child(directory(), kAll); });
    for (std::thread &thread : threads)
      thread.join();
    long long compiled = 0;
    for (const Answer &answer : answers) {
      EXPECT_EQ(answer.bits, expected.bits);
      EXPECT_EQ(answer.errors, "");
      EXPECT_EQ(answer["rejected"] + answer["failures"], 0);
      compiled += answer["compiled"];
    }
    EXPECT_EQ(compiled, expected["compiled"]) << round;
    EXPECT_GE(entries().size(), static_cast<size_t>(compiled)) << round;
    fs::remove_all(directory());
  }
}
