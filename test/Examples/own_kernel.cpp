// A kernel the library lacks, with its derivative: the solution of a tridiagonal system by the Thomas algorithm.
// Implicit steps of the heat equation solve one each; the derivative of the whole run by the conductivity is compared
// with its closed form, and Newton's method finds the conductivity behind an observation. The exit status is 1 if a
// number is off.
#include "tenferro/tenferro.h"

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

using namespace tenferro;

namespace {

constexpr const char *kSolve = "example.tridiagonal_solve.v1";

/// Inputs: the bands below, on and above the diagonal (the first of `below` and the last of `above` are not used), and
/// the right side, all of one length.
std::vector<TensorType> solutionType(const std::vector<TensorType> &inputs, const IntList &) {
  if (inputs.size() != 4)
    throw ExtensionError(kSolve,
                         "expects three bands and a right side, but got " + std::to_string(inputs.size()) + " tensors");
  for (const TensorType &input : inputs)
    if (input.dtype != DType::F64 || input.shape.rank() != 1 || !(input.shape == inputs[0].shape))
      throw ExtensionError(kSolve, "expects f64 vectors of one length", ErrorKind::ShapeMismatch);
  return {inputs[3]};
}

void solve(ExtensionContext &, const std::vector<KernelInput> &inputs, const std::vector<KernelOutput> &outputs) {
  const double *below = inputs[0].data<double>(), *diagonal = inputs[1].data<double>(),
               *above = inputs[2].data<double>(), *right = inputs[3].data<double>();
  double *x = outputs[0].data<double>();
  const auto n = static_cast<size_t>(inputs[0].elementCount());
  std::vector<double> factor(n);
  for (size_t i = 0; i < n; ++i) {
    double pivot = diagonal[i] - (i ? below[i] * factor[i - 1] : 0);
    if (pivot == 0)
      throw ExtensionError(kSolve, "expects a system whose pivots are not 0, but pivot " + std::to_string(i) + " is");
    factor[i] = above[i] / pivot;
    x[i] = (right[i] - (i ? below[i] * x[i - 1] : 0)) / pivot;
  }
  for (size_t i = n; i-- > 1;)
    x[i - 1] -= factor[i - 1] * x[i];
}

/// x moved by one place, with a zero where nothing comes in.
EagerTensor down(const EagerTensor &x) {
  EagerSession &s = currentSession();
  return s.pad(s.slice(x, {0}, {x.shape()[0] - 1}, {1}), {1}, {0}, {0});
}
EagerTensor up(const EagerTensor &x) {
  EagerSession &s = currentSession();
  return s.pad(s.slice(x, {1}, {x.shape()[0]}, {1}), {0}, {1}, {0});
}

/// With A x = b: the cotangent of b solves the transposed system, and that of A is minus its outer product with x. The
/// rule uses the family itself, so it differentiates again.
TensorList solveBackward(const RuleContext &context, const TensorList &cotangents) {
  const EagerTensor &below = context.inputs[0], &diagonal = context.inputs[1], &above = context.inputs[2];
  const EagerTensor &x = context.outputs[0];
  EagerTensor b = extension(kSolve, {down(above), diagonal, up(below), cotangents[0]})[0];
  return {-b * down(x), -b * x, -b * up(x), b};
}

ExtensionModule tridiagonalSolve() {
  ExtensionSpec spec;
  spec.family = kSolve;
  spec.shape = solutionType;
  spec.kernels = {{EngineKind::Cpu, solve}};
  spec.vjp = solveBackward;
  spec.vjpResiduals.inputs = 0b0111; // not the right side
  return ExtensionModule(std::move(spec));
}

constexpr int64_t kPoints = 32;
constexpr int kSteps = 20;
constexpr double kTimeStep = 1e-3, kSpacing = 1.0 / (kPoints + 1);

/// The energy left of a sine after `kSteps` implicit steps with conductivity k.
EagerTensor energyAfter(const EagerTensor &k, EagerTensor u) {
  EagerTensor r = broadcastTo(k * (kTimeStep / (kSpacing * kSpacing)), {kPoints});
  for (int step = 0; step < kSteps; ++step)
    u = extension(kSolve, {-r, 1.0 + 2.0 * r, -r, u})[0];
  return sum(u * u);
}

int wrong = 0;
void check(const char *what, double got, double want, double tolerance) {
  bool isRight = std::abs(got - want) <= tolerance * std::abs(want);
  wrong += !isRight;
  std::printf("  %-34s %.12g%s\n", what, got, isRight ? "" : "   OFF");
}

} // namespace

int main() {
  auto runtime = EagerRuntime::create();
  CpuEngine engine;
  Scope scope(runtime, engine);
  runtime->installExtension(tridiagonalSolve());

  std::vector<double> sine;
  for (int64_t i = 1; i <= kPoints; ++i)
    sine.push_back(std::sin(std::numbers::pi * static_cast<double>(i) * kSpacing));
  EagerTensor start = runtime->constant(Tensor::from({kPoints}, sine));

  // The sine is an eigenvector: each step divides it by 1 + dt k lambda, and the sum of its squares is (points + 1)
  // / 2.
  double half = std::sin(std::numbers::pi * kSpacing / 2), lambda = 4 * half * half / (kSpacing * kSpacing);
  double k0 = 0.7, rate = kTimeStep * lambda, growth = 1 + rate * k0, squares = (kPoints + 1) / 2.0;
  double energy = squares * std::pow(growth, -2 * kSteps);
  double slope = -2 * kSteps * rate * energy / growth, curvature = (2 * kSteps + 1) * -rate * slope / growth;

  std::puts("Twenty implicit steps of the heat equation, by a kernel of our own:");
  EagerTensor k = runtime->variable(Tensor::scalar(k0));
  EagerTensor left = energyAfter(k, start);
  EagerTensor first = runtime->grad(engine, left, k);
  EagerTensor second = runtime->grad(engine, first, k);
  check("energy", left.item<double>(), energy, 1e-12);
  check("its derivative by k", first.item<double>(), slope, 1e-11);
  check("and again", second.item<double>(), curvature, 1e-10);

  std::puts("Newton's method for the k behind that energy, from 0.2:");
  EagerTensor guess = runtime->variable(Tensor::scalar(0.2));
  for (int i = 0; i < 8; ++i) {
    EagerTensor now = energyAfter(guess, start);
    double d = runtime->grad(engine, now, guess).item<double>();
    guess.assign(Tensor::scalar(guess.item<double>() - (now.item<double>() - energy) / d));
    std::printf("  k = %.15g\n", guess.item<double>());
  }
  check("k", guess.item<double>(), k0, 1e-12);
  std::puts(wrong ? "something is off" : "all as it must be");
  return wrong ? 1 : 0;
}
