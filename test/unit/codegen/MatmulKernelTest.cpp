// Tiles of the matrix product against one chain of std::fma per element.
#include "test/unit/codegen/GuardedArray.h"
#include "test/unit/codegen/KernelHarness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace tenferro::runtime;

namespace tenferro::test {
namespace {

class MatmulKernelTest : public ::testing::TestWithParam<CpuLevel> {};
INSTANTIATE_TEST_SUITE_P(Levels, MatmulKernelTest, ::testing::ValuesIn(levels()), [](const auto &info) {
  return std::string(info.param == CpuLevel::V4 ? "V4" : "V3");
});

template <typename T> T multiplyAdd(T a, T b, T c) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fma(a, b, c);
  else
    return static_cast<T>(static_cast<uint64_t>(c) + static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

template <typename T> void checkTiles(CpuLevel level, const std::string &type) {
  KernelHarness harness(level);
  mlir::Builder builder(&harness.context());
  mlir::Type element = type == "f32"   ? mlir::Type(builder.getF32Type())
                       : type == "f64" ? mlir::Type(builder.getF64Type())
                                       : mlir::Type(builder.getIntegerType(sizeof(T) * 8));
  auto tile = harness.module().addMatmul("tile", element);
  ASSERT_TRUE(succeeded(tile));
  std::vector<std::string> symbols;
  for (int columns = 1; columns <= tile->columns; ++columns)
    symbols.push_back("tile" + std::to_string(columns));
  auto kernels = harness.finish(symbols);
  int64_t size = sizeof(T);
  for (int columns = 1; columns <= tile->columns; ++columns) {
    auto kernel = kernels->get<MatmulKernel>("tile" + std::to_string(columns));
    for (int64_t rows = 1; rows <= tile->rows; ++rows)
      for (int64_t k : {0, 1, 5, 33}) {
        int64_t aColumn = rows, cColumn = rows + 3;
        // B is stored with k last, backwards, to use strides of both signs.
        GuardedArray<T> a(aColumn * k), b(columns * k), c(cColumn * columns - 3);
        auto value = [](int64_t i) {
          return std::is_floating_point_v<T> ? static_cast<T>(static_cast<double>(i * 7919 % 1013) / 37 - 11)
                                             : static_cast<T>(i * 2654435761u);
        };
        for (size_t i = 0; i < a.size(); ++i)
          a[i] = value(i);
        for (size_t i = 0; i < b.size(); ++i)
          b[i] = value(i + 500);
        for (bool accumulate : {false, true}) {
          std::vector<T> expected(c.size());
          for (size_t i = 0; i < c.size(); ++i)
            expected[i] = c[i] = value(i + 900);
          for (int64_t j = 0; j < columns; ++j)
            for (int64_t i = 0; i < rows; ++i) {
              T sum = accumulate ? c[j * cColumn + i] : T(0);
              for (int64_t l = 0; l < k; ++l)
                sum = multiplyAdd(a[l * aColumn + i], b[(k - 1 - l) * columns + j], sum);
              expected[j * cColumn + i] = sum;
            }
          T *bFirst = b.data() + (k ? (k - 1) * columns : 0);
          kernel(a.data(), aColumn * size, bFirst, -columns * size, size, c.data(), cColumn * size, rows, k, accumulate);
          ASSERT_EQ(std::memcmp(c.data(), expected.data(), c.size() * sizeof(T)), 0)
              << type << " " << rows << "x" << columns << " k " << k << " accumulate " << accumulate;
        }
      }
  }
}

TEST_P(MatmulKernelTest, F32) { checkTiles<float>(GetParam(), "f32"); }
TEST_P(MatmulKernelTest, F64) { checkTiles<double>(GetParam(), "f64"); }
TEST_P(MatmulKernelTest, I32) { checkTiles<int32_t>(GetParam(), "i32"); }
TEST_P(MatmulKernelTest, I64) { checkTiles<int64_t>(GetParam(), "i64"); }
TEST_P(MatmulKernelTest, U8) { checkTiles<uint8_t>(GetParam(), "i8"); }

} // namespace
} // namespace tenferro::test
