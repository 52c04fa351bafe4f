// tenferro-bench [--filter TEXT] [--threads N] [--seconds-per-case S] [--data DIR]: one JSON record a line.
#include "tools/tenferro-bench/Benches.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

using namespace tenferro::bench;

static const char kUsage[] =
    "usage: tenferro-bench [--filter TEXT] [--threads N] [--seconds-per-case S] [--data DIR]\n"
    "\n"
    "Measures the library on this machine and prints one JSON record a line.\n"
    "  --filter TEXT          only the cases whose \"bench.case\" contains TEXT\n"
    "  --threads N            threads of the engine, default 1\n"
    "  --seconds-per-case S   how long a case is repeated, default 0.5\n"
    "  --data DIR             a folder with einsum/*.json and permutation_patterns.json, for the benches of these names\n";

/// Says what is wrong with the call.
static int usage(const std::string &wrong) {
  std::fprintf(stderr, "tenferro-bench: %s\n", wrong.c_str());
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
    const auto known = {"--filter", "--threads", "--seconds-per-case", "--data", "--child"};
    if (std::none_of(known.begin(), known.end(), [&](const char *option) { return !std::strcmp(argv[i], option); }))
      return usage("does not know '" + std::string(argv[i]) + "'");
    if (i + 1 >= argc)
      return usage("expects a value behind '" + std::string(argv[i]) + "'");
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
    const bool threads = !std::strcmp(argv[i], "--threads");
    double value = std::strtod(argv[i + 1], &end);
    if (*end || !(value > 0) || !(value <= 1e6) || (threads && value < 1))
      return usage(std::string(argv[i]) + " expects a number " + (threads ? "of at least 1" : "above 0") +
                   ", but got '" + argv[i + 1] + "'");
    if (threads)
      options.threads = static_cast<int>(value);
    else
      options.secondsPerCase = value;
  }
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
  if (reporter.records() == 0) // no error: bench-compare asks for cases that peers alone have
    std::fprintf(stderr, "tenferro-bench: no case contains '%s'%s\n", options.filter.c_str(),
                 options.data.empty() ? "; those of einsum and permute need --data" : "");
  return 0;
}
