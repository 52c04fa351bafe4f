// A process of its own for the tests of the disk cache: differentiates a few structures and says what it did.
//
// usage: disk-child DIRECTORY WORD...: DIRECTORY "-" leaves the folder to the environment. Words: the number of a
// structure, "second" (the gradient of a gradient), "compiled" (a compiled function), "family" (an extension that halves),
// "kernel" (with another kernel: it quarters), "rule" (with another rule as well, of quarters), "modules" (the second one
// of the first one's gradient), "custom" (a function with a rule of its own); and before them "never" and "background"
// (policies; immediate without), "v3" (the lower CPU level), "twice" (all words in two runtimes of one process), "explain"
// (the end of explainCache), "hasty" (ends after the results, with the runtime alive: prints no more than the bits).
// Prints "bits" with the results in hexadecimal, "microseconds" from making the first runtime to its first result,
// "llvm" 0 or 1 (whether a library of LLVM is mapped), and the counters.
#include "tenferro/tenferro.h"

#include <bit>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

using namespace tenferro;

namespace {

using Clock = std::chrono::steady_clock;

bool isMapped(const char *library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(library) != std::string::npos)
      return true;
  return false;
}

/// A chain of `number` + 1 operations.
EagerTensor chain(EagerSession &s, const EagerTensor &x, int number) {
  EagerTensor y = x;
  for (int i = 0; i <= number; ++i)
    y = i % 3 == 0 ? s.mul(y, x) : i % 3 == 1 ? s.sin(y) : s.add(y, x);
  return s.sum(y);
}

/// Multiplies by `factor`, and its transpose by `slope`, by a call of itself and a number of the rule.
ExtensionModule scaling(double factor, double slope) {
  ExtensionSpec spec;
  spec.family = "test.scaling.v1";
  spec.shape = [](const std::vector<TensorType> &inputs, const IntList &) { return inputs; };
  spec.kernels = {{EngineKind::Cpu, [factor](ExtensionContext &, const std::vector<KernelInput> &inputs,
                                       const std::vector<KernelOutput> &outputs) {
                     for (int64_t i = 0; i < inputs[0].elementCount(); ++i)
                       outputs[0].data<double>()[i] = factor * inputs[0].data<double>()[i];
                   }}};
  spec.transpose = [slope](const RuleContext &, const TensorList &cotangents) {
    return TensorList{extension("test.scaling.v1", cotangents)[0] * slope};
  };
  return ExtensionModule(std::move(spec));
}

class Run {
public:
  Run(const RuntimeOptions &options, const CpuEngineOptions &engine)
      : runtime_(EagerRuntime::create(options)), engine_(engine),
        x_(runtime_->variable(Tensor::from({3}, std::vector<double>{0.25, -1.5, 3}))) {}

  EagerTensor derivative(const std::string &word) {
    if (word == "compiled")
      return runtime_->compile([](EagerSession &s, const EagerTensor &x) { return chain(s, x, 4); })
          .valueAndGrad(engine_, x_)
          .derivative;
    if (word == "second") {
      EagerTensor first = runtime_->grad(engine_, onSession([&](EagerSession &s) { return chain(s, x_, 1); }), x_);
      return runtime_->grad(engine_, onSession([&](EagerSession &s) { return s.sum(s.mul(first, first)); }), x_);
    }
    if (word == "family" || word == "kernel" || word == "rule") {
      runtime_->installExtension(scaling(word == "family" ? 0.5 : 0.25, word == "rule" ? 2 : 1));
      return runtime_->grad(
          engine_, onSession([&](EagerSession &s) { return s.sum(extension("test.scaling.v1", {s.mul(x_, x_)})[0]); }),
          x_);
    }
    if (word == "modules") {
      runtime_->installExtension(scaling(0.5, 1));
      EagerTensor first = runtime_->grad(
          engine_, onSession([&](EagerSession &s) {
            return s.sum(extension("test.scaling.v1", {s.mul(s.mul(x_, x_), x_)})[0]);
          }),
          x_);
      runtime_->installExtension(scaling(0.25, 1));
      return runtime_->grad(
          engine_, onSession([&](EagerSession &s) { return s.sum(extension("test.scaling.v1", {first})[0]); }), x_);
    }
    if (word == "custom") {
      CustomFunction cube = customVjp(
          "cube", [](const EagerTensor &x) { return x * x * x; },
          [](const EagerTensor &x, const EagerTensor &, const EagerTensor &ct) { return 3 * x * x * ct; });
      return runtime_->grad(engine_, onSession([&](EagerSession &s) { return s.sum(cube(x_)); }), x_);
    }
    return runtime_->grad(engine_, onSession([&](EagerSession &s) { return chain(s, x_, std::atoi(word.c_str())); }),
                          x_);
  }

  EagerRuntime &runtime() { return *runtime_; }

private:
  template <typename Body> EagerTensor onSession(Body &&body) { return runtime_->session(engine_, body); }
  std::shared_ptr<EagerRuntime> runtime_;
  CpuEngine engine_;
  EagerTensor x_;
};

} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  RuntimeOptions options;
  CpuEngineOptions engine;
  options.policy = CompilePolicy::Immediate;
  if (std::string(argv[1]) != "-")
    options.diskCache.directory = argv[1];
  else if (const char *directory = std::getenv("DISK_CHILD_CACHE_DIR")) // tests turn the library's own variable off
    setenv("TENFERRO_CACHE_DIR", directory, 1);
  else
    unsetenv("TENFERRO_CACHE_DIR");
  int rounds = 1;
  bool explain = false, hasty = false;
  std::vector<std::string> words;
  for (int i = 2; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "never")
      options.policy = CompilePolicy::Never;
    else if (word == "background")
      options.policy = CompilePolicy::Background;
    else if (word == "v3")
      engine.features = CpuFeatures::V3;
    else if (word == "twice")
      rounds = 2;
    else if (word == "hasty")
      hasty = true;
    else if (word == "explain")
      explain = true;
    else
      words.push_back(word);
  }

  long long microseconds = -1;
  uint64_t fused = 0, compiled = 0;
  DiskCacheStats sum;
  std::string explanation;
  for (int round = 0; round < rounds; ++round) {
    const Clock::time_point start = Clock::now();
    Run run(options, engine);
    for (const std::string &word : words) {
      std::vector<double> bits = run.derivative(word).toVector<double>();
      if (microseconds < 0)
        microseconds = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
      std::printf("bits %s", word.c_str());
      for (double value : bits)
        std::printf(" %016" PRIx64, std::bit_cast<uint64_t>(value));
      std::printf("\n");
    }
    if (hasty)
      std::exit(0);
    run.runtime().finishCompiles();
    const CompileStats compiles = run.runtime().cacheStats().compiles;
    fused += compiles.runsFused;
    compiled += compiles.done;
    const DiskCacheStats stats = run.runtime().cacheStats().disk;
    sum.hits += stats.hits;
    sum.misses += stats.misses;
    sum.writes += stats.writes;
    sum.rejected += stats.rejected;
    sum.skipped += stats.skipped;
    sum.failures += stats.failures;
    explanation = run.runtime().explainCache();
  }
  std::printf("microseconds %lld\nllvm %d\n", microseconds,
              isMapped("libLLVM") || isMapped("libMLIR") || isMapped("libtenferro-compiler"));
  std::printf("fused %" PRIu64 "\ncompiled %" PRIu64 "\n", fused, compiled);
  std::printf("hits %" PRIu64 "\nmisses %" PRIu64 "\nwrites %" PRIu64 "\nrejected %" PRIu64 "\nskipped %" PRIu64
              "\nfailures %" PRIu64 "\n",
              sum.hits, sum.misses, sum.writes, sum.rejected, sum.skipped, sum.failures);
  if (explain)
    std::printf("%s", explanation.c_str());
  return 0;
}
