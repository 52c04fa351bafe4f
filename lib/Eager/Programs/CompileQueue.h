// The thread that compiles behind the user's back, and what is told about it.
#ifndef TENFERRO_EAGER_PROGRAMS_COMPILEQUEUE_H
#define TENFERRO_EAGER_PROGRAMS_COMPILEQUEUE_H

#include "tenferro/Cache.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace tenferro::eager {

/// What was compiled for the runtimes of one AdContext, and what still waits. Thread safe.
class CompileLedger {
public:
  /// A fused program was made, in whichever thread.
  void countDone(std::chrono::steady_clock::duration took) noexcept;
  void countFailed() noexcept { failed_.fetch_add(1, std::memory_order_relaxed); }
  /// Nobody was left to run the program.
  void countDropped() noexcept { dropped_.fetch_add(1, std::memory_order_relaxed); }
  CompileStats stats() const noexcept;

private:
  friend class CompileQueue;
  std::atomic<uint32_t> queued_{0}, running_{0}; ///< written under the queue's lock
  std::atomic<uint64_t> done_{0}, failed_{0}, dropped_{0}, nanoseconds_{0}, longest_{0};
};

/// One per process, with one thread that starts with the first task. Tasks run in order, one at a time, and throw
/// nothing.
///
/// End of the process: the task in flight is abandoned and waited for, others never start, but for those that are owed,
/// which run then; the queue takes none from then on. Fork: the task in flight is abandoned, once, and waited for;
/// parent and child both have it and the others (the child owes none), and the child starts a thread of its own when
/// somebody adds or waits.
class CompileQueue {
public:
  static CompileQueue &get();

  /// May end early once `abandoned` is true, and returns false if it did: it runs again if anything does.
  using Task = std::function<bool(const std::atomic<bool> &abandoned)>;
  /// False where no task runs any more: the process ends, or has no thread left to give. `ledger` may be null.
  /// `isOwed`: the end of the process runs it; takes milliseconds and does without the compiler.
  bool add(std::shared_ptr<CompileLedger> ledger, Task task, bool isOwed = false);
  /// Until no task of the ledger is left. Raises RuntimeState in a task.
  void finish(const CompileLedger &ledger);
  /// Whether the calling thread runs the tasks.
  bool isWorker() const noexcept;
  /// Abandons the task in flight and waits for it. Tasks start when somebody adds or waits again.
  void pause() noexcept;
  /// No task starts any more; abandons the one in flight and waits for it, and for the thread to end. Runs what is
  /// owed.
  void close() noexcept;
  /// Has forks wait for the task in flight before they take the locks whose handlers were registered so far, which it
  /// may need.
  static void waitAtFork() noexcept;
  /// Has `close` run ahead of the destructors of what was constructed so far.
  static void closeAtExit() noexcept;

private:
  struct Entry {
    std::shared_ptr<CompileLedger> ledger;
    Task task;
    bool isOwed = false;
    bool wasAbandoned = false;
  };
  CompileQueue();
  void work();
  void start(); ///< under the lock
  static void beforeFork() noexcept;
  static void afterForkInParent() noexcept;
  static void afterForkInChild() noexcept;

  std::mutex mutex_;
  std::condition_variable wanted_, done_;
  std::deque<Entry> tasks_;
  std::thread thread_;
  std::atomic<std::thread::id> worker_{};
  int forking_ = 0; ///< threads that are about to fork
  bool paused_ = false, closed_ = false, running_ = false;
  bool closesAtExit_ = false;          ///< registered with the first task
  bool isRepeated_ = false;            ///< the task in flight has been abandoned before
  std::atomic<bool> abandoned_{false}; ///< while one is in flight
};

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_PROGRAMS_COMPILEQUEUE_H
