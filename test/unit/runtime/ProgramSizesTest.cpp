// Programs for sizes that nobody compiled them for, from two hand-written ones.
#include "runtime/program/ProgramSizes.h"

#include "test/unit/runtime/TestKernels.h"
#include "test/unit/runtime/TestTensors.h"

#include <gtest/gtest.h>

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

namespace {

uint32_t add(Program &program, ProgramValue value) {
  program.values.push_back(std::move(value));
  return static_cast<uint32_t>(program.values.size() - 1);
}

uint32_t argument(Program &program, Shape shape) {
  program.arguments.push_back({DType::F64, shape});
  program.argumentUsed.push_back(true);
  program.argumentContiguous.push_back(false);
  return add(program, {{DType::F64, std::move(shape)},
                       StorageKind::Argument,
                       static_cast<uint32_t>(program.arguments.size() - 1),
                       0,
                       {}});
}

uint32_t arena(Program &program, Shape shape, int64_t offset) {
  program.arenaBytes = std::max(program.arenaBytes, offset + (shape.elementCount() * 8 + 63) / 64 * 64);
  return add(program, {{DType::F64, std::move(shape)}, StorageKind::Arena, 0, offset, {}});
}

uint32_t result(Program &program, Shape shape) {
  uint32_t made =
      add(program,
          {{DType::F64, std::move(shape)}, StorageKind::Result, static_cast<uint32_t>(program.results.size()), 0, {}});
  program.results.push_back(made);
  return made;
}

uint32_t view(Program &program, uint32_t source, Shape shape, IntList starts, IntList steps) {
  View view;
  for (int64_t d = 0; d < shape.rank(); ++d)
    view.dims.push_back(d);
  view.starts = std::move(starts);
  view.steps = std::move(steps);
  return add(program, {{DType::F64, std::move(shape)}, StorageKind::View, source, 0, view});
}

Launch &launch(Program &program, LaunchKind kind, std::string kernel, std::vector<uint32_t> operands) {
  Launch launch;
  launch.kind = kind;
  launch.kernel = std::move(kernel);
  launch.operands = std::move(operands);
  launch.opNumbers = {static_cast<uint32_t>(program.launches.size())};
  program.launches.push_back(std::move(launch));
  return program.launches.back();
}

SizedProgram sized(Program program, std::vector<int64_t> sizes) {
  CompiledArtifact artifact;
  artifact.program = std::move(program);
  auto loaded = LoadedProgram::load(std::move(artifact), kernels());
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.failure().message);
  return {loaded ? *loaded : nullptr, std::move(sizes)};
}

/// sum(c * x * x): the square takes the memory of the product it is made of, unless it is told not to.
Program loop(int64_t n, bool inPlace = true) {
  Program p;
  uint32_t c = argument(p, {n}), x = argument(p, {n});
  int64_t next = inPlace ? 0 : (8 * n + 63) / 64 * 64;
  uint32_t h = arena(p, {n}, 0), q = arena(p, {n}, next), s = result(p, {});
  launch(p, LaunchKind::Map, "mul.f64", {c, x, h});
  launch(p, LaunchKind::Map, "mul.f64", {h, x, q});
  launch(p, LaunchKind::Reduce, "sum.f64", {q, s}).axes = {0};
  return p;
}

double sumOfSquares(const LoadedProgram &program, int64_t n) {
  std::vector<double> c(static_cast<size_t>(n), 1), x;
  for (int64_t i = 0; i < n; ++i)
    x.push_back(static_cast<double>(i));
  TensorView arguments[] = {TensorView::contiguous(c.data(), DType::F64, {n}),
                            TensorView::contiguous(x.data(), DType::F64, {n})};
  BufferRef results[1];
  EXPECT_FALSE(program.run(arguments, results, 1));
  return *static_cast<double *>(results[0].data());
}

core::Expected<std::shared_ptr<const ProgramSizes>>
derive(SizedProgram first, SizedProgram second, const std::vector<core::SizeSum> &parts = {}, SizedProgram check = {}) {
  return ProgramSizes::derive(std::move(first), std::move(second), parts, std::move(check));
}

std::string reason(const core::Expected<std::shared_ptr<const ProgramSizes>> &sizes) {
  return sizes ? "symbolic" : sizes.failure().message;
}

} // namespace

TEST(ProgramSizes, AThirdSizeRuns) {
  for (bool inPlace : {true, false}) {
    auto sizes = derive(sized(loop(64, inPlace), {64}), sized(loop(65, inPlace), {65}));
    ASSERT_TRUE(sizes) << reason(sizes);
    EXPECT_EQ((*sizes)->varying(), std::vector<uint32_t>{0});
    for (int64_t n : {2, 64, 65, 100, 5000}) {
      auto program = (*sizes)->load(std::vector<int64_t>{n}, kernels());
      ASSERT_TRUE(program) << program.failure().message;
      EXPECT_EQ((*program)->program().arenaBytes, (8 * n + 63) / 64 * 64 * (inPlace ? 1 : 2));
      // 0 + 1 + 4 + ... + (n-1)^2: exact in doubles
      EXPECT_EQ(sumOfSquares(**program, n), static_cast<double>((n - 1) * n * (2 * n - 1) / 6));
    }
  }
}

TEST(ProgramSizes, StartsOfReversalsAndPartsFollow) {
  // [reverse(x), y] in one result
  auto joined = [](int64_t n, int64_t m) {
    Program p;
    uint32_t x = argument(p, {n}), y = argument(p, {m}), r = result(p, {n + m});
    launch(p, LaunchKind::Copy, "", {view(p, x, {n}, {n - 1}, {-1}), view(p, r, {n}, {0}, {1})});
    launch(p, LaunchKind::Copy, "", {y, view(p, r, {m}, {n}, {1})});
    return sized(p, {n, m, n + m});
  };
  auto sizes = derive(joined(4, 7), joined(5, 9));
  ASSERT_TRUE(sizes) << reason(sizes);
  EXPECT_EQ((*sizes)->varying(), (std::vector<uint32_t>{0, 1, 2}));
  auto program = (*sizes)->load(std::vector<int64_t>{3, 2, 5}, kernels());
  ASSERT_TRUE(program) << program.failure().message;
  std::vector<double> x = {1, 2, 3}, y = {8, 9};
  TensorView arguments[] = {TensorView::contiguous(x.data(), DType::F64, {3}),
                            TensorView::contiguous(y.data(), DType::F64, {2})};
  BufferRef results[1];
  EXPECT_FALSE((*program)->run(arguments, results, 1));
  auto *data = static_cast<const double *>(results[0].data());
  EXPECT_EQ(std::vector<double>(data, data + 5), (std::vector<double>{3, 2, 1, 8, 9}));
  // Sizes that no program can have are refused by the loader.
  EXPECT_FALSE((*sizes)->load(std::vector<int64_t>{3, 2, 4}, kernels()));
}

TEST(ProgramSizes, WhatDiffersIsNamed) {
  SizedProgram base = sized(loop(64), {64});
  Program other = loop(65);
  other.launches[1].kernel = "add.f64";
  EXPECT_EQ(reason(derive(base, sized(other, {65}))), "launch 1 is another one");
  other = loop(65);
  other.constants = {1};
  EXPECT_EQ(reason(derive(base, sized(other, {65}))), "constants differ");
  EXPECT_EQ(reason(derive(base, sized(loop(65), {66}))),
            "the shape of argument 0 is [64] and [65], which no size explains along axis 0");
  EXPECT_EQ(reason(derive(base, base)), "no size differs");
  EXPECT_EQ(reason(derive(base, sized(loop(65), {65, 3}))), "the programs have 1 and 2 sizes");
  // Not where the compiler's rule puts it.
  other = loop(65, false);
  other.values[3].offset += 64;
  other.arenaBytes += 64;
  EXPECT_EQ(reason(derive(sized(loop(64, false), {64}), sized(other, {65}))),
            "the arena has 1216 bytes, and 1152 by the rule");
}

TEST(ProgramSizes, CoincidencesDoNotDecide) {
  // 24 = 4 * 6 = 6 * 4: constant, or the product?
  auto merged = [](int64_t n, int64_t m) {
    Program p;
    argument(p, {n, m});
    uint32_t x = argument(p, {24}), r = result(p, {24});
    launch(p, LaunchKind::Copy, "", {x, r});
    p.argumentUsed[0] = true;
    return sized(p, {n, m, 24});
  };
  auto sizes = derive(merged(4, 6), merged(6, 4));
  ASSERT_TRUE(sizes) << reason(sizes);
  EXPECT_TRUE((*sizes)->load(std::vector<int64_t>{3, 8, 24}, kernels()));
  auto refused = (*sizes)->load(std::vector<int64_t>{5, 6, 24}, kernels());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.failure().message, "a number that two programs had in common may be 24 or 30 here");
}

TEST(ProgramSizes, AStartOfAPartIsNoOtherSize) {
  // [four of x and one element, y]: y begins at 4 n + 1, which is the size m of z in both.
  auto part = [](int64_t n, int64_t m, int64_t k) {
    Program p;
    uint32_t all = argument(p, {4 * n + 1 + k}), r = result(p, {k});
    argument(p, {n, m});
    launch(p, LaunchKind::Copy, "", {view(p, all, {k}, {4 * n + 1}, {1}), r});
    p.argumentUsed[1] = true;
    return sized(p, {n, m, k, 4 * n + 1 + k});
  };
  const std::vector<core::SizeSum> parts = {{1, {4, 0, 0, 0}}};
  auto sizes = derive(part(2, 9, 6), part(3, 13, 7), parts);
  ASSERT_TRUE(sizes) << reason(sizes);
  auto program = (*sizes)->load(std::vector<int64_t>{5, 21, 6, 27}, kernels());
  ASSERT_TRUE(program) << program.failure().message;
  auto refused = (*sizes)->load(std::vector<int64_t>{5, 9, 6, 27}, kernels());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.failure().message, "a number that two programs had in common may be 21 or 9 here");
  // Where it is no other size it follows.
  sizes = derive(part(2, 8, 6), part(3, 15, 7), parts);
  ASSERT_TRUE(sizes) << reason(sizes);
  program = (*sizes)->load(std::vector<int64_t>{5, 9, 6, 27}, kernels());
  ASSERT_TRUE(program) << program.failure().message;
  EXPECT_EQ((*program)->program().values[3].view->starts, IntList{21});
}

TEST(ProgramSizes, AThirdProgramShowsWhatIsByChance) {
  // y is the sixth eighth of x: from 5 n / 8 on, which is no formula but the size k of z in two programs.
  auto eighth = [](int64_t q, int64_t k) {
    Program p;
    uint32_t x = argument(p, {8 * q}), r = result(p, {q});
    argument(p, {k});
    launch(p, LaunchKind::Copy, "", {view(p, x, {q}, {5 * q}, {1}), r});
    p.argumentUsed[1] = true;
    return sized(p, {8 * q, k, q});
  };
  auto two = derive(eighth(2, 10), eighth(3, 15));
  ASSERT_TRUE(two) << reason(two);
  auto wrong = (*two)->load(std::vector<int64_t>{32, 7, 4}, kernels());
  ASSERT_TRUE(wrong) << wrong.failure().message;
  EXPECT_EQ((*wrong)->program().values[3].view->starts, IntList{7}) << "not 20: two programs are not to be trusted";
  EXPECT_EQ(reason(derive(eighth(2, 10), eighth(3, 15), {}, eighth(7, 11))),
            "the start of value 3 is [10] and [15] and [35], which no size explains along axis 0");
  // What is not by chance stays, and a chance equality that the third program lacks is none.
  auto prefix = [](int64_t n, int64_t k) {
    Program p;
    uint32_t x = argument(p, {n, k}), r = result(p, {n, k});
    launch(p, LaunchKind::Copy, "", {x, r});
    return sized(p, {n, k});
  };
  auto three = derive(prefix(2, 4), prefix(3, 9), {}, prefix(5, 7));
  ASSERT_TRUE(three) << reason(three);
  auto program = (*three)->load(std::vector<int64_t>{6, 10}, kernels());
  ASSERT_TRUE(program) << program.failure().message; // k is not n * n
  EXPECT_EQ((*program)->program().arguments[0].shape, (Shape{6, 10}));
  EXPECT_FALSE((*derive(prefix(2, 4), prefix(3, 9)))->load(std::vector<int64_t>{6, 10}, kernels()));
  // A third program that says nothing, and one that does other things.
  EXPECT_EQ(reason(derive(prefix(2, 4), prefix(3, 9), {}, prefix(3, 7))),
            "the third program is of sizes that tell nothing");
  EXPECT_EQ(reason(derive(prefix(2, 4), prefix(3, 4), {}, prefix(5, 7))),
            "the third program is of sizes that tell nothing");
  EXPECT_EQ(reason(derive(sized(loop(64), {64}), sized(loop(65), {65}), {}, sized(loop(101, false), {101}))),
            "the arena has 1664 bytes, and 832 by the rule");
}

TEST(ProgramSizes, ManySizesThatDoNotVaryAreNoHindrance) {
  auto wide = [](int64_t n, int64_t others) {
    Program p;
    std::vector<int64_t> sizes{n};
    for (int64_t i = 0; i < others; ++i) {
      argument(p, {n, 1000 + i});
      sizes.push_back(1000 + i);
    }
    uint32_t x = argument(p, {n * 1007}), r = result(p, {n * 1007});
    launch(p, LaunchKind::Copy, "", {x, r});
    sizes.push_back(n * 1007);
    p.argumentUsed.assign(p.argumentUsed.size(), true);
    return sized(p, sizes);
  };
  auto sizes = derive(wide(5, 100), wide(7, 100), {}, wide(41, 100));
  ASSERT_TRUE(sizes) << reason(sizes);
  EXPECT_TRUE((*sizes)->load(wide(9, 100).sizes, kernels()));
  EXPECT_EQ(reason(derive(wide(5, 300), wide(7, 300))),
            "the structure has 302 sizes, 2 of which vary, and too many sums and products of three of them");
}

TEST(ProgramSizes, CoversWhatDiffersBetweenTheTwo) {
  auto pair = [](int64_t n, int64_t m) {
    Program p;
    uint32_t x = argument(p, {n, m}), r = result(p, {n, m});
    launch(p, LaunchKind::Copy, "", {x, r});
    return sized(p, {n, m});
  };
  auto sizes = derive(pair(5, 3), pair(7, 3));
  ASSERT_TRUE(sizes) << reason(sizes);
  EXPECT_TRUE((*sizes)->covers(std::vector<int64_t>{9, 3}));
  EXPECT_FALSE((*sizes)->covers(std::vector<int64_t>{9, 4}));
  EXPECT_FALSE((*sizes)->covers(std::vector<int64_t>{9}));
  // More elements than 62 bits count.
  EXPECT_FALSE((*sizes)->load(std::vector<int64_t>{int64_t{1} << 61, 3}, kernels()));
}
