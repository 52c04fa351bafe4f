// reduce: reductions and what is built of them along the contiguous axis; forward alone, and with the pull-back of a cotangent.
#include "tools/tenferro-bench/Benches.h"

#include <string>

namespace tenferro::bench {

namespace {

using Function = EagerTensor (*)(EagerSession &, const EagerTensor &);

struct Operation {
  const char *name;
  Function apply;
};

constexpr Operation kAlongAxis[] = {
    {"sum", [](EagerSession &s, const EagerTensor &x) { return s.sum(x, {0}); }},
    {"max", [](EagerSession &s, const EagerTensor &x) { return s.max(x, {0}); }},
    {"softmax", [](EagerSession &s, const EagerTensor &x) { return s.softmax(x, 0); }},
    {"logsumexp", [](EagerSession &s, const EagerTensor &x) { return s.logsumexp(x, {0}); }},
    {"layer_norm", [](EagerSession &s, const EagerTensor &x) { return s.layerNorm(x, 0); }},
};
constexpr Operation kOfVector[] = {
    kAlongAxis[0],
    kAlongAxis[1],
    {"gelu", [](EagerSession &s, const EagerTensor &x) { return s.gelu(x); }},
};

void measureOperation(Reporter &reporter, const Operation &operation, const Shape &shape, const std::string &label) {
  const std::string forward = std::string(operation.name) + ".forward." + label;
  const std::string step = std::string(operation.name) + ".step." + label;
  if (!reporter.wanted("reduce", forward) && !reporter.wanted("reduce", step))
    return;
  CpuEngine engine({.threads = reporter.options().threads});
  auto runtime = EagerRuntime::create();
  reporter.waitFor(runtime);
  const Tensor values = random(shape, DType::F64, 6);
  EagerTensor constant = runtime->constant(values), variable = runtime->variable(values);
  runtime->session(engine, [&](EagerSession &s) {
    const EagerTensor result = operation.apply(s, constant);
    const EagerTensor cotangent = runtime->constant(random(result.shape(), DType::F64, 7));
    reporter.measure("reduce", forward, [&] { operation.apply(s, constant); });
    reporter.measure("reduce", step, [&] { runtime->vjp(engine, operation.apply(s, variable), variable, cotangent); });
  });
}

} // namespace

void reductions(Reporter &reporter) {
  // The reduced axis is the contiguous one, which is the last of the row-major peers and the first here.
  for (const Operation &operation : kAlongAxis) {
    measureOperation(reporter, operation, {1024, 1024}, "1024x1024");
    measureOperation(reporter, operation, {131072, 8}, "8x131072");
  }
  for (const Operation &operation : kOfVector)
    measureOperation(reporter, operation, {1000000}, "1e6");
}

} // namespace tenferro::bench
