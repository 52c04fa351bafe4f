// Uses the library from a shared object that comes and goes.
#include <tenferro/tenferro.h>

static std::shared_ptr<tenferro::EagerRuntime> kept; // destroyed by dlclose

extern "C" [[gnu::visibility("default")]] double gradientOfSquare(double at) {
  using namespace tenferro;
  if (!kept)
    kept = EagerRuntime::create();
  CpuEngine engine({.threads = 2});
  Scope scope(kept, engine);
  EagerTensor x = kept->variable(Tensor::scalar(at));
  (x * x).backward(engine);
  return x.grad()->item<double>();
}
