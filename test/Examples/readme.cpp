#include <iostream>
#include <tenferro/tenferro.h>

int main() {
  auto rt = tenferro::EagerRuntime::create();
  tenferro::CpuEngine engine({.threads = 1});
  auto x = rt->variable(tenferro::Tensor::from({3}, {1., 2., 3.}));
  auto c = rt->constant(tenferro::Tensor::from({3}, {10., 20., 30.}));
  tenferro::Scope scope(rt, engine);
  auto loss = sum(c * x * x); // runs now, and is recorded
  loss.backward(engine);      // differentiated once, then answered from a cache
  std::cout << "loss " << loss.item<double>() << ", gradient " << *x.grad() << '\n';
}
