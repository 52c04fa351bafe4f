// The user's rounding mode and flush-to-zero bits: no result depends on them, and they come back.
#include "test/unit/eager/TestSupport.h"

#include <cstring>
#include <immintrin.h>

namespace tenferro::test {
namespace {

class FloatEnvironmentTest : public EachPolicy {
protected:
  /// A loss with numbers that round in f32 and one that is subnormal there, its gradient, and the subnormal alone.
  std::vector<float> compute(unsigned control) {
    auto runtime = EagerRuntime::create(options());
    CpuEngine engine;
    std::vector<float> values(100);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = 0.01f * static_cast<float>(i);
    Tensor start = Tensor::from({20, 5}, values);
    Tensor classes = Tensor::zeros({20}, DType::I64);
    volatile double tenth = 0.1, tiny = 1e-42;

    unsigned before = _mm_getcsr();
    _mm_setcsr(control);
    EagerTensor x = runtime->variable(start), small;
    EagerTensor loss = runtime->session(engine, [&](EagerSession &s) {
      small = s.mul(s.constant(Tensor::scalar(1.f)), tiny);
      EagerTensor logits = s.gelu(s.add(s.mul(x, tenth), 16777217)); // 2^24 + 1 is between two floats
      return s.crossEntropy(s.mul(logits, s.add(x, tenth)), s.constant(classes), {.labelSmoothing = 0.1});
    });
    loss.backward(engine);
    unsigned after = _mm_getcsr();
    _mm_setcsr(before);

    EXPECT_EQ(after & 0xFFC0, control);
    std::vector<float> results = x.grad()->toVector<float>();
    results.push_back(loss.item<float>());
    results.push_back(small.item<float>());
    return results;
  }
};

TEST_P(FloatEnvironmentTest, ResultsDoNotDependOnTheUsersControlBits) {
  std::vector<float> expected = compute(0x1F80); // to nearest, subnormals kept
  EXPECT_EQ(expected.back(), 1e-42f);
  struct {
    const char *what;
    unsigned control;
  } rows[] = {
      {"flush and subnormals are zero", 0x9FC0}, {"up", 0x5F80}, {"down", 0x3F80}, {"toward zero, flush", 0xFFC0}};
  for (const auto &row : rows) {
    std::vector<float> got = compute(row.control);
    ASSERT_EQ(got.size(), expected.size());
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0) << row.what;
  }
}

TENFERRO_EACH_POLICY(FloatEnvironmentTest);

} // namespace
} // namespace tenferro::test
