// The smallest status of tasks that run on several threads.
#ifndef TENFERRO_RUNTIME_THREADS_SHAREDSTATUS_H
#define TENFERRO_RUNTIME_THREADS_SHAREDSTATUS_H

#include "runtime/core/KernelAbi.h"

#include <atomic>

namespace tenferro::runtime {

class SharedStatus {
public:
  void add(Status status) noexcept {
    Status seen = status_.load(std::memory_order_relaxed);
    while (status < seen && !status_.compare_exchange_weak(seen, status, std::memory_order_relaxed)) {
    }
  }
  /// After the tasks have ended.
  Status get() const noexcept { return status_.load(std::memory_order_relaxed); }

private:
  std::atomic<Status> status_{kOk};
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_THREADS_SHAREDSTATUS_H
