// What loading a program makes of it: shared plans and code, the memory it keeps, and what it refuses.
#include "runtime/cache/LruCache.h"
#include "runtime/program/CodeLoader.h"
#include "test/unit/runtime/HandwrittenProgram.h"

#include <fstream>
#include <malloc.h>

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

/// Launches that differ in places alone share their plan; those that differ in more do not.
TEST(LoadedProgram, EqualLaunchesShareAPlan) {
  auto bytesOf = [](int64_t wide, int64_t narrow) {
    Builder b;
    uint32_t x = b.argument(DType::F64, {8}), half = b.view(x, {4}, {0}, {0}, {1});
    auto addUp = [&](uint32_t value, Shape shape, int64_t times) {
      uint32_t result = b.result(DType::F64, shape), last = value;
      for (int64_t i = 1; i <= times; ++i) {
        uint32_t next = i == times ? result : b.arena(DType::F64, shape);
        b.map("add.f64", {value, last, next});
        last = next;
      }
    };
    addUp(x, {8}, wide);
    addUp(half, {4}, narrow);
    auto program = load(b.artifact());
    std::vector<double> xs = {1, 2, 3, 4, 5, 6, 7, 8};
    TensorView arguments[1] = {vector(xs)};
    BufferRef results[2];
    EXPECT_EQ(program->run(arguments, results, 1), std::nullopt);
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(doubles(results[0])[i], static_cast<double>(wide + 1) * xs[i]);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(doubles(results[1])[i], static_cast<double>(narrow + 1) * xs[i]);
    return program->retainedBytes();
  };
  const size_t few = bytesOf(10, 10), many = bytesOf(1010, 10);
  EXPECT_LT((many - few) / 1000, 1200u) << "bytes a launch";
}

/// What the program says it keeps is what its loading took from the heap.
TEST(LoadedProgram, RetainedBytesAreWhatTheHeapLost) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "another allocator";
#endif
#endif
  auto inUse = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  for (bool machineCode : {false, true}) {
    size_t before = inUse();
    std::shared_ptr<const LoadedProgram> program;
    {
      Builder b;
      uint32_t x = b.argument(DType::F64, {8}), last = x, s = b.argument(DType::F64, {});
      uint32_t spread = b.view(s, {8}, {-1}, {0}, {0});
      for (int i = 0; i < 3000; ++i) {
        uint32_t next = i == 2999 ? b.result(DType::F64, {8}) : b.arena(DType::F64, {8});
        b.map(machineCode ? "" : "add.f64", {last, spread, x, next});
        if (machineCode)
          b.program.launches.back().access = {Access::Unit, Access::Scalar, Access::Unit, Access::Unit};
        else
          b.program.launches.back().operands = {last, x, next};
        b.program.origins.push_back({static_cast<uint32_t>(i), 0, "add: cotangent of operand 0"});
        last = next;
      }
      CompiledArtifact artifact = machineCode ? withObject(b, {"tenferroTestMap"}) : b.artifact();
      program = load(std::move(artifact));
    }
    size_t taken = inUse() - before, code = program->code() ? program->code()->bytes() : 0;
    EXPECT_GT(program->retainedBytes() - code, taken * 9 / 10) << machineCode;
    EXPECT_LT(program->retainedBytes() - code, taken * 11 / 10) << machineCode;
  }
}

TEST(LoadedProgram, JitFunctions) {
  // h = a * b + c with b a scalar, then the sum of squares of h over 10,000 elements: three blocks.
  constexpr int64_t n = 10000;
  auto program = load(withObject(scaledSquares(n), {"tenferroTestMap", "tenferroTestRow", "tenferroTestColumn"}));
  std::vector<double> as(n), cs(n), scale = {0.5};
  for (int64_t i = 0; i < n; ++i) {
    as[i] = static_cast<double>(i % 13);
    cs[i] = static_cast<double>(i % 5) - 2;
  }
  TensorView arguments[3] = {vector(as), TensorView::contiguous(scale.data(), DType::F64, Shape{}), vector(cs)};
  for (int threads : {1, 2}) {
    BufferRef results[2];
    EXPECT_EQ(program->run(arguments, results, threads), std::nullopt);
    std::vector<double> got = doubles(results[0]);
    double expected = 0; // exact: quarters of small integers
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(got[i], as[i] * 0.5 + cs[i]);
      expected += got[i] * got[i];
    }
    EXPECT_EQ(doubles(results[1])[0], expected);
  }
}

TEST(LoadedProgram, ProgramsOfOtherSizesShareMachineCode) {
  auto first = load(withObject(scaledSquares(4), {"tenferroTestMap", "tenferroTestRow", "tenferroTestColumn"}));
  ASSERT_TRUE(first->code());
  auto second = LoadedProgram::load(scaledSquares(3).program, {true, false}, first->code(), kernels());
  ASSERT_TRUE(second) << second.failure().message;
  EXPECT_EQ((*second)->code(), first->code());
  EXPECT_EQ((*second)->active(), (std::vector<bool>{true, false}));
  EXPECT_LT((*second)->retainedBytes() + first->code()->bytes(), first->retainedBytes());
  first.reset(); // the code stays
  std::vector<double> a = {1, 2, 3}, scale = {2}, c = {10, 20, 30};
  TensorView arguments[3] = {vector(a), TensorView::contiguous(scale.data(), DType::F64, Shape{}), vector(c)};
  BufferRef results[2];
  EXPECT_EQ((*second)->run(arguments, results, 1), std::nullopt);
  EXPECT_EQ(doubles(results[0]), (std::vector<double>{12, 24, 36}));
  EXPECT_EQ(doubles(results[1]), (std::vector<double>{2016})); // 144 + 576 + 1296

  auto none = LoadedProgram::load(scaledSquares(3).program, {}, nullptr, kernels());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.failure().message, "expects a function of the object, but got number 0 in launch 0");
}

/// As many programs as a process may meet in a long life, each with machine code of its own, through a cache of the
/// usual limits.
TEST(LoadedProgram, FortyThousandProgramsShareAFewMaps) {
  auto memory = [] {
    std::ifstream maps("/proc/self/maps"), status("/proc/self/status");
    std::pair<size_t, size_t> result; // maps, resident KiB
    for (std::string line; std::getline(maps, line);)
      ++result.first;
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("VmRSS:"))
        result.second = std::stoul(line.substr(6));
    return result;
  };
  LruCache<const LoadedProgram> cache;
  const std::pair<size_t, size_t> before = memory();
  for (uint64_t i = 0; i < 40000; ++i) {
    auto program = cache.get({i, 0}, [&] {
      auto loaded = load(withObject(scaledSquares(static_cast<int64_t>(1 + i % 7)),
                                    {"tenferroTestMap", "tenferroTestRow", "tenferroTestColumn"}));
      return Built<const LoadedProgram>{loaded, loaded->retainedBytes()};
    });
    ASSERT_TRUE(program->code());
    if (i % 1000)
      continue;
    const auto n = static_cast<size_t>(1 + i % 7);
    std::vector<double> a(n, 3), scale = {0.5}, c(n, 1);
    TensorView arguments[3] = {vector(a), TensorView::contiguous(scale.data(), DType::F64, Shape{}), vector(c)};
    BufferRef results[2];
    ASSERT_EQ(program->run(arguments, results, 1), std::nullopt);
    ASSERT_EQ(doubles(results[1])[0], 6.25 * static_cast<double>(n));
  }
  EXPECT_EQ(cache.stats().misses, 40000u);
  EXPECT_LE(cache.stats().entries, 128u);
  const std::pair<size_t, size_t> after = memory();
  EXPECT_LE(after.first, before.first + 16);
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return; // what is freed is kept
#endif
#endif
  EXPECT_LE(after.second, before.second + 100 * 1024);
}

TEST(LoadedProgram, ProgramsThatLeaveTheirMemoryAreRefused) {
  struct {
    const char *message;
    void (*damage)(Program &);
  } rows[] = {
      {"expects value 2 inside the arena", [](Program &p) { p.values[2].offset = 112; }},
      {"expects value 2 inside the arena", [](Program &p) { p.values[2].offset = -8; }},
      {"expects value 0 to be an argument of its type", [](Program &p) { p.values[0].index = 9; }},
      {"expects value 0 to be an argument of its type", [](Program &p) { p.values[0].type.shape = {2}; }},
      {"expects result 0 in result buffer 0", [](Program &p) { p.values[4].index = 1; }},
      {"expects results among the values, but got 77", [](Program &p) { p.results[0] = 77; }},
      {"expects flags for each argument", [](Program &p) { p.argumentUsed.pop_back(); }},
      {"expects operands among the values, but got 99 in launch 0", [](Program &p) { p.launches[0].operands[1] = 99; }},
      {"expects to write results or the arena only in launch 1", [](Program &p) { p.launches[1].operands[2] = 0; }},
      {"expects a precompiled kernel 'mul.f128' in launch 0", [](Program &p) { p.launches[0].kernel = "mul.f128"; }},
      {"expects the operands of 'neg.f64' in launch 0", [](Program &p) { p.launches[0].kernel = "neg.f64"; }},
      {"expects operands of 'mul.f32', but operand 0 is f64 in launch 0",
       [](Program &p) { p.launches[0].kernel = "mul.f32"; }},
      {"expects a function of the object, but got number 0 in launch 0", [](Program &p) { p.launches[0].kernel = ""; }},
      {"expects ascending axes of [3], but got [1] in launch 2", [](Program &p) { p.launches[2].axes = {1}; }},
      {"expects inputs of [3] and outputs of [3], but got [] in launch 2", [](Program &p) { p.launches[2].axes = {}; }},
      {"expects operands of one shape, but got [3] and [] in launch 0",
       [](Program &p) { p.launches[0].operands[2] = 4; }},
      {"expects inputs and outputs in launch 0", [](Program &p) { p.launches[0].outputs = 3; }},
      {"expects value 2 to have a storage", [](Program &p) { p.values[2].storage = static_cast<StorageKind>(9); }},
      {"expects a known kind of launch in launch 0",
       [](Program &p) { p.launches[0].kind = static_cast<LaunchKind>(200); }},
      {"expects running sums of an operand's type along one of its axes in launch 0",
       [](Program &p) { p.launches[0].kind = LaunchKind::CumulativeSum; }},
      {"expects i64 positions along one axis of an operand in launch 2",
       [](Program &p) { p.launches[2].kind = LaunchKind::ArgMax; }},
      {"expects values of valid types, but value 2 has shape [-1]", [](Program &p) { p.values[2].type.shape = {-1}; }},
      {"expects value 3 to view an earlier value",
       [](Program &p) {
         p.values[3].storage = StorageKind::View;
         p.values[3].index = 3;
       }},
      {"expects value 3 inside the value it views",
       [](Program &p) {
         p.values[3].storage = StorageKind::View;
         p.values[3].index = 2;
         p.values[3].view = View{false, {0}, {1}, {1}, {}};
       }},
      {"expects value 3 inside the value it views",
       [](Program &p) { // a diagonal as long as the longer axis
         p.values[2].type.shape = {3, 2};
         p.values[3].storage = StorageKind::View;
         p.values[3].index = 2;
         p.values[3].view = View{false, {0}, {0}, {1}, {1}};
       }},
      {"expects value 3 to walk diagonals of the value it views",
       [](Program &p) {
         p.values[3].storage = StorageKind::View;
         p.values[3].index = 2;
         p.values[3].view = View{false, {0}, {0}, {1}, {7}};
       }},
      {"expects the operands of a gather or a scatter in launch 1",
       [](Program &p) { p.launches[1].kind = LaunchKind::Scatter; }},
      {"expects integer indices, but got f64 in launch 1", [](Program &p) { p.launches[1].kind = LaunchKind::Gather; }},
  };
  for (const auto &row : rows) {
    Builder b = loop(3);
    row.damage(b.program);
    EXPECT_EQ(refusal(b), row.message);
  }
}
