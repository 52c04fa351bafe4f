// tenferro-bench [--filter TEXT] [--threads N] [--seconds-per-case S] [--data DIR]: one JSON record a line.
#include "tools/tenferro-bench/Benches.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

using namespace tenferro::bench;

static const char kUsage[] =
    "usage: tenferro-bench [--filter TEXT] [--threads N] [--seconds-per-case S] [--data DIR]\n"
    "\n"
    "Measures the library on this machine and prints one JSON record a line.\n"
    "  --filter TEXT          only the cases whose \"bench.case\" contains TEXT\n"
    "  --threads N            threads of the engine, default 1\n"
    "  --seconds-per-case S   how long a case is repeated, default 0.5\n"
    "  --data DIR             a folder with einsum/*.json and permutation_patterns.json, for the benches of these names\n";

static int usage() {
  std::fputs(kUsage, stderr);
  return 2;
}

int main(int argc, char **argv) {
  const double atMain = now();
  Options options;
  std::string child;
  if (argc == 2 && (!std::strcmp(argv[1], "--help") || !std::strcmp(argv[1], "-h"))) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 >= argc)
      return usage();
    char *end = nullptr;
    if (!std::strcmp(argv[i], "--filter")) {
      options.filter = argv[i + 1];
      continue;
    }
    if (!std::strcmp(argv[i], "--data")) {
      options.data = argv[i + 1];
      continue;
    }
    if (!std::strcmp(argv[i], "--child")) { // what the benches of fresh processes start
      child = argv[i + 1];
      continue;
    }
    double value = std::strtod(argv[i + 1], &end);
    if (*end || !(value > 0))
      return usage();
    if (!std::strcmp(argv[i], "--threads"))
      options.threads = static_cast<int>(value);
    else if (!std::strcmp(argv[i], "--seconds-per-case"))
      options.secondsPerCase = value;
    else
      return usage();
  }
  if (options.threads < 1)
    return usage();
  Reporter reporter(options);
  try {
    if (!child.empty())
      return runAsChild(child, atMain, options.threads);
    setenv("TENFERRO_CACHE_DIR", "off", 1); // what is compiled is measured, not what an earlier run has kept
    loop3(reporter); // first, because it measures the first backward of the process
    firstCalls(reporter);
    eagerOps(reporter);
    chain(reporter);
    mlp(reporter);
    matmul(reporter);
    highOrder(reporter);
    manyLeaves(reporter);
    shapeChurn(reporter);
    reductions(reporter);
    einsum(reporter);
    permute(reporter);
    traceScale(reporter);
    startup(reporter);
    machineLimits(reporter);
  } catch (const tenferro::Error &error) {
    reporter.error("all", options.filter, error.what());
    return 1;
  } catch (const std::exception &error) { // a file of --data, a child process
    reporter.error("all", options.filter, error.what());
    return 1;
  }
  return 0;
}
