// Hand-written programs: written down in few lines, loaded on kernels in plain C++.
#ifndef TENFERRO_TEST_RUNTIME_HANDWRITTENPROGRAM_H
#define TENFERRO_TEST_RUNTIME_HANDWRITTENPROGRAM_H

#include "runtime/program/Executor.h"
#include "test/unit/runtime/TestKernels.h"
#include "test/unit/runtime/TestTensors.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace tenferro::runtime::test {

/// Writes programs down in few lines.
struct Builder {
  Program program;

  uint32_t value(DType dtype, Shape shape, StorageKind storage, uint32_t index = 0, int64_t offset = 0,
                 View view = {}) {
    program.values.push_back({{dtype, std::move(shape)}, storage, index, offset, std::move(view)});
    return static_cast<uint32_t>(program.values.size() - 1);
  }
  uint32_t argument(DType dtype, Shape shape) {
    program.arguments.push_back({dtype, shape});
    program.argumentUsed.push_back(true);
    program.argumentContiguous.push_back(false);
    return value(dtype, std::move(shape), StorageKind::Argument, static_cast<uint32_t>(program.arguments.size() - 1));
  }
  uint32_t arena(DType dtype, Shape shape) {
    int64_t offset = program.arenaBytes;
    program.arenaBytes += (shape.elementCount() * static_cast<int64_t>(byteSize(dtype)) + 63) / 64 * 64;
    return value(dtype, std::move(shape), StorageKind::Arena, 0, offset);
  }
  uint32_t result(DType dtype, Shape shape) {
    uint32_t made = value(dtype, std::move(shape), StorageKind::Result, static_cast<uint32_t>(program.results.size()));
    program.results.push_back(made);
    return made;
  }
  uint32_t view(uint32_t source, Shape shape, IntList dims, IntList starts, IntList steps) {
    return value(program.values[source].type.dtype, std::move(shape), StorageKind::View, source, 0,
                 {false, std::move(dims), std::move(starts), std::move(steps), {}});
  }
  uint32_t reshape(uint32_t source, Shape shape) {
    View view;
    view.reshape = true;
    return value(program.values[source].type.dtype, std::move(shape), StorageKind::View, source, 0, view);
  }
  Launch &launch(LaunchKind kind, std::string kernel, std::vector<uint32_t> operands) {
    Launch launch;
    launch.kind = kind;
    launch.kernel = std::move(kernel);
    launch.operands = std::move(operands);
    launch.opNumbers = {static_cast<uint32_t>(program.launches.size())};
    program.launches.push_back(std::move(launch));
    return program.launches.back();
  }
  Launch &map(std::string kernel, std::vector<uint32_t> operands) {
    return launch(LaunchKind::Map, std::move(kernel), std::move(operands));
  }

  CompiledArtifact artifact() const {
    CompiledArtifact artifact;
    artifact.program = program;
    return artifact;
  }
};

inline std::shared_ptr<const LoadedProgram> load(CompiledArtifact artifact) {
  auto loaded = LoadedProgram::load(std::move(artifact), kernels());
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.failure().message);
  return loaded ? *loaded : nullptr;
}

inline std::string refusal(const Builder &builder) {
  auto loaded = LoadedProgram::load(builder.artifact(), kernels());
  return loaded ? "loaded" : loaded.failure().message;
}

inline std::vector<double> doubles(const BufferRef &buffer) {
  auto *data = static_cast<const double *>(buffer.data());
  return {data, data + buffer.bytes() / sizeof(double)};
}

inline TensorView vector(std::vector<double> &values) {
  return TensorView::contiguous(values.data(), DType::F64, Shape{static_cast<int64_t>(values.size())});
}

inline CompiledArtifact withObject(const Builder &builder, std::vector<std::string> functions) {
  CompiledArtifact artifact = builder.artifact();
  std::ifstream file(TENFERRO_TEST_OBJECT, std::ios::binary);
  artifact.object = {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  artifact.functions = std::move(functions);
  return artifact;
}

/// sum(c * x * x) over n elements.
inline Builder loop(int64_t n) {
  Builder b;
  uint32_t c = b.argument(DType::F64, {n}), x = b.argument(DType::F64, {n});
  uint32_t h = b.arena(DType::F64, {n}), p = b.arena(DType::F64, {n}), s = b.result(DType::F64, {});
  b.map("mul.f64", {c, x, h});
  b.map("mul.f64", {h, x, p});
  b.launch(LaunchKind::Reduce, "sum.f64", {p, s}).axes = {0};
  return b;
}

/// h = a * b + c with b a scalar, then the sum of squares of h, by JIT functions 0 (map), 1 and 2 (row, column).
inline Builder scaledSquares(int64_t n) {
  Builder b;
  uint32_t a = b.argument(DType::F64, {n}), s = b.argument(DType::F64, {}), c = b.argument(DType::F64, {n});
  uint32_t spread = b.view(s, {n}, {-1}, {0}, {0}), h = b.result(DType::F64, {n}), sum = b.result(DType::F64, {});
  b.map("", {a, spread, c, h}).access = {Access::Unit, Access::Scalar, Access::Unit, Access::Unit};
  Launch &reduce = b.launch(LaunchKind::Reduce, "", {h, sum});
  reduce.function = 1;
  reduce.axes = {0};
  reduce.access = {Access::Unit, Access::Unit};
  reduce.combine = {"sum.f64"};
  return b;
}

} // namespace tenferro::runtime::test

#endif // TENFERRO_TEST_RUNTIME_HANDWRITTENPROGRAM_H
