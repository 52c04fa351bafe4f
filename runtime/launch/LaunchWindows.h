// Gather and scatter: windows of a tensor by the index of their first element.
#ifndef TENFERRO_RUNTIME_LAUNCH_LAUNCHWINDOWS_H
#define TENFERRO_RUNTIME_LAUNCH_LAUNCHWINDOWS_H

#include "runtime/core/TensorView.h"
#include "runtime/launch/LaunchContext.h"
#include "runtime/launch/WindowDimensions.h"

#include <optional>

namespace tenferro::runtime {

/// Raises DTypeMismatch in the name of `op` unless the indices are integers.
void requireIndices(const TensorView &indices, const char *op);

/// Copies the windows of `source` to `out`. Indices are integers. In mode Error a window outside gives makeStatus(0,
/// IndexOutOfRange), and zeros in its place.
Status runGather(const WindowDimensions &dims, const TensorView &source, const TensorView &indices,
                 const TensorView &out, const LaunchContext &context);

/// Combines the updates with what `out` holds, in ascending logical order of their elements per target (leftmost
/// fastest), whatever the threads. The table must have the kernel of the update. In mode Error a window outside is
/// dropped and reported.
Status runScatterInto(const WindowDimensions &dims, const TensorView &indices, const TensorView &updates,
                      const TensorView &out, const LaunchContext &context);

/// The same after `out` has become `operand`.
Status runScatter(const WindowDimensions &dims, const TensorView &operand, const TensorView &indices,
                  const TensorView &updates, const TensorView &out, const LaunchContext &context);

/// Every target begins as `operand`. Update by update, in ascending logical order or backwards, `out` takes what the
/// update finds, which then becomes factor * found + addend, rounded twice. The table must have "mul" and "add". In
/// mode Error a window outside is reported; `out` is zero there.
Status runScatterPrefix(const WindowDimensions &dims, const TensorView &operand, const TensorView &indices,
                        const TensorView &factors, const TensorView &addends, const TensorView &out,
                        const LaunchContext &context);

/// The first start in logical order of the indices that is outside in mode Error, and the dimension of `whole` it is
/// for.
struct OutsideStart {
  int64_t value, dimension;
};
std::optional<OutsideStart> findOutside(const WindowDimensions &dims, const Shape &whole, const TensorView &indices);

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_LAUNCH_LAUNCHWINDOWS_H
