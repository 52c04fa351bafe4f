// The canonical text of a program and its transform.
//
// Operations are numbered in the order a depth-first walk from the outputs leaves them, so neither the order in which
// independent operations were recorded nor operations nothing uses show. Callees are spelled out once, in front, and
// referred to by number; two of equal text share a number.
#include "lib/Core/PortableKey.h"

#include <bit>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tenferro::core {

namespace {

void append(std::string &text, const ValueType &type) {
  text += name(type.dtype);
  text += type.shape.str();
}

void append(std::string &text, const std::vector<bool> &flags) {
  text += '[';
  for (bool flag : flags)
    text += flag ? '1' : '0';
  text += ']';
}

/// "axes=[0, 1] extent=4".
void append(std::string &text, const OpSchema &schema, const Attributes &flat) {
  size_t at = 0;
  for (const AttributeSchema &attribute : schema.attributes) {
    bool counted = attribute.kind == AttributeKind::IntArray || attribute.kind == AttributeKind::ResultShape;
    size_t count = counted && at < flat.size() ? static_cast<size_t>(flat[at++]) : 1;
    count = std::min(count, flat.size() - at);
    text += ' ';
    text += attribute.name;
    text += '=';
    if (attribute.kind == AttributeKind::ResultDType && count == 1 && flat[at] >= 0 && flat[at] < kDTypeCount)
      text += name(static_cast<DType>(flat[at]));
    else if (counted)
      text += IntList(flat.data() + at, count).str();
    else if (count == 1)
      text += std::to_string(flat[at]);
    at += count;
  }
}

/// The values of a graph under their canonical numbers.
class Numbering {
public:
  explicit Numbering(const Graph &graph) : graph_(graph), first_(graph.ops.size()) {
    uint32_t value = static_cast<uint32_t>(graph.inputs.size());
    for (size_t i = 0; i < graph.ops.size(); ++i) {
      first_[i] = value;
      value += static_cast<uint32_t>(graph.ops[i].results.size());
    }
    op_.resize(value);
    for (size_t i = 0; i < graph.ops.size(); ++i)
      for (size_t r = 0; r < graph.ops[i].results.size(); ++r)
        op_[first_[i] + r] = static_cast<uint32_t>(i);
    number_.assign(value, kNone);
    for (uint32_t i = 0; i < graph.inputs.size(); ++i)
      number_[i] = i;
    next_ = static_cast<uint32_t>(graph.inputs.size());
    for (uint32_t output : graph.outputs)
      visit(output);
  }

  /// Numbers what `value` needs that has no number yet.
  void visit(uint32_t value) {
    if (number_[value] != kNone)
      return;
    // An explicit stack: a recorded chain may be deeper than the machine's.
    std::vector<std::pair<uint32_t, size_t>> stack = {{op_[value], 0}};
    while (!stack.empty()) {
      auto &[index, operand] = stack.back();
      const GraphOp &op = graph_.ops[index];
      if (operand < op.operands.size()) {
        uint32_t next = op.operands[operand++];
        if (number_[next] == kNone)
          stack.emplace_back(op_[next], 0);
        continue;
      }
      if (op.results.empty() || number_[first_[index]] == kNone) {
        for (size_t r = 0; r < op.results.size(); ++r)
          number_[first_[index] + r] = next_++;
        order_.push_back(index);
      }
      stack.pop_back();
    }
  }

  bool reachable(uint32_t value) const { return number_[value] != kNone; }
  uint32_t operator[](uint32_t value) const { return number_[value]; }
  const std::vector<uint32_t> &order() const { return order_; }

private:
  static constexpr uint32_t kNone = ~0u;
  const Graph &graph_;
  std::vector<uint32_t> first_, op_, number_, order_;
  uint32_t next_ = 0;
};

class KeyWriter {
public:
  explicit KeyWriter(bool hasVersions = true) : hasVersions_(hasVersions) {}
  std::string write(const Graph &graph, const Transform &transform) { return withFunctions(body(graph, transform)); }
  std::string write(const CustomFunction &function) {
    custom(function);
    return withFunctions({});
  }

private:
  std::string withFunctions(std::string main) {
    std::string text;
    for (size_t i = 0; i < functions_.size(); ++i)
      text += "function " + std::to_string(i) + "\n" + functions_[i] + "end\n";
    return text + main;
  }

  /// The number of a callee; writes it at its first use.
  size_t function(const DerivedFunction &callee) {
    if (auto known = byAddress_.find(&callee); known != byAddress_.end())
      return known->second;
    std::string text = body(callee.graph, callee.transform) + "active ";
    append(text, callee.active);
    text += '\n';
    auto [place, fresh] = byText_.try_emplace(text, functions_.size());
    if (fresh)
      functions_.push_back(std::move(text));
    byAddress_[&callee] = place->second;
    return place->second;
  }

  /// The number of a function with its own rules; writes it at its first use. A family's rules may use the family itself, so
  /// the number is there before the text.
  size_t custom(const CustomFunction &callee) {
    if (auto known = customByAddress_.find(&callee); known != customByAddress_.end()) {
      if (functions_[known->second].empty())
        recursive_.insert(known->second);
      return known->second;
    }
    const size_t number = functions_.size();
    customByAddress_[&callee] = number;
    functions_.emplace_back();
    std::string text = customText(callee);
    if (recursive_.count(number) || functions_.size() != number + 1) {
      functions_[number] = std::move(text);
      return number;
    }
    auto [place, fresh] = byText_.try_emplace(text, number);
    if (fresh)
      functions_[number] = std::move(text);
    else
      functions_.pop_back();
    return customByAddress_[&callee] = place->second;
  }

  std::string customText(const CustomFunction &callee) {
    std::string text = "custom '" + callee.name + "'";
    if (hasVersions_ || callee.version == 0)
      text += " rule version " + std::to_string(callee.version);
    text += '\n';
    text += "inputs " + std::to_string(callee.inputs) + " captures " + std::to_string(callee.captures) + " linear ";
    append(text, callee.linear);
    text += " parameters " + callee.parameters.str() + "\noperands";
    for (const ValueType &type : callee.operands)
      append(text += ' ', type);
    text += "\nresults";
    for (const ValueType &type : callee.results)
      append(text += ' ', type);
    text += '\n';
    for (CustomRole role : {CustomRole::Primal, CustomRole::Jvp, CustomRole::Vjp, CustomRole::Transpose}) {
      const RuleFunction *rule = roleBody(callee, role);
      if (!rule)
        continue;
      text += "rule ";
      text += name(role);
      text += '\n';
      for (const RuleConstant &constant : rule->constants)
        text += "constant " + std::to_string(constant.input) + " = " +
                std::to_string(std::bit_cast<int64_t>(constant.real)) + " " + std::to_string(constant.integer) + "\n";
      text += body(rule->graph, {});
    }
    return text;
  }

  std::string body(const Graph &graph, const Transform &transform) {
    Numbering numbers(graph);
    for (uint32_t value : transform.wrt)
      numbers.visit(value);
    std::string text;
    text += transform.kind == TransformKind::Forward ? "forward" : transform.kind == TransformKind::Vjp ? "vjp" : "jvp";
    if (transform.kind != TransformKind::Forward)
      list(text += " wrt ", transform.wrt, numbers);
    text += transform.seedOnes ? " seed ones\n" : "\n";
    for (const ValueType &input : graph.inputs) {
      append(text += "input ", input);
      text += '\n';
    }
    for (uint32_t index : numbers.order()) {
      const GraphOp &op = graph.ops[index];
      if (op.custom) {
        text += "custom " + std::to_string(custom(*op.custom));
        list(text += ' ', op.operands, numbers);
      } else if (op.callee) {
        text += "call " + std::to_string(function(*op.callee));
        list(text += ' ', op.operands, numbers);
      } else {
        const OpSchema &row = schema(op.kind);
        text += row.mnemonic;
        list(text += ' ', op.operands, numbers);
        append(text, row, op.attributes);
      }
      for (const ValueType &result : op.results)
        append(text += " : ", result);
      text += '\n';
    }
    list(text += "outputs ", graph.outputs, numbers);
    text += '\n';
    for (const SavedValue &saved : graph.saved)
      if (numbers.reachable(saved.value))
        text += "saved " + std::to_string(numbers[saved.value]) + " in " + std::to_string(saved.input) + "\n";
    return text;
  }

  static void list(std::string &text, const std::vector<uint32_t> &values, const Numbering &numbers) {
    text += '(';
    for (size_t i = 0; i < values.size(); ++i) {
      if (i)
        text += ", ";
      text += std::to_string(numbers[values[i]]);
    }
    text += ')';
  }

  const bool hasVersions_; ///< of families
  std::vector<std::string> functions_;
  std::unordered_map<const DerivedFunction *, size_t> byAddress_;
  std::unordered_map<const CustomFunction *, size_t> customByAddress_;
  std::unordered_set<size_t> recursive_; ///< numbers that were used while their text was being written
  std::unordered_map<std::string, size_t> byText_;
};

} // namespace

std::string structureKey(const Graph &graph, const Transform &transform) { return KeyWriter().write(graph, transform); }
std::string portableKey(const Graph &graph, const Transform &transform) { return KeyWriter(false).write(graph, transform); }
std::string structureKey(const CustomFunction &function) { return KeyWriter().write(function); }

} // namespace tenferro::core
