// Programs of one structure in several sizes: two are compiled, and a third to check; the others follow from them.
#ifndef TENFERRO_EAGER_PROGRAMS_SYMBOLICSIZES_H
#define TENFERRO_EAGER_PROGRAMS_SYMBOLICSIZES_H

#include "lib/Core/Graph.h"
#include "lib/Core/SizeProbe.h"
#include "lib/Eager/Programs/TransformedProgram.h"
#include "runtime/program/ProgramSizes.h"
#include "tenferro/Cache.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tenferro::eager {

/// A program that was compiled for its sizes, and what from: another tier of it may be wanted when nobody asks for
/// these sizes any more.
struct SizeSample {
  std::shared_ptr<TransformedProgram> program;
  std::vector<int64_t> sizes;
  std::shared_ptr<const core::Graph> graph;
  core::Transform transform;
  size_t graphBytes = 0;
  bool isProbe = false; ///< nobody asked for these sizes
};

/// What is known of one structure apart from its sizes (`core::SizeKey::text` of the full key). Thread safe.
///
/// Two programs that differ in numbers alone are a pair. No other program follows from a pair before a third compiled
/// one was equal to what the pair gives for its sizes: that of a probe, whose sizes nobody chose, or where there is no
/// probe the next that is asked for.
class SizeFamily {
public:
  explicit SizeFamily(std::string text) : text(std::move(text)) {}
  SizeFamily(const SizeFamily &) = delete;

  const std::string text;

  /// That tier for these sizes, made from programs that are compiled; null if none tell it.
  std::shared_ptr<const runtime::LoadedProgram> make(Tier tier, std::span<const int64_t> sizes);

  /// The probe whose compiled tier would let `make` answer; its program is null if there is none in any tier.
  std::optional<SizeSample> wantedProbe(Tier tier, std::span<const int64_t> sizes);

  /// Whether a program of these sizes is one that `add` would keep.
  bool wants(std::span<const int64_t> sizes);
  /// Takes a program that was compiled. The first one is not kept alive until another size is met.
  void add(SizeSample sample);
  /// No program of a probe of these sizes can be had.
  void giveUp(std::span<const int64_t> sizes);

  /// Takes a program that `make` made a tier of: `upgrade` makes the other one.
  void follow(const std::shared_ptr<TransformedProgram> &program);
  /// Gives the programs that follow the tier, once the compiled ones have it: so that none has to be asked for first.
  void upgrade(Tier tier);

  /// The compiled programs that would give `tier` for these sizes if they all had it; empty if they have and do not, or
  /// if there are none.
  std::vector<SizeSample> missing(Tier tier, std::span<const int64_t> sizes);

  /// "symbolic in size 66 (argument 0, axis 0)", or why every size is compiled. Empty while one size has been met.
  std::string describe(std::span<const int64_t> sizes);

  enum class State : uint8_t { OneSize, Symbolic, Fixed };
  State state();
  /// Of what is kept for other sizes: graphs, and programs once there are two.
  size_t retainedBytes();
  /// Whether every program it was told of has gone.
  bool isForgotten();

private:
  friend class SizeFamilies;
  /// More sizes that do not follow from each other than this are no family, but for one that is a check; nor are more
  /// probes compiled.
  static constexpr size_t kMostSamples = 4, kMostProbes = 4;

  struct Sample {
    std::weak_ptr<TransformedProgram> program;
    std::shared_ptr<TransformedProgram> held; ///< once there are two
    std::vector<int64_t> sizes;
    std::shared_ptr<const core::Graph> graph;
    core::Transform transform;
    size_t graphBytes = 0;
    bool isProbe = false;
  };
  struct Pair {
    enum class State : uint8_t {
      Unknown, ///< one of the two lacks the tier
      Alike,   ///< but nothing has shown that it is not by chance
      Trusted,
      Refused,
    };
    std::vector<int64_t> first, second; ///< sizes of the samples
    bool isProbed = false;              ///< a probe was looked for
    std::optional<core::SizeProbe> probe;
    std::array<State, 2> states{}; ///< by tier
    std::array<std::shared_ptr<const runtime::ProgramSizes>, 2> follows;
    std::array<std::string, 2> reasons; ///< of Refused
    bool covers(std::span<const int64_t> sizes) const noexcept;
  };

  Sample *find(std::span<const int64_t> sizes);
  bool wantsLocked(std::span<const int64_t> sizes, bool isProbe);
  std::shared_ptr<const runtime::LoadedProgram> makeLocked(Tier tier, std::span<const int64_t> sizes);
  /// Whether the sizes of `check` show that what two programs have in common is not by chance.
  static bool tells(std::span<const int64_t> check, bool isProbe, const Sample &a, const Sample &b);
  /// Compares what can be compared of a pair.
  void compare(Pair &pair, Tier tier);

  std::mutex mutex_;
  std::vector<Sample> samples_;
  std::vector<Pair> pairs_;
  size_t probes_ = 0;
  std::string reason_; ///< why the last program that was wanted does not follow from a pair
  std::vector<std::weak_ptr<TransformedProgram>> followers_;
  std::atomic<uint64_t> stamp_{0};
};

/// The families of an AdContext, the least recently used ones forgotten. Thread safe.
class SizeFamilies {
public:
  explicit SizeFamilies(const CacheLimits &limits) : limits_(limits) {}

  /// The family of that text, a new one if need be.
  std::shared_ptr<SizeFamily> get(const std::string &text);
  /// Forgets what the limits do not allow.
  void trim();
  void setLimits(const CacheLimits &limits);
  void clear();
  /// A program was made for its sizes.
  void countMade() noexcept { made_.fetch_add(1, std::memory_order_relaxed); }
  SizeStats stats();

private:
  std::mutex mutex_;
  CacheLimits limits_;
  uint64_t clock_ = 0;
  std::atomic<uint64_t> made_{0};
  std::unordered_map<std::string, std::shared_ptr<SizeFamily>> families_;
};

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_PROGRAMS_SYMBOLICSIZES_H
