// The map driver against element-by-element evaluation, for all stride patterns.
#include "runtime/launch/LaunchMap.h"
#include "runtime/memory/Buffer.h"
#include "runtime/memory/NonTemporal.h"
#include "runtime/memory/SpreadBuffers.h"

#include "test/unit/runtime/TestKernels.h"
#include "test/unit/runtime/TestTensors.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <gtest/gtest.h>

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

namespace {

template <typename T> void checkAdd(Random &random, const Shape &shape, int threads) {
  auto a = randomTensor<T>(random, shape, randomLayout(random));
  auto b = randomTensor<T>(random, shape, randomLayout(random));
  auto out = randomTensor<T>(random, shape, randomLayout(random, false));
  std::vector<T> before = out.memory, expected(shape.elementCount());
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = a.at(i) + b.at(i);
  const Tier0Kernel *kernel = kernels().find("add." + std::string(name(dtypeOf<T>)));
  ASSERT_NE(kernel, nullptr);
  const TensorView *operands[3] = {&a.view, &b.view, &out.view};
  EXPECT_EQ(runMap(*kernel, operands, context(threads)), kOk);
  EXPECT_TRUE(sameBits(out.logical(), expected))
      << shape.str() << " " << a.view.strides.str() << " " << b.view.strides.str() << " " << out.view.strides.str();
  // Nothing beside the output's elements changes.
  for (size_t i = 0; i < expected.size(); ++i)
    out.at(i) = 0;
  auto wiped = out.memory;
  out.memory.swap(before);
  out.view.data = reinterpret_cast<char *>(out.view.data) +
                  (reinterpret_cast<char *>(out.memory.data()) - reinterpret_cast<char *>(before.data()));
  for (size_t i = 0; i < expected.size(); ++i)
    out.at(i) = 0;
  EXPECT_TRUE(sameBits(out.memory, wiped)) << shape.str();
}

} // namespace

TEST(Map, AnyStridesOfAnyRank) {
  Random random(1);
  resetViolations();
  for (int round = 0; round < 1500; ++round) {
    Shape shape = randomShape(random, pick(random, 0, 6), 4000);
    checkAdd<double>(random, shape, 1);
    checkAdd<float>(random, shape, 1);
    checkAdd<int32_t>(random, shape, 1);
  }
  EXPECT_EQ(violations(), 0);
}

TEST(Map, ZeroSizes) {
  Random random(2);
  for (const Shape &shape : {Shape{0}, Shape{3, 0}, Shape{0, 0, 2}, Shape{1, 0, 1, 5}})
    checkAdd<double>(random, shape, 1);
}

TEST(Map, SameResultOnSeveralThreads) {
  Random random(3);
  resetViolations();
  for (const Shape &shape :
       {Shape{200000}, Shape{3, 70000}, Shape{70000, 3}, Shape{50000, 4}, Shape{40, 50, 60, 2}, Shape{300, 7, 2, 60}}) {
    for (int threads : {2, 2, 3, 7})
      checkAdd<float>(random, shape, threads);
  }
  EXPECT_EQ(violations(), 0);
}

TEST(Map, PiecesInEitherDirection) {
  // Operands a little larger than the first cache are walked in pieces, every other call from the end.
  Random random(31);
  resetViolations();
  for (int64_t count : {1024, 2047, 2100, 4096, 5001, 8192, 8193, 12345, 20000}) {
    auto a = randomTensor<double>(random, Shape{count}, Layout::Contiguous);
    auto b = randomTensor<double>(random, Shape{count}, Layout::Contiguous);
    std::vector<double> left = a.logical(), right = b.logical(), sums(static_cast<size_t>(count));
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] = left[i] + right[i];
    for (int call = 0; call < 3; ++call) {
      auto out = randomTensor<double>(random, Shape{count}, Layout::Contiguous);
      const TensorView *operands[3] = {&a.view, &b.view, &out.view};
      EXPECT_EQ(runMap(*kernels().find("add.f64"), operands, context()), kOk);
      ASSERT_TRUE(sameBits(out.logical(), sums)) << count;
    }
    const TensorView *inPlace[3] = {&a.view, &b.view, &a.view};
    EXPECT_EQ(runMap(*kernels().find("add.f64"), inPlace, context()), kOk);
    ASSERT_TRUE(sameBits(a.logical(), sums)) << count;
  }
  EXPECT_EQ(violations(), 0);
}

/// In how many calls of its kernel two threads run a map of one input.
static int64_t callsOfTwoThreads(uint32_t weight, int64_t count, DType dtype, char *input, char *output) {
  static std::atomic<int64_t> calls;
  calls = 0;
  const Access access[2] = {Access::Unit, Access::Unit};
  MapFunction function;
  function.jit = [](void *const *, const int64_t *, const int64_t *, int64_t, int64_t) {
    ++calls;
    return kOk;
  };
  function.access = access;
  function.weight = weight;
  const TensorView in = TensorView::contiguous(input, dtype, Shape{count}),
                   out = TensorView::contiguous(output, dtype, Shape{count});
  const TensorView *operands[2] = {&in, &out};
  void *data[2] = {input, output};
  const MapPlan plan(function, operands);
  EXPECT_EQ(plan.run(data, 2), kOk);
  const int64_t found = calls;
  if (found > 1)
    EXPECT_TRUE(plan.isSplit()); // a run is not one call then
  return found;
}

TEST(Map, ThreadsShareWhatTakesLong) {
  // The grain counts time: a chain of functions over 4,096 numbers takes longer than an addition of 8,192.
  std::vector<char> memory(1);
  auto isSplit = [&](uint32_t weight, int64_t count, DType dtype = DType::F64) {
    SpreadBuffers::note(memory.data(), false);
    return callsOfTwoThreads(weight, count, dtype, memory.data(), memory.data()) > 1;
  };
  constexpr uint32_t kFunction = 24;
  EXPECT_FALSE(isSplit(1, 8192));
  EXPECT_FALSE(isSplit(kFunction, 4096));
  EXPECT_TRUE(isSplit(6 * kFunction, 4096));
  EXPECT_FALSE(isSplit(6 * kFunction, 256));
  // What fits the cache of a core stays in it unless a lot is done with it; what does not is split, whatever is done.
  EXPECT_FALSE(isSplit(1, 65535));
  EXPECT_FALSE(isSplit(kFunction, 65535));
  EXPECT_TRUE(isSplit(1, 65536));
  EXPECT_TRUE(isSplit(kFunction, 65536));
  EXPECT_FALSE(isSplit(1, 65536, DType::F32));
  EXPECT_TRUE(isSplit(1, 131072, DType::F32));
}

TEST(Map, ThreadsGoWhereTheOperandsLie) {
  char places[3];
  char *a = places, *b = places + 1, *c = places + 2;
  for (char *place : {a, b, c})
    SpreadBuffers::note(place, false);
  auto isSplit = [](uint32_t weight, int64_t count, char *input, char *output) {
    return callsOfTwoThreads(weight, count, DType::F64, input, output) > 1;
  };
  constexpr uint32_t kFunction = 24;
  EXPECT_TRUE(isSplit(1, 65536, a, b));
  EXPECT_TRUE(SpreadBuffers::have(b));
  EXPECT_FALSE(SpreadBuffers::have(a)); // read, not written
  EXPECT_TRUE(isSplit(kFunction, 16384, b, c));
  EXPECT_TRUE(SpreadBuffers::have(c));
  EXPECT_FALSE(isSplit(1, 8192, b, c)); // too little in any case
  EXPECT_TRUE(isSplit(1, 16384, b, c));
  EXPECT_TRUE(isSplit(kFunction, 16384, c, c));
  SpreadBuffers::note(c, false);
  EXPECT_FALSE(isSplit(kFunction, 16384, c, c));
  EXPECT_FALSE(SpreadBuffers::have(c));
}

TEST(Map, ThreeInputsWithScalarVariants) {
  Random random(4);
  resetViolations();
  const Tier0Kernel *kernel = kernels().find("select.f64");
  for (int round = 0; round < 500; ++round) {
    Shape shape = randomShape(random, pick(random, 0, 4), 2000);
    auto condition = randomTensor<uint8_t>(random, shape, randomLayout(random));
    for (uint8_t &value : condition.memory)
      value &= 1;
    condition.view.dtype = DType::Bool;
    auto a = randomTensor<double>(random, shape, randomLayout(random));
    auto b = randomTensor<double>(random, shape, randomLayout(random));
    auto out = randomTensor<double>(random, shape, randomLayout(random, false));
    std::vector<double> expected(shape.elementCount());
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] = condition.at(i) ? a.at(i) : b.at(i);
    const TensorView *operands[4] = {&condition.view, &a.view, &b.view, &out.view};
    EXPECT_EQ(runMap(*kernel, operands, context()), kOk);
    EXPECT_TRUE(sameBits(out.logical(), expected)) << shape.str();
  }
  EXPECT_EQ(violations(), 0);
}

TEST(Map, CoordinatesNeedNoMemory) {
  Random random(5);
  resetViolations();
  for (int round = 0; round < 300; ++round) {
    Shape shape = randomShape(random, pick(random, 1, 4), 3000);
    int64_t axis = pick(random, 0, shape.rank() - 1), first = pick(random, -4, 4), step = pick(random, -2, 3);
    IntList steps(shape.size(), 0);
    steps[axis] = step;
    TensorView index(reinterpret_cast<void *>(first), DType::I64, shape, steps);
    auto labels = randomTensor<int64_t>(random, shape, randomLayout(random));
    auto out = randomTensor<double>(random, shape, randomLayout(random, false));
    auto hot = randomTensor<double>(random, shape, randomLayout(random, false));
    const TensorView *operands[2] = {&index, &out.view};
    EXPECT_EQ(runMap(*kernels().find("iota.f64"), operands, context()), kOk);
    const TensorView *hotOperands[3] = {&labels.view, &index, &hot.view};
    EXPECT_EQ(runMap(*kernels().find("one_hot.i64.f64"), hotOperands, context()), kOk);
    int64_t below = 1;
    for (int64_t d = 0; d < axis; ++d)
      below *= shape[d];
    for (int64_t i = 0; i < shape.elementCount(); ++i) {
      int64_t coordinate = first + i / below % shape[axis] * step;
      ASSERT_EQ(out.at(i), static_cast<double>(coordinate));
      ASSERT_EQ(hot.at(i), labels.at(i) == coordinate ? 1.0 : 0.0);
    }
  }
  EXPECT_EQ(violations(), 0);
}

TEST(Map, SmallestStatusFromAnywhere) {
  std::vector<int32_t> a(100000, 6), b(100000, 3), out(100000);
  auto view = [](std::vector<int32_t> &memory) {
    return TensorView::contiguous(memory.data(), DType::I32, Shape{100000});
  };
  TensorView x = view(a), y = view(b), z = view(out);
  const TensorView *operands[3] = {&x, &y, &z};
  const Tier0Kernel *kernel = kernels().find("div.i32");
  EXPECT_EQ(runMap(*kernel, operands, context(2)), kOk);
  EXPECT_EQ(out, std::vector<int32_t>(100000, 2));
  b[77777] = 0;
  EXPECT_EQ(runMap(*kernel, operands, context(2)), makeStatus(0, KernelError::DivisionByZero));
  EXPECT_EQ(runMap(*kernel, operands, context(1)), makeStatus(0, KernelError::DivisionByZero));
}

TEST(Map, InPlace) {
  std::vector<double> a(1003, 1.5), b(1003, 2.0);
  TensorView x = TensorView::contiguous(a.data(), DType::F64, Shape{1003});
  TensorView y = TensorView::contiguous(b.data(), DType::F64, Shape{1003});
  const TensorView *operands[3] = {&x, &y, &x};
  EXPECT_EQ(runMap(*kernels().find("add.f64"), operands, context()), kOk);
  EXPECT_EQ(a, std::vector<double>(1003, 3.5));
}

TEST(Map, JitScalarOperandChoosesTheDimension) {
  // y + b broadcast along dimension 0: compiled with b as a scalar, so dimension 0 must be the vectorised one.
  Random random(6);
  resetViolations();
  Shape shape{6, 500};
  auto y = randomTensor<double>(random, shape, Layout::Contiguous);
  auto bias = randomTensor<double>(random, Shape{500}, Layout::Contiguous);
  auto out = randomTensor<double>(random, shape, Layout::Contiguous);
  TensorView spread = bias.view.broadcastTo(shape, IntList{1});
  MapFunction function;
  function.jit = reinterpret_cast<MapKernel>(kernels().find("add.f64")->variants[2]);
  const Access access[3] = {Access::Unit, Access::Scalar, Access::Unit};
  function.access = access;
  for (bool transposed : {false, true}) {
    TensorView yView = transposed ? TensorView(y.view.data, DType::F64, shape, IntList{500, 1}) : y.view;
    const TensorView *operands[3] = {&yView, &spread, &out.view};
    void *data[3] = {yView.data, spread.data, out.view.data};
    EXPECT_EQ(MapPlan(function, operands).run(data, 1), kOk);
    for (int64_t j = 0; j < 500; ++j)
      for (int64_t i = 0; i < 6; ++i)
        ASSERT_EQ(out.at(i + 6 * j), y.memory[64 + (transposed ? i * 500 + j : i + 6 * j)] + bias.at(j));
  }
  // Along no dimension at all: rows of one element.
  auto full = randomTensor<double>(random, shape, Layout::Contiguous);
  const TensorView *operands[3] = {&y.view, &full.view, &out.view};
  void *data[3] = {y.view.data, full.view.data, out.view.data};
  EXPECT_EQ(MapPlan(function, operands).run(data, 1), kOk);
  for (int64_t i = 0; i < 3000; ++i)
    ASSERT_EQ(out.at(i), y.at(i) + full.at(i));
  EXPECT_EQ(violations(), 0);
}

TEST(Map, ResultsLargerThanTheCachesHaveTheSameBits) {
  const int64_t count = static_cast<int64_t>(streamingBytes() / 24) + 4321; // 24 bytes an element
  if (count > 100'000'000)
    GTEST_SKIP() << "the caches are too large";
  BufferRef memory[3];
  for (BufferRef &each : memory)
    each = BufferRef::allocate(static_cast<size_t>(count + 8) * 8);
  auto *a = static_cast<double *>(memory[0].data()), *b = static_cast<double *>(memory[1].data()),
       *out = static_cast<double *>(memory[2].data());
  for (int64_t i = 0; i < count + 8; ++i) {
    a[i] = 1.0 / static_cast<double>(i + 1);
    b[i] = static_cast<double>(i % 1001) * 0x1p-30;
  }
  const Tier0Kernel *kernel = kernels().find("add.f64");
  const Shape shape{count};
  auto view = [&](double *data) { return TensorView(data, DType::F64, shape, shape.contiguousStrides()); };
  auto check = [&](double *left, double *right, double *to, int threads) {
    std::vector<double> expected(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
      expected[i] = left[i] + right[i];
    to[count] = 77;
    const TensorView operands[3] = {view(left), view(right), view(to)};
    const TensorView *pointers[3] = {&operands[0], &operands[1], &operands[2]};
    EXPECT_EQ(runMap(*kernel, pointers, context(threads)), kOk);
    EXPECT_EQ(std::memcmp(to, expected.data(), expected.size() * 8), 0);
    EXPECT_EQ(to[count], 77); // nothing behind the end
    std::memset(to, 0, expected.size() * 8);
    MapFunction function;
    function.precompiled = kernel;
    MapPlan plan(function, pointers);
    EXPECT_FALSE(plan.oneCall());
    void *data[3] = {left, right, to};
    if (threads == 2) {
      EXPECT_EQ(plan.run(data, threads), kOk);
      EXPECT_EQ(std::memcmp(to, expected.data(), expected.size() * 8), 0);
    }
  };
  check(a, b, out, 1);
  check(a, b, out, 2);
  check(a, b, out + 1, 1); // not on a line
  check(a, b, a, 1);       // in place
}

TEST(Map, StreamedRowsOfAnyLengthAndType) {
  // a : u8 condition, f64 and f64: outputs of one type, lines of another number of elements
  const Tier0Kernel *kernel = kernels().find("select.f64");
  const int64_t most = 1000;
  alignas(64) double a[1000], b[1000], out[1001];
  alignas(64) uint8_t condition[1000];
  for (int64_t i = 0; i < most; ++i) {
    a[i] = static_cast<double>(i);
    b[i] = -static_cast<double>(i) - 1;
    condition[i] = i % 3 == 0;
  }
  const uint8_t outputBytes = 8;
  const int64_t inner[4] = {1, 8, 8, 8}, outer[4] = {};
  const StreamedMap streamed{reinterpret_cast<MapKernel>(kernel->variants[0]), 3, {&outputBytes, 1}, inner, outer};
  void *data[4] = {condition, a, b, out};
  EXPECT_TRUE(streamed.fits(data));
  for (int64_t n : {0, 1, 127, 128, 129, 512, 1000}) {
    std::fill(std::begin(out), std::end(out), 5.0);
    EXPECT_EQ(streamed.run(data, n), kOk);
    for (int64_t i = 0; i < most + 1; ++i)
      ASSERT_EQ(out[i], i >= n ? 5.0 : i % 3 == 0 ? a[i] : b[i]) << n << " " << i;
  }
  data[3] = out + 1;
  EXPECT_FALSE(streamed.fits(data));
  data[3] = a;
  EXPECT_FALSE(streamed.fits(data));
}
