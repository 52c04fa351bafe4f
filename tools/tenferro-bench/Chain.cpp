// tanh(x * y + x) * exp(-x), eager and as a compiled function: what fusing a chain of element-wise operations is worth,
// and, at 64 elements, what a call of a compiled function costs.
#include "tools/tenferro-bench/Benches.h"

#include <utility>

namespace tenferro::bench {

namespace {

EagerTensor chainOf(EagerSession &s, const EagerTensor &x, const EagerTensor &y) {
  return s.mul(s.tanh(s.add(s.mul(x, y), x)), s.exp(s.neg(x)));
}
EagerTensor sumOfChain(EagerSession &s, const EagerTensor &x, const EagerTensor &y) { return s.sum(chainOf(s, x, y)); }

} // namespace

void chain(Reporter &reporter) {
  CpuEngine engine({.threads = reporter.options().threads});
  for (auto [name, n] : {std::pair<std::string, int64_t>{"64", 64}, {"1e6", 1000000}, {"1e7", 10000000}}) {
    bool wanted = false;
    for (const char *mode : {"eager.", "compiled.", "grad.eager.", "grad.compiled."})
      wanted |= reporter.wanted("chain", mode + name);
    if (!wanted)
      continue;
    auto runtime = EagerRuntime::create();
    reporter.waitFor(runtime);
    const Tensor xs = random({n}, DType::F64, 1), ys = random({n}, DType::F64, 2);
    EagerTensor x = runtime->constant(xs), y = runtime->constant(ys);
    EagerTensor tracked = runtime->variable(xs), other = runtime->variable(ys);
    auto forward = runtime->compile(chainOf);
    auto loss = runtime->compile(sumOfChain);
    reporter.measure("chain", "eager." + name,
                     [&] { runtime->session(engine, [&](EagerSession &s) { return chainOf(s, x, y); }); });
    reporter.measure("chain", "compiled." + name, [&] { forward(engine, x, y); });
    reporter.measure("chain", "grad.eager." + name, [&] {
      EagerTensor sum = runtime->session(engine, [&](EagerSession &s) { return sumOfChain(s, tracked, other); });
      runtime->vjpMany(engine, sum, {tracked, other});
    });
    reporter.measure("chain", "grad.compiled." + name, [&] { loss.valueAndGrad(engine, x, y); });
  }
}

} // namespace tenferro::bench
