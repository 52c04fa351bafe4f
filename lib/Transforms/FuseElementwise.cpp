// Moves each planned group of operations into a tenferro.fused.
#include "dialects/tenferro/Structure.h"
#include "lib/Transforms/Cleanup.h"
#include "lib/Transforms/Fusion.h"
#include "lib/Transforms/FusionPlan.h"
#include "lib/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <numeric>
#include <vector>

using namespace mlir;

namespace tenferro::compiler {

#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "lib/Transforms/Passes.h.inc"

namespace {

/// Builds the kernel of one group: the members and the views and constants they read through are copied inside.
class GroupBuilder {
public:
  GroupBuilder(const FusionGroup &group, OpBuilder &builder) : group_(group), builder_(builder) {
    inside_.insert(group.members.begin(), group.members.end());
  }

  ir::FusedOp build() {
    for (Operation *op : group_.members)
      for (Value operand : op->getOperands())
        collectInputs(operand);
    SmallVector<Value> results;
    SmallVector<Type> resultTypes;
    for (Operation *op : group_.members)
      if (llvm::any_of(op->getUsers(), [&](Operation *user) { return !inside_.contains(user); })) {
        results.push_back(op->getResult(0));
        resultTypes.push_back(op->getResult(0).getType());
      }
    Operation *last = group_.members.back();
    Value iterated = group_.reduction ? group_.reduction->getOperand(0) : last->getResult(0);
    ArrayRef<int64_t> iteration = cast<RankedTensorType>(iterated.getType()).getShape();

    builder_.setInsertionPointAfter(last);
    auto fused = ir::FusedOp::create(builder_, last->getLoc(), resultTypes, iteration, inputs_.getArrayRef());
    Block &body = fused.getBody().emplaceBlock();
    for (Value input : inputs_)
      map_.map(input, body.addArgument(input.getType(), input.getLoc()));
    OpBuilder inner = OpBuilder::atBlockEnd(&body);
    for (Operation *op : group_.members) {
      for (Value operand : op->getOperands())
        copyViews(inner, operand);
      inner.clone(*op, map_);
    }
    SmallVector<Value> yielded;
    for (Value result : results)
      yielded.push_back(map_.lookup(result));
    ir::YieldOp::create(inner, last->getLoc(), yielded);
    for (auto [from, to] : llvm::zip_equal(results, fused.getResults()))
      from.replaceUsesWithIf(to, [&](OpOperand &use) { return !inside_.contains(use.getOwner()); });
    return fused;
  }

private:
  bool isCopied(Operation *op) const { return op && fusionRole(op) == FusionRole::Free; }

  /// The input that `value` is read through views from, if any. What is copied has one operand at most, so this is a walk down a
  /// chain, which may be long.
  void collectInputs(Value value) {
    while (seen_.insert(value).second) {
      Operation *op = value.getDefiningOp();
      if (op && inside_.contains(op))
        return;
      if (!isCopied(op)) {
        inputs_.insert(value);
        return;
      }
      if (op->getNumOperands() == 0)
        return;
      value = op->getOperand(0);
    }
  }

  /// Copies what `value` is read through, from an input on.
  void copyViews(OpBuilder &inner, Value value) {
    SmallVector<Operation *> chain;
    while (!map_.contains(value)) {
      chain.push_back(value.getDefiningOp());
      if (chain.back()->getNumOperands() == 0)
        break;
      value = chain.back()->getOperand(0);
    }
    for (Operation *op : llvm::reverse(chain))
      inner.clone(*op, map_);
  }

  const FusionGroup &group_;
  OpBuilder &builder_;
  llvm::SmallPtrSet<Operation *, 32> inside_;
  llvm::SetVector<Value> inputs_;
  llvm::DenseSet<Value> seen_;
  IRMapping map_;
};

/// An operation alone keeps its precompiled kernel, unless it reads coordinates, which a kernel makes without memory.
bool isWorthKernel(const FusionGroup &group) {
  if (group.members.size() > 1)
    return true;
  return llvm::any_of(group.members.front()->getOperands(), [](Value operand) {
    while (Operation *op = operand.getDefiningOp()) {
      if (fusionRole(op) != FusionRole::Free)
        return false;
      if (op->getNumOperands() == 0)
        return !op->hasTrait<OpTrait::ConstantLike>();
      operand = op->getOperand(0);
    }
    return false;
  });
}

/// Puts operations behind what they read, otherwise in the order they are in: sweep after sweep over the block takes what is
/// ready. The sweep of an operation is found from its operands, so the work is not that of the sweeps.
void sortByDependence(Block &block) {
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, size_t> position;
  for (Operation &op : block.without_terminator()) {
    position[&op] = ops.size();
    ops.push_back(&op);
  }
  std::vector<int64_t> sweep(ops.size(), 0);
  std::vector<int64_t> waiting(ops.size(), 0);
  auto forEachRead = [&](Operation *op, auto visit) {
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *source = operand.getDefiningOp(); source && source->getBlock() == &block && source != op)
          visit(position.lookup(source));
    });
  };
  std::vector<size_t> ready;
  for (size_t i = 0; i < ops.size(); ++i) {
    forEachRead(ops[i], [&](size_t) { ++waiting[i]; });
    if (!waiting[i])
      ready.push_back(i);
  }
  while (!ready.empty()) {
    size_t i = ready.back();
    ready.pop_back();
    forEachRead(ops[i], [&](size_t from) { sweep[i] = std::max(sweep[i], sweep[from] + (from > i)); });
    for (OpOperand &use : ops[i]->getUses())
      if (Operation *user = block.findAncestorOpInBlock(*use.getOwner()); user && user != block.getTerminator())
        if (size_t u = position.lookup(user); !--waiting[u])
          ready.push_back(u);
  }
  std::vector<size_t> order(ops.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return sweep[a] < sweep[b]; });
  for (size_t i : order)
    ops[i]->moveBefore(block.getTerminator());
}

} // namespace

int64_t fuseElementwise(func::FuncOp function, const FusionLimits &limits) {
  Block &block = function.getBody().front();
  OpBuilder builder(function.getContext());
  int64_t groups = 0;
  for (const FusionGroup &group : planFusion(block, limits)) {
    if (!isWorthKernel(group))
      continue;
    GroupBuilder(group, builder).build();
    ++groups;
    for (Operation *op : llvm::reverse(group.members))
      op->erase();
  }
  if (groups) {
    sortByDependence(block);
    eraseDeadOperations(block);
  }
  return groups;
}

namespace {
struct FuseElementwisePass : impl::FuseElementwisePassBase<FuseElementwisePass> {
  using FuseElementwisePassBase::FuseElementwisePassBase;
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.isExternal())
      groups += fuseElementwise(function, {maxWeight, static_cast<size_t>(maxOperands)});
  }
};
} // namespace

} // namespace tenferro::compiler
