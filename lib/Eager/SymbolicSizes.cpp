// Two compiled programs of a structure give those of its other sizes.
#include "lib/Eager/SymbolicSizes.h"

#include "lib/Eager/Extensions.h"
#include "runtime/kernels/KernelTable.h"

#include <algorithm>

namespace tenferro::eager {

namespace {

std::string listText(std::span<const int64_t> sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return text;
}

/// Where a size is met first: "66 (argument 0, axis 0)".
std::string placeText(const runtime::Program &program, int64_t size) {
  for (size_t i = 0; i < program.arguments.size(); ++i)
    for (size_t d = 0; d < program.arguments[i].shape.size(); ++d)
      if (program.arguments[i].shape[d] == size)
        return std::to_string(size) + " (argument " + std::to_string(i) + ", axis " + std::to_string(d) + ")";
  return std::to_string(size) + " (of a result)";
}

} // namespace

void SizeFamily::compare(Tier tier, std::span<const int64_t> sizes) {
  const auto index = static_cast<size_t>(tier);
  for (size_t j = 1; j < samples_.size(); ++j)
    for (size_t i = 0; i < j; ++i) {
      const Sample &a = samples_[i], &b = samples_[j];
      if (compared_[index][i * kMostSamples + j] || !a.held || !b.held || !a.held->find(tier) || !b.held->find(tier))
        continue;
      // Only what may answer these sizes: where they differ from one sample, the other differs too.
      bool useful = true;
      for (size_t k = 0; k < sizes.size(); ++k)
        useful &= sizes[k] == a.sizes[k] || a.sizes[k] != b.sizes[k];
      if (!useful)
        continue;
      compared_[index][i * kMostSamples + j] = true;
      auto found = runtime::ProgramSizes::derive({a.held->share(tier), a.sizes}, {b.held->share(tier), b.sizes},
                                                 core::startsOfParts(*a.graph, a.sizes));
      if (found)
        follows_[index].push_back(std::move(*found));
      else
        reason_ = "for " + listText(a.sizes) + " and " + listText(b.sizes) + ": " + found.failure().message;
    }
}

std::shared_ptr<const runtime::LoadedProgram> SizeFamily::makeLocked(Tier tier, std::span<const int64_t> sizes) {
  if (samples_.size() < 2)
    return nullptr;
  auto tryAll = [&]() -> std::shared_ptr<const runtime::LoadedProgram> {
    for (const auto &follows : follows_[static_cast<size_t>(tier)]) {
      if (!follows->covers(sizes))
        continue;
      auto made = follows->load(sizes, runtime::KernelTable::forLevel(samples_[0].held->level), resolveCallback);
      if (made)
        return std::move(*made);
      reason_ = "for " + listText(sizes) + ": " + made.failure().message;
    }
    return nullptr;
  };
  if (auto made = tryAll())
    return made;
  const size_t known = follows_[static_cast<size_t>(tier)].size();
  compare(tier, sizes);
  return follows_[static_cast<size_t>(tier)].size() == known ? nullptr : tryAll();
}

std::shared_ptr<const runtime::LoadedProgram> SizeFamily::make(Tier tier, std::span<const int64_t> sizes) {
  std::lock_guard lock(mutex_);
  return makeLocked(tier, sizes);
}

void SizeFamily::add(SizeSample sample) {
  std::lock_guard lock(mutex_);
  std::erase_if(samples_, [](const Sample &known) { return known.program.expired(); });
  if (samples_.size() == kMostSamples ||
      std::any_of(samples_.begin(), samples_.end(), [&](const Sample &known) { return known.sizes == sample.sizes; }))
    return;
  samples_.push_back({sample.program, nullptr, std::move(sample.sizes), std::move(sample.graph), std::move(sample.transform),
                      sample.graphBytes});
  if (samples_.size() == 1)
    return;
  for (Sample &known : samples_)
    known.held = known.program.lock();
  // One that went meanwhile has been compared with nothing.
  std::erase_if(samples_, [](const Sample &known) { return !known.held; });
}

void SizeFamily::follow(const std::shared_ptr<TransformedProgram> &program) {
  std::lock_guard lock(mutex_);
  if (followers_.size() >= 64 && (followers_.size() & (followers_.size() - 1)) == 0)
    std::erase_if(followers_, [](const std::weak_ptr<TransformedProgram> &known) { return known.expired(); });
  followers_.push_back(program);
}

void SizeFamily::upgrade(Tier tier) {
  std::vector<std::weak_ptr<TransformedProgram>> followers;
  {
    std::lock_guard lock(mutex_);
    followers = followers_;
  }
  for (const std::weak_ptr<TransformedProgram> &follower : followers) {
    std::shared_ptr<TransformedProgram> program = follower.lock();
    if (!program || program->find(tier))
      continue;
    auto made = make(tier, program->sizes);
    if (!made)
      return; // the other sizes neither
    program->adopt(tier, std::move(made));
  }
}

std::vector<SizeSample> SizeFamily::missing(Tier tier, std::span<const int64_t> sizes) {
  std::lock_guard lock(mutex_);
  std::vector<SizeSample> result;
  const auto other = static_cast<size_t>(tier == Tier::Fused ? Tier::OpByOp : Tier::Fused);
  for (const auto &follows : follows_[other]) {
    if (!follows->covers(sizes))
      continue;
    for (const Sample &sample : samples_)
      if ((sample.sizes == follows->first().sizes || sample.sizes == follows->second().sizes) && !sample.held->find(tier))
        result.push_back({sample.held, sample.sizes, sample.graph, sample.transform, sample.graphBytes});
    break;
  }
  return result;
}

SizeFamily::State SizeFamily::state() {
  std::lock_guard lock(mutex_);
  if (!follows_[0].empty() || !follows_[1].empty())
    return State::Symbolic;
  return reason_.empty() ? State::OneSize : State::Fixed;
}

std::string SizeFamily::describe(std::span<const int64_t> sizes) {
  std::lock_guard lock(mutex_);
  for (const auto &tier : follows_)
    for (const auto &follows : tier) {
      if (!follows->covers(sizes))
        continue;
      std::string text;
      for (uint32_t k : follows->varying())
        text += (text.empty() ? "symbolic in size " : ", ") +
                placeText(follows->first().loaded->program(), follows->first().sizes[k]);
      return text + ", compiled for " + listText(follows->first().sizes) + " and " + listText(follows->second().sizes);
    }
  return reason_.empty() ? reason_ : "static " + reason_;
}

size_t SizeFamily::retainedBytes() {
  std::lock_guard lock(mutex_);
  size_t bytes = sizeof *this + text.size() + followers_.size() * sizeof(followers_[0]);
  for (const Sample &sample : samples_)
    bytes += sample.graphBytes + (sample.held ? sample.held->retainedBytes() : 0);
  return bytes;
}

bool SizeFamily::isForgotten() {
  std::lock_guard lock(mutex_);
  return std::all_of(samples_.begin(), samples_.end(), [](const Sample &sample) { return sample.program.expired(); });
}

std::shared_ptr<SizeFamily> SizeFamilies::get(const std::string &text) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<SizeFamily> &family = families_[text];
  if (!family)
    family = std::make_shared<SizeFamily>(text);
  family->stamp_.store(++clock_, std::memory_order_relaxed);
  return family;
}

void SizeFamilies::trim() {
  std::vector<std::shared_ptr<SizeFamily>> dropped; // destroyed after the lock is gone
  std::lock_guard lock(mutex_);
  size_t bytes = 0;
  for (auto it = families_.begin(); it != families_.end();) {
    if (it->second.use_count() == 1 && it->second->isForgotten()) { // nobody is about to add to it
      dropped.push_back(std::move(it->second));
      it = families_.erase(it);
    } else {
      bytes += it->second->retainedBytes();
      ++it;
    }
  }
  while (families_.size() > 1 && (families_.size() > limits_.maxEntries || bytes > limits_.maxRetainedBytes)) {
    auto oldest = std::min_element(families_.begin(), families_.end(), [](const auto &a, const auto &b) {
      return a.second->stamp_.load(std::memory_order_relaxed) < b.second->stamp_.load(std::memory_order_relaxed);
    });
    bytes -= std::min(bytes, oldest->second->retainedBytes());
    dropped.push_back(std::move(oldest->second));
    families_.erase(oldest);
  }
}

void SizeFamilies::setLimits(const CacheLimits &limits) {
  {
    std::lock_guard lock(mutex_);
    limits_ = limits;
  }
  trim();
}

void SizeFamilies::clear() {
  std::unordered_map<std::string, std::shared_ptr<SizeFamily>> dropped;
  std::lock_guard lock(mutex_);
  dropped.swap(families_);
}

SizeStats SizeFamilies::stats() {
  std::lock_guard lock(mutex_);
  SizeStats stats;
  stats.made = made_.load(std::memory_order_relaxed);
  for (const auto &[text, family] : families_) {
    SizeFamily::State state = family->state();
    stats.symbolic += state == SizeFamily::State::Symbolic;
    stats.fixed += state == SizeFamily::State::Fixed;
  }
  return stats;
}

} // namespace tenferro::eager
