// What every launch driver runs with.
#ifndef TENFERRO_RUNTIME_LAUNCH_LAUNCHCONTEXT_H
#define TENFERRO_RUNTIME_LAUNCH_LAUNCHCONTEXT_H

#include "runtime/core/KernelAbi.h"
#include "runtime/threads/ThreadTeam.h"

namespace tenferro::runtime {

class KernelTable;

/// The level's kernels and the threads a driver may use. Cheap to copy; the table and the cores outlive it.
///
/// Drivers give the same bits for every thread count, stride pattern and operand address. They neither set the
/// floating-point environment (hold a `FloatEnvironment`) nor check shapes (lib/Core's rules have).
struct LaunchContext {
  const KernelTable *kernels = nullptr;
  ThreadTeam threads = {};
};

/// What a map or a reduction that is one call of its kernel is called with beside the addresses; strides by operand.
struct KernelCall {
  const int64_t *inner = nullptr, *outer = nullptr;
  int64_t n = 0, m = 0;
  explicit operator bool() const noexcept { return inner != nullptr; }
};

inline constexpr Status combine(Status a, Status b) { return a < b ? a : b; }

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_LAUNCH_LAUNCHCONTEXT_H
