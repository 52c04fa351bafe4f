// Builds graphs by hand, compiles them fused and operation by operation, runs both and insists on equal bits.
#ifndef TENFERRO_TEST_UNIT_COMPILER_HARNESS_H
#define TENFERRO_TEST_UNIT_COMPILER_HARNESS_H

#include "lib/Compiler/CompileInterface.h"
#include "lib/Core/Graph.h"
#include "runtime/program/Executor.h"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace tenferro::test {

/// A graph in the making. Operations infer their result types; `op` fails the test on a broken rule.
class GraphBuilder {
public:
  uint32_t input(DType dtype, Shape shape);
  uint32_t op(core::OpKind kind, std::vector<uint32_t> operands, core::Attributes attributes = {});
  std::vector<uint32_t> call(std::shared_ptr<const core::DerivedFunction> callee, std::vector<uint32_t> operands,
                             std::vector<core::ValueType> results);
  const core::ValueType &type(uint32_t value) const { return types_[value]; }

  /// To be called before the first operation only: inputs come first in the numbering.
  core::Graph graph;

private:
  std::vector<core::ValueType> types_;
};

/// A tensor's elements, leftmost index fastest.
struct Array {
  core::ValueType type;
  std::vector<uint8_t> bytes;

  template <typename T> static Array of(Shape shape, std::vector<T> values) {
    Array array{{dtypeOf<T>, std::move(shape)}, {}};
    array.bytes.resize(values.size() * sizeof(T));
    if (!values.empty())
      std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
    return array;
  }
  template <typename T> std::vector<T> values() const {
    std::vector<T> result(bytes.size() / sizeof(T));
    if (!bytes.empty())
      std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }
};
Array boolArray(Shape shape, std::vector<int> values);

/// The outcome of a run: results, or the error raised.
struct Outcome {
  std::vector<Array> results;
  std::optional<runtime::RunError> error;
};

std::shared_ptr<const runtime::LoadedProgram> compileAndLoad(const core::Graph &graph, const core::Transform &transform,
                                                             bool fuse);
Outcome run(const runtime::LoadedProgram &program, const std::vector<Array> &arguments);

/// Compiles both ways, runs both, expects equal outcomes bit for bit, and returns one.
Outcome runBoth(const core::Graph &graph, const core::Transform &transform, const std::vector<Array> &arguments);

/// The failure of a compile that must fail.
Failure expectFailure(const core::Graph &graph, const core::Transform &transform = {});

} // namespace tenferro::test

#endif // TENFERRO_TEST_UNIT_COMPILER_HARNESS_H
