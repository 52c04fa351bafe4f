// First all operations in one list, callees spliced in; then the order of a walk.
#include "lib/Core/WalkOrder.h"

#include <algorithm>
#include <utility>

namespace tenferro::core {

namespace {

bool isForward(const GraphOp &op) { return op.callee && op.callee->transform.kind == TransformKind::Forward; }

/// All operations in the order of the calls, values numbered in one sequence behind the inputs.
class Splicer {
public:
  explicit Splicer(const Graph &graph) {
    next_ = static_cast<uint32_t>(graph.inputs.size());
    values.resize(next_);
    for (uint32_t i = 0; i < next_; ++i)
      values[i] = i;
    for (uint32_t k = 0; k < graph.ops.size(); ++k)
      splice(graph.ops[k], values, k);
  }

  struct Operation {
    const GraphOp *op;
    std::vector<uint32_t> operands;
    uint32_t first;
    uint32_t origin;
  };
  std::vector<Operation> operations;
  std::vector<uint32_t> values; ///< by value of the given graph

private:
  /// Appends `op`, whose operands are values of `scope`, and its results to `scope`. Depth: that of calls, which
  /// GraphCheck bounds.
  void splice(const GraphOp &op, std::vector<uint32_t> &scope, uint32_t origin) {
    std::vector<uint32_t> operands;
    for (uint32_t operand : op.operands)
      operands.push_back(scope[operand]);
    if (!isForward(op)) {
      operations.push_back({&op, std::move(operands), next_, origin});
      for (size_t r = 0; r < op.results.size(); ++r)
        scope.push_back(next_++);
      return;
    }
    const Graph &callee = op.callee->graph;
    for (const GraphOp &inner : callee.ops)
      splice(inner, operands, origin);
    for (uint32_t output : callee.outputs)
      scope.push_back(operands[output]);
  }

  uint32_t next_ = 0;
};

/// The operations that the roots need, by first visit.
std::vector<uint32_t> order(const Splicer &all, size_t inputs, const std::vector<uint32_t> &roots) {
  std::vector<uint32_t> producer;
  for (uint32_t i = 0; i < all.operations.size(); ++i)
    producer.resize(producer.size() + all.operations[i].op->results.size(), i);
  std::vector<uint8_t> visited(all.operations.size());
  std::vector<uint32_t> ordered;
  struct Visit {
    uint32_t operation, next;
  };
  std::vector<Visit> stack;
  auto visit = [&](uint32_t value) {
    if (value < inputs)
      return;
    uint32_t operation = producer[value - inputs];
    if (!std::exchange(visited[operation], uint8_t{1}))
      stack.push_back({operation, 0});
  };
  for (uint32_t root : roots) {
    visit(root);
    while (!stack.empty()) {
      auto &[index, next] = stack.back();
      const std::vector<uint32_t> &operands = all.operations[index].operands;
      if (next < operands.size()) {
        visit(operands[next++]);
      } else {
        ordered.push_back(index);
        stack.pop_back();
      }
    }
  }
  return ordered;
}

} // namespace

bool callsForward(const Graph &graph) { return std::any_of(graph.ops.begin(), graph.ops.end(), isForward); }

OrderedGraph inWalkOrder(const Graph &graph, const Transform &transform) {
  Splicer all(graph);
  const size_t inputs = graph.inputs.size();
  std::vector<uint32_t> roots;
  for (uint32_t output : graph.outputs)
    roots.push_back(all.values[output]);
  for (uint32_t value : transform.wrt)
    roots.push_back(all.values[value]);
  // A kept value that nothing needs is no reason to compute it.
  std::vector<uint32_t> sequence = order(all, inputs, roots);

  constexpr uint32_t kAbsent = ~uint32_t{0};
  std::vector<uint32_t> place(inputs, 0);
  for (uint32_t i = 0; i < inputs; ++i)
    place[i] = i;
  for (const Splicer::Operation &operation : all.operations)
    place.resize(place.size() + operation.op->results.size(), kAbsent);
  OrderedGraph ordered;
  ordered.graph.inputs = graph.inputs;
  uint32_t next = static_cast<uint32_t>(inputs);
  for (uint32_t index : sequence) {
    const Splicer::Operation &operation = all.operations[index];
    GraphOp op = *operation.op;
    for (size_t i = 0; i < op.operands.size(); ++i)
      op.operands[i] = place[operation.operands[i]];
    for (size_t r = 0; r < op.results.size(); ++r)
      place[operation.first + r] = next++;
    ordered.graph.ops.push_back(std::move(op));
    ordered.origins.push_back(operation.origin);
  }
  for (uint32_t output : graph.outputs)
    ordered.graph.outputs.push_back(place[all.values[output]]);
  for (SavedValue saved : graph.saved)
    if (uint32_t value = place[all.values[saved.value]]; value != kAbsent)
      ordered.graph.saved.push_back({value, saved.input});
  ordered.transform = transform;
  for (uint32_t &value : ordered.transform.wrt)
    value = place[all.values[value]];
  return ordered;
}

} // namespace tenferro::core
