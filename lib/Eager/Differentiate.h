// Derivatives of what was recorded: from handles to the program that answers, and back to handles.
#ifndef TENFERRO_EAGER_DIFFERENTIATE_H
#define TENFERRO_EAGER_DIFFERENTIATE_H

#include "lib/Core/Graph.h"
#include "lib/Eager/Programs/Prepared.h"
#include "tenferro/EagerRuntime.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tenferro::eager {

class RuntimeState;

/// A functional derivative as the user asked for it.
struct FunctionalRequest {
  std::string_view op; ///< "grad", "vjp", "jvp"
  core::TransformKind kind = core::TransformKind::Vjp;
  const EagerTensor *output = nullptr;
  std::span<const EagerTensor *const> wrt;
  const EagerTensor *seed = nullptr; ///< cotangent or tangent; null: ones of a scalar
  std::source_location where;        ///< the user's call
};

/// Vjp: one entry per wrt; jvp: one. None where the derivative is structurally zero. Results are recorded as results of a call if
/// recording is on and something they depend on is tracked.
std::vector<std::optional<EagerTensor>> differentiate(RuntimeState &state, ExecutionEngine &engine,
                                                      const FunctionalRequest &request);

/// Gradients by every variable, added to the slots. `seed`: null for ones of a scalar.
Gradients backward(ExecutionEngine &engine, const EagerTensor &output, const Tensor *seed,
                   const std::source_location &where);

/// What programs for this engine are compiled for; registers its kind.
Target targetOf(RuntimeState &state, const ExecutionEngine &engine);

/// Result i of the last run as a tensor.
Tensor takeResult(const PreparedDerivative &prepared, Workspace &workspace, size_t i);

/// ContextMismatch unless the record is of the runtime.
void requireRuntime(const RuntimeState &state, const Record &record, std::string_view op);
/// DTypeMismatch or ShapeMismatch unless `seed` has the type of `like`.
void requireType(const core::ValueType &seed, const core::ValueType &like, std::string_view op, std::string_view argument);

/// UnsupportedAdRule for a derivative by a result that is also hidden in a call of the walk: it would miss the paths
/// through that call.
void refuseHidden(const Walk &walk, std::span<Record *const> wrt, std::string_view op);

/// The error for a derivative that is structurally zero.
[[noreturn]] void raiseInactive(std::string_view op, const EagerTensor &wrt, const std::source_location &where);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_DIFFERENTIATE_H
