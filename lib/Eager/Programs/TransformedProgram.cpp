// Loading a tier and publishing it.
#include "lib/Eager/Programs/TransformedProgram.h"

#include "lib/Eager/Custom/Extensions.h"
#include "runtime/kernels/KernelTable.h"

namespace tenferro::eager {

TransformedProgram::~TransformedProgram() {
  for (std::atomic<const Holder *> &tier : tiers_)
    delete tier.load(std::memory_order_acquire);
}

core::Expected<TransformedProgram::Holder> TransformedProgram::load(runtime::CompiledArtifact artifact) const {
  return runtime::LoadedProgram::load(std::move(artifact), runtime::KernelTable::forLevel(level), resolveCallback);
}

const runtime::LoadedProgram &TransformedProgram::adopt(Tier tier,
                                                        std::shared_ptr<const runtime::LoadedProgram> loaded) {
  auto made = std::make_unique<const Holder>(std::move(loaded));
  const Holder *known = nullptr;
  if (tiers_[static_cast<size_t>(tier)].compare_exchange_strong(known, made.get(), std::memory_order_acq_rel))
    known = made.release();
  return **known;
}

const runtime::LoadedProgram &TransformedProgram::adopt(Tier tier, runtime::CompiledArtifact artifact) {
  core::Expected<Holder> loaded = load(std::move(artifact));
  if (!loaded)
    raise(std::move(loaded.failure()));
  return adopt(tier, std::move(*loaded));
}

bool TransformedProgram::adopt(Tier tier, runtime::DiskCache::Entry &entry) {
  if (!entry.artifact)
    return false;
  core::Expected<Holder> loaded = load(std::move(*entry.artifact));
  if (!loaded) {
    entry.refuse("cannot be loaded: " + loaded.failure().message);
    return false;
  }
  isFromDisk_[static_cast<size_t>(tier)].store(true, std::memory_order_relaxed);
  adopt(tier, std::move(*loaded));
  return true;
}

size_t TransformedProgram::retainedBytes() const noexcept {
  size_t bytes = sizeof *this + text.size();
  for (Tier tier : {Tier::OpByOp, Tier::Fused})
    if (const runtime::LoadedProgram *loaded = find(tier))
      bytes += loaded->retainedBytes();
  return bytes;
}

size_t TransformedProgram::takeGrowth() noexcept {
  const size_t bytes = retainedBytes();
  return bytes - accounted_.exchange(bytes, std::memory_order_relaxed);
}

} // namespace tenferro::eager
