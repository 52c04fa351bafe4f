// Guards, scopes and the current session of a thread.
#include "lib/Eager/ThreadState.h"

#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/Failures.h"
#include "lib/Eager/Located.h"
#include "lib/Eager/RuntimeState.h"

#include <utility>

namespace tenferro {

namespace eager {
thread_local constinit ThreadState threadState __attribute__((tls_model("initial-exec")));
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

void EagerSession::enter() noexcept {
  detail::EagerAccess::state(*runtime_).registerEngine(engine_->kind());
  previous_ = std::exchange(threadState.session, this);
}

void EagerSession::leave() noexcept {
  // Scopes on the heap may end in any order.
  EagerSession **link = &threadState.session;
  while (*link && *link != this)
    link = &(*link)->previous_;
  if (*link)
    *link = previous_;
}

EagerRuntime::SessionEntry::SessionEntry(EagerRuntime &runtime, ExecutionEngine &engine)
    : runtime_(runtime.shared_from_this()), session_(runtime, engine) {
  session_.enter();
}
EagerRuntime::SessionEntry::~SessionEntry() { session_.leave(); }

Scope::Scope(const std::shared_ptr<EagerRuntime> &runtime, ExecutionEngine &engine)
    : runtime_(runtime), session_(requireRuntime(runtime), engine) {
  session_.enter();
}
Scope::~Scope() { session_.leave(); }

static Failure noSession(std::string_view op) {
  return eager::failureOf(ErrorKind::RuntimeState, op, {},
                          "expects an open session or a Scope in this thread, but there is none");
}

EagerSession &eager::sessionFor(std::string_view op, const std::source_location &where) {
  if (threadState.session) [[likely]]
    return *threadState.session;
  raiseAt(noSession(op), where);
}

EagerSession &currentSession() {
  if (threadState.session)
    return *threadState.session;
  raise(noSession("currentSession"));
}

} // namespace tenferro
