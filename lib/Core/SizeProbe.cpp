// Sizes are proposed for the inputs, the shape rules give those of the results; where they contradict each other, the
// proposal follows the rules and all begins again.
#include "lib/Core/SizeProbe.h"

#include "lib/Core/ShapeRules.h"
#include "lib/Core/SizeKey.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>

namespace tenferro::core {

namespace {

bool isPrime(int64_t number) {
  if (number % 2 == 0)
    return number == 2;
  for (int64_t d = 3; d * d <= number; d += 2)
    if (number % d == 0)
      return false;
  return number > 1;
}

/// Sizes to begin with, by the sizes they take the place of. Each variant gives others.
class Proposal {
public:
  Proposal(const std::vector<int64_t> &first, const std::vector<int64_t> &second) : first_(first), second_(second) {}

  std::vector<int64_t> sizes(uint64_t variant) {
    state_ = variant * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    std::vector<size_t> order(first_.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return first_[a] < first_[b]; });
    std::vector<int64_t> result(first_.size(), 0);
    for (size_t k : order)
      if (!varies(k))
        result[k] = first_[k];
    int64_t before = 1;
    for (size_t i = 0; i < order.size(); ++i) {
      const size_t k = order[i];
      if (varies(k)) {
        int64_t after = kFar;
        for (size_t j = i + 1; j < order.size() && after == kFar; ++j)
          if (!varies(order[j]))
            after = first_[order[j]];
        result[k] = choose(k, std::max({before, first_[k], second_[k]}), after, result);
      }
      before = std::max(before, result[k]);
    }
    return result;
  }

private:
  static constexpr int64_t kFar = std::numeric_limits<int64_t>::max();

  bool varies(size_t k) const { return first_[k] != second_[k]; }

  uint64_t random() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1du;
  }

  int64_t below(int64_t bound) { return static_cast<int64_t>(random() % static_cast<uint64_t>(bound)); }

  /// A size for `k` that is no other one, above `low` and below `high` if there is room, more than twice what it was
  /// where there is. For no step are all three sizes multiples of it apart: a number that follows one of them by parts
  /// would look like a simpler one.
  int64_t choose(size_t k, int64_t low, int64_t high, const std::vector<int64_t> &taken) {
    constexpr int64_t kSmallest = 37; // below, numbers are sums and products of each other too often
    constexpr int64_t kRoom = 16, kTries = 512;
    const int64_t most = std::max(first_[k], second_[k]);
    int64_t from = std::max({2 * most + 1 + below(most + 32), low + 1, kSmallest});
    if (high - low <= kRoom)
      high = kFar;
    if (from >= high)
      from = low + 1 + below(high - low - 1);
    for (int64_t tried = 0;; ++tried, ++from) {
      const bool mayBeAny = tried >= kTries; // none is prime where both sizes are odd
      if (from >= high)
        from = low + 1;
      if (tried == 2 * kTries)
        high = kFar;
      if (std::gcd(from - first_[k], second_[k] - first_[k]) == 1 && (mayBeAny || isPrime(from)) &&
          std::find(taken.begin(), taken.end(), from) == taken.end())
        return from;
    }
  }

  const std::vector<int64_t> &first_, &second_;
  uint64_t state_ = 0;
};

/// Walks a graph of the first sizes and gives its values other ones.
class Resizer {
public:
  enum class Outcome : uint8_t { Done, Again, Impossible };

  /// `pinned`: sizes that are known to follow from others; a walk that finds another one adds it and has to be
  /// repeated.
  Resizer(const std::vector<int64_t> &first, const std::vector<int64_t> &proposed, std::map<size_t, int64_t> &pinned)
      : first_(first), proposed_(proposed), pinned_(pinned), sizes_(first.size()) {}

  Outcome resize(Graph &graph) {
    for (ValueType &input : graph.inputs)
      for (int64_t &extent : input.shape)
        replace(extent);
    std::vector<ValueType> types = graph.inputs;
    return resizeOps(graph, types);
  }

private:
  enum class State : uint8_t { Unset, Proposed, Known };
  struct Size {
    State state = State::Unset;
    int64_t value = 0;
  };
  static constexpr size_t kNone = ~size_t{0};

  size_t numberOf(int64_t extent) const {
    auto found = std::find(first_.begin(), first_.end(), extent);
    return found == first_.end() ? kNone : static_cast<size_t>(found - first_.begin());
  }

  /// As in the key: a position follows a size only where that has been met.
  std::vector<int64_t> met() const {
    std::vector<int64_t> result(first_.size(), 0);
    for (size_t k = 0; k < first_.size(); ++k)
      if (sizes_[k].state != State::Unset)
        result[k] = first_[k];
    return result;
  }

  /// An extent that nothing has determined so far.
  void replace(int64_t &extent) {
    const size_t k = numberOf(extent);
    if (extent < 2 || k == kNone)
      return;
    if (sizes_[k].state == State::Unset) {
      auto known = pinned_.find(k);
      sizes_[k] = known == pinned_.end() ? Size{State::Proposed, proposed_[k]} : Size{State::Known, known->second};
    }
    extent = sizes_[k].value;
  }

  Outcome pin(size_t k, int64_t value) {
    if (value < 2 || !pinned_.emplace(k, value).second)
      return Outcome::Impossible;
    return Outcome::Again;
  }

  /// A rule gave `now` where there was `before`.
  Outcome settle(int64_t before, int64_t now) {
    if (before < 2)
      return before == now ? Outcome::Done : Outcome::Impossible;
    const size_t k = numberOf(before);
    if (k == kNone) // of an operation that nothing uses
      return Outcome::Done;
    if (sizes_[k].state == State::Unset)
      sizes_[k] = {State::Known, now};
    if (sizes_[k].value == now)
      return Outcome::Done;
    return sizes_[k].state == State::Proposed ? pin(k, now) : Outcome::Impossible;
  }

  Outcome settle(const Shape &before, const Shape &now) {
    if (before.size() != now.size())
      return Outcome::Impossible;
    for (size_t d = 0; d < before.size(); ++d)
      if (Outcome outcome = settle(before[d], now[d]); outcome != Outcome::Done)
        return outcome;
    return Outcome::Done;
  }

  /// `types`: of the inputs; those of the results are added.
  Outcome resizeOps(Graph &graph, std::vector<ValueType> &types) {
    for (GraphOp &op : graph.ops) {
      std::vector<ValueType> results, operands;
      for (uint32_t operand : op.operands)
        operands.push_back(types[operand]);
      Outcome outcome = op.custom   ? callCustom(op, operands, results)
                        : op.callee ? call(op, operands, results)
                                    : infer(op, operands, results);
      if (outcome != Outcome::Done)
        return outcome;
      if (results.size() != op.results.size())
        return Outcome::Impossible;
      for (size_t r = 0; r < results.size(); ++r)
        if (outcome = settle(op.results[r].shape, results[r].shape); outcome != Outcome::Done)
          return outcome;
      op.results = results;
      types.insert(types.end(), results.begin(), results.end());
    }
    return Outcome::Done;
  }

  Outcome infer(GraphOp &op, const std::vector<ValueType> &operands, std::vector<ValueType> &results) {
    const Attributes before = op.attributes;
    size_t at = 0;
    for (const AttributeSchema &attribute : schema(op.kind).attributes) {
      const bool isList = attribute.kind == AttributeKind::IntArray || attribute.kind == AttributeKind::ResultShape;
      const size_t count = isList ? static_cast<size_t>(op.attributes[at++]) : 1;
      const bool isPosition = isPositionAttribute(attribute.name);
      for (size_t end = at + count; at < end; ++at) {
        int64_t &number = op.attributes[at];
        if (attribute.kind == AttributeKind::ResultShape)
          replace(number);
        else if (std::optional<NearSize> near = isPosition ? nearSize(met(), number) : std::nullopt)
          number = sizes_[near->number].value - near->less;
      }
    }
    if (op.kind == OpKind::Reshape)
      if (Outcome outcome = reshape(op, before, operands[0].shape); outcome != Outcome::Done)
        return outcome;
    Expected<ValueType> type = inferResult(op.kind, operands, op.attributes);
    if (!type)
      return Outcome::Impossible;
    results.push_back(std::move(*type));
    return Outcome::Done;
  }

  /// A reshape keeps the number of elements: one of its sizes follows from the others.
  Outcome reshape(const GraphOp &op, const Attributes &before, const Shape &operand) {
    auto timesAll = [](const int64_t *begin, const int64_t *end) {
      int64_t product = 1;
      for (; begin != end; ++begin)
        if (__builtin_mul_overflow(product, *begin, &product))
          return int64_t{-1};
      return product;
    };
    const int64_t *result = op.attributes.data() + 1, *end = op.attributes.data() + op.attributes.size();
    const int64_t from = timesAll(operand.data(), operand.data() + operand.size()), to = timesAll(result, end);
    if (from == to)
      return Outcome::Done;
    if (from <= 0 || to <= 0)
      return Outcome::Impossible;
    auto timesIn = [](const int64_t *begin, const int64_t *last, int64_t size) {
      return std::count(begin, last, size);
    };
    for (size_t i = op.attributes.size(); i-- > 1;) {
      const size_t k = numberOf(before[i]);
      if (k == kNone || sizes_[k].state != State::Proposed)
        continue;
      const int64_t value = sizes_[k].value;
      if (timesIn(result, end, value) == 1 && timesIn(operand.data(), operand.data() + operand.size(), value) == 0 &&
          from % (to / value) == 0)
        return pin(k, from / (to / value));
    }
    for (int64_t value : operand)
      for (size_t k = 0; k < sizes_.size(); ++k)
        if (sizes_[k].state == State::Proposed && sizes_[k].value == value && timesIn(result, end, value) == 0 &&
            timesIn(operand.data(), operand.data() + operand.size(), value) == 1 && to % (from / value) == 0)
          return pin(k, to / (from / value));
    return Outcome::Impossible;
  }

  Outcome call(GraphOp &op, const std::vector<ValueType> &operands, std::vector<ValueType> &results) {
    auto &[callee, made] = callees_[op.callee.get()];
    if (!callee) {
      auto function = std::make_shared<DerivedFunction>(*op.callee);
      Graph &graph = function->graph;
      if (operands.size() < graph.inputs.size())
        return Outcome::Impossible;
      std::vector<ValueType> types(operands.begin(),
                                   operands.begin() + static_cast<std::ptrdiff_t>(graph.inputs.size()));
      graph.inputs = types;
      if (Outcome outcome = resizeOps(graph, types); outcome != Outcome::Done)
        return outcome;
      const Transform &transform = function->transform;
      const std::vector<uint32_t> &sources = transform.kind == TransformKind::Vjp ? transform.wrt : graph.outputs;
      for (size_t i = 0; i < sources.size() && i < function->active.size(); ++i)
        if (function->active[i])
          made.push_back(types[sources[i]]);
      callee = std::move(function);
    }
    op.callee = callee;
    results = made;
    return Outcome::Done;
  }

  /// A user's function: its body tells the results. That of a family may be opaque, or call the family.
  Outcome callCustom(GraphOp &op, const std::vector<ValueType> &operands, std::vector<ValueType> &results) {
    auto [known, isNew] = customs_.try_emplace(op.custom.get());
    if (!isNew && !known->second)
      return Outcome::Impossible; // it calls itself
    if (isNew) {
      auto function = std::make_shared<CustomFunction>(*op.custom);
      if (!function->primal || function->version != 0 || function->operands.size() != operands.size())
        return Outcome::Impossible;
      function->operands = operands;
      for (auto [role, body] : {std::pair(CustomRole::Primal, &function->primal),
                                {CustomRole::Jvp, &function->jvp},
                                {CustomRole::Vjp, &function->vjp},
                                {CustomRole::Transpose, &function->transpose}}) {
        if (!*body)
          continue;
        auto rule = std::make_shared<RuleFunction>(**body);
        std::vector<ValueType> types = roleTypes(*function, role).arguments;
        if (rule->graph.inputs.size() < types.size())
          return Outcome::Impossible;
        for (size_t i = types.size(); i < rule->graph.inputs.size(); ++i) { // constants
          types.push_back(rule->graph.inputs[i]);
          for (int64_t &extent : types.back().shape)
            replace(extent);
        }
        rule->graph.inputs = types;
        if (Outcome outcome = resizeOps(rule->graph, types); outcome != Outcome::Done)
          return outcome;
        std::vector<ValueType> made;
        for (uint32_t output : rule->graph.outputs)
          made.push_back(types[output]);
        if (role == CustomRole::Primal)
          function->results = made;
        else if (made != roleTypes(*function, role).results)
          return Outcome::Impossible;
        *body = std::move(rule);
      }
      customs_[op.custom.get()] = std::move(function);
    }
    std::shared_ptr<const CustomFunction> made = customs_[op.custom.get()];
    results = made->results;
    op.custom = std::move(made);
    return Outcome::Done;
  }

  const std::vector<int64_t> &first_, &proposed_;
  std::map<size_t, int64_t> &pinned_;
  std::vector<Size> sizes_;
  std::unordered_map<const DerivedFunction *, std::pair<std::shared_ptr<const DerivedFunction>, std::vector<ValueType>>>
      callees_;
  std::unordered_map<const CustomFunction *, std::shared_ptr<const CustomFunction>> customs_; ///< null: begun
};

} // namespace

std::optional<SizeProbe> probeSizes(const Graph &graph, const Transform &transform,
                                    const std::vector<int64_t> &second) {
  const SizeKey key = eraseSizes(structureKey(graph, transform));
  constexpr int64_t kMostSize = int64_t{1} << 31; // primes are looked for by division
  auto isHuge = [](int64_t size) { return size > kMostSize; };
  if (key.sizes.size() != second.size() || std::any_of(key.sizes.begin(), key.sizes.end(), isHuge) ||
      std::any_of(second.begin(), second.end(), isHuge))
    return std::nullopt;
  Proposal proposal(key.sizes, second);
  constexpr uint64_t kVariants = 4;
  for (uint64_t variant = 0; variant < kVariants; ++variant) {
    const std::vector<int64_t> proposed = proposal.sizes(variant);
    std::map<size_t, int64_t> pinned;
    for (size_t k = 0; k < second.size(); ++k)
      if (second[k] == key.sizes[k])
        pinned.emplace(k, second[k]);
    SizeProbe probe;
    Resizer::Outcome outcome = Resizer::Outcome::Again;
    while (outcome == Resizer::Outcome::Again) { // each time another size is pinned
      probe.graph = graph;
      outcome = Resizer(key.sizes, proposed, pinned).resize(probe.graph);
    }
    if (outcome == Resizer::Outcome::Impossible)
      continue;
    SizeKey made = eraseSizes(structureKey(probe.graph, transform));
    bool tells = made.text == key.text;
    for (size_t k = 0; tells && k < second.size(); ++k)
      tells = second[k] == key.sizes[k] ? made.sizes[k] == second[k]
                                        : made.sizes[k] != second[k] && made.sizes[k] != key.sizes[k];
    if (!tells)
      continue;
    probe.sizes = std::move(made.sizes);
    return probe;
  }
  return std::nullopt;
}

} // namespace tenferro::core
