// One training step of a two-layer perceptron: forward, mean squared error, gradients of four parameters.
#include "tools/tenferro-bench/Benches.h"

namespace tenferro::bench {

static void step(Reporter &reporter, DType dtype, int64_t batch, int64_t in, int64_t hidden, int64_t out) {
  std::string label = std::string(name(dtype)) + ".b" + std::to_string(batch);
  if (!reporter.wanted("mlp.step", label))
    return;
  CpuEngine engine({.threads = reporter.options().threads});
  auto runtime = EagerRuntime::create();
  EagerTensor w1 = runtime->variable(random({in, hidden}, dtype, 11));
  EagerTensor b1 = runtime->variable(Tensor::zeros({hidden}, dtype));
  EagerTensor w2 = runtime->variable(random({hidden, out}, dtype, 12));
  EagerTensor b2 = runtime->variable(Tensor::zeros({out}, dtype));
  EagerTensor x = runtime->constant(random({batch, in}, dtype, 13));
  EagerTensor y = runtime->constant(random({batch, out}, dtype, 14));
  reporter.measure("mlp.step", label, [&] {
    EagerTensor loss = runtime->session(engine, [&](EagerSession &s) {
      EagerTensor h = s.tanh(s.add(s.matmul(x, w1), b1));
      EagerTensor d = s.sub(s.add(s.matmul(h, w2), b2), y);
      return s.mean(s.mul(d, d));
    });
    loss.backward(engine);
    runtime->clearGrads();
  });
}

void mlp(Reporter &reporter) {
  for (DType dtype : {DType::F64, DType::F32}) {
    step(reporter, dtype, 32, 64, 128, 10);
    step(reporter, dtype, 256, 784, 256, 10);
  }
}

} // namespace tenferro::bench
