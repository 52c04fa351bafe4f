// trace_scale: chains of N mixed operations, recorded, differentiated, compiled and run; whole times, so that time per
// operation can be read off and stays flat. 200,000 and a million operations run only if the filter ends
// with that number.
//
// In instructions all of it is flat, which tools/dev/instruction-counts holds recording, differentiating and warm derivatives to.
// In time, what an operation takes grows where a chain leaves a cache (1 MiB of second level a core on the machine of these figures):
//  * record: 129 ns at 800, 127 at 3,200, 146 at 20,000. The blocks of a chain lie in the order they are used in.
//  * backward (warm): 34, 44 and 78 to 105 ns. At 20,000 the kept values (512 bytes for each second operation), the nodes (128 each) and
//    the machine code are read once from the third level, which is more than half of the time; the walk itself is 40 %.
//  * differentiate: 7.0, 8.5 and 14.3 us for 87,000 instructions. An operation becomes about four of the IR and 3.4 launches, 6 KB in
//    all, and those of 20,000 no longer fit in the second level. Building and freeing plain MLIR operations slows down alike: 275 ns
//    each at 800, 456 at 80,000, and a walk over them 6 and 14. Page faults are a fifth of it at 20,000: a malloc that keeps its
//    memory, in huge pages, brings 12.0 to 9.5.
//  * compile: of 200 operations, by the symbols that samples fall in, LLVM takes 59 % of the time, MLIR 25 (at least 11 of it the
//    conversion to LLVM's dialect), the allocator 13 for both, and the passes and emitters of this library 2.5.
#include "tools/tenferro-bench/Benches.h"

#include <sys/resource.h>

namespace tenferro::bench {

namespace {

/// A chain over 64 doubles whose operations are drawn by `seed`: another seed is another structure with other kernels.
class Chain {
public:
  Chain(int64_t length, int threads, CompilePolicy policy)
      : engine_({.threads = threads}), runtime_(EagerRuntime::create({.policy = policy})), length_(length),
        x_(runtime_->variable(random({64}, DType::F64, 1))), c_(runtime_->constant(random({64}, DType::F64, 2))) {}

  /// Exactly the chain's length of recorded operations; the last is a sum.
  EagerTensor record(uint64_t seed) {
    return runtime_->session(engine_, [&](EagerSession &s) {
      uint64_t state = seed * 2 + 1;
      EagerTensor v = x_;
      for (int64_t i = 1; i < length_; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        switch (state >> 61) {
        case 0:
          v = s.add(v, x_);
          break;
        case 1:
          v = s.mul(v, c_);
          break;
        case 2:
          v = s.sub(x_, v);
          break;
        case 3:
          v = s.maximum(v, c_);
          break;
        case 4:
          v = s.sigmoid(v);
          break;
        case 5:
          v = s.mul(v, x_);
          break;
        case 6:
          v = s.neg(v);
          break;
        default:
          v = s.tanh(v);
        }
      }
      return s.sum(v);
    });
  }

  void backward(const EagerTensor &loss) {
    loss.backward(engine_);
    runtime_->clearGrads();
  }
  void forget() { runtime_->clearCaches(); }
  void keepAnything() { runtime_->setPreparedDerivativeLimits({.maxEntries = 128, .maxRetainedBytes = size_t{1} << 40}); }

private:
  CpuEngine engine_;
  std::shared_ptr<EagerRuntime> runtime_;
  int64_t length_;
  EagerTensor x_, c_;
};

/// Most memory the process has held, in bytes.
double peakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void measureChain(Reporter &reporter, int64_t length) {
  const std::string n = std::to_string(length);
  const int threads = reporter.options().threads;
  reporter.measureLong("trace_scale", "record." + n, [&, chain = Chain(length, threads, CompilePolicy::Never)]() mutable {
    double start = now();
    chain.record(1);
    return now() - start;
  });
  // Tier 0: the derivative as a program of precompiled kernels, and its first run.
  reporter.measureLong("trace_scale", "differentiate." + n,
                       [&, chain = Chain(length, threads, CompilePolicy::Never)]() mutable {
                         EagerTensor loss = chain.record(1);
                         chain.forget();
                         double start = now();
                         chain.backward(loss);
                         return now() - start;
                       });
  if (length > 100000)
    return;
  // Tier 1: derivative, kernels, machine code, first run; each time for a structure that nobody has seen.
  reporter.measureLong("trace_scale", "compile." + n,
                       [&, seed = uint64_t{100}, chain = Chain(length, threads, CompilePolicy::Immediate)]() mutable {
                         EagerTensor loss = chain.record(++seed);
                         double start = now();
                         chain.backward(loss);
                         return now() - start;
                       });
  reporter.measureLong("trace_scale", "backward." + n,
                       [&, chain = Chain(length, threads, CompilePolicy::Immediate)]() mutable {
                         EagerTensor loss = chain.record(1);
                         double start = now();
                         chain.backward(loss);
                         return now() - start;
                       });
}

} // namespace

void traceScale(Reporter &reporter) {
  for (int64_t length : {50, 200, 800, 3200, 20000})
    measureChain(reporter, length);
  const std::string &filter = reporter.options().filter;
  for (int64_t length : {200000, 1000000}) {
    const std::string n = std::to_string(length);
    if (!filter.ends_with(n))
      continue;
    measureChain(reporter, length);
    reporter.report("trace_scale", "peak_memory." + n, {peakBytes()}, "bytes");
  }
}

} // namespace tenferro::bench
