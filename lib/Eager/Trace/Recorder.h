// The primitive step of the eager front end: run one IR-level operation now and record it if it is tracked.
#ifndef TENFERRO_EAGER_TRACE_RECORDER_H
#define TENFERRO_EAGER_TRACE_RECORDER_H

#include "lib/Core/Graph.h"
#include "tenferro/EagerRuntime.h"

#include <source_location>
#include <span>

namespace tenferro::eager {

class BlockedRun;

/// Runs `kind` on `operands` (equal shapes and dtypes where the operation asks for it: sugar is the caller's) on the
/// engine and returns the result, recorded if recording is on and an operand is tracked or a capture guard is alive.
/// View operations share storage. Errors: the operation's shape rule, ContextMismatch, execution errors with `where` in
/// the failure. With `blocks`, the result may be pending until they run.
EagerTensor apply(EagerRuntime &runtime, ExecutionEngine &engine, core::OpKind kind,
                  std::span<const EagerTensor *const> operands, const core::Attributes &attributes,
                  const std::source_location &where, BlockedRun *blocks = nullptr);

/// An untracked leaf of the runtime for a captured constant or scalar.
EagerTensor constantLeaf(EagerRuntime &runtime, const Tensor &value, const std::source_location &where);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_TRACE_RECORDER_H
