// The public counters and the cap, around operations and derivatives.
#include "test/unit/surface/Support.h"

using namespace tenferro;
using namespace tenferro::test;

TENFERRO_SURFACE_SUITE(Memory);

TEST_P(Memory, CountersFollowTensors) {
  const MemoryStats before = memoryStats();
  resetPeakMemory();
  {
    Tensor a = Tensor::zeros({1000}, DType::F64);
    EXPECT_EQ(memoryStats().liveBytes - before.liveBytes, 8000u);
    EXPECT_EQ(memoryStats().liveBuffers - before.liveBuffers, 1u);
    Tensor view = a.broadcastTo({3, 1000});
    EXPECT_EQ(memoryStats().liveBytes - before.liveBytes, 8000u);
  }
  EXPECT_EQ(memoryStats().liveBytes, before.liveBytes);
  EXPECT_EQ(memoryStats().peakBytes, before.liveBytes + 8000);
  trimMemory();
  EXPECT_EQ(memoryStats().liveBytes, before.liveBytes);
}

TEST_P(Memory, CapStopsOperationsAndNothingIsLost) {
  constexpr int64_t kCount = 100000, kBytes = 8 * kCount;
  EagerTensor x = variable(Tensor::zeros({kCount}, DType::F64));
  {
    EagerTensor loss = sum(exp(x) * exp(x));
    loss.backward(engine);
    x.clearGrad();
  }
  const size_t live = memoryStats().liveBytes;
  setMemoryCap(live + kBytes + kBytes / 2);
  EXPECT_ERROR(exp(x) + exp(x), ErrorKind::OutOfMemory, "exp");
  EXPECT_EQ(memoryStats().liveBytes, live);
  EagerTensor y = exp(x); // one result fits
  EXPECT_EQ(memoryStats().liveBytes, live + kBytes);
  EXPECT_ERROR(rt->grad(engine, sum(y), x), ErrorKind::OutOfMemory, "allocate");
  EXPECT_FALSE(x.grad());
  setMemoryCap(kNoMemoryCap);
  EXPECT_TRUE(near(rt->grad(engine, sum(y), x), {kCount}, std::vector<double>(kCount, 1.0)));
}

TEST_P(Memory, CompositesLetGoOfWhatTheyHaveRead) {
  // Untracked results of the operand's size that live at one time.
  EagerTensor x = rt->constant(Tensor::zeros({1000, 100}, DType::F64));
  auto peakOf = [&](auto composite) {
    const size_t live = memoryStats().liveBytes;
    resetPeakMemory();
    composite();
    return static_cast<double>(memoryStats().peakBytes - live) / 800000;
  };
  EXPECT_LT(peakOf([&] { softmax(x, 0); }), 2.1);
  EXPECT_LT(peakOf([&] { logSoftmax(x, 0); }), 2.2);
  EXPECT_LT(peakOf([&] { gelu(x); }), 3.1);
  EXPECT_LT(peakOf([&] { geluTanh(x); }), 3.1);
}

TEST_P(Memory, BackwardFillsAllSlotsOrNone) {
  // The sum of the second slot is larger than all that the derivative needs.
  EagerTensor small = variable(Tensor::zeros({1000}, DType::F64)),
              large = variable(Tensor::zeros({100000}, DType::F64));
  EagerTensor loss = sum(small) + sum(large);
  loss.backward(engine);
  int failures = 0;
  double expected = 1;
  for (size_t room = 0; room <= 2'000'000; room += 40'000) {
    setMemoryCap(memoryStats().liveBytes + room);
    try {
      loss.backward(engine);
      ++expected;
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), ErrorKind::OutOfMemory);
      ++failures;
    }
    setMemoryCap(kNoMemoryCap);
    EXPECT_TRUE(near(*small.grad(), {1000}, std::vector<double>(1000, expected))) << room;
    EXPECT_TRUE(near(*large.grad(), {100000}, std::vector<double>(100000, expected))) << room;
  }
  EXPECT_GT(failures, 0);
  EXPECT_GT(expected, 1);
}

TEST(MemoryOption, CapOfARuntimeIsTheProcess) {
  const size_t live = memoryStats().liveBytes;
  auto rt = EagerRuntime::create({.memoryCap = live + 1000});
  EXPECT_EQ(memoryStats().capBytes, live + 1000);
  EXPECT_ERROR(Tensor::zeros({1000}, DType::F64), ErrorKind::OutOfMemory, "allocate");
  auto other = EagerRuntime::create(); // leaves the cap as it is
  EXPECT_EQ(memoryStats().capBytes, live + 1000);
  setMemoryCap(kNoMemoryCap);
  EXPECT_EQ(Tensor::zeros({1000}, DType::F64).elementCount(), 1000);
}
