// The tables of the kernels linked into this library.
#include "runtime/core/FirstUse.h"
#include "runtime/kernels/KernelTable.h"

namespace tenferro::runtime {

static KernelTable makeTable(CpuLevel level) {
  size_t count = 0;
  const Tier0Kernel *kernels = tier0Kernels(level, &count);
  return KernelTable({kernels, count});
}

const KernelTable &KernelTable::forLevel(CpuLevel level) {
  static constinit FirstUse<KernelTable> v3, v4;
  return (level == CpuLevel::V4 ? v4 : v3).get([&] { return makeTable(level); });
}

const Tier0Kernel *findKernel(CpuLevel level, std::string_view name) { return KernelTable::forLevel(level).find(name); }

} // namespace tenferro::runtime
