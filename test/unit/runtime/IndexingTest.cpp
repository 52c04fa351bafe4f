// take, scatter-add, pad and the strided copy against loops over coordinates.
#include "runtime/launch/LaunchIndexing.h"
#include "runtime/launch/StridedCopy.h"

#include "tenferro/Error.h"
#include "test/unit/runtime/TestKernels.h"
#include "test/unit/runtime/TestTensors.h"

#include <gtest/gtest.h>

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

namespace {

struct Case {
  int64_t axis;
  Shape whole, indices, picked;
  int64_t before = 1, after = 1;
};

Case randomCase(Random &random) {
  Case c;
  c.whole = randomShape(random, pick(random, 1, 4), 3000);
  c.axis = pick(random, 0, c.whole.rank() - 1);
  c.indices = randomShape(random, pick(random, 0, 2), 30);
  for (int64_t d = 0; d < c.axis; ++d) {
    c.picked.push_back(c.whole[d]);
    c.before *= c.whole[d];
  }
  for (int64_t extent : c.indices)
    c.picked.push_back(extent);
  for (int64_t d = c.axis + 1; d < c.whole.rank(); ++d) {
    c.picked.push_back(c.whole[d]);
    c.after *= c.whole[d];
  }
  return c;
}

template <typename T> TestTensor<T> randomIndices(Random &random, const Shape &shape, int64_t extent) {
  auto indices = randomTensor<T>(random, shape, randomLayout(random));
  for (T &value : indices.memory)
    value = static_cast<T>(pick(random, -extent, extent - 1));
  return indices;
}

template <typename I> void checkTake(Random &random) {
  Case c = randomCase(random);
  int64_t extent = c.whole[c.axis], count = c.indices.elementCount();
  auto source = randomTensor<double>(random, c.whole, randomLayout(random));
  auto indices = randomIndices<I>(random, c.indices, extent);
  auto out = randomTensor<double>(random, c.picked, randomLayout(random, false));
  ASSERT_EQ(runTake(c.axis, source.view, indices.view, out.view, context(static_cast<int>(pick(random, 1, 2)))), kOk);
  for (int64_t b = 0; b < c.after; ++b)
    for (int64_t i = 0; i < count; ++i) {
      int64_t index = indices.at(i) < 0 ? indices.at(i) + extent : indices.at(i);
      for (int64_t a = 0; a < c.before; ++a)
        ASSERT_EQ(out.at(a + c.before * (i + count * b)), source.at(a + c.before * (index + extent * b)));
    }
}

template <typename T> void checkScatter(Random &random) {
  Case c = randomCase(random);
  int64_t extent = c.whole[c.axis], count = c.indices.elementCount();
  auto updates = randomTensor<T>(random, c.picked, randomLayout(random));
  auto indices = randomIndices<int32_t>(random, c.indices, extent);
  auto out = randomTensor<T>(random, c.whole, randomLayout(random, false));
  std::vector<T> expected(c.whole.elementCount(), T(0));
  for (int64_t i = 0; i < count; ++i) {
    int64_t index = indices.at(i) < 0 ? indices.at(i) + extent : indices.at(i);
    for (int64_t b = 0; b < c.after; ++b)
      for (int64_t a = 0; a < c.before; ++a)
        expected[a + c.before * (index + extent * b)] += updates.at(a + c.before * (i + count * b));
  }
  ASSERT_EQ(runScatterAdd(c.axis, indices.view, updates.view, out.view, context()), kOk);
  ASSERT_TRUE(sameBits(out.logical(), expected)) << c.whole.str();
}

} // namespace

TEST(Indexing, TakeAnyAxisAndStrides) {
  Random random(31);
  for (int round = 0; round < 400; ++round) {
    checkTake<int64_t>(random);
    checkTake<int32_t>(random);
    checkTake<int8_t>(random);
  }
}

TEST(Indexing, TakeOfManyRowsOnTwoThreads) {
  Random random(32);
  auto source = randomTensor<float>(random, Shape{300, 100}, Layout::Contiguous);
  auto indices = randomIndices<int64_t>(random, Shape{2000}, 100);
  auto out = randomTensor<float>(random, Shape{300, 2000}, Layout::Contiguous);
  ASSERT_EQ(runTake(1, source.view, indices.view, out.view, context(2)), kOk);
  for (int64_t i = 0; i < 2000; ++i)
    for (int64_t a = 0; a < 300; ++a)
      ASSERT_EQ(out.at(a + 300 * i), source.at(a + 300 * ((indices.at(i) + 100) % 100)));
  indices.at(1999) = 100;
  EXPECT_EQ(runTake(1, source.view, indices.view, out.view, context(2)), makeStatus(0, KernelError::IndexOutOfRange));
}

TEST(Indexing, IndexOutside) {
  std::vector<double> source = {1, 2, 3}, out(4, 9);
  TensorView from = TensorView::contiguous(source.data(), DType::F64, Shape{3});
  TensorView to = TensorView::contiguous(out.data(), DType::F64, Shape{4});
  for (int64_t bad : {int64_t{3}, int64_t{-4}, INT64_MAX, INT64_MIN}) {
    std::vector<int64_t> indices = {2, bad, -3, -1};
    TensorView at = TensorView::contiguous(indices.data(), DType::I64, Shape{4});
    EXPECT_EQ(runTake(0, from, at, to, context()), makeStatus(0, KernelError::IndexOutOfRange));
    EXPECT_EQ(out, (std::vector<double>{3, 0, 1, 3}));
    std::vector<double> sums(3, 7);
    TensorView target = TensorView::contiguous(sums.data(), DType::F64, Shape{3});
    EXPECT_EQ(runScatterAdd(0, at, to, target, context()), makeStatus(0, KernelError::IndexOutOfRange));
    EXPECT_EQ(sums, (std::vector<double>{1, 0, 6}));
  }
  std::vector<double> none;
  TensorView nothing = TensorView::contiguous(none.data(), DType::F64, Shape{0});
  std::vector<int64_t> zero = {0};
  TensorView at = TensorView::contiguous(zero.data(), DType::I64, Shape{1});
  TensorView one = TensorView::contiguous(out.data(), DType::F64, Shape{1});
  EXPECT_EQ(runTake(0, nothing, at, one, context()), makeStatus(0, KernelError::IndexOutOfRange));
  TensorView no = TensorView::contiguous(zero.data(), DType::I64, Shape{0});
  EXPECT_EQ(runTake(0, nothing, no, nothing, context()), kOk);
}

TEST(Indexing, FloatIndicesAreRefused) {
  std::vector<double> data(3);
  TensorView view = TensorView::contiguous(data.data(), DType::F64, Shape{3});
  try {
    runTake(0, view, view, view, context());
    FAIL();
  } catch (const ValidationError &error) {
    EXPECT_EQ(error.kind(), ErrorKind::DTypeMismatch);
    EXPECT_STREQ(error.what(), "take: expects integer indices, but got f64");
  }
}

TEST(Indexing, ScatterAddsInTheOrderOfTheIndices) {
  Random random(33);
  resetViolations();
  for (int round = 0; round < 300; ++round) {
    checkScatter<double>(random);
    checkScatter<float>(random);
  }
  EXPECT_EQ(violations(), 0);
  // In float, 1e8 + 1 - 1e8 depends on the order.
  std::vector<float> updates = {1e8f, 1.0f, -1e8f}, out(2);
  std::vector<int32_t> indices = {1, 1, 1};
  TensorView u = TensorView::contiguous(updates.data(), DType::F32, Shape{3});
  TensorView i = TensorView::contiguous(indices.data(), DType::I32, Shape{3});
  TensorView o = TensorView::contiguous(out.data(), DType::F32, Shape{2});
  EXPECT_EQ(runScatterAdd(0, i, u, o, context(2)), kOk);
  EXPECT_EQ(out, (std::vector<float>{0.0f, 0.0f}));
}

TEST(Indexing, NothingHasNoAddress) {
  // Values of no bytes take no place in a program's memory.
  auto none = [](DType dtype, const Shape &shape) { return TensorView(nullptr, dtype, shape, shape.contiguousStrides()); };
  TensorView indices = none(DType::I64, {0}), updates = none(DType::F64, {0}), out = none(DType::F64, {0});
  EXPECT_EQ(runScatterAdd(0, indices, updates, out, context()), kOk);
  EXPECT_EQ(runTake(0, out, indices, updates, context()), kOk);
  int64_t two[] = {1, 0};
  TensorView at = TensorView::contiguous(two, DType::I64, {2});
  EXPECT_EQ(runTake(0, none(DType::F64, {2, 0}), at, none(DType::F64, {2, 0}), context()), kOk);
  runPad({0}, {1}, updates, out, context());
  runCopy(updates, out, context());
}

TEST(Indexing, Pad) {
  Random random(34);
  for (int round = 0; round < 500; ++round) {
    Shape shape = randomShape(random, pick(random, 0, 4), 500), padded;
    IntList low, interior;
    for (int64_t extent : shape) {
      low.push_back(pick(random, -2, 3));
      interior.push_back(pick(random, 0, 2));
      padded.push_back(
          std::max<int64_t>(0, low.back() + (extent - 1) * (interior.back() + 1) + 1 + pick(random, -2, 3)));
    }
    auto source = randomTensor<float>(random, shape, randomLayout(random));
    auto out = randomTensor<float>(random, padded, randomLayout(random, false));
    std::vector<float> expected(padded.elementCount(), 0.0f);
    for (int64_t i = 0; i < shape.elementCount(); ++i) {
      int64_t rest = i, at = 0, scale = 1;
      bool inside = true;
      for (int64_t d = 0; d < shape.rank(); ++d) {
        int64_t position = low[d] + rest % shape[d] * (interior[d] + 1);
        rest /= shape[d];
        inside &= position >= 0 && position < padded[d];
        at += position * scale;
        scale *= padded[d];
      }
      if (inside)
        expected[at] = source.at(i);
    }
    runPad(low, interior, source.view, out.view, context());
    ASSERT_TRUE(sameBits(out.logical(), expected)) << shape.str() << low.str() << interior.str() << padded.str();
  }
}

template <typename T> static void checkCopy(Random &random, const Shape &shape, int threads) {
  auto source = randomTensor<T>(random, shape, randomLayout(random));
  auto out = randomTensor<T>(random, shape, randomLayout(random, false));
  runCopy(source.view, out.view, context(threads));
  ASSERT_TRUE(sameBits(out.logical(), source.logical())) << shape.str();
  std::vector<T> fresh(shape.elementCount());
  copyToContiguous(source.view, fresh.data(), context(threads));
  ASSERT_TRUE(sameBits(fresh, source.logical()));
}

TEST(Indexing, CopyOfTransposedMatrices) {
  auto transposed = [](auto element, int64_t rows, int64_t columns) {
    using T = decltype(element);
    std::vector<T> source(static_cast<size_t>(rows * columns)), expected;
    for (size_t i = 0; i < source.size(); ++i)
      source[i] = static_cast<T>(i + 1);
    for (int64_t j = 0; j < rows; ++j)
      for (int64_t i = 0; i < columns; ++i)
        expected.push_back(source[static_cast<size_t>(j + i * rows)]);
    std::vector<T> out(source.size());
    copyToContiguous(TensorView(source.data(), dtypeOf<T>, Shape{columns, rows}, {rows, 1}), out.data(), context());
    EXPECT_TRUE(sameBits(out, expected)) << rows << " x " << columns;
  };
  for (int64_t rows : {7, 8, 9, 16, 31, 40})
    for (int64_t columns : {3, 4, 7, 8, 12, 33}) {
      transposed(float{}, rows, columns);
      transposed(double{}, rows, columns);
      transposed(int32_t{}, rows, columns);
      transposed(uint8_t{}, rows, columns);
    }
}

TEST(Indexing, CopyBetweenAnyStrides) {
  Random random(35);
  for (int round = 0; round < 600; ++round) {
    Shape shape = randomShape(random, pick(random, 0, 6), 3000);
    checkCopy<double>(random, shape, 1);
    checkCopy<float>(random, shape, 1);
    checkCopy<int16_t>(random, shape, 1);
    checkCopy<uint8_t>(random, shape, 1);
  }
  for (int round = 0; round < 6; ++round)
    checkCopy<float>(random, Shape{300, 2, 500}, 2);
}
