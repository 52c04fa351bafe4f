// Records: what a tensor handle points to, and the immutable trace that handles and nodes form.
//
// Ownership goes one way: handles own records, nodes own their operands, variables own their current version, and
// nothing owns them back; dropping the loss frees everything. A record counts its handles as one reference, so that the
// value of a node can go with its last handle unless the residual mask of an operation keeps it.
#ifndef TENFERRO_EAGER_TRACE_RECORD_H
#define TENFERRO_EAGER_TRACE_RECORD_H

#include "lib/Core/Graph.h"
#include "lib/Eager/Trace/SmallBlocks.h"
#include "tenferro/Tensor.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tenferro::runtime {
struct LaunchContext;
} // namespace tenferro::runtime

namespace tenferro::eager {

class RuntimeState;

/// Whether two short lists are equal, without a call: they are looked at several times in every operation.
inline bool sameExtents(const IntList &a, const IntList &b) noexcept {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i])
      return false;
  return true;
}

/// Fills a default-made type, without a call where the rank is usual.
inline void setType(core::ValueType &type, DType dtype, const Shape &shape) {
  type.dtype = dtype;
  for (int64_t extent : shape)
    type.shape.push_back(extent);
}

/// A 128-bit hash.
struct Digest {
  uint64_t low = 0, high = 0;
  friend bool operator==(const Digest &, const Digest &) = default;
};

enum class RecordKind : uint8_t {
  Constant, ///< a value nobody differentiates by: a leaf
  Version,  ///< one value of a variable: a leaf
  Node,     ///< the result of an operation
  Result,   ///< one result of a call
  Variable, ///< what the handles of a variable point to: its current version and its slot; never in a trace
  Call,     ///< a derivative program that was run; its results are Result records
  Staged,   ///< a value of a function that is being recorded: a type without a value; never in a trace
};

/// Common part. Thread safety: counts are atomic; everything else is immutable once a second thread can see it, except what
/// its comment says. A cache line, in whose front lies what walks write; a node with two operands is two lines.
class Record {
public:
  Record(RecordKind kind, bool tracks, RuntimeState &state, const core::ValueType &type) noexcept
      : kind(kind), tracks(tracks), state(&state), type(type) {}
  Record(const Record &) = delete;
  Record &operator=(const Record &) = delete;

  bool isLeaf() const noexcept { return kind <= RecordKind::Version; }

  static void *operator new(size_t bytes) { return SmallBlocks::allocate(bytes); }
  static void operator delete(void *memory, size_t bytes) noexcept { SmallBlocks::free(memory, bytes); }

  std::atomic<uint32_t> references{1}; ///< operands of nodes, and one for all handles together
  std::atomic<uint32_t> handles{1};
  const RecordKind kind;
  const bool tracks;
  /// The value stays when the last handle goes. Set while a handle is alive.
  std::atomic<bool> kept{false};
  /// An untracked leaf that was recorded under a capture guard: derivatives by it are allowed.
  std::atomic<bool> captured{false};

  /// Of the last walk that came here. Guarded by the runtime's walk lock.
  uint32_t walkNumber = 0;
  uint64_t walkEpoch = 0;

  RuntimeState *const state;
  /// Of a node, where an operand has the same: the operand's, which lives as long. A call's of its results. Else the record's own.
  const core::ValueType &type;
  /// Of leaves: always there. Of nodes and results: while a handle is alive, or if kept.
  Tensor value;
  /// The user's call: of the operation; of a leaf, where it was made (of a variable's versions, where the variable
  /// was).
  std::source_location where;
  std::atomic<uint64_t> id{0}; ///< 0 until somebody asks
};
static_assert(sizeof(Record) == 64);

/// The gradient slot of a variable, shared by its versions. Counted; registered with the runtime.
class Slot {
public:
  Slot(RuntimeState &state, uint64_t id, bool counted);
  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept;

  uint64_t id() const noexcept { return id_; }
  Tensor gradient() const; ///< empty if there is none
  void clear();
  /// Becomes slot plus `gradient`.
  void accumulate(const Tensor &gradient, const runtime::LaunchContext &context);
  /// What that would make of the slot, which stays: with `keep`, many slots change together or, where memory runs out, not at all.
  struct Sum {
    Tensor before, after;
  };
  Sum sumWith(const Tensor &gradient, const runtime::LaunchContext &context) const;
  /// As `accumulate`, without adding again unless the slot has changed since `sum` was made.
  void keep(Sum sum, const Tensor &gradient, const runtime::LaunchContext &context);

private:
  friend class RuntimeState; // links and unlinks
  ~Slot();

  std::atomic<uint32_t> references_{1};
  RuntimeState &state_;
  const uint64_t id_;
  const bool counted_;

public:
  /// Of the last walk that had it among what it was to differentiate by. Guarded by the runtime's walk lock.
  uint64_t walkEpoch = 0;

private:
  mutable std::mutex lock_;
  Tensor gradient_;
  Slot *previous_ = nullptr, *next_ = nullptr; // of the runtime's list, under its lock
};

/// An untracked leaf.
class ConstantLeaf final : public Record {
public:
  ConstantLeaf(RuntimeState &state, Tensor &&tensor, const std::source_location &where);
  ConstantLeaf(RuntimeState &state, const Tensor &tensor, const std::source_location &where)
      : ConstantLeaf(state, Tensor(tensor), where) {}

private:
  core::ValueType type_;
};

class VersionLeaf final : public Record {
public:
  /// Takes over one reference to the slot.
  VersionLeaf(RuntimeState &state, bool tracks, Tensor tensor, Slot *slot, const std::source_location &where);
  Slot *const slot;

private:
  core::ValueType type_;
};

class Variable final : public Record {
public:
  Variable(RuntimeState &state, Tensor tensor, const std::source_location &where);

  /// The version of now, with a reference for the caller.
  VersionLeaf *current() const;
  Tensor currentValue() const;
  void assign(Tensor tensor);

  Slot *slot() const noexcept { return slot_; }
  /// Only for the release of the last reference.
  VersionLeaf *releaseVersion() noexcept { return current_; }

private:
  class Lock;
  mutable std::atomic<bool> locked_{false};
  VersionLeaf *current_;
  Slot *slot_;
  core::ValueType type_;
};

/// What nodes and calls share: operands and digest.
class Operation : public Record {
public:
  std::span<Record *const> operands() const noexcept; ///< behind the object
  std::span<const int64_t> attributes() const noexcept; ///< behind the operands

  Digest digest; ///< of the operation, its attributes and its result types
  /// A node that its thread made a few before this one, or null: a walk goes from the last to the first, and asks for the
  /// memory of what it may come to. Never followed: it may be gone.
  const void *earlier = nullptr;
  /// Which operands' values differentiation will read, by bit; operands beyond 31 are kept like 31.
  uint32_t keepOperands = 0;

protected:
  using Record::Record;
  uint32_t operandCount_ = 0, attributeCount_ = 0;

public:
  bool walkSaved = false; ///< a node's value is among what the last walk binds; guarded as walkEpoch
};

class Node final : public Operation {
public:
  /// One allocation for the node, its operands, its attributes and, where no operand has it, its type. Takes over one reference of
  /// each operand.
  static Node *create(RuntimeState &state, bool tracks, core::OpKind op, std::span<Record *const> operands,
                      std::span<const int64_t> attributes, DType dtype, const Shape &shape);
  /// Frees one that nothing refers to any more, without its operands.
  static void destroy(Node *node) noexcept;

  const core::OpKind op;
  bool keepResult = false;

private:
  Node(RuntimeState &state, bool tracks, core::OpKind op, const core::ValueType &type)
      : Operation(RecordKind::Node, tracks, state, type), op(op) {}
  static size_t ownTypeAt(size_t operands, size_t attributes) noexcept {
    return sizeof(Node) + operands * sizeof(Record *) + attributes * sizeof(int64_t);
  }
};
static_assert(sizeof(Node) + 3 * sizeof(Record *) == 128);

/// What makes a call one of a function with rules: a user's, or an operation of an extension family.
struct CustomPart {
  /// Null for a call of a family whose rules have not been read yet. Guarded by the runtime's walk lock, as the call's digest is.
  std::shared_ptr<const core::CustomFunction> function;
  uint64_t epoch = 0; ///< of a family's rules: the registry's when they were read; guarded too
  std::string family; ///< empty for a user's function
  IntList parameters;
  std::vector<Tensor> keptResults; ///< by result; empty where its rules do not read it

  const std::string &name() const noexcept { return family.empty() ? function->name : family; }
};

/// A derivative program that was run on the operands (leaves first, then cotangents or tangents), or a function with rules.
class Call final : public Operation {
public:
  static Call *create(RuntimeState &state, std::shared_ptr<const core::DerivedFunction> callee, Digest digest,
                      std::vector<core::ValueType> results, std::span<Record *const> operands);

  /// Keeps the values of the operands that `keepOperands` names; the digest of a family's call is set when its rules are read.
  static Call *createCustom(RuntimeState &state, CustomPart part, std::vector<core::ValueType> results,
                            std::span<Record *const> operands, const std::vector<bool> &keepOperands);
  /// Frees one that nothing refers to any more, without its operands.
  static void destroy(Call *call) noexcept;

  /// Null for a function with rules. Of a compiled function that calls families: guarded by the runtime's walk lock, as
  /// the digest is, since their rules may be replaced.
  std::shared_ptr<const core::DerivedFunction> callee;
  const bool isForward; ///< a compiled function, no derivative
  static constexpr uint64_t kNoFamilies = ~uint64_t{0};
  uint64_t familyEpoch = kNoFamilies; ///< of the families' rules in `callee`; guarded too
  const std::unique_ptr<CustomPart> custom;
  const std::vector<core::ValueType> results;
  /// Ids of the results inside the callee that somebody held when it was made: derivatives by them would have to reach inside.
  std::vector<uint64_t> inner;

private:
  Call(RuntimeState &state, std::shared_ptr<const core::DerivedFunction> callee, std::unique_ptr<CustomPart> custom,
       std::vector<core::ValueType> results)
      : Operation(RecordKind::Call, false, state, kNoType), callee(std::move(callee)),
        isForward(this->callee && this->callee->transform.kind == core::TransformKind::Forward), custom(std::move(custom)),
        results(std::move(results)) {}
  static void *allocate(size_t operands);
  void adopt(std::span<Record *const> operands) noexcept;
  static const core::ValueType kNoType;
};

inline std::span<Record *const> Operation::operands() const noexcept {
  const size_t bytes = kind == RecordKind::Node ? sizeof(Node) : sizeof(Call);
  return {reinterpret_cast<Record *const *>(reinterpret_cast<const char *>(this) + bytes), operandCount_};
}
inline std::span<const int64_t> Operation::attributes() const noexcept {
  return {reinterpret_cast<const int64_t *>(operands().data() + operandCount_), attributeCount_};
}

class CallResult final : public Record {
public:
  /// Retains the call.
  CallResult(RuntimeState &state, bool tracks, Call &call, uint32_t index);
  Call *const call;
  const uint32_t index;
  uint64_t savedEpoch = 0; ///< of the last walk that binds its value; guarded as walkEpoch
};

void retain(Record *record) noexcept;
/// Frees what nothing refers to any more, iteratively: chains of any length.
void release(Record *record) noexcept;
void retainHandle(Record *record) noexcept;
void releaseHandle(Record *record) noexcept;

inline void retain(Record *record) noexcept { record->references.fetch_add(1, std::memory_order_relaxed); }
inline void retainHandle(Record *record) noexcept { record->handles.fetch_add(1, std::memory_order_relaxed); }

/// What the user calls the operation: "mul", the name of a function with rules or of a family, "compiled", "grad".
std::string_view nameOf(const Operation &operation) noexcept;

/// One reference, released at the end of a scope.
class RecordRef {
public:
  RecordRef() noexcept = default;
  /// Takes over a reference.
  explicit RecordRef(Record *record) noexcept : record_(record) {}
  RecordRef(RecordRef &&other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  RecordRef &operator=(RecordRef &&other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  ~RecordRef() {
    if (record_)
      release(record_);
  }
  Record *get() const noexcept { return record_; }
  explicit operator bool() const noexcept { return record_ != nullptr; }

private:
  Record *record_ = nullptr;
};

/// A number for `EagerTensor::id`, never given twice.
uint64_t nextId() noexcept;
/// The id of a record; a variable's is its slot's.
uint64_t idOf(Record &record) noexcept;

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_TRACE_RECORD_H
