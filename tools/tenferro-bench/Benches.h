// The benches, one function a file or family.
#ifndef TENFERRO_TOOLS_BENCH_BENCHES_H
#define TENFERRO_TOOLS_BENCH_BENCHES_H

#include "tools/tenferro-bench/Measure.h"

#include "tenferro/tenferro.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace tenferro::bench {

/// Uniform numbers in [0, 1), the same for every run.
Tensor random(const Shape &shape, DType dtype, uint64_t seed);

/// A file of --data as JSON. Raises std::runtime_error that names the file where it cannot be read or is no JSON.
nlohmann::json readData(const std::string &path);

void loop3(Reporter &reporter);        ///< loop3.first_backward, .forward, .backward, .step
void firstCalls(Reporter &reporter);   ///< first_calls: structures that are new, and the compile behind them
void chain(Reporter &reporter);        ///< chain: eager, compiled, grad.eager, grad.compiled
void eagerOps(Reporter &reporter);     ///< eager_op
void mlp(Reporter &reporter);          ///< mlp.step, memory.peak.mlp_step
void matmul(Reporter &reporter);       ///< matmul
void highOrder(Reporter &reporter);    ///< high.third_derivative, high.hvp
void shapeChurn(Reporter &reporter);   ///< shape_churn.first, .second
void manyLeaves(Reporter &reporter);   ///< many_leaves.step
void reductions(Reporter &reporter);   ///< reduce
void einsum(Reporter &reporter);       ///< einsum; needs --data
void permute(Reporter &reporter);      ///< permute; needs --data
void traceScale(Reporter &reporter);   ///< trace_scale
void startup(Reporter &reporter);      ///< startup, memory: fresh processes
void machineLimits(Reporter &reporter); ///< limit.copy, limit.read, limit.fma: what the machine can do

/// What a process does that `startup` has started: prints the figure of that kind. `atMain` is when main began.
int runAsChild(const std::string &kind, double atMain, int threads);

} // namespace tenferro::bench

#endif // TENFERRO_TOOLS_BENCH_BENCHES_H
