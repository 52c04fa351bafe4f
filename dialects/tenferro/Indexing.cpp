// Scalar meaning of one_hot.
#include "dialects/tenferro/Indexing.h"

#include "dialects/tenferro/EqualTypes.h"
#include "dialects/tenferro/ScalarBuilder.h"
#include "dialects/tenferro/ScalarCast.h"

#define GET_OP_CLASSES
#include "dialects/tenferro/Indexing.cpp.inc"

using namespace mlir;

namespace tenferro::ir {

Value OneHotOp::buildScalar(OpBuilder &builder, ValueRange in) {
  // in[0] is the index, in[1] the coordinate along the new axis. A negative index meets no coordinate.
  Type i64 = builder.getI64Type();
  ScalarBuilder s(builder, getLoc(), getIndices().getType());
  Value index = buildScalarCast(builder, getLoc(), in[0], getIndices().getType(), i64);
  Value hit = s.compare(arith::CmpIPredicate::eq, index, in[1]);
  return buildScalarCast(builder, getLoc(), hit, builder.getI1Type(), getType());
}

} // namespace tenferro::ir
