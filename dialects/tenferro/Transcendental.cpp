// Scalar meanings of the functions that the math dialect lacks.
#include "dialects/tenferro/Transcendental.h"

#include "dialects/tenferro/ScalarBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

#define GET_OP_CLASSES
#include "dialects/tenferro/Transcendental.cpp.inc"

using namespace mlir;

namespace tenferro::ir {

Value SigmoidOp::buildScalar(OpBuilder &builder, ValueRange in) {
  // With e = exp(-|x|): 1 / (1 + e) right of zero, e / (1 + e) left of it.
  ScalarBuilder s(builder, getLoc(), getOperand().getType());
  Value e = s.make<math::ExpOp>(s.make<arith::NegFOp>(s.make<math::AbsFOp>(in[0])));
  Value right = s.compare(arith::CmpFPredicate::OGE, in[0], s.number(0));
  return s.make<arith::DivFOp>(s.select(right, s.number(1), e), s.make<arith::AddFOp>(s.number(1), e));
}

} // namespace tenferro::ir
