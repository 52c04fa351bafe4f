// The command line of corpus tests.
#include "test/unit/corpus/CorpusOptions.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

namespace tenferro::test {

CorpusOptions corpusOptions;

void CorpusOptions::printReproduction(int64_t index) const {
  std::printf("reproduce: %s --seed=%llu --program=%lld\n", test, static_cast<unsigned long long>(seed),
              static_cast<long long>(index));
}

int runCorpusTests(int argc, char **argv, const char *test, int64_t programs) {
  ::testing::InitGoogleTest(&argc, argv);
  CorpusOptions &options = corpusOptions;
  options.test = test;
  options.programs = programs;
  options.seed = std::random_device{}();
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    auto value = [&](std::string_view key) -> const char * {
      return argument.substr(0, key.size()) == key ? argv[i] + key.size() : nullptr;
    };
    if (const char *seed = value("--seed="))
      options.seed = std::strtoull(seed, nullptr, 10);
    else if (const char *count = value("--programs="))
      options.programs = std::strtoll(count, nullptr, 10);
    else if (const char *only = value("--program="))
      options.only = std::strtoll(only, nullptr, 10);
    else
      return std::fprintf(stderr, "usage: %s [--seed=S] [--programs=N] [--program=I]\n", test), 2;
  }
  std::printf("corpus seed %llu\n", static_cast<unsigned long long>(options.seed));
  return RUN_ALL_TESTS();
}

} // namespace tenferro::test
