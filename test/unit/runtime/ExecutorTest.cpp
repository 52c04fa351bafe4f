// Hand-written programs through the executor: arguments, views, launches of every kind, threads, errors.
#include "test/unit/runtime/HandwrittenProgram.h"

#include <immintrin.h>
#include <thread>

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

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

TEST(Executor, CopiedAndStridedArgumentsMeetInALaunch) {
  // A launch reads x where its copy is, while y stays where it is: rows of 2 x 3, backwards.
  Builder b;
  uint32_t x = b.argument(DType::F64, {2, 3}), y = b.argument(DType::F64, {2, 3});
  uint32_t flat = b.result(DType::F64, {6}), sum = b.result(DType::F64, {2, 3});
  b.map("add.f64", {b.reshape(x, {6}), b.reshape(x, {6}), flat});
  b.map("add.f64", {x, y, sum});
  b.program.argumentContiguous[0] = true;
  auto program = load(b.artifact());
  std::vector<double> rows = {1, 2, 3, 4, 5, 6}, backwards = {60, 50, 40, 30, 20, 10};
  TensorView arguments[2] = {TensorView(rows.data(), DType::F64, Shape{2, 3}, IntList{3, 1}),
                             TensorView(backwards.data() + 5, DType::F64, Shape{2, 3}, IntList{-3, -1})};
  for (int threads : {1, 2}) {
    BufferRef results[2];
    EXPECT_EQ(program->run(arguments, results, threads), std::nullopt);
    EXPECT_EQ(doubles(results[0]), (std::vector<double>{2, 8, 4, 10, 6, 12}));
    EXPECT_EQ(doubles(results[1]), (std::vector<double>{11, 44, 22, 55, 33, 66}));
  }
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
  // Three coordinates from 2^33 - 3 on, and two elements behind 2^32 others of an argument of which nothing else is
  // there.
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
TEST(Executor, LaunchesOfAnOperationReportInAnyOrder) {
  // Two launches of one operation, each with a wrong index of its own.
  std::vector<double> xs = {1, 2, 3, 4};
  std::vector<int64_t> five = {5}, nine = {9};
  for (bool swapped : {false, true}) {
    Builder b;
    uint32_t x = b.argument(DType::F64, {4}), i = b.argument(DType::I64, {1}), j = b.argument(DType::I64, {1});
    uint32_t first = b.result(DType::F64, {1}), second = b.result(DType::F64, {1});
    for (uint32_t index : {i, j}) {
      Launch &take = b.launch(LaunchKind::Take, "", {x, index, index == i ? first : second});
      take.axes = {0};
      take.opNumbers = {3};
    }
    auto program = load(b.artifact());
    auto index = [](std::vector<int64_t> &at) { return TensorView::contiguous(at.data(), DType::I64, Shape{1}); };
    TensorView arguments[3] = {vector(xs), index(swapped ? nine : five), index(swapped ? five : nine)};
    BufferRef results[2];
    EXPECT_EQ(program->run(arguments, results, 1), (RunError{3, KernelError::IndexOutOfRange, true, 5, -4, 4}));
  }
}

TEST(Executor, PrefixesNameTheStartOutOfRange) {
  Builder b;
  uint32_t x = b.argument(DType::F64, {4}), i = b.argument(DType::I64, {1}), updates = b.argument(DType::F64, {2, 1});
  Launch &prefix = b.launch(LaunchKind::ScatterPrefix, "", {x, i, updates, updates, b.result(DType::F64, {2, 1})});
  prefix.windows->window = {0};
  prefix.windows->map = {0};
  prefix.windows->vectorDim = 1;
  prefix.windows->sizes = {2};
  auto program = load(b.artifact());
  std::vector<double> xs = {1, 2, 3, 4}, us = {5, 6};
  std::vector<int64_t> starts = {3}; // windows of 2 start at 0 to 2, or that before the end
  TensorView arguments[3] = {vector(xs), TensorView::contiguous(starts.data(), DType::I64, Shape{1}),
                             TensorView::contiguous(us.data(), DType::F64, Shape{2, 1})};
  BufferRef results[1];
  EXPECT_EQ(program->run(arguments, results, 1), (RunError{0, KernelError::IndexOutOfRange, true, 3, -4, 3, 0}));
  starts = {2};
  EXPECT_EQ(program->run(arguments, results, 1), std::nullopt);
  EXPECT_EQ(doubles(results[0]), (std::vector<double>{3, 4}));
}

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

TEST(Executor, ZeroSizes) {
  auto program = load(loop(0).artifact());
  std::vector<double> none;
  TensorView arguments[2] = {TensorView::contiguous(nullptr, DType::F64, Shape{0}),
                             TensorView::contiguous(nullptr, DType::F64, Shape{0})};
  BufferRef results[1];
  EXPECT_EQ(program->run(arguments, results, 1), std::nullopt);
  EXPECT_EQ(doubles(results[0]), (std::vector<double>{0}));
}
