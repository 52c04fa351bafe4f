// tenferro-cases: checks an installation against oracle files of values, derivatives, errors and accuracies.
#include "tools/tenferro-cases/Case.h"
#include "tools/tenferro-cases/Run.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

using namespace tenferro;
using namespace tenferro::cases;

namespace {

constexpr const char *kUsage = R"(usage: tenferro-cases [--tier 0|1|both] [--threads N] FILE.jsonl...

Runs the cases of oracle files through the C++ interface: values, vjp, jvp, second order, errors, accuracy.

  --tier 0      derivatives run op by op on precompiled kernels
  --tier 1      derivatives are compiled (needs libtenferro-compiler)
  --tier both   each case passes only if it passes both ways (default)
  --threads N   threads of the engine (default 1)

Prints each failing case, names each unsupported op and dtype once, and ends with
"N passed, N failed, N unsupported". A line that is not in the format is a failed case.
Exit status: 0, or 1 if a case failed or a file could not be read, or 2 for a wrong call.
)";

struct Options {
  bool tier0 = true, tier1 = true;
  int threads = 1;
  std::vector<std::string> files;
};

Options parseOptions(int argc, char **argv) {
  Options options;
  auto wrong = [](const std::string &what) {
    std::fprintf(stderr, "tenferro-cases: %s\n%s", what.c_str(), kUsage);
    std::exit(2);
  };
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    size_t equals = argument.rfind("--", 0) == 0 ? argument.find('=') : std::string::npos;
    std::string option = argument.substr(0, equals);
    auto value = [&]() -> std::string {
      if (equals != std::string::npos)
        return argument.substr(equals + 1);
      if (++i == argc)
        wrong("'" + argument + "' expects a value");
      return argv[i];
    };
    if (argument == "--help" || argument == "-h") {
      std::fputs(kUsage, stdout);
      std::exit(0);
    } else if (option == "--tier") {
      std::string tier = value();
      if (tier != "0" && tier != "1" && tier != "both")
        wrong("--tier expects 0, 1 or both, but got '" + tier + "'");
      options.tier0 = tier != "1";
      options.tier1 = tier != "0";
    } else if (option == "--threads") {
      std::string text = value();
      auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), options.threads);
      if (error != std::errc() || end != text.data() + text.size() || options.threads < 1)
        wrong("--threads expects a number of at least 1, but got '" + text + "'");
    } else if (argument.rfind("--", 0) == 0) {
      wrong("unknown option '" + argument + "'");
    } else {
      options.files.push_back(argument);
    }
  }
  if (options.files.empty())
    wrong("expects at least one file");
  return options;
}

/// What is wrong with a line, without the name and number that the JSON library puts in front.
std::string messageOf(const std::exception &error) {
  std::string message = error.what();
  const size_t end = message.find("] ");
  return message.rfind("[json.exception.", 0) == 0 && end != std::string::npos ? message.substr(end + 2) : message;
}

class Suite {
public:
  explicit Suite(const Options &options) : engine_({.threads = options.threads}) {
    if (options.tier0)
      tiers_.push_back({0, EagerRuntime::create({.policy = CompilePolicy::Never})});
    if (options.tier1)
      tiers_.push_back({1, EagerRuntime::create({.policy = CompilePolicy::Immediate})});
  }

  /// False if the file cannot be read.
  bool run(const std::string &path) {
    std::ifstream file(path);
    if (!file) {
      std::fprintf(stderr, "tenferro-cases: cannot open '%s': %s\n", path.c_str(), std::strerror(errno));
      return false;
    }
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
      if (line.empty())
        continue;
      try {
        runLine(line);
      } catch (const std::exception &error) { // not an answer of the library's: the line itself
        std::printf("FAIL %s:%d: %s\n", path.c_str(), number, messageOf(error).c_str());
        ++failed_;
      }
    }
    if (file.bad()) { // a folder opens, but has no lines
      std::fprintf(stderr, "tenferro-cases: cannot read '%s'\n", path.c_str());
      return false;
    }
    return true;
  }

  int finish() const {
    std::printf("%d passed, %d failed, %d unsupported\n", passed_, failed_, unsupported_);
    return failed_ > 0;
  }

private:
  struct Tier {
    int number;
    std::shared_ptr<EagerRuntime> runtime;
  };

  void runLine(const std::string &line) {
    try {
      Case test = parseCase(Json::parse(line));
      bool passed = true;
      for (Tier &tier : tiers_)
        passed &= runOn(test, tier);
      ++(passed ? passed_ : failed_);
    } catch (const UnsupportedError &error) {
      ++unsupported_;
      if (named_.insert(error.what()).second)
        std::printf("unsupported: %s\n", error.what());
    }
  }

  bool runOn(const Case &test, Tier &tier) {
    std::vector<std::string> failures;
    try {
      failures = runCase(test, *tier.runtime, engine_);
    } catch (const Error &error) {
      failures = {std::string("raised ") + std::string(name(error.kind())) + ": " + error.what()};
    }
    for (const std::string &failure : failures)
      std::printf("FAIL %s (tier %d): %s\n", test.id.c_str(), tier.number, failure.c_str());
    return failures.empty();
  }

  CpuEngine engine_;
  std::vector<Tier> tiers_;
  std::set<std::string> named_;
  int passed_ = 0, failed_ = 0, unsupported_ = 0;
};

} // namespace

int main(int argc, char **argv) {
  Options options = parseOptions(argc, argv);
  try {
    Suite suite(options);
    bool read = true;
    for (const std::string &file : options.files)
      read &= suite.run(file);
    int failed = suite.finish();
    return read ? failed : 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "tenferro-cases: %s\n", error.what());
    return 1;
  }
}
