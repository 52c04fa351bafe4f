// What a user of the installed library writes, and what the end of a process must survive: handles in static variables,
// many runtimes, forks.
#include <tenferro/tenferro.h>

#include <array>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace tenferro;

namespace {

// Made before main and before most of the library's own statics, so destroyed after them.
EagerTensor lastLoss;
std::shared_ptr<EagerRuntime> lastRuntime;

struct AtExit { // computes when everything else ends
  ~AtExit() {
    if (!lastRuntime)
      return;
    CpuEngine engine;
    lastRuntime->clearGrads();
    lastLoss.backward(engine);
  }
} atExit;

void check(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "consumer: expects %s\n", what);
  std::exit(1);
}

/// d sum(x x x) / dx at [1, 2, 3] is [3, 12, 27].
void differentiate(const std::shared_ptr<EagerRuntime> &rt) {
  CpuEngine engine({.threads = 2});
  Scope scope(rt, engine);
  EagerTensor x = rt->variable(Tensor::from({3}, {1., 2., 3.}));
  EagerTensor loss = sum(x * x * x);
  loss.backward(engine);
  check(x.grad()->toVector<double>() == std::vector<double>{3, 12, 27}, "the gradient [3, 12, 27]");
  lastLoss = loss;
}

/// Templates of the headers: f(x, y) = sum(x^3 y) at x = [1, 2], y = [3, 4], its derivatives along [1, 1] and by x.
void compileFunctions(const std::shared_ptr<EagerRuntime> &rt) {
  CpuEngine engine;
  auto cube = customJvp(
      "cube", [](const EagerTensor &x) { return x * x * x; },
      [](const EagerTensor &x, const EagerTensor &, const EagerTensor &t) { return 3.0 * x * x * t; });
  auto f = rt->compile([&](const EagerTensor &x, const std::array<EagerTensor, 1> &y) { return sum(cube(x) * y[0]); });
  EagerTensor x = rt->constant(Tensor::from({2}, {1., 2.})), ones = rt->constant(Tensor::from({2}, {1., 1.}));
  EagerTensor one = rt->constant(Tensor::scalar(1.));
  std::array<EagerTensor, 1> y{rt->constant(Tensor::from({2}, {3., 4.}))};
  auto [value, gradients] = f.valueAndGrad(engine, x, y);
  check(value.item<double>() == 35 && f(engine, x, y).item<double>() == 35, "the value 35");
  check(std::get<0>(gradients).toVector<double>() == std::vector<double>{9, 48}, "the gradient [9, 48]");
  check(std::get<0>(f.vjp(engine, x, y, one).derivative).toVector<double>() == std::vector<double>{9, 48}, "its vjp");
  check(f.jvp(engine, x, y, ones, std::array{ones}).derivative.item<double>() == 57 + 9, "the derivative 66");
  auto many = rt->compile([](const std::same_as<EagerTensor> auto &...all) { return (all + ...); });
  check(many(engine, x, x, x, x, x, x, x, x, x, x, x, x, x).toVector<double>()[1] == 26, "a sum of 13");
}

long residentKilobytes() {
  long total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

void createAndDestroy() {
  long before = 0;
  for (int i = 0; i < 100; ++i) {
    differentiate(EagerRuntime::create());
    lastLoss = {};
    if (i == 20)
      before = residentKilobytes();
  }
  long grown = residentKilobytes() - before;
  check(grown < 8 * 1024,
        ("less than 8 MiB more after 80 runtimes, but got " + std::to_string(grown) + " KiB").c_str());
}

void inChild(const std::function<void()> &body) {
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    alarm(60); // a child that hangs is a failure
    body();
    std::exit(0);
  }
  int status = 0;
  check(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
        "a forked child that differentiates and exits");
}

void forks() {
  auto rt = EagerRuntime::create();
  inChild([&] { differentiate(rt); }); // before the first backward
  differentiate(rt);
  differentiate(rt);                                       // what is in flight now is waited for
  inChild([&] { differentiate(rt); });                     // after it: a hit
  inChild([&] { differentiate(EagerRuntime::create()); }); // and a miss
  differentiate(rt);
}

} // namespace

int main(int argc, char **argv) {
  std::string what = argc > 1 ? argv[1] : "gradient";
  check(version() == TENFERRO_VERSION, "a library of the headers' version");
  if (what == "gradient") {
    auto rt = EagerRuntime::create();
    compileFunctions(rt);
    differentiate(rt);
    differentiate(rt); // asked for again: compiled behind
    rt->finishCompiles();
    differentiate(rt);
    check(rt->cacheStats().compiles.runsFused >= 1, "a fused program that takes over");
  } else if (what == "statics") {
    differentiate(lastRuntime = EagerRuntime::create());
    differentiate(lastRuntime); // ends with a compile in flight
  } else if (what == "runtimes") {
    createAndDestroy();
  } else if (what == "forks")
    forks();
  else
    check(false, "gradient, statics, runtimes or forks");
  std::printf("consumer %s: ok with tenferro %.*s\n", what.c_str(), int(version().size()), version().data());
}
