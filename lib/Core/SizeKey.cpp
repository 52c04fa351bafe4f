// A structure key without its sizes.
#include "lib/Core/SizeKey.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

namespace tenferro::core {

namespace {

class Eraser {
public:
  SizeKey erase(std::string_view key) {
    result_.text.reserve(key.size());
    while (!key.empty()) {
      size_t end = std::min(key.find('\n'), key.size() - 1);
      line(key.substr(0, end + 1));
      key.remove_prefix(end + 1);
    }
    return std::move(result_);
  }

private:
  enum class Kind : uint8_t { Extents, Positions, Literal };

  void line(std::string_view text) {
    if (text.starts_with("custom '")) { // a name that the user chose
      result_.text += text;
      return;
    }
    while (!text.empty()) {
      size_t at = text.find_first_of("[=");
      if (at == std::string_view::npos) {
        result_.text += text;
        return;
      }
      Kind kind = kindOf(text.substr(0, at), text[at]);
      if (text.substr(at, 2) == "=[")
        ++at;
      result_.text += text.substr(0, at + 1);
      text.remove_prefix(at + 1);
      if (kind != Kind::Literal)
        numbers(text, kind);
    }
  }

  /// What begins behind `before` and `sign`: the list of a type ("f64["), an attribute ("limits=[" or "depth=").
  static Kind kindOf(std::string_view before, char sign) {
    auto isWord = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    if (sign == '[') // without a word in front: flags and parameters
      return !before.empty() && isWord(before.back()) ? Kind::Extents : Kind::Literal;
    size_t start = before.size();
    while (start > 0 && isWord(before[start - 1]))
      --start;
    std::string_view name = before.substr(start);
    if (name == "shape")
      return Kind::Extents;
    return isPositionAttribute(name) ? Kind::Positions : Kind::Literal;
  }

  /// Copies "64, 3" with sizes replaced, up to what is neither a number nor between two.
  void numbers(std::string_view &text, Kind kind) {
    while (!text.empty()) {
      int64_t value = 0;
      auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error == std::errc()) {
        number(value, kind);
        text.remove_prefix(static_cast<size_t>(end - text.data()));
      } else if (text.front() == ',' || text.front() == ' ') {
        if (text.front() == ' ' && text.size() > 1 && text[1] >= 'a' && text[1] <= 'z')
          return; // the next attribute
        result_.text += text.front();
        text.remove_prefix(1);
      } else {
        return;
      }
    }
  }

  void number(int64_t value, Kind kind) {
    NearSize near;
    if (kind == Kind::Positions || value < 2) {
      std::optional<NearSize> found = nearSize(result_.sizes, value);
      if (!found) {
        result_.text += std::to_string(value);
        return;
      }
      near = *found;
    } else {
      auto known = std::find(result_.sizes.begin(), result_.sizes.end(), value);
      near.number = static_cast<size_t>(known - result_.sizes.begin());
      if (known == result_.sizes.end())
        result_.sizes.push_back(value);
    }
    result_.text += '#';
    result_.text += std::to_string(near.number);
    if (near.less != 0)
      result_.text += '-' + std::to_string(near.less);
  }

  SizeKey result_;
};

} // namespace

bool isPositionAttribute(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 7> kPositions = {"depth", "extent",      "high",  "limits",
                                                          "low",   "slice_sizes", "starts"};
  return std::find(kPositions.begin(), kPositions.end(), name) != kPositions.end();
}

std::optional<NearSize> nearSize(const std::vector<int64_t> &sizes, int64_t position) noexcept {
  std::optional<NearSize> nearest;
  for (size_t k = 0; position >= 2 && k < sizes.size(); ++k) {
    const int64_t less = sizes[k] - position;
    const int64_t most = nearest ? nearest->less - 1 : position >= kLeastBeforeEnd ? kMostBeforeEnd : 0;
    if (less >= 0 && less <= most)
      nearest = {k, less};
  }
  return nearest;
}

SizeKey eraseSizes(std::string_view structureKey) { return Eraser().erase(structureKey); }

//===- Parts ----------------------------------------------------------------------------------------------------===//

namespace {

class PartCollector {
public:
  explicit PartCollector(const std::vector<int64_t> &sizes) : sizes_(sizes) {}

  std::vector<SizeSum> collect(const Graph &graph) {
    todo_ = {&graph};
    while (!todo_.empty()) {
      const Graph *next = todo_.back();
      todo_.pop_back();
      if (seen_.insert(next).second)
        visit(*next);
    }
    return std::move(sums_);
  }

private:
  void visit(const Graph &graph) {
    std::vector<const ValueType *> types;
    for (const ValueType &input : graph.inputs)
      types.push_back(&input);
    for (const GraphOp &op : graph.ops) {
      if (op.callee) {
        todo_.push_back(&op.callee->graph);
      } else if (op.custom) { // a family's rule may call the family
        for (CustomRole role : {CustomRole::Primal, CustomRole::Jvp, CustomRole::Vjp, CustomRole::Transpose})
          if (const RuleFunction *rule = roleBody(*op.custom, role))
            todo_.push_back(&rule->graph);
      } else if (op.kind == OpKind::Concatenate) {
        addParts(op, types);
      }
      for (const ValueType &result : op.results)
        types.push_back(&result);
    }
  }

  void addParts(const GraphOp &op, const std::vector<const ValueType *> &types) {
    const auto axis = static_cast<size_t>(op.attributes[0]);
    SizeSum start{0, IntList(sizes_.size(), 0)};
    for (uint32_t operand : op.operands) {
      if (known_.insert({start.constant, {start.counts.begin(), start.counts.end()}}).second)
        sums_.push_back(start);
      const int64_t extent = types[operand]->shape[axis];
      auto size = std::find(sizes_.begin(), sizes_.end(), extent);
      if (size == sizes_.end())
        start.constant += extent; // 0 or 1
      else
        ++start.counts[static_cast<size_t>(size - sizes_.begin())];
    }
  }

  const std::vector<int64_t> &sizes_;
  std::vector<const Graph *> todo_;
  std::set<const Graph *> seen_;
  std::set<std::pair<int64_t, std::vector<int64_t>>> known_;
  std::vector<SizeSum> sums_;
};

} // namespace

std::vector<SizeSum> startsOfParts(const Graph &graph, const std::vector<int64_t> &sizes) {
  return PartCollector(sizes).collect(graph);
}

} // namespace tenferro::core
