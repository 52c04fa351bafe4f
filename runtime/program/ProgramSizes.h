// Which numbers of a program follow its sizes: two programs of one structure give the program of every other size, and
// a third one shows that they do.
#ifndef TENFERRO_RUNTIME_PROGRAM_PROGRAMSIZES_H
#define TENFERRO_RUNTIME_PROGRAM_PROGRAMSIZES_H

#include "lib/Core/Expected.h"
#include "lib/Core/SizeKey.h"
#include "runtime/program/Executor.h"
#include "runtime/program/Program.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tenferro::runtime {

/// A program and the sizes it was compiled for: `core::SizeKey::sizes` of its structure.
struct SizedProgram {
  std::shared_ptr<const LoadedProgram> loaded;
  std::vector<int64_t> sizes;
};

/// What compiled programs of one structure tell about all others. Immutable.
///
/// The two must be equal but for numbers that sizes explain: code, constants, launches, accesses, views and flags are
/// the same to the byte. Such a number is one of
///  * extents: a constant, a size, a product of two or three sizes (dimensions that a rule or a reshape merged)
///  * starts of views and low paddings: these, a size less 1 (a reversal) to `core::kMostBeforeEnd`, a sum of two or
///  three
///    sizes, a start of a part that the program joins
/// Every formula that holds for all programs is kept, and for other sizes all of them must agree: the compiler's own
/// is among them, so a coincidence between programs does not decide. Offsets in the arena are planned again by the
/// compiler's rule (`Arena`), and all programs must come out as they were compiled.
///
/// A number whose formula is none of these may still equal one for two sets of sizes. A third program, of sizes that
/// nobody chose together (`core::probeSizes`), must then be what the two give for its sizes, to the byte.
///
/// What the compiler decides by thresholds on extents (fusion, what is kept and what computed again, where a product is
/// a reduction tree) either does not change a bit, shows in the comparison, or is decided when a launch runs. Sizes of
/// 0 and 1 change rules and views: sizes are at least 2, and no two of them are equal.
class ProgramSizes {
public:
  /// The failure says in its message why the others are not the first for their sizes.
  /// `parts`: where parts of concatenations begin, `core::startsOfParts` of the structure. `check` has sizes of its own
  /// where the two differ, and theirs where they do not; without a program the answer is not to be trusted.
  static core::Expected<std::shared_ptr<const ProgramSizes>>
  derive(SizedProgram first, SizedProgram second, const std::vector<core::SizeSum> &parts, SizedProgram check = {});

  /// Whether these sizes differ from those of the first program only where the second does.
  bool covers(std::span<const int64_t> sizes) const noexcept;

  /// The program for sizes that are covered, with the machine code of the first. Fails where formulas disagree.
  core::Expected<std::shared_ptr<const LoadedProgram>> load(std::span<const int64_t> sizes, const KernelTable &kernels,
                                                            const CallbackResolver &callbacks = {}) const;

  /// The same as data.
  core::Expected<Program> programFor(std::span<const int64_t> sizes) const;

  /// Which sizes may change: indices, ascending.
  const std::vector<uint32_t> &varying() const noexcept { return varying_; }
  const SizedProgram &first() const noexcept { return first_; }
  const SizedProgram &second() const noexcept { return second_; }
  const SizedProgram &check() const noexcept { return check_; }

private:
  friend class SizeComparison;
  static constexpr uint32_t kNone = ~uint32_t{0};

  /// constant + a product of sizes, or + a sum of them.
  struct Formula {
    enum class Kind : uint8_t { Constant, Product, Sum, Counts };
    Kind kind = Kind::Constant;
    int64_t constant = 0;
    uint32_t factors[3] = {kNone, kNone, kNone};
    IntList counts = {}; ///< of Counts: how often each size is added
    int64_t operator()(std::span<const int64_t> sizes) const noexcept;
    /// False if the value, less a constant, does not fit in 62 bits.
    bool isSmall(std::span<const int64_t> sizes) const noexcept;
  };
  /// A number of the program that is not the same for all sizes.
  struct Place {
    enum class Kind : uint8_t { ValueExtent, ViewStart, ArgumentExtent, WindowSize, PadLow };
    Kind kind;
    uint32_t owner;    ///< value, argument or launch
    uint32_t position; ///< dimension
    uint32_t formulas; ///< number of the list
  };
  /// What happens to the arena at one launch.
  struct ArenaStep {
    struct Block {
      uint32_t value;
      uint32_t over; ///< a value that dies here and whose memory this one takes, or kNone
    };
    std::vector<Block> taken;
    std::vector<uint32_t> given;
  };

  ProgramSizes() = default;
  template <typename AnyProgram> static auto &listAt(AnyProgram &program, const Place &place);
  bool planArena(Program &program) const;

  SizedProgram first_, second_, check_;
  std::vector<uint32_t> varying_;
  std::vector<std::vector<Formula>> formulas_;
  std::vector<Place> places_;
  std::vector<ArenaStep> arena_;
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_PROGRAM_PROGRAMSIZES_H
