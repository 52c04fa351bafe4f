// The inside of an EagerRuntime: counters, slots, the walk lock and the prepared derivatives.
#ifndef TENFERRO_EAGER_RUNTIMESTATE_H
#define TENFERRO_EAGER_RUNTIMESTATE_H

#include "lib/Eager/Custom/Extensions.h"
#include "lib/Eager/Programs/Prepared.h"
#include "lib/Eager/Trace/Record.h"
#include "runtime/cache/DiskCache.h"
#include "tenferro/EagerRuntime.h"

#include <array>
#include <atomic>
#include <mutex>

namespace tenferro::eager {

/// Records point here, not to the EagerRuntime; while one record is alive the runtime is too.
class RuntimeState {
public:
  RuntimeState(EagerRuntime &runtime, const RuntimeOptions &options);
  virtual ~RuntimeState();

  EagerRuntime &runtime;
  const uint64_t id;
  const CompilePolicy policy;
  const std::shared_ptr<AdContext> adContext;
  const DumpFunction dump;
  /// The same for the background thread; null if nobody watches it.
  const std::shared_ptr<DumpGate> dumpGate;
  const std::shared_ptr<runtime::DiskCache> disk; ///< never null; compiles may outlive the runtime

  /// Records and slots alive.
  size_t recordCount() const noexcept { return static_cast<uint32_t>(counts_.load(std::memory_order_relaxed)); }
  size_t slotCount() const noexcept { return counts_.load(std::memory_order_relaxed) >> 32; }
  void addRecord(bool withSlot) {
    uint64_t before = counts_.fetch_add(withSlot ? kRecord + kSlot : kRecord, std::memory_order_relaxed);
    if (static_cast<uint32_t>(before) == 0)
      pin();
  }
  /// The last record may take the runtime with it.
  void removeRecord(bool withSlot) noexcept {
    uint64_t change = withSlot ? kRecord + kSlot : kRecord;
    uint64_t counts = counts_.load(std::memory_order_relaxed);
    while (static_cast<uint32_t>(counts) > 1)
      if (counts_.compare_exchange_weak(counts, counts - change, std::memory_order_acq_rel, std::memory_order_relaxed))
        return;
    removeLast(change);
  }
  void addSlot() noexcept { counts_.fetch_add(kSlot, std::memory_order_relaxed); }
  void removeSlot() noexcept { counts_.fetch_sub(kSlot, std::memory_order_relaxed); }

  void link(Slot &slot) noexcept;
  void unlink(Slot &slot) noexcept;
  void clearSlots();

  /// Held by walks: the fields `walk*` of records belong to one walk at a time.
  std::mutex walkLock;
  uint64_t walkEpoch = 0; ///< under the walk lock
  std::atomic<uint64_t> visited{0}; ///< written under the walk lock

  PreparedCache prepared;
  /// Runs of prepared derivatives, by tier.
  std::array<std::atomic<uint64_t>, 2> runs{};
  ExtensionRegistry extensions{*this};

  /// There is something to differentiate: opens the compiler in the background, unless programs of earlier processes may do.
  void expectCompiles() {
    if (!expectsCompiles_.load(std::memory_order_relaxed) && !expectsCompiles_.exchange(true))
      openUnlessKept();
  }

  /// Remembers that an engine of this kind was presented.
  void registerEngine(EngineKind kind) noexcept {
    const uint32_t bit = 1u << static_cast<unsigned>(kind);
    if (!(engineKinds_.load(std::memory_order_relaxed) & bit))
      engineKinds_.fetch_or(bit, std::memory_order_relaxed);
  }
  std::vector<EngineKind> engineKinds() const;

private:
  std::atomic<uint32_t> engineKinds_{0};
  static constexpr uint64_t kRecord = 1, kSlot = uint64_t{1} << 32;
  void openUnlessKept();
  std::atomic<bool> expectsCompiles_{false};
  void pin();
  void removeLast(uint64_t change) noexcept;

  std::atomic<uint64_t> counts_{0};
  std::mutex pinLock_;
  std::shared_ptr<EagerRuntime> pinned_; ///< set while there are records
  std::mutex slotLock_;
  Slot *slots_ = nullptr;
};

} // namespace tenferro::eager

namespace tenferro {

struct EagerRuntime::State final : eager::RuntimeState {
  using RuntimeState::RuntimeState;
};

} // namespace tenferro

#endif // TENFERRO_EAGER_RUNTIMESTATE_H
