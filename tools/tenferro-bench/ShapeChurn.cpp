// The step of loop3 in two hundred sizes, once each, and once more: what a new size of a known structure costs.
#include "tools/tenferro-bench/Benches.h"

namespace tenferro::bench {

void shapeChurn(Reporter &reporter) {
  constexpr int64_t kSizes = 200;
  for (int64_t from : {64, 1024}) {
    const std::string name = from == 64 ? "200" : "200.from" + std::to_string(from);
    if (!reporter.wanted("shape_churn.first", name) && !reporter.wanted("shape_churn.second", name))
      continue;
    CpuEngine engine({.threads = reporter.options().threads});
    RuntimeOptions options;
    options.diskCache.enabled = false; // what another run has kept is not what is measured
    auto runtime = EagerRuntime::create(options);
    auto step = [&](const EagerTensor &x, const EagerTensor &c) {
      runtime->session(engine, [&](EagerSession &s) { return s.sum(s.mul(s.mul(c, x), x)); }).backward(engine);
      x.clearGrad();
    };
    { // The first backward of the process is loop3.first_backward: another structure.
      EagerTensor z = runtime->variable(random({7}, DType::F64, 3));
      runtime->session(engine, [&](EagerSession &s) { return s.sum(s.mul(s.mul(z, z), z)); }).backward(engine);
    }
    std::vector<EagerTensor> x, c;
    for (int64_t n = from; n < from + kSizes; ++n) {
      x.push_back(runtime->variable(random({n}, DType::F64, 1)));
      c.push_back(runtime->constant(random({n}, DType::F64, 2)));
    }
    for (const char *pass : {"shape_churn.first", "shape_churn.second"}) {
      std::vector<double> samples;
      for (size_t i = 0; i < x.size(); ++i) {
        double start = now();
        step(x[i], c[i]);
        samples.push_back(now() - start);
      }
      if (reporter.wanted(pass, name))
        reporter.report(pass, name, std::move(samples));
      runtime->finishCompiles(); // the second pass comes when what the first one asked for is there
    }
  }
}

} // namespace tenferro::bench
