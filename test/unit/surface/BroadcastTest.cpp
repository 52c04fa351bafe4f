// The sugar of the front end: broadcasting, promotion, scalars, negative axes, and the errors of each operation.
#include "test/unit/surface/Support.h"

#include <exception>
#include <thread>

namespace tenferro::test {
namespace {

TENFERRO_SURFACE_SUITE(Sugar);

TEST_P(Sugar, BroadcastsAsNumPyDoes) {
  EagerTensor rows = constant(matrix(2, 3, {1, 2, 3, 4, 5, 6})), line = constant(vec({10, 20, 30}));
  EXPECT_TRUE(near(rows + line, {2, 3}, {11, 22, 33, 14, 25, 36}));
  EXPECT_TRUE(near(line - rows, {2, 3}, {9, 18, 27, 6, 15, 24}));
  EagerTensor column = constant(Tensor::from({2, 1}, {100., 200.}));
  EXPECT_TRUE(near(column + line, {2, 3}, {110, 120, 130, 210, 220, 230}));
  EXPECT_TRUE(near(constant(Tensor::scalar(1.)) + rows, {2, 3}, {2, 3, 4, 5, 6, 7}));
  EXPECT_TRUE(near(constant(Tensor::zeros({0, 1}, DType::F64)) + line, {0, 3}, {}));
  EXPECT_TRUE(near(s.broadcastTo(line, {2, 1, 3}), {2, 1, 3}, {10, 20, 30, 10, 20, 30}));
  EXPECT_TRUE(near(s.broadcastInDim(constant(vec({1, 2})), {2, 3}, {-2}), {2, 3}, {1, 1, 1, 2, 2, 2}));
}

TEST_P(Sugar, ViewsNeedNoCopyAndNoRecord) {
  EagerTensor line = constant(vec({1, 2}));
  EXPECT_EQ(s.broadcastTo(line, {1000, 2}).value().strides()[0], 0);
  size_t before = rt->recordCount();
  EagerTensor sum = line + line;
  EXPECT_EQ(rt->recordCount(), before + 1);
}

TEST_P(Sugar, PromotesByTheLattice) {
  EagerTensor b = constant(Tensor::from({1}, std::vector<bool>{true})), u = constant(Tensor::from({1}, {uint8_t(2)}));
  EagerTensor i = constant(Tensor::from({1}, {int32_t(3)})), l = constant(Tensor::from({1}, {int64_t(4)}));
  EagerTensor f = constant(Tensor::from({1}, {0.5f})), d = constant(Tensor::from({1}, {0.25}));
  EXPECT_EQ((b + u).dtype(), DType::U8);
  EXPECT_EQ((u + i).dtype(), DType::I32);
  EXPECT_EQ((i + l).dtype(), DType::I64);
  EXPECT_EQ((l + f).dtype(), DType::F32);
  EXPECT_EQ((f + d).dtype(), DType::F64);
  EXPECT_EQ((i / f).item<float>(), 6);
  EXPECT_EQ((b + u).item<uint8_t>(), 3);
  EXPECT_EQ(where(b, l, d).item<double>(), 4);
  // A wide integer rounds where it meets a float: the lattice says so.
  EXPECT_EQ((constant(ints({(int64_t(1) << 53) + 1})) + d).item<double>(), 9007199254740992.0);
}

TEST_P(Sugar, ScalarsTakeTheTensorsDType) {
  EagerTensor f = variable(Tensor::from({2}, {1.f, 2.f}));
  EXPECT_EQ((f * 2).dtype(), DType::F32);
  EXPECT_EQ((f * 2.0).dtype(), DType::F32);
  EXPECT_EQ((1 - f).toVector<float>(), (std::vector<float>{0, -1}));
  EXPECT_EQ((f + true).toVector<float>(), (std::vector<float>{2, 3}));
  EagerTensor u = constant(Tensor::from({1}, {uint8_t(250)}));
  EXPECT_EQ((u + 10).item<uint8_t>(), 4); // wraps
  EXPECT_ERROR(u + 256, ErrorKind::InvalidArgument, "add");
  EXPECT_ERROR(u + -1, ErrorKind::InvalidArgument, "add");
  EXPECT_ERROR(u + 0.5, ErrorKind::DTypeMismatch, "add");
  EXPECT_ERROR(2.0 * constant(Tensor::from({1}, std::vector<bool>{true})), ErrorKind::DTypeMismatch, "mul");
  EXPECT_ERROR(constant(Tensor::from({1}, {int32_t(1)})) * (int64_t(1) << 31), ErrorKind::InvalidArgument, "mul");
  EXPECT_ERROR(constant(ints({1})) + std::numeric_limits<uint64_t>::max(), ErrorKind::DTypeMismatch, "add");
  EXPECT_EQ((constant(vec({0})) + std::numeric_limits<uint64_t>::max()).item<double>(), 18446744073709551616.0);
  EXPECT_EQ(s.add(2, 3).item<int64_t>(), 5);
  EXPECT_EQ(s.add(2, 0.5).item<double>(), 2.5);
}

TEST_P(Sugar, AxesCountFromTheBackToo) {
  EagerTensor x = constant(matrix(2, 3, {1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(near(sum(x, -1), {2}, {6, 15}));
  EXPECT_TRUE(near(sum(x, {-2}, true), {1, 3}, {5, 7, 9}));
  EXPECT_TRUE(near(sum(x, {1, 0}), {}, {21}));
  EXPECT_TRUE(near(sum(x, IntList{}), {2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(near(max(x, -2), {3}, {4, 5, 6}));
  EXPECT_TRUE(near(transpose(x, {-1, 0}), {3, 2}, {1, 4, 2, 5, 3, 6}));
  EXPECT_TRUE(near(transpose(x), {3, 2}, {1, 4, 2, 5, 3, 6}));
  EXPECT_TRUE(near(s.take(x, constant(ints({-1, 0})), -1), {2, 2}, {3, 1, 6, 4}));
  // Without an axis positions are flat, leftmost fastest: 1 4 2 5 3 6.
  EXPECT_TRUE(near(s.take(x, constant(ints({1, 4}))), {2}, {4, 3}));
  EXPECT_TRUE(near(s.oneHot(constant(ints({1, 0})), 2, 0), {2, 2}, {0, 1, 1, 0}));
}

TEST_P(Sugar, ReshapeFillsInOneExtent) {
  EagerTensor x = constant(Tensor::from({2, 3}, {1., 2., 3., 4., 5., 6.}));
  EXPECT_EQ(reshape(x, {3, -1}).shape(), (Shape{3, 2}));
  EXPECT_TRUE(near(reshape(x, {-1}), {6}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(reshape(constant(vec({})), {0, 5}).shape(), (Shape{0, 5}));
  EXPECT_ERROR(reshape(x, {4, -1}), ErrorKind::ElementCount, "reshape");
  EXPECT_ERROR(reshape(x, {-1, -1}), ErrorKind::InvalidArgument, "reshape");
  EXPECT_ERROR(reshape(x, {2, -3}), ErrorKind::InvalidArgument, "reshape");
  EXPECT_ERROR(reshape(x, {int64_t(1) << 40, int64_t(1) << 40, -1}), ErrorKind::InvalidArgument, "reshape");
  EXPECT_ERROR(reshape(constant(vec({})), {0, -1}), ErrorKind::ElementCount, "reshape");
}

TEST_P(Sugar, PadCropsWithNegativeAmounts) {
  EagerTensor x = constant(vec({1, 2, 3}));
  EXPECT_TRUE(near(s.pad(x, {1}, {2}, {0}), {6}, {0, 1, 2, 3, 0, 0}));
  EXPECT_TRUE(near(s.pad(x, {0}, {0}, {1}), {5}, {1, 0, 2, 0, 3}));
  EXPECT_TRUE(near(s.pad(x, {-1}, {1}, {1}), {5}, {0, 2, 0, 3, 0}));
  EXPECT_ERROR(s.pad(x, {-2}, {-2}, {0}), ErrorKind::InvalidArgument, "pad");
  EXPECT_ERROR(s.pad(x, {std::numeric_limits<int64_t>::min()}, {0}, {0}), ErrorKind::InvalidArgument, "pad");
  EXPECT_ERROR(s.pad(x, {0}, {0}, {-1}), ErrorKind::InvalidArgument, "pad");
}

TEST_P(Sugar, MatmulOfVectorsMatricesAndBatches) {
  EagerTensor a = constant(matrix(2, 3, {1, 2, 3, 4, 5, 6})), v = constant(vec({1, 10, 100})),
              w = constant(vec({1, -1}));
  EXPECT_TRUE(near(matmul(a, v), {2}, {321, 654}));
  EXPECT_TRUE(near(matmul(w, a), {3}, {-3, -3, -3}));
  EXPECT_TRUE(near(matmul(v, v), {}, {10101}));
  EXPECT_TRUE(near(matmul(a, transpose(a)), {2, 2}, {14, 32, 32, 77}));
  // [1, 2, B] x [2, 1, B]: batch axes trail.
  EagerTensor left = constant(Tensor::from({1, 2, 2}, {1., 2., 3., 4.})),
              right = constant(Tensor::from({2, 1, 2}, {5., 6., 7., 8.}));
  EXPECT_TRUE(near(matmul(left, right), {1, 1, 2}, {17, 53}));
  EXPECT_ERROR(matmul(a, a), ErrorKind::ShapeMismatch, "matmul");
  EXPECT_ERROR(matmul(v, w), ErrorKind::ShapeMismatch, "matmul");
  EXPECT_ERROR(matmul(a, left), ErrorKind::RankMismatch, "matmul");
  EXPECT_ERROR(matmul(a, constant(Tensor::scalar(1.))), ErrorKind::RankMismatch, "matmul");
  EXPECT_ERROR(matmul(left, constant(Tensor::zeros({2, 1, 3}, DType::F64))), ErrorKind::ShapeMismatch, "matmul");
}

TEST_P(Sugar, StepsThatAreNeverTakenMayBeHuge) {
  const int64_t huge = std::numeric_limits<int64_t>::max();
  EagerTensor x = variable(matrix(2, 3, {1, 2, 3, 4, 5, 6}));
  EagerTensor first = s.slice(x, {0, 1}, {2, 3}, {1, huge});
  EXPECT_TRUE(near(first.value(), {2, 1}, {2, 5}));
  EXPECT_TRUE(near(gradSum(first * first, x).value(), {2, 3}, {0, 4, 0, 0, 10, 0}));
  EXPECT_EQ(x.value().sliced({0, 1}, {2, 3}, {huge, huge}).toVector<double>(), (std::vector<double>{2}));
  EagerTensor padded = s.pad(first, {0, 0}, {0, 1}, {0, huge});
  EXPECT_TRUE(near(padded.value(), {2, 2}, {2, 0, 5, 0}));
  EXPECT_TRUE(near(gradSum(padded * padded, x).value(), {2, 3}, {0, 4, 0, 0, 10, 0}));
}

TEST_P(Sugar, ForeignTensorsAreRefusedWhereNothingChanges) {
  auto other = EagerRuntime::create();
  EagerTensor foreign = other->variable(vec({1, 2, 3}));
  EXPECT_ERROR(broadcastTo(foreign, {3}), ErrorKind::ContextMismatch, "broadcast_to");
  EXPECT_ERROR(logsumexp(foreign, IntList{}), ErrorKind::ContextMismatch, "logsumexp");
}

TEST_P(Sugar, ErrorsNameTheUsersOperation) {
  EagerTensor x = variable(matrix(2, 3, {1, 2, 3, 4, 5, 6})), n = constant(ints({1, 0, 2}));
  EXPECT_ERROR(x + constant(vec({1, 2})), ErrorKind::ShapeMismatch, "add");
  EXPECT_ERROR(mean(n), ErrorKind::DTypeMismatch, "mean");
  EXPECT_ERROR(mean(x, 2), ErrorKind::AxisOutOfRange, "mean");
  EXPECT_ERROR(mean(x, {0, -2}), ErrorKind::DuplicateAxis, "mean");
  EXPECT_ERROR(softmax(n, 0), ErrorKind::DTypeMismatch, "softmax");
  EXPECT_ERROR(softmax(x, 2), ErrorKind::AxisOutOfRange, "softmax");
  EXPECT_ERROR(logSoftmax(n, 0), ErrorKind::DTypeMismatch, "log_softmax");
  EXPECT_ERROR(logsumexp(x, -3), ErrorKind::AxisOutOfRange, "logsumexp");
  EXPECT_ERROR(relu(n), ErrorKind::DTypeMismatch, "relu");
  EXPECT_ERROR(gelu(n), ErrorKind::DTypeMismatch, "gelu");
  EXPECT_ERROR(max(constant(vec({}))), ErrorKind::EmptyReduction, "max");
  EXPECT_ERROR(exp(n), ErrorKind::DTypeMismatch, "exp");
  EXPECT_ERROR(s.convert(x, DType::F32), ErrorKind::LossyConversion, "convert");
  EXPECT_ERROR(where(x, x, x), ErrorKind::DTypeMismatch, "where");
  EXPECT_ERROR(transpose(x, {0}), ErrorKind::InvalidPermutation, "transpose");
  EXPECT_ERROR(transpose(x, {0, 0}), ErrorKind::InvalidPermutation, "transpose");
  EXPECT_ERROR(transpose(x, {0, 2}), ErrorKind::AxisOutOfRange, "transpose");
  EXPECT_ERROR(broadcastTo(x, {3, 3}), ErrorKind::ShapeMismatch, "broadcast_to");
  EXPECT_ERROR(s.broadcastInDim(x, {2, 3}, {0}), ErrorKind::RankMismatch, "broadcast_in_dim");
  EXPECT_ERROR(s.slice(x, {0, 0}, {2, 4}, {1, 1}), ErrorKind::SliceBounds, "slice");
  EXPECT_ERROR(s.slice(x, {0, 0}, {2, 3}, {1, 0}), ErrorKind::SliceStep, "slice");
  EXPECT_ERROR(s.take(x, n, 5), ErrorKind::AxisOutOfRange, "take");
  EXPECT_ERROR(s.take(x, n, 0), ErrorKind::IndexOutOfRange, "take");
  EXPECT_ERROR(s.oneHot(n, -1), ErrorKind::InvalidArgument, "one_hot");
  EXPECT_ERROR(s.iota({2}, 1, DType::F64), ErrorKind::AxisOutOfRange, "iota");
  EXPECT_ERROR(s.div(n, n), ErrorKind::DivisionByZero, "div");
  EXPECT_ERROR(s.pow(n, -1), ErrorKind::InvalidArgument, "pow");
  EXPECT_ERROR(meanSquaredError(x, constant(vec({1, 2}))), ErrorKind::ShapeMismatch, "mean_squared_error");
  EXPECT_ERROR(s.add(EagerTensor(), x), ErrorKind::InvalidArgument, "add");
  EXPECT_ERROR(s.sum(EagerTensor()), ErrorKind::InvalidArgument, "sum");
  EXPECT_ERROR(s.exp(EagerTensor()), ErrorKind::InvalidArgument, "exp");
  EXPECT_ERROR(s.softmax(EagerTensor(), 0), ErrorKind::InvalidArgument, "softmax");
  EXPECT_ERROR(s.transpose(EagerTensor()), ErrorKind::InvalidArgument, "transpose");
  EXPECT_ERROR(s.where(EagerTensor(), x, x), ErrorKind::InvalidArgument, "where");
  auto other = EagerRuntime::create();
  EagerTensor foreign = other->variable(vec({1, 2, 3}));
  EXPECT_ERROR(x + foreign, ErrorKind::ContextMismatch, "add");
  EXPECT_ERROR(foreign + 1.0, ErrorKind::ContextMismatch, "add");
}

TEST_P(Sugar, CrossEntropyChecksItsArguments) {
  EagerTensor x = variable(matrix(2, 3, {1, 2, 3, 4, 5, 6}));
  EXPECT_ERROR(crossEntropy(x, constant(ints({0, 3}))), ErrorKind::IndexOutOfRange, "cross_entropy");
  EXPECT_ERROR(crossEntropy(x, constant(ints({0, -1}))), ErrorKind::IndexOutOfRange, "cross_entropy");
  EXPECT_ERROR(crossEntropy(x, constant(ints({0, 1, 2}))), ErrorKind::ShapeMismatch, "cross_entropy");
  EXPECT_ERROR(crossEntropy(x, constant(vec({0, 1}))), ErrorKind::RankMismatch, "cross_entropy");
  EXPECT_ERROR(crossEntropy(x, constant(Tensor::from({2}, std::vector<bool>{true, false}))), ErrorKind::DTypeMismatch,
               "cross_entropy");
  EXPECT_ERROR(crossEntropy(x, constant(ints({0, 1})), {.axis = 2}), ErrorKind::AxisOutOfRange, "cross_entropy");
  EXPECT_ERROR(crossEntropy(x, constant(ints({0, 1})), {.labelSmoothing = 1.5}), ErrorKind::InvalidArgument,
               "cross_entropy");
  EXPECT_ERROR(crossEntropy(x, constant(ints({0, 1})), {.labelSmoothing = kNaN}), ErrorKind::InvalidArgument,
               "cross_entropy");
}

TEST_P(Sugar, NumbersOutOfRangeAreNamedAsTheyAre) {
  EagerTensor x = variable(matrix(2, 3, {1, 2, 3, 4, 5, 6}));
  auto messageOf = [](auto &&body) {
    try {
      body();
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), ErrorKind::InvalidArgument);
      return error.failure().message;
    }
    return std::string("no error");
  };
  EXPECT_EQ(messageOf([&] { s.layerNorm(x, 0, {}, {}, -1e-9); }), "expects an epsilon of at least 0, but got -1e-09");
  EXPECT_EQ(messageOf([&] { s.rmsNorm(x, 0, {}, -0.5); }), "expects an epsilon of at least 0, but got -0.5");
  EXPECT_EQ(messageOf([&] { s.rmsNorm(x, 0, {}, kNaN); }), "expects an epsilon of at least 0, but got nan");
  EXPECT_EQ(messageOf([&] { s.huber(x, x, -1e-9); }), "expects a positive finite delta, but got -1e-09");
  EXPECT_EQ(messageOf([&] { s.crossEntropy(x, x, {.labelSmoothing = 1.5}); }),
            "expects label smoothing in [0, 1], but got 1.5");
}

TEST_P(Sugar, OperatorsNeedASession) {
  EagerTensor x = variable(1.0);
  std::exception_ptr caught;
  std::thread([&] {
    try {
      (void)(x + x);
    } catch (...) {
      caught = std::current_exception();
    }
  }).join();
  ASSERT_TRUE(caught);
  try {
    std::rethrow_exception(caught);
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::RuntimeState);
  }
}

} // namespace
} // namespace tenferro::test
