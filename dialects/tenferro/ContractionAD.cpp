// Derivatives of dot_general: contractions of the cotangent with the other side.
//
// C = A B with the axes of C in three runs, [A free, B free, batch]. The cotangent of A contracts the "B free" run of
// the cotangent of C with the free axes of B; that gives [A free, B contracting, batch], which a transpose brings to
// A's order.
#include "dialects/tenferro/Contraction.h"
#include "dialects/tenferro/RuleBuilder.h"

using namespace mlir;

namespace tenferro::ir {

namespace {

struct Side {
  ArrayRef<int64_t> contracting, batch;
  SmallVector<int64_t> free;

  Side(Value value, ArrayRef<int64_t> contracting, ArrayRef<int64_t> batch) : contracting(contracting), batch(batch) {
    for (int64_t i = 0, rank = cast<ShapedType>(value.getType()).getRank(); i < rank; ++i)
      if (!llvm::is_contained(contracting, i) && !llvm::is_contained(batch, i))
        free.push_back(i);
  }
};

SmallVector<int64_t> run(int64_t begin, int64_t length) {
  return llvm::to_vector(llvm::seq<int64_t>(begin, begin + length));
}

/// `sources[k]` is the axis of A that axis k of a value is; transposes the value to A's order.
Value inOrder(const RuleBuilder &r, Value value, ArrayRef<int64_t> sources) {
  SmallVector<int64_t> permutation(sources.size());
  for (auto [k, axis] : llvm::enumerate(sources))
    permutation[axis] = static_cast<int64_t>(k);
  return r.transpose(value, permutation);
}

/// The axes of `mine` in the order its partner's contracting axes ascend: how they come out of the contraction with it.
SmallVector<int64_t> contractedOrder(const Side &mine, const Side &other) {
  SmallVector<int64_t> order = run(0, other.contracting.size()), axes;
  llvm::sort(order, [&](int64_t a, int64_t b) { return other.contracting[a] < other.contracting[b]; });
  for (int64_t i : order)
    axes.push_back(mine.contracting[i]);
  return axes;
}

} // namespace

SmallVector<bool> DotGeneralOp::linearOperands() { return {true, true}; }
bool DotGeneralOp::isBilinear() { return true; }

SmallVector<Value> DotGeneralOp::buildLinear(OpBuilder &builder, ArrayRef<Value> dx) {
  Value first = dx[0] ? linearAgain(builder, *this, dx, {true, false}) : Value();
  Value second = dx[1] ? linearAgain(builder, *this, dx, {false, true}) : Value();
  return {first && second ? RuleBuilder(builder, getLoc()).add(first, second) : first ? first : second};
}

SmallVector<Value> DotGeneralOp::buildCotangents(OpBuilder &builder, ArrayRef<Value> ct, ArrayRef<bool> wanted) {
  RuleBuilder r(builder, getLoc());
  Side lhs(getLhs(), getLhsContracting(), getLhsBatch()), rhs(getRhs(), getRhsContracting(), getRhsBatch());
  int64_t lhsFree = lhs.free.size(), rhsFree = rhs.free.size();
  SmallVector<int64_t> lhsRun = run(0, lhsFree), rhsRun = run(lhsFree, rhsFree);
  SmallVector<int64_t> batchRun = run(lhsFree + rhsFree, lhs.batch.size());
  Value toLhs, toRhs;
  if (wanted[0]) {
    // [lhs free, lhs contracting, lhs batch]
    toLhs = DotGeneralOp::create(builder, getLoc(), ct[0], getRhs(), rhsRun, rhs.free, batchRun, rhs.batch);
    SmallVector<int64_t> sources = lhs.free;
    llvm::append_range(sources, contractedOrder(lhs, rhs));
    llvm::append_range(sources, lhs.batch);
    toLhs = inOrder(r, toLhs, sources);
  }
  if (wanted[1]) {
    // [rhs contracting, rhs free, rhs batch]
    toRhs = DotGeneralOp::create(builder, getLoc(), getLhs(), ct[0], lhs.free, lhsRun, lhs.batch, batchRun);
    SmallVector<int64_t> sources = contractedOrder(rhs, lhs);
    llvm::append_range(sources, rhs.free);
    llvm::append_range(sources, rhs.batch);
    toRhs = inOrder(r, toRhs, sources);
  }
  return {toLhs, toRhs};
}

} // namespace tenferro::ir
