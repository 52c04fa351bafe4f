// Compiles an element-wise function given as MLIR text, math ops expanded, for a CPU level and vector width.
#ifndef TENFERRO_TEST_UNIT_EXPANDMATH_JITFUNCTION_H
#define TENFERRO_TEST_UNIT_EXPANDMATH_JITFUNCTION_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tenferro::test {

/// out[i] = f(x[i], y[i]) for i < n, compiled. `width` 1 makes scalar code; another one whole vectors, and then arrays
/// are padded here.
class JitFunction {
public:
  /// `body` computes %r from %x (and %y): "%r = math.exp %x : $T". $B is the type of a mask, $<1.0>$ a constant.
  /// `cpu` is x86-64-v3 or x86-64-v4. Reports a gtest failure and is empty if something fails.
  JitFunction(const std::string &body, bool isDouble, int width, const std::string &cpu);
  JitFunction(JitFunction &&);
  ~JitFunction();

  explicit operator bool() const { return entry != nullptr; }
  template <class T> std::vector<T> operator()(std::vector<T> x, std::vector<T> y = {}) const {
    size_t n = x.size(), padded = (n + width - 1) / width * width;
    x.resize(padded);
    y.resize(padded);
    std::vector<T> out(padded);
    call(x.data(), y.data(), out.data(), padded);
    out.resize(n);
    return out;
  }
  /// n is a multiple of the width.
  void call(const void *x, const void *y, void *out, int64_t n) const { entry(x, y, out, n); }
  /// The call instructions in the machine code; empty when the expansion is complete.
  const std::string &calls() const { return called; }

private:
  struct Engine;
  void compile(const std::string &body, bool isDouble, const std::string &cpu);

  std::unique_ptr<Engine> engine;
  void (*entry)(const void *, const void *, void *, int64_t) = nullptr;
  int width;
  std::string called;
};

/// The levels this machine can run.
std::vector<std::string> cpuLevels();

} // namespace tenferro::test

#endif // TENFERRO_TEST_UNIT_EXPANDMATH_JITFUNCTION_H
