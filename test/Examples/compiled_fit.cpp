// Fits a line through points with compiled functions: one for the misfit and its gradients, one for the step.
// Prints the fit after 500 steps of gradient descent, and how often the functions ran.
#include <iostream>
#include <tenferro/tenferro.h>
#include <tuple>
#include <vector>

using namespace tenferro;

struct Line {
  EagerTensor slope, offset;
};
// What a compiled function needs to know of a type of ours.
static auto tensors(Line &line) { return std::tie(line.slope, line.offset); }

int main() {
  auto rt = EagerRuntime::create();
  CpuEngine engine({.threads = 1});
  Scope scope(rt, engine);

  // Points on y = 3 x - 2.
  std::vector<double> xs, ys;
  for (int i = 0; i < 16; ++i) {
    xs.push_back(i / 8.0 - 1);
    ys.push_back(3 * xs.back() - 2);
  }
  auto x = rt->constant(Tensor::from({16}, xs)), y = rt->constant(Tensor::from({16}, ys));

  int recordings = 0;
  auto misfit = rt->compile([&](const Line &line, const EagerTensor &x, const EagerTensor &y) {
    ++recordings; // runs when the function is recorded
    return meanSquaredError(line.slope * x + line.offset, y);
  });
  auto step = rt->compile([&](const Line &line, const Line &gradient) {
    ++recordings;
    return Line{line.slope - 0.25 * gradient.slope, line.offset - 0.25 * gradient.offset};
  });

  Line line{rt->constant(Tensor::scalar(0.0)), rt->constant(Tensor::scalar(0.0))};
  double last = 0;
  for (int i = 0; i < 500; ++i) {
    auto [value, gradients] = misfit.valueAndGrad(line, x, y);
    last = value.item<double>();
    line = step(line, std::get<0>(gradients));
  }
  const bool converged = last < 1e-24;
  std::cout << "slope " << line.slope.item<double>() << ", offset " << line.offset.item<double>() << ", misfit "
            << (converged ? "below 1e-24" : "too large") << '\n'
            << recordings << " recordings for "
            << misfit.stats().hits + misfit.stats().misses + step.stats().hits + step.stats().misses << " calls\n";
  return converged ? 0 : 1;
}
