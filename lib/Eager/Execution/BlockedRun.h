// The operations of one composite, which run together over blocks of the elements instead of one after the other over
// all of them.
//
// A composite is recorded as ever: the same nodes, the same values kept. Only its values come later. An operation that
// can wait gives a pending tensor, which has a type and no memory; at the end those that somebody can still see (the
// result, what a node keeps) get memory, and the others exist in one block at a time.
#ifndef TENFERRO_EAGER_EXECUTION_BLOCKEDRUN_H
#define TENFERRO_EAGER_EXECUTION_BLOCKEDRUN_H

#include "lib/Core/Graph.h"
#include "lib/Eager/Execution/BlockedLoop.h"
#include "tenferro/Tensor.h"

#include <optional>
#include <span>
#include <vector>

namespace tenferro::eager {

/// Belongs to the thread that runs the composite. No pending tensor may leave the composite before `run`; where it
/// throws, all of them are given up with the records that hold them.
class BlockedRun {
public:
  static constexpr size_t kMostAxes = 32;

  /// For operations around the shape of `like`, which has elements and at most `kMostAxes` axes, in the order in which
  /// its elements lie.
  BlockedRun(const Tensor &like, const runtime::LaunchContext &context);
  BlockedRun(const BlockedRun &) = delete;

  /// The result of an operation whose shape rule holds, pending; nothing if it cannot wait, then it finds no operand
  /// that is pending. The caller holds a FloatEnvironment. Errors: as `run`.
  std::optional<Tensor> add(core::OpKind kind, std::span<const Tensor *const> operands,
                            const core::Attributes &attributes, DType dtype, const Shape &shape);

  /// Gives memory to what can be seen from outside and computes it. Raises OutOfMemory. The caller holds a
  /// FloatEnvironment.
  void run();

private:
  /// Where the elements of a tensor come from.
  enum class Source : uint8_t {
    Memory, ///< they are there
    Loop,   ///< pending, inside the loop
    Behind, ///< pending, a result of a reduction of all elements, or made of such
  };
  /// A tensor and the value of the loop that it is, or is a view of.
  struct Entry {
    Tensor tensor;
    uint32_t value;
    IntList axes; ///< of the space, by dimension of the tensor; -1 for one of extent 1 that has none
    Source source;
  };
  /// A small operation that runs behind the loop.
  struct Operation {
    core::OpKind kind;
    std::vector<Tensor> operands;
    core::Attributes attributes;
    Tensor result;
  };

  static constexpr uint32_t kNoValue = ~uint32_t{0}; ///< of what operations behind the loop make

  Entry *findPending(const Tensor &tensor) noexcept;
  Entry *find(const Tensor &tensor, Source source) noexcept;
  bool isSpace(const Shape &shape) const noexcept;
  AxisSet setOf(const IntList &axes) const noexcept;
  uint32_t valueOf(const Tensor &tensor, const IntList &axes);
  std::optional<Tensor> addBehind(core::OpKind kind, std::span<const Tensor *const> operands,
                                  const core::Attributes &attributes, DType dtype, const Shape &shape);
  Tensor addPending(DType dtype, const Shape &shape, const IntList &axes, BlockedLoop::Step &step);
  std::optional<Tensor> addView(core::OpKind kind, const Entry &entry, const core::Attributes &attributes,
                                const Shape &shape);
  std::optional<Tensor> addMap(core::OpKind kind, std::span<const Tensor *const> operands,
                               const core::Attributes &attributes, DType dtype, const Shape &shape);
  std::optional<Tensor> addOneHot(const Tensor &indices, const core::Attributes &attributes, DType dtype,
                                  const Shape &shape);
  std::optional<Tensor> addReduction(core::OpKind kind, const Tensor &operand, const core::Attributes &attributes,
                                     DType dtype, const Shape &shape);
  void placeVisible();
  void runBehind();

  const runtime::LaunchContext context_;
  Shape shape_;
  IntList identity_; ///< axis d for dimension d
  BlockedLoop loop_;
  std::vector<Entry> entries_;
  std::vector<Operation> behind_;
};

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_EXECUTION_BLOCKEDRUN_H
