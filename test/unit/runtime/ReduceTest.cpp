// The reduction driver against the tree as KernelAbi.h writes it down, bit for bit.
#include "runtime/launch/LaunchReduce.h"

#include "test/unit/runtime/TestKernels.h"
#include "test/unit/runtime/TestTensors.h"

#include <gtest/gtest.h>

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

namespace {

/// The written tree over `count` values.
template <typename T> T treeSum(const T *values, size_t count) {
  if (count == 0)
    return 0;
  if (count > 4096) {
    std::vector<T> partial;
    for (size_t start = 0; start < count; start += 4096)
      partial.push_back(treeSum(values + start, std::min<size_t>(4096, count - start)));
    return treeSum(partial.data(), partial.size());
  }
  std::vector<T> lane(32, T(-0.0));
  for (size_t k = 0; k < count; ++k)
    lane[k % 32] += values[k];
  for (size_t half : {16, 8, 4, 2, 1})
    for (size_t j = 0; j < half; ++j)
      lane[j] += lane[j + half];
  return lane[0];
}

/// For each kept position the values over the reduced axes, leftmost fastest.
template <typename T>
std::vector<std::vector<T>> gather(const TestTensor<T> &tensor, const IntList &axes, const Shape &kept) {
  std::vector<std::vector<T>> rows(kept.elementCount());
  const Shape &shape = tensor.view.shape;
  for (int64_t i = 0; i < shape.elementCount(); ++i) {
    int64_t rest = i, row = 0, scale = 1;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      int64_t coordinate = rest % shape[d];
      rest /= shape[d];
      if (std::find(axes.begin(), axes.end(), d) == axes.end()) {
        row += coordinate * scale;
        scale *= shape[d];
      }
    }
    rows[row].push_back(tensor.at(i));
  }
  return rows;
}

template <typename T>
void checkSum(Random &random, const Shape &shape, const IntList &axes, Layout layout, int threads) {
  auto input = randomTensor<T>(random, shape, layout);
  Shape kept;
  for (int64_t d = 0; d < shape.rank(); ++d)
    if (std::find(axes.begin(), axes.end(), d) == axes.end())
      kept.push_back(shape[d]);
  auto out = randomTensor<T>(random, kept, randomLayout(random, false));
  auto rows = gather(input, axes, kept);
  std::vector<T> expected;
  for (const auto &row : rows)
    expected.push_back(treeSum(row.data(), row.size()));
  EXPECT_EQ(runReduce(*kernels().sum(dtypeOf<T>), axes, input.view, out.view, context(threads)), kOk);
  EXPECT_TRUE(sameBits(out.logical(), expected)) << shape.str() << " over " << axes.str() << " strides "
                                                 << input.view.strides.str() << " out " << out.view.strides.str();
}

IntList randomAxes(Random &random, int64_t rank) {
  IntList axes;
  for (int64_t d = 0; d < rank; ++d)
    if (pick(random, 0, 1))
      axes.push_back(d);
  return axes;
}

} // namespace

TEST(Reduce, AnyAxesAndStrides) {
  Random random(11);
  resetViolations();
  for (int round = 0; round < 2000; ++round) {
    Shape shape = randomShape(random, pick(random, 0, 6), 6000);
    IntList axes = randomAxes(random, shape.rank());
    checkSum<double>(random, shape, axes, randomLayout(random), 1);
    checkSum<float>(random, shape, axes, randomLayout(random), 1);
  }
  EXPECT_EQ(violations(), 0);
}

TEST(Reduce, ManyBlocks) {
  Random random(12);
  resetViolations();
  struct {
    Shape shape;
    IntList axes;
  } rows[] = {{{4096}, {0}},          {{4097}, {0}},
              {{8192}, {0}},          {{100003}, {0}},
              {{5, 20000}, {1}},      {{20000, 5}, {0}},
              {{70, 70, 40}, {0, 2}}, {{3, 9000, 2}, {1}},
              {{9000, 3, 2}, {0, 2}}, {{2, 3, 5, 4099}, {1, 3}},
              {{200, 300}, {0, 1}}};
  for (const auto &row : rows)
    for (Layout layout : {Layout::Contiguous, Layout::Permuted, Layout::Strided, Layout::Broadcast})
      for (int threads : {1, 2}) {
        checkSum<double>(random, row.shape, row.axes, layout, threads);
        checkSum<float>(random, row.shape, row.axes, layout, threads);
      }
  EXPECT_EQ(violations(), 0);
}

TEST(Reduce, ThreadsTakeWholeRows) {
  Random random(14);
  resetViolations();
  for (const Shape &shape : {Shape{20000, 8}, Shape{40001, 2}, Shape{8192, 7}, Shape{9000, 3, 6}, Shape{5000, 4, 3, 2}})
    for (Layout layout : {Layout::Contiguous, Layout::Permuted, Layout::Strided})
      for (int threads : {2, 3, 7}) {
        checkSum<double>(random, shape, {0}, layout, threads);
        checkSum<float>(random, shape, {0}, layout, threads);
      }
  EXPECT_EQ(violations(), 0);
}

TEST(Reduce, ThreeLevels) {
  // 4096 * 4096 + 1 elements: the blocks of blocks need a third pass.
  Random random(13);
  resetViolations();
  checkSum<float>(random, Shape{4096 * 4096 + 1}, IntList{0}, Layout::Contiguous, 2);
  EXPECT_EQ(violations(), 0);
}

TEST(Reduce, ZeroSizes) {
  Random random(14);
  checkSum<double>(random, Shape{0}, IntList{0}, Layout::Contiguous, 1);
  checkSum<double>(random, Shape{0, 7}, IntList{0}, Layout::Contiguous, 1);
  checkSum<double>(random, Shape{7, 0}, IntList{1}, Layout::Strided, 1);
  checkSum<double>(random, Shape{7, 0}, IntList{0}, Layout::Contiguous, 1);
  checkSum<double>(random, Shape{3, 0, 4}, IntList{0, 1}, Layout::Contiguous, 2);
}

TEST(Reduce, SignOfZero) {
  std::vector<double> zeros(40, -0.0), one(1);
  TensorView out = TensorView::contiguous(one.data(), DType::F64, Shape{});
  for (int64_t count : {1, 5, 40}) {
    TensorView in = TensorView::contiguous(zeros.data(), DType::F64, Shape{count});
    runReduce(*kernels().sum(DType::F64), IntList{0}, in, out, context());
    EXPECT_TRUE(std::signbit(one[0])) << count; // -0.0 + -0.0 is -0.0: padding must not change it
  }
  TensorView none = TensorView::contiguous(zeros.data(), DType::F64, Shape{0});
  runReduce(*kernels().sum(DType::F64), IntList{0}, none, out, context());
  EXPECT_EQ(one[0], 0.0);
  EXPECT_FALSE(std::signbit(one[0]));
}

TEST(Reduce, MaxOverBlocks) {
  Random random(15);
  for (Layout layout : {Layout::Contiguous, Layout::Strided}) {
    auto input = randomTensor<double>(random, Shape{3, 9001}, layout);
    auto out = randomTensor<double>(random, Shape{3}, Layout::Contiguous);
    runReduce(*kernels().find("max.f64"), IntList{1}, input.view, out.view, context());
    for (int64_t i = 0; i < 3; ++i) {
      double most = -2;
      for (int64_t j = 0; j < 9001; ++j)
        most = std::max(most, input.at(i + 3 * j));
      EXPECT_EQ(out.at(i), most);
    }
  }
}

TEST(Reduce, TwoInputsEachPackedAsNeeded) {
  // Sums of products, with every combination of layouts of the two inputs.
  Random random(16);
  resetViolations();
  const Tier0Kernel *dot = kernels().dot(DType::F64), *sum = kernels().sum(DType::F64);
  const Access access[3] = {Access::Unit, Access::Unit, Access::Unit};
  ReduceFunction function;
  function.row = reinterpret_cast<ReduceKernel>(dot->variants[0]);
  function.column = reinterpret_cast<ReduceKernel>(dot->variants[1]);
  function.access = access;
  function.combine = {&sum, 1};
  for (int round = 0; round < 300; ++round) {
    Shape shape = randomShape(random, pick(random, 1, 4), 20000);
    IntList axes = randomAxes(random, shape.rank());
    auto a = randomTensor<double>(random, shape, randomLayout(random));
    auto b = randomTensor<double>(random, shape, randomLayout(random));
    Shape kept;
    for (int64_t d = 0; d < shape.rank(); ++d)
      if (std::find(axes.begin(), axes.end(), d) == axes.end())
        kept.push_back(shape[d]);
    auto out = randomTensor<double>(random, kept, randomLayout(random, false));
    auto left = gather(a, axes, kept), right = gather(b, axes, kept);
    std::vector<double> expected;
    for (size_t i = 0; i < left.size(); ++i) {
      for (size_t k = 0; k < left[i].size(); ++k)
        left[i][k] *= right[i][k];
      expected.push_back(treeSum(left[i].data(), left[i].size()));
    }
    const TensorView *operands[3] = {&a.view, &b.view, &out.view};
    EXPECT_EQ(runReduce(function, axes, operands, context(static_cast<int>(pick(random, 1, 2)))), kOk);
    ASSERT_TRUE(sameBits(out.logical(), expected)) << shape.str() << " over " << axes.str();
  }
  EXPECT_EQ(violations(), 0);
}
