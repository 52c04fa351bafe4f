// What the tests of the eager front end share: the running example and short spellings.
#ifndef TENFERRO_TEST_UNIT_EAGER_TESTSUPPORT_H
#define TENFERRO_TEST_UNIT_EAGER_TESTSUPPORT_H

#include "tenferro/tenferro.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace tenferro::test {

using Values = std::vector<double>;

inline Tensor vector(const Values &values) { return Tensor::from({static_cast<int64_t>(values.size())}, values); }

inline Values valuesOf(const Tensor &tensor) { return tensor.toVector<double>(); }
inline Values valuesOf(const EagerTensor &tensor) { return tensor.toVector<double>(); }
inline Values valuesOf(const std::optional<Tensor> &tensor) { return tensor ? valuesOf(*tensor) : Values(); }
inline Values valuesOf(const std::optional<EagerTensor> &tensor) { return tensor ? valuesOf(*tensor) : Values(); }

/// x = [1, 2, 3] variable, c = [10, 20, 30] constant, h = c*x, loss = sum(h*x): dloss/dx = 2*c*x = [20, 80, 180].
struct Example {
  explicit Example(const RuntimeOptions &options = {}) : runtime(EagerRuntime::create(options)) {
    x = runtime->variable(vector({1, 2, 3}));
    c = runtime->constant(vector({10, 20, 30}));
  }
  void forward() {
    runtime->session(engine, [&](EagerSession &s) {
      h = s.mul(c, x);
      loss = s.sum(s.mul(h, x));
    });
  }

  std::shared_ptr<EagerRuntime> runtime;
  CpuEngine engine{{.threads = 1}};
  EagerTensor x, c, h, loss;
};

/// Runs `call` and gives the failure of the Exception it throws; fails if it throws nothing or something else.
template <typename Exception, typename Call> Failure failureFrom(Call &&call) {
  try {
    call();
  } catch (const Exception &error) {
    return error.failure();
  } catch (const std::exception &error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return {};
  }
  ADD_FAILURE() << "no exception";
  return {};
}

/// Checks that `text` has the parts, one behind the other.
inline void expectInOrder(const std::string &text, const std::vector<std::string> &parts) {
  size_t at = 0;
  for (const std::string &part : parts) {
    size_t found = text.find(part, at);
    ASSERT_NE(found, std::string::npos) << "no '" << part << "' after position " << at << " of\n" << text;
    at = found + part.size();
  }
}

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#elif defined(__has_feature)
inline constexpr bool kAddressSanitizer = __has_feature(address_sanitizer);
#else
inline constexpr bool kAddressSanitizer = false;
#endif

/// Standard output of the calling test binary run again with other variables in front and one test; checks that it ends well.
std::string outputOfTest(const std::string &environment, const std::string &test);

/// Resident memory of the process, in bytes.
size_t residentBytes();

/// A test that runs under each compile policy.
class EachPolicy : public testing::TestWithParam<CompilePolicy> {
protected:
  RuntimeOptions options() const {
    RuntimeOptions options;
    options.policy = GetParam();
    return options;
  }
};

/// The same with a runtime and an engine.
class EachPolicyRuntime : public EachPolicy {
protected:
  EagerTensor variable(const Values &values) { return runtime_->variable(vector(values)); }
  EagerTensor constant(const Values &values) { return runtime_->constant(vector(values)); }
  template <typename Body> EagerTensor run(Body &&body) { return runtime_->session(engine_, std::forward<Body>(body)); }

  std::shared_ptr<EagerRuntime> runtime_ = EagerRuntime::create(options());
  CpuEngine engine_;
};

inline std::string nameOf(CompilePolicy policy) {
  return policy == CompilePolicy::Never ? "Never" : policy == CompilePolicy::Immediate ? "Immediate" : "Background";
}

} // namespace tenferro::test

#define TENFERRO_EACH_POLICY(Suite)                                                                                    \
  INSTANTIATE_TEST_SUITE_P(                                                                                            \
      Policies, Suite,                                                                                                 \
      testing::Values(CompilePolicy::Background, CompilePolicy::Immediate, CompilePolicy::Never),                      \
      [](const auto &info) { return tenferro::test::nameOf(info.param); })

#endif // TENFERRO_TEST_UNIT_EAGER_TESTSUPPORT_H
