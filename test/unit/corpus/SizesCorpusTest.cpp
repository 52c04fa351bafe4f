// Programs made for a third size from two compiled ones: random programs give the bits and the errors of the program that
// is compiled for that size, in both tiers, for strided and contiguous arguments. sizes-corpus-test [--seed=S]
// [--programs=N] [--program=I]
#include "test/unit/corpus/CorpusOptions.h"
#include "test/unit/corpus/Difference.h"
#include "test/unit/corpus/RandomProgram.h"

#include "lib/Compiler/CompileInterface.h"
#include "lib/Core/ShapeRules.h"
#include "lib/Core/SizeKey.h"
#include "runtime/core/ProgramSizes.h"
#include "runtime/cpu/CpuLevel.h"
#include "runtime/kernels/KernelTable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
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
      bool counted = attribute.kind == core::AttributeKind::IntArray || attribute.kind == core::AttributeKind::ResultShape;
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
      static const std::set<std::string_view> positions = {"depth", "extent", "high", "limits", "low", "slice_sizes", "starts"};
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
  int64_t symbolic_ = 0, kept_ = 0, several_ = 0, secondOrder_ = 0, derivatives_ = 0, exact_ = 0, errors_ = 0;
  std::map<std::string, int64_t> reasons_;

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
        ADD_FAILURE() << "result " << i << " has shape " << type.shape.str() << " against " << got.resultType(i).shape.str();
        return false;
      }
      int64_t at = firstDifference(type, left[i]->data(), right[i]->data());
      if (at >= 0) {
        ADD_FAILURE() << "result " << i << " of " << name(type.dtype) << type.shape.str() << " differs at element " << at
                      << ": " << elementText(type, left[i]->data(), at) << " against "
                      << elementText(type, right[i]->data(), at);
        return false;
      }
    }
    return true;
  }

  bool check(int64_t index);
};

/// Three sets of extents near what the programs are drawn with: around the block of the reduction tree, the limits of the
/// matrix product, a vector. All of one set differ; the sets differ where `varies` says.
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

bool SizesCorpus::check(int64_t index) {
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
  std::array<core::SizeKey, 3> keys;
  for (size_t i = 0; i < 3; ++i) {
    std::optional<core::Graph> graph = Resizer(tables[i]).resize(program.graph);
    if (!graph)
      return true;
    graphs[i] = std::move(*graph);
    keys[i] = core::eraseSizes(core::structureKey(graphs[i], program.transform));
  }
  if (keys[0].text != keys[1].text || keys[0].text != keys[2].text || keys[0].sizes == keys[1].sizes)
    return true;
  for (bool fuse : {false, true}) {
    auto first = load(graphs[0], program.transform, fuse), second = load(graphs[1], program.transform, fuse);
    if (!first || !second)
      return false;
    auto sizes = runtime::ProgramSizes::derive({first, keys[0].sizes}, {second, keys[1].sizes},
                                               core::startsOfParts(graphs[0], keys[0].sizes));
    if (!sizes) {
      ++kept_;
      std::string reason = sizes.failure().message;
      reason.erase(std::remove_if(reason.begin(), reason.end(), [](char c) { return c >= '0' && c <= '9'; }), reason.end());
      ++reasons_[reason.substr(0, 60)];
      continue;
    }
    if (!(*sizes)->covers(keys[2].sizes))
      continue;
    auto made = (*sizes)->load(keys[2].sizes, runtime::KernelTable::forLevel(runtime::cpuLevel()));
    if (!made) {
      ++kept_;
      ++reasons_["refused: " + made.failure().message];
      continue;
    }
    ++symbolic_;
    several_ += (*sizes)->varying().size() > 1;
    secondOrder_ += program.nested;
    derivatives_ += program.transform.kind != core::TransformKind::Forward;
    auto fixed = load(graphs[2], program.transform, fuse);
    if (!fixed)
      return false;
    exact_ += fixed->program().arenaBytes == (*made)->program().arenaBytes &&
              fixed->program().launches.size() == (*made)->program().launches.size();
    std::vector<Argument> strided, contiguous;
    Random values(corpusOptions.seedOf(index) + 1), again(corpusOptions.seedOf(index) + 1);
    for (const core::ValueType &type : fixed->program().arguments) {
      strided.push_back(randomArgument(type, values, values.chance(60)));
      contiguous.push_back(randomArgument(type, again, false));
    }
    if (!runsAlike(*fixed, **made, contiguous, 1) || !runsAlike(*fixed, **made, strided, 2))
      return false;
  }
  return true;
}

TEST_F(SizesCorpus, AThirdSizeGivesTheBitsOfItsOwnProgram) {
  int64_t bad = 0;
  for (int64_t index = corpusOptions.begin(); index < corpusOptions.end() && bad < 5; ++index) {
    bool same = false;
    try {
      same = check(index);
    } catch (const std::exception &error) {
      ADD_FAILURE() << "exception: " << error.what();
    }
    if (!same) {
      ++bad;
      corpusOptions.printReproduction(index);
    }
  }
  EXPECT_EQ(bad, 0);
  std::printf("%lld programs for a third size (%lld of several sizes at once, %lld derivatives, %lld of second order, %lld as "
              "compiled), %lld stayed static\n",
              static_cast<long long>(symbolic_), static_cast<long long>(several_), static_cast<long long>(derivatives_),
              static_cast<long long>(secondOrder_), static_cast<long long>(exact_), static_cast<long long>(kept_));
  for (const auto &[reason, count] : reasons_)
    std::printf("  %lld: %s\n", static_cast<long long>(count), reason.c_str());
  if (corpusOptions.end() - corpusOptions.begin() < 100)
    return;
  EXPECT_GT(symbolic_, kept_);
  EXPECT_GT(derivatives_ * 4, symbolic_);
  EXPECT_GT(several_, 0);
  EXPECT_GT(secondOrder_, 0);
}

} // namespace
} // namespace tenferro::test

int main(int argc, char **argv) { return tenferro::test::runCorpusTests(argc, argv, "sizes-corpus-test", 200); }
