// tenferro-linearize: a function as its primal part, which computes what the derivative needs, and its linear part.
#include "lib/AutoDiff/Activity.h"
#include "lib/AutoDiff/Derive.h"
#include "lib/AutoDiff/Passes.h"
#include "lib/AutoDiff/Provenance.h"
#include "lib/AutoDiff/Tangents.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace tenferro::compiler {

#define GEN_PASS_DEF_LINEARIZEPASS
#include "lib/AutoDiff/Passes.h.inc"

/// Moves a linear part into a function of its own, whose arguments are the values that cross, then the tangents.
static mlir::func::FuncOp extractLinear(mlir::func::FuncOp source, Scratch &scratch, const LinearPart &part,
                                        llvm::ArrayRef<mlir::Value> tangents, llvm::ArrayRef<mlir::Value> results,
                                        llvm::ArrayRef<mlir::Value> crossing, llvm::ArrayRef<mlir::Value> zeros,
                                        mlir::Location returnLocation) {
  mlir::MLIRContext *context = source.getContext();
  mlir::OpBuilder builder(context);
  builder.setInsertionPointAfter(scratch.function);
  llvm::SmallVector<mlir::Type> inputs, outputs;
  llvm::SmallVector<int64_t> linearNumbers;
  for (mlir::Value value : crossing)
    inputs.push_back(value.getType());
  for (mlir::Value value : tangents) {
    linearNumbers.push_back(static_cast<int64_t>(inputs.size()));
    inputs.push_back(value.getType());
  }
  for (mlir::Value value : results)
    outputs.push_back(value.getType());

  auto linear = mlir::func::FuncOp::create(builder, source.getLoc(), source.getSymName().str() + ".linear",
                                           builder.getFunctionType(inputs, outputs));
  linear.setVisibility(source.getVisibility());
  linear->setAttr("tenferro.linear", builder.getDenseI64ArrayAttr(linearNumbers));
  linear->setAttr("tenferro.primal", mlir::FlatSymbolRefAttr::get(context, scratch.function.getSymName()));
  mlir::Block *block = linear.addEntryBlock();

  llvm::DenseMap<mlir::Value, mlir::Value> replacement;
  for (auto [from, to] : llvm::zip(crossing, block->getArguments())) {
    to.setLoc(from.getLoc());
    replacement[from] = to;
  }
  for (auto [from, to] : llvm::zip(tangents, block->getArguments().drop_front(crossing.size()))) {
    to.setLoc(from.getLoc());
    replacement[from] = to;
  }
  auto replaced = [&](mlir::Value value) {
    mlir::Value found = replacement.lookup(value);
    return found ? found : value;
  };
  // Zeros are linear, so they are written again where they are used: as arguments nobody could tell them from
  // residuals.
  builder.setInsertionPointToEnd(block);
  for (mlir::Value zero : zeros)
    replacement[zero] = builder.clone(*zero.getDefiningOp())->getResult(0);
  for (mlir::Operation *op : part.operations) {
    op->moveBefore(block, block->end());
    for (mlir::OpOperand &operand : op->getOpOperands())
      operand.set(replaced(operand.get()));
  }
  llvm::SmallVector<mlir::Value> returned;
  for (mlir::Value value : results)
    returned.push_back(replaced(value));
  mlir::func::ReturnOp::create(builder, returnLocation, returned);
  return linear;
}

mlir::FailureOr<Linearized> linearize(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> wrt) {
  std::string name = function.getSymName().str();
  if (mlir::failed(checkDerivable(function, name + ".primal")) ||
      mlir::failed(checkDerivable(function, name + ".linear")))
    return mlir::failure();
  const ir::DerivativeDialectInterface *dialect = derivativeDialect(function.getContext());

  Scratch scratch = openScratch(function, name + ".primal");
  mlir::Operation *exit = function.getBody().front().getTerminator();
  ProvenanceBuilder rules(*dialect, function.getContext());
  rules.builder().setInsertionPointToEnd(scratch.block);
  rules.beginTangent(exit);
  unsigned firstTangent = scratch.block->getNumArguments();
  llvm::DenseMap<mlir::Value, mlir::Value> seeds;
  for (mlir::Value value : wrt) {
    mlir::Value tangent = scratch.block->addArgument(value.getType(), value.getLoc());
    if (isDifferentiable(value.getType()))
      seeds[value] = rules.add(seeds.lookup(value), tangent);
  }
  llvm::SmallVector<mlir::Value> resultTangents;
  if (mlir::failed(emitTangents(function, scratch, rules, seeds, resultTangents))) {
    scratch.function.erase();
    return mlir::failure();
  }

  Linearized answer;
  llvm::SmallVector<mlir::Value> present;
  for (mlir::Value tangent : resultTangents) {
    answer.active.push_back(static_cast<bool>(tangent));
    if (tangent)
      present.push_back(tangent);
  }
  llvm::SmallVector<mlir::Value> tangents(scratch.block->getArguments().drop_front(firstTangent));
  // What no result needs must not make residuals: tangents are emitted before anyone knows who uses them.
  eraseUnused(function, scratch, present);

  LinearPart part = findDependents(*scratch.block, tangents);
  llvm::SetVector<mlir::Value> crossing, zeros;
  auto cross = [&](mlir::Value value) {
    if (part.values.contains(value))
      return;
    mlir::Operation *op = value.getDefiningOp();
    (op && dialect->isZero(op) ? zeros : crossing).insert(value);
  };
  for (mlir::Operation *op : part.operations)
    for (mlir::Value operand : op->getOperands())
      cross(operand);
  for (mlir::Value tangent : present)
    cross(tangent);

  rules.beginTangent(exit);
  answer.linear = extractLinear(function, scratch, part, tangents, present, crossing.getArrayRef(), zeros.getArrayRef(),
                                rules.location());
  scratch.block->eraseArguments(firstTangent, tangents.size());
  llvm::SmallVector<mlir::Value> results;
  for (mlir::Value result : exit->getOperands())
    results.push_back(scratch.mapping.lookup(result));
  llvm::append_range(results, crossing);
  closeScratch(scratch, function, results, exit->getLoc());
  answer.primal = scratch.function;
  return answer;
}

namespace {

struct LinearizePass : impl::LinearizePassBase<LinearizePass> {
  using LinearizePassBase::LinearizePassBase;

  void runOnOperation() override {
    mlir::func::FuncOp target = findFunction(getOperation(), function);
    if (!target)
      return signalPassFailure();
    mlir::FailureOr<llvm::SmallVector<mlir::Value>> values = selectArguments(target, *wrt);
    if (mlir::failed(values))
      return signalPassFailure();
    mlir::FailureOr<Linearized> pair = linearize(target, *values);
    if (mlir::failed(pair) || mlir::failed(verifyLinearity(pair->linear)))
      return signalPassFailure();
    recordActive(pair->linear, pair->active);
    residuals += pair->primal.getNumResults() - target.getNumResults();
  }
};

} // namespace
} // namespace tenferro::compiler
