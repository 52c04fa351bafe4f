// Values that are made when they are first used, without the lock of a static variable: a child that was forked while
// another thread held that would wait for ever.
#ifndef TENFERRO_RUNTIME_CORE_FIRSTUSE_H
#define TENFERRO_RUNTIME_CORE_FIRSTUSE_H

#include <atomic>
#include <utility>

namespace tenferro::runtime {

/// A value that is never destroyed: threads and destructors of static objects may use it at the end of the process. Make it
/// `static constinit`.
template <typename T> class FirstUse {
public:
  /// What `make()` returns, a T. Threads that come first at the same time make one each; the first that is done is kept.
  template <typename Make> const T &get(Make &&make) {
    if (const T *made = made_.load(std::memory_order_acquire)) [[likely]]
      return *made;
    const T *fresh = new T(std::forward<Make>(make)());
    const T *kept = nullptr;
    if (made_.compare_exchange_strong(kept, fresh, std::memory_order_acq_rel, std::memory_order_acquire))
      return *fresh;
    delete fresh;
    return *kept;
  }

private:
  std::atomic<const T *> made_{nullptr};
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CORE_FIRSTUSE_H
