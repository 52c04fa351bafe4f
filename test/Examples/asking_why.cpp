// What the library answers when it is asked why: the derivative as a program, what is kept for it, what the cache
// found, and which operation made a NaN.
#include <iostream>
#include <tenferro/tenferro.h>

using namespace tenferro;

int main() {
  auto rt = EagerRuntime::create();
  CpuEngine engine({.threads = 1});
  Scope scope(rt, engine);
  auto x = rt->variable(Tensor::from({3}, {1., 2., 3.}));
  auto w = rt->variable(Tensor::from({3}, {0.5, -0.25, 2.}));
  auto y = exp(w * x);
  auto loss = sum(y * x);

  std::cout << explainGradient(loss, w) << '\n';
  std::cout << explainResiduals(loss) << '\n';

  loss.backward(engine);
  auto longer = rt->variable(Tensor::from({4}, {1., 2., 3., 4.}));
  sum(exp(longer * longer) * longer).backward(engine);
  std::string why = rt->explainCache();
  std::cout << why.substr(why.find("nearest")) << '\n';

  auto guard = checkNumerics();
  try {
    auto z = log(w) * 2.0;
  } catch (const NumericsError &error) {
    std::cout << error.what() << '\n';
  }
}
