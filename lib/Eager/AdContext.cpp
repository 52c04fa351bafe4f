// The cache of differentiated programs behind its public face.
#include "lib/Eager/AdContextState.h"

namespace tenferro {

namespace eager {

void checkLimits(const CacheLimits &limits, const char *op) {
  if (limits.maxEntries)
    return;
  Failure failure;
  failure.kind = ErrorKind::InvalidArgument;
  failure.op = op;
  failure.argument = "maxEntries";
  failure.message = "expects at least 1 entry, but got 0";
  raise(std::move(failure));
}

} // namespace eager

AdContext::AdContext(const CacheLimits &limits) : state_(std::make_unique<State>(limits)) {}
AdContext::~AdContext() = default;

std::shared_ptr<AdContext> AdContext::create(const CacheLimits &limits) {
  eager::checkLimits(limits, "AdContext::create");
  return std::shared_ptr<AdContext>(new AdContext(limits));
}

CacheStats AdContext::stats() const { return state_->cache.stats(); }
CacheLimits AdContext::limits() const { return state_->cache.limits(); }
void AdContext::setLimits(const CacheLimits &limits) {
  eager::checkLimits(limits, "AdContext::setLimits");
  state_->cache.setLimits(limits);
  state_->families.setLimits(limits);
}
void AdContext::clear() {
  state_->cache.clear();
  state_->families.clear();
}

} // namespace tenferro
