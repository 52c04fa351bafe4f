// The tables of the kernels linked into this library.
#include "runtime/kernels/KernelTable.h"

namespace tenferro::runtime {

/// Never destroyed: destructors of static objects may compute.
static const KernelTable &makeTable(CpuLevel level) {
  size_t count = 0;
  const Tier0Kernel *kernels = tier0Kernels(level, &count);
  return *new KernelTable({kernels, count});
}

const KernelTable &KernelTable::forLevel(CpuLevel level) {
  if (level == CpuLevel::V4) {
    static const KernelTable &table = makeTable(CpuLevel::V4);
    return table;
  }
  static const KernelTable &table = makeTable(CpuLevel::V3);
  return table;
}

const Tier0Kernel *findKernel(CpuLevel level, std::string_view name) { return KernelTable::forLevel(level).find(name); }

} // namespace tenferro::runtime
