// A recorded program as plain data: what the eager front end hands to the compiler and what a structure key spells out.
#ifndef TENFERRO_CORE_GRAPH_H
#define TENFERRO_CORE_GRAPH_H

#include "lib/Core/OpSchema.h"
#include "tenferro/DType.h"
#include "tenferro/Export.h"
#include "tenferro/Shape.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenferro::core {

/// Dtype and shape of a value.
struct ValueType {
  DType dtype = DType::F64;
  Shape shape;
  friend bool operator==(const ValueType &, const ValueType &) = default;
};

/// The attributes of one operation, flat, in the order and layout of its `OpSchema`.
using Attributes = IntList;

struct DerivedFunction;
struct CustomFunction;

/// One operation of a graph. Values are numbered: the graph's inputs first, then the results of each operation in turn.
struct GraphOp {
  OpKind kind{};
  Attributes attributes;
  std::vector<uint32_t> operands;
  std::vector<ValueType> results; ///< one, except for a call
  /// For a call: the derivative program whose body the compiler inlines; `kind` is then ignored. Operands are the
  /// callee's arguments, in order.
  std::shared_ptr<const DerivedFunction> callee;
  /// For a call of a function with derivative rules of its own, which stays a unit until it has been differentiated; `kind`
  /// is then ignored.
  std::shared_ptr<const CustomFunction> custom;
};

/// A value whose number was kept on the tape: input `input` holds, by construction, what `value` computes.
struct SavedValue {
  uint32_t value = 0;
  uint32_t input = 0;
};

/// Operations in dependency order over numbered values.
struct Graph {
  std::vector<ValueType> inputs;
  std::vector<GraphOp> ops;
  std::vector<uint32_t> outputs;
  std::vector<SavedValue> saved;

  /// The type of value `value`, by walking the operations.
  TENFERRO_EXPORT const ValueType &type(uint32_t value) const;
};

enum class TransformKind : uint8_t { Forward, Vjp, Jvp };

/// What is to be done to a graph.
///
/// Arguments and results of the resulting program:
///  * Forward: (inputs) -> (outputs)
///  * Vjp: (inputs, one cotangent per output unless `seedOnes`) -> (one gradient per active entry of `wrt`)
///  * Jvp: (inputs, one tangent per entry of `wrt`) -> (one tangent per active output)
/// `wrt` names values of the graph: inputs or results. A result as `wrt` gets the gradient at that point without cutting
/// the paths through it; a tangent along a result moves that result alone. An inactive (structurally zero) derivative has no result:
/// `CompiledArtifact::active` says which are present.
struct Transform {
  TransformKind kind = TransformKind::Forward;
  std::vector<uint32_t> wrt;
  bool seedOnes = false; ///< Vjp of one scalar output with cotangent 1
  friend bool operator==(const Transform &, const Transform &) = default;
};

/// A graph under a transform, as the callee of a call. Nested to any depth.
struct DerivedFunction {
  Graph graph;
  Transform transform;
  std::vector<bool> active; ///< as in `CompiledArtifact::active`: which wrt entries / outputs have a result
};

/// A number that a rule holds, as an input of its graph: everywhere in that tensor.
struct RuleConstant {
  uint32_t input = 0;
  double real = 0;     ///< for floats
  int64_t integer = 0; ///< for integers and bools
  friend bool operator==(const RuleConstant &, const RuleConstant &) = default;
};

/// The body of a function or of one of its rules, as it was recorded.
struct RuleFunction {
  Graph graph;
  std::vector<RuleConstant> constants; ///< of the last inputs of the graph, in order
};

/// A function with derivative rules of its own: a user's, or an operation of an extension family.
///
/// Operands are the inputs, then what the function itself captured, then what only its rules captured. Arguments of each
/// body, in order, its constants behind them:
///  * primal: inputs, captures of the function -> results
///  * jvp: operands, results, one tangent per float input -> one tangent per float result
///  * vjp: operands, results, one cotangent per float result -> one cotangent per float input
///  * transpose: operands that are not linear inputs, one cotangent per float result -> one cotangent per linear input
struct CustomFunction {
  std::string name;                ///< the family's id, or what the user called it
  uint64_t version = 0;            ///< of a family's rules: another registration is another version; 0 for functions
  IntList parameters;              ///< of an operation of a family
  std::vector<ValueType> operands;
  std::vector<ValueType> results;
  uint32_t inputs = 0;
  uint32_t captures = 0;           ///< of the function
  std::vector<bool> linear;        ///< one flag per input where there is a transpose: linear in it, jointly
  std::shared_ptr<const RuleFunction> primal; ///< null: an opaque kernel of the family
  std::shared_ptr<const RuleFunction> jvp, vjp, transpose;
  // A rule of a family may call the family: such an operation's `custom` does not own what it points to, and the function at the
  // top keeps all of them alive.
};

enum class CustomRole : uint8_t { Primal, Jvp, Vjp, Transpose };

/// What the body of a role takes besides its constants, and what it returns.
struct RoleTypes {
  std::vector<ValueType> arguments, results;
};
TENFERRO_EXPORT RoleTypes roleTypes(const CustomFunction &function, CustomRole role);
/// "primal", "jvp", "vjp", "transpose".
TENFERRO_EXPORT std::string_view name(CustomRole role) noexcept;
/// The body of that role, or null.
TENFERRO_EXPORT const RuleFunction *roleBody(const CustomFunction &function, CustomRole role) noexcept;

/// The canonical text of a program and transform: equal structure gives equal text in any process; values, addresses,
/// ids and locations do not enter. One line per operation, readable, the components `explainCache()` compares.
TENFERRO_EXPORT std::string structureKey(const Graph &graph, const Transform &transform);

/// The same of a function with rules. Its text begins with the component "custom 'name' rule version N".
TENFERRO_EXPORT std::string structureKey(const CustomFunction &function);

} // namespace tenferro::core

#endif // TENFERRO_CORE_GRAPH_H
