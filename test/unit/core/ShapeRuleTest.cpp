// The result type of every operation, and the kind and text of every broken rule.
#include "lib/Core/ShapeRules.h"

#include <gtest/gtest.h>

#include <limits>

namespace tenferro::core {
namespace {

using enum DType;

ValueType f64(std::initializer_list<int64_t> shape) { return {F64, Shape(shape)}; }
ValueType i64(std::initializer_list<int64_t> shape) { return {I64, Shape(shape)}; }
ValueType boolean(std::initializer_list<int64_t> shape) { return {Bool, Shape(shape)}; }

struct Case {
  const char *name;
  OpKind kind;
  std::vector<ValueType> operands;
  Attributes attributes;
};

struct Good : Case {
  ValueType result;
};

struct Bad : Case {
  ErrorKind error;
  const char *message;
};

constexpr int64_t kF32 = static_cast<int64_t>(F32), kF64 = static_cast<int64_t>(F64), kI32 = static_cast<int64_t>(I32),
                  kBool = static_cast<int64_t>(Bool), kF16 = static_cast<int64_t>(F16);
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(ShapeRules, InferResults) {
  const Good cases[] = {
      {{"add", OpKind::Add, {f64({2, 3}), f64({2, 3})}, {}}, f64({2, 3})},
      {{"add is logical or", OpKind::Add, {boolean({2}), boolean({2})}, {}}, boolean({2})},
      {{"add of nothing", OpKind::Add, {f64({0, 3}), f64({0, 3})}, {}}, f64({0, 3})},
      {{"div of integers", OpKind::Div, {i64({2}), i64({2})}, {}}, i64({2})},
      {{"exp", OpKind::Exp, {f64({})}, {}}, f64({})},
      {{"compare", OpKind::Compare, {boolean({2}), boolean({2})}, {5}}, boolean({2})},
      {{"select", OpKind::Select, {boolean({2}), i64({2}), i64({2})}, {}}, i64({2})},
      {{"cast", OpKind::Cast, {f64({2})}, {kI32}}, {I32, Shape({2})}},
      {{"convert", OpKind::Convert, {{F32, Shape({2})}}, {kF64}}, f64({2})},
      {{"iota", OpKind::Iota, {}, {1, 2, 2, 3, kF64}}, f64({2, 3})},
      {{"sum", OpKind::Sum, {f64({2, 3, 4})}, {2, 0, 2}}, f64({3})},
      {{"sum of nothing", OpKind::Sum, {f64({0})}, {1, 0}}, f64({})},
      {{"prod of nothing", OpKind::Prod, {i64({0, 2})}, {1, 0}}, i64({2})},
      {{"any of nothing", OpKind::Any, {boolean({0})}, {1, 0}}, boolean({})},
      {{"argmax", OpKind::Argmax, {{U8, Shape({2, 3})}}, {1}}, i64({2})},
      {{"argmin beside nothing", OpKind::Argmin, {f64({0, 3})}, {1}}, i64({0})},
      {{"cumsum", OpKind::Cumsum, {f64({2, 3})}, {1, 1}}, f64({2, 3})},
      {{"max beside nothing", OpKind::Max, {f64({0, 3})}, {1, 1}}, f64({0})},
      {{"reshape", OpKind::Reshape, {f64({2, 3})}, {1, 6}}, f64({6})},
      {{"reshape of nothing", OpKind::Reshape, {f64({0, 3})}, {2, 7, 0}}, f64({7, 0})},
      {{"transpose", OpKind::Transpose, {f64({2, 3, 4})}, {3, 2, 0, 1}}, f64({4, 2, 3})},
      {{"broadcast", OpKind::BroadcastInDim, {f64({1, 3})}, {2, 2, 0, 3, 3, 5, 4}}, f64({3, 5, 4})},
      {{"slice", OpKind::Slice, {f64({7})}, {1, 1, 1, 7, 1, 3}}, f64({2})},
      {{"slice to nothing", OpKind::Slice, {f64({3})}, {1, 3, 1, 3, 1, 1}}, f64({0})},
      {{"pad", OpKind::Pad, {f64({3})}, {1, 1, 1, 2, 1, 1}}, f64({8})},
      {{"pad of nothing", OpKind::Pad, {f64({0})}, {1, 1, 1, 2, 1, 5}}, f64({3})},
      {{"concatenate", OpKind::Concatenate, {f64({2, 3}), f64({1, 3}), f64({0, 3})}, {0}}, f64({3, 3})},
      {{"reverse", OpKind::Reverse, {boolean({2, 0})}, {2, 0, 1}}, boolean({2, 0})},
      {{"extract_diag", OpKind::ExtractDiag, {f64({5, 2, 3})}, {2, 0}}, f64({2, 3})},
      {{"embed_diag", OpKind::EmbedDiag, {f64({2, 3})}, {2, 0}}, f64({3, 2, 3})},
      {{"gather", OpKind::Gather, {f64({5, 4}), i64({3, 2})}, {1, 0, 1, 1, 2, 0, 1, 1, 2, 2, 1, 0}}, f64({2, 3})},
      {{"gather of scalars", OpKind::Gather, {f64({}), i64({0, 6})}, {0, 0, 0, 0, 0, 2}}, f64({6})},
      {{"scatter", OpKind::Scatter, {f64({5, 4}), i64({3, 2}), f64({2, 3})}, {0, 1, 0, 1, 1, 2, 0, 1, 1, 1}}, f64({5, 4})},
      {{"scatter_prefix", OpKind::ScatterPrefix, {f64({5, 4}), i64({3, 2}), f64({2, 3}), f64({2, 3})}, {1, 1, 0, 1, 1, 2, 0, 1, 1, 2}}, f64({2, 3})},
      {{"take", OpKind::Take, {f64({5, 3}), i64({2, 4})}, {0}}, f64({2, 4, 3})},
      {{"take one", OpKind::Take, {f64({5, 3}), {U8, Shape({})}}, {1}}, f64({5})},
      {{"scatter_add", OpKind::ScatterAdd, {i64({2, 4}), f64({2, 4, 3})}, {0, 5}}, f64({5, 3})},
      {{"one_hot", OpKind::OneHot, {i64({4})}, {10, 0, kF32}}, {F32, Shape({10, 4})}},
      {{"dot_general", OpKind::DotGeneral, {f64({5, 2, 3}), f64({3, 5, 4})}, {1, 2, 1, 0, 1, 0, 1, 1}}, f64({2, 4, 5})},
      {{"outer product", OpKind::DotGeneral, {f64({2}), f64({3})}, {0, 0, 0, 0}}, f64({2, 3})},
  };
  for (const Good &test : cases) {
    Expected<ValueType> result = inferResult(test.kind, test.operands, test.attributes);
    ASSERT_TRUE(result) << test.name << ": " << result.failure().message;
    EXPECT_EQ(*result, test.result) << test.name << ": " << result->shape.str();
  }
}

TEST(ShapeRules, NameWhatIsBroken) {
  const Bad cases[] = {
      {{"shapes", OpKind::Add, {f64({2}), f64({3})}, {}},
       ErrorKind::ShapeMismatch,
       "expects equal shapes, but got [2] and [3]"},
      {{"dtypes", OpKind::Add, {f64({2}), i64({2})}, {}},
       ErrorKind::DTypeMismatch,
       "expects equal dtypes, but got f64 and i64"},
      {{"bool sub", OpKind::Sub, {boolean({2}), boolean({2})}, {}},
       ErrorKind::DTypeMismatch,
       "expects numbers, but got bool"},
      {{"bool div", OpKind::Div, {boolean({2}), boolean({2})}, {}},
       ErrorKind::DTypeMismatch,
       "expects numbers, but got bool"},
      {{"complex maximum", OpKind::Maximum, {{Complex128, Shape({2})}, {Complex128, Shape({2})}}, {}},
       ErrorKind::DTypeMismatch,
       "expects ordered numbers, but got complex128"},
      {{"complex order", OpKind::Compare, {{Complex128, Shape({2})}, {Complex128, Shape({2})}}, {2}},
       ErrorKind::DTypeMismatch,
       "expects ordered values, but got complex128"},
      {{"integer exp", OpKind::Exp, {i64({2})}, {}}, ErrorKind::DTypeMismatch, "expects a float, but got i64"},
      {{"direction", OpKind::Compare, {f64({2}), f64({2})}, {6}},
       ErrorKind::InvalidArgument,
       "expects a direction eq, ne, lt, le, gt or ge, but got case 6"},
      {{"predicate", OpKind::Select, {f64({2}), f64({2}), f64({2})}, {}},
       ErrorKind::DTypeMismatch,
       "expects a predicate of bool, but got f64"},
      {{"lossy", OpKind::Convert, {i64({2})}, {kI32}},
       ErrorKind::LossyConversion,
       "expects a result that holds every value of i64, but got i32"},
      {{"unsupported result", OpKind::Cast, {f64({2})}, {kF16}},
       ErrorKind::Unsupported,
       "expects a supported dtype (bool, u8, i32, i64, f32, f64), but got f16"},
      {{"unsupported operand", OpKind::Neg, {{I16, Shape({2})}}, {}},
       ErrorKind::Unsupported,
       "expects a supported dtype (bool, u8, i32, i64, f32, f64), but got i16"},
      {{"iota axis", OpKind::Iota, {}, {1, 1, 2, kF64}},
       ErrorKind::AxisOutOfRange,
       "expects axes in [0, 1), but got 1"},
      {{"iota bool", OpKind::Iota, {}, {0, 1, 2, kBool}}, ErrorKind::DTypeMismatch, "expects a number, but got bool"},
      {{"iota negative", OpKind::Iota, {}, {0, 1, -2, kF64}},
       ErrorKind::InvalidArgument,
       "expects non-negative extents of less than 2^62 bytes, but got [-2]"},
      {{"sum axis", OpKind::Sum, {f64({2, 3})}, {1, 2}},
       ErrorKind::AxisOutOfRange,
       "expects axes in [0, 2), but got 2"},
      {{"sum twice", OpKind::Sum, {f64({2, 3})}, {2, 0, 0}},
       ErrorKind::DuplicateAxis,
       "expects distinct axes, but got [0, 0]"},
      {{"max of nothing", OpKind::Max, {f64({0, 3})}, {1, 0}},
       ErrorKind::EmptyReduction,
       "expects at least one element along the reduced axes, but got [0, 3] reduced along [0]"},
      {{"reshape", OpKind::Reshape, {f64({2, 3})}, {1, 4}},
       ErrorKind::ElementCount,
       "expects a shape of as many elements, but got [2, 3] to [4]"},
      {{"reshape negative", OpKind::Reshape, {f64({2, 3})}, {2, 2, -3}},
       ErrorKind::InvalidArgument,
       "expects non-negative extents of less than 2^62 bytes, but got [2, -3]"},
      {{"permutation", OpKind::Transpose, {f64({2, 3})}, {2, 0, 0}},
       ErrorKind::InvalidPermutation,
       "expects a permutation of [0, 2), but got [0, 0]"},
      {{"permutation axis", OpKind::Transpose, {f64({2, 3})}, {2, 0, 2}},
       ErrorKind::AxisOutOfRange,
       "expects axes in [0, 2), but got 2"},
      {{"broadcast", OpKind::BroadcastInDim, {f64({3})}, {1, 0, 2, 2, 3}},
       ErrorKind::ShapeMismatch,
       "expects extents of 1 or of the result's axes [0], but got [3] and [2, 3]"},
      {{"broadcast rank", OpKind::BroadcastInDim, {f64({3})}, {0, 2, 3, 3}},
       ErrorKind::RankMismatch,
       "expects one result axis per axis of [3], but got []"},
      {{"broadcast overflow", OpKind::BroadcastInDim, {f64({})}, {0, 2, int64_t{1} << 40, int64_t{1} << 40}},
       ErrorKind::InvalidArgument,
       "expects non-negative extents of less than 2^62 bytes, but got [1099511627776, 1099511627776]"},
      {{"slice step", OpKind::Slice, {f64({3})}, {1, 0, 1, 3, 1, 0}},
       ErrorKind::SliceStep,
       "expects strides of at least 1, but got [0]"},
      {{"prod of bool", OpKind::Prod, {boolean({2})}, {1, 0}},
       ErrorKind::DTypeMismatch,
       "expects numbers, but got bool"},
      {{"truth of numbers", OpKind::All, {i64({2})}, {1, 0}}, ErrorKind::DTypeMismatch, "expects bool, but got i64"},
      {{"where in nothing", OpKind::Argmin, {f64({3, 0})}, {1}},
       ErrorKind::EmptyReduction,
       "expects at least one element along the reduced axes, but got [3, 0] reduced along [1]"},
      {{"where in bool", OpKind::Argmax, {boolean({3})}, {0}},
       ErrorKind::DTypeMismatch,
       "expects ordered numbers, but got bool"},
      {{"running axis", OpKind::Cumsum, {f64({2, 3})}, {2, 0}},
       ErrorKind::AxisOutOfRange,
       "expects axes in [0, 2), but got 2"},
      {{"running order", OpKind::Cumsum, {f64({2, 3})}, {0, 2}},
       ErrorKind::InvalidArgument,
       "expects an order forward or reverse, but got case 2"},
      {{"slice bounds", OpKind::Slice, {f64({3})}, {1, 2, 1, 1, 1, 1}},
       ErrorKind::SliceBounds,
       "expects 0 <= start <= limit <= extent, but got start 2, limit 1, extent 3 at axis 0"},
      {{"pad overflow", OpKind::Pad, {f64({3})}, {1, 0, 1, 0, 1, kMost}},
       ErrorKind::InvalidArgument,
       "expects a shape of less than 2^62 bytes, but got low [0], high [0], interior [9223372036854775807]"},
      {{"pad by steps that do not fit", OpKind::Pad, {f64({1})}, {1, 0, 1, 0, 1, kMost}},
       ErrorKind::InvalidArgument,
       "expects a shape of less than 2^62 bytes, but got low [0], high [0], interior [9223372036854775807]"},
      {{"indices", OpKind::Take, {f64({2}), boolean({2})}, {0}},
       ErrorKind::DTypeMismatch,
       "expects integer indices, but got bool"},
      {{"depth", OpKind::OneHot, {i64({2})}, {-1, 0, kF64}},
       ErrorKind::InvalidArgument,
       "expects a depth of at least 0, but got -1"},
      {{"contracting", OpKind::DotGeneral, {f64({2, 3}), f64({2, 3})}, {1, 1, 1, 0, 0, 0}},
       ErrorKind::ShapeMismatch,
       "expects equal extents along contracting axes 1 and 0, but got [2, 3] and [2, 3]"},
      {{"sides", OpKind::DotGeneral, {f64({2, 3}), f64({3, 2})}, {2, 1, 0, 1, 0, 0, 0}},
       ErrorKind::RankMismatch,
       "expects as many contracting axes on both sides, but got [1, 0] and [0]"},
      {{"twice", OpKind::DotGeneral, {f64({2, 3}), f64({3, 3})}, {2, 1, 1, 2, 0, 1, 0, 0}},
       ErrorKind::DuplicateAxis,
       "expects distinct axes, but got [1, 1]"},
      {{"bool product", OpKind::DotGeneral, {boolean({2}), boolean({2})}, {1, 0, 1, 0, 0, 0}},
       ErrorKind::DTypeMismatch,
       "expects numbers, but got bool"},
      {{"operand count", OpKind::Add, {f64({2})}, {}}, ErrorKind::InvalidArgument, "expects 2 operands, but got 1"},
      {{"layout", OpKind::Sum, {f64({2})}, {3, 0}},
       ErrorKind::InvalidArgument,
       "expects attributes laid out as its schema says, but got [3, 0]"},
      {{"unknown dtype", OpKind::Cast, {f64({2})}, {99}},
       ErrorKind::InvalidArgument,
       "expects a dtype, but got case 99"},
      {{"operand overflow", OpKind::Neg, {f64({kMost, kMost})}, {}},
       ErrorKind::InvalidArgument,
       "expects non-negative extents of less than 2^62 bytes, but got [9223372036854775807, 9223372036854775807]"},
  };
  for (const Bad &test : cases) {
    Expected<ValueType> result = inferResult(test.kind, test.operands, test.attributes);
    ASSERT_FALSE(result) << test.name << " gave " << result->shape.str();
    EXPECT_EQ(result.failure().kind, test.error) << test.name << ": " << name(result.failure().kind);
    EXPECT_EQ(result.failure().message, test.message) << test.name;
    EXPECT_EQ(result.failure().op, schema(test.kind).mnemonic) << test.name;
    EXPECT_EQ(result.failure().phase, Phase::GraphBuild);
  }
}

TEST(ShapeRules, CarryTheFactsAsFields) {
  std::vector<ValueType> operands = {f64({2}), f64({3})};
  Failure failure = inferResult(OpKind::Add, operands, {}).failure();
  ASSERT_EQ(failure.shapes.size(), 2u);
  EXPECT_EQ(failure.shapes[0], Shape({2}));
  EXPECT_EQ(failure.shapes[1], Shape({3}));
  operands = {i64({2})};
  failure = inferResult(OpKind::Convert, operands, {kF32}).failure();
  EXPECT_EQ(failure.dtypes, (std::vector<DType>{I64, F32}));
  operands = {f64({2, 3})};
  failure = inferResult(OpKind::Sum, operands, {1, 7}).failure();
  EXPECT_EQ(failure.axes, (std::vector<int64_t>{7}));
}

} // namespace
} // namespace tenferro::core
