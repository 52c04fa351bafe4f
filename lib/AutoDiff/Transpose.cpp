// tenferro-transpose: turns a linear function around. What does not depend on its linear arguments stays on top.
#include "lib/AutoDiff/Derive.h"
#include "lib/AutoDiff/Passes.h"
#include "lib/AutoDiff/Provenance.h"
#include "lib/AutoDiff/Tangents.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tenferro::compiler {

#define GEN_PASS_DEF_TRANSPOSEPASS
#include "lib/AutoDiff/Passes.h.inc"

/// "f.linear" gives "f.transpose"; any other name gets ".transpose" behind.
static std::string transposedName(llvm::StringRef name) {
  name.consume_back(".linear");
  return (name + ".transpose").str();
}

mlir::FailureOr<mlir::func::FuncOp> transpose(mlir::func::FuncOp function, llvm::StringRef result) {
  std::string name = result.empty() ? transposedName(function.getSymName()) : result.str();
  if (mlir::failed(checkDerivable(function, name)) || mlir::failed(verifyLinearity(function)))
    return mlir::failure();
  auto numbers = function->getAttrOfType<mlir::DenseI64ArrayAttr>("tenferro.linear");
  if (!numbers)
    return function.emitError("transposition expects a function with the attribute 'tenferro.linear'");
  const ir::DerivativeDialectInterface *dialect = derivativeDialect(function.getContext());

  Scratch scratch = openScratch(function, name);
  mlir::Operation *exit = function.getBody().front().getTerminator();
  unsigned oldCount = function.getNumArguments();
  llvm::SmallVector<mlir::Value> seeds, roots;
  for (mlir::Value value : exit->getOperands())
    seeds.push_back(scratch.block->addArgument(value.getType(), exit->getLoc()));
  llvm::BitVector isRoot(scratch.block->getNumArguments());
  for (int64_t number : numbers.asArrayRef()) {
    roots.push_back(scratch.block->getArgument(number));
    isRoot.set(number);
  }

  mlir::OpBuilder copier = mlir::OpBuilder::atBlockEnd(scratch.block);
  for (mlir::Operation &op : function.getBody().front().without_terminator())
    copier.clone(op, scratch.mapping);
  LinearPart part = findDependents(*scratch.block, roots);

  ProvenanceBuilder rules(*dialect, function.getContext());
  rules.builder().setInsertionPointToEnd(scratch.block);
  llvm::DenseMap<mlir::Value, mlir::Value> cotangents;
  for (auto [value, seed] : llvm::zip(exit->getOperands(), seeds)) {
    mlir::Value copy = scratch.mapping.lookup(value);
    if (!part.values.contains(copy))
      continue;
    rules.beginCotangent(exit, -1);
    cotangents[copy] = rules.add(cotangents.lookup(copy), seed);
  }
  if (mlir::failed(emitCotangents(part, rules, cotangents))) {
    scratch.function.erase();
    return mlir::failure();
  }
  llvm::SmallVector<mlir::Value> results;
  rules.beginCotangent(exit, -1);
  for (mlir::Value root : roots) {
    mlir::Value gradient = cotangents.lookup(root);
    results.push_back(gradient ? gradient : rules.zero(root.getType()));
  }
  if (mlir::failed(eraseLinearPart(part))) {
    scratch.function.erase();
    return mlir::failure();
  }

  // Attributes of arguments follow their arguments to the new numbers.
  llvm::SmallVector<mlir::DictionaryAttr> argumentAttributes;
  for (unsigned i = 0; i < oldCount; ++i)
    if (!isRoot[i])
      argumentAttributes.push_back(function.getArgAttrDict(i));
  scratch.block->eraseArguments(isRoot);
  closeScratch(scratch, function, results, rules.location());
  llvm::SmallVector<int64_t> linearNumbers;
  for (size_t i = 0; i < seeds.size(); ++i)
    linearNumbers.push_back(static_cast<int64_t>(argumentAttributes.size() + i));
  argumentAttributes.resize(scratch.function.getNumArguments());
  for (mlir::DictionaryAttr &attributes : argumentAttributes)
    if (!attributes)
      attributes = mlir::DictionaryAttr::get(function.getContext());
  scratch.function.setAllArgAttrs(argumentAttributes);
  scratch.function->setAttr("tenferro.linear", mlir::DenseI64ArrayAttr::get(function.getContext(), linearNumbers));
  return scratch.function;
}

namespace {

struct TransposePass : impl::TransposePassBase<TransposePass> {
  using TransposePassBase::TransposePassBase;

  void runOnOperation() override {
    llvm::SmallVector<mlir::func::FuncOp> targets;
    if (!function.empty()) {
      if (mlir::func::FuncOp target = findFunction(getOperation(), function))
        targets.push_back(target);
      else
        return signalPassFailure();
    } else {
      for (auto candidate : getOperation().getOps<mlir::func::FuncOp>())
        if (candidate->hasAttr("tenferro.linear") && !candidate.isExternal())
          targets.push_back(candidate);
    }
    for (mlir::func::FuncOp target : targets) {
      mlir::FailureOr<mlir::func::FuncOp> made =
          transpose(target, targets.size() == 1 ? llvm::StringRef(result) : llvm::StringRef());
      if (mlir::failed(made) || mlir::failed(verifyLinearity(*made)))
        return signalPassFailure();
      ++transposed;
    }
  }
};

} // namespace
} // namespace tenferro::compiler
