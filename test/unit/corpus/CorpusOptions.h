// Which random programs a corpus test runs: [--seed=S] [--programs=N] [--program=I].
#ifndef TENFERRO_TEST_UNIT_CORPUS_CORPUSOPTIONS_H
#define TENFERRO_TEST_UNIT_CORPUS_CORPUSOPTIONS_H

#include <cstdint>

namespace tenferro::test {

struct CorpusOptions {
  uint64_t seed = 0;
  int64_t programs = 0;
  int64_t only = -1;

  int64_t begin() const { return only >= 0 ? only : 0; }
  int64_t end() const { return only >= 0 ? only + 1 : programs; }
  /// Where the random numbers of a program start.
  uint64_t seedOf(int64_t index) const { return seed * 1000003 + static_cast<uint64_t>(index); }
  /// How to run program `index` again.
  void printReproduction(int64_t index) const;
  const char *test = ""; ///< name of the executable
};

/// Of this process; `main` sets it.
extern CorpusOptions corpusOptions;

/// Reads the options (a fresh seed unless one is given, `programs` programs) and runs the tests.
int runCorpusTests(int argc, char **argv, const char *test, int64_t programs);

} // namespace tenferro::test

#endif // TENFERRO_TEST_UNIT_CORPUS_CORPUSOPTIONS_H
