// Shapes: size, strides, validity, and the list they are made of.
#include "tenferro/Shape.h"
#include "tenferro/DType.h"

#include <gtest/gtest.h>

namespace tenferro {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(Shape, CountsElements) {
  EXPECT_EQ(Shape({}).elementCount(), 1);
  EXPECT_EQ(Shape({2, 3, 4}).elementCount(), 24);
  EXPECT_EQ(Shape({2, 0, 4}).elementCount(), 0);
}

TEST(Shape, StridesOfTheLeftmostAxisAreOne) {
  EXPECT_EQ(Shape({2, 3, 4}).contiguousStrides(), (IntList{1, 2, 6}));
  EXPECT_EQ(Shape({2, 0, 4}).contiguousStrides(), (IntList{1, 2, 2}));
  EXPECT_EQ(Shape({}).contiguousStrides(), IntList());
}

TEST(Shape, IsValidUpToTwoToThe62Bytes) {
  EXPECT_TRUE(Shape({}).isValid());
  EXPECT_TRUE(Shape({0}).isValid());
  EXPECT_FALSE(Shape({-1}).isValid());
  EXPECT_FALSE(Shape({2, -1}).isValid());
  // 2^58 elements of 16 bytes are 2^62 bytes.
  EXPECT_TRUE(Shape({int64_t{1} << 58}).isValid());
  EXPECT_FALSE(Shape({(int64_t{1} << 58) + 1}).isValid());
  EXPECT_FALSE(Shape({kMost}).isValid());
  EXPECT_FALSE(Shape({int64_t{1} << 32, int64_t{1} << 32}).isValid());
  EXPECT_FALSE(Shape({kMost, kMost, kMost}).isValid());
}

TEST(Shape, AnExtentOfZeroHidesNoOverflow) {
  EXPECT_FALSE(Shape({0, kMost, kMost}).isValid());
  EXPECT_FALSE(Shape({kMost, kMost, 0}).isValid());
  EXPECT_FALSE(Shape({0, -1}).isValid());
}

TEST(IntList, GrowsBeyondItsInlineRoom) {
  IntList list;
  for (int64_t i = 0; i < 20; ++i)
    list.push_back(i);
  IntList copy = list, moved = std::move(list);
  EXPECT_EQ(copy, moved);
  EXPECT_EQ(moved.size(), 20u);
  EXPECT_EQ(moved.back(), 19);
  EXPECT_TRUE(list.empty()); // NOLINT: a moved-from list is empty
  moved.erase(0);
  moved.insert(1, 100);
  EXPECT_EQ(moved[0], 1);
  EXPECT_EQ(moved[1], 100);
  EXPECT_EQ(moved[2], 2);
}

TEST(IntList, Prints) {
  EXPECT_EQ(IntList().str(), "[]");
  EXPECT_EQ((IntList{2, -3}).str(), "[2, -3]");
}

TEST(DType, NamesRoundTrip) {
  for (int i = 0; i < kDTypeCount; ++i) {
    DType dtype = static_cast<DType>(i), parsed;
    ASSERT_TRUE(parseDType(name(dtype), parsed));
    EXPECT_EQ(parsed, dtype);
  }
  DType parsed;
  EXPECT_FALSE(parseDType("f128", parsed));
  EXPECT_EQ(byteSize(DType::Bool), 1u);
  EXPECT_EQ(byteSize(DType::Complex128), 16u);
}

} // namespace
} // namespace tenferro
