// One training step of a two-layer perceptron: forward, mean squared error, gradients of four parameters; its time, and the most
// memory it needs beyond parameters and data.
#include "tools/tenferro-bench/Benches.h"

#include <cmath>
#include <random>

namespace tenferro::bench {

template <typename T> static Tensor normal(const Shape &shape, uint64_t seed, double scale) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> numbers;
  std::vector<T> values(static_cast<size_t>(shape.elementCount()));
  for (T &value : values)
    value = static_cast<T>(scale * numbers(generator));
  return Tensor::from(shape, values);
}

/// Normal numbers times `scale`: weights divided by the root of their inputs leave tanh where it is neither linear nor flat.
static Tensor normal(const Shape &shape, DType dtype, uint64_t seed, double scale = 1) {
  return dtype == DType::F32 ? normal<float>(shape, seed, scale) : normal<double>(shape, seed, scale);
}

static void step(Reporter &reporter, DType dtype, int64_t batch, int64_t in, int64_t hidden, int64_t out) {
  std::string label = std::string(name(dtype)) + ".b" + std::to_string(batch);
  const std::string peak = "peak.mlp_step." + label;
  if (!reporter.wanted("mlp.step", label) && !reporter.wanted("memory", peak))
    return;
  CpuEngine engine({.threads = reporter.options().threads});
  auto runtime = EagerRuntime::create();
  reporter.waitFor(runtime);
  EagerTensor w1 = runtime->variable(normal({in, hidden}, dtype, 11, 1 / std::sqrt(double(in))));
  EagerTensor b1 = runtime->variable(Tensor::zeros({hidden}, dtype));
  EagerTensor w2 = runtime->variable(normal({hidden, out}, dtype, 12, 1 / std::sqrt(double(hidden))));
  EagerTensor b2 = runtime->variable(Tensor::zeros({out}, dtype));
  EagerTensor x = runtime->constant(normal({batch, in}, dtype, 13));
  EagerTensor y = runtime->constant(normal({batch, out}, dtype, 14));
  auto once = [&] {
    EagerTensor loss = runtime->session(engine, [&](EagerSession &s) {
      EagerTensor h = s.tanh(s.add(s.matmul(x, w1), b1));
      EagerTensor d = s.sub(s.add(s.matmul(h, w2), b2), y);
      return s.mean(s.mul(d, d));
    });
    loss.backward(engine);
    runtime->clearGrads();
  };
  reporter.measure("mlp.step", label, once);
  if (reporter.wanted("memory", peak)) {
    once();
    once();
    runtime->finishCompiles(); // operation by operation needs more
    once();
    const size_t before = memoryStats().liveBytes;
    resetPeakMemory();
    once();
    reporter.report("memory", peak, {static_cast<double>(memoryStats().peakBytes - before)}, "bytes");
  }
}

void mlp(Reporter &reporter) {
  for (DType dtype : {DType::F64, DType::F32}) {
    step(reporter, dtype, 32, 64, 128, 10);
    step(reporter, dtype, 256, 784, 256, 10);
  }
}

} // namespace tenferro::bench
