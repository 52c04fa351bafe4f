// Hand-written programs through the executor.
#include "runtime/core/Executor.h"

#include "runtime/cache/LruCache.h"
#include "runtime/core/CodeLoader.h"
#include "tenferro/Error.h"
#include "test/unit/runtime/TestKernels.h"
#include "test/unit/runtime/TestTensors.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <immintrin.h>
#include <iterator>
#include <malloc.h>
#include <thread>

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

namespace {

/// Writes programs down in few lines.
struct Builder {
  Program program;

  uint32_t value(DType dtype, Shape shape, StorageKind storage, uint32_t index = 0, int64_t offset = 0,
                 View view = {}) {
    program.values.push_back({{dtype, std::move(shape)}, storage, index, offset, std::move(view)});
    return static_cast<uint32_t>(program.values.size() - 1);
  }
  uint32_t argument(DType dtype, Shape shape) {
    program.arguments.push_back({dtype, shape});
    program.argumentUsed.push_back(true);
    program.argumentContiguous.push_back(false);
    return value(dtype, std::move(shape), StorageKind::Argument, static_cast<uint32_t>(program.arguments.size() - 1));
  }
  uint32_t arena(DType dtype, Shape shape) {
    int64_t offset = program.arenaBytes;
    program.arenaBytes += (shape.elementCount() * static_cast<int64_t>(byteSize(dtype)) + 63) / 64 * 64;
    return value(dtype, std::move(shape), StorageKind::Arena, 0, offset);
  }
  uint32_t result(DType dtype, Shape shape) {
    uint32_t made = value(dtype, std::move(shape), StorageKind::Result, static_cast<uint32_t>(program.results.size()));
    program.results.push_back(made);
    return made;
  }
  uint32_t view(uint32_t source, Shape shape, IntList dims, IntList starts, IntList steps) {
    return value(program.values[source].type.dtype, std::move(shape), StorageKind::View, source, 0,
                 {false, std::move(dims), std::move(starts), std::move(steps), {}});
  }
  uint32_t reshape(uint32_t source, Shape shape) {
    View view;
    view.reshape = true;
    return value(program.values[source].type.dtype, std::move(shape), StorageKind::View, source, 0, view);
  }
  Launch &launch(LaunchKind kind, std::string kernel, std::vector<uint32_t> operands) {
    Launch launch;
    launch.kind = kind;
    launch.kernel = std::move(kernel);
    launch.operands = std::move(operands);
    launch.opNumbers = {static_cast<uint32_t>(program.launches.size())};
    program.launches.push_back(std::move(launch));
    return program.launches.back();
  }
  Launch &map(std::string kernel, std::vector<uint32_t> operands) {
    return launch(LaunchKind::Map, std::move(kernel), std::move(operands));
  }

  CompiledArtifact artifact() const {
    CompiledArtifact artifact;
    artifact.program = program;
    return artifact;
  }
};

std::shared_ptr<const LoadedProgram> load(CompiledArtifact artifact) {
  auto loaded = LoadedProgram::load(std::move(artifact), kernels());
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.failure().message);
  return loaded ? *loaded : nullptr;
}

std::string refusal(const Builder &builder) {
  auto loaded = LoadedProgram::load(builder.artifact(), kernels());
  return loaded ? "loaded" : loaded.failure().message;
}

std::vector<double> doubles(const BufferRef &buffer) {
  auto *data = static_cast<const double *>(buffer.data());
  return {data, data + buffer.bytes() / sizeof(double)};
}

TensorView vector(std::vector<double> &values) {
  return TensorView::contiguous(values.data(), DType::F64, Shape{static_cast<int64_t>(values.size())});
}

CompiledArtifact withObject(const Builder &builder, std::vector<std::string> functions) {
  CompiledArtifact artifact = builder.artifact();
  std::ifstream file(TENFERRO_TEST_OBJECT, std::ios::binary);
  artifact.object = {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  artifact.functions = std::move(functions);
  return artifact;
}

/// sum(c * x * x) over n elements.
Builder loop(int64_t n) {
  Builder b;
  uint32_t c = b.argument(DType::F64, {n}), x = b.argument(DType::F64, {n});
  uint32_t h = b.arena(DType::F64, {n}), p = b.arena(DType::F64, {n}), s = b.result(DType::F64, {});
  b.map("mul.f64", {c, x, h});
  b.map("mul.f64", {h, x, p});
  b.launch(LaunchKind::Reduce, "sum.f64", {p, s}).axes = {0};
  return b;
}

/// h = a * b + c with b a scalar, then the sum of squares of h, by JIT functions 0 (map), 1 and 2 (row, column).
Builder scaledSquares(int64_t n) {
  Builder b;
  uint32_t a = b.argument(DType::F64, {n}), s = b.argument(DType::F64, {}), c = b.argument(DType::F64, {n});
  uint32_t spread = b.view(s, {n}, {-1}, {0}, {0}), h = b.result(DType::F64, {n}), sum = b.result(DType::F64, {});
  b.map("", {a, spread, c, h}).access = {Access::Unit, Access::Scalar, Access::Unit, Access::Unit};
  Launch &reduce = b.launch(LaunchKind::Reduce, "", {h, sum});
  reduce.function = 1;
  reduce.axes = {0};
  reduce.access = {Access::Unit, Access::Unit};
  reduce.combine = {"sum.f64"};
  return b;
}

} // namespace

TEST(Executor, ThreeLaunches) {
  auto program = load(loop(3).artifact());
  std::vector<double> c = {10, 20, 30}, x = {1, 2, 3};
  TensorView arguments[2] = {vector(c), vector(x)};
  BufferRef results[1];
  EXPECT_EQ(program->run(arguments, results, 1), std::nullopt);
  EXPECT_EQ(doubles(results[0]), (std::vector<double>{360})); // 10 + 80 + 270
  EXPECT_EQ(program->resultType(0).shape, Shape{});
  EXPECT_GT(program->retainedBytes(), 0u);
}

TEST(Executor, StridedArgumentsChangeThePlan) {
  auto program = load(loop(3).artifact());
  std::vector<double> c = {30, 0, 20, 0, 10}, x = {1, 2, 3};
  TensorView reversed(c.data() + 4, DType::F64, Shape{3}, IntList{-2});
  TensorView arguments[2] = {reversed, vector(x)};
  BufferRef results[1];
  EXPECT_EQ(program->run(arguments, results, 1), std::nullopt);
  EXPECT_EQ(doubles(results[0]), (std::vector<double>{360}));
}

TEST(Executor, ViewsOfArgumentsInAnyLayout) {
  // out = x[2:0:-1, :]^T + b spread along dimension 0, where x is 3 x 4 and b has 2 elements.
  Builder b;
  uint32_t x = b.argument(DType::F64, {3, 4}), bias = b.argument(DType::F64, {2}), out = b.result(DType::F64, {4, 2});
  uint32_t slice = b.view(x, {2, 4}, {0, 1}, {2, 0}, {-1, 1});
  uint32_t turned = b.view(slice, {4, 2}, {1, 0}, {0, 0}, {1, 1});
  uint32_t spread = b.view(bias, {4, 2}, {-1, 0}, {0, 0}, {0, 1});
  b.map("add.f64", {turned, spread, out});
  auto program = load(b.artifact());
  Random random(51);
  for (Layout layout : {Layout::Contiguous, Layout::Permuted, Layout::Strided, Layout::Broadcast}) {
    for (int round = 0; round < 20; ++round) {
      auto xs = randomTensor<double>(random, Shape{3, 4}, layout);
      auto bs = randomTensor<double>(random, Shape{2}, layout);
      TensorView arguments[2] = {xs.view, bs.view};
      BufferRef results[1];
      EXPECT_EQ(program->run(arguments, results, 1), std::nullopt);
      std::vector<double> got = doubles(results[0]);
      for (int64_t j = 0; j < 2; ++j)
        for (int64_t i = 0; i < 4; ++i)
          ASSERT_EQ(got[i + 4 * j], xs.at(2 - j + 3 * i) + bs.at(j));
    }
  }
}

TEST(Executor, ReshapeCopiesStridedArguments) {
  Builder b;
  uint32_t x = b.argument(DType::F64, {2, 3}), out = b.result(DType::F64, {6});
  uint32_t flat = b.reshape(x, {6});
  b.map("add.f64", {flat, flat, out});
  b.program.argumentContiguous[0] = true;
  auto program = load(b.artifact());
  std::vector<double> rows = {1, 2, 3, 4, 5, 6}; // row-major 2 x 3
  TensorView arguments[1] = {TensorView(rows.data(), DType::F64, Shape{2, 3}, IntList{3, 1})};
  BufferRef results[1];
  EXPECT_EQ(program->run(arguments, results, 1), std::nullopt);
  EXPECT_EQ(doubles(results[0]), (std::vector<double>{2, 8, 4, 10, 6, 12}));
}

TEST(Executor, CoordinatesConstantsAndUnusedArguments) {
  // out = iota along axis 1 + constant; the second argument is never read.
  Builder b;
  b.argument(DType::F64, {7});
  b.program.values.pop_back();
  b.program.argumentUsed[0] = false;
  uint32_t coordinate = b.value(DType::I64, {2, 3}, StorageKind::Index, 1);
  uint32_t backwards = b.view(coordinate, {2, 3}, {0, 1}, {0, 2}, {1, -1});
  double ten = 10;
  b.program.constants.resize(8);
  std::memcpy(b.program.constants.data(), &ten, 8);
  uint32_t constant = b.value(DType::F64, {}, StorageKind::Constant);
  uint32_t spread = b.view(constant, {2, 3}, {-1, -1}, {0, 0}, {0, 0});
  uint32_t numbers = b.arena(DType::F64, {2, 3}), out = b.result(DType::F64, {2, 3});
  b.map("iota.f64", {backwards, numbers});
  b.map("add.f64", {numbers, spread, out});
  auto program = load(b.artifact());
  TensorView arguments[1];
  BufferRef results[1];
  EXPECT_EQ(program->run(arguments, results, 1), std::nullopt);
  EXPECT_EQ(doubles(results[0]), (std::vector<double>{12, 12, 11, 11, 10, 10}));
}

TEST(Executor, PlacesFarFromTheirBase) {
  // Three coordinates from 2^33 - 3 on, and two elements behind 2^32 others of an argument of which nothing else is there.
  constexpr int64_t far = int64_t{1} << 32, many = far + 8;
  Builder b;
  uint32_t x = b.argument(DType::F64, {many}), coordinate = b.value(DType::I64, {2 * far}, StorageKind::Index, 0);
  uint32_t last = b.view(coordinate, {3}, {0}, {2 * far - 3}, {1}), picked = b.view(x, {2}, {0}, {far + 1}, {2});
  uint32_t numbers = b.result(DType::F64, {3}), sums = b.result(DType::F64, {2});
  b.map("iota.f64", {last, numbers});
  b.map("add.f64", {picked, picked, sums});
  auto program = load(b.artifact());
  std::vector<double> there = {1, 2, 3, 4}; // elements 2^32 to 2^32 + 3
  auto first = reinterpret_cast<uintptr_t>(there.data()) - static_cast<uintptr_t>(far) * sizeof(double);
  TensorView arguments[1] = {TensorView::contiguous(reinterpret_cast<void *>(first), DType::F64, Shape{many})};
  BufferRef results[2];
  EXPECT_EQ(program->run(arguments, results, 1), std::nullopt);
  EXPECT_EQ(doubles(results[0]), (std::vector<double>{8589934589, 8589934590, 8589934591}));
  EXPECT_EQ(doubles(results[1]), (std::vector<double>{4, 8}));
}

TEST(Executor, DriversOfTheirOwn) {
  // p = pad(take(x, i, axis 0)); q = x^T x; g = scatter-add of the taken rows; r = copy of a transposed view.
  Builder b;
  uint32_t x = b.argument(DType::F64, {3, 2}), i = b.argument(DType::I64, {2});
  uint32_t taken = b.arena(DType::F64, {2, 2});
  uint32_t padded = b.result(DType::F64, {4, 2}), square = b.result(DType::F64, {2, 2}),
           back = b.result(DType::F64, {3, 2}), turned = b.result(DType::F64, {2, 3});
  b.launch(LaunchKind::Take, "", {x, i, taken}).axes = {0};
  Launch &pad = b.launch(LaunchKind::Pad, "", {taken, padded});
  pad.low = {1, 0};
  pad.interior = {1, 0};
  Launch &matmul = b.launch(LaunchKind::Matmul, "", {x, x, square});
  matmul.dot->lhsContracting = {0};
  matmul.dot->rhsContracting = {0};
  b.launch(LaunchKind::ScatterAdd, "", {i, taken, back}).axes = {0};
  b.launch(LaunchKind::Copy, "", {b.view(x, {2, 3}, {1, 0}, {0, 0}, {1, 1}), turned});
  auto program = load(b.artifact());
  std::vector<double> xs = {1, 2, 3, 4, 5, 6};
  std::vector<int64_t> is = {-1, 2};
  TensorView arguments[2] = {TensorView::contiguous(xs.data(), DType::F64, Shape{3, 2}),
                             TensorView::contiguous(is.data(), DType::I64, Shape{2})};
  BufferRef results[4];
  EXPECT_EQ(program->run(arguments, results, 1), std::nullopt);
  EXPECT_EQ(doubles(results[0]), (std::vector<double>{0, 3, 0, 3, 0, 6, 0, 6}));
  EXPECT_EQ(doubles(results[1]), (std::vector<double>{14, 32, 32, 77}));
  EXPECT_EQ(doubles(results[2]), (std::vector<double>{0, 0, 6, 0, 0, 12}));
  EXPECT_EQ(doubles(results[3]), (std::vector<double>{1, 4, 2, 5, 3, 6}));
}

TEST(Executor, WindowsAndDiagonals) {
  // g = the windows of two rows of x; s = x with them added to other rows; d = the diagonal of x, on that of zeros.
  Builder b;
  uint32_t x = b.argument(DType::F64, {3, 2}), i = b.argument(DType::I64, {2});
  uint32_t picked = b.result(DType::F64, {2, 2, 2}), sums = b.result(DType::F64, {3, 2}),
           square = b.result(DType::F64, {2, 2});
  Launch &gather = b.launch(LaunchKind::Gather, "", {x, i, picked});
  gather.windows->window = {0, 1};
  gather.windows->map = {0};
  gather.windows->vectorDim = 1;
  gather.windows->sizes = {2, 2};
  WindowDimensions windows = *gather.windows;
  Launch &scatter = b.launch(LaunchKind::Scatter, "", {x, i, picked, sums});
  scatter.windows = windows;
  uint32_t diagonal = b.view(x, {2}, {0}, {0}, {1}), place = b.view(square, {2}, {0}, {0}, {1});
  b.program.values[diagonal].view->alongside = b.program.values[place].view->alongside = {1};
  b.launch(LaunchKind::Copy, "", {b.view(x, {2, 2}, {-1, 0}, {0, 0}, {0, 0}), square});
  b.launch(LaunchKind::Copy, "", {diagonal, place});
  auto program = load(b.artifact());
  std::vector<double> xs = {1, 2, 3, 4, 5, 6};
  std::vector<int64_t> is = {1, 0};
  TensorView arguments[2] = {TensorView::contiguous(xs.data(), DType::F64, Shape{3, 2}),
                             TensorView::contiguous(is.data(), DType::I64, Shape{2})};
  BufferRef results[3];
  EXPECT_EQ(program->run(arguments, results, 1), std::nullopt);
  EXPECT_EQ(doubles(results[0]), (std::vector<double>{2, 3, 5, 6, 1, 2, 4, 5}));
  EXPECT_EQ(doubles(results[1]), (std::vector<double>{2, 6, 6, 8, 15, 12}));
  EXPECT_EQ(doubles(results[2]), (std::vector<double>{1, 1, 1, 5}));
  // The same of a transposed argument.
  std::vector<double> turned = {1, 4, 2, 5, 3, 6};
  arguments[0] = TensorView(turned.data(), DType::F64, Shape{3, 2}, IntList{2, 1});
  EXPECT_EQ(program->run(arguments, results, 1), std::nullopt);
  EXPECT_EQ(doubles(results[0]), (std::vector<double>{2, 3, 5, 6, 1, 2, 4, 5}));
  EXPECT_EQ(doubles(results[2]), (std::vector<double>{1, 1, 1, 5}));
}

TEST(Executor, SmallestOperationNumberWins) {
  // The launch of the later operation runs first, so both run and the smaller number is reported.
  Builder b;
  uint32_t x = b.argument(DType::I32, {4}), y = b.argument(DType::I32, {4}), i = b.argument(DType::I64, {1});
  uint32_t quotient = b.result(DType::I32, {4}), taken = b.result(DType::I32, {1});
  b.map("div.i32", {x, y, quotient}).opNumbers = {7};
  b.launch(LaunchKind::Take, "", {x, i, taken}).axes = {0};
  b.program.launches.back().opNumbers = {3};
  auto program = load(b.artifact());
  std::vector<int32_t> xs = {2, 4, 6, 8}, ys = {1, 2, 3, 4};
  std::vector<int64_t> is = {0};
  auto run = [&](BufferRef *results) {
    TensorView arguments[3] = {TensorView::contiguous(xs.data(), DType::I32, Shape{4}),
                               TensorView::contiguous(ys.data(), DType::I32, Shape{4}),
                               TensorView::contiguous(is.data(), DType::I64, Shape{1})};
    return program->run(arguments, {results, 2}, 1);
  };
  BufferRef results[2];
  EXPECT_EQ(run(results), std::nullopt);
  EXPECT_TRUE(results[0]);
  ys[2] = 0;
  BufferRef none[2];
  EXPECT_EQ(run(none), (RunError{7, KernelError::DivisionByZero}));
  EXPECT_FALSE(none[0] || none[1]);
  is[0] = 4;
  EXPECT_EQ(run(none), (RunError{3, KernelError::IndexOutOfRange, true, 4, -4, 4}));
  ys[2] = 3;
  EXPECT_EQ(run(none), (RunError{3, KernelError::IndexOutOfRange, true, 4, -4, 4}));
}

/// A view of a view of a view ..., each of them read: neither the stack nor the time knows how many there are.
TEST(Executor, ChainsOfViewsAreWalkedOnce) {
  constexpr int kViews = 20001;
  Builder b;
  uint32_t x = b.argument(DType::F64, {3}), out = b.result(DType::F64, {3}), turned = x;
  for (int i = 0; i < kViews; ++i) {
    turned = b.view(turned, {3}, {0}, {2}, {-1});
    b.launch(LaunchKind::Copy, "", {turned, out});
  }
  auto program = load(b.artifact());
  std::vector<double> xs = {1, -1, 2, -1, 3};
  for (int64_t stride : {1, 2}) { // the second makes every launch look at its strides again
    TensorView arguments[1] = {TensorView(xs.data(), DType::F64, {3}, {stride})};
    BufferRef results[1];
    EXPECT_EQ(program->run(arguments, results, 1), std::nullopt);
    EXPECT_EQ(doubles(results[0]), (stride == 1 ? std::vector<double>{2, -1, 1} : std::vector<double>{3, 2, 1}));
  }
}

/// Launches that differ in places alone share their plan; those that differ in more do not.
TEST(Executor, EqualLaunchesShareAPlan) {
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
TEST(Executor, RetainedBytesAreWhatTheHeapLost) {
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

TEST(Executor, JitFunctions) {
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

TEST(Executor, ProgramsOfOtherSizesShareMachineCode) {
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

/// As many programs as a process may meet in a long life, each with machine code of its own, through a cache of the usual limits.
TEST(Executor, FortyThousandProgramsShareAFewMaps) {
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

TEST(Executor, UsersRoundingDoesNotEnter) {
  auto program = load(loop(3).artifact());
  std::vector<double> c = {0.1, 0.1, 0.1}, x = {0.3, 0.7, 1.1};
  TensorView arguments[2] = {vector(c), vector(x)};
  BufferRef plain[1], rounded[1];
  program->run(arguments, plain, 1);
  unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x4000);
  program->run(arguments, rounded, 1);
  unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after & 0xFFC0, (before | 0x4000) & 0xFFC0);
  EXPECT_TRUE(sameBits(doubles(plain[0]), doubles(rounded[0])));
}

TEST(Executor, ManyThreadsRunOneProgram) {
  auto program = load(loop(100).artifact());
  std::vector<double> c(100, 2.0), x(100, 3.0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      TensorView arguments[2] = {vector(c), vector(x)};
      for (int i = 0; i < 500; ++i) {
        BufferRef results[1];
        ASSERT_EQ(program->run(arguments, results, 2), std::nullopt);
        ASSERT_EQ(doubles(results[0])[0], 1800.0);
      }
    });
  for (auto &thread : threads)
    thread.join();
}

TEST(Executor, WrongArgumentsAreTyped) {
  auto program = load(loop(3).artifact());
  std::vector<double> c = {10, 20, 30}, x = {1, 2, 3, 4};
  BufferRef results[1];
  TensorView tooLong[2] = {vector(c), vector(x)};
  try {
    program->run(tooLong, results, 1);
    FAIL();
  } catch (const ValidationError &error) {
    EXPECT_STREQ(error.what(), "run: expects argument 1 of f64[3], but got f64[4]");
  }
  TensorView null[2] = {vector(c), TensorView(nullptr, DType::F64, Shape{3}, IntList{1})};
  EXPECT_THROW(program->run(null, results, 1), ValidationError);
  EXPECT_THROW(program->run(std::span(null).first(1), results, 1), ValidationError);
  EXPECT_THROW(program->run(null, {}, 1), ValidationError);
}

TEST(Executor, ProgramsThatLeaveTheirMemoryAreRefused) {
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
       [](Program &p) {
         p.launches[1].kind = LaunchKind::Scatter;
       }},
      {"expects integer indices, but got f64 in launch 1",
       [](Program &p) {
         p.launches[1].kind = LaunchKind::Gather;
       }},
  };
  for (const auto &row : rows) {
    Builder b = loop(3);
    row.damage(b.program);
    EXPECT_EQ(refusal(b), row.message);
  }
}

namespace {

/// Adds parameter 0 to each double; notes what it is given and throws where it is told to.
class AddKernel final : public Callback {
public:
  void run(const CallbackCaller &caller, const IntList &parameters, std::span<const TensorView> inputs,
           std::span<const TensorView> outputs) const override {
    ++calls;
    sawRuntime = caller.runtime;
    if (broken)
      throw 42;
    ASSERT_TRUE(inputs[0].isContiguous());
    for (int64_t i = 0; i < inputs[0].elementCount(); ++i)
      static_cast<double *>(outputs[0].data)[i] =
          static_cast<const double *>(inputs[0].data)[i] + static_cast<double>(parameters[0]);
  }
  mutable int calls = 0;
  mutable void *sawRuntime = nullptr;
  bool broken = false;
};

/// x + 5 by a callback, then times x.
Builder withCallback() {
  Builder b;
  uint32_t x = b.argument(DType::F64, {3}), h = b.arena(DType::F64, {3}), y = b.result(DType::F64, {3});
  b.launch(LaunchKind::Callback, "", {x, h});
  b.map("mul.f64", {h, x, y});
  b.program.callbacks = {{"lab.add.v1", 7, {5}}};
  return b;
}

} // namespace

TEST(Executor, CallbacksAreBoundWhenTheProgramIsLoaded) {
  auto kernel = std::make_shared<AddKernel>();
  CallbackResolver resolver = [&](const CallbackName &name) -> core::Expected<std::shared_ptr<const Callback>> {
    EXPECT_EQ(name, (CallbackName{"lab.add.v1", 7, {5}}));
    return std::shared_ptr<const Callback>(kernel);
  };
  auto loaded = LoadedProgram::load(withCallback().artifact(), kernels(), resolver);
  ASSERT_TRUE(loaded);
  std::vector<double> x = {3, 0, 2, 0, 1};
  TensorView arguments[1] = {TensorView(x.data() + 4, DType::F64, Shape{3}, IntList{-2})}; // 1, 2, 3
  BufferRef results[1];
  int runtime = 0;
  CallbackCaller caller{nullptr, &runtime};
  EXPECT_EQ((*loaded)->run(arguments, results, 1, &caller), std::nullopt);
  EXPECT_EQ(doubles(results[0]), (std::vector<double>{6, 14, 24}));
  EXPECT_EQ(kernel->sawRuntime, &runtime);
  // What it throws comes out.
  kernel->broken = true;
  EXPECT_THROW((*loaded)->run(arguments, results, 1, &caller), int);
  EXPECT_THROW((*loaded)->run(arguments, results, 1), Error); // nobody to lend
}

TEST(Executor, CallbacksDoNotRunOnWhatAnEarlierErrorLeft) {
  Builder b;
  uint32_t x = b.argument(DType::I32, {3}), q = b.arena(DType::I32, {3}), y = b.result(DType::F64, {3}), z = b.result(DType::I32, {3});
  b.map("div.i32", {x, x, q});
  b.launch(LaunchKind::Callback, "", {q, y});
  b.launch(LaunchKind::Copy, "", {q, z});
  b.program.callbacks = {{"lab.add.v1", 7, {5}}};
  auto kernel = std::make_shared<AddKernel>();
  auto loaded = LoadedProgram::load(b.artifact(), kernels(), [&](const CallbackName &) -> core::Expected<std::shared_ptr<const Callback>> {
    return std::shared_ptr<const Callback>(kernel);
  });
  ASSERT_TRUE(loaded);
  std::vector<int32_t> zeros = {0, 0, 0};
  TensorView arguments[1] = {TensorView::contiguous(zeros.data(), DType::I32, Shape{3})};
  BufferRef results[2];
  CallbackCaller caller;
  EXPECT_EQ((*loaded)->run(arguments, results, 1, &caller), (RunError{0, KernelError::DivisionByZero}));
  EXPECT_EQ(kernel->calls, 0);
}

TEST(Executor, CallbacksThatCannotBeBoundAreRefused) {
  EXPECT_EQ(refusal(withCallback()), "expects a runtime that has the kernel of this family");
  Builder b = withCallback();
  b.program.callbacks.clear();
  EXPECT_EQ(refusal(b), "expects a kernel among the program's callbacks, but got number 0 in launch 0");
  auto gone = LoadedProgram::load(withCallback().artifact(), kernels(), [](const CallbackName &name) -> core::Expected<std::shared_ptr<const Callback>> {
    Failure failure;
    failure.kind = ErrorKind::RuntimeState;
    failure.op = name.family;
    return failure;
  });
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.failure().kind, ErrorKind::RuntimeState);
  EXPECT_EQ(gone.failure().op, "lab.add.v1");
}

TEST(Executor, ZeroSizes) {
  auto program = load(loop(0).artifact());
  std::vector<double> none;
  TensorView arguments[2] = {TensorView::contiguous(nullptr, DType::F64, Shape{0}),
                             TensorView::contiguous(nullptr, DType::F64, Shape{0})};
  BufferRef results[1];
  EXPECT_EQ(program->run(arguments, results, 1), std::nullopt);
  EXPECT_EQ(doubles(results[0]), (std::vector<double>{0}));
}
