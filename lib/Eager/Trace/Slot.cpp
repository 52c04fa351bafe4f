// Gradient slots: what backward adds to.
#include "lib/Eager/Execution/Execute.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/TensorImpl.h"

#include "runtime/core/FloatEnvironment.h"

namespace tenferro::eager {

Slot::Slot(RuntimeState &state, uint64_t id, bool counted) : state_(state), id_(id), counted_(counted) {
  state.link(*this);
  if (counted_)
    state.addSlot();
}

Slot::~Slot() {
  state_.unlink(*this);
  if (counted_)
    state_.removeSlot();
}

void Slot::release() noexcept {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete this;
}

Tensor Slot::gradient() const {
  std::lock_guard lock(lock_);
  return gradient_;
}

void Slot::clear() {
  Tensor dropped; // freed after the lock is gone
  std::lock_guard lock(lock_);
  dropped = std::move(gradient_);
}

void Slot::accumulate(const Tensor &gradient, const runtime::LaunchContext &context) {
  std::lock_guard lock(lock_);
  gradient_ = gradient_.empty() ? gradient : addTensors(gradient_, gradient, context);
}

Slot::Sum Slot::sumWith(const Tensor &gradient, const runtime::LaunchContext &context) const {
  Tensor before = this->gradient();
  Tensor after = before.empty() ? gradient : addTensors(before, gradient, context);
  return {std::move(before), std::move(after)};
}

void Slot::keep(Sum sum, const Tensor &gradient, const runtime::LaunchContext &context) {
  {
    std::lock_guard lock(lock_);
    if (detail::TensorAccess::isSame(gradient_, sum.before)) {
      std::swap(gradient_, sum.after); // what was there is freed after the lock is gone
      return;
    }
  }
  accumulate(gradient, context); // another thread was here
}

} // namespace tenferro::eager
