// Running sums and positions of extrema against loops over coordinates.
#include "runtime/launch/LaunchPosition.h"
#include "runtime/launch/LaunchScan.h"

#include "test/unit/runtime/TestKernels.h"
#include "test/unit/runtime/TestTensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

namespace {

/// A shape cut at one axis: element k of the line at (a, b) is number a + before * (k + length * b).
struct Cut {
  Shape shape, without;
  int64_t axis = 0, before = 1, length = 1, after = 1;

  Cut(const Shape &shape, int64_t axis) : shape(shape), axis(axis), length(shape[axis]) {
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (d == axis)
        continue;
      without.push_back(shape[d]);
      (d < axis ? before : after) *= shape[d];
    }
  }
  int64_t number(int64_t line, int64_t k) const { return line % before + before * (k + length * (line / before)); }
};

Cut randomCut(Random &random, int64_t mostElements) {
  Shape shape = randomShape(random, pick(random, 1, 4), mostElements);
  return {shape, pick(random, 0, shape.rank() - 1)};
}

template <typename T> void checkScan(Random &random, const Cut &cut, int threads) {
  auto source = randomTensor<T>(random, cut.shape, randomLayout(random));
  auto out = randomTensor<T>(random, cut.shape, randomLayout(random, false));
  bool reverse = pick(random, 0, 1);
  std::vector<T> expected(cut.shape.elementCount());
  for (int64_t line = 0; line < cut.before * cut.after; ++line) {
    T sum{};
    for (int64_t k = 0; k < cut.length; ++k) {
      int64_t number = cut.number(line, reverse ? cut.length - 1 - k : k);
      sum = k ? static_cast<T>(sum + source.at(number)) : source.at(number);
      expected[number] = sum;
    }
  }
  runCumulativeSum(cut.axis, reverse, source.view, out.view, context(threads));
  ASSERT_TRUE(sameBits(out.logical(), expected)) << cut.shape.str() << " along " << cut.axis;
}

/// Few different values, so that ties are common; NaN among floats.
template <typename T> T tied(Random &random) {
  if constexpr (std::is_floating_point_v<T>) {
    if (pick(random, 0, 60) == 0)
      return std::numeric_limits<T>::quiet_NaN();
    if (pick(random, 0, 5) == 0)
      return static_cast<T>(-0.0);
  }
  return static_cast<T>(pick(random, 0, 3));
}

template <typename T> void checkPosition(Random &random, const Cut &cut, int threads) {
  auto source = randomTensor<T>(random, cut.shape, randomLayout(random));
  for (T &value : source.memory)
    value = tied<T>(random);
  auto out = randomTensor<int64_t>(random, cut.without, randomLayout(random, false));
  bool largest = pick(random, 0, 1);
  runArgExtremum(cut.axis, largest, source.view, out.view, context(threads));
  for (int64_t line = 0; line < cut.before * cut.after; ++line) {
    // A NaN is further out than any number.
    auto rank = [&](int64_t k) {
      auto x = static_cast<double>(source.at(cut.number(line, k)));
      return std::isnan(x) ? std::numeric_limits<double>::infinity() : largest ? x : -x;
    };
    int64_t first = 0;
    for (int64_t k = 1; k < cut.length; ++k)
      if (rank(k) > rank(first))
        first = k;
    ASSERT_EQ(out.at(line), first) << cut.shape.str() << " along " << cut.axis << " line " << line;
  }
}

} // namespace

TEST(Scan, AddsOneAfterTheOther) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    checkScan<double>(random, randomCut(random, 3000), 1);
    checkScan<float>(random, randomCut(random, 3000), 1);
    checkScan<int32_t>(random, randomCut(random, 3000), 1);
  }
}

TEST(Scan, ThreadsChangeNothing) {
  Random random(2);
  for (const Shape &shape : {Shape{70000, 2}, Shape{2, 70000}, Shape{300, 40, 11}, Shape{3, 5, 9000}})
    for (int64_t axis = 0; axis < shape.rank(); ++axis)
      checkScan<double>(random, Cut(shape, axis), 4);
}

TEST(Scan, KeepsTheFirstElementAndTakesNothing) {
  auto negativeZero = TensorView::contiguous(nullptr, DType::F64, Shape{1});
  double from = -0.0, to = 1;
  negativeZero.data = &from;
  runCumulativeSum(0, true, negativeZero, TensorView::contiguous(&to, DType::F64, Shape{1}), context());
  EXPECT_TRUE(std::signbit(to));
  auto nothing = TensorView::contiguous(nullptr, DType::F64, Shape{0, 3});
  runCumulativeSum(1, false, nothing, nothing, context());
}

TEST(Position, FirstOfEqualsAndFirstNaN) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    checkPosition<double>(random, randomCut(random, 3000), 1);
    checkPosition<float>(random, randomCut(random, 3000), 1);
    checkPosition<int64_t>(random, randomCut(random, 3000), 1);
    checkPosition<int32_t>(random, randomCut(random, 3000), 1);
    checkPosition<uint8_t>(random, randomCut(random, 3000), 1);
  }
}

TEST(Position, ThreadsChangeNothing) {
  Random random(4);
  for (const Shape &shape : {Shape{200000}, Shape{70000, 2}, Shape{2, 70000}, Shape{300, 40, 11}})
    for (int64_t axis = 0; axis < shape.rank(); ++axis)
      checkPosition<double>(random, Cut(shape, axis), 4);
}

TEST(Position, TakesRealNumbersOnly) {
  EXPECT_TRUE(hasPositions(DType::F32));
  EXPECT_TRUE(hasPositions(DType::U8));
  EXPECT_FALSE(hasPositions(DType::Bool));
  EXPECT_FALSE(hasPositions(DType::Complex128));
}
