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

/// One operation of a graph. Values are numbered: the graph's inputs first, then the results of each operation in turn.
struct GraphOp {
  OpKind kind{};
  Attributes attributes;
  std::vector<uint32_t> operands;
  std::vector<ValueType> results; ///< one, except for a call
  /// For a call: the derivative program whose body the compiler inlines; `kind` is then ignored. Operands are the
  /// callee's arguments, in order.
  std::shared_ptr<const DerivedFunction> callee;
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

/// The canonical text of a program and transform: equal structure gives equal text in any process; values, addresses,
/// ids and locations do not enter. One line per operation, readable, the components `explainCache()` compares.
TENFERRO_EXPORT std::string structureKey(const Graph &graph, const Transform &transform);

} // namespace tenferro::core

#endif // TENFERRO_CORE_GRAPH_H
