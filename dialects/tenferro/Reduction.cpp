// Folds of reductions.
#include "dialects/tenferro/Reduction.h"

#define GET_OP_CLASSES
#include "dialects/tenferro/Reduction.cpp.inc"

using namespace mlir;

namespace tenferro::ir {

// A reduction along no axis is its operand, except that a sum would turn -0 into +0 only if it added +0: it does not.
OpFoldResult SumOp::fold(FoldAdaptor) { return getAxes().empty() ? getOperand() : OpFoldResult(); }
OpFoldResult MaxOp::fold(FoldAdaptor) { return getAxes().empty() ? getOperand() : OpFoldResult(); }
OpFoldResult MinOp::fold(FoldAdaptor) { return getAxes().empty() ? getOperand() : OpFoldResult(); }

OpFoldResult ProdOp::fold(FoldAdaptor) { return getAxes().empty() ? getOperand() : OpFoldResult(); }
OpFoldResult AnyOp::fold(FoldAdaptor) { return getAxes().empty() ? getOperand() : OpFoldResult(); }
OpFoldResult AllOp::fold(FoldAdaptor) { return getAxes().empty() ? getOperand() : OpFoldResult(); }

} // namespace tenferro::ir
