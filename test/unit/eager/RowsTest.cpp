// Composites of many rows and their gradients against those of a few rows at a time: rows do not depend on each other,
// however they are put together in blocks.
#include "test/unit/eager/TestSupport.h"

#include <cmath>
#include <functional>

namespace tenferro::test {

namespace {

constexpr int64_t kWidth = 300, kRows = 500, kFew = 50;

using Function = std::function<EagerTensor(EagerSession &, const EagerTensor &)>;

/// f of x and its pull-back of the cotangent x, by rows.
std::vector<double> valueAndGradient(const Function &f, const std::shared_ptr<EagerRuntime> &runtime, CpuEngine &engine,
                                     const Tensor &rows) {
  EagerTensor x = runtime->variable(rows);
  return runtime->session(engine, [&](EagerSession &s) {
    EagerTensor y = f(s, x);
    EagerTensor cotangent = runtime->constant(y.rank() == 2 ? rows : rows.sliced({0, 0}, {1, rows.shape()[1]}, {1, 1}));
    if (y.rank() == 1)
      cotangent = s.reshape(cotangent, y.shape());
    Values values = valuesOf(y), gradient = valuesOf(runtime->vjp(engine, y, x, cotangent));
    values.insert(values.end(), gradient.begin(), gradient.end());
    return values;
  });
}

class RowsTest : public EachPolicy {};

TEST_P(RowsTest, DoNotDependOnEachOther) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < kWidth * kRows; ++i)
    numbers.push_back(std::sin(static_cast<double>(i)) * 4);
  const Tensor x = Tensor::from({kWidth, kRows}, numbers);
  const std::pair<const char *, Function> functions[] = {
      {"softmax", [](EagerSession &s, const EagerTensor &x) { return s.softmax(x, 0); }},
      {"log_softmax", [](EagerSession &s, const EagerTensor &x) { return s.logSoftmax(x, 0); }},
      {"logsumexp", [](EagerSession &s, const EagerTensor &x) { return s.logsumexp(x, {0}); }},
      {"layer_norm", [](EagerSession &s, const EagerTensor &x) { return s.layerNorm(x, 0); }},
      {"gelu", [](EagerSession &s, const EagerTensor &x) { return s.gelu(x); }},
      {"stddev", [](EagerSession &s, const EagerTensor &x) { return s.stddev(x, {0}); }},
  };
  for (int threads : {1, 2}) {
    CpuEngine engine({.threads = threads});
    for (const auto &[name, f] : functions) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(threads) + " threads");
      auto runtime = EagerRuntime::create(options());
      const Values all = valueAndGradient(f, runtime, engine, x);
      const size_t outputs = all.size() - numbers.size(), perRow = outputs / kRows;
      for (int64_t first = 0; first < kRows; first += kFew) {
        const Tensor part = x.sliced({0, first}, {kWidth, first + kFew}, {1, 1});
        const Values few = valueAndGradient(f, runtime, engine, Tensor::from(part.shape(), part.toVector<double>()));
        const auto start = static_cast<ptrdiff_t>(first);
        const auto values = all.begin() + start * static_cast<ptrdiff_t>(perRow);
        const auto gradient = all.begin() + static_cast<ptrdiff_t>(outputs) + start * kWidth;
        const auto middle = few.begin() + kFew * static_cast<ptrdiff_t>(perRow);
        ASSERT_TRUE(std::equal(few.begin(), middle, values));
        ASSERT_TRUE(std::equal(middle, few.end(), gradient));
      }
    }
  }
}

} // namespace

TENFERRO_EACH_POLICY(RowsTest);

} // namespace tenferro::test
