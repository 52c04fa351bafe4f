// Structure keys without sizes: which numbers are sizes, and which are not.
#include "lib/Core/SizeKey.h"

#include <gtest/gtest.h>

namespace tenferro::core {
namespace {

using Sizes = std::vector<int64_t>;

TEST(SizeKey, ReplacesExtentsAndNothingElse) {
  SizeKey key = eraseSizes("vjp wrt (0, 3) seed ones\n"
                           "input f64[64, 3]\n"
                           "input c128[3, 1, 0]\n"
                           "sum (64) axes=[0, 3] : f64[3]\n"
                           "outputs (64)\n"
                           "saved 64 in 3\n");
  EXPECT_EQ(key.text, "vjp wrt (0, 3) seed ones\n"
                      "input f64[#0, #1]\n"
                      "input c128[#1, 1, 0]\n"
                      "sum (64) axes=[0, 3] : f64[#1]\n"
                      "outputs (64)\n"
                      "saved 64 in 3\n");
  EXPECT_EQ(key.sizes, (Sizes{64, 3}));
}

TEST(SizeKey, PositionsAreSizesWhereTheyEqualOne) {
  SizeKey key = eraseSizes("input f64[10]\n"
                           "slice (0) starts=[1] limits=[10] strides=[10] : f64[9]\n"
                           "slice (0) starts=[5] limits=[7] strides=[1] : f64[2]\n"
                           "slice (0) starts=[3] limits=[4] strides=[1] : f64[1]\n"
                           "scatter_add (1, 2) axis=0 extent=10 : f64[10]\n"
                           "broadcast_in_dim (3) dims=[0] shape=[10, 20] : f64[10, 20]\n");
  EXPECT_EQ(key.text, "input f64[#0]\n"
                      "slice (0) starts=[1] limits=[#0] strides=[10] : f64[#1]\n"
                      "slice (0) starts=[5] limits=[7] strides=[1] : f64[#2]\n"
                      "slice (0) starts=[3] limits=[4] strides=[1] : f64[1]\n"
                      "scatter_add (1, 2) axis=0 extent=#0 : f64[#0]\n"
                      "broadcast_in_dim (3) dims=[0] shape=[#0, #3] : f64[#0, #3]\n");
  EXPECT_EQ(key.sizes, (Sizes{10, 9, 2, 20}));
}

TEST(SizeKey, PositionsBeforeAnEndFollowIt) {
  // x[:-1], x[-3:] and x[2:-2], padded by n - 1
  auto text = [](int64_t n) {
    const std::string all = std::to_string(n), one = std::to_string(n - 1), two = std::to_string(n - 2),
                      three = std::to_string(n - 3);
    return "input f64[" + all + "]\nslice (0) starts=[0] limits=[" + one + "] strides=[1] : f64[" + one +
           "]\nslice (0) starts=[" + three + "] limits=[" + all +
           "] strides=[1] : f64[3]\nslice (0) starts=[2] limits=[" + two + "] strides=[1] : f64[" +
           std::to_string(n - 4) + "]\npad (0) low=[" + one + "] high=[0] interior=[0] : f64[" +
           std::to_string(2 * n - 1) + "]\n";
  };
  SizeKey key = eraseSizes(text(64));
  EXPECT_EQ(key.text, "input f64[#0]\nslice (0) starts=[0] limits=[#0-1] strides=[1] : f64[#1]\n"
                      "slice (0) starts=[#1-2] limits=[#0] strides=[1] : f64[#2]\n"
                      "slice (0) starts=[2] limits=[#1-1] strides=[1] : f64[#3]\n"
                      "pad (0) low=[#1] high=[0] interior=[0] : f64[#4]\n");
  EXPECT_EQ(key.sizes, (Sizes{64, 63, 3, 60, 127}));
  EXPECT_EQ(eraseSizes(text(65)).text, key.text);
  EXPECT_EQ(eraseSizes(text(5000)).text, key.text);
}

TEST(SizeKey, EqualExtentsAreOneSize) {
  EXPECT_EQ(eraseSizes("input f64[4, 4]\n").text, "input f64[#0, #0]\n");
  EXPECT_EQ(eraseSizes("input f64[4, 5]\n").text, "input f64[#0, #1]\n");
  EXPECT_EQ(eraseSizes("input f64[4, 5]\n").text, eraseSizes("input f64[9, 7]\n").text);
}

TEST(SizeKey, NamesFlagsAndParametersStay) {
  const char *text = "function 0\n"
                     "custom 'f64[64]' rule version 64\n"
                     "inputs 64 captures 3 linear [101] parameters [64, 3]\n";
  EXPECT_EQ(eraseSizes(text).text, text);
  EXPECT_TRUE(eraseSizes(text).sizes.empty());
  SizeKey types =
      eraseSizes("operands f64[64] f32[7]\nresults f64[7]\ncall 3 (1, 64) : f64[64] : i64[2]\nactive [1]\n");
  EXPECT_EQ(types.text, "operands f64[#0] f32[#1]\nresults f64[#1]\ncall 3 (1, 64) : f64[#0] : i64[#2]\nactive [1]\n");
}

TEST(SizeKey, TextsThatAreNoKeysDoNoHarm) {
  EXPECT_EQ(eraseSizes("").text, "");
  EXPECT_EQ(eraseSizes("x[").text, "x[");
  EXPECT_EQ(eraseSizes("x[99999999999999999999").text, "x[99999999999999999999");
  EXPECT_EQ(eraseSizes("=\n[]\nf64[, 5").text, "=\n[]\nf64[, #0");
}

TEST(SizeKey, StartsOfPartsAreSumsOfTheirExtents) {
  auto f64 = [](Shape shape) { return ValueType{DType::F64, std::move(shape)}; };
  Graph inner;
  inner.inputs = {f64({7})};
  inner.ops = {{OpKind::Concatenate, {0}, {0, 0, 0, 0, 0}, {f64({35})}, {}, {}}};
  inner.outputs = {1};
  Graph graph;
  graph.inputs = {f64({2, 7}), f64({2, 1}), f64({2, 5})};
  graph.ops = {{OpKind::Concatenate, {1}, {2, 1, 0, 2}, {f64({2, 18})}, {}, {}}, {}};
  graph.ops[1].results = {f64({35})};
  graph.ops[1].callee = std::make_shared<DerivedFunction>(DerivedFunction{inner, {}, {true}});
  graph.ops[1].operands = {0};
  const std::vector<int64_t> sizes = {2, 7, 5, 18, 35};
  EXPECT_EQ(startsOfParts(graph, sizes), (std::vector<SizeSum>{{0, {0, 0, 0, 0, 0}},
                                                               {0, {0, 0, 1, 0, 0}},
                                                               {1, {0, 0, 1, 0, 0}},
                                                               {1, {0, 1, 1, 0, 0}},
                                                               {0, {0, 1, 0, 0, 0}},
                                                               {0, {0, 2, 0, 0, 0}},
                                                               {0, {0, 3, 0, 0, 0}},
                                                               {0, {0, 4, 0, 0, 0}}}));
}

} // namespace
} // namespace tenferro::core
