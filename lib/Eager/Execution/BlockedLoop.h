// Operations over one space of axes that run together, one block of the space after the other: what lies between them
// stays in the caches.
#ifndef TENFERRO_EAGER_EXECUTION_BLOCKEDLOOP_H
#define TENFERRO_EAGER_EXECUTION_BLOCKEDLOOP_H

#include "runtime/kernels/Tier0.h"
#include "runtime/launch/LaunchContext.h"
#include "tenferro/Shape.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tenferro::eager {

/// A set of axes of the space, by bit.
using AxisSet = uint32_t;

/// The operations as plain data. Kernels are the precompiled ones, so a block has the bits of the whole: an
/// element-wise kernel does not see where it starts, and a reduction's tree depends on its own slice, which no block
/// cuts. Only where all axes are reduced and memory has the order of the elements, blocks end where those of the tree
/// do.
struct BlockedLoop {
  struct Value {
    DType dtype{};
    AxisSet axes = 0;          ///< along which it moves; it is one element along the others
    void *array = nullptr;     ///< all of it; null: it is needed inside a block alone
    IntList strides;           ///< of the array, in elements, by axis of the space; 0 where it does not move
    bool isCoordinate = false; ///< no memory: an i64 that is 0 at the origin and grows by the strides

    bool isOfBlock() const noexcept { return !array && !isCoordinate; }
  };
  struct Step {
    const runtime::Tier0Kernel *kernel = nullptr; ///< of a map or a reduction
    AxisSet axes = 0;                             ///< of the elements it visits
    AxisSet reduced = 0; ///< of a reduction: some of them; if that is all of the space, no step reads the result
    uint32_t inputs = 0;
    std::array<uint32_t, 4> values{}; ///< by number: inputs, then the result
  };

  IntList extents; ///< of the space; none is 0
  IntList order;   ///< its axes, the one whose elements lie closest first
  std::vector<Value> values;
  std::vector<Step> steps; ///< in order; each value is the result of one at most

  /// What steps reduce.
  AxisSet reduced() const noexcept;
  /// The axes longer than 1.
  AxisSet longAxes() const noexcept;

  /// Runs all steps. Returns the smallest status of the kernels. Raises OutOfMemory. The caller holds a
  /// FloatEnvironment.
  runtime::Status run(const runtime::LaunchContext &context) const;

  /// The same with one axis, if every value has all long axes or none and memory has the order of the elements.
  std::optional<BlockedLoop> flattened() const;

  /// Elements of the smallest block that leaves whole what is in `reduced` and reads memory in whole lines.
  int64_t smallestBlock(AxisSet reduced) const noexcept;
  /// Elements of a block at most: so many that a kernel's call is worth it, also of one that makes an element of each
  /// row, and that a few values lie in the near caches; where no step reduces rows, in the nearest one.
  static constexpr int64_t kBlock = 16384, kBlockWithoutRows = 2048;
};

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_EXECUTION_BLOCKEDLOOP_H
