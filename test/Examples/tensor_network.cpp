// Contracts two tensor networks pair by pair, as an einsum over a given order would, and differentiates the result by
// every tensor at once. A pair becomes one dotGeneral: a label that nothing else carries is contracted, one that others
// still need is a batch label. The derivative is checked in two ways that know nothing of it.
#include "tenferro/tenferro.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#ifndef TENFERRO_NETWORKS // its folder of data, from the root of the tree
#define TENFERRO_NETWORKS "test/data/einsum"
#endif

using namespace tenferro;

namespace {

using Labels = std::vector<int64_t>;

/// A network as its file states it.
struct Network {
  std::vector<Labels> labels;
  std::vector<Shape> shapes;
  Labels result;
  std::vector<std::pair<size_t, size_t>> order; ///< positions in the list; the contraction joins its end
};

Network readNetwork(const std::string &path) {
  std::ifstream file(path);
  std::string word;
  size_t count = 0;
  auto skipLine = [&] { file.ignore(std::numeric_limits<std::streamsize>::max(), '\n'); };
  while (file.peek() == '#')
    skipLine();
  Network network;
  file >> word >> count;
  skipLine();
  for (std::string line; network.labels.size() < count && std::getline(file, line);) {
    Labels labels;
    Shape shape;
    for (const char *at = line.c_str(); *at;) {
      char *end = nullptr;
      labels.push_back(std::strtoll(at, &end, 10));
      shape.push_back(std::strtoll(end + 1, &end, 10)); // past the colon
      at = *end ? end + 1 : end;
    }
    network.labels.push_back(labels);
    network.shapes.push_back(shape);
  }
  file >> word >> count;
  network.result.resize(count);
  for (int64_t &label : network.result)
    file >> label;
  file >> word >> count;
  network.order.resize(count);
  for (auto &[first, second] : network.order)
    file >> first >> second;
  if (!file || network.order.size() + 1 != network.labels.size())
    throw std::runtime_error("expects a tensor network in " + path);
  return network;
}

/// A tensor of the network with the label of each axis.
struct Labelled {
  EagerTensor tensor;
  Labels labels;
};

bool has(const Labels &labels, int64_t label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }

int64_t axisOf(const Labels &labels, int64_t label) {
  return std::find(labels.begin(), labels.end(), label) - labels.begin();
}

/// Sums over the labels that only `x` carries and nobody needs.
Labelled withoutLoose(const Labelled &x, const Labels &other, const Labels &needed) {
  IntList loose;
  Labels kept;
  for (size_t axis = 0; axis < x.labels.size(); ++axis) {
    if (has(other, x.labels[axis]) || has(needed, x.labels[axis]))
      kept.push_back(x.labels[axis]);
    else
      loose.push_back(static_cast<int64_t>(axis));
  }
  return loose.empty() ? x : Labelled{sum(x.tensor, loose), kept};
}

/// The contraction of two tensors: axes are a's free ones, b's free ones, then the shared ones somebody still needs.
Labelled contractPair(const Labelled &first, const Labelled &second, const Labels &needed) {
  Labelled a = withoutLoose(first, second.labels, needed), b = withoutLoose(second, first.labels, needed);
  DotDimensions dims;
  Labels labels, batch;
  for (int64_t label : a.labels) {
    if (!has(b.labels, label)) {
      labels.push_back(label);
      continue;
    }
    bool stays = has(needed, label);
    (stays ? dims.lhsBatch : dims.lhsContracting).push_back(axisOf(a.labels, label));
    (stays ? dims.rhsBatch : dims.rhsContracting).push_back(axisOf(b.labels, label));
    if (stays)
      batch.push_back(label);
  }
  for (int64_t label : b.labels)
    if (!has(a.labels, label))
      labels.push_back(label);
  labels.insert(labels.end(), batch.begin(), batch.end());
  return {currentSession().dotGeneral(a.tensor, b.tensor, dims), labels};
}

/// The whole network, its axes in the order of `result`.
EagerTensor contract(const Network &network, const std::vector<EagerTensor> &tensors) {
  std::vector<Labelled> list;
  std::map<int64_t, int> uses; // of each label, by tensors of the list and the result
  for (size_t i = 0; i < tensors.size(); ++i) {
    list.push_back({tensors[i], network.labels[i]});
    for (int64_t label : network.labels[i])
      ++uses[label];
  }
  for (int64_t label : network.result)
    ++uses[label];

  for (auto [i, j] : network.order) {
    Labelled a = list[i], b = list[j];
    for (size_t position : {std::max(i, j), std::min(i, j)})
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(position));
    for (const Labelled *gone : {&a, &b})
      for (int64_t label : gone->labels)
        --uses[label];
    Labels needed;
    for (const Labels *labels : {&a.labels, &b.labels})
      for (int64_t label : *labels)
        if (uses[label] > 0)
          needed.push_back(label);
    list.push_back(contractPair(a, b, needed));
    for (int64_t label : list.back().labels)
      ++uses[label];
  }
  IntList permutation;
  for (int64_t label : network.result)
    permutation.push_back(axisOf(list[0].labels, label));
  return transpose(list[0].tensor, permutation);
}

/// Numbers in [0, 1), the same everywhere.
class Numbers {
public:
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return std::ldexp(static_cast<double>(state_ >> 11), -53);
  }

private:
  uint64_t state_ = 1;
};

/// Elements around a size that makes the contraction about 1: each label's extent is shared among the tensors with it.
std::vector<Tensor> fill(const Network &network) {
  std::map<int64_t, int> uses;
  for (const Labels &labels : network.labels)
    for (int64_t label : labels)
      ++uses[label];
  Numbers numbers;
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < network.labels.size(); ++i) {
    double scale = 1;
    int64_t count = 1;
    for (size_t axis = 0; axis < network.labels[i].size(); ++axis) {
      count *= network.shapes[i][axis];
      scale *= std::pow(static_cast<double>(network.shapes[i][axis]), -1.0 / uses[network.labels[i][axis]]);
    }
    std::vector<double> elements(static_cast<size_t>(count));
    for (double &element : elements)
      element = scale * (0.5 + numbers.next());
    tensors.push_back(Tensor::from(network.shapes[i], elements));
  }
  return tensors;
}

int wrong = 0;

void check(const char *what, double got, double want, double relative) {
  bool right = std::fabs(got - want) <= relative * std::fabs(want);
  wrong += !right;
  std::printf("  %-38s %.13f, should be %.13f%s\n", what, got, want, right ? "" : "  OFF");
}

double milliseconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since).count();
}

/// `expected` is what NumPy's einsum gives for the sum of the result along the same order.
void run(const std::string &title, const std::string &path, double expected) {
  Network network = readNetwork(path);
  auto rt = EagerRuntime::create();
  CpuEngine engine({.threads = 1});
  Scope scope(rt, engine);
  std::vector<EagerTensor> tensors;
  for (const Tensor &tensor : fill(network))
    tensors.push_back(rt->variable(tensor));
  std::printf("%s: %zu tensors\n", title.c_str(), tensors.size());

  size_t leaves = rt->recordCount();
  auto start = std::chrono::steady_clock::now();
  EagerTensor total = sum(contract(network, tensors));
  std::printf("  contracted in %zu recorded operations, %.0f ms\n", rt->recordCount() - leaves, milliseconds(start));
  start = std::chrono::steady_clock::now();
  total.backward(engine);
  double first = milliseconds(start);
  rt->clearGrads();
  start = std::chrono::steady_clock::now();
  total.backward(engine);
  std::printf("  gradient by all tensors: %.0f ms with compiling it, then %.0f ms\n", first, milliseconds(start));
  check("value", total.item<double>(), expected, 1e-11);

  auto guard = rt->noGrad();
  // The total is linear in each tensor, so <tensor, its gradient> is the total, for every one of them.
  double value = total.item<double>(), worst = value;
  for (const EagerTensor &tensor : tensors) {
    double product = sum(tensor * rt->constant(*tensor.grad())).item<double>();
    if (std::fabs(product - value) > std::fabs(worst - value))
      worst = product;
  }
  check("<tensor, gradient>, the worst of all", worst, value, 1e-11);

  // Along a random direction, against central differences of fourth order: the total is a polynomial of high degree.
  Numbers numbers;
  constexpr double h = 1e-4;
  double slope = 0;
  std::vector<EagerTensor> directions;
  for (const EagerTensor &tensor : tensors) {
    std::vector<double> direction = tensor.toVector<double>();
    for (double &element : direction)
      element *= 2 * numbers.next() - 1;
    directions.push_back(rt->constant(Tensor::from(tensor.shape(), direction)));
    slope += sum(directions.back() * rt->constant(*tensor.grad())).item<double>();
  }
  auto moved = [&](double by) {
    std::vector<EagerTensor> there;
    for (size_t i = 0; i < tensors.size(); ++i)
      there.push_back(tensors[i] + by * directions[i]);
    return sum(contract(network, there)).item<double>();
  };
  double difference = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
  check("slope along a direction", slope, difference, 1e-9);
}

} // namespace

int main(int argc, char **argv) try {
  std::string folder = argc > 1 ? argv[1] : TENFERRO_NETWORKS;
  run("inner product of two matrix product states", folder + "/mps_inner_product_200.txt", 0.9414320373152061);
  run("likelihood under a tree of tensors", folder + "/language_model_84.txt", 1.0336007020807758);
  std::printf(wrong ? "%d numbers are off\n" : "all numbers are right\n", wrong);
  return wrong ? 1 : 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "tensor_network: %s\n", error.what());
  return 1;
}
