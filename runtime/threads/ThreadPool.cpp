// The pool: one region at a time, workers that spin, then sleep on the region's state word.
//
// State word: epoch (16 bits) | open (1) | workers inside (15). A worker joins an open region of an epoch it has not
// been in by incrementing the word, so it never reads a region's fields unless the caller still waits for it. The
// caller closes the region when no task is left and waits until nobody is inside.
#include "runtime/threads/ThreadPool.h"

#include "runtime/core/FloatEnvironment.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <system_error>
#include <thread>
#include <utility>

namespace tenferro::runtime {

namespace {

constexpr uint32_t kOpen = 1u << 15;
constexpr uint32_t kInside = kOpen - 1;
constexpr int kSpins = 8000; ///< 0.2 ms: what a user computes between two regions
constexpr int kMostWorkers = 255;
/// Picoseconds of a region that pays for waking a worker, once.
constexpr int64_t kWakeWorth = 30'000'000;

/// Tasks [next, end) of the range one thread starts with.
struct alignas(64) Range {
  std::atomic<int64_t> next{0};
  int64_t end = 0;
};

struct Pool {
  std::atomic<bool> busy{false};
  std::atomic<uint32_t> state{0};
  std::atomic<int> workers{0}, sleeping{0};

  // Short regions that ran on their callers because workers slept; the caller that holds `busy` writes them.
  int64_t skipped = 0; ///< picoseconds, of late
  std::chrono::steady_clock::time_point lastSkip{};

  // The region in flight; written by its caller before it opens.
  detail::TaskFunction function = nullptr;
  void *context = nullptr;
  int helpers = 0;
  const CoreSet *cores = nullptr;
  Range ranges[kMostWorkers + 1]; ///< of the caller, then the helpers
  std::atomic<int> joined{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;
};

// Never destroyed: workers sleep in it when the process ends. Rebuilt in place in a forked child.
alignas(Pool) unsigned char poolMemory[sizeof(Pool)];
Pool &pool() {
  static Pool *made = [] {
    auto *fresh = new (poolMemory) Pool;
    pthread_atfork(nullptr, nullptr, [] { new (poolMemory) Pool; });
    return fresh;
  }();
  return *made;
}

constinit thread_local bool insideRegion __attribute__((tls_model("initial-exec"))) = false;

/// Of range `first`, then of those behind it.
void runTasks(Pool &p, int first) {
  const int ranges = p.helpers + 1;
  for (int r = 0; r < ranges; ++r) {
    Range &range = p.ranges[(first + r) % ranges];
    while (range.next.load(std::memory_order_relaxed) < range.end && !p.failed.load(std::memory_order_relaxed)) {
      int64_t task = range.next.fetch_add(1, std::memory_order_relaxed);
      if (task >= range.end)
        break;
      try {
        p.function(p.context, task);
      } catch (...) {
        if (!p.failed.exchange(true))
          p.error = std::current_exception(); // read by the caller after this thread has left
        return;
      }
    }
  }
}

/// Whether enough workers are awake for a region of that time, or to be woken for it. Short regions wake them where
/// they take more than half of the time, once they have lost what waking costs.
bool isWorthHelp(Pool &p, int helpers, int64_t picoseconds) {
  if (picoseconds >= kWakeWorth ||
      p.workers.load(std::memory_order_relaxed) - p.sleeping.load(std::memory_order_relaxed) >= helpers)
    return true;
  const auto now = std::chrono::steady_clock::now();
  const int64_t elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(now - p.lastSkip).count();
  p.lastSkip = now;
  p.skipped = std::max<int64_t>(0, p.skipped - std::min<int64_t>(elapsed, kWakeWorth) * 500) + picoseconds;
  if (p.skipped < kWakeWorth)
    return false;
  p.skipped = 0;
  return true;
}

/// Where a worker runs: moved by the regions it joins, at most once for each that wants other cores than the last.
class Place {
public:
  void move(const CoreSet *cores) noexcept {
    const uint64_t wanted = cores ? cores->id() : 0;
    if (wanted == current_)
      return;
    // Refused if the cores have gone meanwhile: then the worker stays where it is.
    if (pthread_setaffinity_np(pthread_self(), sizeof(cpu_set_t), cores ? &cores->set() : &own_) == 0)
      current_ = wanted;
  }

private:
  const cpu_set_t own_ = allowedCores();
  uint64_t current_ = 0;
};

void work(int number) {
  FloatEnvironment environment;
  Place place;
  insideRegion = true;
  Pool &p = pool();
  uint32_t lastEpoch = ~0u;
  int spins = 0;
  for (;;) {
    uint32_t state = p.state.load(std::memory_order_acquire);
    if ((state & kOpen) && state >> 16 != lastEpoch) {
      if (!p.state.compare_exchange_weak(state, state + 1, std::memory_order_acquire))
        continue;
      lastEpoch = state >> 16;
      if (p.joined.fetch_add(1, std::memory_order_relaxed) < p.helpers) {
        place.move(p.cores);
        runTasks(p, 1 + (number - 1) % p.helpers);
      }
      uint32_t before = p.state.fetch_sub(1, std::memory_order_acq_rel);
      if (!(before & kOpen) && (before & kInside) == 1)
        p.state.notify_all();
      spins = 0;
    } else if (++spins < kSpins) {
      _mm_pause();
    } else {
      p.sleeping.fetch_add(1, std::memory_order_relaxed);
      p.state.wait(state, std::memory_order_acquire);
      p.sleeping.fetch_sub(1, std::memory_order_relaxed);
      spins = 0;
    }
  }
}

/// Grows the pool; with fewer threads than asked for, regions just run on fewer.
void ensureWorkers(Pool &p, int wanted) {
  wanted = std::min(wanted, kMostWorkers);
  int have = p.workers.load(std::memory_order_relaxed);
  if (have >= wanted)
    return;
  sigset_t all, before; // signals are the user's threads' business
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    for (; have < wanted; ++have)
      std::thread(work, have + 1).detach();
  } catch (const std::system_error &) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  p.workers.store(have, std::memory_order_relaxed);
}

} // namespace

void detail::parallelRun(const ThreadTeam &team, int64_t tasks, int64_t picoseconds, TaskFunction function,
                         void *context) {
  Pool &p = pool();
  const int helpers = static_cast<int>(std::min<int64_t>({team.count - 1, tasks - 1, kMostWorkers}));
  bool alone = insideRegion || p.busy.exchange(true, std::memory_order_acquire);
  if (!alone && !isWorthHelp(p, helpers, picoseconds)) {
    p.busy.store(false, std::memory_order_release);
    alone = true;
  }
  if (alone) {
    for (int64_t task = 0; task < tasks; ++task)
      function(context, task);
    return;
  }
  ensureWorkers(p, helpers);
  p.function = function;
  p.context = context;
  p.helpers = helpers;
  p.cores = team.cores;
  for (int r = 0; r <= helpers; ++r) {
    p.ranges[r].next.store(tasks * r / (helpers + 1), std::memory_order_relaxed);
    p.ranges[r].end = tasks * (r + 1) / (helpers + 1);
  }
  p.joined.store(0, std::memory_order_relaxed);
  p.failed.store(false, std::memory_order_relaxed);
  uint32_t epoch = (p.state.load(std::memory_order_relaxed) >> 16) + 1;
  p.state.store(epoch << 16 | kOpen, std::memory_order_seq_cst);
  p.state.notify_all();

  insideRegion = true;
  runTasks(p, 0);
  insideRegion = false;

  uint32_t state = p.state.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
  for (int spins = 0; state & kInside; state = p.state.load(std::memory_order_acquire)) {
    if (++spins < kSpins)
      _mm_pause();
    else
      p.state.wait(state, std::memory_order_acquire);
  }
  std::exception_ptr error = std::exchange(p.error, nullptr);
  p.busy.store(false, std::memory_order_release);
  if (error)
    std::rethrow_exception(error);
}

CoreSet::CoreSet(std::span<const int> cores) noexcept {
  static std::atomic<uint64_t> next{1};
  id_ = next.fetch_add(1, std::memory_order_relaxed);
  CPU_ZERO(&set_);
  for (int core : cores)
    CPU_SET(core, &set_);
}

cpu_set_t allowedCores() noexcept {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return set;
  CPU_ZERO(&set);
  for (unsigned core = 0; core < std::max(1u, std::thread::hardware_concurrency()); ++core)
    CPU_SET(core, &set);
  return set;
}

int hardwareThreads() noexcept {
  const cpu_set_t set = allowedCores();
  return std::max(1, CPU_COUNT(&set));
}

void registerPoolForkHandlers() { pool(); }

int poolWorkers() noexcept { return pool().workers.load(std::memory_order_relaxed); }

} // namespace tenferro::runtime
