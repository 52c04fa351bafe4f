// startup and memory: figures of fresh processes. The bench runs itself again with --child, and the child prints one number.
#include "tools/tenferro-bench/Benches.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace tenferro::bench {

namespace {

/// sum(c x x) of 64 doubles and its gradient, in a process that has done nothing before.
void firstGradient(int threads) {
  CpuEngine engine({.threads = threads});
  auto runtime = EagerRuntime::create();
  EagerTensor x = runtime->variable(random({64}, DType::F64, 1)), c = runtime->constant(random({64}, DType::F64, 2));
  runtime->session(engine, [&](EagerSession &s) { return s.sum(s.mul(s.mul(c, x), x)); }).backward(engine);
}

/// What a child of this kind prints: times of the monotonic clock, which all processes share, or bytes.
double childFigure(const std::string &kind, double atMain, int threads) {
  if (kind == "import")
    return atMain;
  if (kind == "create_to_gradient") {
    const double start = now();
    firstGradient(threads);
    return now() - start;
  }
  firstGradient(threads);
  if (kind == "first_gradient")
    return now();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

/// Runs a child with `cache` as its disk cache and returns what it prints; `since`, if given, is when it was started.
double runChild(const std::string &kind, const std::string &cache, int threads, double *since = nullptr) {
  const std::string count = std::to_string(threads);
  std::string name = "tenferro-bench", option = "--child", threadsOption = "--threads", kindText = kind, countText = count;
  char *arguments[] = {name.data(), threadsOption.data(), countText.data(), option.data(), kindText.data(), nullptr};
  std::vector<std::string> texts;
  for (char **entry = environ; *entry; ++entry)
    if (std::string(*entry).rfind("TENFERRO_CACHE_DIR=", 0) != 0)
      texts.push_back(*entry);
  texts.push_back("TENFERRO_CACHE_DIR=" + cache);
  std::vector<char *> environment;
  for (std::string &text : texts)
    environment.push_back(text.data());
  environment.push_back(nullptr);

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe for a child process");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (since)
    *since = now();
  pid_t child = 0;
  const int failed = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char part[64];
  for (ssize_t got; !failed && (got = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<size_t>(got));
  close(ends[0]);
  int status = 0;
  if (failed || waitpid(child, &status, 0) != child || status != 0 || text.empty())
    throw std::runtime_error("a child process of the bench failed");
  return std::strtod(text.c_str(), nullptr);
}

/// A folder that is gone when this is.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "tenferro-bench.XXXXXX";
    if (!mkdtemp(pattern.data()))
      throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

} // namespace

int runAsChild(const std::string &kind, double atMain, int threads) {
  std::printf("%.1f\n", childFigure(kind, atMain, threads));
  return 0;
}

void startup(Reporter &reporter) {
  const int threads = reporter.options().threads;
  constexpr int kRuns = 30;
  auto since = [&](const char *bench, const std::string &name, const std::string &kind, const std::string &cache) {
    if (!reporter.wanted(bench, name))
      return;
    runChild(kind, cache, threads); // the files are in memory now, and the cache is filled if there is one
    std::vector<double> samples;
    for (int run = 0; run < kRuns; ++run) {
      double start = 0;
      double end = runChild(kind, cache, threads, &start);
      samples.push_back(end - start);
    }
    reporter.report(bench, name, std::move(samples));
  };
  auto plain = [&](const char *bench, const std::string &name, const std::string &kind, const std::string &cache, const char *unit) {
    if (!reporter.wanted(bench, name))
      return;
    runChild(kind, cache, threads);
    std::vector<double> samples;
    for (int run = 0; run < kRuns; ++run)
      samples.push_back(runChild(kind, cache, threads));
    reporter.report(bench, name, std::move(samples), unit);
  };
  TemporaryFolder folder;
  since("startup", "import", "import", "off"); // with the start of the process, which the Python peers leave out
  since("startup", "first_gradient.64", "first_gradient", "off");
  since("startup", "first_gradient.disk_cache.64", "first_gradient", folder.path());
  plain("startup", "create_to_gradient.64", "create_to_gradient", "off", "ns");
  plain("startup", "create_to_gradient.disk_cache.64", "create_to_gradient", folder.path(), "ns");
  plain("memory", "rss.loop3.64", "rss", "off", "bytes");
}

} // namespace tenferro::bench
