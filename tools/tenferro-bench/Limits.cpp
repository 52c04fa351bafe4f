// What the machine can do: copying warm bytes and fused multiply-adds of one core.
#include "tools/tenferro-bench/Benches.h"

#include <cstring>

namespace tenferro::bench {

using Wide = double __attribute__((ext_vector_type(8)));

// Twelve independent chains hide the latency of the unit; the result is returned so that nothing is dropped.
__attribute__((target("avx512f,fma"))) static double fmaChains512(int rounds) {
  Wide acc[12];
  for (int i = 0; i < 12; ++i)
    acc[i] = Wide{} + (0.5 + i);
  const Wide a = Wide{} + 0.999999, b = Wide{} + 1e-6;
  for (int r = 0; r < rounds; ++r)
    for (Wide &x : acc)
      x = __builtin_elementwise_fma(x, a, b);
  double total = 0;
  for (Wide &x : acc)
    for (int lane = 0; lane < 8; ++lane)
      total += x[lane];
  return total;
}
__attribute__((target("avx2,fma"))) static double fmaChains256(int rounds) {
  using Half = double __attribute__((ext_vector_type(4)));
  Half acc[12];
  for (int i = 0; i < 12; ++i)
    acc[i] = Half{} + (0.5 + i);
  const Half a = Half{} + 0.999999, b = Half{} + 1e-6;
  for (int r = 0; r < rounds; ++r)
    for (Half &x : acc)
      x = __builtin_elementwise_fma(x, a, b);
  double total = 0;
  for (Half &x : acc)
    for (int lane = 0; lane < 4; ++lane)
      total += x[lane];
  return total;
}

void machineLimits(Reporter &reporter) {
  for (size_t bytes : {size_t{32768}, size_t{1} << 20, size_t{8} << 20, size_t{128} << 20}) {
    std::string name = std::to_string(bytes);
    if (!reporter.wanted("limit.copy", name))
      continue;
    std::vector<char> from(bytes, 1), to(bytes, 2);
    volatile char sink;
    reporter.measure("limit.copy", name, [&] {
      std::memcpy(to.data(), from.data(), bytes);
      sink = to[bytes / 2];
    });
    (void)sink;
  }
  if (reporter.wanted("limit.fma", "f64")) {
    bool wide = __builtin_cpu_supports("avx512f");
    constexpr int kRounds = 100000;
    const double flops = 2.0 * 12 * (wide ? 8 : 4) * kRounds;
    std::vector<double> rates;
    volatile double sink = 0;
    for (int sample = 0; sample < 40; ++sample) {
      double start = now();
      sink = wide ? fmaChains512(kRounds) : fmaChains256(kRounds);
      rates.push_back(flops / (now() - start));
    }
    (void)sink;
    reporter.report("limit.fma", "f64", std::move(rates), "Gflop/s");
  }
}

} // namespace tenferro::bench
