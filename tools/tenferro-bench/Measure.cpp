// Timing of one case and its record.
#include "tools/tenferro-bench/Measure.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace tenferro::bench {

double now() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool Reporter::wanted(std::string_view bench, std::string_view name) const {
  std::string full = std::string(bench) + "." + std::string(name);
  return full.find(options_.filter) != std::string::npos;
}

void Reporter::report(std::string_view bench, const std::string &name, std::vector<double> samples,
                      std::string_view unit) {
  std::sort(samples.begin(), samples.end());
  std::printf("{\"peer\":\"tenferro\",\"version\":\"%s\",\"bench\":\"%.*s\",\"case\":\"%s\",\"threads\":%d,"
              "\"unit\":\"%.*s\",\"min\":%.1f,\"median\":%.1f,\"n\":%zu}\n",
              TENFERRO_VERSION, static_cast<int>(bench.size()), bench.data(), name.c_str(), options_.threads,
              static_cast<int>(unit.size()), unit.data(), samples.front(), samples[samples.size() / 2],
              samples.size());
  std::fflush(stdout);
  ++records_;
}

void Reporter::error(std::string_view bench, const std::string &name, std::string_view message) {
  std::string escaped;
  for (char c : message) {
    if (c == '"' || c == '\\')
      escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  std::printf("{\"peer\":\"tenferro\",\"version\":\"%s\",\"bench\":\"%.*s\",\"case\":\"%s\",\"threads\":%d,\"error\":\"%s\"}\n",
              TENFERRO_VERSION, static_cast<int>(bench.size()), bench.data(), name.c_str(), options_.threads,
              escaped.c_str());
  std::fflush(stdout);
  ++records_;
}

void Reporter::warmUp(const std::function<void()> &body) const {
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 10; ++i)
      body();
    for (const std::weak_ptr<EagerRuntime> &watched : runtimes_)
      if (std::shared_ptr<EagerRuntime> runtime = watched.lock())
        runtime->finishCompiles();
  }
}

void Reporter::measure(std::string_view bench, const std::string &name, const std::function<void()> &body) {
  if (!wanted(bench, name))
    return;
  warmUp(body);
  double start = now();
  body();
  int batch = std::max(1, static_cast<int>(20000 / std::max(1.0, now() - start)));
  std::vector<double> samples;
  double end = now() + options_.secondsPerCase * 1e9;
  while (samples.size() < 30 || (now() < end && samples.size() < 200000)) {
    double begin = now();
    for (int i = 0; i < batch; ++i)
      body();
    samples.push_back((now() - begin) / batch);
  }
  report(bench, name, std::move(samples));
}

void Reporter::measureSamples(std::string_view bench, const std::string &name, const std::function<double()> &sample) {
  if (!wanted(bench, name))
    return;
  warmUp(sample);
  std::vector<double> samples;
  double end = now() + options_.secondsPerCase * 1e9;
  while (samples.size() < 300 || (now() < end && samples.size() < 200000))
    samples.push_back(sample());
  report(bench, name, std::move(samples));
}

void Reporter::measureLong(std::string_view bench, const std::string &name, const std::function<double()> &sample) {
  if (!wanted(bench, name))
    return;
  sample();
  std::vector<double> samples;
  double end = now() + options_.secondsPerCase * 1e9;
  while (samples.size() < 3 || (now() < end && samples.size() < 200000))
    samples.push_back(sample());
  report(bench, name, std::move(samples));
}

} // namespace tenferro::bench
