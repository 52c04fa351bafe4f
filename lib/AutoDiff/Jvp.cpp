// tenferro-jvp: forward mode. The function with its tangents, no residual leaves.
#include "lib/AutoDiff/Activity.h"
#include "lib/AutoDiff/Derive.h"
#include "lib/AutoDiff/Passes.h"
#include "lib/AutoDiff/Provenance.h"
#include "lib/AutoDiff/Tangents.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tenferro::compiler {

#define GEN_PASS_DEF_JVPPASS
#include "lib/AutoDiff/Passes.h.inc"

mlir::FailureOr<Derived> buildJvp(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> wrt,
                                  const JvpOptions &options) {
  std::string name = options.result.empty() ? function.getSymName().str() + "_jvp" : options.result;
  if (mlir::failed(checkDerivable(function, name)))
    return mlir::failure();
  const ir::DerivativeDialectInterface *dialect = derivativeDialect(function.getContext());

  Scratch scratch = openScratch(function, name);
  scratch.consume = options.consume;
  mlir::Operation *exit = function.getBody().front().getTerminator();
  ProvenanceBuilder rules(*dialect, function.getContext(), options.nameValues);
  rules.builder().setInsertionPointToEnd(scratch.block);
  rules.beginTangent(exit);
  llvm::DenseMap<mlir::Value, mlir::Value> seeds;
  for (mlir::Value value : wrt) {
    mlir::Value tangent = scratch.block->addArgument(value.getType(), value.getLoc());
    if (isDifferentiable(value.getType()))
      seeds[value] = rules.add(seeds.lookup(value), tangent); // a value named twice moves along the sum
  }
  llvm::SmallVector<mlir::Value> resultTangents;
  if (mlir::failed(emitTangents(function, scratch, rules, seeds, resultTangents)) ||
      mlir::failed(expandDeferred(function, scratch, rules, resultTangents))) {
    abandonScratch(scratch, function);
    return mlir::failure();
  }

  rules.beginTangent(exit);
  return closeDerivative(scratch, function, options.keepPrimal, resultTangents, rules.location());
}

mlir::FailureOr<Derived> buildJvp(mlir::func::FuncOp function, llvm::ArrayRef<unsigned> wrt,
                                  const JvpOptions &options) {
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> values = selectArguments(function, wrt);
  if (mlir::failed(values))
    return mlir::failure();
  return buildJvp(function, *values, options);
}

namespace {

struct JvpPass : impl::JvpPassBase<JvpPass> {
  using JvpPassBase::JvpPassBase;

  void runOnOperation() override {
    mlir::func::FuncOp target = findFunction(getOperation(), function);
    if (!target)
      return signalPassFailure();
    JvpOptions options;
    options.result = result;
    options.keepPrimal = keepPrimal;
    mlir::FailureOr<Derived> derived = buildJvp(target, llvm::ArrayRef<unsigned>(*wrt), options);
    if (mlir::failed(derived))
      return signalPassFailure();
    tangents += recordActive(derived->function, derived->active);
  }
};

} // namespace
} // namespace tenferro::compiler
