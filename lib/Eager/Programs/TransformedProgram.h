// A differentiated program in the tiers that have been made of it.
#ifndef TENFERRO_EAGER_PROGRAMS_TRANSFORMEDPROGRAM_H
#define TENFERRO_EAGER_PROGRAMS_TRANSFORMEDPROGRAM_H

#include "runtime/cache/DiskCache.h"
#include "runtime/program/Executor.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tenferro::eager {

class SizeFamily;

/// The ways to run a program. The bits are the same.
enum class Tier : uint8_t {
  OpByOp, ///< one launch per operation on the precompiled kernels: made without code generation
  Fused,  ///< machine code of its own
};

/// A program under its full key, which names no tier. At least one tier is there; one that is stays as long as the
/// object, so whoever holds the object runs what `find` answered while another tier appears. Thread safe.
class TransformedProgram {
public:
  TransformedProgram(std::string text, runtime::CpuLevel level) : text(std::move(text)), level(level) {}
  TransformedProgram(const TransformedProgram &) = delete;
  ~TransformedProgram();

  const std::string text; ///< structure, transform, versions and level: one component a line
  const runtime::CpuLevel level;

  /// Null until somebody has made it. Takes no lock.
  const runtime::LoadedProgram *find(Tier tier) const noexcept {
    const Holder *holder = tiers_[static_cast<size_t>(tier)].load(std::memory_order_acquire);
    return holder ? holder->get() : nullptr;
  }
  /// The same with a reference; that tier is there.
  std::shared_ptr<const runtime::LoadedProgram> share(Tier tier) const noexcept {
    return *tiers_[static_cast<size_t>(tier)].load(std::memory_order_acquire);
  }
  /// For what is the same in every tier: active masks and the types of results.
  const runtime::LoadedProgram &any() const noexcept {
    const runtime::LoadedProgram *fused = find(Tier::Fused);
    return fused ? *fused : *find(Tier::OpByOp);
  }
  /// What is there, else what `make()` has this object adopt: one caller makes it, others wait. Raises what `make`
  /// does.
  template <typename Make> const runtime::LoadedProgram &get(Tier tier, Make &&make) {
    if (const runtime::LoadedProgram *known = find(tier))
      return *known;
    std::lock_guard lock(making_[static_cast<size_t>(tier)]);
    if (const runtime::LoadedProgram *known = find(tier))
      return *known;
    make();
    return *find(tier);
  }
  /// Loads an artifact as that tier; of two at the same time one stays. Takes no lock that a fork could leave locked.
  /// Raises what loading raises.
  const runtime::LoadedProgram &adopt(Tier tier, runtime::CompiledArtifact artifact);
  /// The same for what was on disk, if there was anything; false where not. One that cannot be loaded is refused.
  bool adopt(Tier tier, runtime::DiskCache::Entry &entry);
  /// The same of a program that is loaded.
  const runtime::LoadedProgram &adopt(Tier tier, std::shared_ptr<const runtime::LoadedProgram> loaded);
  bool isFromDisk(Tier tier) const noexcept {
    return isFromDisk_[static_cast<size_t>(tier)].load(std::memory_order_relaxed);
  }

  /// What is known of the structure in other sizes, while the AdContext remembers it. Set before others see the
  /// program.
  std::weak_ptr<SizeFamily> family;
  std::vector<int64_t> sizes; ///< of this program: `core::SizeKey::sizes` of its text
  bool follows = false;       ///< made from the programs of two other sizes, not compiled

  /// Of all tiers, estimated.
  size_t retainedBytes() const noexcept;
  /// By how much `retainedBytes()` has grown since the last call.
  size_t takeGrowth() noexcept;

  /// What became of the fused program in the background.
  enum class Progress : uint8_t { None, Queued, Compiling, Ready, Failed };
  std::atomic<Progress> progress{Progress::None};
  /// How often it was asked for while there was no fused program.
  std::atomic<uint32_t> asks{0};
  std::string failure;       ///< once `progress` is Failed: why
  double compileSeconds = 0; ///< once `progress` is Ready

private:
  using Holder = std::shared_ptr<const runtime::LoadedProgram>;
  core::Expected<Holder> load(runtime::CompiledArtifact artifact) const;
  std::array<std::atomic<const Holder *>, 2> tiers_{};
  std::array<std::atomic<bool>, 2> isFromDisk_{};
  std::array<std::mutex, 2> making_; ///< never held by the background thread
  std::atomic<size_t> accounted_{0};
};

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_PROGRAMS_TRANSFORMEDPROGRAM_H
