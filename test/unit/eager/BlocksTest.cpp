// Composites that run in blocks against the same ones operation by operation: equal traces, the same values kept, equal
// bits. Links the inside of the library to choose the way and to look into records.
#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/ThreadState.h"
#include "lib/Eager/Trace/Record.h"
#include "tenferro/tenferro.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <set>

namespace tenferro::test {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Composites of at least so many bytes run in blocks while this lives.
class BlocksFrom {
public:
  explicit BlocksFrom(int64_t bytes) : before_(std::exchange(eager::threadState.blocksFrom, bytes)) {}
  ~BlocksFrom() { eager::threadState.blocksFrom = before_; }

private:
  int64_t before_;
};

using Composite = std::function<EagerTensor(EagerSession &, const EagerTensor &x, int64_t axis)>;

struct NamedComposite {
  const char *name;
  Composite run;
};

EagerTensor alongAxis(EagerSession &s, const EagerTensor &x, int64_t axis) {
  std::vector<double> values;
  for (int64_t i = 0; i < x.shape()[static_cast<size_t>(axis)]; ++i)
    values.push_back(0.5 + static_cast<double>(i % 7));
  const Shape shape{x.shape()[static_cast<size_t>(axis)]};
  if (x.dtype() == DType::F64)
    return s.runtime().constant(Tensor::from(shape, values));
  return s.runtime().constant(Tensor::from(shape, std::vector<float>(values.begin(), values.end())));
}

/// Of the shape of x without the axis: 0, 1, 2, 0, ...
EagerTensor classes(EagerSession &s, const EagerTensor &x, int64_t axis) {
  Shape shape;
  for (int64_t d = 0; d < x.rank(); ++d)
    if (d != axis)
      shape.push_back(x.shape()[static_cast<size_t>(d)]);
  std::vector<int64_t> values(static_cast<size_t>(shape.elementCount()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int64_t>(i) % std::min<int64_t>(3, x.shape()[static_cast<size_t>(axis)]);
  return s.runtime().constant(Tensor::from(shape, values));
}

const NamedComposite kComposites[] = {
    {"softmax", [](auto &s, auto &x, int64_t axis) { return s.softmax(x, axis); }},
    {"logSoftmax", [](auto &s, auto &x, int64_t axis) { return s.logSoftmax(x, axis); }},
    {"logsumexp", [](auto &s, auto &x, int64_t axis) { return s.logsumexp(x, {axis}); }},
    {"logsumexp kept", [](auto &s, auto &x, int64_t axis) { return s.logsumexp(x, {axis}, true); }},
    {"logsumexp of all", [](auto &s, auto &x, int64_t) { return s.logsumexp(x); }},
    {"layerNorm", [](auto &s, auto &x, int64_t axis) { return s.layerNorm(x, axis); }},
    {"layerNorm with weight",
     [](auto &s, auto &x, int64_t axis) { return s.layerNorm(x, axis, alongAxis(s, x, axis), alongAxis(s, x, axis)); }},
    {"rmsNorm", [](auto &s, auto &x, int64_t axis) { return s.rmsNorm(x, axis, alongAxis(s, x, axis)); }},
    {"gelu", [](auto &s, auto &x, int64_t) { return s.gelu(x); }},
    {"geluTanh", [](auto &s, auto &x, int64_t) { return s.geluTanh(x); }},
    {"relu", [](auto &s, auto &x, int64_t) { return s.relu(x); }},
    {"logSigmoid", [](auto &s, auto &x, int64_t) { return s.logSigmoid(x); }},
    {"var", [](auto &s, auto &x, int64_t axis) { return s.var(x, {axis}, 1); }},
    {"var of all", [](auto &s, auto &x, int64_t) { return s.var(x); }},
    {"stddev", [](auto &s, auto &x, int64_t axis) { return s.stddev(x, {axis}, 1, true); }},
    {"norm", [](auto &s, auto &x, int64_t axis) { return s.norm(x, 2, {axis}); }},
    {"norm of all", [](auto &s, auto &x, int64_t) { return s.norm(x); }},
    {"norm 0", [](auto &s, auto &x, int64_t axis) { return s.norm(x, 0, {axis}); }},
    {"norm 1", [](auto &s, auto &x, int64_t axis) { return s.norm(x, 1, {axis}); }},
    {"norm inf", [](auto &s, auto &x, int64_t axis) { return s.norm(x, kInfinity, {axis}, true); }},
    {"norm 3", [](auto &s, auto &x, int64_t axis) { return s.norm(x, 3, {axis}); }},
    {"norm 1 of all", [](auto &s, auto &x, int64_t) { return s.norm(x, 1); }},
    {"norm 3 of all", [](auto &s, auto &x, int64_t) { return s.norm(x, 3, {}, true); }},
    {"stddev of all", [](auto &s, auto &x, int64_t) { return s.stddev(x, {}, 1); }},
    {"sumSquares of all", [](auto &s, auto &x, int64_t) { return s.sumSquares(x); }},
    {"huber of all", [](auto &s, auto &x, int64_t axis) { return s.huber(x, s.reverse(x, {axis})); }},
    {"huber of all with itself", [](auto &s, auto &x, int64_t) { return s.huber(x, s.tanh(x)); }},
    {"sumSquares", [](auto &s, auto &x, int64_t axis) { return s.sumSquares(x, {axis}); }},
    {"meanSquaredError", [](auto &s, auto &x, int64_t axis) { return s.meanSquaredError(x, s.reverse(x, {axis})); }},
    {"huber",
     [](auto &s, auto &x, int64_t axis) { return s.huber(x, s.reverse(x, {axis}), 0.5, LossReduction::None); }},
    {"crossEntropy",
     [](auto &s, auto &x, int64_t axis) {
       return s.crossEntropy(x, classes(s, x, axis), {.axis = axis, .labelSmoothing = 0.1});
     }},
    {"crossEntropy with a distribution",
     [](auto &s, auto &x, int64_t axis) { return s.crossEntropy(x, x, {.axis = axis}); }},
    {"crossEntropy of each",
     [](auto &s, auto &x, int64_t axis) {
       return s.crossEntropy(x, classes(s, x, axis), {.axis = axis, .reduction = LossReduction::None});
     }},
};

/// Numbers of all sizes; with `edges` also zeros, infinities, NaN, and slices along `axis` of only -inf.
Tensor numbers(const Shape &shape, DType dtype, int64_t axis, bool edges) {
  std::mt19937_64 random(static_cast<uint64_t>(shape.elementCount() + axis));
  std::normal_distribution<double> normal(0, 3);
  std::vector<double> values(static_cast<size_t>(shape.elementCount()));
  int64_t inside = 1;
  for (int64_t d = 0; d < axis; ++d)
    inside *= shape[static_cast<size_t>(d)];
  const int64_t extent = shape[static_cast<size_t>(axis)];
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = normal(random);
    if (!edges)
      continue;
    const int64_t position = static_cast<int64_t>(i);
    const int64_t slice = position / (inside * extent) * inside + position % inside;
    const double special[] = {0.0, -0.0, kInfinity, -kInfinity, std::nan(""), 1e300, -1e300};
    if (slice % 11 == 5)
      values[i] = -kInfinity;
    else if (random() % 301 == 0)
      values[i] = special[random() % std::size(special)];
  }
  if (dtype == DType::F64)
    return Tensor::from(shape, values);
  return Tensor::from(shape, std::vector<float>(values.begin(), values.end()));
}

template <typename T> void expectSameBits(const Tensor &a, const Tensor &b) {
  const std::vector<T> left = a.toVector<T>(), right = b.toVector<T>();
  ASSERT_EQ(left.size(), right.size());
  for (size_t i = 0; i < left.size(); ++i) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(left[i]) && std::isnan(right[i]))
        continue;
    ASSERT_EQ(std::memcmp(&left[i], &right[i], sizeof(T)), 0) << "element " << i << ": " << left[i] << ", " << right[i];
  }
}

void expectSame(const Tensor &a, const Tensor &b) {
  ASSERT_EQ(a.empty(), b.empty());
  if (a.empty())
    return;
  ASSERT_EQ(a.dtype(), b.dtype());
  ASSERT_EQ(a.shape(), b.shape());
  switch (a.dtype()) {
  case DType::F64:
    return expectSameBits<double>(a, b);
  case DType::F32:
    return expectSameBits<float>(a, b);
  case DType::I64:
    return expectSameBits<int64_t>(a, b);
  default:
    ASSERT_EQ(a.dtype(), DType::Bool);
    ASSERT_EQ(a.toVector<bool>(), b.toVector<bool>());
  }
}

/// The records that two results come from: equal operations, the same values there.
void expectSameTrace(const eager::Record &a, const eager::Record &b, std::set<const eager::Record *> &seen) {
  if (!seen.insert(&a).second)
    return;
  ASSERT_EQ(a.kind, b.kind);
  ASSERT_EQ(a.tracks, b.tracks);
  ASSERT_EQ(a.kept.load(), b.kept.load());
  ASSERT_NO_FATAL_FAILURE(expectSame(a.value, b.value));
  if (a.kind != eager::RecordKind::Node)
    return;
  const auto &left = static_cast<const eager::Node &>(a), &right = static_cast<const eager::Node &>(b);
  ASSERT_EQ(left.op, right.op);
  ASSERT_EQ(left.digest, right.digest);
  ASSERT_EQ(left.operands().size(), right.operands().size());
  SCOPED_TRACE(core::schema(left.op).mnemonic);
  for (size_t i = 0; i < left.operands().size(); ++i)
    ASSERT_NO_FATAL_FAILURE(expectSameTrace(*left.operands()[i], *right.operands()[i], seen));
}

/// Both ways of one composite of x.
void expectSameBothWays(const NamedComposite &composite, const Tensor &values, int64_t axis, bool tracked,
                        int threads) {
  SCOPED_TRACE(std::string(composite.name) + " of " + std::string(name(values.dtype())) + values.shape().str() +
               " along " + std::to_string(axis) + (tracked ? " tracked, " : ", ") + std::to_string(threads) +
               " threads");
  auto runtime = EagerRuntime::create();
  CpuEngine engine({.threads = threads});
  EagerTensor x = tracked ? runtime->variable(values) : runtime->constant(values);
  EagerTensor inBlocks, oneByOne;
  runtime->session(engine, [&](EagerSession &s) {
    {
      BlocksFrom from(1);
      inBlocks = composite.run(s, x, axis);
    }
    BlocksFrom never(std::numeric_limits<int64_t>::max());
    oneByOne = composite.run(s, x, axis);
  });
  std::set<const eager::Record *> seen;
  expectSameTrace(*detail::EagerAccess::record(inBlocks), *detail::EagerAccess::record(oneByOne), seen);
}

} // namespace

TEST(BlocksTest, EveryCompositeIsAsOperationByOperation) {
  const Shape shapes[] = {{40001}, {1000, 37}, {37, 1001}, {5, 131, 61}, {20011, 3}, {3, 20011}, {1, 30000}, {7, 5}};
  for (const NamedComposite &composite : kComposites)
    for (const Shape &shape : shapes)
      for (int64_t axis = 0; axis < shape.rank(); ++axis) {
        const bool tracked = (axis + shape[0]) % 2;
        expectSameBothWays(composite, numbers(shape, DType::F64, axis, true), axis, tracked, 1);
        expectSameBothWays(composite, numbers(shape, DType::F64, axis, false), axis, !tracked, 1);
        if (HasFatalFailure())
          return;
      }
}

TEST(BlocksTest, InSinglePrecisionAndOnTwoThreads) {
  for (const NamedComposite &composite : kComposites)
    for (const Shape &shape : {Shape{777, 1023}, Shape{60, 70, 80}})
      for (bool tracked : {false, true}) {
        expectSameBothWays(composite, numbers(shape, DType::F32, 0, tracked), 0, tracked, 2);
        if (HasFatalFailure())
          return;
      }
}

TEST(BlocksTest, OfViews) {
  const Tensor values = numbers({300, 211}, DType::F64, 0, true);
  for (const NamedComposite &composite : kComposites)
    for (int64_t axis : {0, 1}) {
      expectSameBothWays(composite, values.transposed({1, 0}), axis, true, 1);
      expectSameBothWays(composite, values.sliced({1, 3}, {299, 209}, {2, 1}), axis, true, 1);
      if (HasFatalFailure())
        return;
    }
}

TEST(BlocksTest, ValuesNobodyReadsGetNoMemory) {
  constexpr int64_t kRows = 1000, kColumns = 1000;
  constexpr size_t kBytes = sizeof(double) * kRows * kColumns;
  auto runtime = EagerRuntime::create();
  CpuEngine engine({.threads = 1});
  EagerTensor x = runtime->constant(numbers({kColumns, kRows}, DType::F64, 0, false));
  // The losses, where the target lies in another order than x: their sum, in the order of the shape, comes behind them.
  // Or the target, where it is made here.
  const std::set<std::string_view> kOneMore = {"meanSquaredError", "huber of all", "huber of all with itself"};
  runtime->session(engine, [&](EagerSession &s) {
    for (const NamedComposite &composite : kComposites) {
      resetPeakMemory();
      const size_t before = memoryStats().peakBytes;
      EagerTensor result = composite.run(s, x, 0);
      const size_t expected =
          (result.shape() == x.shape() ? kBytes : 0) + (kOneMore.count(composite.name) ? kBytes : 0);
      EXPECT_LT(memoryStats().peakBytes - before, expected + kBytes / 10) << composite.name;
    }
  });
}

TEST(BlocksTest, NothingIsLeftWhereMemoryRunsOut) {
  auto runtime = EagerRuntime::create();
  CpuEngine engine({.threads = 1});
  EagerTensor x = runtime->variable(numbers({1024, 512}, DType::F64, 0, false));
  runtime->session(engine, [&](EagerSession &s) {
    const uint64_t records = runtime->recordCount();
    trimMemory();
    setMemoryCap(memoryStats().liveBytes + (1 << 20)); // the result takes four
    try {
      s.softmax(x, 0);
      ADD_FAILURE() << "no exception";
    } catch (const RuntimeError &error) {
      EXPECT_EQ(error.kind(), ErrorKind::OutOfMemory);
      EXPECT_EQ(error.op(), "softmax");
      EXPECT_TRUE(error.failure().file.ends_with("BlocksTest.cpp"));
    }
    setMemoryCap(memoryStats().liveBytes); // none for its numbers either
    try {
      s.gelu(x);
      ADD_FAILURE() << "no exception";
    } catch (const RuntimeError &error) {
      EXPECT_EQ(error.kind(), ErrorKind::OutOfMemory);
      EXPECT_EQ(error.op(), "gelu");
      EXPECT_TRUE(error.failure().file.ends_with("BlocksTest.cpp"));
    }
    setMemoryCap(kNoMemoryCap);
    EXPECT_EQ(runtime->recordCount(), records);
    EXPECT_NEAR(s.sum(s.softmax(x, 0)).item<double>(), 512, 1e-9); // of each slice 1
  });
}

} // namespace tenferro::test
