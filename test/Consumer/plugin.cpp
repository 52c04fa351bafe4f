// Uses the library from a shared object that comes and goes.
#include <tenferro/tenferro.h>

static std::shared_ptr<tenferro::EagerRuntime> kept; // destroyed by dlclose

extern "C" [[gnu::visibility("default")]] double gradientOfSquare(double at) {
  using namespace tenferro;
  if (!kept)
    kept = EagerRuntime::create();
  CpuEngine engine({.threads = 2});
  Scope scope(kept, engine);
  double gradient = 0;
  for (int ask = 0; ask < 2; ++ask) { // the host closes with a compile in flight
    EagerTensor x = kept->variable(Tensor::scalar(at));
    (x * x).backward(engine);
    gradient = x.grad()->item<double>();
  }
  return gradient;
}
