// Finding NaNs and infinities: in a tensor, and the launch of a program that made the first one.
#ifndef TENFERRO_RUNTIME_CORE_NONFINITE_H
#define TENFERRO_RUNTIME_CORE_NONFINITE_H

#include "runtime/program/Executor.h"

#include <optional>
#include <vector>

namespace tenferro::runtime {

enum class NonFinite : uint8_t { NaN, Infinity };

/// "nan", "an infinity".
const char *name(NonFinite what) noexcept;

struct NonFiniteElement {
  NonFinite what{};
  IntList position; ///< one coordinate per axis
};

/// The first element that is not finite, leftmost axis fastest; nothing for dtypes that have no such values. Any
/// strides.
std::optional<NonFiniteElement> findNonFinite(const TensorView &view);

/// Watches a run and then says where a result that is not finite comes from: the launch that made it from finite
/// values. An infinite slope that a strong zero removed again is nobody's fault.
class NonFiniteProbe final : public LaunchObserver {
public:
  explicit NonFiniteProbe(const Program &program) : program_(program), values_(program.values.size()) {}

  void before(size_t launch, std::span<const TensorView *const> operands) override;
  void after(size_t launch, std::span<const TensorView *const> operands) override;

  struct Source {
    bool isLaunch = false; ///< else argument `number` was not finite already
    uint32_t number = 0;
    NonFinite what{};
  };
  /// After the run; nothing if all results that a launch wrote are finite.
  std::optional<Source> source() const;

private:
  struct Value {
    std::optional<NonFinite> found;
    uint32_t writer = ~0u;
  };
  uint32_t base(uint32_t value) const;
  void look(size_t launch, std::span<const TensorView *const> operands, bool outputs);

  const Program &program_;
  std::vector<Value> values_; ///< what the launches saw in each value
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CORE_NONFINITE_H
