// Structures that nobody has seen: how long the first backward takes, and the compile behind the second.
#include "tools/tenferro-bench/Benches.h"

namespace tenferro::bench {

namespace {

EagerTensor unary(EagerSession &s, int which, const EagerTensor &x) {
  switch (which % 6) {
  case 0:
    return s.tanh(x);
  case 1:
    return s.exp(x);
  case 2:
    return s.sin(x);
  case 3:
    return s.mul(x, x);
  case 4:
    return s.cos(x);
  default:
    return s.neg(x);
  }
}

EagerTensor binary(EagerSession &s, int which, const EagerTensor &x, const EagerTensor &y) {
  switch (which % 6) {
  case 0:
    return s.add(x, y);
  case 1:
    return s.sub(x, y);
  case 2:
    return s.mul(x, y);
  case 3:
    return s.div(x, y);
  case 4:
    return s.maximum(x, y);
  default:
    return s.minimum(x, y);
  }
}

/// sum((x o c) o x): 36 programs, each with kernels of its own.
EagerTensor small(EagerSession &s, int index, const EagerTensor &x, const EagerTensor &c) {
  return s.sum(binary(s, index / 6, binary(s, index, x, c), x));
}

/// sum(u(v(x))), where a function is some twenty operations in the kernels.
EagerTensor functions(EagerSession &s, int index, const EagerTensor &x, const EagerTensor &) {
  return s.sum(unary(s, index / 6, unary(s, index, x)));
}

/// 200 operations, one in twelve a math function; the places of x and c tell the programs apart.
EagerTensor large(EagerSession &s, int index, const EagerTensor &x, const EagerTensor &c) {
  EagerTensor v = x;
  for (int i = 0; i < 66; ++i) {
    v = i % 4 == 0 ? unary(s, index + i * i, v) : s.sub(v, c);
    v = s.mul(v, i % 3 == 1 ? x : c);
    v = s.add(v, index >> i % 6 & 1 ? x : c);
  }
  return s.sum(s.mul(v, v));
}

void measureNew(Reporter &reporter, const std::string &name, int count,
                EagerTensor (*record)(EagerSession &, int, const EagerTensor &, const EagerTensor &)) {
  if (!reporter.wanted("first_calls", "backward." + name) && !reporter.wanted("first_calls", "compile." + name))
    return;
  CpuEngine engine({.threads = reporter.options().threads});
  auto runtime = EagerRuntime::create();
  EagerTensor x = runtime->variable(random({64}, DType::F64, 1)), c = runtime->constant(random({64}, DType::F64, 2));
  std::vector<double> backward, compile;
  double compiled = 0;
  for (int index = 0; index < count; ++index) {
    for (int ask = 0; ask < 2; ++ask) {
      EagerTensor loss = runtime->session(engine, [&](EagerSession &s) { return record(s, index, x, c); });
      const double start = now();
      loss.backward(engine);
      if (ask == 0 && index > 0)
        backward.push_back(now() - start);
    }
    runtime->finishCompiles();
    const double seconds = runtime->cacheStats().compiles.seconds;
    if (index > 0) // the first one has what the process does once
      compile.push_back((seconds - compiled) * 1e9);
    compiled = seconds;
  }
  reporter.report("first_calls", "backward." + name, std::move(backward));
  reporter.report("first_calls", "compile." + name, std::move(compile));
}

} // namespace

void firstCalls(Reporter &reporter) {
  measureNew(reporter, "3", 31, small);
  measureNew(reporter, "3.functions", 31, functions);
  measureNew(reporter, "200", 31, large);
}

} // namespace tenferro::bench
