// Counting records and slots, and keeping a runtime alive while it has any.
#include "lib/Eager/RuntimeState.h"

#include "lib/Eager/AdContextState.h"
#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/Programs/CompilerLibrary.h"
#include "lib/Eager/Programs/DiskPrograms.h"

namespace tenferro::eager {

namespace {
std::atomic<uint64_t> runtimes{0};
} // namespace

RuntimeState::RuntimeState(EagerRuntime &runtime, const RuntimeOptions &options)
    : runtime(runtime), id(runtimes.fetch_add(1, std::memory_order_relaxed) + 1), policy(options.policy),
      adContext(options.adContext ? options.adContext : AdContext::create()), dump(dumpFunction(options)),
      dumpGate(dump && policy == CompilePolicy::Background ? std::make_shared<DumpGate>(dump) : nullptr),
      disk(openDiskCache(options.diskCache)), prepared(options.preparedLimits) {
  for (const auto &module : detail::AdContextAccess::state(*adContext).extensions)
    extensions.install(module);
}

RuntimeState::~RuntimeState() {
  if (!dumpGate)
    return;
  // What somebody watches is shown before it goes.
  if (!CompileQueue::get().isWorker())
    CompileQueue::get().finish(*detail::AdContextAccess::state(*adContext).ledger);
  dumpGate->close();
}

void RuntimeState::openUnlessKept() {
  if (!disk->hasEntries())
    openCompilerInBackground();
}

void RuntimeState::pin() {
  std::shared_ptr<EagerRuntime> self = runtime.shared_from_this();
  std::lock_guard lock(pinLock_);
  // Counts only reach zero under this lock, so a record that is still there keeps the pin that is set here.
  if (!pinned_ && recordCount() > 0)
    pinned_ = std::move(self);
}

void RuntimeState::removeLast(uint64_t change) noexcept {
  std::shared_ptr<EagerRuntime> dropped; // may destroy this object, after the lock is gone
  std::lock_guard lock(pinLock_);
  if (static_cast<uint32_t>(counts_.fetch_sub(change, std::memory_order_acq_rel)) == 1)
    dropped = std::move(pinned_);
}

std::vector<EngineKind> RuntimeState::engineKinds() const {
  std::vector<EngineKind> kinds;
  const uint32_t bits = engineKinds_.load(std::memory_order_relaxed);
  for (unsigned kind = 0; kind < 32; ++kind)
    if (bits >> kind & 1)
      kinds.push_back(static_cast<EngineKind>(kind));
  return kinds;
}

void RuntimeState::link(Slot &slot) noexcept {
  std::lock_guard lock(slotLock_);
  slot.next_ = slots_;
  if (slots_)
    slots_->previous_ = &slot;
  slots_ = &slot;
}

void RuntimeState::unlink(Slot &slot) noexcept {
  std::lock_guard lock(slotLock_);
  (slot.previous_ ? slot.previous_->next_ : slots_) = slot.next_;
  if (slot.next_)
    slot.next_->previous_ = slot.previous_;
}

void RuntimeState::clearSlots() {
  std::lock_guard lock(slotLock_);
  for (Slot *slot = slots_; slot; slot = slot->next_)
    slot->clear();
}

} // namespace tenferro::eager

namespace tenferro::detail {

eager::RuntimeState &EagerAccess::state(const EagerRuntime &runtime) noexcept { return *runtime.state_; }

} // namespace tenferro::detail
