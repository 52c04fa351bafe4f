// What the shape rules share: a call with its attributes unpacked, failures, and one declaration per operation.
#ifndef TENFERRO_CORE_SHAPERULES_RULES_H
#define TENFERRO_CORE_SHAPERULES_RULES_H

#include "lib/Core/Expected.h"
#include "lib/Core/Graph.h"
#include "lib/Core/OpSchema.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenferro::core {

/// A failure at graph build.
Failure fail(ErrorKind kind, std::string_view op, std::string message);

/// An operation's operands and attributes as a rule sees them; counts agree with the schema.
struct RuleCall {
  const OpSchema &op;
  std::span<const ValueType> operands;
  std::vector<IntList> attributes; ///< one list per entry of the schema; single integers are lists of one

  std::string_view name() const { return op.mnemonic; }
  const ValueType &operand(size_t i) const { return operands[i]; }
  const IntList &list(size_t i) const { return attributes[i]; }
  int64_t integer(size_t i) const { return attributes[i][0]; }
  DType dtype(size_t i) const { return static_cast<DType>(integer(i)); }

  /// Broken rules with their facts.
  Failure error(ErrorKind kind, std::string message) const { return fail(kind, name(), std::move(message)); }
  Failure dtypeError(std::string_view rule, DType dtype) const;
  Failure dtypeError(std::string_view rule, DType a, DType b) const;
  Failure shapeError(std::string_view rule, const Shape &a, const Shape &b) const;
};

/// Whether an integer is in [0, rank), or the failure.
bool checkAxis(const RuleCall &call, int64_t axis, int64_t rank, Failure &failure);

/// Whether the axes are in [0, rank) and distinct, or the failure.
bool checkAxes(const RuleCall &call, const IntList &axes, int64_t rank, Failure &failure);

/// Rules several operations share.
Expected<ValueType> inferNumberUnary(const RuleCall &call);     ///< any number, not bool
Expected<ValueType> inferFloatUnary(const RuleCall &call);      ///< floats alone
Expected<ValueType> inferLogicBinary(const RuleCall &call);     ///< any dtype, bool as logic
Expected<ValueType> inferNumberBinary(const RuleCall &call);    ///< any number, not bool
Expected<ValueType> inferRealBinary(const RuleCall &call);      ///< an ordered number
Expected<ValueType> inferFloatBinary(const RuleCall &call);     ///< floats alone
Expected<ValueType> inferRealFloatUnary(const RuleCall &call);  ///< floats, not complex
Expected<ValueType> inferRealFloatBinary(const RuleCall &call); ///< floats, not complex
Expected<ValueType> inferFloatTest(const RuleCall &call);       ///< a bool about each float, not complex

/// One rule per operation; a missing one is a link error.
#define TENFERRO_RULE(Kind, rule) Expected<ValueType> rule(const RuleCall &call);
#include "lib/Core/OpRules.inc"

} // namespace tenferro::core

#endif // TENFERRO_CORE_SHAPERULES_RULES_H
