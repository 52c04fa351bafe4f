// Gather and scatter against loops over the elements of what is picked, in logical order.
#include "runtime/launch/LaunchWindows.h"
#include "test/unit/runtime/TestKernels.h"
#include "test/unit/runtime/TestTensors.h"

#include <gtest/gtest.h>

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

namespace {

/// Windows of random extents at random places of a random shape.
struct Case {
  WindowDimensions dims;
  Shape whole, indices, picked;
  IntList
      walks; ///< per dimension of `picked`: the dimension of `whole` it walks, or -1 - (its dimension of the indices)
};

Case randomCase(Random &random) {
  Case c;
  c.whole = randomShape(random, pick(random, 0, 4), 2000);
  IntList walked;
  for (int64_t d = 0; d < c.whole.rank(); ++d) {
    bool mapped = pick(random, 0, 2) != 0, fixed = pick(random, 0, 2) == 0;
    c.dims.sizes.push_back(fixed ? 1 : mapped ? pick(random, 0, c.whole[d]) : c.whole[d]);
    if (fixed)
      c.dims.fixed.push_back(d);
    else
      walked.push_back(d);
    if (mapped)
      c.dims.map.push_back(d);
  }
  std::shuffle(c.dims.map.begin(), c.dims.map.end(), random);
  Shape batch = randomShape(random, pick(random, 0, 2), 12);
  c.indices = batch;
  c.dims.vectorDim = pick(random, 0, batch.rank());
  if (c.dims.map.size() != 1 || pick(random, 0, 1) == 0)
    c.indices.insert(static_cast<size_t>(c.dims.vectorDim), static_cast<int64_t>(c.dims.map.size()));
  else
    c.dims.vectorDim = batch.rank();
  int64_t rank = batch.rank() + static_cast<int64_t>(walked.size());
  for (int64_t d = 0, next = 0, b = 0; d < rank; ++d) {
    int64_t left = static_cast<int64_t>(walked.size()) - next;
    if (left > 0 && (rank - d == left || pick(random, 0, 1) == 0)) {
      c.dims.window.push_back(d);
      c.picked.push_back(c.dims.sizes[walked[next]]);
      c.walks.push_back(walked[next++]);
    } else {
      c.picked.push_back(batch[b]);
      c.walks.push_back(-1 - (c.indices.rank() > batch.rank() && b >= c.dims.vectorDim ? b + 1 : b));
      ++b;
    }
  }
  c.dims.mode = static_cast<IndexMode>(pick(random, 0, 2));
  return c;
}

/// Where element `position` of what is picked lies in the whole, in logical order; -1 if its window is outside.
int64_t target(const Case &c, const TestTensor<int32_t> &indices, int64_t position) {
  IntList at(c.whole.size(), 0), index(c.indices.size(), 0);
  for (int64_t d = 0; d < c.picked.rank(); ++d) {
    int64_t coordinate = position % c.picked[d];
    position /= c.picked[d];
    (c.walks[d] >= 0 ? at[c.walks[d]] : index[-1 - c.walks[d]]) += coordinate;
  }
  for (size_t k = 0; k < c.dims.map.size(); ++k) {
    int64_t d = c.dims.map[k], number = 0, scale = 1;
    for (int64_t i = 0; i < c.indices.rank(); ++i) {
      bool isVector = i == c.dims.vectorDim;
      number += scale * (isVector ? static_cast<int64_t>(k) : index[i]);
      scale *= c.indices[i];
    }
    int64_t start = indices.at(number), most = c.whole[d] - c.dims.sizes[d];
    if (c.dims.mode == IndexMode::Error && start < 0)
      start += c.whole[d];
    if (c.dims.mode == IndexMode::Clip)
      start = std::max<int64_t>(0, std::min(start, most));
    if (start < 0 || start > most)
      return -1;
    at[d] += start;
  }
  int64_t number = 0, scale = 1;
  for (int64_t d = 0; d < c.whole.rank(); ++d) {
    number += scale * at[d];
    scale *= c.whole[d];
  }
  return number;
}

TestTensor<int32_t> randomStarts(Random &random, const Case &c) {
  auto indices = randomTensor<int32_t>(random, c.indices, randomLayout(random, false));
  int64_t most = 1;
  for (int64_t d : c.dims.map)
    most = std::max(most, c.whole[d] - c.dims.sizes[d]);
  for (int32_t &value : indices.memory)
    value = static_cast<int32_t>(pick(random, 0, 9) == 0 ? pick(random, -most - 2, most + 2) : pick(random, 0, most));
  return indices;
}

Status expectedStatus(const Case &c, const TestTensor<int32_t> &indices) {
  bool outside = c.dims.mode == IndexMode::Error && findOutside(c.dims, c.whole, indices.view).has_value();
  return outside ? makeStatus(0, KernelError::IndexOutOfRange) : kOk;
}

} // namespace

TEST(Windows, GatherAnyDimensionsAndStrides) {
  Random random(41);
  for (int round = 0; round < 1500; ++round) {
    Case c = randomCase(random);
    auto source = randomTensor<double>(random, c.whole, randomLayout(random));
    auto indices = randomStarts(random, c);
    auto out = randomTensor<double>(random, c.picked, randomLayout(random, false));
    std::vector<double> expected;
    for (int64_t i = 0; i < c.picked.elementCount(); ++i) {
      int64_t from = target(c, indices, i);
      expected.push_back(from < 0 ? 0.0 : source.at(from));
    }
    ASSERT_EQ(runGather(c.dims, source.view, indices.view, out.view, context(static_cast<int>(pick(random, 1, 2)))),
              expectedStatus(c, indices));
    ASSERT_TRUE(sameBits(out.logical(), expected)) << c.whole.str() << c.indices.str() << c.picked.str();
  }
}

TEST(Windows, ScatterMeetsTargetsInLogicalOrder) {
  Random random(42);
  resetViolations();
  for (int round = 0; round < 1500; ++round) {
    Case c = randomCase(random);
    static constexpr ScatterUpdate updates[] = {ScatterUpdate::Add, ScatterUpdate::Mul, ScatterUpdate::Set};
    c.dims.update = updates[pick(random, 0, 2)];
    auto operand = randomTensor<float>(random, c.whole, randomLayout(random));
    auto indices = randomStarts(random, c);
    auto update = randomTensor<float>(random, c.picked, randomLayout(random));
    auto out = randomTensor<float>(random, c.whole, randomLayout(random, false));
    std::vector<float> expected = operand.logical();
    for (int64_t i = 0; i < c.picked.elementCount(); ++i) {
      int64_t to = target(c, indices, i);
      if (to < 0)
        continue;
      float &at = expected[static_cast<size_t>(to)], with = update.at(i);
      at = c.dims.update == ScatterUpdate::Add ? at + with : c.dims.update == ScatterUpdate::Mul ? at * with : with;
    }
    ASSERT_EQ(windowSizes(c.dims, c.whole.rank(), c.picked), c.dims.sizes);
    ASSERT_EQ(runScatter(c.dims, operand.view, indices.view, update.view, out.view, context()),
              expectedStatus(c, indices));
    ASSERT_TRUE(sameBits(out.logical(), expected)) << c.whole.str() << c.indices.str() << c.picked.str();
  }
  EXPECT_EQ(violations(), 0);
}

TEST(Windows, PrefixIsWhatUpdatesFind) {
  Random random(44);
  for (int round = 0; round < 800; ++round) {
    Case c = randomCase(random);
    c.dims.backward = pick(random, 0, 1);
    auto operand = randomTensor<float>(random, c.whole, randomLayout(random));
    auto indices = randomStarts(random, c);
    auto factors = randomTensor<float>(random, c.picked, randomLayout(random));
    auto addends = randomTensor<float>(random, c.picked, randomLayout(random));
    auto out = randomTensor<float>(random, c.picked, randomLayout(random, false));
    std::vector<float> state = operand.logical();
    int64_t count = c.picked.elementCount();
    std::vector<float> expected(static_cast<size_t>(count), 0.0f);
    for (int64_t k = 0; k < count; ++k) {
      int64_t i = c.dims.backward ? count - 1 - k : k, at = target(c, indices, i);
      if (at < 0)
        continue;
      float &x = state[static_cast<size_t>(at)];
      expected[static_cast<size_t>(i)] = x;
      float product = factors.at(i) * x;
      x = product + addends.at(i);
    }
    ASSERT_EQ(runScatterPrefix(c.dims, operand.view, indices.view, factors.view, addends.view, out.view, context()),
              expectedStatus(c, indices));
    ASSERT_TRUE(sameBits(out.logical(), expected)) << c.whole.str() << c.indices.str() << c.picked.str();
  }
}

TEST(Windows, ScatterOfLongRowsOnTwoThreads) {
  Random random(43);
  auto updates = randomTensor<float>(random, Shape{3000, 100}, Layout::Contiguous);
  auto indices = randomTensor<int64_t>(random, Shape{100}, Layout::Contiguous);
  for (int64_t &value : indices.memory)
    value = pick(random, 0, 4);
  WindowDimensions dims;
  dims.window = {0};
  dims.fixed = {1};
  dims.map = {1};
  dims.vectorDim = 1;
  dims.sizes = {3000, 1};
  std::vector<float> one(15000, 0.5f), two(15000, 0.5f);
  TensorView first = TensorView::contiguous(one.data(), DType::F32, {3000, 5});
  TensorView second = TensorView::contiguous(two.data(), DType::F32, {3000, 5});
  EXPECT_EQ(runScatterInto(dims, indices.view, updates.view, first, context()), kOk);
  EXPECT_EQ(runScatterInto(dims, indices.view, updates.view, second, context(2)), kOk);
  EXPECT_TRUE(sameBits(one, two));
  std::vector<float> expected(15000, 0.5f);
  for (int64_t i = 0; i < 100; ++i)
    for (int64_t a = 0; a < 3000; ++a)
      expected[static_cast<size_t>(a + 3000 * indices.at(i))] += updates.at(a + 3000 * i);
  EXPECT_TRUE(sameBits(one, expected));
}

TEST(Windows, AnExtentOfNothingIsOutside) {
  int64_t zero = 0;
  double none = 7;
  TensorView indices = TensorView::contiguous(&zero, DType::I64, {1});
  TensorView source(nullptr, DType::F64, {0}, {1}), out = TensorView::contiguous(&none, DType::F64, {1});
  WindowDimensions dims;
  dims.fixed = {0};
  dims.map = {0};
  dims.vectorDim = 1;
  dims.sizes = {1};
  EXPECT_EQ(runGather(dims, source, indices, out, context()), makeStatus(0, KernelError::IndexOutOfRange));
  dims.mode = IndexMode::Clip;
  EXPECT_EQ(runGather(dims, source, indices, out, context()), kOk);
  EXPECT_EQ(none, 0.0);
  EXPECT_EQ(runScatterInto(dims, indices, out, source, context()), kOk);
}

TEST(Windows, NamesTheFirstStartOutside) {
  std::vector<int32_t> starts = {1, 0, 2, -5}; // two vectors of two components, the components fastest
  TensorView indices = TensorView::contiguous(starts.data(), DType::I32, {2, 2});
  WindowDimensions dims;
  dims.map = {1, 0};
  dims.window = {0, 1};
  dims.vectorDim = 0;
  dims.sizes = {2, 1};
  auto found = findOutside(dims, Shape{4, 3}, indices);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->value, -5);
  EXPECT_EQ(found->dimension, 0);
  starts[3] = -4;
  EXPECT_FALSE(findOutside(dims, Shape{4, 3}, indices));
}
