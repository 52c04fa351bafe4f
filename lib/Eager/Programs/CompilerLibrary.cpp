// dlopen beside this library, with the compiler's symbols kept to itself.
#include "lib/Eager/Programs/CompilerLibrary.h"

#include "lib/Compiler/InterfaceId.h"
#include "lib/Eager/Programs/CompileQueue.h"
#include "lib/Eager/ThreadOwned.h"
#include "runtime/core/FloatEnvironment.h"

#include <atomic>
#include <condition_variable>
#include <dlfcn.h>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>

namespace tenferro::eager {

namespace {

[[noreturn]] void raiseUnopened(const std::string &path, const char *reason) {
  Failure failure;
  failure.kind = ErrorKind::Io;
  failure.phase = Phase::Compile;
  failure.op = "compile";
  failure.message = "expects the compiler library " + path + ", but " + (reason ? reason : "it cannot be opened");
  raise(std::move(failure));
}

/// The folder of the object file this function is in, with a slash; empty for the loader's own search path.
std::string ownFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&ownFolder), &info) || !info.dli_fname)
    return {};
  std::string file = info.dli_fname;
  size_t slash = file.rfind('/');
  return slash == std::string::npos ? std::string() : file.substr(0, slash + 1);
}

struct Entries {
  compiler::CompileEntry compile = nullptr;
  compiler::ExplainEntry explain = nullptr;
};

Entries open() {
  std::string path = compilerLibraryPath();
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    raiseUnopened(path, dlerror());
  void *interface = dlsym(library, compiler::kInterfaceEntryName);
  // A copy: the text is the library's, which closes.
  std::string built = interface ? reinterpret_cast<compiler::InterfaceEntry>(interface)() : "an older interface";
  if (built != compiler::kInterfaceId) {
    dlclose(library);
    std::string reason = "it was built with " + built + " and this library with " + compiler::kInterfaceId;
    raiseUnopened(path, reason.c_str());
  }
  void *compile = dlsym(library, compiler::kCompileEntryName), *explain = dlsym(library, compiler::kExplainEntryName);
  if (!compile || !explain)
    raiseUnopened(path, dlerror());
  return {reinterpret_cast<compiler::CompileEntry>(compile), reinterpret_cast<compiler::ExplainEntry>(explain)};
}

std::mutex &openingLock() {
  static auto *opening = new std::mutex; // never destroyed: a thread may be opening while the process exits
  return *opening;
}

/// Calls of the compiler, for forks: it has no handlers of its own here. They would not run in a fork that had begun
/// before the library was opened, and would run ahead of these in one that begins while it is.
class CallGate {
public:
  static CallGate &get() {
    static auto *gate = new CallGate; // never destroyed, as the lock above
    return *gate;
  }
  void enter() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !isClosed_; });
    ++calls_;
  }
  void leave() noexcept {
    std::lock_guard lock(mutex_);
    --calls_;
    changed_.notify_all();
  }
  /// After the calls in flight.
  void close() noexcept {
    std::unique_lock lock(mutex_);
    isClosed_ = true; // one fork at a time comes here
    changed_.wait(lock, [&] { return calls_ == 0; });
    lock.release(); // stays locked
  }
  void open(bool inChild) noexcept {
    isClosed_ = false;
    if (inChild)
      new (&changed_) std::condition_variable; // those that waited are not in this process
    else
      changed_.notify_all();
    mutex_.unlock();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int calls_ = 0;
  bool isClosed_ = false;
};

/// Stays open: code of the compiler may be on any stack.
const Entries &entries() {
  static std::atomic<bool> isOpen{false};
  static Entries opened;
  if (isOpen.load(std::memory_order_acquire))
    return opened;
  std::lock_guard lock(openingLock());
  if (!isOpen.load(std::memory_order_relaxed)) {
    opened = open();
    CompileQueue::waitAtFork();  // ahead of its locks
    CompileQueue::closeAtExit(); // ahead of its destructors
    isOpen.store(true, std::memory_order_release);
  }
  return opened;
}

constinit thread_local bool compiling = false;

/// The compiler runs one program at a time, so a dump function that compiles would wait for itself.
class Compiling {
public:
  Compiling() {
    if (compiling) {
      Failure failure;
      failure.kind = ErrorKind::RuntimeState;
      failure.phase = Phase::Compile;
      failure.op = "compile";
      failure.message = "expects a dump function that compiles nothing, but it asked for a new derivative";
      raise(std::move(failure));
    }
    CallGate::get().enter();
    compiling = true;
  }
  Compiling(const Compiling &) = delete;
  ~Compiling() {
    compiling = false;
    CallGate::get().leave();
  }
};

/// Made before the compiler's own objects of this thread, so that they are gone when it is.
struct ThreadAlive {};

template <typename Answer, typename Request>
core::Expected<Answer> callCompiler(core::Expected<Answer> (*entry)(const Request &), const Request &request) {
  runtime::FloatEnvironment environment; // the compiler computes with constants
  return entry(request);
}

/// On a fresh thread, for one that has begun to end: the compiler's objects of that one are gone.
template <typename Answer, typename Request>
core::Expected<Answer> callOnAnotherThread(core::Expected<Answer> (*entry)(const Request &), const Request &request) {
  std::optional<core::Expected<Answer>> answer;
  std::exception_ptr error;
  std::thread([&] {
    try {
      answer.emplace(callCompiler(entry, request));
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error)
    std::rethrow_exception(error);
  return std::move(*answer);
}

template <typename Answer, typename Request>
Answer ask(core::Expected<Answer> (*entry)(const Request &), const Request &request) {
  core::Expected<Answer> answer =
      ThreadOwned<ThreadAlive>::get() ? callCompiler(entry, request) : callOnAnotherThread(entry, request);
  if (!answer)
    raise(std::move(answer.failure()));
  return std::move(*answer);
}

} // namespace

/// Compiles d sum(x x) / dx once in each tier: the contexts, passes and target descriptions of both are ready then.
static void warmUp(const std::atomic<bool> &abandoned) {
  core::Graph graph;
  core::ValueType vector{DType::F64, Shape{2}}, scalar{DType::F64, Shape{}};
  graph.inputs = {vector};
  core::GraphOp square, total;
  square.kind = core::OpKind::Mul;
  square.operands = {0, 0};
  square.results = {vector};
  total.kind = core::OpKind::Sum;
  total.attributes = {1, 0};
  total.operands = {1};
  total.results = {scalar};
  graph.ops = {square, total};
  graph.outputs = {2};
  compiler::CompileRequest request;
  request.graph = &graph;
  request.transform.kind = core::TransformKind::Vjp;
  request.transform.wrt = {0};
  request.transform.seedOnes = true;
  request.abandoned = &abandoned;
  for (bool fuse : {false, true}) {
    request.fuse = request.background = fuse;
    compileProgram(request);
  }
}

/// A task of the queue; in steps, so that the end of the process waits for one alone.
static bool openAndWarmUp(const std::atomic<bool> &) {
  try {
    entries();
    CompileQueue::get().add(nullptr, [](const std::atomic<bool> &abandoned) {
      try {
        warmUp(abandoned);
      } catch (...) { // a miss tells
        return !abandoned;
      }
      return true;
    });
  } catch (...) { // the first miss tries again, and tells
  }
  return true;
}

void openCompilerInBackground() {
  static constinit std::atomic<bool> begun{false};
  if (begun.load(std::memory_order_relaxed) || begun.exchange(true))
    return;
  CompileQueue::get().add(nullptr, openAndWarmUp);
}

void lockCompilerLibrary() {
  openingLock().lock();
  CallGate::get().close();
}
void unlockCompilerLibrary(bool inChild) {
  CallGate::get().open(inChild);
  openingLock().unlock();
}

std::string compilerLibraryPath() { return ownFolder() + "libtenferro-compiler.so"; }

runtime::CompiledArtifact compileProgram(const compiler::CompileRequest &request) {
  const compiler::CompileEntry compile = entries().compile;
  Compiling guard;
  return ask(compile, request);
}

std::string explainProgram(const compiler::ExplainRequest &request) {
  const compiler::ExplainEntry explain = entries().explain;
  Compiling guard;
  return ask(explain, request);
}

} // namespace tenferro::eager
