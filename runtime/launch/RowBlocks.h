// Launches of a program that follow each other and treat every row of their operands by itself, run on a few rows after
// the other: what one of them writes is still in the caches when the next one reads it. Internal to the executor and
// the loader.
#ifndef TENFERRO_RUNTIME_LAUNCH_ROWBLOCKS_H
#define TENFERRO_RUNTIME_LAUNCH_ROWBLOCKS_H

#include "runtime/launch/LaunchMap.h"
#include "runtime/launch/LaunchReduce.h"
#include "runtime/program/ValueResolver.h"
#include "runtime/threads/Grain.h"
#include "runtime/threads/SharedStatus.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tenferro::runtime {

struct BoundLaunch;
struct Place;
struct Step;

/// Maps and reductions whose operands have equally many rows: positions along the last axis that is longer than 1. In
/// memory that one of them writes, each row lies apart from the others, at the same place for all of them.
class RowBlocks {
public:
  /// The groups among the launches of a program that are worth it, in order. The launches are bound already; the groups
  /// refer to `program` and `steps`.
  static std::vector<RowBlocks> find(const Program &program, ValueResolver &resolver,
                                     std::span<const BoundLaunch> launches,
                                     std::span<const std::unique_ptr<Step>> steps);

  size_t first() const noexcept { return first_; }
  size_t count() const noexcept { return members_.size(); }
  /// On the heap, about.
  size_t bytes() const noexcept;

  /// Runs all of them; the smallest status of each goes to `statuses`. The bits are those of the launches one by one:
  /// kernels do not see where a block starts, and the tree of a reduction lies in a row.
  void run(std::span<const Place> places, char *const *bases, const LaunchContext &context,
           std::span<SharedStatus> statuses) const;

private:
  friend class RowBlockFinder;

  /// A launch on so many rows.
  struct Plan {
    std::vector<TensorView> views;
    std::vector<const TensorView *> operands;
    std::optional<MapPlan> map;
    std::optional<ReducePlan> reduction;
  };
  struct Member {
    MapKernel kernel = nullptr; ///< of a map, if it is a JIT function: steps are shared by several
    uint32_t places = 0;        ///< as of the launch
    std::unique_ptr<const Plan> whole, last;
    std::vector<int64_t> rowStrides; ///< by operand, in bytes; steps of a coordinate
    std::vector<uint8_t> isInner;    ///< by operand: nobody reads it but members, so each thread has rows for one block
  };

  RowBlocks() = default;
  void runBlock(int64_t block, int64_t part, std::span<const Place> places, char *const *bases,
                const LaunchContext &context, std::span<SharedStatus> statuses) const;

  size_t first_ = 0;
  int64_t rows_ = 0, height_ = 0; ///< of a block
  Work work_;
  std::vector<Member> members_;
};

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_LAUNCH_ROWBLOCKS_H
