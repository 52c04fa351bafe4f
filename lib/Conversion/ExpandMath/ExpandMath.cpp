// The walk that replaces math ops by their expansions, and the pass around it.
#include "lib/Conversion/ExpandMath/ExpandMath.h"
#include "lib/Conversion/ExpandMath/Expansions.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenferro::compiler {

#define GEN_PASS_DEF_EXPANDMATHPASS
#include "lib/Conversion/ExpandMath/Passes.h.inc"

using Expansion = llvm::function_ref<Value(MathBuilder &)>;

LogicalResult expandMath(Operation *root, int64_t *numExpanded) {
  Dialect *math = root->getContext()->getLoadedDialect<math::MathDialect>();
  if (!math)
    return success(); // no math op can exist
  OpBuilder builder(root->getContext());
  // Post-order: the new ops stand before the one replaced and are not visited.
  WalkResult result = root->walk([&](Operation *op) {
    if (op->getDialect() != math)
      return WalkResult::advance();
    auto expand = [&](Expansion expansion) -> WalkResult {
      Type type = op->getResult(0).getType();
      Type element = getElementTypeOrSelf(type);
      if (!(isa<FloatType, VectorType>(type) && (element.isF32() || element.isF64()))) {
        op->emitOpError("has no expansion for this type; expects f32, f64 or a vector of them, but got ") << type;
        return WalkResult::interrupt();
      }
      builder.setInsertionPoint(op);
      MathBuilder b(builder, op->getLoc(), type);
      op->getResult(0).replaceAllUsesWith(expansion(b));
      op->erase();
      if (numExpanded)
        ++*numExpanded;
      return WalkResult::advance();
    };
    auto unary = [&](Value (*function)(MathBuilder &, Value)) {
      return expand([&](MathBuilder &b) { return function(b, op->getOperand(0)); });
    };
    return llvm::TypeSwitch<Operation *, WalkResult>(op)
        .Case([&](math::ExpOp) { return unary(expandExp); })
        .Case([&](math::ExpM1Op) { return unary(expandExpm1); })
        .Case([&](math::LogOp) { return unary(expandLog); })
        .Case([&](math::Log1pOp) { return unary(expandLog1p); })
        .Case([&](math::TanhOp) { return unary(expandTanh); })
        .Case([&](math::ErfOp) { return unary(expandErf); })
        .Case([&](math::RsqrtOp) { return unary(expandRsqrt); })
        .Case([&](math::SinOp) { return unary(expandSin); })
        .Case([&](math::CosOp) { return unary(expandCos); })
        .Case([&](math::TanOp) { return unary(expandTan); })
        .Case([&](math::AtanOp) { return unary(expandAtan); })
        .Case([&](math::AsinOp) { return unary(expandAsin); })
        .Case([&](math::AcosOp) { return unary(expandAcos); })
        .Case([&](math::SinhOp) { return unary(expandSinh); })
        .Case([&](math::CoshOp) { return unary(expandCosh); })
        .Case([&](math::AsinhOp) { return unary(expandAsinh); })
        .Case([&](math::AcoshOp) { return unary(expandAcosh); })
        .Case([&](math::AtanhOp) { return unary(expandAtanh); })
        .Case([&](math::Exp2Op) { return unary(expandExp2); })
        .Case([&](math::Log2Op) { return unary(expandLog2); })
        .Case([&](math::Log10Op) { return unary(expandLog10); })
        .Case([&](math::CbrtOp) { return unary(expandCbrt); })
        .Case([&](math::ErfcOp) { return unary(expandErfc); })
        .Case([&](math::Atan2Op) {
          return expand([&](MathBuilder &b) { return expandAtan2(b, op->getOperand(0), op->getOperand(1)); });
        })
        .Case([&](math::PowFOp) {
          return expand([&](MathBuilder &b) { return expandPow(b, op->getOperand(0), op->getOperand(1)); });
        })
        .Default([](Operation *) { return WalkResult::advance(); });
  });
  return failure(result.wasInterrupted());
}

namespace {
struct ExpandMathPass : impl::ExpandMathPassBase<ExpandMathPass> {
  void runOnOperation() override {
    int64_t expanded = 0;
    if (failed(expandMath(getOperation(), &expanded)))
      signalPassFailure();
    numExpanded += expanded;
  }
};
} // namespace

} // namespace tenferro::compiler
