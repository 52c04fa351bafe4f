// Locations of derivative operations.
#include "lib/AutoDiff/Provenance.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace tenferro::compiler {

const ir::DerivativeDialectInterface *derivativeDialect(mlir::MLIRContext *context) {
  for (mlir::Dialect *dialect : context->getLoadedDialects())
    if (auto *found = dialect->getRegisteredInterface<ir::DerivativeDialectInterface>())
      return found;
  return nullptr;
}

/// The fused location of highest order that a rule left in `location`, null if there is none. Locations nest by order
/// of differentiation, inlining and merging, not by the depth of a program.
static mlir::FusedLoc findRule(const ir::DerivativeDialectInterface &dialect, mlir::Location location) {
  mlir::FusedLoc best;
  int64_t bestOrder = 0;
  llvm::SmallVector<mlir::Location> pending{location};
  while (!pending.empty()) {
    mlir::Location next = pending.pop_back_val();
    if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(next)) {
      int64_t order = fused.getMetadata() ? dialect.ruleOrder(fused.getMetadata()) : 0;
      if (order > bestOrder) {
        best = fused;
        bestOrder = order;
      }
      // Reversed, so that of two equal orders the first in the text wins.
      for (mlir::Location inner : llvm::reverse(fused.getLocations()))
        pending.push_back(inner);
    } else if (auto named = llvm::dyn_cast<mlir::NameLoc>(next)) {
      pending.push_back(named.getChildLoc());
    } else if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(next)) {
      pending.push_back(call.getCallee());
    }
  }
  return best;
}

void ProvenanceBuilder::beginPrimal(mlir::Operation *primal, bool cotangent, int64_t operand) {
  mlir::MLIRContext *context = primal->getContext();
  mlir::FusedLoc rule = findRule(dialectInterface, primal->getLoc());
  int64_t order = rule ? dialectInterface.ruleOrder(rule.getMetadata()) : 0;
  current = mlir::FusedLoc::get(context, {primal->getLoc()},
                                dialectInterface.rule(context, dialectInterface.ruleName(primal), cotangent,
                                                      dialectInterface.explainedOperand(primal, operand), order + 1));
}

void ProvenanceBuilder::beginCotangent(mlir::Operation *linear, int64_t operand) {
  mlir::MLIRContext *context = linear->getContext();
  mlir::FusedLoc rule = findRule(dialectInterface, linear->getLoc());
  operand = dialectInterface.explainedOperand(linear, operand);
  if (!rule) {
    current = mlir::FusedLoc::get(context, {linear->getLoc()},
                                  dialectInterface.rule(context, dialectInterface.ruleName(linear),
                                                        /*cotangent=*/true, operand, /*order=*/1));
    return;
  }
  // An operand of a step of the rule ("szmul" for exp, "mul" for a user's "mul") is none of the primal operation's.
  if (dialectInterface.ruleName(linear) != dialectInterface.ruleOp(rule.getMetadata()))
    operand = -1;
  // The name of the linear operation is not the name of its cotangent.
  llvm::SmallVector<mlir::Location> primal;
  for (mlir::Location inside : rule.getLocations()) {
    auto named = llvm::dyn_cast<mlir::NameLoc>(inside);
    primal.push_back(named && !llvm::isa<mlir::UnknownLoc>(named.getChildLoc()) ? named.getChildLoc() : inside);
  }
  current = mlir::FusedLoc::get(context, primal,
                                dialectInterface.rule(context, dialectInterface.ruleOp(rule.getMetadata()),
                                                      /*cotangent=*/true, operand,
                                                      dialectInterface.ruleOrder(rule.getMetadata())));
}

int64_t ProvenanceBuilder::order() const {
  mlir::FusedLoc rule = findRule(dialectInterface, current);
  return rule ? dialectInterface.ruleOrder(rule.getMetadata()) : 0;
}

mlir::Value ProvenanceBuilder::add(mlir::Value a, mlir::Value b) {
  if (!a || !b)
    return a ? a : b;
  return dialectInterface.add(opBuilder, current, a, b);
}

/// `rule` with `name` between it and the primal location.
static mlir::Location withName(mlir::FusedLoc rule, mlir::StringAttr name) {
  mlir::MLIRContext *context = rule.getContext();
  mlir::Location inside = mlir::NameLoc::get(name, mlir::FusedLoc::get(context, rule.getLocations()));
  return mlir::FusedLoc::get(context, {inside}, rule.getMetadata());
}

/// What a value is called: by its location, else by the operation it comes from.
static llvm::StringRef nameOf(mlir::Value value, const ir::DerivativeDialectInterface &dialect) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return "arg";
  if (auto named = op->getLoc()->findInstanceOf<mlir::NameLoc>())
    return named.getName().strref();
  return dialect.explainedName(op);
}

void ProvenanceBuilder::name(mlir::Value value, llvm::StringRef prefix, mlir::Value of) {
  if (!nameValues)
    return;
  mlir::Operation *op = value ? value.getDefiningOp() : nullptr;
  auto rule = llvm::dyn_cast<mlir::FusedLoc>(current);
  if (!op || !rule || op->getLoc() != current)
    return;
  // The cotangent of %d_tanh is %ct_tanh, and that of %ct_tanh %d_tanh again.
  llvm::StringRef base = nameOf(of, dialectInterface);
  if (prefix == "ct" && base.consume_front("ct_"))
    prefix = "d";
  else if (prefix == "ct")
    base.consume_front("d_");
  op->setLoc(withName(rule, mlir::StringAttr::get(op->getContext(), prefix + "_" + base)));
}

void ProvenanceBuilder::notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint) {
  if (!nameValues)
    return op->setLoc(current);
  auto named = llvm::dyn_cast<mlir::NameLoc>(op->getLoc());
  auto rule = llvm::dyn_cast<mlir::FusedLoc>(current);
  // A rule that names nothing passes the primal's location on; that one's name is not its own.
  if (named && rule && !llvm::is_contained(rule.getLocations(), op->getLoc())) {
    op->setLoc(withName(rule, named.getName()));
    return;
  }
  op->setLoc(current);
}

} // namespace tenferro::compiler
