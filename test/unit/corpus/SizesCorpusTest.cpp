// Programs made for other sizes from two compiled ones and a third that checks them: random programs give the bits and
// the errors of the program that is compiled for those sizes, in both tiers, for strided and contiguous arguments.
// sizes-corpus-test [--seed=S]
// [--programs=N] [--program=I]
#include "test/unit/corpus/CorpusOptions.h"
#include "test/unit/corpus/Difference.h"
#include "test/unit/corpus/RandomProgram.h"
#include "test/unit/corpus/RelatedProgram.h"

#include "lib/Compiler/CompileInterface.h"
#include "lib/Core/ShapeRules.h"
#include "lib/Core/SizeKey.h"
#include "lib/Core/SizeProbe.h"
#include "runtime/cache/ProgramFile.h"
#include "runtime/cpu/CpuLevel.h"
#include "runtime/kernels/KernelTable.h"
#include "runtime/program/ProgramSizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace tenferro::test {

namespace {

/// Gives a graph other extents: inputs by a table, the rest by the shape rules.
class Resizer {
public:
  explicit Resizer(std::map<int64_t, int64_t> table) : table_(std::move(table)) {}

  /// Null if some extent has no one value: another structure.
  std::optional<core::Graph> resize(const core::Graph &graph) {
    core::Graph result = graph;
    std::vector<core::ValueType> types, old;
    for (core::ValueType &input : result.inputs) {
      old.push_back(input);
      for (int64_t &extent : input.shape)
        if (!map(extent))
          return std::nullopt;
      types.push_back(input);
    }
    for (core::GraphOp &op : result.ops) {
      if (op.callee) {
        auto callee = std::make_shared<core::DerivedFunction>(*op.callee);
        std::optional<core::Graph> inner = resize(callee->graph);
        if (!inner)
          return std::nullopt;
        callee->graph = std::move(*inner);
        op.callee = std::move(callee);
        for (core::ValueType &type : op.results) {
          old.push_back(type);
          for (int64_t &extent : type.shape)
            if (!map(extent))
              return std::nullopt;
          types.push_back(type);
        }
        continue;
      }
      std::vector<core::ValueType> operands;
      for (uint32_t operand : op.operands)
        operands.push_back(types[operand]);
      if (!resizeAttributes(op, operands))
        return std::nullopt;
      auto type = core::inferResult(op.kind, operands, op.attributes);
      if (!type || type->shape.size() != op.results[0].shape.size())
        return std::nullopt;
      for (size_t d = 0; d < type->shape.size(); ++d) {
        auto [known, isNew] = table_.try_emplace(op.results[0].shape[d], type->shape[d]);
        if (known->second != type->shape[d])
          return std::nullopt;
      }
      op.results[0] = *type;
      types.push_back(*type);
    }
    return result;
  }

private:
  bool map(int64_t &extent) {
    auto known = table_.find(extent);
    if (known == table_.end())
      return false;
    extent = known->second;
    return true;
  }

  bool resizeAttributes(core::GraphOp &op, const std::vector<core::ValueType> &operands) {
    size_t at = 0;
    for (const core::AttributeSchema &attribute : core::schema(op.kind).attributes) {
      bool counted =
          attribute.kind == core::AttributeKind::IntArray || attribute.kind == core::AttributeKind::ResultShape;
      size_t count = counted ? static_cast<size_t>(op.attributes[at++]) : 1;
      int64_t *values = op.attributes.data() + at;
      at += count;
      if (attribute.kind == core::AttributeKind::ResultShape) {
        int64_t left = operands.empty() ? 0 : operands[0].shape.elementCount(), *unknown = nullptr;
        for (size_t i = 0; i < count; ++i)
          if (!map(values[i])) {
            if (unknown || op.kind != core::OpKind::Reshape)
              return false;
            unknown = &values[i];
          } else if (values[i] != 0) {
            left = left % values[i] ? 0 : left / values[i];
          }
        if (unknown)
          *unknown = left;
        continue;
      }
      static const std::set<std::string_view> positions = {"depth", "extent",      "high",  "limits",
                                                           "low",   "slice_sizes", "starts"};
      for (size_t i = 0; i < count && positions.count(attribute.name); ++i)
        if (values[i] >= 2)
          map(values[i]);
    }
    return true;
  }

  std::map<int64_t, int64_t> table_;
};

class SizesCorpus : public ::testing::Test {
protected:
  struct Counts {
    int64_t symbolic = 0, several = 0, secondOrder = 0, derivatives = 0, exact = 0, kept = 0, unprobed = 0, caught = 0,
            unlike = 0;
    std::map<std::string, int64_t> reasons;
    void keep(std::string reason) {
      ++kept;
      reason.erase(std::remove_if(reason.begin(), reason.end(), [](char c) { return c >= '0' && c <= '9'; }),
                   reason.end());
      ++reasons[reason.substr(0, 60)];
    }
  } counts_;

  static std::shared_ptr<const runtime::LoadedProgram> load(const core::Graph &graph, const core::Transform &transform,
                                                            bool fuse) {
    compiler::CompileRequest request;
    request.graph = &graph;
    request.transform = transform;
    request.level = runtime::cpuLevel();
    request.fuse = fuse;
    auto artifact = compiler::compile(request);
    if (!artifact) {
      ADD_FAILURE() << "compile: " << artifact.failure().message;
      return nullptr;
    }
    auto loaded = runtime::LoadedProgram::load(std::move(*artifact), runtime::KernelTable::forLevel(request.level));
    if (!loaded) {
      ADD_FAILURE() << "load: " << loaded.failure().message;
      return nullptr;
    }
    return *loaded;
  }

  static bool runsAlike(const runtime::LoadedProgram &want, const runtime::LoadedProgram &got,
                        const std::vector<Argument> &arguments, int threads) {
    std::vector<runtime::TensorView> views;
    for (const Argument &argument : arguments)
      views.push_back(argument.view);
    std::vector<runtime::BufferRef> left(want.resultCount()), right(got.resultCount());
    std::optional<runtime::RunError> wrong = want.run(views, left, threads), wrongToo = got.run(views, right, threads);
    if (wrong != wrongToo) {
      ADD_FAILURE() << "errors differ";
      return false;
    }
    for (size_t i = 0; !wrong && i < left.size(); ++i) {
      const core::ValueType &type = want.resultType(i);
      if (!(type == got.resultType(i))) {
        ADD_FAILURE() << "result " << i << " has shape " << type.shape.str() << " against "
                      << got.resultType(i).shape.str();
        return false;
      }
      int64_t at = firstDifference(type, left[i]->data(), right[i]->data());
      if (at >= 0) {
        ADD_FAILURE() << "result " << i << " of " << name(type.dtype) << type.shape.str() << " differs at element "
                      << at << ": " << elementText(type, left[i]->data(), at) << " against "
                      << elementText(type, right[i]->data(), at);
        return false;
      }
    }
    return true;
  }

  /// Compiles the first two of the graphs, makes the others and compares them with what is compiled for them.
  bool checkSets(std::span<const core::Graph> graphs, const core::Transform &transform, bool isSecondOrder,
                 int64_t index);
  bool checkTier(std::span<const core::Graph> graphs, const core::Transform &transform, bool isSecondOrder,
                 int64_t index, const core::SizeProbe &probe, bool fuse);
  void checkAll(bool (SizesCorpus::*check)(int64_t));

public: // their addresses are taken
  bool checkMapped(int64_t index);
  bool checkRelated(int64_t index);
};

/// Three sets of extents near what the programs are drawn with: around the block of the reduction tree, the limits of
/// the matrix product, a vector. All of one set differ; the sets differ where `varies` says.
std::array<std::map<int64_t, int64_t>, 3> drawTables(Random &random) {
  std::array<std::map<int64_t, int64_t>, 3> tables;
  for (auto &table : tables)
    table = {{0, 0}, {1, 1}};
  const bool all = random.chance(40);
  const int64_t one = random.pick(std::array<int64_t, 4>{7, 64, 1003, 4096});
  for (int64_t extent : {7, 64, 1003, 4096}) {
    const int64_t low = extent == 7 ? 2 : extent - 5, spread = extent == 7 ? 13 : 11;
    std::array<int64_t, 3> drawn;
    for (size_t i = 0; i < 3; ++i)
      do
        drawn[i] = low + random.below(spread);
      while (i > 0 && drawn[i] == drawn[0]); // the third may be the second's
    for (size_t i = 0; i < 3; ++i)
      tables[i][extent] = all || extent == one ? drawn[i] : drawn[0];
  }
  return tables;
}

bool SizesCorpus::checkTier(std::span<const core::Graph> graphs, const core::Transform &transform, bool isSecondOrder,
                            int64_t index, const core::SizeProbe &probe, bool fuse) {
  std::vector<core::SizeKey> keys;
  for (const core::Graph &graph : graphs)
    keys.push_back(core::eraseSizes(core::structureKey(graph, transform)));
  auto first = load(graphs[0], transform, fuse), second = load(graphs[1], transform, fuse),
       third = load(probe.graph, transform, fuse);
  if (!first || !second || !third)
    return false;
  const std::vector<core::SizeSum> parts = core::startsOfParts(graphs[0], keys[0].sizes);
  const runtime::SizedProgram a{first, keys[0].sizes}, b{second, keys[1].sizes};
  auto sizes = runtime::ProgramSizes::derive(a, b, parts, {third, probe.sizes});
  if (!sizes) {
    counts_.keep(sizes.failure().message);
    counts_.caught += runtime::ProgramSizes::derive(a, b, parts).operator bool();
    return true;
  }
  for (size_t s = 2; s < graphs.size(); ++s) {
    if (keys[s].text != keys[0].text || !(*sizes)->covers(keys[s].sizes))
      continue;
    auto made = (*sizes)->load(keys[s].sizes, runtime::KernelTable::forLevel(runtime::cpuLevel()));
    if (!made) {
      counts_.keep("refused: " + made.failure().message);
      continue;
    }
    ++counts_.symbolic;
    counts_.several += (*sizes)->varying().size() > 1;
    counts_.secondOrder += isSecondOrder;
    counts_.derivatives += transform.kind != core::TransformKind::Forward;
    auto fixed = load(graphs[s], transform, fuse);
    if (!fixed)
      return false;
    runtime::CompiledArtifact whole{(*made)->program(), fixed->active(), fixed->artifact().object,
                                    fixed->artifact().functions};
    counts_.exact += runtime::writeProgramFile("", whole) == runtime::writeProgramFile("", fixed->artifact());
    std::vector<Argument> strided, contiguous;
    Random values(corpusOptions.seedOf(index) + 1), again(corpusOptions.seedOf(index) + 1);
    for (const core::ValueType &type : fixed->program().arguments) {
      strided.push_back(randomArgument(type, values, values.chance(60)));
      contiguous.push_back(randomArgument(type, again, false));
    }
    if (!runsAlike(*fixed, **made, contiguous, 1) || !runsAlike(*fixed, **made, strided, 2)) {
      std::string text;
      for (int64_t size : keys[s].sizes)
        text += " " + std::to_string(size);
      ADD_FAILURE() << (fuse ? "fused" : "op by op") << ", for sizes" << text;
      return false;
    }
  }
  return true;
}

bool SizesCorpus::checkSets(std::span<const core::Graph> graphs, const core::Transform &transform, bool isSecondOrder,
                            int64_t index) {
  const core::SizeKey first = core::eraseSizes(core::structureKey(graphs[0], transform)),
                      second = core::eraseSizes(core::structureKey(graphs[1], transform));
  if (first.text != second.text || first.sizes == second.sizes) {
    counts_.unlike += first.text != second.text;
    return true;
  }
  std::optional<core::SizeProbe> probe = core::probeSizes(graphs[0], transform, second.sizes);
  if (!probe) {
    ++counts_.unprobed;
    return true;
  }
  for (bool fuse : {false, true})
    if (!checkTier(graphs, transform, isSecondOrder, index, *probe, fuse))
      return false;
  return true;
}

/// Random programs with their extents mapped to others.
bool SizesCorpus::checkMapped(int64_t index) {
  Random random(corpusOptions.seedOf(index));
  RandomProgram program = randomProgram(random);
  if (program.nested) {
    auto inner = load(program.inner, program.innerTransform, false);
    if (!inner)
      return false;
    const std::vector<bool> &active = inner->active();
    if (std::find(active.begin(), active.end(), true) == active.end())
      return true;
    nest(program, active, random);
  }
  std::array<std::map<int64_t, int64_t>, 3> tables = drawTables(random);
  std::array<core::Graph, 3> graphs;
  for (size_t i = 0; i < 3; ++i) {
    std::optional<core::Graph> graph = Resizer(tables[i]).resize(program.graph);
    if (!graph)
      return true;
    graphs[i] = std::move(*graph);
  }
  return checkSets(graphs, program.transform, program.nested, index);
}

/// Programs whose sizes are related.
bool SizesCorpus::checkRelated(int64_t index) {
  Random random(corpusOptions.seedOf(index));
  RelatedProgram program = relatedProgram(random);
  if (program.sets[0].nested) {
    auto inner = load(program.sets[0].inner, program.sets[0].innerTransform, false);
    if (!inner)
      return false;
    const std::vector<bool> active = inner->active();
    if (std::find(active.begin(), active.end(), true) == active.end())
      return true;
    for (RandomProgram &set : program.sets) {
      Random same = random;
      nest(set, active, same);
    }
  }
  std::vector<core::Graph> graphs;
  for (const RandomProgram &set : program.sets)
    graphs.push_back(set.graph);
  return checkSets(graphs, program.sets[0].transform, program.sets[0].nested, index);
}

void SizesCorpus::checkAll(bool (SizesCorpus::*check)(int64_t)) {
  int64_t bad = 0;
  for (int64_t index = corpusOptions.begin(); index < corpusOptions.end() && bad < 5; ++index) {
    bool same = false;
    try {
      same = (this->*check)(index);
    } catch (const std::exception &error) {
      ADD_FAILURE() << "exception: " << error.what();
    }
    if (!same) {
      ++bad;
      corpusOptions.printReproduction(index);
    }
  }
  EXPECT_EQ(bad, 0);
  auto number = [](int64_t count) { return static_cast<long long>(count); };
  std::printf(
      "%lld programs for other sizes (%lld of several sizes at once, %lld derivatives, %lld of second order, %lld as "
      "compiled), %lld stayed static, %lld structures had no probe, %lld were only alike by chance, %lld were two\n",
      number(counts_.symbolic), number(counts_.several), number(counts_.derivatives), number(counts_.secondOrder),
      number(counts_.exact), number(counts_.kept), number(counts_.unprobed), number(counts_.caught),
      number(counts_.unlike));
  for (const auto &[reason, count] : counts_.reasons)
    std::printf("  %lld: %s\n", number(count), reason.c_str());
  if (corpusOptions.end() - corpusOptions.begin() < 100)
    return;
  EXPECT_GT(counts_.symbolic, counts_.kept);
  EXPECT_GT(counts_.derivatives * 4, counts_.symbolic);
  EXPECT_GT(counts_.several, 0);
  EXPECT_GT(counts_.secondOrder, 0);
  EXPECT_LT(counts_.unprobed * 4, counts_.symbolic);
}

TEST_F(SizesCorpus, OtherSizesGiveTheBitsOfTheirOwnPrograms) { checkAll(&SizesCorpus::checkMapped); }
TEST_F(SizesCorpus, SoDoSizesThatAreRelated) { checkAll(&SizesCorpus::checkRelated); }

} // namespace
} // namespace tenferro::test

int main(int argc, char **argv) { return tenferro::test::runCorpusTests(argc, argv, "sizes-corpus-test", 200); }
