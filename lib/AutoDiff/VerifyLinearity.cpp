// tenferro-verify-linearity: holds functions that call themselves linear to it. A pass and not an attribute's verifier:
// those run before the body is verified.
#include "lib/AutoDiff/Activity.h"
#include "lib/AutoDiff/Derive.h"
#include "lib/AutoDiff/Linearity.h"
#include "lib/AutoDiff/Passes.h"
#include "lib/AutoDiff/Provenance.h"

#include "dialects/tenferro/Interfaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseSet.h"

#include <string>
#include <utility>

namespace tenferro::compiler {

#define GEN_PASS_DEF_VERIFYLINEARITYPASS
#include "lib/AutoDiff/Passes.h.inc"

mlir::LogicalResult checkLinearOperation(mlir::Operation *op, const llvm::DenseSet<mlir::Value> &linear,
                                         const ir::DerivativeDialectInterface &dialect) {
  auto isLinear = [&](mlir::Value value) { return linear.contains(value); };
  auto isZero = [&](mlir::Value value) { return value.getDefiningOp() && dialect.isZero(value.getDefiningOp()); };
  auto interface = llvm::dyn_cast<ir::LinearOpInterface>(op);
  if (!interface) {
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (isLinear(operand))
        return op->emitOpError("expects no linear operand, as it is not a linear operation, but operand ")
               << i << " depends on a linear argument";
    return mlir::success();
  }
  llvm::SmallVector<bool> mask = interface.linearOperands();
  unsigned linearCount = 0;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (!isLinear(operand))
      continue;
    ++linearCount;
    if (!mask[i])
      return op->emitOpError("expects linear values only in the operands it is linear in, but operand ")
             << i << " depends on a linear argument";
  }
  if (interface.isBilinear()) {
    if (linearCount > 1)
      return op->emitOpError("expects one linear operand, as it is bilinear, but ")
             << linearCount << " depend on linear arguments";
    return mlir::success();
  }
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (mask[i] && !isLinear(operand) && !isZero(operand))
      return op->emitOpError("expects linear values or zeros in all operands it is linear in, but operand ")
             << i << " is neither";
  return mlir::success();
}

/// Holds the function to be linear in `linear`, some of its arguments.
static mlir::LogicalResult verifyBody(mlir::Block &block, llvm::DenseSet<mlir::Value> linear,
                                      const ir::DerivativeDialectInterface &dialect, bool trustOpaque) {
  for (mlir::Operation &op : block.without_terminator()) {
    if (llvm::none_of(op.getOperands(), [&](mlir::Value operand) { return linear.contains(operand); }))
      continue;
    auto user = llvm::dyn_cast<ir::UserRuleOpInterface>(op);
    bool isTrusted = trustOpaque && user && user.isTakenForLinear();
    if (!isTrusted && mlir::failed(checkLinearOperation(&op, linear, dialect)))
      return mlir::failure();
    linear.insert(op.result_begin(), op.result_end());
  }
  mlir::Operation *exit = block.getTerminator();
  for (auto [i, operand] : llvm::enumerate(exit->getOperands())) {
    bool isZero = operand.getDefiningOp() && dialect.isZero(operand.getDefiningOp());
    if (!linear.contains(operand) && !isZero)
      return exit->emitOpError("expects linear values or zeros as results of a linear function, but result ")
             << i << " is neither";
  }
  return mlir::success();
}

mlir::LogicalResult verifyLinearity(mlir::func::FuncOp function) {
  auto numbers = function->getAttrOfType<mlir::DenseI64ArrayAttr>("tenferro.linear");
  if (!numbers) {
    if (function->hasAttr("tenferro.linear"))
      return function.emitError("attribute 'tenferro.linear' expects argument numbers as array<i64: ...>");
    return mlir::success();
  }
  const ir::DerivativeDialectInterface *dialect = derivativeDialect(function.getContext());
  if (!dialect)
    return function.emitError("linearity needs a dialect with derivatives, but none is loaded");
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError("a linear function expects one block, but '")
           << function.getSymName() << "' has " << function.getBody().getBlocks().size();

  llvm::DenseSet<mlir::Value> linear;
  for (int64_t number : numbers.asArrayRef()) {
    if (number < 0 || number >= static_cast<int64_t>(function.getNumArguments()))
      return function.emitError("attribute 'tenferro.linear' expects arguments in [0, ")
             << function.getNumArguments() << "), but got " << number;
    if (!linear.insert(function.getArgument(number)).second)
      return function.emitError("attribute 'tenferro.linear' expects distinct arguments, but got ")
             << number << " twice";
    if (!isDifferentiable(function.getArgument(number).getType()))
      return function.emitError(
                 "attribute 'tenferro.linear' expects arguments of float or complex elements, but argument ")
             << number << " has type " << function.getArgument(number).getType();
  }
  return verifyBody(function.getBody().front(), std::move(linear), *dialect, /*trustOpaque=*/false);
}

mlir::LogicalResult verifyForwardRule(mlir::func::FuncOp rule, unsigned tangents, llvm::StringRef name,
                                      mlir::Location place) {
  auto arguments = rule.getBody().front().getArguments().take_back(tangents);
  std::string reason;
  mlir::LogicalResult linear = mlir::success();
  {
    mlir::ScopedDiagnosticHandler collect(rule.getContext(), [&](mlir::Diagnostic &diagnostic) {
      if (reason.empty())
        reason = diagnostic.str();
      return mlir::success();
    });
    linear = verifyBody(rule.getBody().front(), llvm::DenseSet<mlir::Value>(arguments.begin(), arguments.end()),
                        *derivativeDialect(rule.getContext()), /*trustOpaque=*/true);
  }
  if (mlir::failed(linear))
    return mlir::emitError(place) << "'" << name << "' expects a jvp rule that is linear in its tangents, but "
                                  << reason;
  return mlir::success();
}

namespace {

struct VerifyLinearityPass : impl::VerifyLinearityPassBase<VerifyLinearityPass> {
  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    if (function.isExternal() || !function->hasAttr("tenferro.linear"))
      return;
    if (mlir::failed(verifyLinearity(function)))
      return signalPassFailure();
    ++verified;
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace tenferro::compiler
