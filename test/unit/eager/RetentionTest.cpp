// Which values a recording keeps: links the inside of the library to read the allocator's counters.
#include "lib/Eager/Trace/ResidualMasks.h"
#include "runtime/memory/Buffer.h"
#include "tenferro/tenferro.h"

#include <gtest/gtest.h>

namespace tenferro::test {

constexpr int64_t kElements = 1 << 12;
constexpr size_t kBytes = kElements * sizeof(double);

/// Whole tensors alive.
static size_t liveTensors() { return runtime::memoryStats().liveBytes / kBytes; }

TEST(RetentionTest, MasksNameWhatDerivativesRead) {
  using core::OpKind;
  EXPECT_EQ(eager::residualMask(OpKind::Mul, 1).operands, 2u); // of x*c by x: c
  EXPECT_FALSE(eager::residualMask(OpKind::Mul, 1).result);
  EXPECT_EQ(eager::residualMask(OpKind::Mul, 3).operands, 3u);
  EXPECT_EQ(eager::residualMask(OpKind::Add, 3).operands, 0u);
  EXPECT_TRUE(eager::residualMask(OpKind::Exp, 1).result); // exp is its own derivative
}

TEST(RetentionTest, ValuesNobodyReadsGoWithTheirHandles) {
  auto runtime = EagerRuntime::create();
  CpuEngine engine;
  const size_t before = liveTensors();
  EagerTensor x = runtime->variable(Tensor::full<double>({kElements}, 0.5));
  EXPECT_EQ(liveTensors(), before + 1);
  runtime->session(engine, [&](EagerSession &s) {
    EagerTensor y = s.add(x, x);
    EagerTensor z = s.add(y, x);
    EXPECT_EQ(liveTensors(), before + 3);
    y = EagerTensor();
    EXPECT_EQ(liveTensors(), before + 2); // the record of y lives on in z, its value does not
    EXPECT_EQ(runtime->recordCount(), 3u);
    // exp keeps its result; z was not asked for.
    EagerTensor e = s.exp(z);
    z = EagerTensor();
    EagerTensor loss = s.sum(e);
    e = EagerTensor();
    EXPECT_EQ(liveTensors(), before + 2); // x and exp(z)
    EXPECT_EQ(runtime->recordCount(), 5u);
  });
  EXPECT_EQ(liveTensors(), before + 1);
  x = EagerTensor();
  EXPECT_EQ(liveTensors(), before);
}

TEST(RetentionTest, ViewsCostNoElements) {
  auto runtime = EagerRuntime::create();
  CpuEngine engine;
  EagerTensor x = runtime->variable(Tensor::full<double>({64, kElements / 64}, 2.0));
  const size_t before = liveTensors();
  runtime->session(engine, [&](EagerSession &s) {
    EagerTensor t = s.transpose(x);
    EagerTensor part = s.slice(t, {0, 0}, {kElements / 64, 64}, {1, 2});
    EagerTensor flat = s.reshape(x, {kElements});
    EagerTensor wide = s.broadcastTo(flat, {1000, kElements});
    EXPECT_EQ(liveTensors(), before);
  });
}

} // namespace tenferro::test
