// tenferro-simplify: exact algebra. The folders of the operations, then the rules that need to see two operations.
#include "lib/Transforms/Cleanup.h"
#include "lib/Transforms/EqualOperations.h"
#include "lib/Transforms/OpFacts.h"
#include "lib/Transforms/Passes.h"

#include "dialects/tenferro/Arithmetic.h"
#include "dialects/tenferro/Comparison.h"
#include "dialects/tenferro/Creation.h"
#include "dialects/tenferro/Movement.h"
#include "dialects/tenferro/Reduction.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tenferro::compiler {

#define GEN_PASS_DEF_SIMPLIFYPASS
#include "lib/Transforms/Passes.h.inc"

namespace {

/// Rules on one operation. Each gives the value that replaces it, or null.
class Rules {
public:
  explicit Rules(mlir::OpBuilder &builder) : builder(builder) {}

  mlir::Value apply(mlir::Operation *op) {
    return llvm::TypeSwitch<mlir::Operation *, mlir::Value>(op)
        .Case<ir::AddOp, ir::MulOp, ir::SzmulOp, ir::NegOp, ir::SelectOp, ir::SumOp, ir::TransposeOp, ir::ReshapeOp,
              ir::BroadcastInDimOp>([&](auto concrete) { return simplify(concrete); })
        .Default([](mlir::Operation *) { return mlir::Value(); });
  }

private:
  /// The value of a float constant that is the same everywhere.
  static std::optional<llvm::APFloat> splatOf(mlir::Value value) {
    mlir::DenseFPElementsAttr elements;
    if (!mlir::matchPattern(value, mlir::m_Constant(&elements)) || !elements.isSplat())
      return std::nullopt;
    return elements.getSplatValue<llvm::APFloat>();
  }

  /// Whether every element is a finite number because of constants, which only derivative rules make. Looks a few
  /// operations up. What a program computes does not count, integers as floats say: the same value is an argument where
  /// eager code has computed it before, and both must decide alike (the sign of a zero depends on it).
  static bool isFinite(mlir::Value value, int depth = 0) {
    mlir::Operation *op = value.getDefiningOp();
    if (!op || depth == 8)
      return false;
    mlir::DenseFPElementsAttr elements;
    if (mlir::matchPattern(value, mlir::m_Constant(&elements))) {
      if (elements.isSplat())
        return elements.getSplatValue<llvm::APFloat>().isFinite();
      return llvm::all_of(elements.getValues<llvm::APFloat>(), [](const llvm::APFloat &x) { return x.isFinite(); });
    }
    if (auto select = llvm::dyn_cast<ir::SelectOp>(op))
      return isFinite(select.getOnTrue(), depth + 1) && isFinite(select.getOnFalse(), depth + 1);
    if (llvm::isa<ir::BroadcastInDimOp, ir::ReshapeOp, ir::TransposeOp, ir::SliceOp, ir::PadOp, ir::ReverseOp, ir::ExtractDiagOp, ir::EmbedDiagOp, ir::NegOp, ir::AbsOp>(
            op))
      return isFinite(op->getOperand(0), depth + 1);
    return llvm::isa<ir::ConvertOp>(op) && isFinite(op->getOperand(0), depth + 1);
  }

  /// x + -0.0 is x; x + +0.0 is not, as -0.0 + 0.0 is +0.0.
  mlir::Value simplify(ir::AddOp op) {
    auto isNegativeZero = [](mlir::Value value) {
      std::optional<llvm::APFloat> splat = splatOf(value);
      return splat && splat->isNegZero();
    };
    if (isNegativeZero(op.getRhs()))
      return op.getLhs();
    if (isNegativeZero(op.getLhs()))
      return op.getRhs();
    return {};
  }

  mlir::Value simplify(ir::MulOp op) {
    for (bool swap : {false, true}) {
      mlir::Value factor = swap ? op.getLhs() : op.getRhs(), other = swap ? op.getRhs() : op.getLhs();
      std::optional<llvm::APFloat> splat = splatOf(factor);
      if (splat && splat->isExactlyValue(1.0))
        return other;
      if (splat && splat->isExactlyValue(-1.0))
        return ir::NegOp::create(builder, op.getLoc(), other);
    }
    return {};
  }

  mlir::Value simplify(ir::SzmulOp op) {
    if (isFinite(op.getLhs()))
      return ir::MulOp::create(builder, op.getLoc(), op.getLhs(), op.getRhs());
    return {};
  }

  mlir::Value simplify(ir::NegOp op) {
    if (auto inner = op.getOperand().getDefiningOp<ir::NegOp>())
      return inner.getOperand();
    return {};
  }

  mlir::Value simplify(ir::SelectOp op) { return op.getOnTrue() == op.getOnFalse() ? op.getOnTrue() : mlir::Value(); }

  mlir::Value simplify(ir::SumOp op) { return op.getAxes().empty() ? op.getOperand() : mlir::Value(); }

  mlir::Value simplify(ir::TransposeOp op) {
    if (llvm::is_sorted(op.getPermutation()))
      return op.getOperand();
    auto inner = op.getOperand().getDefiningOp<ir::TransposeOp>();
    if (!inner)
      return {};
    llvm::SmallVector<int64_t> permutation;
    for (int64_t axis : op.getPermutation())
      permutation.push_back(inner.getPermutation()[axis]);
    if (llvm::is_sorted(permutation))
      return inner.getOperand();
    return ir::TransposeOp::create(builder, both(op, inner), inner.getOperand(), permutation);
  }

  mlir::Value simplify(ir::ReshapeOp op) {
    if (op.getType() == op.getOperand().getType())
      return op.getOperand();
    if (auto inner = op.getOperand().getDefiningOp<ir::ReshapeOp>()) {
      if (op.getType() == inner.getOperand().getType())
        return inner.getOperand();
      return ir::ReshapeOp::create(builder, both(op, inner), op.getType(), inner.getOperand());
    }
    return resplat(op);
  }

  mlir::Value simplify(ir::BroadcastInDimOp op) {
    if (op.getType() == op.getOperand().getType() && llvm::is_sorted(op.getDims()))
      return op.getOperand();
    if (auto inner = op.getOperand().getDefiningOp<ir::BroadcastInDimOp>()) {
      llvm::SmallVector<int64_t> dims;
      for (int64_t axis : inner.getDims())
        dims.push_back(op.getDims()[axis]);
      return ir::BroadcastInDimOp::create(builder, both(op, inner), op.getType(), inner.getOperand(), dims);
    }
    return resplat(op);
  }

  /// A splat constant under another shape.
  mlir::Value resplat(mlir::Operation *op) {
    mlir::DenseElementsAttr elements;
    if (!mlir::matchPattern(op->getOperand(0), mlir::m_Constant(&elements)) || !elements.isSplat())
      return {};
    auto type = llvm::cast<mlir::RankedTensorType>(op->getResult(0).getType());
    return ir::ConstantOp::create(builder, both(op, op->getOperand(0).getDefiningOp()), type,
                                  mlir::DenseElementsAttr::get(type, elements.getSplatValue<mlir::Attribute>()));
  }

  static mlir::Location both(mlir::Operation *outer, mlir::Operation *inner) {
    return fuseLocations(outer->getLoc(), inner->getLoc());
  }

  mlir::OpBuilder &builder;
};

struct SimplifyPass : impl::SimplifyPassBase<SimplifyPass> {
  using SimplifyPassBase::SimplifyPassBase;

  void runOnOperation() override { rewrites += merge ? simplifyAndMerge(getOperation()) : simplify(getOperation()); }
};

/// Whether the folder of `op` can do something. Those of element-wise operations fold constants.
bool mayFold(mlir::Operation *op, const core::OpSchema *schema) {
  if (!schema || !schema->elementwise || llvm::isa<ir::ConvertOp, ir::CastOp, ir::SelectOp>(op))
    return true;
  return llvm::any_of(op->getOperands(), [](mlir::Value operand) {
    mlir::Operation *from = operand.getDefiningOp();
    return from && (llvm::isa<ir::ConstantOp>(from) || !schemaOf(from));
  });
}

/// Where every operation of `block` is in its final form it is offered to `equal`, if there is one.
int64_t simplifyBlock(mlir::Block &block, mlir::OpBuilder &builder, Rules &rules, EqualOperations *equal) {
  int64_t count = 0;
  // Operands come before their users, so one pass forward sees operands in their final form. A replacement is looked
  // at again, as one rule may enable another; each makes the program smaller or moves it to a simpler operation.
  for (mlir::Operation *op = block.empty() ? nullptr : &block.front(); op;) {
    mlir::Operation *next = op->getNextNode();
    if (op->use_empty() && mlir::wouldOpBeTriviallyDead(op)) { // its operands may be dead now: they go at the end
      op->erase();
      op = next;
      continue;
    }
    const core::OpSchema *schema = schemaOf(op); // what a trace holds is pure
    mlir::Value replacement;
    if (op->getNumResults() == 1 && (schema || (!op->hasTrait<mlir::OpTrait::ConstantLike>() && mlir::isPure(op)))) {
      builder.setInsertionPoint(op);
      llvm::SmallVector<mlir::Value> folded;
      if (mayFold(op, schema) && mlir::succeeded(builder.tryFold(op, folded)))
        replacement = folded.empty() ? op->getResult(0) : folded.front(); // empty: folded in place
      else
        replacement = rules.apply(op);
    }
    if (!replacement) {
      if (equal)
        equal->merge(op);
      op = next;
      continue;
    }
    ++count;
    if (replacement == op->getResult(0))
      continue;
    // A new operation stands right before the old one and is looked at again.
    mlir::Operation *made = replacement.getDefiningOp() == op->getPrevNode() ? op->getPrevNode() : nullptr;
    op->getResult(0).replaceAllUsesWith(replacement);
    op->erase();
    op = made ? made : next;
  }
  return count;
}

} // namespace

static int64_t simplifyBody(mlir::func::FuncOp function, bool merge) {
  int64_t count = 0;
  mlir::OpBuilder builder(function.getContext());
  Rules rules(builder);
  for (mlir::Block &block : function.getBody()) {
    EqualOperations equal;
    count += simplifyBlock(block, builder, rules, merge ? &equal : nullptr);
    equal.fuseLocations();
    count += equal.count();
    eraseDeadOperations(block);
  }
  return count;
}

int64_t simplify(mlir::func::FuncOp function) { return simplifyBody(function, /*merge=*/false); }
int64_t simplifyAndMerge(mlir::func::FuncOp function) { return simplifyBody(function, /*merge=*/true); }

} // namespace tenferro::compiler
