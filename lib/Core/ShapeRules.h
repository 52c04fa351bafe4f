// The result type of every operation: the one place that knows, called by the eager front end and by the dialect.
#ifndef TENFERRO_CORE_SHAPERULES_H
#define TENFERRO_CORE_SHAPERULES_H

#include "lib/Core/Expected.h"
#include "lib/Core/Graph.h"

#include <span>

namespace tenferro::core {

/// Result type of `kind` on `operands`, or the broken rule. Operands have equal shapes and dtypes where the op asks for
/// it (IR semantics: no broadcasting, no promotion, axes non-negative). The failure names the op's mnemonic.
TENFERRO_EXPORT Expected<ValueType> inferResult(OpKind kind, std::span<const ValueType> operands,
                                                const Attributes &attributes);

/// Whether operations have kernels for this dtype.
TENFERRO_EXPORT bool isSupported(DType dtype) noexcept;

/// NumPy broadcasting of two shapes, right aligned.
TENFERRO_EXPORT Expected<Shape> broadcastShapes(std::string_view op, const Shape &a, const Shape &b);

/// The dtype two operands promote to (bool < ints < floats < complex; int + float is that float; i8/u8 etc. follow the
/// dialect's README).
TENFERRO_EXPORT DType promote(DType a, DType b) noexcept;

/// Whether every value of `from` survives in `to` (the pairs `convert` allows).
TENFERRO_EXPORT bool isLossless(DType from, DType to) noexcept;

/// `axis` counted from the front, negative ones from the back.
TENFERRO_EXPORT Expected<int64_t> normalizeAxis(std::string_view op, int64_t axis, int64_t rank);

/// A list of axes, each normalised, no duplicates, ascending. `rank` axes if `axes` is null.
TENFERRO_EXPORT Expected<IntList> normalizeAxes(std::string_view op, const IntList *axes, int64_t rank);

} // namespace tenferro::core

#endif // TENFERRO_CORE_SHAPERULES_H
