// Walking the ancestors of a result: what a derivative is computed from, and the key of its structure.
#ifndef TENFERRO_EAGER_TRACE_WALK_H
#define TENFERRO_EAGER_TRACE_WALK_H

#include "lib/Core/Graph.h"
#include "lib/Eager/Trace/Record.h"
#include "runtime/cache/LruCache.h"
#include "runtime/core/KernelAbi.h"
#include "runtime/core/TensorView.h"
#include "runtime/memory/Buffer.h"
#include "tenferro/Engine.h"

#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tenferro::eager {

/// What a program is compiled for.
struct Target {
  uint8_t engineKind = 0;
  runtime::CpuLevel level = runtime::CpuLevel::V3;
};

/// Whether a value is one element under strides of 0: how a number beside a tensor is captured.
bool isRepeatedNumber(const runtime::TensorView &view) noexcept;

/// What is asked of a recording.
struct DerivativeRequest {
  core::TransformKind kind = core::TransformKind::Vjp;
  bool seedOnes = false;
  Record *output = nullptr;        ///< a leaf, node or result
  std::span<Record *const> wrt;    ///< leaves, nodes, results, variables (all their versions); no duplicates
  bool allVariables = false;       ///< wrt: every differentiable variable that is reached
  bool cutAtWrt = false;           ///< `wrt` are treated as leaves: nothing they were computed from is visited
  Target target;
  ExecutionEngine *engine = nullptr; ///< lent to rules of extension families that have to be read; null: one of its own
};

/// Views that belong to no tensor. They stay where they are until `clear`, which keeps their memory.
class ViewRoom {
public:
  runtime::TensorView &add() {
    if (used_ == views_.size())
      views_.emplace_back();
    return views_[used_++];
  }
  void clear() noexcept { used_ = 0; }

private:
  std::deque<runtime::TensorView> views_;
  size_t used_ = 0;
};

/// The visited part of a trace, in an order that its structure alone decides: operands before users, by first visit from the
/// output. The records are alive as long as the output is.
class Walk {
public:
  /// Visits, numbers and hashes; one walk of a runtime at a time. Calls of extension families are met with the rules that are
  /// installed now, read before if need be: raises what that raises.
  void run(RuntimeState &state, const DerivativeRequest &request);

  std::span<Record *const> leaves() const noexcept { return leaves_; }
  /// The value to bind for `leaves()[i]`: one element where the leaf is a number repeated (strides 0), else all. Either the leaf's
  /// own or in `room`.
  const runtime::TensorView *leafArgument(size_t i, ViewRoom &room) const;
  runtime::TensorView leafView(size_t i) const {
    ViewRoom room;
    return *leafArgument(i, room);
  }
  /// Nodes and calls, by number.
  std::span<Operation *const> operations() const noexcept { return operations_; }
  /// Nodes and results whose kept values are bound. Transposed or repeated views of a value stand for the value itself: the
  /// program takes the view again, which costs nothing, and reads fewer elements.
  size_t savedCount() const noexcept { return saved_.size(); }
  const Record *saved(size_t i) const noexcept { return saved_[i].record; }
  /// The value to bind for `saved(i)`; it aliases a kept value. Either that one's own or in `room`.
  const runtime::TensorView *savedArgument(size_t i, ViewRoom &room) const;
  runtime::TensorView savedView(size_t i) const {
    ViewRoom room;
    return *savedArgument(i, room);
  }
  /// The type of `saved(i)`'s value.
  const core::ValueType &savedType(size_t i) const noexcept;
  /// The reached part of `wrt`, in the order of the walk.
  std::span<Record *const> wrt() const noexcept { return wrt_; }
  /// Whether versions of one variable are among them; only if they are all variables.
  bool repeatsSlots() const noexcept { return repeatsSlots_; }
  /// Operations of `graph(true)` in front of `operations()`.
  uint32_t leadingOperations() const noexcept { return repeats_; }
  const runtime::CacheKey &key() const noexcept { return key_; }

  /// The trace as data: as the program that is run, whose inputs are the leaves (a repeated number is a rank-0 input and a broadcast
  /// in front of the operations), then the kept values; or, without `forRun`, as a function of the leaves as they are.
  core::Graph graph(bool forRun) const;
  /// The transform, in the numbers of `graph(forRun)`.
  core::Transform transform(bool forRun) const;

private:
  struct Frame {
    Operation *operation;
    uint32_t next;
  };
  /// Numbers as the key spells them: leaves even, results of operations odd.
  static uint32_t leafNumber(size_t i) noexcept { return static_cast<uint32_t>(2 * i); }
  static uint32_t resultNumber(size_t i) noexcept { return static_cast<uint32_t>(2 * i + 1); }
  uint32_t graphNumber(uint32_t number, bool forRun) const noexcept;

  /// A record of `wrt` that is cut and was not met yet.
  static constexpr uint32_t kCut = ~uint32_t{0};
  uint32_t numberOf(const Record *record) const noexcept;
  bool reached(const Record *record) const noexcept;
  void visit(Record *record);
  void addLeaf(Record *record);
  void finish(Operation *operation);
  void save(Record *record);
  void collectWrt(const DerivativeRequest &request);
  void hash(const DerivativeRequest &request);
  void clear() noexcept;
  /// One attempt; false if calls have to get their rules first.
  bool tryRun(RuntimeState &state, const DerivativeRequest &request);

  uint64_t epoch_ = 0;
  uint32_t results_ = 0; ///< values of the operations
  bool seedOnes_ = false, repeatsSlots_ = false;
  core::TransformKind kind_{};
  uint32_t outputNumber_ = 0;
  struct Saved {
    Record *record;
    Record *carrier;    ///< the record that keeps the value, a view of it or itself
    const Tensor *kept; ///< that of a call which keeps its results itself, or null
    uint32_t index;     ///< and which result it is
  };
  std::vector<Frame> stack_;
  std::vector<Record *> leaves_, wrt_;
  std::vector<Saved> saved_;
  std::vector<uint32_t> repeated_; ///< per leaf: 1 + its place among the repeated numbers, or 0
  uint32_t repeats_ = 0;
  size_t extents_ = 0; ///< of all leaves
  std::vector<Operation *> operations_;
  /// Functions with rules of this walk, by call: what the key spells is what `graph` writes, whatever is installed meanwhile.
  std::vector<std::pair<const Operation *, std::shared_ptr<const core::CustomFunction>>> customs_;
  /// Callees that may be replaced, as they were when the walk came by.
  std::vector<std::pair<const Operation *, std::shared_ptr<const core::DerivedFunction>>> callees_;
  std::vector<Call *> stale_; ///< calls that have to get their rules
  uint64_t installed_ = 0;    ///< epoch of the extensions
  std::vector<uint32_t> operandNumbers_; ///< of all operations, one after the other
  std::vector<uint32_t> wrtNumbers_, savedNumbers_;
  std::vector<uint64_t> words_; ///< room for those the key is the hash of
  runtime::CacheKey key_;
};

struct PreparedDerivative;
using PreparedCache = runtime::LruCache<const PreparedDerivative>;

/// What one call of a derivative needs beside its records; its memory is used again.
struct Workspace {
  Walk walk;
  /// Views of the records that are asked about, and in `room` those of none.
  std::vector<const runtime::TensorView *> arguments;
  ViewRoom room;
  std::vector<runtime::BufferRef> results;
  PreparedCache::Memo memo; ///< of the thread's last look-ups
};

/// A Workspace from the calling thread's spare one, given back at the end of the scope.
class WorkspaceLease {
public:
  WorkspaceLease();
  ~WorkspaceLease();
  WorkspaceLease(const WorkspaceLease &) = delete;
  Workspace &operator*() noexcept { return *workspace_; }
  Workspace *operator->() noexcept { return workspace_.get(); }

private:
  std::unique_ptr<Workspace> workspace_;
};

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_TRACE_WALK_H
