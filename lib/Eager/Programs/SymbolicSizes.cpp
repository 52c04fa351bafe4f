// Two compiled programs of a structure give those of its other sizes, once a third has shown that they do.
#include "lib/Eager/Programs/SymbolicSizes.h"

#include "lib/Eager/Custom/Extensions.h"
#include "runtime/kernels/KernelTable.h"

#include <algorithm>
#include <numeric>

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

bool SizeFamily::Pair::covers(std::span<const int64_t> sizes) const noexcept {
  bool covered = sizes.size() == first.size();
  for (size_t k = 0; covered && k < sizes.size(); ++k)
    covered = sizes[k] == first[k] || first[k] != second[k];
  return covered;
}

SizeFamily::Sample *SizeFamily::find(std::span<const int64_t> sizes) {
  auto known = std::find_if(samples_.begin(), samples_.end(), [&](const Sample &sample) {
    return std::equal(sample.sizes.begin(), sample.sizes.end(), sizes.begin(), sizes.end());
  });
  return known == samples_.end() ? nullptr : &*known;
}

bool SizeFamily::tells(std::span<const int64_t> check, bool isProbe, const Sample &a, const Sample &b) {
  std::vector<bool> isFree(a.sizes.size(), false); // nothing ties it to others
  for (const core::ValueType &input : a.graph->inputs)
    for (int64_t extent : input.shape)
      if (auto known = std::find(a.sizes.begin(), a.sizes.end(), extent); known != a.sizes.end())
        isFree[static_cast<size_t>(known - a.sizes.begin())] = true;
  for (size_t k = 0; k < a.sizes.size(); ++k) {
    const int64_t size = check[k], first = a.sizes[k], second = b.sizes[k];
    if (first == second ? size != first : size == first || size == second)
      return false;
    // As of a probe: no step goes through all three.
    if (first != second && !isProbe && isFree[k] && std::gcd(size - first, second - first) != 1)
      return false;
  }
  return true;
}

void SizeFamily::compare(Pair &pair, Tier tier) {
  using State = Pair::State;
  const auto index = static_cast<size_t>(tier);
  State &state = pair.states[index];
  if (state == State::Trusted || state == State::Refused)
    return;
  const Sample &a = *find(pair.first), &b = *find(pair.second);
  if (!a.held->find(tier) || !b.held->find(tier))
    return;
  auto derive = [&](runtime::SizedProgram check) {
    auto found = runtime::ProgramSizes::derive({a.held->share(tier), a.sizes}, {b.held->share(tier), b.sizes},
                                               core::startsOfParts(*a.graph, a.sizes), check);
    state = !found ? State::Refused : check.loaded ? State::Trusted : State::Alike;
    if (!found)
      pair.reasons[index] = "for " + listText(a.sizes) + " and " + listText(b.sizes) +
                            (check.loaded ? " and " + listText(check.sizes) : "") + ": " + found.failure().message;
    pair.follows[index] = found ? std::move(*found) : nullptr;
  };
  if (state == State::Unknown)
    derive({});
  for (const Sample &check : samples_) {
    if (state == State::Refused)
      break;
    const bool isProbe = check.isProbe || (pair.probe && pair.probe->sizes == check.sizes);
    if (check.held->find(tier) && tells(check.sizes, isProbe, a, b))
      derive({check.held->share(tier), check.sizes});
  }
}

std::shared_ptr<const runtime::LoadedProgram> SizeFamily::makeLocked(Tier tier, std::span<const int64_t> sizes) {
  const auto index = static_cast<size_t>(tier);
  auto makeFrom = [&](const Pair &pair) -> std::shared_ptr<const runtime::LoadedProgram> {
    if (pair.states[index] != Pair::State::Trusted)
      return nullptr;
    auto made =
        pair.follows[index]->load(sizes, runtime::KernelTable::forLevel(samples_[0].held->level), resolveCallback);
    if (made)
      return std::move(*made);
    reason_ = "for " + listText(sizes) + ": " + made.failure().message;
    return nullptr;
  };
  for (const Pair &pair : pairs_)
    if (pair.covers(sizes))
      if (auto made = makeFrom(pair))
        return made;
  for (Pair &pair : pairs_) {
    if (!pair.covers(sizes) || pair.states[index] == Pair::State::Trusted)
      continue;
    compare(pair, tier);
    if (auto made = makeFrom(pair))
      return made;
    if (pair.states[index] == Pair::State::Refused)
      reason_ = pair.reasons[index];
  }
  return nullptr;
}

std::shared_ptr<const runtime::LoadedProgram> SizeFamily::make(Tier tier, std::span<const int64_t> sizes) {
  std::lock_guard lock(mutex_);
  return makeLocked(tier, sizes);
}

std::optional<SizeSample> SizeFamily::wantedProbe(Tier tier, std::span<const int64_t> sizes) {
  std::lock_guard lock(mutex_);
  for (Pair &pair : pairs_) {
    if (!pair.covers(sizes) || pair.states[static_cast<size_t>(tier)] != Pair::State::Alike)
      continue;
    const Sample &first = *find(pair.first);
    if (!pair.isProbed && probes_ < kMostProbes) {
      pair.isProbed = true;
      pair.probe = core::probeSizes(*first.graph, first.transform, pair.second);
      probes_ += pair.probe.has_value();
    }
    if (!pair.probe)
      continue;
    SizeSample wanted{nullptr, pair.probe->sizes, nullptr, first.transform, first.graphBytes, true};
    if (const Sample *known = find(pair.probe->sizes)) {
      wanted.program = known->held;
      wanted.graph = known->graph;
    } else {
      wanted.graph = std::make_shared<const core::Graph>(pair.probe->graph);
    }
    return wanted;
  }
  return std::nullopt;
}

void SizeFamily::giveUp(std::span<const int64_t> sizes) {
  std::lock_guard lock(mutex_);
  for (Pair &pair : pairs_)
    if (pair.probe && std::equal(pair.probe->sizes.begin(), pair.probe->sizes.end(), sizes.begin(), sizes.end()))
      pair.probe.reset();
}

bool SizeFamily::wantsLocked(std::span<const int64_t> sizes, bool isProbe) {
  std::erase_if(samples_, [](const Sample &known) { return known.program.expired(); }); // nothing was compared with it
  if (find(sizes))
    return false;
  const auto asked =
      std::count_if(samples_.begin(), samples_.end(), [](const Sample &known) { return !known.isProbe; });
  if (isProbe || asked < static_cast<std::ptrdiff_t>(kMostSamples))
    return true;
  // One more where it would show what no other has.
  return asked == static_cast<std::ptrdiff_t>(kMostSamples) &&
         std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair &pair) {
           return std::find(pair.states.begin(), pair.states.end(), Pair::State::Alike) != pair.states.end() &&
                  tells(sizes, false, *find(pair.first), *find(pair.second));
         });
}

bool SizeFamily::wants(std::span<const int64_t> sizes) {
  std::lock_guard lock(mutex_);
  return wantsLocked(sizes, false);
}

void SizeFamily::add(SizeSample sample) {
  std::lock_guard lock(mutex_);
  if (!wantsLocked(sample.sizes, sample.isProbe))
    return;
  samples_.push_back({sample.program, nullptr, std::move(sample.sizes), std::move(sample.graph),
                      std::move(sample.transform), sample.graphBytes, sample.isProbe});
  if (samples_.size() == 1)
    return;
  for (Sample &known : samples_)
    known.held = known.program.lock();
  std::erase_if(samples_, [](const Sample &known) { return !known.held; }); // went meanwhile
  const Sample &made = samples_.back();
  for (size_t i = 0; !made.isProbe && i + 1 < samples_.size(); ++i)
    if (!samples_[i].isProbe)
      pairs_.push_back({samples_[i].sizes, made.sizes, false, {}, {}, {}, {}});
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
  const auto index = static_cast<size_t>(tier), other = 1 - index;
  for (const Pair &pair : pairs_) {
    if (!pair.covers(sizes) || pair.states[other] != Pair::State::Trusted || pair.states[index] == Pair::State::Refused)
      continue;
    for (const Sample &sample : samples_)
      if ((sample.sizes == pair.first || sample.sizes == pair.second ||
           sample.sizes == pair.follows[other]->check().sizes) &&
          !sample.held->find(tier))
        result.push_back(
            {sample.held, sample.sizes, sample.graph, sample.transform, sample.graphBytes, sample.isProbe});
    break;
  }
  return result;
}

SizeFamily::State SizeFamily::state() {
  std::lock_guard lock(mutex_);
  for (const Pair &pair : pairs_)
    for (Pair::State state : pair.states)
      if (state == Pair::State::Trusted)
        return State::Symbolic;
  return reason_.empty() ? State::OneSize : State::Fixed;
}

std::string SizeFamily::describe(std::span<const int64_t> sizes) {
  std::lock_guard lock(mutex_);
  for (const Pair &pair : pairs_)
    for (size_t tier : {0, 1}) {
      if (!pair.covers(sizes) || pair.states[tier] != Pair::State::Trusted)
        continue;
      const runtime::ProgramSizes &follows = *pair.follows[tier];
      std::string text;
      for (uint32_t k : follows.varying())
        text += (text.empty() ? "symbolic in size " : ", ") +
                placeText(follows.first().loaded->program(), follows.first().sizes[k]);
      text += ", compiled for " + listText(pair.first) + " and " + listText(pair.second) + ", checked with " +
              listText(follows.check().sizes);
      if (pair.states[1 - tier] == Pair::State::Refused)
        text += "; the " + std::string(tier == static_cast<size_t>(Tier::OpByOp) ? "fused" : "op by op") +
                " programs are static " + pair.reasons[1 - tier];
      return text;
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
