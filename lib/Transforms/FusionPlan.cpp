// Which operations run together: the decision of fusion, apart from the rewriting.
#include "lib/Transforms/FusionPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>

using namespace mlir;

namespace tenferro::compiler {

using core::OpKind;

FusionRole fusionRole(Operation *op) {
  const core::OpSchema *schema = schemaOf(op);
  if (!schema) {
    DenseElementsAttr value;
    return matchPattern(op, m_Constant(&value)) && value.isSplat() ? FusionRole::Free : FusionRole::Alone;
  }
  switch (schema->kind) {
  case OpKind::Transpose:
  case OpKind::BroadcastInDim:
  case OpKind::Iota:
    return FusionRole::Free;
  case OpKind::Slice:
  case OpKind::Reshape:
  case OpKind::Reverse:
  case OpKind::ExtractDiag:
    return FusionRole::View;
  case OpKind::OneHot:
    return FusionRole::Elementwise;
  default:
    return schema->reduction     ? FusionRole::Reduction
           : schema->elementwise ? FusionRole::Elementwise
                                 : FusionRole::Alone;
  }
}

static int64_t weightOf(Operation *op) {
  OpKind kind = schemaOf(op)->kind;
  // No vector instruction divides integers: a division an element, more than a vector of floats takes.
  constexpr int64_t kIntegerDivision = 12;
  if (kind == OpKind::Div && isa<IntegerType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return kIntegerDivision;
  switch (kind) {
  case OpKind::Exp:
  case OpKind::Log:
  case OpKind::Log1p:
  case OpKind::Expm1:
  case OpKind::Tanh:
  case OpKind::Sigmoid:
  case OpKind::Erf:
  case OpKind::Pow:
  case OpKind::Sin:
  case OpKind::Cos:
  case OpKind::Tan:
  case OpKind::Asin:
  case OpKind::Acos:
  case OpKind::Atan:
  case OpKind::Atan2:
  case OpKind::Sinh:
  case OpKind::Cosh:
  case OpKind::Asinh:
  case OpKind::Acosh:
  case OpKind::Atanh:
  case OpKind::Exp2:
  case OpKind::Log2:
  case OpKind::Log10:
  case OpKind::Cbrt:
  case OpKind::Erfc:
  case OpKind::Silu:
  case OpKind::Hypot:
  case OpKind::Logaddexp:
  case OpKind::Xlogy:
    return 24;
  case OpKind::Rem:
  case OpKind::FloorDivide:
    return 96;
  case OpKind::Div:
  case OpKind::Sqrt:
  case OpKind::Rsqrt:
    return 3;
  default:
    return 1;
  }
}

namespace {

class Planner {
public:
  Planner(Block &block, const FusionLimits &limits) : limits_(limits) {
    for (Operation &op : block) {
      number_[&op] = static_cast<int64_t>(ops_.size());
      ops_.push_back({&op, op.getNumResults() == 1 && isa<RankedTensorType>(op.getResult(0).getType())
                               ? fusionRole(&op)
                               : FusionRole::Alone});
      noteView(ops_.back().op, ops_.back().role);
    }
  }

  std::vector<FusionGroup> plan() {
    for (int64_t i = static_cast<int64_t>(ops_.size()) - 1; i >= 0; --i)
      if (ops_[i].role == FusionRole::Reduction)
        takeCone(i);
    assignEarliestStages();
    assignLatestStages();
    std::vector<FusionGroup> groups = std::move(cones_);
    collectComponents(groups);
    return groups;
  }

private:
  struct Node {
    Operation *op;
    FusionRole role;
    int64_t cone = -1; ///< number of the reduction that takes this operation in
    int64_t stage = 0;
    int64_t parent = -1; ///< union-find over members of groups
  };

  int64_t numberOf(Operation *op) const {
    auto it = number_.find(op);
    return it == number_.end() ? -1 : it->second;
  }

  /// The number of the operation that defines `value` in this block, or -1.
  int64_t definition(Value value) const {
    Operation *op = value.getDefiningOp();
    return op ? numberOf(op) : -1;
  }

  /// Operands come first, so what is behind a view's operand is known: a chain of views is walked once.
  void noteView(Operation *op, FusionRole role) {
    if (op->getNumOperands() && (role == FusionRole::Free || role == FusionRole::View))
      behindView_[op->getResult(0)] = throughViews(op->getOperand(0));
  }

  /// The value behind transposes, broadcasts, slices and reshapes.
  Value throughViews(Value value) const {
    auto found = behindView_.find(value);
    return found == behindView_.end() ? value : found->second;
  }

  bool isMember(int64_t i) const { return ops_[i].role == FusionRole::Elementwise && ops_[i].cone < 0; }

  /// The members of a group cover the shape of their result; one_hot reads its operand through a map, as a broadcast.
  static bool readsInPlace(Operation *op, Value operand) { return shapeOf(op->getResult(0)) == shapeOf(operand); }

  /// Whether an operation reads coordinates, which a reduction walks along one axis only.
  bool readsCoordinates(Operation *op) const {
    if (schemaOf(op)->kind == OpKind::OneHot)
      return true;
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *source = throughViews(operand).getDefiningOp();
      return source && fusionRole(source) == FusionRole::Free && !source->hasTrait<OpTrait::ConstantLike>();
    });
  }

  /// Step 1: everything that only this reduction consumes, from the last operation to the first.
  void takeCone(int64_t reduction) {
    Operation *root = ops_[reduction].op;
    ArrayRef<int64_t> shape = shapeOf(root->getOperand(0));
    std::priority_queue<int64_t> candidates;
    DenseSet<int64_t> queued;
    SmallVector<int64_t> cone;
    int64_t weight = 0;
    int64_t longAxes = llvm::count_if(listAttribute(root, "axes"), [&](int64_t axis) { return shape[axis] != 1; });
    auto offer = [&](Value value) {
      int64_t i = definition(value);
      if (i >= 0 && isMember(i) && shapeOf(value) == shape && queued.insert(i).second)
        candidates.push(i);
    };
    offer(root->getOperand(0));
    while (!candidates.empty()) {
      int64_t i = candidates.top();
      candidates.pop();
      Operation *op = ops_[i].op;
      bool exclusive = llvm::all_of(op->getUsers(), [&](Operation *user) {
        int64_t u = numberOf(user);
        return u == reduction || (u >= 0 && ops_[u].cone == reduction);
      });
      int64_t added = weightOf(op);
      if (!exclusive || weight + added > limits_.weight || (longAxes > 1 && readsCoordinates(op)))
        continue;
      ops_[i].cone = reduction;
      weight += added;
      cone.push_back(i);
      for (Value operand : op->getOperands())
        if (readsInPlace(op, operand))
          offer(operand);
    }
    if (cone.empty())
      return;
    // Some operand must span the whole iteration space: the loop bounds of the kernel come from its operands.
    llvm::sort(cone);
    bool spans = false;
    llvm::SmallDenseSet<Value> inputs;
    for (int64_t i : cone)
      for (Value operand : ops_[i].op->getOperands()) {
        int64_t d = definition(operand);
        if (d >= 0 && ops_[d].cone == reduction)
          continue;
        inputs.insert(operand);
        spans |= readsInPlace(ops_[i].op, operand) && spansAll(operand);
      }
    if (!spans || inputs.size() + 1 > limits_.operands) {
      for (int64_t i : cone)
        ops_[i].cone = -1;
      return;
    }
    FusionGroup group;
    for (int64_t i : cone)
      group.members.push_back(ops_[i].op);
    group.members.push_back(root);
    group.reduction = root;
    cones_.push_back(std::move(group));
  }

  /// Whether the operand is memory of the full shape: not made of constants, iotas and broadcasts alone.
  static bool spansAll(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (fusionRole(op) != FusionRole::Free)
        return true;
      if (op->getNumOperands() == 0 || schemaOf(op)->kind == OpKind::BroadcastInDim)
        return false;
      value = op->getOperand(0);
    }
    return true;
  }

  /// Operations and the operands from which they take a stage. Members of a cone count as their reduction.
  template <typename Visit> void forEachEdge(Visit visit) {
    for (size_t i = 0; i < ops_.size(); ++i) {
      Node &node = ops_[i];
      if (node.role == FusionRole::Free || node.role == FusionRole::View)
        continue;
      for (Value operand : node.op->getOperands()) {
        int64_t d = definition(throughViews(operand));
        if (d < 0 || ops_[d].role == FusionRole::Free || ops_[d].role == FusionRole::View)
          continue;
        bool fusible = isMember(static_cast<int64_t>(i)) && isMember(d) && definition(operand) == d &&
                       readsInPlace(node.op, operand);
        visit(unitOf(d), unitOf(static_cast<int64_t>(i)), fusible);
      }
    }
  }

  int64_t unitOf(int64_t i) const { return ops_[i].cone >= 0 ? ops_[i].cone : i; }

  /// Step 2. In program order, except that an operation of a cone passes its operands' stages to the reduction.
  void assignEarliestStages() {
    // A cone's operations stand before its reduction, and its users after it: one walk settles everything.
    forEachEdge([&](int64_t from, int64_t to, bool fusible) {
      if (from != to)
        ops_[to].stage = std::max(ops_[to].stage, ops_[from].stage + (fusible ? 0 : 1));
    });
  }

  void assignLatestStages() {
    struct Edge {
      int64_t from, to;
      bool fusible;
    };
    std::vector<Edge> edges;
    forEachEdge([&](int64_t from, int64_t to, bool fusible) {
      if (from != to && isMember(from) && !isa_and_nonnull<func::ReturnOp>(ops_[to].op))
        edges.push_back({from, to, fusible});
    });
    // From the last producer to the first: the users of a member that move have moved.
    llvm::sort(edges, [](const Edge &a, const Edge &b) { return a.from > b.from; });
    for (size_t i = 0; i < edges.size();) {
      int64_t from = edges[i].from;
      int64_t latest = std::numeric_limits<int64_t>::max();
      for (; i < edges.size() && edges[i].from == from; ++i)
        latest = std::min(latest, ops_[edges[i].to].stage - (edges[i].fusible ? 0 : 1));
      ops_[from].stage = std::max(ops_[from].stage, latest);
    }
  }

  int64_t find(int64_t i) {
    while (ops_[i].parent != i)
      i = ops_[i].parent = ops_[ops_[i].parent].parent;
    return i;
  }

  /// Step 3.
  void collectComponents(std::vector<FusionGroup> &groups) {
    using Key = std::pair<std::pair<int64_t, std::vector<int64_t>>, const void *>;
    std::map<Key, int64_t> readers;
    for (size_t i = 0; i < ops_.size(); ++i)
      ops_[i].parent = static_cast<int64_t>(i);
    auto join = [&](int64_t a, int64_t b) {
      a = find(a), b = find(b);
      ops_[std::max(a, b)].parent = std::min(a, b);
    };
    for (int64_t i = 0; i < static_cast<int64_t>(ops_.size()); ++i) {
      if (!isMember(i))
        continue;
      Operation *op = ops_[i].op;
      for (Value operand : op->getOperands()) {
        int64_t d = definition(operand);
        bool inPlace = readsInPlace(op, operand);
        if (d >= 0 && isMember(d) && inPlace && ops_[d].stage == ops_[i].stage) {
          join(i, d);
          continue;
        }
        Value source = throughViews(operand);
        if (!inPlace || source != operand)
          continue; // sharing a small or strided operand saves no traffic
        Key key{{ops_[i].stage, shapeOf(op->getResult(0)).vec()}, source.getAsOpaquePointer()};
        auto [it, isNew] = readers.try_emplace(key, i);
        if (!isNew)
          join(i, it->second);
      }
    }
    llvm::MapVector<int64_t, SmallVector<Operation *>> components;
    for (int64_t i = 0; i < static_cast<int64_t>(ops_.size()); ++i)
      if (isMember(i))
        components[find(i)].push_back(ops_[i].op);
    for (auto &[root, members] : components)
      cut(members, groups);
  }

  /// Cuts a component in program order where a limit is met.
  void cut(ArrayRef<Operation *> members, std::vector<FusionGroup> &groups) {
    FusionGroup group;
    int64_t weight = 0;
    llvm::SmallDenseSet<Value> values;
    for (Operation *op : members) {
      int64_t added = weightOf(op);
      size_t fresh = 1;
      for (Value operand : op->getOperands())
        fresh += !values.contains(operand);
      bool isFull = weight + added > limits_.weight || (values.size() + fresh > limits_.operands &&
                                                        boundary(group.members, op) > limits_.operands);
      if (!group.members.empty() && isFull) {
        groups.push_back(std::move(group));
        group = {};
        weight = 0;
        values.clear();
      }
      group.members.push_back(op);
      weight += added;
      values.insert(op->getOperands().begin(), op->getOperands().end());
      values.insert(op->getResult(0));
    }
    groups.push_back(std::move(group));
  }

  /// How many values a group of these members and `next` reads and writes.
  static size_t boundary(ArrayRef<Operation *> members, Operation *next) {
    llvm::SmallPtrSet<Operation *, 32> inside(members.begin(), members.end());
    inside.insert(next);
    llvm::SmallDenseSet<Value> values;
    for (Operation *op : inside) {
      for (Value operand : op->getOperands())
        if (!inside.contains(operand.getDefiningOp()))
          values.insert(operand);
      if (llvm::any_of(op->getUsers(), [&](Operation *user) { return !inside.contains(user); }))
        values.insert(op->getResult(0));
    }
    return values.size();
  }

  FusionLimits limits_;
  std::vector<Node> ops_;
  DenseMap<Operation *, int64_t> number_;
  DenseMap<Value, Value> behindView_;
  std::vector<FusionGroup> cones_;
};

} // namespace

std::vector<FusionGroup> planFusion(Block &block, const FusionLimits &limits) { return Planner(block, limits).plan(); }

} // namespace tenferro::compiler
