// Fork-join parallelism on a pool of our own: a region costs about a microsecond.
#ifndef TENFERRO_RUNTIME_THREADS_THREADPOOL_H
#define TENFERRO_RUNTIME_THREADS_THREADPOOL_H

#include "runtime/threads/ThreadTeam.h"

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace tenferro::runtime {

namespace detail {
using TaskFunction = void (*)(void *context, int64_t task);
void parallelRun(const ThreadTeam &team, int64_t tasks, int64_t picoseconds, TaskFunction function, void *context);
} // namespace detail

/// Calls `fn(task)` once for each task in [0, tasks), on at most as many threads as the team has, the calling one among them;
/// returns when all are done. Which thread runs which task is open: results must not depend on it. Each thread starts in
/// its own range of the tasks, the same one in every region, so that it finds in its cache what it left there; who is
/// done helps the others. Workers move to the team's cores first; the calling thread is the user's and stays where it is.
///
/// `picoseconds` is what all tasks take on one thread, about. Waking a sleeping worker costs the caller 8 us, and it
/// arrives 10 us later, so a short region wakes none unless most of the time goes into such regions.
///
/// The process has one pool. No thread exists before the first region of two threads and two tasks that is worth waking one;
/// workers spin shortly for the next region, then sleep. While another thread's region runs, and inside a task, regions run on the
/// calling thread alone. A forked child starts with a pool of its own. If tasks throw, one of the exceptions arrives
/// here after all tasks have ended or been skipped.
template <typename Fn> void parallelFor(const ThreadTeam &team, int64_t tasks, int64_t picoseconds, Fn &&fn) {
  if (team.count <= 1 || tasks <= 1) {
    for (int64_t task = 0; task < tasks; ++task)
      fn(task);
    return;
  }
  using Callable = std::remove_reference_t<Fn>;
  detail::parallelRun(
      team, tasks, picoseconds, [](void *context, int64_t task) { (*static_cast<Callable *>(context))(task); },
      const_cast<void *>(static_cast<const void *>(std::addressof(fn))));
}
/// The same for tasks that take long.
template <typename Fn> void parallelFor(const ThreadTeam &team, int64_t tasks, Fn &&fn) {
  parallelFor(team, tasks, INT64_MAX, std::forward<Fn>(fn));
}

/// Threads the machine offers this process (affinity respected), at least 1.
int hardwareThreads() noexcept;

/// Workers alive in this process; 0 before the first parallel region.
int poolWorkers() noexcept;

/// Has a forked child start with a pool of its own, which the first region would do.
void registerPoolForkHandlers();

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_THREADS_THREADPOOL_H
