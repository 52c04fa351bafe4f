// tenferro-select-residuals: which values cross from the primal to the linear function.
//
// Each value of the primal that the linear function needs is either kept (its bytes) or computed again by cheap
// operations from values that are kept. That is a cut between what exists anyway and what is needed: nodes are values
// with their bytes as capacity, edges lead through cheap operations alone, arguments of the function cost nothing, as
// they are bound anyway.
#include "lib/AutoDiff/Derive.h"
#include "lib/AutoDiff/MinCut.h"
#include "lib/AutoDiff/Passes.h"

#include "dialects/tenferro/Interfaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <string>

namespace tenferro::compiler {

#define GEN_PASS_DEF_SELECTRESIDUALSPASS
#include "lib/AutoDiff/Passes.h.inc"

static int64_t byteSize(mlir::Type type) {
  auto tensor = llvm::cast<mlir::ShapedType>(type);
  mlir::Type element = tensor.getElementType();
  int64_t factor = 1;
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) {
    element = complex.getElementType();
    factor = 2;
  }
  return tensor.getNumElements() * factor * ((element.getIntOrFloatBitWidth() + 7) / 8);
}

static bool isCheap(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  return op && llvm::isa<ir::CheapOpInterface>(op) && mlir::isPure(op);
}

static int64_t costOfKeeping(mlir::Value value) {
  return llvm::isa<mlir::BlockArgument>(value) ? 0 : byteSize(value.getType());
}

/// The values to keep so that cheap operations give all of `needed`, in the order they are met from `needed`.
static llvm::SetVector<mlir::Value> chooseKept(llvm::ArrayRef<mlir::Value> needed) {
  MinCut network;
  size_t source = network.addNode(), sink = network.addNode();
  llvm::DenseMap<mlir::Value, size_t> entry; // the node before a value; the one after it is the next
  llvm::SmallVector<mlir::Value> pending;
  auto nodeOf = [&](mlir::Value value) {
    auto [found, isNew] = entry.try_emplace(value, 0);
    if (isNew) {
      size_t before = network.addNode(), after = network.addNode();
      network.addEdge(before, after, costOfKeeping(value));
      entry[value] = before;
      pending.push_back(value);
      return before;
    }
    return found->second;
  };
  for (mlir::Value value : needed)
    network.addEdge(nodeOf(value) + 1, sink, MinCut::kInfinite);
  llvm::SmallVector<mlir::Value> all;
  while (!pending.empty()) {
    mlir::Value value = pending.pop_back_val();
    all.push_back(value);
    size_t before = entry.lookup(value);
    if (!isCheap(value)) {
      network.addEdge(source, before, MinCut::kInfinite);
      continue;
    }
    for (mlir::Value operand : value.getDefiningOp()->getOperands())
      network.addEdge(nodeOf(operand) + 1, before, MinCut::kInfinite);
  }
  network.run(source, sink);
  std::vector<bool> late = network.sinkSide(sink);
  llvm::SetVector<mlir::Value> kept;
  for (mlir::Value value : all)
    if (late[entry.lookup(value) + 1] && !late[entry.lookup(value)])
      kept.insert(value);
  return kept;
}

static std::string describe(mlir::Value value) {
  std::string bytes = std::to_string(byteSize(value.getType())) + " bytes";
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value))
    return "kept: argument " + std::to_string(argument.getArgNumber()) + ", bound anyway";
  return "kept: " + value.getDefiningOp()->getName().getStringRef().str() + ", " + bytes;
}

int64_t selectResiduals(mlir::func::FuncOp primal, mlir::func::FuncOp linear) {
  auto numbers = linear->getAttrOfType<mlir::DenseI64ArrayAttr>("tenferro.linear");
  unsigned tangentCount = numbers.size(), oldCount = linear.getNumArguments() - tangentCount;
  mlir::Operation *exit = primal.getBody().front().getTerminator();
  unsigned firstResidual = exit->getNumOperands() - oldCount;
  llvm::SmallVector<mlir::Value> needed(exit->getOperands().drop_front(firstResidual));
  llvm::SetVector<mlir::Value> chosen = chooseKept(needed);

  // In program order, arguments first, so that the signature does not depend on the order of the search.
  llvm::SmallVector<mlir::Value> kept;
  for (mlir::Value argument : primal.getArguments())
    if (chosen.contains(argument))
      kept.push_back(argument);
  for (mlir::Operation &op : primal.getBody().front())
    for (mlir::Value result : op.getResults())
      if (chosen.contains(result))
        kept.push_back(result);
  int64_t saved = 0;
  for (mlir::Value value : needed)
    saved += costOfKeeping(value);
  for (mlir::Value value : kept)
    saved -= costOfKeeping(value);

  // What is computed again: everything between the kept values and the needed ones.
  llvm::DenseSet<mlir::Operation *> redone;
  llvm::SmallVector<mlir::Value> pending(needed);
  while (!pending.empty()) {
    mlir::Value value = pending.pop_back_val();
    if (chosen.contains(value))
      continue;
    mlir::Operation *op = value.getDefiningOp();
    if (redone.insert(op).second)
      llvm::append_range(pending, op->getOperands());
  }

  mlir::Block &block = linear.getBody().front();
  mlir::MLIRContext *context = linear.getContext();
  mlir::IRMapping mapping;
  for (auto [i, value] : llvm::enumerate(kept))
    mapping.map(value, block.insertArgument(oldCount + i, value.getType(), value.getLoc()));
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&block);
  for (mlir::Operation &op : primal.getBody().front())
    if (redone.contains(&op)) {
      mlir::Operation *copy = builder.clone(op, mapping);
      int64_t bytes = 0;
      for (mlir::Value result : op.getResults())
        bytes += byteSize(result.getType());
      copy->setAttr("tenferro.residual",
                    builder.getStringAttr("recomputed: cheap, spares " + std::to_string(bytes) + " bytes"));
    }
  for (auto [old, value] : llvm::zip(block.getArguments().take_front(oldCount), needed))
    old.replaceAllUsesWith(mapping.lookup(value));
  block.eraseArguments(0, oldCount);

  llvm::SmallVector<int64_t> linearNumbers;
  for (unsigned i = 0; i < tangentCount; ++i)
    linearNumbers.push_back(static_cast<int64_t>(kept.size() + i));
  linear.setFunctionType(mlir::FunctionType::get(context, block.getArgumentTypes(), linear.getResultTypes()));
  linear->setAttr("tenferro.linear", builder.getDenseI64ArrayAttr(linearNumbers));
  llvm::SmallVector<mlir::DictionaryAttr> attributes(block.getNumArguments(), builder.getDictionaryAttr({}));
  for (auto [i, value] : llvm::enumerate(kept))
    attributes[i] =
        builder.getDictionaryAttr(builder.getNamedAttr("tenferro.residual", builder.getStringAttr(describe(value))));
  linear.setAllArgAttrs(attributes);

  exit->setOperands(firstResidual, oldCount, kept);
  for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(primal.getBody().front())))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
  primal.setFunctionType(mlir::FunctionType::get(context, primal.getArgumentTypes(), exit->getOperandTypes()));
  return saved;
}

namespace {

struct SelectResidualsPass : impl::SelectResidualsPassBase<SelectResidualsPass> {
  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    for (auto linear : getOperation().getOps<mlir::func::FuncOp>()) {
      auto name = linear->getAttrOfType<mlir::FlatSymbolRefAttr>("tenferro.primal");
      if (!name || linear.isExternal())
        continue;
      auto primal = symbols.lookup<mlir::func::FuncOp>(name.getValue());
      if (mlir::failed(checkPair(primal, linear)))
        return signalPassFailure();
      bytes += selectResiduals(primal, linear);
    }
  }

  /// The two functions were made as a pair: residuals are the last results of one and the first arguments of the other.
  static mlir::LogicalResult checkPair(mlir::func::FuncOp primal, mlir::func::FuncOp linear) {
    auto numbers = linear->getAttrOfType<mlir::DenseI64ArrayAttr>("tenferro.linear");
    if (!primal || primal.isExternal() || !llvm::hasSingleElement(primal.getBody()) ||
        !llvm::hasSingleElement(linear.getBody()))
      return linear.emitError("attribute 'tenferro.primal' expects a function of one block");
    if (!numbers || numbers.size() > static_cast<int64_t>(linear.getNumArguments()))
      return linear.emitError("attribute 'tenferro.primal' expects 'tenferro.linear' beside it");
    unsigned count = linear.getNumArguments() - numbers.size();
    for (auto [i, number] : llvm::enumerate(numbers.asArrayRef()))
      if (number != static_cast<int64_t>(count + i))
        return linear.emitError(
            "attribute 'tenferro.linear' expects the last arguments where there is a primal function");
    if (primal.getNumResults() < count)
      return linear.emitError("attribute 'tenferro.primal' expects a function with at least ")
             << count << " results, but '" << primal.getSymName() << "' has " << primal.getNumResults();
    for (unsigned i = 0; i < count; ++i) {
      mlir::Type given = primal.getResultTypes()[primal.getNumResults() - count + i];
      if (given != linear.getArgumentTypes()[i])
        return linear.emitError("residual ") << i << " expects type " << linear.getArgumentTypes()[i] << ", but '"
                                             << primal.getSymName() << "' returns " << given;
      auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(given);
      if (!tensor || !tensor.hasStaticShape() ||
          !llvm::isa<mlir::FloatType, mlir::IntegerType, mlir::ComplexType>(tensor.getElementType()))
        return linear.emitError("residual ") << i << " expects a tensor of static shape, but has type " << given;
    }
    return mlir::success();
  }
};

} // namespace
} // namespace tenferro::compiler
