// An operator's or a free function's error carries the line on which it was written. This file is compiled by g++ too,
// without GoogleTest: it is a program that prints what is wrong.
#include "tenferro/tenferro.h"

#include <cstdio>
#include <cstring>
#include <thread>

using namespace tenferro;

namespace {

int checked = 0, wrong = 0;

void expectLine(int line, const Error &error) {
  ++checked;
  const char *name = std::strrchr(error.failure().file.c_str(), '/');
  if (error.failure().line == line && name && !std::strcmp(name, "/OperatorLocationTest.cpp"))
    return;
  ++wrong;
  std::printf("expected line %d, got %s:%d for %s\n", line, error.failure().file.c_str(), error.failure().line,
              error.what());
}

} // namespace

// The expression and __LINE__ stand on one line.
#define EXPECT_HERE(expression)                                                                                        \
  try {                                                                                                                \
    (void)(expression);                                                                                                \
    ++checked, ++wrong;                                                                                                \
    std::printf("no error at line %d\n", __LINE__);                                                                    \
  } catch (const Error &error) {                                                                                       \
    expectLine(__LINE__, error);                                                                                       \
  }

int main() {
  auto rt = EagerRuntime::create({.policy = CompilePolicy::Never});
  CpuEngine engine({.threads = 1});
  Scope scope(rt, engine);
  EagerTensor a = rt->variable(Tensor::from({2}, {1., 2.})), b = rt->variable(Tensor::from({3}, {1., 2., 3.}));
  EagerTensor n = rt->constant(Tensor::from({2}, {int64_t(1), int64_t(0)}));

  EXPECT_HERE(a + b);
  EXPECT_HERE(a - b);
  EXPECT_HERE(a * b);
  EXPECT_HERE(a / b);
  EXPECT_HERE(a * 2.0 + b);
  EXPECT_HERE(n / n);
  EXPECT_HERE(n * 0.5);
  EXPECT_HERE(pow(a, b));
  EXPECT_HERE(maximum(a, b));
  EXPECT_HERE(exp(n));
  EXPECT_HERE(sum(a, 1));
  EXPECT_HERE(mean(n));
  EXPECT_HERE(softmax(a, 1));
  EXPECT_HERE(relu(n));
  EXPECT_HERE(reshape(a, {3}));
  EXPECT_HERE(transpose(a, {1}));
  EXPECT_HERE(concatenate({a, b}, 1));
  EXPECT_HERE(stack({a, b}));
  EXPECT_HERE(reverse(a, 1));
  EXPECT_HERE(squeeze(a, 0));
  EXPECT_HERE(expandDims(a, {7}));
  EXPECT_HERE(tril(a));
  EXPECT_HERE(triu(a));
  EXPECT_HERE(diag(expandDims(a, {0, 1})));
  EXPECT_HERE(trace(a));
  EXPECT_HERE(matmul(a, b));
  EXPECT_HERE(where(a, a, a));
  EXPECT_HERE(crossEntropy(a, b));
  EXPECT_HERE(meanSquaredError(a, b));
  EXPECT_HERE(a < b);
  EXPECT_HERE(a <= b);
  EXPECT_HERE(a > b);
  EXPECT_HERE(a >= b);
  EXPECT_HERE(equal(a, b));
  EXPECT_HERE(notEqual(a, b));
  EXPECT_HERE(convert(a * 0.25, DType::I64));
  EXPECT_HERE(split(a, {3}, 0));
  EXPECT_HERE(slice(a, {0}, {3}, {1}));
  EXPECT_HERE(pad(a, {0}, {0}, {-1}));
  EXPECT_HERE(take(a, n + 7));
  EXPECT_HERE(takeAlongAxis(a, n + 7, 0));
  EXPECT_HERE(oneHot(a, 3));
  EXPECT_HERE(currentSession().add(a, b));
  EXPECT_HERE(currentSession().reshape(a, {3}));

  // Not only operations: everything that can fail carries the line of its call.
  EagerTensor product = a * a, loss = sum(product), foreign = EagerRuntime::create()->variable(Tensor::scalar(1.0));
  EXPECT_HERE(product.backward(engine));
  EXPECT_HERE((product.backwardWith(engine, Tensor::scalar(1.0)), 0));
  EXPECT_HERE(rt->grad(engine, product, a));
  EXPECT_HERE(rt->grad(engine, loss, b));
  EXPECT_HERE(rt->gradOptional(engine, loss, foreign));
  EXPECT_HERE(rt->vjp(engine, product, a, b));
  EXPECT_HERE(rt->vjpMany(engine, product, {a}));
  EXPECT_HERE(rt->jvp(engine, product, a, b));
  EXPECT_HERE((a.assign(Tensor::scalar(1.0)), 0));
  EXPECT_HERE((a.assign(b), 0));
  EXPECT_HERE(a.item<double>());
  EXPECT_HERE(explainGradient(loss, b));
  EXPECT_HERE(a.toVector<float>());
  EXPECT_HERE(EagerTensor().value());
  EXPECT_HERE(EagerTensor().shape());
  EXPECT_HERE(EagerTensor().detach());
  (void)rt->compile([](const EagerTensor &x) {
    EXPECT_HERE(x.value());
    EXPECT_HERE(x.str());
    EXPECT_HERE(x.toVector<double>());
    return x * 2.0;
  })(a);

  // Without a session the operation is named, with its line.
  std::thread([&] {
    EXPECT_HERE(a * a);
    EXPECT_HERE(exp(a));
    EXPECT_HERE(a < 1.0);
    EXPECT_HERE(concatenate({a, a}, 0));
    try {
      (void)(a * a);
    } catch (const RuntimeError &error) {
      ++checked;
      if (error.failure().op != "mul" || error.kind() != ErrorKind::RuntimeState) {
        ++wrong;
        std::printf("expected an error of mul, got %s\n", error.what());
      }
    }
  }).join();

  // In GoogleTest's words, so that one reader counts all unit tests.
  std::printf("[  PASSED  ] %d tests.\n", checked - wrong);
  if (wrong)
    std::printf("[  FAILED  ] %d tests.\n", wrong);
  return wrong ? 1 : 0;
}
