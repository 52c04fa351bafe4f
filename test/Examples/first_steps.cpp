// A transcript of the first things to know: what is recorded, what backward fills, what the cache keeps, how
// derivatives nest. Every printed number is checked; the exit status is 1 if one is off.
#include "tenferro/tenferro.h"

#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

using namespace tenferro;

namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TENFERRO_SANITIZED 1
#endif
#endif
#ifndef TENFERRO_SANITIZED
#define TENFERRO_SANITIZED 0
#endif

int wrong = 0;

/// Prints a fact and says so if it is not what it must be.
template <typename T> void show(const std::string &what, const T &got, const T &want) {
  std::cout << "  " << what << " = " << got;
  if (!(got == want)) {
    ++wrong;
    std::cout << "   OFF, expected " << want;
  }
  std::cout << '\n';
}
void show(const std::string &what, const Tensor &got, const std::string &want) { show(what, got.str(), want); }

void title(const char *text) { std::cout << '\n' << text << '\n'; }

double residentMiB() {
  long pages = 0, resident = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2)
      resident = 0;
    std::fclose(file);
  }
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// The error that `call` raises, as text.
template <typename Call> std::string errorOf(Call &&call) {
  try {
    call();
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

template <typename Call> ErrorKind kindOf(Call &&call) {
  try {
    call();
  } catch (const Error &error) {
    return error.kind();
  }
  return ErrorKind::Internal;
}

void records() {
  title("1. What is recorded: x is a variable, c a constant, loss = sum(c x x)");
  auto rt = EagerRuntime::create();
  CpuEngine engine({.threads = 1});
  EagerTensor x = rt->variable(Tensor::from({3}, {1., 2., 3.})), c = rt->constant(Tensor::from({3}, {10., 20., 30.}));
  std::cout << "  x: " << x << "\n  c: " << c << '\n';
  show("x tracks", x.tracksGrad(), true);
  show("c tracks", c.tracksGrad(), false);
  show("slots", rt->slotCount(), size_t(1));
  show("records", rt->recordCount(), size_t(2));
  EagerTensor h, product;
  EagerTensor loss = rt->session(engine, [&](EagerSession &s) {
    h = s.mul(c, x);
    product = s.mul(h, x);
    return s.sum(product);
  });
  std::cout << "  h: " << h << "\n  loss: " << loss << '\n';
  show("h tracks", h.tracksGrad(), true);
  show("slots after three operations", rt->slotCount(), size_t(4));
  show("records after three operations", rt->recordCount(), size_t(5));

  title("2. backward fills the slots of variables and accumulates; its program is prepared once");
  loss.backward(engine);
  show("x.grad", *x.grad(), "f64[3] [20, 80, 180]");
  show("c has a gradient", c.grad().has_value(), false);
  show("h has a gradient", h.grad().has_value(), false);
  CacheStats stats = rt->cacheStats().preparedDerivatives;
  show("entries", stats.entries, uint64_t(1));
  show("hits", stats.hits, uint64_t(0));
  show("misses", stats.misses, uint64_t(1));
  show("retains bytes", stats.retainedBytes > 0, true);
  loss.backward(engine);
  show("x.grad, again without clearing", *x.grad(), "f64[3] [40, 160, 360]");
  show("hits", rt->cacheStats().preparedDerivatives.hits, uint64_t(1));
  x.clearGrad();
  CpuEngine second({.threads = 1});
  loss.backward(second);
  show("x.grad, cleared, on a second engine", *x.grad(), "f64[3] [20, 80, 180]");
  show("hits", rt->cacheStats().preparedDerivatives.hits, uint64_t(2));
  show("misses", rt->cacheStats().preparedDerivatives.misses, uint64_t(1));
  x.clearGrad();

  title("3. grad is functional: slots stay as they are and the result can be differentiated again");
  EagerTensor dx = rt->grad(engine, loss, x);
  show("grad", dx.value(), "f64[3] [20, 80, 180]");
  show("x.grad is set", x.grad().has_value(), false);
  show("the gradient tracks", dx.tracksGrad(), true);
  EagerTensor s = rt->variable(Tensor::scalar(2.5));
  EagerTensor y = rt->session(engine, [&](EagerSession &session) { return session.mul(session.mul(s, s), s); });
  for (double want : {18.75, 15., 6.}) {
    y = rt->grad(engine, y, s);
    show("next derivative of s^3 at 2.5", y.item<double>(), want);
  }
  EagerTensor squares = rt->session(engine, [&](EagerSession &session) { return session.sum(session.mul(x, x)); });
  EagerTensor tangent = rt->constant(Tensor::from({3}, {0.1, -0.5, -1.}));
  double pushed = rt->jvp(engine, squares, x, tangent).item<double>();
  std::cout << "  jvp of sum(x x) along [0.1, -0.5, -1] = " << pushed << '\n';
  wrong += std::fabs(pushed + 7.8) > 1e-14;
}

void detached() {
  title("4. noGrad and detach; gelu");
  auto rt = EagerRuntime::create();
  CpuEngine engine({.threads = 1});
  Scope scope(rt, engine);
  EagerTensor x = rt->variable(Tensor::from({4}, {-1.5, -0.2, 0., 0.8}));
  {
    auto guard = rt->noGrad();
    show("x + 1 under noGrad tracks", (x + 1.0).tracksGrad(), false);
  }
  show("detach tracks", x.detach().tracksGrad(), false);
  std::vector<double> tracked = gelu(x).toVector<double>(), untracked = gelu(x.detach()).toVector<double>();
  std::cout << "  gelu(x) = " << gelu(x).value() << '\n';
  const double want[] = {-0.10021080190328704, -0.0841480581121794, 0, 0.6305156811332827};
  for (size_t i = 0; i < tracked.size(); ++i)
    wrong += std::fabs(tracked[i] - want[i]) > 2e-16;
  show("tracked equals untracked", tracked == untracked, true);
}

void errors() {
  auto rt = EagerRuntime::create();
  CpuEngine engine({.threads = 1});
  EagerTensor x = rt->variable(Tensor::from({3}, {1., 2., 3.})), c = rt->constant(Tensor::from({3}, {10., 20., 30.}));
  EagerTensor h, product;
  EagerTensor loss = rt->session(engine, [&](EagerSession &s) {
    h = s.mul(c, x);
    product = s.mul(h, x);
    return s.sum(product);
  });
  title("5. Calls that cannot be meant are typed errors");
  show("backward of a vector", kindOf([&] { product.backward(engine); }), ErrorKind::NonScalarGrad);
  std::cout << "    " << errorOf([&] { product.backward(engine); }) << '\n';
  show("grad by a constant", kindOf([&] { rt->grad(engine, loss, c); }), ErrorKind::InactiveGrad);
  std::cout << "    " << errorOf([&] { rt->grad(engine, loss, c); }) << '\n';
  show("gradOptional by a constant has a value", rt->gradOptional(engine, loss, c).has_value(), false);
  auto other = EagerRuntime::create();
  EagerTensor foreign = other->variable(Tensor::from({3}, {1., 1., 1.}));
  auto mix = [&] { rt->session(engine, [&](EagerSession &session) { return session.mul(x, foreign); }); };
  show("two runtimes in one call", kindOf(mix), ErrorKind::ContextMismatch);
  std::cout << "    " << errorOf(mix) << '\n';
  show("gradient by the intermediate h", rt->grad(engine, loss, h).value(), "f64[3] [1, 2, 3]");
  auto both = rt->vjpMany(engine, loss, {h, x});
  show("vjpMany by h", both[0]->value(), "f64[3] [1, 2, 3]");
  show("vjpMany by x", both[1]->value(), "f64[3] [20, 80, 180]");
}

void training() {
  title("6. A thousand steps: one program, constant memory");
  auto rt = EagerRuntime::create();
  CpuEngine engine({.threads = 1});
  double before = 0, growth = 0;
  size_t mostRecords = 0;
  uint64_t retained = 0;
  {
    EagerTensor x = rt->variable(Tensor::full({64}, 0.5)), c = rt->constant(Tensor::full({64}, 2.0));
    for (int step = 0; step <= 1000; ++step) {
      {
        EagerTensor loss = rt->session(engine, [&](EagerSession &s) { return s.sum(s.mul(s.mul(c, x), x)); });
        mostRecords = std::max(mostRecords, rt->recordCount());
        loss.backward(engine);
      }
      x.clearGrad();
      if (step == 50)
        rt->finishCompiles(); // a program that is asked for again is compiled behind
      if (step == 100) {
        before = residentMiB();
        retained = rt->cacheStats().preparedDerivatives.retainedBytes;
      }
    }
    growth = residentMiB() - before;
  }
  CacheStats stats = rt->cacheStats().preparedDerivatives;
  show("misses", stats.misses, uint64_t(1));
  show("hits", stats.hits, uint64_t(1000));
  show("entries", stats.entries, uint64_t(1));
  show("retained bytes stay", stats.retainedBytes == retained, true);
  show("most records at the end of a forward", mostRecords, size_t(5));
  if (!TENFERRO_SANITIZED) // a sanitizer keeps freed memory aside
    show("resident memory grew by less than 1 MiB", growth < 1, true);
  show("records, all dropped", rt->recordCount(), size_t(0));
  show("slots, all dropped", rt->slotCount(), size_t(0));
}

} // namespace

int main() try {
  std::cout << std::boolalpha;
  records();
  detached();
  errors();
  training();
  std::cout << (wrong ? "\nsome numbers are off\n" : "\nall as it should be\n");
  return wrong ? 1 : 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "first_steps: %s\n", error.what());
  return 1;
}
