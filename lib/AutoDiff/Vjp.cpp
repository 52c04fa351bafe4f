// tenferro-vjp: reverse mode. Linearize into a scratch block, transpose its linear part in place.
#include "lib/AutoDiff/Activity.h"
#include "lib/AutoDiff/Derive.h"
#include "lib/AutoDiff/Passes.h"
#include "lib/AutoDiff/Provenance.h"
#include "lib/AutoDiff/Tangents.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tenferro::compiler {

#define GEN_PASS_DEF_VJPPASS
#include "lib/AutoDiff/Passes.h.inc"

mlir::FailureOr<Derived> buildVjp(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> wrt,
                                  const VjpOptions &options) {
  std::string name = options.result.empty() ? function.getSymName().str() + "_vjp" : options.result;
  if (mlir::failed(checkDerivable(function, name)))
    return mlir::failure();
  const ir::DerivativeDialectInterface *dialect = derivativeDialect(function.getContext());

  Scratch scratch = openScratch(function, name);
  scratch.consume = options.consume;
  auto fail = [&]() -> mlir::FailureOr<Derived> {
    abandonScratch(scratch, function);
    return mlir::failure();
  };
  mlir::Operation *exit = function.getBody().front().getTerminator();
  llvm::SmallVector<mlir::Value> seedArguments;
  if (!options.seedOnes)
    for (mlir::Value result : exit->getOperands())
      seedArguments.push_back(scratch.block->addArgument(result.getType(), exit->getLoc()));

  // Tangents are arguments for as long as there is a linear part to transpose.
  unsigned firstTangent = scratch.block->getNumArguments();
  llvm::DenseMap<mlir::Value, mlir::Value> seeds;
  for (mlir::Value value : wrt)
    if (isDifferentiable(value.getType()) && !seeds.contains(value))
      seeds[value] = scratch.block->addArgument(value.getType(), value.getLoc());
  llvm::SmallVector<mlir::Value> roots(scratch.block->getArguments().drop_front(firstTangent));

  ProvenanceBuilder rules(*dialect, function.getContext(), options.nameValues);
  llvm::SmallVector<mlir::Value> resultTangents;
  if (mlir::failed(emitTangents(function, scratch, rules, seeds, resultTangents)))
    return fail();

  LinearPart part = findDependents(*scratch.block, roots);
  llvm::DenseMap<mlir::Value, mlir::Value> cotangents;
  for (auto [i, tangent] : llvm::enumerate(resultTangents)) {
    if (!tangent || !part.values.contains(tangent))
      continue;
    rules.beginExit(exit, /*cotangent=*/true, static_cast<int64_t>(i));
    mlir::Value seed = options.seedOnes ? rules.one(tangent.getType()) : seedArguments[i];
    cotangents[tangent] = rules.add(cotangents.lookup(tangent), seed);
  }
  if (mlir::failed(emitCotangents(part, rules, cotangents)))
    return fail();

  llvm::SmallVector<mlir::Value> gradients;
  for (mlir::Value value : wrt)
    gradients.push_back(cotangents.lookup(seeds.lookup(value)));
  if (mlir::failed(eraseLinearPart(part)))
    return fail();
  scratch.block->eraseArguments(firstTangent, roots.size());
  rules.beginExit(exit, /*cotangent=*/true, -1);
  return closeDerivative(scratch, function, options.keepPrimal, gradients, rules.location());
}

mlir::FailureOr<Derived> buildVjp(mlir::func::FuncOp function, llvm::ArrayRef<unsigned> wrt,
                                  const VjpOptions &options) {
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> values = selectArguments(function, wrt);
  if (mlir::failed(values))
    return mlir::failure();
  return buildVjp(function, *values, options);
}

namespace {

struct VjpPass : impl::VjpPassBase<VjpPass> {
  using VjpPassBase::VjpPassBase;

  void runOnOperation() override {
    mlir::func::FuncOp target = findFunction(getOperation(), function);
    if (!target)
      return signalPassFailure();
    VjpOptions options;
    options.result = result;
    options.seedOnes = seedOnes;
    options.keepPrimal = keepPrimal;
    mlir::FailureOr<Derived> derived = buildVjp(target, llvm::ArrayRef<unsigned>(*wrt), options);
    if (mlir::failed(derived))
      return signalPassFailure();
    gradients += recordActive(derived->function, derived->active);
  }
};

} // namespace
} // namespace tenferro::compiler
