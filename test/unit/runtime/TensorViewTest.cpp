// The O(1) views, element by element.
#include "runtime/core/TensorView.h"

#include "test/unit/runtime/TestTensors.h"

#include <gtest/gtest.h>

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

namespace {
int32_t read(const TensorView &view, std::initializer_list<int64_t> coordinates) {
  int64_t offset = 0;
  size_t d = 0;
  for (int64_t coordinate : coordinates)
    offset += coordinate * view.strides[d++];
  return static_cast<int32_t *>(view.data)[offset];
}
} // namespace

TEST(TensorView, Views) {
  int32_t data[24];
  for (int i = 0; i < 24; ++i)
    data[i] = i;
  TensorView x = TensorView::contiguous(data, DType::I32, Shape{2, 3, 4}); // element (i, j, k) is i + 2 j + 6 k
  EXPECT_TRUE(x.isContiguous());
  EXPECT_EQ(x.strides, (IntList{1, 2, 6}));

  TensorView t = x.transposed(IntList{2, 0, 1});
  EXPECT_EQ(t.shape, (Shape{4, 2, 3}));
  EXPECT_EQ(read(t, {3, 1, 2}), 1 + 4 + 18);
  EXPECT_FALSE(t.isContiguous());

  TensorView s = x.sliced(IntList{1, 2, 3}, IntList{1, -1, -2}, Shape{1, 3, 2});
  EXPECT_EQ(read(s, {0, 0, 0}), 1 + 4 + 18);
  EXPECT_EQ(read(s, {0, 2, 1}), 1 + 0 + 6);

  TensorView b =
      x.sliced(IntList{0, 1, 0}, IntList{1, 1, 1}, Shape{2, 1, 4}).broadcastTo(Shape{5, 2, 3, 4}, IntList{1, 2, 3});
  EXPECT_EQ(b.strides, (IntList{0, 1, 0, 6}));
  EXPECT_EQ(read(b, {4, 1, 2, 3}), 1 + 2 + 18);

  TensorView empty = x.sliced(IntList{2, 0, 0}, IntList{1, 1, 1}, Shape{0, 3, 4});
  EXPECT_EQ(empty.data, x.data);
  EXPECT_TRUE(empty.isContiguous());
  EXPECT_TRUE(TensorView(data, DType::I32, Shape{1, 5, 1}, IntList{77, 1, -3}).isContiguous());
}

TEST(TensorView, ReshapeKeepsLogicalOrder) {
  Random random(41);
  int done = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    // Two factorisations of the same count.
    int64_t count = std::vector<int64_t>{1, 4, 12, 24, 36, 60}[pick(random, 0, 5)];
    auto factors = [&] {
      Shape shape;
      int64_t rest = count;
      while (rest > 1) {
        int64_t f = pick(random, 1, rest);
        while (rest % f)
          --f;
        shape.push_back(f);
        rest /= f;
      }
      if (pick(random, 0, 2) == 0)
        shape.push_back(1);
      return shape;
    };
    Shape from = factors(), to = factors();
    auto tensor = randomTensor<int32_t>(random, from, randomLayout(random));
    TensorView result;
    if (!tensor.view.reshaped(to, result)) {
      EXPECT_FALSE(tensor.view.isContiguous());
      ++refused;
      continue;
    }
    ++done;
    EXPECT_EQ(result.shape, to);
    TestTensor<int32_t> reshaped;
    reshaped.view = result;
    ASSERT_TRUE(sameBits(reshaped.logical(), tensor.logical())) << from.str() << tensor.view.strides.str() << to.str();
  }
  EXPECT_GT(done, 1000);
  EXPECT_GT(refused, 300);
}

TEST(TensorView, ReshapeWhereStridesAllow) {
  int32_t data[100] = {};
  TensorView gap(data, DType::I32, Shape{4, 3}, IntList{2, 8}), result;
  EXPECT_TRUE(gap.reshaped(Shape{12}, result));
  EXPECT_EQ(result.strides, (IntList{2}));
  EXPECT_TRUE(gap.reshaped(Shape{2, 6}, result));
  EXPECT_EQ(result.strides, (IntList{2, 4}));
  EXPECT_FALSE(TensorView(data, DType::I32, Shape{4, 3}, IntList{3, 1}).reshaped(Shape{12}, result));
  EXPECT_TRUE(TensorView(data, DType::I32, Shape{0, 3}, IntList{3, 1}).reshaped(Shape{5, 0}, result));
}

TEST(TensorView, BackwardsAndDiagonal) {
  int32_t data[12];
  for (int32_t i = 0; i < 12; ++i)
    data[i] = i;
  TestTensor<int32_t> tensor;
  TensorView view = TensorView::contiguous(data, DType::I32, Shape{3, 4});
  tensor.view = view.reversed({0});
  EXPECT_EQ(tensor.logical(), (std::vector<int32_t>{2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9}));
  tensor.view = view.reversed({0, 1});
  EXPECT_EQ(tensor.logical(), (std::vector<int32_t>{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
  tensor.view = view.diagonal(0, 1);
  EXPECT_EQ(tensor.logical(), (std::vector<int32_t>{0, 4, 8}));
  tensor.view = view.reversed({1}).diagonal(1, 0);
  EXPECT_EQ(tensor.logical(), (std::vector<int32_t>{9, 7, 5}));
  TensorView nothing(nullptr, DType::I32, Shape{0, 3}, IntList{1, 0});
  EXPECT_EQ(nothing.reversed({0, 1}).data, nullptr);
  EXPECT_EQ(nothing.diagonal(0, 1).shape, Shape{0});
}
