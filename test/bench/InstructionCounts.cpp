// What the warm eager path costs in instructions, for tools/dev/instruction-counts: each case is run in a window that callgrind
// counts by itself and dumps under the case's name and how often it ran. Without valgrind it only runs the cases.
#include "tenferro/tenferro.h"

#include <valgrind/callgrind.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
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
  int longer = 1; ///< it takes so many times as long as others: it is run less often
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

/// A chain of so many recorded operations.
EagerTensor chain(int64_t length, const EagerTensor &x, const EagerTensor &c) {
  EagerTensor v = x;
  for (int64_t i = 1; i < length; ++i) {
    switch (i % 4) {
    case 0:
      v = c * v;
      break;
    case 1:
      v = tanh(v);
      break;
    case 2:
      v = v + x;
      break;
    default:
      v = -v;
    }
  }
  return sum(v);
}

void count(const Case &job, int repeats) {
  const int warm = std::max(kWarm / job.longer, 2);
  repeats = std::max(repeats / job.longer, 2);
  for (int i = 0; i < warm; ++i)
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
  const std::string title = std::string(job.name) + " " + std::to_string(repeats);
  CALLGRIND_DUMP_STATS_AT(title.c_str());
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
  // Chains of two lengths, differentiated op by op: what an operation takes must not depend on how many there are.
  RuntimeOptions options{.policy = CompilePolicy::Never};
  options.diskCache.enabled = false; // what is differentiated is counted, not what an earlier run has kept
  auto plain = EagerRuntime::create(options);
  EagerTensor u = plain->variable(ramp(0.5)), w = plain->constant(ramp(0.1));
  auto recordChain = [&](int64_t length) {
    return [&, length] {
      Scope inner(plain, engine);
      result = chain(length, u, w);
    };
  };
  auto recordAndDrop = [&, recordChain](int64_t length) {
    return [&, record = recordChain(length)] {
      record();
      drop();
    };
  };
  auto backward = [&] { result.backward(engine); };
  auto clearChain = [&] {
    result = EagerTensor();
    u.clearGrad();
  };
  auto recordNew = [&, recordChain](int64_t length) {
    return [&, record = recordChain(length)] {
      plain->clearCaches();
      record();
    };
  };
  const Case cases[] = {
      {"add.untracked", {}, [&] { (void)(c + d); }, {}},
      {"add.tracked", {}, [&] { (void)(x + y); }, {}},
      {"loop3.forward", {}, [&] { forward(); drop(); }, {}},
      {"loop3.backward", forward, [&] { result.backward(engine); }, clear},
      {"third_derivative", {}, thirdDerivative, {}},
      {"record.800", {}, recordAndDrop(800), {}, 10},
      {"record.3200", {}, recordAndDrop(3200), {}, 20},
      {"backward.800", recordChain(800), backward, clearChain, 10},
      {"backward.3200", recordChain(3200), backward, clearChain, 20},
      {"differentiate.800", recordNew(800), backward, clearChain, 50},
      {"differentiate.3200", recordNew(3200), backward, clearChain, 50},
  };
  for (const Case &job : cases)
    if (argc < 3 || !std::string_view(argv[2]).compare(job.name))
      count(job, repeats);
  return 0;
}
