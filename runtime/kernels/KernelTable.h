// Finding precompiled kernels: by name for the compiler's programs, by operation in O(1) for the eager path.
#ifndef TENFERRO_RUNTIME_KERNELS_KERNELTABLE_H
#define TENFERRO_RUNTIME_KERNELS_KERNELTABLE_H

#include "lib/Core/OpSchema.h"
#include "runtime/kernels/Tier0.h"

#include <span>
#include <string_view>
#include <vector>

namespace tenferro::runtime {

/// The kernels of one level with their indices. Immutable.
class KernelTable {
public:
  /// `kernels` are sorted by name and outlive the table.
  explicit KernelTable(std::span<const Tier0Kernel> kernels);

  /// The table of the precompiled kernels of a level, built on first use.
  static const KernelTable &forLevel(CpuLevel level);

  /// The kernel of that name, or null.
  const Tier0Kernel *find(std::string_view name) const noexcept;

  /// The kernel of an operation, or null. `dtype` is the one after the mnemonic in the name ("select": of the branches,
  /// "iota": of the result, otherwise of operand 0), `aux` tells variants apart: compare's direction, or the result
  /// dtype of convert, cast and one_hot; otherwise 0. dot_general finds "matmul.<dtype>"; aux = 1 finds "dot.<dtype>".
  const Tier0Kernel *find(core::OpKind kind, DType dtype, uint32_t aux = 0) const noexcept {
    return aux < kAux
               ? byOperation_[(static_cast<size_t>(kind) * kDTypeCount + static_cast<size_t>(dtype)) * kAux + aux]
               : nullptr;
  }

  /// Kernels that drivers need by dtype alone; null where the dtype has none.
  const Tier0Kernel *add(DType dtype) const noexcept { return add_[static_cast<size_t>(dtype)]; }
  const Tier0Kernel *sum(DType dtype) const noexcept { return sum_[static_cast<size_t>(dtype)]; }
  const Tier0Kernel *matmul(DType dtype) const noexcept { return matmul_[static_cast<size_t>(dtype)]; }
  const Tier0Kernel *dot(DType dtype) const noexcept { return dot_[static_cast<size_t>(dtype)]; }

  std::span<const Tier0Kernel> kernels() const noexcept { return kernels_; }

private:
  static constexpr size_t kAux = kDTypeCount;

  std::span<const Tier0Kernel> kernels_;
  std::vector<const Tier0Kernel *> byOperation_;
  const Tier0Kernel *add_[kDTypeCount] = {};
  const Tier0Kernel *sum_[kDTypeCount] = {};
  const Tier0Kernel *matmul_[kDTypeCount] = {};
  const Tier0Kernel *dot_[kDTypeCount] = {};
};

/// The kernel of that name at that level, or null.
const Tier0Kernel *findKernel(CpuLevel level, std::string_view name);

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_KERNELS_KERNELTABLE_H
