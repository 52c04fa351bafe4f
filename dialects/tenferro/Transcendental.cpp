// Scalar meanings of the functions that the math dialect lacks.
#include "dialects/tenferro/Transcendental.h"

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

} // namespace tenferro::ir
