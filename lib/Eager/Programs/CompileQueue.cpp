// One thread, one lock, and the ends a process can come to.
#include "lib/Eager/Programs/CompileQueue.h"

#include "lib/Eager/Failures.h"
#include "lib/Eager/ForkLocks.h"
#include "lib/Eager/Programs/CompilerLibrary.h"
#include "lib/Eager/ThreadOwned.h"
#include "runtime/cache/DiskCache.h"
#include "runtime/cpu/CpuLevel.h"
#include "runtime/memory/Buffer.h"
#include "runtime/program/CodeSlabs.h"
#include "runtime/threads/ThreadPool.h"

#include <cstdlib>
#include <new>
#include <pthread.h>
#include <signal.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tenferro::eager {

namespace {

/// The main thread's objects end before any destructor of a static object runs, so this is the one place that is ahead
/// of those of libraries that are being loaded while a task is in flight.
struct MainThread {
  ~MainThread() {
    if (getpid() == gettid())
      CompileQueue::get().pause();
  }
};

} // namespace

//===- CompileLedger --------------------------------------------------------------------------------------------===//

void CompileLedger::countDone(std::chrono::steady_clock::duration took) noexcept {
  auto nanoseconds = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
  done_.fetch_add(1, std::memory_order_relaxed);
  nanoseconds_.fetch_add(nanoseconds, std::memory_order_relaxed);
  uint64_t longest = longest_.load(std::memory_order_relaxed);
  while (longest < nanoseconds && !longest_.compare_exchange_weak(longest, nanoseconds, std::memory_order_relaxed)) {
  }
}

CompileStats CompileLedger::stats() const noexcept {
  CompileStats stats;
  stats.queued = queued_.load(std::memory_order_relaxed);
  stats.inFlight = running_.load(std::memory_order_relaxed);
  stats.done = done_.load(std::memory_order_relaxed);
  stats.failed = failed_.load(std::memory_order_relaxed);
  stats.dropped = dropped_.load(std::memory_order_relaxed);
  stats.seconds = static_cast<double>(nanoseconds_.load(std::memory_order_relaxed)) * 1e-9;
  stats.longestSeconds = static_cast<double>(longest_.load(std::memory_order_relaxed)) * 1e-9;
  return stats;
}

//===- CompileQueue ---------------------------------------------------------------------------------------------===//

CompileQueue &CompileQueue::get() {
  static auto *queue = new CompileQueue; // never destroyed: static objects of the user may ask for derivatives
  return *queue;
}

CompileQueue::CompileQueue() {
  runtime::registerMemoryForkHandlers();
  runtime::registerCodeForkHandlers();
  runtime::registerPoolForkHandlers();
  registerModuleTable();
  registerFunctionTable();
  runtime::registerDiskForkHandlers();
  waitAtFork();
}

//===- Forks ----------------------------------------------------------------------------------------------------===//

namespace {

/// As this library is loaded: handlers that are registered while a fork is under way do not run in it, and the child
/// would find locks taken by threads that it does not have.
[[gnu::constructor]] void registerForkHandlers() {
  CompileQueue::get();
  try {
    runtime::cpuLevel(); // its guard is a lock too
  } catch (...) {        // a CPU that is too old: the first call tells
  }
}

/// Of the handlers around a fork: they are registered once by the queue and once more by whoever has registered others
/// since.
constinit thread_local int forkDepth = 0;
} // namespace

void CompileQueue::waitAtFork() noexcept { pthread_atfork(beforeFork, afterForkInParent, afterForkInChild); }

void CompileQueue::beforeFork() noexcept {
  if (forkDepth++)
    return;
  CompileQueue &queue = get();
  std::unique_lock lock(queue.mutex_);
  ++queue.forking_;
  // Only once, so that a process that forks all the time gets its programs.
  if (queue.running_ && !queue.isRepeated_)
    queue.abandoned_.store(true, std::memory_order_relaxed);
  queue.done_.wait(lock, [&] { return !queue.running_ || queue.isWorker(); });
  lock.unlock(); // no task starts, but a call of the compiler that is waited for may add one
  lockCompilerLibrary();
  lock.lock();
  --queue.forking_;
  lock.release(); // stays locked
}

void CompileQueue::afterForkInParent() noexcept {
  if (--forkDepth)
    return;
  unlockCompilerLibrary(/*inChild=*/false);
  get().wanted_.notify_one();
  get().mutex_.unlock();
}

void CompileQueue::afterForkInChild() noexcept {
  if (--forkDepth)
    return;
  unlockCompilerLibrary(/*inChild=*/true);
  // The thread and those that waited are not in this process; the memory of their objects is.
  CompileQueue &queue = get();
  new (&queue.thread_) std::thread;
  new (&queue.wanted_) std::condition_variable;
  new (&queue.done_) std::condition_variable;
  queue.worker_.store({}, std::memory_order_relaxed);
  queue.forking_ = 0;
  for (Entry &entry : queue.tasks_)
    entry.isOwed = false; // by the parent
  queue.mutex_.unlock();
}

//===- Tasks ----------------------------------------------------------------------------------------------------===//

void CompileQueue::start() {
  if (thread_.joinable())
    return;
  sigset_t all, before; // signals are for the user's threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error &) { // `thread_` stays empty
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool CompileQueue::add(std::shared_ptr<CompileLedger> ledger, Task task, bool isOwed) {
  ThreadOwned<MainThread>::get();
  std::lock_guard lock(mutex_);
  if (closed_)
    return false;
  start();
  if (!thread_.joinable())
    return false;
  if (!std::exchange(closesAtExit_, true))
    closeAtExit();
  paused_ = false;
  if (ledger)
    ledger->queued_.fetch_add(1, std::memory_order_relaxed);
  tasks_.push_back({std::move(ledger), std::move(task), isOwed});
  wanted_.notify_one();
  return true;
}

bool CompileQueue::isWorker() const noexcept {
  return worker_.load(std::memory_order_relaxed) == std::this_thread::get_id();
}

void CompileQueue::finish(const CompileLedger &ledger) {
  if (isWorker())
    raise(failureOf(ErrorKind::RuntimeState, "finishCompiles", {},
                    "expects a thread that it does not wait for, but this one compiles"));
  std::unique_lock lock(mutex_);
  auto isDone = [&] {
    return closed_ ||
           ledger.queued_.load(std::memory_order_relaxed) + ledger.running_.load(std::memory_order_relaxed) == 0;
  };
  if (isDone())
    return;
  start(); // of a forked child
  if (!thread_.joinable())
    return;
  paused_ = false;
  wanted_.notify_one();
  done_.wait(lock, isDone);
}

void CompileQueue::pause() noexcept {
  if (isWorker())
    return;
  std::unique_lock lock(mutex_);
  paused_ = true;
  abandoned_.store(running_, std::memory_order_relaxed);
  done_.wait(lock, [&] { return !running_; });
}

void CompileQueue::close() noexcept {
  if (isWorker())
    return; // a callback of the user ends the process from inside of a task
  std::unique_lock lock(mutex_);
  closed_ = true;
  abandoned_.store(running_, std::memory_order_relaxed);
  wanted_.notify_all();
  done_.notify_all(); // those that wait for tasks that never start
  done_.wait(lock, [&] { return !running_; });
  std::thread ending = std::move(thread_);
  std::deque<Entry> owed;
  for (Entry &entry : tasks_)
    if (std::exchange(entry.isOwed, false))
      owed.push_back(std::move(entry));
  lock.unlock();
  if (ending.joinable())
    ending.join();
  for (Entry &entry : owed)
    entry.task(abandoned_);
}

void CompileQueue::closeAtExit() noexcept {
  std::atexit([] { get().close(); });
}

void CompileQueue::work() {
  worker_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  std::unique_lock lock(mutex_);
  for (;;) {
    wanted_.wait(lock, [&] { return closed_ || (!paused_ && !forking_ && !tasks_.empty()); });
    if (closed_)
      return;
    Entry entry = std::move(tasks_.front());
    tasks_.pop_front();
    running_ = true;
    isRepeated_ = entry.wasAbandoned;
    if (entry.ledger) {
      entry.ledger->queued_.fetch_sub(1, std::memory_order_relaxed);
      entry.ledger->running_.fetch_add(1, std::memory_order_relaxed);
    }
    lock.unlock();
    const bool isDone = entry.task(abandoned_);
    if (isDone)
      entry.task = nullptr; // with what it held
    lock.lock();
    running_ = false;
    abandoned_.store(false, std::memory_order_relaxed);
    if (entry.ledger) {
      entry.ledger->running_.fetch_sub(1, std::memory_order_relaxed);
      entry.ledger->queued_.fetch_add(!isDone, std::memory_order_relaxed);
    }
    if (!isDone) {
      entry.wasAbandoned = true;
      tasks_.push_front(std::move(entry));
    }
    done_.notify_all();
  }
}

} // namespace tenferro::eager
