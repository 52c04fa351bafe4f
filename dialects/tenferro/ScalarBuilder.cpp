// Short builders of arith operations for scalar meanings.
#include "dialects/tenferro/ScalarBuilder.h"

#include "dialects/tenferro/Structure.h"

using namespace mlir;

namespace tenferro::ir {

ScalarBuilder::ScalarBuilder(OpBuilder &builder, Location loc, Type tensor)
    : builder_(builder), loc_(loc), element_(getElementTypeOrSelf(tensor)),
      unsigned_(element_.isUnsignedInteger() || element_.isSignlessInteger(1)) {
  if (element_.isUnsignedInteger())
    element_ = IntegerType::get(builder.getContext(), element_.getIntOrFloatBitWidth());
}

Value ScalarBuilder::integer(int64_t value) const {
  return make<arith::ConstantOp>(builder_.getIntegerAttr(element_, value));
}
Value ScalarBuilder::number(double value) const {
  return make<arith::ConstantOp>(builder_.getFloatAttr(element_, value));
}
Value ScalarBuilder::compare(arith::CmpIPredicate predicate, Value a, Value b) const {
  return make<arith::CmpIOp>(predicate, a, b);
}
Value ScalarBuilder::compare(arith::CmpFPredicate predicate, Value a, Value b) const {
  return make<arith::CmpFOp>(predicate, a, b);
}
Value ScalarBuilder::select(Value condition, Value a, Value b) const { return make<arith::SelectOp>(condition, a, b); }
void ScalarBuilder::raiseIf(Value condition, runtime::KernelError error) const {
  RaiseIfOp::create(builder_, loc_, condition, static_cast<int64_t>(error));
}

} // namespace tenferro::ir
