// Timing of one case and its record: one JSON object a line, as README's comparison reads them.
#ifndef TENFERRO_TOOLS_BENCH_MEASURE_H
#define TENFERRO_TOOLS_BENCH_MEASURE_H

#include "tenferro/EagerRuntime.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenferro::bench {

struct Options {
  std::string filter; ///< runs the cases whose "bench.case" contains it
  int threads = 1;
  double secondsPerCase = 0.5;
  std::string data; ///< the folder of einsum/*.json and permutation_patterns.json; may be empty
};

/// Nanoseconds of a monotonic clock.
double now();

class Reporter {
public:
  explicit Reporter(Options options) : options_(std::move(options)) {}
  const Options &options() const { return options_; }
  bool wanted(std::string_view bench, std::string_view name) const;

  /// Warm-ups from now on end when what this runtime compiles in the background is done.
  void waitFor(const std::shared_ptr<EagerRuntime> &runtime) { runtimes_.push_back(runtime); }

  /// Times `body` batched so that a sample lasts at least 20 us, at least 30 samples; medians are over samples.
  void measure(std::string_view bench, const std::string &name, const std::function<void()> &body);
  /// The same for work with a part outside the clock: `sample` returns the nanoseconds it measured itself.
  void measureSamples(std::string_view bench, const std::string &name, const std::function<double()> &sample);
  /// The same for work of milliseconds to minutes: one run to warm up, at least three samples, and no more than the time of a case.
  void measureLong(std::string_view bench, const std::string &name, const std::function<double()> &sample);
  /// One record of samples already taken, in `unit`.
  void report(std::string_view bench, const std::string &name, std::vector<double> samples, std::string_view unit = "ns");
  void error(std::string_view bench, const std::string &name, std::string_view message);
  /// Records so far.
  size_t records() const { return records_; }

private:
  void warmUp(const std::function<void()> &body) const;

  Options options_;
  size_t records_ = 0;
  std::vector<std::weak_ptr<EagerRuntime>> runtimes_;
};

} // namespace tenferro::bench

#endif // TENFERRO_TOOLS_BENCH_MEASURE_H
