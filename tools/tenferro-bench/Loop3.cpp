// loss = sum(c * x * x) in three eager operations: the cost of the eager path and of a warm backward.
#include "tools/tenferro-bench/Benches.h"

namespace tenferro::bench {

namespace {
struct Loop3 {
  explicit Loop3(int64_t n, int threads)
      : engine({.threads = threads}), runtime(EagerRuntime::create()),
        x(runtime->variable(random({n}, DType::F64, 1))), c(runtime->constant(random({n}, DType::F64, 2))) {}
  EagerTensor forward() {
    return runtime->session(engine, [&](EagerSession &s) { return s.sum(s.mul(s.mul(c, x), x)); });
  }
  CpuEngine engine;
  std::shared_ptr<EagerRuntime> runtime;
  EagerTensor x, c;
};
} // namespace

void loop3(Reporter &reporter) {
  if (reporter.wanted("loop3.first_backward", "64")) {
    Loop3 job(64, reporter.options().threads);
    EagerTensor loss = job.forward();
    double start = now();
    loss.backward(job.engine);
    reporter.report("loop3.first_backward", "64", {now() - start});
  }
  for (int64_t n : {64, 1024, 65536, 1048576}) {
    std::string name = std::to_string(n);
    Loop3 job(n, reporter.options().threads);
    reporter.waitFor(job.runtime);
    reporter.measure("loop3.forward", name, [&] { job.forward(); });
    reporter.measure("loop3.step", name, [&] {
      job.forward().backward(job.engine);
      job.x.clearGrad();
    });
    reporter.measureSamples("loop3.backward", name, [&] {
      EagerTensor loss = job.forward();
      double start = now();
      loss.backward(job.engine);
      double end = now();
      job.x.clearGrad();
      return end - start;
    });
  }
}

void manyLeaves(Reporter &reporter) {
  for (int64_t extra : {0, 1000, 10000}) {
    std::string name = std::to_string(extra);
    if (!reporter.wanted("many_leaves.step", name))
      continue;
    Loop3 job(64, reporter.options().threads);
    reporter.waitFor(job.runtime);
    std::vector<EagerTensor> alive;
    for (int64_t i = 0; i < extra; ++i)
      alive.push_back(job.runtime->variable(random({4}, DType::F64, 3)));
    reporter.measure("many_leaves.step", name, [&] {
      job.forward().backward(job.engine);
      job.x.clearGrad();
    });
  }
}

void highOrder(Reporter &reporter) {
  CpuEngine engine({.threads = reporter.options().threads});
  auto runtime = EagerRuntime::create();
  reporter.waitFor(runtime);
  reporter.measure("high.third_derivative", "scalar", [&] {
    EagerTensor s = runtime->variable(Tensor::scalar(2.5));
    EagerTensor f = runtime->session(engine, [&](EagerSession &session) { return session.mul(session.mul(s, s), s); });
    for (int order = 0; order < 3; ++order)
      f = runtime->grad(engine, f, s);
  });
  Loop3 job(64, reporter.options().threads);
  reporter.waitFor(job.runtime);
  EagerTensor direction = job.runtime->constant(random({64}, DType::F64, 4));
  reporter.measure("high.hvp", "64", [&] {
    EagerTensor gradient = job.runtime->grad(job.engine, job.forward(), job.x);
    EagerTensor product = job.runtime->vjp(job.engine, gradient, job.x, direction);
  });
}

} // namespace tenferro::bench
