// Who works on a parallel region: how many threads, and on which cores the pool's workers run meanwhile.
#ifndef TENFERRO_RUNTIME_THREADS_THREADTEAM_H
#define TENFERRO_RUNTIME_THREADS_THREADTEAM_H

#include <cstdint>
#include <sched.h>
#include <span>

namespace tenferro::runtime {

/// A set of cores of the machine, by the operating system's numbers.
class CoreSet {
public:
  /// The numbers are below CPU_SETSIZE.
  explicit CoreSet(std::span<const int> cores) noexcept;
  /// Unique in the process, from 1.
  uint64_t id() const noexcept { return id_; }
  const cpu_set_t &set() const noexcept { return set_; }

private:
  uint64_t id_;
  cpu_set_t set_;
};

/// Converts from and to a number of threads. `cores` outlives every region it is given to; null: workers stay where the
/// operating system puts them.
struct ThreadTeam {
  ThreadTeam(int count = 1, const CoreSet *cores = nullptr) noexcept : count(count), cores(cores) {}
  operator int() const noexcept { return count; }

  int count;
  const CoreSet *cores;
};

/// The cores this thread may run on.
cpu_set_t allowedCores() noexcept;

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_THREADS_THREADTEAM_H
