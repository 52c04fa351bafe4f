// What the warm eager path costs in instructions, for tools/dev/instruction-counts: each case is run in a window that callgrind
// counts by itself and dumps under the case's name. Without valgrind it only runs the cases.
#include "tenferro/tenferro.h"

#include <valgrind/callgrind.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

using namespace tenferro;

namespace {

constexpr int64_t kElements = 64;
constexpr int kWarm = 20; ///< runs of a case before its window: caches, allocator and memos are as in a long loop

struct Case {
  const char *name;
  std::function<void()> before; ///< outside the window
  std::function<void()> body;
  std::function<void()> after;
};

Tensor ramp(double first) {
  std::vector<double> values;
  for (int64_t i = 0; i < kElements; ++i)
    values.push_back(first + 0.01 * static_cast<double>(i));
  return Tensor::from({kElements}, values);
}

void runOnce(const Case &job) {
  if (job.before)
    job.before();
  job.body();
  if (job.after)
    job.after();
}

void count(const Case &job, int repeats) {
  for (int i = 0; i < kWarm; ++i)
    runOnce(job);
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  for (int i = 0; i < repeats; ++i) {
    if (job.before)
      job.before();
    CALLGRIND_TOGGLE_COLLECT;
    job.body();
    CALLGRIND_TOGGLE_COLLECT;
    if (job.after)
      job.after();
  }
  CALLGRIND_DUMP_STATS_AT(job.name);
  CALLGRIND_STOP_INSTRUMENTATION;
}

} // namespace

/// Arguments: how often a case is repeated in its window, and the case to run (all of them without).
int main(int argc, char **argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 100;
  if (repeats < 1) {
    std::fprintf(stderr, "usage: instruction-counts [REPEATS [CASE]]\n");
    return 2;
  }
  CpuEngine engine;
  auto runtime = EagerRuntime::create({.policy = CompilePolicy::Immediate});
  EagerTensor x = runtime->variable(ramp(0.5)), y = runtime->variable(ramp(0.25));
  EagerTensor c = runtime->constant(ramp(1.0)), d = runtime->constant(ramp(2.0));
  Scope scope(runtime, engine);
  EagerTensor result;
  auto forward = [&] { result = sum(c * x * x); };
  auto drop = [&] { result = EagerTensor(); };
  auto clear = [&] {
    result = EagerTensor();
    x.clearGrad();
  };
  auto thirdDerivative = [&] {
    EagerTensor z = runtime->variable(Tensor::scalar(2.5));
    EagerTensor f = z * z * z;
    for (int order = 0; order < 3; ++order)
      f = runtime->grad(engine, f, z);
  };
  const Case cases[] = {
      {"add.untracked", {}, [&] { (void)(c + d); }, {}},
      {"add.tracked", {}, [&] { (void)(x + y); }, {}},
      {"loop3.forward", {}, [&] { forward(); drop(); }, {}},
      {"loop3.backward", forward, [&] { result.backward(engine); }, clear},
      {"third_derivative", {}, thirdDerivative, {}},
  };
  for (const Case &job : cases)
    if (argc < 3 || !std::string_view(argv[2]).compare(job.name))
      count(job, repeats);
  return 0;
}
