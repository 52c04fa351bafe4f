// How well does each part of a rod conduct heat? A rod of 24 cells starts with a known temperature profile;
// thermometers with noise read it while it evens out. The conductivity between neighbouring cells is recovered by
// following the heat backwards: 200 time steps are recorded, each a handful of operations, one backward pass gives the
// slope of the misfit by all 23 conductivities, and L-BFGS, written in the same operations, walks downhill.
#include "tenferro/tenferro.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <vector>

using namespace tenferro;

namespace {

constexpr int64_t kCells = 24;
constexpr int64_t kFaces = kCells - 1; ///< between neighbouring cells; no heat leaves at the ends
constexpr int kSteps = 200;
constexpr int kReadEvery = 5;   ///< steps between readings of all thermometers
constexpr double kPace = 0.25;  ///< time step over cell width squared; stable while conductivities stay below 2
constexpr double kNoise = 0.01; ///< standard deviation of a reading
constexpr double kSmooth = 0.1; ///< weight of the squared differences of neighbouring log conductivities
constexpr double kPi = 3.14159265358979323846;

//===- The experiment, in plain loops: what the library is to find out -----------------------------------------===//

/// Noise that is the same everywhere: twelve uniform numbers add up to nearly a Gaussian one.
class Noise {
public:
  double next() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      sum += std::ldexp(static_cast<double>(state_ >> 11), -53);
    }
    return sum;
  }

private:
  uint64_t state_ = 12345;
};

std::vector<double> startProfile() {
  std::vector<double> u(kCells);
  for (int64_t i = 0; i < kCells; ++i) {
    double x = (static_cast<double>(i) + 0.5) / kCells;
    u[i] = std::cos(kPi * x) + 0.5 * std::cos(2 * kPi * x) + 0.5 * std::cos(5 * kPi * x);
  }
  return u;
}

/// Conducts well on the left, badly on the right, and has a flaw at 0.3.
std::vector<double> trueConductivity() {
  std::vector<double> k(kFaces);
  for (int64_t i = 0; i < kFaces; ++i) {
    double x = static_cast<double>(i + 1) / kCells, flaw = (x - 0.3) / 0.08;
    k[i] = 0.8 + 0.4 * std::sin(2 * kPi * x) - 0.35 * std::exp(-flaw * flaw);
  }
  return k;
}

std::vector<Tensor> readThermometers(const std::vector<double> &k) {
  Noise noise;
  std::vector<Tensor> readings;
  std::vector<double> u = startProfile();
  for (int step = 1; step <= kSteps; ++step) {
    std::vector<double> next = u;
    for (int64_t i = 0; i < kFaces; ++i) {
      double heat = kPace * k[i] * (u[i + 1] - u[i]);
      next[i] += heat;
      next[i + 1] -= heat;
    }
    u = next;
    if (step % kReadEvery)
      continue;
    std::vector<double> seen = u;
    for (double &value : seen)
      value += kNoise * noise.next();
    readings.push_back(Tensor::from({kCells}, seen));
  }
  return readings;
}

//===- The model, in recorded operations -----------------------------------------------------------------------===//

/// One time step: heat flows across each face from the warmer cell to the colder one.
EagerTensor evenOut(EagerSession &s, const EagerTensor &u, const EagerTensor &k) {
  EagerTensor across = s.slice(u, {1}, {kCells}, {1}) - s.slice(u, {0}, {kCells - 1}, {1});
  EagerTensor heat = k * across;
  return u + kPace * (s.pad(heat, {0}, {1}, {0}) - s.pad(heat, {1}, {0}, {0}));
}

struct Experiment {
  EagerTensor start;
  std::vector<EagerTensor> readings;

  /// Mean squared misfit in units of the noise, so 1 is as well as the thermometers allow; plus the wish for a smooth
  /// field.
  EagerTensor objective(EagerSession &s, const EagerTensor &logConductivity) const {
    EagerTensor k = exp(logConductivity), u = start, misfit;
    for (int step = 1; step <= kSteps; ++step) {
      u = evenOut(s, u, k);
      if (step % kReadEvery)
        continue;
      EagerTensor off = sumSquares(u - readings[static_cast<size_t>(step / kReadEvery - 1)]);
      misfit = misfit.empty() ? off : misfit + off;
    }
    EagerTensor bends = s.slice(logConductivity, {1}, {kFaces}, {1}) - s.slice(logConductivity, {0}, {kFaces - 1}, {1});
    return misfit / (static_cast<double>(readings.size() * kCells) * kNoise * kNoise) + kSmooth * sumSquares(bends);
  }
};

double dot(const EagerTensor &a, const EagerTensor &b) { return sum(a * b).item<double>(); }

/// The last steps of a descent and what each changed in the gradient: enough of the curvature for long steps.
class Lbfgs {
public:
  /// Where to go from here, downhill.
  EagerTensor direction(const EagerTensor &gradient) const {
    EagerTensor d = -gradient;
    if (pairs_.empty())
      return d * (0.1 / std::sqrt(dot(gradient, gradient)));
    std::vector<double> weights;
    for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) {
      weights.push_back(dot(pair->moved, d) / pair->curvature);
      d = d - weights.back() * pair->turned;
    }
    const Pair &last = pairs_.back();
    d = d * (last.curvature / dot(last.turned, last.turned));
    for (const Pair &pair : pairs_) {
      d = d + (weights.back() - dot(pair.turned, d) / pair.curvature) * pair.moved;
      weights.pop_back();
    }
    return d;
  }

  void learn(const EagerTensor &moved, const EagerTensor &turned) {
    double curvature = dot(moved, turned);
    if (curvature <= 0)
      return;
    pairs_.push_back({moved, turned, curvature});
    if (pairs_.size() > 8)
      pairs_.pop_front();
  }

private:
  struct Pair {
    EagerTensor moved, turned;
    double curvature;
  };
  std::deque<Pair> pairs_;
};

//===- What the program says and checks ------------------------------------------------------------------------===//

int wrong = 0;

void check(const char *what, bool right) {
  wrong += !right;
  if (!right)
    std::printf("OFF: %s\n", what);
}

double milliseconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since).count();
}

/// Root mean square of the relative error, in percent.
double percentOff(const EagerTensor &logConductivity, const std::vector<double> &truth) {
  double sum = 0;
  std::vector<double> found = exp(logConductivity).toVector<double>();
  for (size_t i = 0; i < truth.size(); ++i)
    sum += std::pow(found[i] / truth[i] - 1, 2);
  return 100 * std::sqrt(sum / static_cast<double>(truth.size()));
}

} // namespace

int main() try {
  auto rt = EagerRuntime::create();
  CpuEngine engine({.threads = 1});
  Scope scope(rt, engine);
  EagerSession &s = currentSession();

  const std::vector<double> truth = trueConductivity();
  Experiment experiment{rt->constant(Tensor::from({kCells}, startProfile())), {}};
  for (const Tensor &reading : readThermometers(truth))
    experiment.readings.push_back(rt->constant(reading));
  std::printf("%lld cells, %d time steps, %zu readings of %lld thermometers\n", static_cast<long long>(kCells), kSteps,
              experiment.readings.size(), static_cast<long long>(kCells));

  // The unknown, as a logarithm so that it stays positive. To begin with, the rod is the same everywhere.
  EagerTensor unknown = rt->variable(Tensor::from({kFaces}, std::vector<double>(kFaces, std::log(0.8))));

  // One objective, its trace and its gradient.
  EagerTensor gradient;
  double value = 0;
  {
    size_t before = rt->recordCount();
    auto start = std::chrono::steady_clock::now();
    EagerTensor loss = experiment.objective(s, unknown);
    double recording = milliseconds(start);
    size_t recorded = rt->recordCount() - before;
    start = std::chrono::steady_clock::now();
    gradient = rt->constant(*loss.backward(engine).of(unknown));
    double first = milliseconds(start);
    rt->clearGrads();
    start = std::chrono::steady_clock::now();
    loss.backward(engine);
    double warm = milliseconds(start);
    rt->clearGrads();
    value = loss.item<double>();
    std::printf("trace: %zu operations and constants, run and recorded in %.2f ms\n", recorded, recording);
    std::printf("gradient: %.0f ms with compiling it, then %.2f ms; the program takes %.0f KiB\n", first, warm,
                static_cast<double>(rt->cacheStats().preparedDerivatives.retainedBytes) / 1024);
    check("a trace of at least 2,000 operations", recorded >= 2000);
  }

  // Against differences of fourth order, along a wave.
  {
    auto guard = rt->noGrad();
    EagerTensor wave = sin(s.iota({kFaces}, 0, DType::F64));
    auto moved = [&](double by) { return experiment.objective(s, unknown + by * wave).item<double>(); };
    constexpr double h = 1e-3;
    double slope = dot(gradient, wave),
           difference = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
    std::printf("slope along a wave: %.9f, by differences %.9f\n", slope, difference);
    check("the slope along a wave", std::fabs(slope - difference) <= 1e-7 * std::fabs(difference));
  }

  Lbfgs lbfgs;
  std::printf("\n  step     objective     |gradient|    conductivity off by\n");
  int steps = 0, evaluations = 0;
  for (;; ++steps) {
    double steepness = std::sqrt(dot(gradient, gradient));
    bool done = steepness < 1e-3 || steps == 100;
    if (done || steps % 5 == 0)
      std::printf("  %4d  %12.6f   %12.6f   %10.2f %%\n", steps, value, steepness, percentOff(unknown, truth));
    if (done)
      break;
    EagerTensor direction = lbfgs.direction(gradient), from = unknown.detach();
    double slope = dot(gradient, direction);
    // Half as far until it is lower there by a fair part of what the slope promises.
    for (double length = 1; length > 1e-6; length /= 2) {
      EagerTensor step = length * direction;
      unknown.assign(from + step);
      EagerTensor loss = experiment.objective(s, unknown);
      ++evaluations;
      if (!(loss.item<double>() <= value + 1e-4 * length * slope))
        continue;
      EagerTensor next = rt->constant(*loss.backward(engine).of(unknown));
      rt->clearGrads();
      lbfgs.learn(step, next - gradient);
      value = loss.item<double>();
      gradient = next;
      break;
    }
  }

  std::printf("\n  face    found     true\n");
  std::vector<double> found = exp(unknown).toVector<double>();
  for (size_t i = 0; i < found.size(); i += 2)
    std::printf("  %4zu   %6.3f   %6.3f  %s\n", i, found[i], truth[i],
                std::string(static_cast<size_t>(30 * found[i]), '#').c_str());

  CacheStats stats = rt->cacheStats().preparedDerivatives;
  std::printf("\n%d evaluations; compiled %llu time, answered from the cache %llu times\n", evaluations,
              static_cast<unsigned long long>(stats.misses), static_cast<unsigned long long>(stats.hits));
  double off = percentOff(unknown, truth);
  std::printf("conductivity recovered to %.2f %%, from readings that are off by %.2f degrees\n", off, kNoise);
  check("one compiled program", stats.misses == 1);
  check("an objective as low as the noise", value > 0.9 && value < 1.1);
  check("a conductivity within 4 %", off < 4);
  std::printf(wrong ? "%d numbers are off\n" : "all numbers are right\n", wrong);
  return wrong ? 1 : 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "heat_inverse: %s\n", error.what());
  return 1;
}
