// Promotion, lossless pairs, broadcasting and axes.
#include "lib/Core/ShapeRules.h"

#include <gtest/gtest.h>

namespace tenferro::core {
namespace {

using enum DType;

TEST(Promotion, FollowsTheTable) {
  // Bool < ints < floats < complex; an integer never widens a float.
  struct Row {
    DType a, b, result;
  };
  const Row rows[] = {
      {Bool, Bool, Bool},
      {Bool, U8, U8},
      {Bool, F32, F32},
      {U8, I8, I16},
      {U8, I16, I16},
      {U8, I32, I32},
      {I8, I64, I64},
      {I32, I64, I64},
      {I64, F16, F16},
      {I64, F32, F32},
      {U8, BF16, BF16},
      {F16, BF16, F32},
      {F16, F32, F32},
      {F32, F64, F64},
      {F32, Complex64, Complex64},
      {F64, Complex64, Complex128},
      {I64, Complex64, Complex64},
      {Complex64, Complex128, Complex128},
      {Bool, Complex64, Complex64},
      {F16, Complex64, Complex64},
  };
  for (const Row &row : rows) {
    EXPECT_EQ(promote(row.a, row.b), row.result) << name(row.a) << " " << name(row.b);
    EXPECT_EQ(promote(row.b, row.a), row.result) << name(row.b) << " " << name(row.a);
  }
}

TEST(Promotion, IsCommutativeAndIdempotent) {
  for (int i = 0; i < kDTypeCount; ++i)
    for (int j = 0; j < kDTypeCount; ++j) {
      DType a = static_cast<DType>(i), b = static_cast<DType>(j);
      EXPECT_EQ(promote(a, b), promote(b, a));
      EXPECT_EQ(promote(promote(a, b), b), promote(a, b));
    }
}

TEST(Lossless, NamesThePairsConvertAllows) {
  const std::pair<DType, DType> allowed[] = {
      {Bool, U8},  {Bool, F16}, {U8, I16},        {U8, F16},         {U8, BF16},
      {I8, F16},   {I16, F32},  {I32, F64},       {I32, I64},        {F16, F32},
      {BF16, F32}, {F32, F64},  {F32, Complex64}, {F64, Complex128}, {Complex64, Complex128}};
  for (auto [from, to] : allowed)
    EXPECT_TRUE(isLossless(from, to)) << name(from) << " to " << name(to);
  const std::pair<DType, DType> refused[] = {{F64, F32},       {F64, I64},       {I64, I32},  {I64, F64},
                                             {I32, F32},       {I16, F16},       {U8, I8},    {I8, U8},
                                             {I64, Bool},      {F32, F16},       {F16, BF16}, {BF16, F16},
                                             {F64, Complex64}, {Complex64, F64}, {F32, Bool}, {I32, Complex64}};
  for (auto [from, to] : refused)
    EXPECT_FALSE(isLossless(from, to)) << name(from) << " to " << name(to);
  for (int i = 0; i < kDTypeCount; ++i)
    EXPECT_TRUE(isLossless(static_cast<DType>(i), static_cast<DType>(i)));
}

TEST(Broadcast, AlignsAtTheRight) {
  EXPECT_EQ(*broadcastShapes("add", Shape({2, 3}), Shape({3})), Shape({2, 3}));
  EXPECT_EQ(*broadcastShapes("add", Shape({3, 1}), Shape({1, 4})), Shape({3, 4}));
  EXPECT_EQ(*broadcastShapes("add", Shape({}), Shape({2, 0})), Shape({2, 0}));
  EXPECT_EQ(*broadcastShapes("add", Shape({1}), Shape({0})), Shape({0}));
}

TEST(Broadcast, NamesBothShapes) {
  Expected<Shape> result = broadcastShapes("add", Shape({2, 3}), Shape({2}));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.failure().kind, ErrorKind::ShapeMismatch);
  EXPECT_EQ(result.failure().op, "add");
  EXPECT_EQ(result.failure().message, "expects shapes that broadcast, but got [2, 3] and [2]");
  ASSERT_EQ(result.failure().shapes.size(), 2u);
  EXPECT_EQ(result.failure().shapes[1], Shape({2}));
}

TEST(Broadcast, RefusesAResultThatOverflows) {
  int64_t big = int64_t{1} << 31;
  Expected<Shape> result = broadcastShapes("add", Shape({big, 1}), Shape({1, big}));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.failure().kind, ErrorKind::InvalidArgument);
}

TEST(Axes, CountFromTheEnd) {
  EXPECT_EQ(*normalizeAxis("sum", -1, 3), 2);
  EXPECT_EQ(*normalizeAxis("sum", 0, 3), 0);
  IntList axes = {-1, 0};
  EXPECT_EQ(*normalizeAxes("sum", &axes, 3), (IntList{0, 2}));
  EXPECT_EQ(*normalizeAxes("sum", nullptr, 2), (IntList{0, 1}));
  EXPECT_EQ(*normalizeAxes("sum", nullptr, 0), IntList());
}

TEST(Axes, AreInRangeAndDistinct) {
  EXPECT_EQ(normalizeAxis("sum", 2, 2).failure().kind, ErrorKind::AxisOutOfRange);
  EXPECT_EQ(normalizeAxis("sum", -3, 2).failure().message, "expects axes in [-2, 2), but got -3");
  EXPECT_EQ(normalizeAxis("sum", 0, 0).failure().kind, ErrorKind::AxisOutOfRange);
  IntList twice = {1, -1};
  EXPECT_EQ(normalizeAxes("sum", &twice, 2).failure().kind, ErrorKind::DuplicateAxis);
}

} // namespace
} // namespace tenferro::core
