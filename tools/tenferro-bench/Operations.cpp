// Single operations and products: eager_op and matmul.
#include "tools/tenferro-bench/Benches.h"

#include <random>

namespace tenferro::bench {

Tensor random(const Shape &shape, DType dtype, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  size_t count = static_cast<size_t>(shape.elementCount());
  if (dtype == DType::F32) {
    std::vector<float> values(count);
    for (float &value : values)
      value = static_cast<float>(uniform(generator));
    return Tensor::from(shape, values);
  }
  std::vector<double> values(count);
  for (double &value : values)
    value = uniform(generator);
  return Tensor::from(shape, values);
}

void eagerOps(Reporter &reporter) {
  CpuEngine engine({.threads = reporter.options().threads});
  auto runtime = EagerRuntime::create();
  reporter.waitFor(runtime);
  for (const char *op : {"add", "mul", "exp"}) {
    for (bool tracked : {false, true}) {
      for (int64_t n : {1, 64, 4096, 1048576, 16777216}) {
        std::string name = std::string(op) + (tracked ? ".tracked." : ".untracked.") + std::to_string(n);
        if (!reporter.wanted("eager_op", name))
          continue;
        Tensor a = random({n}, DType::F64, 5), b = random({n}, DType::F64, 6);
        EagerTensor x = tracked ? runtime->variable(a) : runtime->constant(a);
        EagerTensor y = tracked ? runtime->variable(b) : runtime->constant(b);
        runtime->session(engine, [&](EagerSession &s) {
          std::string_view kind = op;
          if (kind == "add")
            reporter.measure("eager_op", name, [&] { s.add(x, y); });
          else if (kind == "mul")
            reporter.measure("eager_op", name, [&] { s.mul(x, y); });
          else
            reporter.measure("eager_op", name, [&] { s.exp(x); });
        });
      }
    }
  }
}

void matmul(Reporter &reporter) {
  CpuEngine engine({.threads = reporter.options().threads});
  auto runtime = EagerRuntime::create();
  reporter.waitFor(runtime);
  for (DType dtype : {DType::F64, DType::F32}) {
    for (int64_t n : {16, 32, 64, 128, 256, 512, 1024, 2048}) {
      std::string label = std::string(name(dtype)) + "." + std::to_string(n);
      if (!reporter.wanted("matmul", label))
        continue;
      EagerTensor a = runtime->constant(random({n, n}, dtype, 7)), b = runtime->constant(random({n, n}, dtype, 8));
      runtime->session(engine, [&](EagerSession &s) { reporter.measure("matmul", label, [&] { s.matmul(a, b); }); });
    }
  }
}

} // namespace tenferro::bench
