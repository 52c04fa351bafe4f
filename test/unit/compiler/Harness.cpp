// Builds graphs by hand, compiles them fused and operation by operation, runs both and insists on equal bits.
#include "test/unit/compiler/Harness.h"

#include "lib/Core/ShapeRules.h"
#include "runtime/cpu/CpuLevel.h"
#include "runtime/kernels/KernelTable.h"

namespace tenferro::test {

uint32_t GraphBuilder::input(DType dtype, Shape shape) {
  EXPECT_TRUE(graph.ops.empty());
  types_.push_back({dtype, shape});
  graph.inputs.push_back(types_.back());
  return static_cast<uint32_t>(types_.size() - 1);
}

uint32_t GraphBuilder::op(core::OpKind kind, std::vector<uint32_t> operands, core::Attributes attributes) {
  std::vector<core::ValueType> operandTypes;
  for (uint32_t operand : operands)
    operandTypes.push_back(types_[operand]);
  auto result = core::inferResult(kind, operandTypes, attributes);
  if (!result) {
    ADD_FAILURE() << result.failure().op << ": " << result.failure().message;
    return 0;
  }
  core::GraphOp op;
  op.kind = kind;
  op.attributes = attributes;
  op.operands = std::move(operands);
  op.results = {*result};
  graph.ops.push_back(std::move(op));
  types_.push_back(*result);
  return static_cast<uint32_t>(types_.size() - 1);
}

std::vector<uint32_t> GraphBuilder::call(std::shared_ptr<const core::DerivedFunction> callee,
                                         std::vector<uint32_t> operands, std::vector<core::ValueType> results) {
  core::GraphOp op;
  op.callee = std::move(callee);
  op.operands = std::move(operands);
  op.results = results;
  graph.ops.push_back(std::move(op));
  std::vector<uint32_t> numbers;
  for (core::ValueType &type : results) {
    types_.push_back(std::move(type));
    numbers.push_back(static_cast<uint32_t>(types_.size() - 1));
  }
  return numbers;
}

Array boolArray(Shape shape, std::vector<int> values) {
  Array array{{DType::Bool, std::move(shape)}, {}};
  for (int value : values)
    array.bytes.push_back(static_cast<uint8_t>(value));
  return array;
}

std::shared_ptr<const runtime::LoadedProgram> compileAndLoad(const core::Graph &graph, const core::Transform &transform,
                                                             bool fuse) {
  compiler::CompileRequest request;
  request.graph = &graph;
  request.transform = transform;
  request.level = runtime::cpuLevel();
  request.fuse = fuse;
  request.dump = [](compiler::Stage, std::string_view) {}; // a compile that is watched verifies after every pass
  auto artifact = compiler::compile(request);
  if (!artifact) {
    ADD_FAILURE() << artifact.failure().op << ": " << artifact.failure().message;
    return nullptr;
  }
  auto program = runtime::LoadedProgram::load(std::move(*artifact), runtime::KernelTable::forLevel(request.level));
  if (!program) {
    ADD_FAILURE() << program.failure().op << ": " << program.failure().message;
    return nullptr;
  }
  return *program;
}

Outcome run(const runtime::LoadedProgram &program, const std::vector<Array> &arguments) {
  std::vector<runtime::TensorView> views;
  for (const Array &array : arguments)
    views.push_back(runtime::TensorView::contiguous(const_cast<uint8_t *>(array.bytes.data()), array.type.dtype,
                                                    array.type.shape));
  std::vector<runtime::BufferRef> buffers(program.resultCount());
  Outcome outcome;
  outcome.error = program.run(views, buffers, 1);
  for (size_t i = 0; i < buffers.size() && !outcome.error; ++i) {
    Array array{program.resultType(i), {}};
    const auto *data = static_cast<const uint8_t *>(buffers[i].data());
    size_t bytes = static_cast<size_t>(array.type.shape.elementCount()) * byteSize(array.type.dtype);
    array.bytes.assign(data, data + bytes);
    outcome.results.push_back(std::move(array));
  }
  return outcome;
}

Outcome runBoth(const core::Graph &graph, const core::Transform &transform, const std::vector<Array> &arguments) {
  auto fused = compileAndLoad(graph, transform, true);
  auto plain = compileAndLoad(graph, transform, false);
  if (!fused || !plain)
    return {};
  EXPECT_EQ(fused->active(), plain->active());
  Outcome a = run(*fused, arguments), b = run(*plain, arguments);
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.results.size(), b.results.size());
  for (size_t i = 0; i < std::min(a.results.size(), b.results.size()); ++i) {
    EXPECT_EQ(a.results[i].type, b.results[i].type);
    EXPECT_EQ(a.results[i].bytes, b.results[i].bytes) << "result " << i << " fused and operation by operation";
  }
  return a;
}

Failure expectFailure(const core::Graph &graph, const core::Transform &transform) {
  compiler::CompileRequest request;
  request.graph = &graph;
  request.transform = transform;
  auto artifact = compiler::compile(request);
  EXPECT_FALSE(artifact);
  return artifact ? Failure() : artifact.failure();
}

} // namespace tenferro::test
