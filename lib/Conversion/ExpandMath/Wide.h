// f32 functions computed in f64 and rounded once at the end, which leaves hardly more than half an ulp.
#ifndef TENFERRO_CONVERSION_EXPANDMATH_WIDE_H
#define TENFERRO_CONVERSION_EXPANDMATH_WIDE_H

#include "lib/Conversion/ExpandMath/MathBuilder.h"

namespace tenferro::compiler {

/// `function`, a callable (MathBuilder &, Value...) for f64, of values of the builder's type.
template <class F, class... Values> mlir::Value inDouble(MathBuilder &b, F function, Values... values) {
  if (b.isDouble())
    return function(b, values...);
  MathBuilder wide = b.withElementType(mlir::Float64Type::get(b.type().getContext()));
  return b.truncate(function(wide, wide.extend(values)...));
}

} // namespace tenferro::compiler

#endif // TENFERRO_CONVERSION_EXPANDMATH_WIDE_H
