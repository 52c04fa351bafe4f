// Which numbers of a program follow its sizes.
#include "runtime/program/ProgramSizes.h"

#include "runtime/memory/Arena.h"
#include "runtime/program/ProgramLikeness.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace tenferro::runtime {

namespace {

constexpr int64_t kMostNumber = int64_t{1} << 62;

IntList &listOf(IntList &list) { return list; }
const IntList &listOf(const IntList &list) { return list; }

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

namespace {

/// The numbers of a program that may follow its sizes, always in the same order: `visit(kind, owner, position,
/// number)`.
template <typename Kind, typename Visit> void forEachNumber(const Program &program, Visit &&visit) {
  auto list = [&](Kind kind, size_t owner, const IntList &numbers) {
    for (size_t d = 0; d < numbers.size(); ++d)
      visit(kind, static_cast<uint32_t>(owner), static_cast<uint32_t>(d), numbers[d]);
  };
  for (size_t i = 0; i < program.arguments.size(); ++i)
    list(Kind::ArgumentExtent, i, program.arguments[i].shape);
  for (size_t v = 0; v < program.values.size(); ++v) {
    list(Kind::ValueExtent, v, program.values[v].type.shape);
    if (program.values[v].storage == StorageKind::View)
      list(Kind::ViewStart, v, program.values[v].view->starts);
  }
  for (size_t i = 0; i < program.launches.size(); ++i) {
    list(Kind::PadLow, i, program.launches[i].low);
    list(Kind::WindowSize, i, program.launches[i].windows->sizes);
  }
}

} // namespace

/// The list of numbers that a place is in.
template <typename AnyProgram> auto &ProgramSizes::listAt(AnyProgram &program, const Place &place) {
  switch (place.kind) {
  case Place::Kind::ArgumentExtent:
    return listOf(program.arguments[place.owner].shape);
  case Place::Kind::ViewStart:
    return listOf(program.values[place.owner].view->starts);
  case Place::Kind::WindowSize:
    return listOf(program.launches[place.owner].windows->sizes);
  case Place::Kind::PadLow:
    return listOf(program.launches[place.owner].low);
  case Place::Kind::ValueExtent:
    break;
  }
  return listOf(program.values[place.owner].type.shape);
}

/// Compares two programs, and a third where there is one, number by number.
class SizeComparison {
public:
  SizeComparison(ProgramSizes &result, const std::vector<core::SizeSum> &parts)
      : result_(result), parts_(parts), a_(result.first_.loaded->program()) {}

  std::optional<Failure> compare() {
    const std::vector<int64_t> &first = result_.first_.sizes, &second = result_.second_.sizes;
    for (const SizedProgram *other : {&result_.second_, &result_.check_}) {
      if (!other->loaded)
        continue;
      if (first.size() != other->sizes.size())
        return unlike("the programs have " + std::to_string(first.size()) + " and " +
                      std::to_string(other->sizes.size()) + " sizes");
      if (auto failure = compareApartFromSizes(result_.first_.loaded->artifact(), other->loaded->artifact()))
        return failure;
    }
    for (uint32_t k = 0; k < first.size(); ++k)
      if (first[k] != second[k])
        result_.varying_.push_back(k);
    if (result_.varying_.empty())
      return unlike("no size differs");
    if (result_.check_.loaded)
      for (uint32_t k = 0; k < first.size(); ++k)
        if (isVarying(k) ? result_.check_.sizes[k] == first[k] || result_.check_.sizes[k] == second[k]
                         : result_.check_.sizes[k] != first[k])
          return unlike("the third program is of sizes that tell nothing");
    if (auto failure = collectFormulas())
      return failure;
    if (auto failure = followAll())
      return failure;
    return traceArena();
  }

private:
  using Formula = ProgramSizes::Formula;
  using Place = ProgramSizes::Place;
  static constexpr uint32_t kNone = ProgramSizes::kNone;
  /// Of formulas that are tried for each number.
  static constexpr size_t kMostFormulas = 1 << 15;

  /// A number in all programs; the third is 0 where there are two.
  using Numbers = std::array<int64_t, 3>;

  /// A formula and what it gives.
  struct Candidate {
    Numbers numbers;
    bool offsetsOnly;
    Formula formula;
  };

  Numbers valuesOf(const Formula &formula) const {
    return {formula(result_.first_.sizes), formula(result_.second_.sizes),
            result_.check_.loaded ? formula(result_.check_.sizes) : 0};
  }

  void add(Formula formula, bool offsetsOnly) {
    for (const SizedProgram *known : {&result_.first_, &result_.second_, &result_.check_})
      if (known->loaded && !formula.isSmall(known->sizes))
        return;
    Numbers numbers = valuesOf(formula);
    candidates_.push_back({numbers, offsetsOnly, std::move(formula)});
  }

  /// What no size that varies enters is a constant, and no formula.
  std::optional<Failure> collectFormulas() {
    const auto count = static_cast<uint32_t>(result_.first_.sizes.size());
    const size_t pairs = (count + 1) * (count + 2) / 2;
    if (2 * result_.varying_.size() * pairs > kMostFormulas)
      return unlike("the structure has " + std::to_string(count) + " sizes, " +
                    std::to_string(result_.varying_.size()) +
                    " of which vary, and too many sums and products of three of them");
    for (const core::SizeSum &part : parts_) {
      bool varies = false;
      for (uint32_t k : result_.varying_)
        varies |= k < part.counts.size() && part.counts[k] != 0;
      if (varies && part.counts.size() == count)
        add({Formula::Kind::Counts, part.constant, {kNone, kNone, kNone}, part.counts}, true);
    }
    for (uint32_t i : result_.varying_) {
      add({Formula::Kind::Product, 0, {i, kNone, kNone}}, false);
      for (int64_t less = 1; less <= core::kMostBeforeEnd; ++less)
        add({Formula::Kind::Sum, -less, {i, kNone, kNone}}, true);
      // `i` is the first of those that vary.
      auto isOther = [&](uint32_t j) { return j >= i || !isVarying(j); };
      for (uint32_t j = 0; j < count; ++j) {
        if (!isOther(j))
          continue;
        add({Formula::Kind::Product, 0, {i, j, kNone}}, false);
        add({Formula::Kind::Sum, 0, {i, j, kNone}}, true);
        for (uint32_t k = j; k < count; ++k) {
          if (!isOther(k))
            continue;
          add({Formula::Kind::Product, 0, {i, j, k}}, false);
          add({Formula::Kind::Sum, 0, {i, j, k}}, true);
        }
      }
    }
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate &a, const Candidate &b) { return a.numbers < b.numbers; });
    return std::nullopt;
  }

  bool isVarying(uint32_t size) const {
    return std::binary_search(result_.varying_.begin(), result_.varying_.end(), size);
  }

  /// All formulas of a number; empty if nothing explains it.
  std::vector<Formula> formulasOf(const Numbers &numbers, bool isOffset) const {
    std::vector<Formula> found;
    if (numbers[0] == numbers[1] && (!result_.check_.loaded || numbers[0] == numbers[2]))
      found.push_back({Formula::Kind::Constant, numbers[0], {kNone, kNone, kNone}});
    auto place = std::lower_bound(candidates_.begin(), candidates_.end(), numbers,
                                  [](const Candidate &a, const Numbers &b) { return a.numbers < b; });
    for (; place != candidates_.end() && place->numbers == numbers; ++place)
      if (isOffset || !place->offsetsOnly)
        found.push_back(place->formula);
    return found;
  }

  static std::string textOf(const Program &program, const Place &place) {
    switch (place.kind) {
    case Place::Kind::ArgumentExtent:
      return "the shape of argument " + std::to_string(place.owner) + " is " +
             program.arguments[place.owner].shape.str();
    case Place::Kind::ViewStart:
      return "the start of value " + std::to_string(place.owner) + " is " +
             program.values[place.owner].view->starts.str();
    case Place::Kind::WindowSize:
      return "the windows of launch " + std::to_string(place.owner) + " are " +
             program.launches[place.owner].windows->sizes.str();
    case Place::Kind::PadLow:
      return "the padding of launch " + std::to_string(place.owner) + " is " + program.launches[place.owner].low.str();
    case Place::Kind::ValueExtent:
      break;
    }
    return "the shape of value " + std::to_string(place.owner) + " is " + program.values[place.owner].type.shape.str();
  }

  /// Notes how every number follows the sizes.
  std::optional<Failure> followAll() {
    std::optional<Failure> failure;
    const Program &b = result_.second_.loaded->program();
    forEachNumber<Place::Kind>(a_, [&](Place::Kind kind, uint32_t owner, uint32_t position, int64_t first) {
      if (failure)
        return;
      Place place{kind, owner, position, kNone};
      const Numbers numbers = {
          first, ProgramSizes::listAt(b, place)[position],
          result_.check_.loaded ? ProgramSizes::listAt(result_.check_.loaded->program(), place)[position] : 0};
      const bool isOffset = kind == Place::Kind::ViewStart || kind == Place::Kind::PadLow;
      auto [known, isNew] = (isOffset ? offsets_ : extents_).try_emplace(numbers, kNone);
      if (isNew) {
        std::vector<Formula> found = formulasOf(numbers, isOffset);
        if (found.empty()) {
          failure = unlike(textOf(a_, place) + " and " + ProgramSizes::listAt(b, place).str() +
                           (result_.check_.loaded
                                ? " and " + ProgramSizes::listAt(result_.check_.loaded->program(), place).str()
                                : "") +
                           ", which no size explains along axis " + std::to_string(position));
          return;
        }
        if (found.size() > 1 || found[0].kind != Formula::Kind::Constant) {
          known->second = static_cast<uint32_t>(result_.formulas_.size());
          result_.formulas_.push_back(std::move(found));
        }
      }
      place.formulas = known->second;
      if (place.formulas != kNone)
        result_.places_.push_back(place);
    });
    return failure;
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
  const Program &a_;
  std::vector<Candidate> candidates_;             ///< by their numbers
  std::map<Numbers, uint32_t> extents_, offsets_; ///< which formulas; kNone: a constant
};

//===- Programs for other sizes ---------------------------------------------------------------------------------===//

/// Places the values of the arena for the extents they have now. False if one takes the memory of another of other
/// bytes.
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
    listAt(program, place)[place.position] = numbers[place.formulas];
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
                                                                         const std::vector<core::SizeSum> &parts,
                                                                         SizedProgram check) {
  std::shared_ptr<ProgramSizes> result(new ProgramSizes);
  result->first_ = std::move(first);
  result->second_ = std::move(second);
  result->check_ = std::move(check);
  if (auto failure = SizeComparison(*result, parts).compare())
    return std::move(*failure);
  // All programs as they were compiled, or something has been misunderstood. What is no number is the first's, which is
  // equal.
  for (const SizedProgram *known : {&result->first_, &result->second_, &result->check_}) {
    if (!known->loaded)
      continue;
    core::Expected<Program> again = result->programFor(known->sizes);
    if (!again)
      return std::move(again.failure());
    const Program &compiled = known->loaded->program();
    if (again->arenaBytes != compiled.arenaBytes)
      return unlike("the arena has " + std::to_string(compiled.arenaBytes) + " bytes, and " +
                    std::to_string(again->arenaBytes) + " by the rule");
    for (size_t v = 0; v < compiled.values.size(); ++v)
      if (bytesOf(compiled.values[v].type) != 0 && again->values[v].offset != compiled.values[v].offset)
        return unlike("value " + std::to_string(v) + " has another place by the rule");
    std::vector<int64_t> wanted, made;
    forEachNumber<Place::Kind>(compiled,
                               [&](Place::Kind, uint32_t, uint32_t, int64_t number) { wanted.push_back(number); });
    forEachNumber<Place::Kind>(*again,
                               [&](Place::Kind, uint32_t, uint32_t, int64_t number) { made.push_back(number); });
    if (wanted != made)
      return unlike("a number is another one by the rule");
  }
  return std::shared_ptr<const ProgramSizes>(std::move(result));
}

} // namespace tenferro::runtime
