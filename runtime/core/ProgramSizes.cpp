// Which numbers of a program follow its sizes.
#include "runtime/core/ProgramSizes.h"

#include "runtime/core/Arena.h"
#include "runtime/core/Failures.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace tenferro::runtime {

namespace {

constexpr int64_t kMostNumber = int64_t{1} << 62;

Failure unlike(std::string message) { return makeFailure(ErrorKind::Unsupported, "sizes", std::move(message)); }

int64_t bytesOf(const core::ValueType &type) {
  return type.shape.elementCount() * static_cast<int64_t>(byteSize(type.dtype));
}

} // namespace

//===- Formulas -------------------------------------------------------------------------------------------------===//

int64_t ProgramSizes::Formula::operator()(std::span<const int64_t> sizes) const noexcept {
  int64_t value = kind == Kind::Product ? 1 : 0;
  for (uint32_t i = 0; i < 3 && factors[i] != kNone; ++i) {
    int64_t size = sizes[factors[i]];
    if (kind == Kind::Product)
      value *= size;
    else
      value += size;
  }
  for (size_t i = 0; i < counts.size(); ++i)
    value += counts[i] * sizes[i];
  return constant + value;
}

bool ProgramSizes::Formula::isSmall(std::span<const int64_t> sizes) const noexcept {
  int64_t value = 1;
  for (uint32_t i = 0; kind == Kind::Product && i < 3 && factors[i] != kNone; ++i)
    if (__builtin_mul_overflow(value, sizes[factors[i]], &value) || value >= kMostNumber)
      return false;
  value = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    int64_t term = 0;
    if (__builtin_mul_overflow(counts[i], sizes[i], &term) || __builtin_add_overflow(value, term, &value) ||
        value >= kMostNumber)
      return false;
  }
  return true;
}

/// Compares two programs, number by number.
class SizeComparison {
public:
  SizeComparison(ProgramSizes &result, const std::vector<core::SizeSum> &parts)
      : result_(result), parts_(parts), a_(result.first_.loaded->program()), b_(result.second_.loaded->program()) {}

  std::optional<Failure> compare() {
    const std::vector<int64_t> &first = result_.first_.sizes, &second = result_.second_.sizes;
    if (first.size() != second.size())
      return unlike("the programs have " + std::to_string(first.size()) + " and " + std::to_string(second.size()) +
                    " sizes");
    if (first.size() > kMostSizes)
      return unlike("the structure has " + std::to_string(first.size()) + " sizes, and at most " +
                    std::to_string(kMostSizes) + " are followed");
    for (uint32_t k = 0; k < first.size(); ++k)
      if (first[k] != second[k])
        result_.varying_.push_back(k);
    if (result_.varying_.empty())
      return unlike("no size differs");
    collectFormulas();
    if (auto failure = compareInterfaces())
      return failure;
    if (auto failure = compareValues())
      return failure;
    if (auto failure = compareLaunches())
      return failure;
    return traceArena();
  }

private:
  using Formula = ProgramSizes::Formula;
  using Place = ProgramSizes::Place;
  static constexpr uint32_t kNone = ProgramSizes::kNone;
  /// Sums and products of three are that many cubed.
  static constexpr size_t kMostSizes = 24;

  /// A formula and what it gives in both programs.
  struct Candidate {
    Formula formula;
    int64_t first, second;
    bool offsetsOnly;
  };

  void collectFormulas() {
    const auto count = static_cast<uint32_t>(result_.first_.sizes.size());
    auto add = [&](Formula formula, bool offsetsOnly) {
      if (!formula.isSmall(result_.first_.sizes) || !formula.isSmall(result_.second_.sizes))
        return;
      // What no size that varies enters is a constant.
      bool varies = false;
      for (uint32_t factor : formula.factors)
        varies |= factor != kNone && isVarying(factor);
      for (uint32_t i = 0; i < formula.counts.size(); ++i)
        varies |= formula.counts[i] != 0 && isVarying(i);
      if (varies)
        candidates_.push_back({formula, formula(result_.first_.sizes), formula(result_.second_.sizes), offsetsOnly});
    };
    for (const core::SizeSum &part : parts_)
      if (part.counts.size() == count)
        add({Formula::Kind::Counts, part.constant, {kNone, kNone, kNone}, part.counts}, true);
    for (uint32_t i = 0; i < count; ++i) {
      add({Formula::Kind::Product, 0, {i, kNone, kNone}}, false);
      add({Formula::Kind::Sum, -1, {i, kNone, kNone}}, true);
      for (uint32_t j = i; j < count; ++j) {
        add({Formula::Kind::Product, 0, {i, j, kNone}}, false);
        add({Formula::Kind::Sum, 0, {i, j, kNone}}, true);
        for (uint32_t k = j; k < count; ++k) {
          add({Formula::Kind::Product, 0, {i, j, k}}, false);
          add({Formula::Kind::Sum, 0, {i, j, k}}, true);
        }
      }
    }
  }

  bool isVarying(uint32_t size) const {
    return std::binary_search(result_.varying_.begin(), result_.varying_.end(), size);
  }

  /// Notes how a number follows the sizes. False if nothing explains it.
  bool follow(int64_t first, int64_t second, Place::Kind kind, size_t owner, size_t position) {
    const bool isOffset = kind == Place::Kind::ViewStart || kind == Place::Kind::PadLow;
    const std::array<int64_t, 3> key = {first, second, isOffset};
    auto [known, isNew] = known_.try_emplace(key, kNone);
    if (isNew) {
      std::vector<Formula> found;
      if (first == second)
        found.push_back({Formula::Kind::Constant, first, {kNone, kNone, kNone}});
      for (const Candidate &candidate : candidates_)
        if (candidate.first == first && candidate.second == second && (isOffset || !candidate.offsetsOnly))
          found.push_back(candidate.formula);
      if (found.empty())
        return false;
      if (found.size() > 1 || first != second) {
        known->second = static_cast<uint32_t>(result_.formulas_.size());
        result_.formulas_.push_back(std::move(found));
      }
    } else if (known->second == kNone && first != second) {
      return false;
    }
    if (known->second != kNone)
      result_.places_.push_back(
          {kind, static_cast<uint32_t>(owner), static_cast<uint32_t>(position), known->second});
    return true;
  }

  std::optional<Failure> followAll(const IntList &first, const IntList &second, Place::Kind kind, size_t owner,
                                   const std::string &what) {
    if (first.size() != second.size())
      return unlike(what + " is of rank " + std::to_string(first.size()) + " and " + std::to_string(second.size()));
    for (size_t d = 0; d < first.size(); ++d)
      if (!follow(first[d], second[d], kind, owner, d))
        return unlike(what + " is " + first.str() + " and " + second.str() + ", which no size explains along axis " +
                      std::to_string(d));
    return std::nullopt;
  }

  std::optional<Failure> compareInterfaces() {
    const CompiledArtifact &a = result_.first_.loaded->artifact(), &b = result_.second_.loaded->artifact();
    if (a.active != b.active)
      return unlike("other derivatives are structurally zero");
    if (a_.arguments.size() != b_.arguments.size() || a_.argumentUsed != b_.argumentUsed ||
        a_.argumentContiguous != b_.argumentContiguous)
      return unlike("other arguments are used or copied");
    for (size_t i = 0; i < a_.arguments.size(); ++i) {
      if (a_.arguments[i].dtype != b_.arguments[i].dtype)
        return unlike("argument " + std::to_string(i) + " has another dtype");
      if (auto failure = followAll(a_.arguments[i].shape, b_.arguments[i].shape, Place::Kind::ArgumentExtent, i,
                                   "the shape of argument " + std::to_string(i)))
        return failure;
    }
    if (a_.results != b_.results)
      return unlike("results are other values");
    if (a_.constants != b_.constants)
      return unlike("constants differ");
    if (a_.callbacks != b_.callbacks)
      return unlike("kernels of extension families differ");
    if (a.functions != b.functions)
      return unlike("the kernels are " + std::to_string(a.functions.size()) + " and " + std::to_string(b.functions.size()) +
                    " functions, or do other things");
    if (a.object != b.object)
      return unlike("the machine code differs");
    return std::nullopt;
  }

  std::optional<Failure> compareValues() {
    if (a_.values.size() != b_.values.size())
      return unlike("the programs have " + std::to_string(a_.values.size()) + " and " + std::to_string(b_.values.size()) +
                    " values");
    for (size_t v = 0; v < a_.values.size(); ++v) {
      const ProgramValue &a = a_.values[v], &b = b_.values[v];
      const std::string what = "value " + std::to_string(v);
      if (a.type.dtype != b.type.dtype || a.storage != b.storage || a.index != b.index ||
          (a.storage != StorageKind::Arena && a.offset != b.offset))
        return unlike(what + " is another one");
      if (auto failure = followAll(a.type.shape, b.type.shape, Place::Kind::ValueExtent, v, "the shape of " + what))
        return failure;
      if (a.storage != StorageKind::View)
        continue;
      const View &x = *a.view, &y = *b.view;
      if (x.reshape != y.reshape || !(x.dims == y.dims) || !(x.steps == y.steps) || !(x.alongside == y.alongside))
        return unlike(what + " is another view");
      if (auto failure = followAll(x.starts, y.starts, Place::Kind::ViewStart, v, "the start of " + what))
        return failure;
    }
    return std::nullopt;
  }

  static bool sameWindows(const WindowDimensions &a, const WindowDimensions &b) {
    return a.window == b.window && a.fixed == b.fixed && a.map == b.map && a.vectorDim == b.vectorDim &&
           a.mode == b.mode && a.update == b.update && a.backward == b.backward;
  }

  static bool sameDot(const DotDimensions &a, const DotDimensions &b) {
    return a.lhsContracting == b.lhsContracting && a.rhsContracting == b.rhsContracting && a.lhsBatch == b.lhsBatch &&
           a.rhsBatch == b.rhsBatch;
  }

  std::optional<Failure> compareLaunches() {
    if (a_.launches.size() != b_.launches.size())
      return unlike("the programs have " + std::to_string(a_.launches.size()) + " and " +
                    std::to_string(b_.launches.size()) + " launches");
    for (size_t i = 0; i < a_.launches.size(); ++i) {
      const Launch &a = a_.launches[i], &b = b_.launches[i];
      const std::string what = "launch " + std::to_string(i);
      if (a.kind != b.kind || a.kernel != b.kernel || a.function != b.function || a.operands != b.operands ||
          a.outputs != b.outputs || a.access != b.access || !(a.axes == b.axes) || !(a.interior == b.interior) ||
          !sameDot(*a.dot, *b.dot) || !sameWindows(*a.windows, *b.windows) || a.reverse != b.reverse ||
          a.combine != b.combine || a.rowOnly != b.rowOnly || a.opNumbers != b.opNumbers)
        return unlike(what + " is another one");
      if (auto failure = followAll(a.low, b.low, Place::Kind::PadLow, i, "the padding of " + what))
        return failure;
      if (auto failure = followAll(a.windows->sizes, b.windows->sizes, Place::Kind::WindowSize, i, "the windows of " + what))
        return failure;
    }
    if (a_.origins.size() != b_.origins.size())
      return unlike("launches come from other operations");
    for (size_t i = 0; i < a_.origins.size(); ++i)
      if (a_.origins[i].opNumber != b_.origins[i].opNumber || a_.origins[i].innerNumber != b_.origins[i].innerNumber ||
          a_.origins[i].made != b_.origins[i].made)
        return unlike("launch " + std::to_string(i) + " comes from another operation");
    return std::nullopt;
  }

  static uint32_t rootOf(const Program &program, uint32_t value) {
    while (program.values[value].storage == StorageKind::View)
      value = program.values[value].index;
    return value;
  }

  /// Values without elements take no place.
  bool isInArena(uint32_t value) const {
    return a_.values[value].storage == StorageKind::Arena && bytesOf(a_.values[value].type) != 0;
  }

  /// When values of the arena begin and end, and which take the memory of another one.
  std::optional<Failure> traceArena() {
    std::vector<size_t> last(a_.values.size(), 0);
    std::vector<bool> begun(a_.values.size(), false);
    for (size_t i = 0; i < a_.launches.size(); ++i)
      for (uint32_t operand : a_.launches[i].operands)
        last[rootOf(a_, operand)] = i;
    result_.arena_.resize(a_.launches.size());
    for (size_t i = 0; i < a_.launches.size(); ++i) {
      const Launch &launch = a_.launches[i];
      ProgramSizes::ArenaStep &step = result_.arena_[i];
      const size_t inputs = launch.operands.size() - launch.outputs;
      std::vector<uint32_t> dying;
      for (size_t o = 0; o < launch.operands.size(); ++o) {
        uint32_t root = rootOf(a_, launch.operands[o]);
        if (!isInArena(root))
          continue;
        if (!begun[root] && o < inputs)
          return unlike("launch " + std::to_string(i) + " reads a value that nothing has written");
        if (last[root] == i && std::find(dying.begin(), dying.end(), root) == dying.end())
          dying.push_back(root);
      }
      for (size_t o = inputs; o < launch.operands.size(); ++o) {
        uint32_t root = rootOf(a_, launch.operands[o]);
        if (!isInArena(root) || begun[root])
          continue;
        begun[root] = true;
        // Memory of a value that is still read here is taken over only where the compiler saw that it can be.
        auto over = std::find_if(dying.begin(), dying.end(), [&](uint32_t old) {
          return old != root && a_.values[old].offset == a_.values[root].offset;
        });
        step.taken.push_back({root, over == dying.end() ? kNone : *over});
        if (over != dying.end())
          dying.erase(over);
      }
      step.given = std::move(dying);
    }
    return std::nullopt;
  }

  ProgramSizes &result_;
  const std::vector<core::SizeSum> &parts_;
  const Program &a_, &b_;
  std::vector<Candidate> candidates_;
  std::map<std::array<int64_t, 3>, uint32_t> known_; ///< number of the formulas by both values; kNone: a constant
};

//===- Programs for other sizes ---------------------------------------------------------------------------------===//

int64_t &ProgramSizes::numberAt(Program &program, const Place &place) const {
  switch (place.kind) {
  case Place::Kind::ArgumentExtent:
    return program.arguments[place.owner].shape[place.position];
  case Place::Kind::ViewStart:
    return program.values[place.owner].view->starts[place.position];
  case Place::Kind::WindowSize:
    return program.launches[place.owner].windows->sizes[place.position];
  case Place::Kind::PadLow:
    return program.launches[place.owner].low[place.position];
  case Place::Kind::ValueExtent:
    break;
  }
  return program.values[place.owner].type.shape[place.position];
}

/// Places the values of the arena for the extents they have now. False if one takes the memory of another of other bytes.
bool ProgramSizes::planArena(Program &program) const {
  Arena arena;
  for (ProgramValue &value : program.values)
    if (value.storage == StorageKind::Arena)
      value.offset = 0;
  for (const ArenaStep &step : arena_) {
    for (const ArenaStep::Block &block : step.taken) {
      ProgramValue &value = program.values[block.value];
      if (block.over == kNone) {
        value.offset = arena.take(bytesOf(value.type));
        continue;
      }
      const ProgramValue &old = program.values[block.over];
      if (bytesOf(old.type) != bytesOf(value.type))
        return false;
      value.offset = old.offset;
    }
    for (uint32_t value : step.given)
      arena.give(program.values[value].offset, bytesOf(program.values[value].type));
  }
  program.arenaBytes = arena.bytes();
  return true;
}

core::Expected<Program> ProgramSizes::programFor(std::span<const int64_t> sizes) const {
  std::vector<int64_t> numbers;
  numbers.reserve(formulas_.size());
  for (const std::vector<Formula> &formulas : formulas_) {
    for (const Formula &formula : formulas)
      if (!formula.isSmall(sizes))
        return unlike("a product of sizes does not fit in 62 bits");
    numbers.push_back(formulas.front()(sizes));
    for (const Formula &formula : formulas)
      if (formula(sizes) != numbers.back())
        return unlike("a number that two programs had in common may be " + std::to_string(numbers.back()) + " or " +
                      std::to_string(formula(sizes)) + " here");
  }
  Program program = first_.loaded->program();
  for (const Place &place : places_)
    numberAt(program, place) = numbers[place.formulas];
  for (const ProgramValue &value : program.values)
    if (!value.type.shape.isValid())
      return unlike("a value of shape " + value.type.shape.str() + " is too large");
  if (!planArena(program))
    return unlike("a value does not fit where another one was");
  return program;
}

bool ProgramSizes::covers(std::span<const int64_t> sizes) const noexcept {
  if (sizes.size() != first_.sizes.size())
    return false;
  for (uint32_t k = 0, v = 0; k < sizes.size(); ++k) {
    if (v < varying_.size() && varying_[v] == k)
      ++v;
    else if (sizes[k] != first_.sizes[k])
      return false;
  }
  return true;
}

core::Expected<std::shared_ptr<const LoadedProgram>> ProgramSizes::load(std::span<const int64_t> sizes,
                                                                        const KernelTable &kernels,
                                                                        const CallbackResolver &callbacks) const {
  core::Expected<Program> program = programFor(sizes);
  if (!program)
    return std::move(program.failure());
  const LoadedProgram &like = *first_.loaded;
  return LoadedProgram::load(std::move(*program), like.active(), like.code(), kernels, callbacks);
}

core::Expected<std::shared_ptr<const ProgramSizes>> ProgramSizes::derive(SizedProgram first, SizedProgram second,
                                                                         const std::vector<core::SizeSum> &parts) {
  std::shared_ptr<ProgramSizes> result(new ProgramSizes);
  result->first_ = std::move(first);
  result->second_ = std::move(second);
  if (auto failure = SizeComparison(*result, parts).compare())
    return std::move(*failure);
  // Both programs as they were compiled, or something has been misunderstood.
  for (const SizedProgram *known : {&result->first_, &result->second_}) {
    core::Expected<Program> again = result->programFor(known->sizes);
    if (!again)
      return std::move(again.failure());
    const Program &compiled = known->loaded->program();
    if (again->arenaBytes != compiled.arenaBytes)
      return unlike("the arena has " + std::to_string(compiled.arenaBytes) + " bytes, and " +
                    std::to_string(again->arenaBytes) + " by the rule");
    for (size_t v = 0; v < compiled.values.size(); ++v)
      if (!(again->values[v].type == compiled.values[v].type) ||
          (bytesOf(compiled.values[v].type) != 0 && again->values[v].offset != compiled.values[v].offset))
        return unlike("value " + std::to_string(v) + " has another place by the rule");
  }
  return std::shared_ptr<const ProgramSizes>(std::move(result));
}

} // namespace tenferro::runtime
