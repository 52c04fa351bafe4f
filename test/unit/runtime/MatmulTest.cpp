// dot_general against one std::fma chain per element, or the written tree where the contract says so; bit for bit.
#include "runtime/launch/LaunchMatmul.h"

#include "test/unit/runtime/TestKernels.h"
#include "test/unit/runtime/TestTensors.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

namespace {

template <typename T> T product(const std::vector<T> &a, const std::vector<T> &b, int64_t outputs) {
  if constexpr (std::is_integral_v<T>) {
    T sum = 0;
    for (size_t k = 0; k < a.size(); ++k)
      sum += a[k] * b[k];
    return sum;
  } else {
    if (outputs < 64 && a.size() >= 256) {
      // The tree of KernelAbi.h over the products.
      std::vector<T> level(a.size());
      for (size_t k = 0; k < a.size(); ++k)
        level[k] = a[k] * b[k];
      do {
        std::vector<T> next;
        for (size_t start = 0; start < level.size(); start += 4096) {
          T lane[32];
          std::fill(lane, lane + 32, T(-0.0));
          for (size_t k = start; k < std::min(level.size(), start + 4096); ++k)
            lane[(k - start) % 32] += level[k];
          for (int half = 16; half; half /= 2)
            for (int j = 0; j < half; ++j)
              lane[j] += lane[j + half];
          next.push_back(lane[0]);
        }
        level = next;
      } while (level.size() > 1);
      return level[0];
    }
    T sum = 0;
    for (size_t k = 0; k < a.size(); ++k)
      sum = std::fma(a[k], b[k], sum);
    return sum;
  }
}

/// Element of `tensor` at the coordinates `index` along `dims`, others from `rest`.
template <typename T> T element(const TestTensor<T> &tensor, const IntList &coordinates) {
  int64_t offset = 0;
  for (size_t d = 0; d < coordinates.size(); ++d)
    offset += coordinates[d] * tensor.view.strides[d];
  return static_cast<T *>(tensor.view.data)[offset];
}

void setCoordinates(IntList &coordinates, const IntList &dims, const Shape &shape, int64_t position) {
  for (int64_t d : dims) {
    coordinates[d] = position % shape[d];
    position /= shape[d];
  }
}

int64_t extentOf(const IntList &dims, const Shape &shape) {
  int64_t extent = 1;
  for (int64_t d : dims)
    extent *= shape[d];
  return extent;
}

template <typename T>
void check(Random &random, const Shape &lhsShape, const Shape &rhsShape, const DotDimensions &dot, Layout lhsLayout,
           Layout rhsLayout, int threads) {
  auto a = randomTensor<T>(random, lhsShape, lhsLayout);
  auto b = randomTensor<T>(random, rhsShape, rhsLayout);
  auto freeOf = [](const Shape &shape, const IntList &x, const IntList &y) {
    IntList dims;
    for (int64_t d = 0; d < shape.rank(); ++d)
      if (std::find(x.begin(), x.end(), d) == x.end() && std::find(y.begin(), y.end(), d) == y.end())
        dims.push_back(d);
    return dims;
  };
  IntList aFree = freeOf(lhsShape, dot.lhsContracting, dot.lhsBatch);
  IntList bFree = freeOf(rhsShape, dot.rhsContracting, dot.rhsBatch);
  Shape outShape;
  for (int64_t d : aFree)
    outShape.push_back(lhsShape[d]);
  for (int64_t d : bFree)
    outShape.push_back(rhsShape[d]);
  for (int64_t d : dot.lhsBatch)
    outShape.push_back(lhsShape[d]);
  auto out = randomTensor<T>(random, outShape, Layout::Contiguous);
  int64_t m = extentOf(aFree, lhsShape), n = extentOf(bFree, rhsShape), k = extentOf(dot.lhsContracting, lhsShape),
          batches = extentOf(dot.lhsBatch, lhsShape);
  std::vector<T> expected;
  IntList ac(lhsShape.size(), 0), bc(rhsShape.size(), 0);
  for (int64_t batch = 0; batch < batches; ++batch) {
    setCoordinates(ac, dot.lhsBatch, lhsShape, batch);
    setCoordinates(bc, dot.rhsBatch, rhsShape, batch);
    for (int64_t j = 0; j < n; ++j) {
      setCoordinates(bc, bFree, rhsShape, j);
      for (int64_t i = 0; i < m; ++i) {
        setCoordinates(ac, aFree, lhsShape, i);
        std::vector<T> left, right;
        for (int64_t p = 0; p < k; ++p) {
          setCoordinates(ac, dot.lhsContracting, lhsShape, p);
          setCoordinates(bc, dot.rhsContracting, rhsShape, p);
          left.push_back(element(a, ac));
          right.push_back(element(b, bc));
        }
        expected.push_back(product(left, right, m * n));
      }
    }
  }
  runMatmul(dot, a.view, b.view, out.view, context(threads));
  EXPECT_TRUE(sameBits(out.logical(), expected))
      << lhsShape.str() << " " << rhsShape.str() << " " << a.view.strides.str() << " " << b.view.strides.str();
}

template <typename T> void checkPlain(Random &random, int64_t m, int64_t n, int64_t k, int threads = 1) {
  DotDimensions dot;
  dot.lhsContracting = {1};
  dot.rhsContracting = {0};
  check<T>(random, Shape{m, k}, Shape{k, n}, dot, randomLayout(random), randomLayout(random), threads);
}

} // namespace

TEST(Matmul, EdgesAndStrides) {
  Random random(21);
  resetViolations();
  for (int64_t m : {1, 2, 11, 12, 13, 25})
    for (int64_t n : {1, 3, 4, 5, 9})
      for (int64_t k : {1, 2, 17, 255}) {
        checkPlain<double>(random, m, n, k);
        checkPlain<float>(random, m, n, k);
        checkPlain<int64_t>(random, m, n, k);
      }
  EXPECT_EQ(violations(), 0);
}

TEST(Matmul, TreeWhereOutputsAreFew) {
  Random random(22);
  resetViolations();
  for (int64_t m : {1, 3, 7})
    for (int64_t n : {1, 2, 9})
      for (int64_t k : {256, 257, 4096, 5000}) {
        checkPlain<double>(random, m, n, k, static_cast<int>(pick(random, 1, 2)));
        checkPlain<float>(random, m, n, k);
      }
  checkPlain<double>(random, 8, 8, 300); // 64 outputs: the chain
  checkPlain<double>(random, 9, 7, 300);
  EXPECT_EQ(violations(), 0);
}

TEST(Matmul, BlocksContinueTheChain) {
  Random random(23);
  resetViolations();
  for (int threads : {1, 2}) {
    checkPlain<double>(random, 70, 9, 700, threads);
    checkPlain<float>(random, 30, 20, 1500, threads);
    checkPlain<double>(random, 600, 70, 40, threads);
    checkPlain<float>(random, 1, 300, 100, threads);
    checkPlain<float>(random, 300, 1, 100, threads);
    checkPlain<double>(random, 130, 130, 130, threads);
  }
  EXPECT_EQ(violations(), 0);
}

TEST(Matmul, ThreadsPackRowsOfTheirOwn) {
  Random random(28);
  resetViolations();
  DotDimensions dot;
  dot.lhsContracting = {0};
  dot.rhsContracting = {0};
  for (int threads : {1, 2, 3, 7}) {
    check<double>(random, Shape{100, 203}, Shape{100, 61}, dot, Layout::Contiguous, Layout::Contiguous, threads);
    check<float>(random, Shape{130, 203}, Shape{130, 61}, dot, Layout::Contiguous, Layout::Contiguous, threads);
    check<double>(random, Shape{600, 50}, Shape{600, 70}, dot, Layout::Contiguous, Layout::Contiguous, threads); // few rows
    checkPlain<float>(random, 256, 10, 256, threads); // long operands, few columns
  }
  EXPECT_EQ(violations(), 0);
}

TEST(Matmul, ZeroSizes) {
  Random random(24);
  for (int64_t m : {0, 3})
    for (int64_t n : {0, 2})
      for (int64_t k : {0, 5})
        checkPlain<double>(random, m, n, k);
}

TEST(Matmul, BatchAndSeveralDimensions) {
  Random random(25);
  resetViolations();
  for (int round = 0; round < 150; ++round) {
    // Random roles: lhs has f free, c contracting, b batch dimensions in any order.
    int64_t free = pick(random, 0, 2), contracting = pick(random, 0, 2), batch = pick(random, 0, 2),
            rhsFree = pick(random, 0, 2);
    auto order = [&](int64_t rank) {
      std::vector<int64_t> dims(rank);
      for (int64_t d = 0; d < rank; ++d)
        dims[d] = d;
      std::shuffle(dims.begin(), dims.end(), random);
      return dims;
    };
    auto lhsOrder = order(free + contracting + batch), rhsOrder = order(rhsFree + contracting + batch);
    Shape lhs(lhsOrder.size(), 0), rhs(rhsOrder.size(), 0);
    DotDimensions dot;
    auto extent = [&] { return pick(random, 1, 6); };
    for (int64_t i = 0; i < contracting; ++i) {
      dot.lhsContracting.push_back(lhsOrder[i]);
      dot.rhsContracting.push_back(rhsOrder[i]);
      lhs[lhsOrder[i]] = rhs[rhsOrder[i]] = extent();
    }
    for (int64_t i = contracting; i < contracting + batch; ++i) {
      dot.lhsBatch.push_back(lhsOrder[i]);
      dot.rhsBatch.push_back(rhsOrder[i]);
      lhs[lhsOrder[i]] = rhs[rhsOrder[i]] = extent();
    }
    for (int64_t i = contracting + batch; i < lhs.rank(); ++i)
      lhs[lhsOrder[i]] = extent();
    for (int64_t i = contracting + batch; i < rhs.rank(); ++i)
      rhs[rhsOrder[i]] = extent();
    check<double>(random, lhs, rhs, dot, randomLayout(random), randomLayout(random), 1);
    check<float>(random, lhs, rhs, dot, randomLayout(random), randomLayout(random), 1);
  }
  EXPECT_EQ(violations(), 0);
}

TEST(Matmul, SmallMatricesOfALargeBatch) {
  Random random(26);
  resetViolations();
  // Free and contracted extents, then the batch; lhs and rhs in orders of their own.
  const Shape batches[] = {{6001}, {3, 3, 3, 3, 3, 3, 3}, {511, 5}, {2, 300, 3}, {5, 700}, {513}, {1, 4, 1}};
  const int64_t sizes[][3] = {{1, 1, 1}, {3, 3, 1}, {1, 4, 3}, {2, 1, 5}, {4, 4, 3}, {7, 7, 1}};
  for (const Shape &batch : batches)
    for (const auto &[m, n, k] : sizes)
      for (Layout layout : {Layout::Contiguous, Layout::Permuted, Layout::Strided, Layout::Broadcast}) {
        DotDimensions dot{{1}, {0}, {}, {}};
        Shape lhs{m, k}, rhs{k, n};
        for (size_t d = 0; d < batch.size(); ++d) {
          dot.lhsBatch.push_back(static_cast<int64_t>(d) + 2);
          dot.rhsBatch.push_back(static_cast<int64_t>(d) + 2);
          lhs.push_back(batch[d]);
          rhs.push_back(batch[d]);
        }
        const int threads = static_cast<int>(pick(random, 1, 2));
        check<double>(random, lhs, rhs, dot, layout, randomLayout(random), threads);
        check<float>(random, lhs, rhs, dot, randomLayout(random), layout, threads);
        if (layout == Layout::Strided)
          check<int64_t>(random, lhs, rhs, dot, layout, randomLayout(random), threads);
      }
  EXPECT_EQ(violations(), 0);
}

TEST(Matmul, OneProductIsAChainFromZero) {
  // fma(-1, 0, +0) is +0, where -1 * 0 is -0.
  double minusOne[3] = {-1, -1, -1}, zero[3] = {0, 0, 0}, out[3] = {7, 7, 7};
  const DotDimensions dot{{}, {}, {0}, {0}};
  runMatmul(dot, TensorView::contiguous(minusOne, DType::F64, Shape{3}), TensorView::contiguous(zero, DType::F64, Shape{3}),
            TensorView::contiguous(out, DType::F64, Shape{3}), context());
  for (double value : out) {
    EXPECT_EQ(value, 0.0);
    EXPECT_FALSE(std::signbit(value));
  }
}
