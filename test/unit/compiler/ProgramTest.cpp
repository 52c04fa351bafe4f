// What compiled programs look like and that every kind of launch and storage gives the right numbers.
#include "test/unit/compiler/Harness.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <elf.h>

using namespace tenferro;
using namespace tenferro::test;
using core::OpKind;
using runtime::LaunchKind;

namespace {

const Array kX = Array::of<double>({2, 3}, {1, 2, 3, 4, 5, 6}); // columns (1,2), (3,4), (5,6)

size_t launches(const core::Graph &graph, bool fuse) {
  auto program = compileAndLoad(graph, {}, fuse);
  return program ? program->program().launches.size() : 0;
}

TEST(Program, FusionSavesLaunches) {
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {2, 3}), bias = b.input(DType::F64, {3});
  uint32_t r = b.op(OpKind::BroadcastInDim, {bias}, {1, 1, 2, 2, 3});
  uint32_t t = b.op(OpKind::Add, {x, r});
  uint32_t n = b.op(OpKind::Neg, {t});
  b.graph.outputs = {b.op(OpKind::Sum, {b.op(OpKind::Mul, {n, x})}, {1, 0})};
  EXPECT_EQ(launches(b.graph, true), 1u);
  EXPECT_EQ(launches(b.graph, false), 4u);
  Outcome outcome = runBoth(b.graph, {}, {kX, Array::of<double>({3}, {10, 20, 30})});
  ASSERT_TRUE(outcome.error || !outcome.results.empty());
  // column sums of -(x + bias) x: -(11*1 + 12*2), -(23*3 + 24*4), -(35*5 + 36*6)
  EXPECT_EQ(outcome.results[0].values<double>(), (std::vector<double>{-35, -165, -391}));
}

TEST(Program, EqualBodiesShareAFunction) {
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {8}), y = b.input(DType::F64, {5});
  uint32_t p = b.op(OpKind::Neg, {b.op(OpKind::Mul, {x, x})});
  uint32_t q = b.op(OpKind::Neg, {b.op(OpKind::Mul, {y, y})});
  b.graph.outputs = {p, q};
  auto program = compileAndLoad(b.graph, {}, true);
  ASSERT_TRUE(program);
  EXPECT_EQ(program->program().launches.size(), 2u);
  EXPECT_EQ(program->artifact().functions.size(), 1u);
}

/// Bytes of each function of a relocatable object.
std::vector<size_t> functionBytes(const std::vector<uint8_t> &object) {
  auto read = [&](size_t at, auto &value) {
    ASSERT_LE(at + sizeof value, object.size());
    std::memcpy(&value, object.data() + at, sizeof value);
  };
  std::vector<size_t> sizes;
  Elf64_Ehdr header{};
  read(0, header);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    read(header.e_shoff + i * sizeof section, section);
    for (size_t at = 0; section.sh_type == SHT_SYMTAB && at < section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol{};
      read(section.sh_offset + at, symbol);
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
        sizes.push_back(symbol.st_size);
    }
  }
  return sizes;
}

/// The sum of a chain of `length` operations on two inputs: without a limit it would be one kernel.
GraphBuilder mixedChain(int length) {
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {64}), c = b.input(DType::F64, {64}), v = x;
  uint32_t state = 1; // drawn, so that no two stretches are equal and share a function
  for (int i = 0; i < length; ++i) {
    state = state * 1664525 + 1013904223;
    switch (state >> 30) {
    case 0:
      v = b.op(OpKind::Mul, {v, c});
      break;
    case 1:
      v = b.op(OpKind::Add, {v, x});
      break;
    case 2:
      v = b.op(OpKind::Tanh, {v});
      break;
    default:
      v = b.op(OpKind::Maximum, {v, c});
    }
  }
  b.graph.outputs = {b.op(OpKind::Sum, {v}, {1, 0})};
  return b;
}

/// Register allocation and scheduling take more than linear time in the size of a function, so a long program has to become more
/// functions, not larger ones, and as much code an operation as a short one.
TEST(Program, LongProgramsHaveMoreFunctionsNotLargerOnes) {
  for (core::TransformKind kind : {core::TransformKind::Forward, core::TransformKind::Vjp}) {
    constexpr int kShort = 200, kLong = 4 * kShort;
    size_t largest[2], total[2], count[2];
    for (int i : {0, 1}) {
      core::Transform transform;
      transform.kind = kind;
      if (kind == core::TransformKind::Vjp) {
        transform.wrt = {0};
        transform.seedOnes = true;
      }
      auto program = compileAndLoad(mixedChain(i ? kLong : kShort).graph, transform, true);
      ASSERT_TRUE(program);
      std::vector<size_t> sizes = functionBytes(program->artifact().object);
      ASSERT_FALSE(sizes.empty());
      count[i] = sizes.size();
      largest[i] = *std::max_element(sizes.begin(), sizes.end());
      total[i] = program->artifact().object.size();
    }
    EXPECT_LE(largest[1], largest[0] * 3 / 2) << largest[0];
    EXPECT_GE(count[1], count[0] * 2) << count[0];
    EXPECT_LE(total[1], total[0] * 5) << total[0];
  }
}

TEST(Program, ResultsAreDistinctBuffers) {
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {2, 3});
  uint32_t t = b.op(OpKind::Transpose, {x}, {2, 1, 0});
  uint32_t n = b.op(OpKind::Neg, {x});
  uint32_t flat = b.op(OpKind::Reshape, {n}, {1, 6});
  b.graph.outputs = {x, t, n, n, flat};
  Outcome outcome = runBoth(b.graph, {}, {kX});
  ASSERT_EQ(outcome.results.size(), 5u);
  EXPECT_EQ(outcome.results[0].values<double>(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(outcome.results[1].values<double>(), (std::vector<double>{1, 3, 5, 2, 4, 6}));
  for (int i : {2, 3, 4})
    EXPECT_EQ(outcome.results[i].values<double>(), (std::vector<double>{-1, -2, -3, -4, -5, -6}));
}

TEST(Program, ReshapeOfStridedDataIsCopied) {
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {2, 3});
  uint32_t t = b.op(OpKind::Transpose, {b.op(OpKind::Neg, {x})}, {2, 1, 0});
  uint32_t flat = b.op(OpKind::Reshape, {t}, {1, 6});
  b.graph.outputs = {b.op(OpKind::Exp, {b.op(OpKind::Neg, {flat})})};
  Outcome outcome = runBoth(b.graph, {}, {Array::of<double>({2, 3}, {0, 1, 0, 1, 0, 1})});
  ASSERT_TRUE(outcome.error || !outcome.results.empty());
  std::vector<double> values = outcome.results[0].values<double>();
  ASSERT_EQ(values.size(), 6u);
  for (size_t i = 0; i < 6; ++i)
    EXPECT_DOUBLE_EQ(values[i], i < 3 ? 1.0 : 2.718281828459045);
}

TEST(Program, SliceAndPad) {
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {2, 3});
  uint32_t s = b.op(OpKind::Slice, {x}, {2, 1, 0, 2, 2, 3, 2, 1, 2}); // [1:2, 0:3:2] = (2, 6)
  uint32_t d = b.op(OpKind::Add, {s, s});
  b.graph.outputs = {b.op(OpKind::Pad, {d}, {2, 1, 0, 2, 0, 1, 2, 0, 1})};
  Outcome outcome = runBoth(b.graph, {}, {kX});
  ASSERT_EQ(outcome.results.size(), 1u);
  EXPECT_EQ(outcome.results[0].type.shape, (Shape{2, 4}));
  EXPECT_EQ(outcome.results[0].values<double>(), (std::vector<double>{0, 4, 0, 0, 0, 12, 0, 0}));
}

TEST(Program, CoordinatesAndBools) {
  GraphBuilder b;
  uint32_t labels = b.input(DType::I64, {2}), x = b.input(DType::F64, {2, 3}), k = b.input(DType::Bool, {2, 3});
  uint32_t hot = b.op(OpKind::OneHot, {labels}, {3, 1, static_cast<int64_t>(DType::F64)});
  uint32_t column = b.op(OpKind::Iota, {}, {1, 2, 2, 3, static_cast<int64_t>(DType::F64)});
  uint32_t p = b.op(OpKind::Mul, {b.op(OpKind::Add, {hot, column}), x});
  uint32_t chosen = b.op(OpKind::Select, {k, p, x});
  uint32_t big = b.op(OpKind::Compare, {chosen, x}, {4});
  b.graph.outputs = {chosen, big, b.op(OpKind::Sum, {b.op(OpKind::Mul, {hot, x})}, {1, 1})};
  Outcome outcome = runBoth(b.graph, {}, {Array::of<int64_t>({2}, {2, 0}), kX, boolArray({2, 3}, {1, 1, 1, 1, 0, 1})});
  ASSERT_EQ(outcome.results.size(), 3u);
  // (hot + column) * x by columns: (0, 1*2), (1*3, 1*4), (3*5, 2*6); the first of the last column is not chosen
  EXPECT_EQ(outcome.results[0].values<double>(), (std::vector<double>{0, 2, 3, 4, 5, 12}));
  EXPECT_EQ(outcome.results[1].bytes, (std::vector<uint8_t>{0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(outcome.results[2].values<double>(), (std::vector<double>{5, 2}));
}

TEST(Program, LongReductionsKeepTheTree) {
  GraphBuilder b;
  int64_t n = 10000;
  uint32_t x = b.input(DType::F64, {n});
  b.graph.outputs = {b.op(OpKind::Sum, {b.op(OpKind::Mul, {x, x})}, {1, 0})};
  std::vector<double> values;
  double exact = 0;
  for (int64_t i = 0; i < n; ++i) {
    values.push_back(std::sin(static_cast<double>(i)));
    exact += values.back() * values.back();
  }
  Outcome outcome = runBoth(b.graph, {}, {Array::of<double>({n}, values)});
  ASSERT_TRUE(outcome.error || !outcome.results.empty());
  EXPECT_NEAR(outcome.results[0].values<double>()[0], exact, 1e-9);
}

TEST(Program, ColumnReductionsOfAGroup) {
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {70, 5}), w = b.input(DType::F64, {5});
  uint32_t r = b.op(OpKind::BroadcastInDim, {w}, {1, 1, 2, 70, 5});
  b.graph.outputs = {b.op(OpKind::Sum, {b.op(OpKind::Mul, {x, r})}, {1, 1})};
  std::vector<double> values;
  for (int i = 0; i < 350; ++i)
    values.push_back(i % 7 - 3);
  std::vector<double> weights = {1, 2, 4, 8, 16};
  Outcome outcome = runBoth(b.graph, {}, {Array::of<double>({70, 5}, values), Array::of<double>({5}, weights)});
  ASSERT_TRUE(outcome.error || !outcome.results.empty());
  std::vector<double> sums = outcome.results[0].values<double>();
  ASSERT_EQ(sums.size(), 70u);
  for (size_t i = 0; i < 70; ++i) {
    double expected = 0;
    for (size_t j = 0; j < 5; ++j)
      expected += values[i + 70 * j] * weights[j];
    EXPECT_EQ(sums[i], expected);
  }
}

TEST(Program, NothingAndScalars) {
  GraphBuilder b;
  uint32_t x = b.input(DType::F32, {0, 3}), s = b.input(DType::F32, {});
  uint32_t p = b.op(OpKind::Mul, {b.op(OpKind::Add, {x, x}), x});
  b.graph.outputs = {p, b.op(OpKind::Sum, {p}, {1, 0}), b.op(OpKind::Neg, {b.op(OpKind::Mul, {s, s})})};
  Outcome outcome = runBoth(b.graph, {}, {Array::of<float>({0, 3}, {}), Array::of<float>({}, {3})});
  ASSERT_EQ(outcome.results.size(), 3u);
  EXPECT_TRUE(outcome.results[0].bytes.empty());
  EXPECT_EQ(outcome.results[1].values<float>(), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(outcome.results[2].values<float>(), (std::vector<float>{-9}));
}

TEST(Program, StagesAreDumpedInOrder) {
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {3});
  b.graph.outputs = {b.op(OpKind::Sum, {b.op(OpKind::Mul, {x, x})}, {1, 0})};
  compiler::CompileRequest request;
  request.graph = &b.graph;
  request.transform = {core::TransformKind::Vjp, {0}, true};
  std::vector<compiler::Stage> stages;
  request.dump = [&](compiler::Stage stage, std::string_view text) {
    EXPECT_FALSE(text.empty());
    if (stages.empty() || stages.back() != stage)
      stages.push_back(stage);
  };
  ASSERT_TRUE(compiler::compile(request));
  using compiler::Stage;
  std::vector<Stage> first(stages.begin(), stages.begin() + std::min<size_t>(stages.size(), 6));
  EXPECT_EQ(first, (std::vector<Stage>{Stage::Trace, Stage::Frozen, Stage::Linearized, Stage::Transposed, Stage::Fused,
                                       Stage::Lowered}));
  EXPECT_TRUE(std::is_sorted(stages.begin(), stages.end()));
}

TEST(Program, AnAbandonedCompileEndsAtItsNextStage) {
  GraphBuilder b;
  uint32_t x = b.input(DType::F64, {3});
  b.graph.outputs = {b.op(OpKind::Sum, {b.op(OpKind::Mul, {b.op(OpKind::Exp, {x}), x})}, {1, 0})};
  for (compiler::Stage last : {compiler::Stage::Trace, compiler::Stage::Fused, compiler::Stage::Lowered}) {
    std::atomic<bool> abandoned{false};
    compiler::CompileRequest request;
    request.graph = &b.graph;
    request.transform = {core::TransformKind::Vjp, {0}, true};
    request.abandoned = &abandoned;
    compiler::Stage seen{};
    request.dump = [&](compiler::Stage stage, std::string_view) {
      seen = stage;
      abandoned = abandoned || stage == last;
    };
    auto artifact = compiler::compile(request);
    ASSERT_FALSE(artifact);
    EXPECT_EQ(artifact.failure().kind, ErrorKind::RuntimeState);
    EXPECT_NE(artifact.failure().message.find("abandoned"), std::string::npos) << artifact.failure().message;
    // Stages of a derivation are shown together.
    EXPECT_EQ(seen, last == compiler::Stage::Trace ? compiler::Stage::Transposed : last);
    // The next compile is as good as any.
    abandoned = false;
    request.dump = nullptr;
    EXPECT_TRUE(compiler::compile(request));
  }
}

} // namespace
