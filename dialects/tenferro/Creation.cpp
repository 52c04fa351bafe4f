// Verification and scalar meanings of constant and iota.
#include "dialects/tenferro/Creation.h"

#include "dialects/tenferro/ScalarBuilder.h"

#define GET_OP_CLASSES
#include "dialects/tenferro/Creation.cpp.inc"

using namespace mlir;

namespace tenferro::ir {

LogicalResult ConstantOp::verify() {
  if (!isa<DenseElementsAttr>(getValue()))
    return emitOpError("expects a dense attribute, but got ") << getValue();
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

Value IotaOp::buildScalar(OpBuilder &builder, ValueRange in) {
  ScalarBuilder s(builder, getLoc(), getType());
  if (s.isFloat())
    return s.make<arith::SIToFPOp>(s.type(), in[0]);
  return s.width() == 64 ? in[0] : s.make<arith::TruncIOp>(s.type(), in[0]);
}

} // namespace tenferro::ir
