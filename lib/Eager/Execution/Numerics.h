// The checkNumerics mode: which operation made a NaN or an infinity from finite values.
#ifndef TENFERRO_EAGER_EXECUTION_NUMERICS_H
#define TENFERRO_EAGER_EXECUTION_NUMERICS_H

#include "lib/Core/Graph.h"
#include "lib/Eager/Trace/Walk.h"
#include "runtime/core/NonFinite.h"
#include "runtime/launch/LaunchContext.h"
#include "tenferro/Tensor.h"

#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>

namespace tenferro::eager {

/// The launch of a run that made a NaN or an infinity which reached a result, from finite values.
struct MadeNonFinite {
  uint32_t opNumber = 0, innerNumber = 0; ///< as in LaunchOrigin
  std::string made;
  runtime::NonFinite what{};
};
std::optional<MadeNonFinite> findMaker(const runtime::NonFiniteProbe &probe, const runtime::Program &program);

/// Raises the NumericsError for it: `op` at `where`, itself or its derivative.
[[noreturn]] void raiseNonFinite(std::string op, const MadeNonFinite &made, const std::source_location &where);

/// Raises a NumericsError if `result` has an element that is not finite and all operands are finite.
void checkOperation(core::OpKind kind, std::span<const Tensor *const> operands, const Tensor &result,
                    const std::source_location &where);

/// The same for a result of an extension family's kernel.
void checkKernel(std::string_view family, std::span<const Tensor *const> operands, const Tensor &result,
                 const std::source_location &where);

/// After a derivative of `output` ran under `probe`: raises a NumericsError that names the first operation of the
/// recording, or else of the derivative, that made a NaN or an infinity which reached a result. The recording is run
/// again op by op if one of its values is not finite.
void checkDerivative(const Walk &walk, const Record &output, const runtime::Program &program,
                     const runtime::NonFiniteProbe &probe, const runtime::LaunchContext &context);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_EXECUTION_NUMERICS_H
