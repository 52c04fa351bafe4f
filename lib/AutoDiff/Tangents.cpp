// Tangents, operation by operation. For y = sin(x) * x and the tangent %dx of %x the scratch block holds
//
//   %s = tenferro.sin %x          copied
//   %c = tenferro.cos %x          the slope            } emitted by the rule of sin
//   %ds = tenferro.mul %c, %dx    linear in %dx        }
//   %y = tenferro.mul %s, %x      copied
//   %a = tenferro.mul %ds, %x     the bilinear rule, once per active operand
//   %b = tenferro.mul %s, %dx
//   %dy = tenferro.add %a, %b
//
// A jvp returns %dy; linearize splits the block by dependence on %dx; a vjp transposes the dependent part in place.
#include "lib/AutoDiff/Tangents.h"

#include "dialects/tenferro/Interfaces.h"
#include "lib/AutoDiff/Activity.h"
#include "lib/AutoDiff/Linearity.h"
#include "lib/AutoDiff/Provenance.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tenferro::compiler {

Scratch openScratch(mlir::func::FuncOp source, const std::string &name) {
  mlir::OpBuilder builder(source.getContext());
  builder.setInsertionPointAfter(source);
  Scratch scratch;
  scratch.function = mlir::func::FuncOp::create(builder, source.getLoc(), name, source.getFunctionType());
  scratch.function.setVisibility(source.getVisibility());
  if (mlir::Attribute data = source->getAttr("tenferro.bindings"))
    scratch.function->setAttr("tenferro.bindings", data);
  scratch.block = scratch.function.addEntryBlock();
  for (auto [from, to] : llvm::zip(source.getArguments(), scratch.block->getArguments())) {
    to.setLoc(from.getLoc());
    scratch.mapping.map(from, to);
  }
  return scratch;
}

/// A kept value says what a rule that reads the computed one may use instead, also where nothing reads it itself.
static bool isKeptForRules(mlir::Operation &op) {
  auto residual = llvm::dyn_cast<ir::ResidualOpInterface>(op);
  return residual && !residual.getComputed().hasOneUse();
}

void closeScratch(Scratch &scratch, mlir::func::FuncOp source, llvm::ArrayRef<mlir::Value> results,
                  mlir::Location returnLocation) {
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(scratch.block);
  mlir::func::ReturnOp::create(builder, returnLocation, results);
  if (!scratch.consume)
    for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(*scratch.block)))
      if (mlir::isOpTriviallyDead(&op) && !isKeptForRules(op))
        op.erase();
  scratch.function.setFunctionType(
      builder.getFunctionType(scratch.block->getArgumentTypes(), mlir::ValueRange(results).getTypes()));
  // All at once: one by one would be quadratic in the arguments.
  llvm::SmallVector<mlir::DictionaryAttr> attributes(scratch.block->getNumArguments(), builder.getDictionaryAttr({}));
  for (size_t i = 0, e = std::min<size_t>(source.getNumArguments(), attributes.size()); i != e; ++i)
    if (mlir::DictionaryAttr given = source.getArgAttrDict(i))
      attributes[i] = given;
  scratch.function.setAllArgAttrs(attributes);
  if (scratch.consume)
    source.erase();
}

Derived closeDerivative(Scratch &scratch, mlir::func::FuncOp source, bool keepPrimal,
                        llvm::ArrayRef<mlir::Value> derivatives, mlir::Location returnLocation) {
  Derived derived{scratch.function, {}};
  llvm::SmallVector<mlir::Value> results;
  if (keepPrimal)
    for (mlir::Value result : source.getBody().front().getTerminator()->getOperands())
      results.push_back(scratch.copyOf(result));
  for (mlir::Value derivative : derivatives) {
    derived.active.push_back(static_cast<bool>(derivative));
    if (derivative)
      results.push_back(derivative);
  }
  closeScratch(scratch, source, results, returnLocation);
  return derived;
}

void abandonScratch(Scratch &scratch, mlir::func::FuncOp source) {
  if (scratch.consume) // first, as it uses what has moved
    source.erase();
  scratch.function.erase();
}

int64_t recordActive(mlir::func::FuncOp derivative, llvm::ArrayRef<bool> active) {
  derivative->setAttr("tenferro.active", mlir::DenseBoolArrayAttr::get(derivative.getContext(), active));
  return llvm::count(active, true);
}

/// Holds the rule that a user's operation is pushed forward by to what a tangent is.
static mlir::LogicalResult checkForwardRule(mlir::Operation *op, const ir::DerivativeDialectInterface &dialect) {
  ir::DerivativeDialectInterface::ForwardRule rule = dialect.forwardRule(op);
  if (!rule.function)
    return mlir::success();
  auto body = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(op, rule.function);
  if (!body || body.isExternal())
    return mlir::success(); // whoever reads its body reports that
  return verifyForwardRule(body, rule.tangents, dialect.explainedName(op), op->getLoc());
}

/// Tangents of the results of `op`, from the one or two rules that cover its active operands.
static mlir::LogicalResult applyRules(mlir::Operation *op, llvm::ArrayRef<mlir::Value> tangents,
                                      ProvenanceBuilder &rules, llvm::SmallVectorImpl<mlir::Value> &results) {
  auto linear = llvm::dyn_cast<ir::LinearOpInterface>(op);
  auto nonlinear = llvm::dyn_cast<ir::NonlinearOpInterface>(op);
  size_t count = tangents.size();
  llvm::SmallVector<bool> inLinear(count, false), inNonlinear(count, false);
  if (linear)
    inLinear = linear.linearOperands();
  if (nonlinear)
    inNonlinear = nonlinear.nonlinearOperands();

  llvm::SmallVector<mlir::Value> forLinear(count), forNonlinear(count);
  bool anyLinear = false, anyNonlinear = false;
  for (size_t i = 0; i < count; ++i) {
    if (!tangents[i])
      continue;
    if (inLinear[i]) {
      forLinear[i] = tangents[i];
      anyLinear = true;
    } else if (inNonlinear[i]) {
      forNonlinear[i] = tangents[i];
      anyNonlinear = true;
    } else {
      rules.beginTangent(op);
      if (auto user = llvm::dyn_cast<ir::UserRuleOpInterface>(op))
        return user.reportMissingRule(i, /*transposing=*/false, rules.order());
      return op->emitOpError("has no derivative rule for operand ") << i;
    }
  }

  results.assign(op->getNumResults(), mlir::Value());
  auto accumulate = [&](llvm::ArrayRef<mlir::Value> terms) {
    for (auto [result, term] : llvm::zip(results, terms))
      result = rules.add(result, term);
  };
  if (anyNonlinear && mlir::failed(checkForwardRule(op, rules.dialect())))
    return mlir::failure();
  rules.beginTangent(op);
  if (anyNonlinear)
    accumulate(nonlinear.buildTangent(rules.builder(), forNonlinear));
  if (anyLinear && !linear.isBilinear())
    accumulate(linear.buildLinear(rules.builder(), forLinear));
  if (anyLinear && linear.isBilinear())
    for (size_t i = 0; i < count; ++i)
      if (forLinear[i]) {
        llvm::SmallVector<mlir::Value> alone(count);
        alone[i] = forLinear[i];
        accumulate(linear.buildLinear(rules.builder(), alone));
      }
  return mlir::success();
}

mlir::LogicalResult emitTangents(mlir::func::FuncOp source, Scratch &scratch, ProvenanceBuilder &rules,
                                 const llvm::DenseMap<mlir::Value, mlir::Value> &seeds,
                                 llvm::SmallVectorImpl<mlir::Value> &resultTangents) {
  mlir::Block &body = source.getBody().front();
  llvm::SmallVector<mlir::Value> roots;
  for (auto [value, seed] : seeds)
    roots.push_back(value);
  llvm::DenseSet<mlir::Value> active = findActiveValues(body, roots);

  llvm::DenseMap<mlir::Value, mlir::Value> tangentOf; // by value of the copy
  for (mlir::Value argument : body.getArguments())
    if (mlir::Value seed = seeds.lookup(argument); seed && active.contains(argument))
      tangentOf[scratch.copyOf(argument)] = seed;

  if (scratch.consume)
    for (mlir::BlockArgument argument : body.getArguments())
      argument.replaceAllUsesWith(scratch.copyOf(argument));
  mlir::OpBuilder copier = mlir::OpBuilder::atBlockEnd(scratch.block);
  rules.builder().setInsertionPointToEnd(scratch.block);
  for (mlir::Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    mlir::Operation *copy = &op;
    if (scratch.consume)
      op.moveBefore(scratch.block, scratch.block->end());
    else
      copy = copier.clone(op, scratch.mapping);
    if (llvm::none_of(op.getResults(), [&](mlir::Value result) { return active.contains(result); }))
      continue;
    llvm::SmallVector<mlir::Value> tangents, results(op.getNumResults());
    bool any = false;
    for (mlir::Value operand : copy->getOperands()) {
      tangents.push_back(tangentOf.lookup(operand));
      any |= static_cast<bool>(tangents.back());
    }
    if (any && !llvm::isa<ir::NonDifferentiableOpInterface>(op) &&
        mlir::failed(applyRules(copy, tangents, rules, results)))
      return mlir::failure();
    for (unsigned i = 0; i < op.getNumResults(); ++i) {
      if (mlir::Value seed = seeds.lookup(op.getResult(i)); seed && active.contains(op.getResult(i))) {
        if (!results[i])
          rules.beginTangent(copy);
        results[i] = rules.add(results[i], seed);
      }
      rules.name(results[i], "d", copy->getResult(i));
      if (results[i] && active.contains(op.getResult(i)))
        tangentOf[copy->getResult(i)] = results[i];
    }
  }
  for (mlir::Value operand : body.getTerminator()->getOperands())
    resultTangents.push_back(tangentOf.lookup(scratch.copyOf(operand)));
  return mlir::success();
}

void eraseUnused(mlir::func::FuncOp source, Scratch &scratch, llvm::ArrayRef<mlir::Value> kept) {
  llvm::DenseSet<mlir::Value> needed(kept.begin(), kept.end());
  for (mlir::Value result : source.getBody().front().getTerminator()->getOperands())
    needed.insert(scratch.copyOf(result));
  for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(*scratch.block)))
    if (mlir::isOpTriviallyDead(&op) && !isKeptForRules(op) &&
        llvm::none_of(op.getResults(), [&](mlir::Value result) { return needed.contains(result); }))
      op.erase();
}

mlir::LogicalResult expandDeferred(mlir::func::FuncOp source, Scratch &scratch, ProvenanceBuilder &rules,
                                   llvm::SmallVectorImpl<mlir::Value> &resultTangents) {
  auto isDeferred = [](mlir::Operation &op) { return llvm::isa<ir::DeferredOpInterface>(op); };
  if (llvm::none_of(*scratch.block, isDeferred))
    return mlir::success();
  llvm::SmallVector<mlir::Value> present;
  llvm::copy_if(resultTangents, std::back_inserter(present), [](mlir::Value value) { return static_cast<bool>(value); });
  eraseUnused(source, scratch, present);
  for (mlir::Operation &op : llvm::make_early_inc_range(*scratch.block)) {
    auto deferred = llvm::dyn_cast<ir::DeferredOpInterface>(op);
    if (!deferred)
      continue;
    if (mlir::failed(checkForwardRule(&op, rules.dialect())))
      return mlir::failure();
    rules.resume(&op);
    rules.builder().setInsertionPoint(&op);
    mlir::FailureOr<llvm::SmallVector<mlir::Value>> forward = deferred.buildForward(rules.builder(), rules.order());
    if (mlir::failed(forward))
      return mlir::failure();
    for (auto [old, made] : llvm::zip_equal(op.getResults(), *forward)) {
      llvm::replace(resultTangents, mlir::Value(old), made);
      old.replaceAllUsesWith(made);
    }
    op.erase();
  }
  rules.builder().setInsertionPointToEnd(scratch.block);
  return mlir::success();
}

LinearPart findDependents(mlir::Block &block, llvm::ArrayRef<mlir::Value> roots) {
  LinearPart part;
  part.values.insert(roots.begin(), roots.end());
  for (mlir::Operation &op : block) {
    if (op.hasTrait<mlir::OpTrait::IsTerminator>() ||
        llvm::none_of(op.getOperands(), [&](mlir::Value operand) { return part.values.contains(operand); }))
      continue;
    part.operations.push_back(&op);
    part.values.insert(op.result_begin(), op.result_end());
  }
  return part;
}

/// A user's operation may lack the rule that transposes it.
static mlir::LogicalResult checkTransposable(mlir::Operation *op, const llvm::DenseSet<mlir::Value> &linear,
                                             ProvenanceBuilder &rules) {
  auto user = llvm::dyn_cast<ir::UserRuleOpInterface>(op);
  if (!user)
    return mlir::success();
  llvm::SmallVector<bool> mask = llvm::cast<ir::LinearOpInterface>(op).linearOperands();
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (!mask[i] && linear.contains(operand)) {
      rules.beginCotangent(op, static_cast<int64_t>(i));
      return user.reportMissingRule(static_cast<unsigned>(i), /*transposing=*/true, rules.order());
    }
  return mlir::success();
}

mlir::LogicalResult emitCotangents(const LinearPart &part, ProvenanceBuilder &rules,
                                   llvm::DenseMap<mlir::Value, mlir::Value> &cotangents) {
  for (mlir::Operation *op : llvm::reverse(part.operations)) {
    llvm::SmallVector<mlir::Value> fromResults;
    bool any = false;
    for (mlir::Value result : op->getResults()) {
      fromResults.push_back(cotangents.lookup(result));
      any |= static_cast<bool>(fromResults.back());
    }
    if (!any)
      continue;
    if (mlir::failed(checkTransposable(op, part.values, rules)) ||
        mlir::failed(checkLinearOperation(op, part.values, rules.dialect())))
      return mlir::failure();
    auto linear = llvm::cast<ir::LinearOpInterface>(op);
    unsigned count = op->getNumOperands();
    // One operand at a time, so that everything emitted belongs to that operand.
    for (unsigned i = 0; i < count; ++i) {
      mlir::Value operand = op->getOperand(i);
      if (!part.values.contains(operand))
        continue;
      llvm::SmallVector<bool> wanted(count, false);
      wanted[i] = true;
      rules.beginCotangent(op, i);
      llvm::SmallVector<mlir::Value> terms = linear.buildCotangents(rules.builder(), fromResults, wanted);
      if (terms[i]) {
        rules.name(terms[i], "ct", operand);
        mlir::Value sum = rules.add(cotangents.lookup(operand), terms[i]);
        rules.name(sum, "ct", operand);
        cotangents[operand] = sum;
      }
    }
  }
  return mlir::success();
}

mlir::LogicalResult eraseLinearPart(const LinearPart &part) {
  for (mlir::Operation *op : llvm::reverse(part.operations)) {
    if (!op->use_empty())
      return op->emitOpError("is used by a cotangent rule, but a cotangent depends on fixed operands alone");
    op->erase();
  }
  return mlir::success();
}

} // namespace tenferro::compiler
