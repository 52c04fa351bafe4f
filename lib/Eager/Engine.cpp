// CpuEngine: threads and the instruction set, checked once.
#include "tenferro/Engine.h"

#include "runtime/cpu/CpuLevel.h"
#include "runtime/threads/ThreadPool.h"

#include <algorithm>

namespace tenferro {

namespace {

int checkThreads(int threads) {
  if (threads >= 1)
    return threads;
  Failure failure;
  failure.kind = ErrorKind::InvalidArgument;
  failure.op = "CpuEngine";
  failure.argument = "threads";
  failure.message = "expects at least 1 thread, but got " + std::to_string(threads);
  raise(std::move(failure));
}

CpuFeatures checkFeatures(std::optional<CpuFeatures> wanted) {
  const auto best = static_cast<CpuFeatures>(runtime::cpuLevel());
  if (!wanted || *wanted == best)
    return best;
  if (*wanted == CpuFeatures::V3)
    return *wanted; // below the best
  Failure failure;
  failure.op = "CpuEngine";
  failure.argument = "features";
  failure.kind = *wanted == CpuFeatures::V4 ? ErrorKind::Unsupported : ErrorKind::InvalidArgument;
  failure.message = *wanted == CpuFeatures::V4 ? "x86-64-v4 was asked for, but this machine has x86-64-v3"
                                               : "expects V3 or V4, but got " + std::to_string(static_cast<int>(*wanted));
  raise(std::move(failure));
}

std::shared_ptr<const runtime::CoreSet> checkCores(const std::vector<int> &cores) {
  if (cores.empty())
    return nullptr;
  const cpu_set_t allowed = runtime::allowedCores();
  auto fail = [](std::string message) {
    Failure failure;
    failure.kind = ErrorKind::InvalidArgument;
    failure.op = "CpuEngine";
    failure.argument = "cores";
    failure.message = std::move(message);
    raise(std::move(failure));
  };
  for (auto core = cores.begin(); core != cores.end(); ++core) {
    if (*core < 0 || *core >= CPU_SETSIZE || !CPU_ISSET(*core, &allowed))
      fail("expects cores that this thread may use, but got " + std::to_string(*core));
    if (std::find(cores.begin(), core, *core) != core)
      fail("expects every core once, but got " + std::to_string(*core) + " twice");
  }
  return std::make_shared<const runtime::CoreSet>(cores);
}

} // namespace

ExecutionEngine::~ExecutionEngine() = default;

CpuEngine::CpuEngine(const CpuEngineOptions &options)
    : threads_(checkThreads(options.threads)), features_(checkFeatures(options.features)), cores_(options.cores),
      placement_(checkCores(options.cores)) {}
CpuEngine::~CpuEngine() = default;

int CpuEngine::hardwareThreads() noexcept { return runtime::hardwareThreads(); }

} // namespace tenferro
