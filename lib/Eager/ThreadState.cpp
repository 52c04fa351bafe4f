// Guards, scopes and the current session of a thread.
#include "lib/Eager/ThreadState.h"

#include "tenferro/EagerRuntime.h"

#include <utility>

namespace tenferro {

namespace eager {
thread_local constinit ThreadState threadState;
} // namespace eager

using eager::threadState;

namespace {
EagerRuntime &requireRuntime(const std::shared_ptr<EagerRuntime> &runtime) {
  if (runtime)
    return *runtime;
  Failure failure;
  failure.kind = ErrorKind::InvalidArgument;
  failure.op = "Scope";
  failure.argument = "runtime";
  failure.message = "expects a runtime, but got null";
  raise(std::move(failure));
}
} // namespace

NoGradGuard::NoGradGuard() { ++threadState.noGrad; }
NoGradGuard::~NoGradGuard() { --threadState.noGrad; }
CaptureGuard::CaptureGuard() { ++threadState.capture; }
CaptureGuard::~CaptureGuard() { --threadState.capture; }

EagerRuntime::SessionEntry::SessionEntry(EagerRuntime &runtime, ExecutionEngine &engine)
    : session_(runtime, engine), previous_(std::exchange(threadState.session, &session_)) {}
EagerRuntime::SessionEntry::~SessionEntry() { threadState.session = previous_; }

Scope::Scope(const std::shared_ptr<EagerRuntime> &runtime, ExecutionEngine &engine)
    : runtime_(runtime), session_(requireRuntime(runtime), engine),
      previous_(std::exchange(threadState.session, &session_)) {}
Scope::~Scope() { threadState.session = previous_; }

EagerSession &currentSession() {
  if (threadState.session)
    return *threadState.session;
  Failure failure;
  failure.kind = ErrorKind::RuntimeState;
  failure.phase = Phase::GraphBuild;
  failure.op = "currentSession";
  failure.message = "expects an open session or a Scope in this thread, but there is none";
  raise(std::move(failure));
}

} // namespace tenferro
