// Activity analysis, and the pass that shows it.
#include "lib/AutoDiff/Activity.h"

#include "dialects/tenferro/Interfaces.h"
#include "lib/AutoDiff/Derive.h"
#include "lib/AutoDiff/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tenferro::compiler {

#define GEN_PASS_DEF_ACTIVITYPASS
#include "lib/AutoDiff/Passes.h.inc"

bool isDifferentiable(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && llvm::isa<mlir::FloatType, mlir::ComplexType>(tensor.getElementType());
}

llvm::DenseSet<mlir::Value> findActiveValues(mlir::Block &block, llvm::ArrayRef<mlir::Value> active) {
  llvm::DenseSet<mlir::Value> varied;
  for (mlir::Value value : active)
    if (isDifferentiable(value.getType()))
      varied.insert(value);
  for (mlir::Operation &op : block) {
    if (llvm::isa<ir::NonDifferentiableOpInterface>(op) ||
        llvm::none_of(op.getOperands(), [&](mlir::Value operand) { return varied.contains(operand); }))
      continue;
    for (mlir::Value result : op.getResults())
      if (isDifferentiable(result.getType()))
        varied.insert(result);
  }

  llvm::DenseSet<mlir::Value> both;
  for (mlir::Value operand : block.getTerminator()->getOperands())
    if (varied.contains(operand))
      both.insert(operand);
  for (mlir::Operation &op : llvm::reverse(block)) {
    if (llvm::none_of(op.getResults(), [&](mlir::Value result) { return both.contains(result); }))
      continue;
    // A varied result comes out of a differentiable operation or is active itself.
    if (llvm::isa<ir::NonDifferentiableOpInterface>(op))
      continue;
    for (mlir::Value operand : op.getOperands())
      if (varied.contains(operand))
        both.insert(operand);
  }
  return both;
}

namespace {

struct ActivityPass : impl::ActivityPassBase<ActivityPass> {
  using ActivityPassBase::ActivityPassBase;

  void runOnOperation() override {
    mlir::func::FuncOp target = findFunction(getOperation(), function);
    if (!target)
      return signalPassFailure();
    mlir::FailureOr<llvm::SmallVector<mlir::Value>> active = selectArguments(target, wrt);
    if (mlir::failed(active))
      return signalPassFailure();
    llvm::DenseSet<mlir::Value> values = findActiveValues(target.getBody().front(), *active);
    auto unit = mlir::UnitAttr::get(&getContext());
    llvm::SmallVector<mlir::DictionaryAttr> attributes; // set at once: one by one is quadratic in the arguments
    target.getAllArgAttrs(attributes);
    for (mlir::BlockArgument argument : target.getArguments())
      if (values.contains(argument)) {
        mlir::NamedAttrList list(attributes[argument.getArgNumber()]);
        list.set("tenferro.active", unit);
        attributes[argument.getArgNumber()] = list.getDictionary(&getContext());
        ++count;
      }
    target.setAllArgAttrs(attributes);
    for (mlir::Operation &op : target.getBody().front())
      if (llvm::any_of(op.getResults(), [&](mlir::Value result) { return values.contains(result); })) {
        op.setAttr("tenferro.active", unit);
        ++count;
      }
  }
};

} // namespace
} // namespace tenferro::compiler
