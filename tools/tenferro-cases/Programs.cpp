// The named programs of the oracle files, written with operators as a user would.
#include "tools/tenferro-cases/Operations.h"

#include <cmath>
#include <map>
#include <numbers>

namespace tenferro::cases {

namespace {

using Inputs = std::span<const EagerTensor>;
using Program = EagerTensor (*)(EagerSession &, Inputs);

EagerTensor square(const EagerTensor &x) { return x * x; }
EagerTensor dot(const EagerTensor &a, const EagerTensor &b) { return sum(a * b); }

EagerTensor mlp(EagerSession &, Inputs in) {
  EagerTensor hidden = tanh(matmul(in[0], in[1]) + in[2]);
  return mean(square(matmul(hidden, in[3]) + in[4] - in[5]));
}

EagerTensor rosenbrock(EagerSession &s, Inputs in) {
  const EagerTensor &x = in[0];
  int64_t n = x.shape()[0];
  EagerTensor head = s.slice(x, {0}, {n - 1}, {1}), tail = s.slice(x, {1}, {n}, {1});
  return sum(100.0 * square(tail - square(head)) + square(1.0 - head));
}

EagerTensor logisticRegression(EagerSession &, Inputs in) {
  EagerTensor z = matmul(in[0], in[1]) + in[2];
  return mean(log(1.0 + exp(z)) - in[3] * z);
}

EagerTensor logGaussian(EagerSession &, Inputs in) {
  EagerTensor z = (in[0] - in[1]) / in[2];
  return sum(-square(z) / 2.0 - log(in[2]) - std::log(2 * std::numbers::pi) / 2);
}

EagerTensor quadraticForm(EagerSession &, Inputs in) { return dot(in[1], matmul(in[0], in[1])); }

EagerTensor powerIteration(EagerSession &, Inputs in) {
  EagerTensor v = in[1];
  for (int i = 0; i < 3; ++i)
    v = matmul(in[0], v);
  return dot(v, matmul(in[0], v)) / dot(v, v);
}

EagerTensor rnn(EagerSession &s, Inputs in) {
  EagerTensor h = in[2];
  int64_t steps = in[3].shape()[0], width = in[3].shape()[1];
  for (int64_t t = 0; t < steps; ++t) {
    EagerTensor x = s.reshape(s.slice(in[3], {t, 0}, {t + 1, width}, {1, 1}), {width});
    h = tanh(matmul(in[0], h) + matmul(in[1], x));
  }
  return sum(h);
}

EagerTensor lennardJones(EagerSession &s, Inputs in) {
  int64_t n = in[0].shape()[0];
  std::vector<int64_t> first, second;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j) {
      first.push_back(i);
      second.push_back(j);
    }
  auto pairs = [&](const std::vector<int64_t> &side) {
    return s.take(in[0], s.constant(Tensor::from(Shape{static_cast<int64_t>(side.size())}, side)), 0);
  };
  EagerTensor inverse = 1.0 / sum(square(pairs(first) - pairs(second)), 1);
  EagerTensor sixth = inverse * inverse * inverse;
  return sum(square(sixth) - sixth);
}

EagerTensor softmaxAttention(EagerSession &, Inputs in) {
  double scale = std::sqrt(static_cast<double>(in[0].shape()[1]));
  EagerTensor weights = softmax(matmul(in[0], transpose(in[1])) / scale, 1);
  return sum(square(matmul(weights, in[2])));
}

EagerTensor huberMasked(EagerSession &s, Inputs in) {
  const EagerTensor &x = in[0];
  return sum(where(s.less(abs(x), 1.0), square(x) / 2.0, abs(x) - 0.5));
}

EagerTensor normalize(EagerSession &s, Inputs in) {
  return reshape(s.slice(in[0] / norm(in[0]), {0}, {1}, {1}), {});
}

/// Inputs a and x; of real numbers.
EagerTensor rayleigh(EagerSession &, Inputs in) {
  EagerTensor hermitian = (in[0] + transpose(in[0])) / 2.0;
  return dot(in[1], matmul(hermitian, in[1])) / dot(in[1], in[1]);
}

/// The state itself, then the sum of its squares.
EagerTensor mpsNorm(EagerSession &s, Inputs in) {
  EagerTensor left = s.dotGeneral(in[0], in[1], {{1}, {0}, {}, {}});
  return sum(square(s.dotGeneral(left, in[2], {{2}, {0}, {}, {}})));
}

EagerTensor fanOut(EagerSession &, Inputs in) {
  const EagerTensor &x = in[0];
  return sum(x * x * x + x * sin(x) - x / (1.0 + square(x)));
}

EagerTensor binaryTreeSum(EagerSession &, Inputs in) {
  int64_t n = in[0].shape()[0];
  EagerTensor differences = reshape(in[0], {n, 1}) - reshape(in[0], {1, n});
  return sum(exp(-square(differences)));
}

} // namespace

const Operation &findProgram(const std::string &name) {
  static const std::map<std::string, std::pair<size_t, Program>> kPrograms = {
      {"mlp", {6, mlp}},
      {"rosenbrock", {1, rosenbrock}},
      {"logistic_regression", {4, logisticRegression}},
      {"log_gaussian", {3, logGaussian}},
      {"quadratic_form", {2, quadraticForm}},
      {"power_iteration", {2, powerIteration}},
      {"rnn", {4, rnn}},
      {"lennard_jones", {1, lennardJones}},
      {"softmax_attention", {3, softmaxAttention}},
      {"huber_masked", {1, huberMasked}},
      {"normalize", {1, normalize}},
      {"rayleigh", {2, rayleigh}},
      {"mps_norm", {3, mpsNorm}},
      {"fan_out", {1, fanOut}},
      {"binary_tree_sum", {1, binaryTreeSum}}};
  static const std::map<std::string, Operation> kOperations = [] {
    std::map<std::string, Operation> operations;
    for (const auto &[program, entry] : kPrograms)
      operations[program] = [entry = entry, program = program](EagerSession &s, const Json &, Inputs in) {
        if (in.size() != entry.first)
          throw FormatError(program + " expects " + std::to_string(entry.first) + " inputs, but got " +
                            std::to_string(in.size()));
        return entry.second(s, in);
      };
    return operations;
  }();
  auto found = kOperations.find(name);
  if (found == kOperations.end())
    throw UnsupportedError("program " + name);
  return found->second;
}

} // namespace tenferro::cases
