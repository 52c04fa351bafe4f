// Trains a 64-32-10 network on handwritten digits by full-batch gradient descent, in eager operations. Each step's
// derivative is one compiled program, prepared in the first step and found in the cache in all others.
#include "tenferro/tenferro.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

#ifndef TENFERRO_DIGITS // its folder of data, from the root of the tree
#define TENFERRO_DIGITS "test/data/digits"
#endif

using namespace tenferro;

namespace {

constexpr int kSteps = 200;
constexpr double kRate = 0.5;
constexpr int64_t kTrainRows = 1500;

/// What the same training gives elsewhere (digits_mlp.json beside the data), to be met to 1e-10 relative.
struct Reference {
  int step;
  double loss;
};
constexpr Reference kLosses[] = {{0, 2.3215331857363197},   {1, 2.1798923128473118},    {2, 2.0750705622010885},
                                 {5, 1.7863500964240882},   {10, 1.3470042735566745},   {20, 0.7866875399875785},
                                 {50, 0.32180972133179553}, {100, 0.16570163896841847}, {150, 0.11562528838146414},
                                 {199, 0.09071570864576291}};
constexpr double kTrainAccuracy = 0.9846666666666667, kTestAccuracy = 0.9124579124579124;

struct Network {
  EagerTensor w1, b1, w2, b2;

  EagerTensor logits(const EagerTensor &images) const { return matmul(tanh(matmul(images, w1) + b1), w2) + b2; }
};

Tensor rows(const Tensor &t, int64_t first, int64_t last) {
  IntList starts(static_cast<size_t>(t.rank()), 0), limits(t.shape()), strides(static_cast<size_t>(t.rank()), 1);
  starts[0] = first;
  limits[0] = last;
  return t.sliced(starts, limits, strides).contiguous();
}

double accuracy(const EagerTensor &logits, const Tensor &labels) {
  std::vector<double> scores = logits.toVector<double>(); // column-major: one class after the other
  std::vector<uint8_t> truth = labels.toVector<uint8_t>();
  size_t count = truth.size(), classes = scores.size() / count, right = 0;
  for (size_t row = 0; row < count; ++row) {
    size_t best = 0;
    for (size_t c = 1; c < classes; ++c)
      if (scores[c * count + row] > scores[best * count + row])
        best = c;
    right += best == truth[row];
  }
  return static_cast<double>(right) / static_cast<double>(count);
}

int wrong = 0;

void check(const std::string &what, double got, double want, double relative) {
  if (std::fabs(got - want) <= relative * std::fabs(want))
    return;
  ++wrong;
  std::printf("OFF: %s is %.17g, but %.17g is right\n", what.c_str(), got, want);
}

} // namespace

int main(int argc, char **argv) try {
  std::string folder = argc > 1 ? argv[1] : TENFERRO_DIGITS;
  Tensor images = readNpy(folder + "/digits_images.npy"), labels = readNpy(folder + "/digits_labels.npy");
  std::printf("digits: images %s, labels %s\n", images.shape().str().c_str(), labels.shape().str().c_str());

  auto rt = EagerRuntime::create();
  CpuEngine engine({.threads = 1});
  Scope scope(rt, engine);

  auto load = [&](const char *name) { return rt->variable(readNpy(folder + "/digits_mlp_" + name + ".npy")); };
  Network network{load("w1"), load("b1"), load("w2"), load("b2")};
  const EagerTensor *parameters[] = {&network.w1, &network.b1, &network.w2, &network.b2};

  // Pixels 0..16 become numbers 0..1.
  auto prepare = [&](const Tensor &pixels) {
    return currentSession().convert(rt->constant(pixels), DType::F64) / 16.0;
  };
  int64_t count = images.shape()[0];
  EagerTensor trainImages = prepare(rows(images, 0, kTrainRows)), testImages = prepare(rows(images, kTrainRows, count));
  Tensor trainLabels = rows(labels, 0, kTrainRows), testLabels = rows(labels, kTrainRows, count);
  EagerTensor targets = rt->constant(trainLabels);

  bool terminal = isatty(STDOUT_FILENO);
  std::vector<double> losses;
  auto start = std::chrono::steady_clock::now();
  double firstStep = 0;
  for (int step = 0; step < kSteps; ++step) {
    EagerTensor loss = crossEntropy(network.logits(trainImages), targets);
    losses.push_back(loss.item<double>());
    Gradients gradients = loss.backward(engine);
    {
      auto guard = rt->noGrad();
      for (const EagerTensor *parameter : parameters)
        parameter->assign(*parameter - kRate * rt->constant(*gradients.of(*parameter)));
    }
    rt->clearGrads();

    double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (step == 0)
      firstStep = elapsed;
    if (terminal) {
      std::printf("\rstep %3d/%d  loss %.6f  %.1f s ", step + 1, kSteps, losses.back(), elapsed);
      std::fflush(stdout);
    }
  }
  double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (terminal)
    std::printf("\r\033[K");

  for (const Reference &reference : kLosses) {
    double loss = losses[static_cast<size_t>(reference.step)];
    std::printf("step %3d  loss %.16f\n", reference.step, loss);
    check("loss of step " + std::to_string(reference.step), loss, reference.loss, 1e-10);
  }
  double trainAccuracy = accuracy(network.logits(trainImages), trainLabels),
         testAccuracy = accuracy(network.logits(testImages), testLabels);
  std::printf("accuracy: train %.4f, test %.4f\n", trainAccuracy, testAccuracy);
  check("train accuracy", trainAccuracy, kTrainAccuracy, 1e-12);
  check("test accuracy", testAccuracy, kTestAccuracy, 1e-12);

  CacheStats prepared = rt->cacheStats().preparedDerivatives;
  std::printf("prepared derivatives: %llu entry, %llu hits, %llu miss, %.1f KiB retained\n",
              static_cast<unsigned long long>(prepared.entries), static_cast<unsigned long long>(prepared.hits),
              static_cast<unsigned long long>(prepared.misses), static_cast<double>(prepared.retainedBytes) / 1024);
  check("entries", static_cast<double>(prepared.entries), 1, 0);
  check("misses", static_cast<double>(prepared.misses), 1, 0);
  check("hits", static_cast<double>(prepared.hits), kSteps - 1, 0);
  std::printf("time: first step %.1f ms, then %.2f ms per step\n", 1e3 * firstStep,
              1e3 * (elapsed - firstStep) / (kSteps - 1));
  std::printf(wrong ? "%d numbers are off\n" : "all numbers are as the reference says\n", wrong);
  return wrong ? 1 : 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "train_digits: %s\n", error.what());
  return 1;
}
