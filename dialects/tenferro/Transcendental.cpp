// Scalar meanings of the functions that the math dialect lacks.
#include "dialects/tenferro/Transcendental.h"

#include "dialects/tenferro/EqualTypes.h"
#include "dialects/tenferro/ScalarBuilder.h"

#include "lib/Conversion/ExpandMath/Expansions.h"

#define GET_OP_CLASSES
#include "dialects/tenferro/Transcendental.cpp.inc"

using namespace mlir;

namespace tenferro::ir {

Value SigmoidOp::buildScalar(OpBuilder &builder, ValueRange in) {
  // math has no such function, so its expansion stands here itself: composed from exp it would be off by 2.4 ulp.
  compiler::MathBuilder b(builder, getLoc(), in[0].getType());
  return compiler::expandSigmoid(b, in[0]);
}

Value SiluOp::buildScalar(OpBuilder &builder, ValueRange in) {
  compiler::MathBuilder b(builder, getLoc(), in[0].getType());
  return compiler::expandSilu(b, in[0]);
}

Value Atan2Op::buildScalar(OpBuilder &builder, ValueRange in) {
  return math::Atan2Op::create(builder, getLoc(), in[0], in[1]);
}

Value HypotOp::buildScalar(OpBuilder &builder, ValueRange in) {
  compiler::MathBuilder b(builder, getLoc(), in[0].getType());
  return compiler::expandHypot(b, in[0], in[1]);
}

Value LogaddexpOp::buildScalar(OpBuilder &builder, ValueRange in) {
  compiler::MathBuilder b(builder, getLoc(), in[0].getType());
  return compiler::expandLogAddExp(b, in[0], in[1]);
}

Value XlogyOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getLhs().getType());
  Value product = s.make<arith::MulFOp>(in[0], s.make<math::LogOp>(in[1]));
  Value isZero = s.compare(arith::CmpFPredicate::OEQ, in[0], s.number(0));
  Value isNumber = s.compare(arith::CmpFPredicate::ORD, in[1], in[1]);
  return s.select(s.make<arith::AndIOp>(isZero, isNumber), s.number(0), product);
}

} // namespace tenferro::ir
