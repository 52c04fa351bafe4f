// The log function of the process.
#include "runtime/core/Log.h"

#include "tenferro/Log.h"

#include <cstdio>
#include <memory>
#include <mutex>

namespace tenferro {

namespace {

/// Never destroyed: threads may warn while the process exits.
struct Sink {
  std::mutex lock;
  std::shared_ptr<const LogFunction> function;
};
Sink &sink() {
  static Sink *made = new Sink;
  return *made;
}

} // namespace

void setLogFunction(LogFunction function) {
  auto shared = function ? std::make_shared<const LogFunction>(std::move(function)) : nullptr;
  std::lock_guard lock(sink().lock);
  sink().function.swap(shared); // the old one is destroyed after the lock is gone
}

namespace runtime {

void logWarning(std::string_view line) noexcept {
  try {
    std::shared_ptr<const LogFunction> function;
    {
      std::lock_guard lock(sink().lock);
      function = sink().function;
    }
    if (function)
      (*function)(line);
    else
      std::fprintf(stderr, "tenferro: %.*s\n", static_cast<int>(line.size()), line.data());
  } catch (...) { // a warning is no reason to fail
  }
}

} // namespace runtime
} // namespace tenferro
