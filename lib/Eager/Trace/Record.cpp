// Making records, and freeing them without recursion.
#include "lib/Eager/Trace/Record.h"

#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/TensorImpl.h"
#include "lib/Eager/ThreadState.h"
#include "lib/Eager/Trace/Digest.h"
#include "lib/Eager/Trace/Staging.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace tenferro::eager {

namespace {

std::atomic<uint64_t> nextFreeId{1};

void setType(core::ValueType &type, const Tensor &tensor) {
  const runtime::TensorView &view = detail::TensorAccess::view(tensor);
  eager::setType(type, view.dtype, view.shape);
}

/// Whether this was the last reference. The last owner needs no read-modify-write: nobody else can add one.
bool dropReference(Record *record) noexcept {
  return record->references.load(std::memory_order_acquire) == 1 ||
         record->references.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

} // namespace

uint64_t nextId() noexcept { return nextFreeId.fetch_add(1, std::memory_order_relaxed); }

uint64_t idOf(Record &record) noexcept {
  if (record.kind == RecordKind::Variable)
    return static_cast<Variable &>(record).slot()->id();
  if (record.kind == RecordKind::Version)
    return static_cast<VersionLeaf &>(record).slot->id();
  uint64_t id = record.id.load(std::memory_order_relaxed);
  if (id)
    return id;
  uint64_t fresh = nextId();
  return record.id.compare_exchange_strong(id, fresh, std::memory_order_relaxed) ? fresh : id;
}

ConstantLeaf::ConstantLeaf(RuntimeState &state, Tensor &&tensor, const std::source_location &where)
    : Record(RecordKind::Constant, false, state, type_) {
  this->where = where;
  setType(type_, tensor);
  value = std::move(tensor);
  state.addRecord(false);
}

VersionLeaf::VersionLeaf(RuntimeState &state, bool tracks, Tensor tensor, Slot *slot, const std::source_location &where)
    : Record(RecordKind::Version, tracks, state, type_), slot(slot) {
  this->where = where;
  setType(type_, tensor);
  value = std::move(tensor);
  state.addRecord(false);
}

/// A spin lock: it is held for a few instructions, on every use of a variable.
class Variable::Lock {
public:
  explicit Lock(std::atomic<bool> &flag) noexcept : flag_(flag) {
    while (flag_.exchange(true, std::memory_order_acquire))
      while (flag_.load(std::memory_order_relaxed))
        __builtin_ia32_pause();
  }
  ~Lock() { flag_.store(false, std::memory_order_release); }
  Lock(const Lock &) = delete;

private:
  std::atomic<bool> &flag_;
};

Variable::Variable(RuntimeState &state, Tensor tensor, const std::source_location &where)
    : Record(RecordKind::Variable, isDifferentiable(tensor.dtype()), state, type_) {
  this->where = where;
  setType(type_, tensor);
  slot_ = new Slot(state, nextId(), tracks);
  slot_->retain(); // one reference for the variable, one for the version
  current_ = new VersionLeaf(state, tracks, std::move(tensor), slot_, where);
}

VersionLeaf *Variable::current() const {
  Lock lock(locked_);
  retain(current_);
  return current_;
}

Tensor Variable::currentValue() const {
  Lock lock(locked_);
  return current_->value;
}

void Variable::assign(Tensor tensor) {
  slot_->retain();
  auto *next = new VersionLeaf(*state, tracks, std::move(tensor), slot_, where);
  VersionLeaf *previous;
  {
    Lock lock(locked_);
    previous = std::exchange(current_, next);
  }
  release(previous);
}

Node *Node::create(RuntimeState &state, bool tracks, core::OpKind op, std::span<Record *const> operands,
                   std::span<const int64_t> attributes, DType dtype, const Shape &shape) {
  const core::ValueType *type = nullptr;
  for (const Record *operand : operands)
    if (operand->type.dtype == dtype && sameExtents(operand->type.shape, shape)) {
      type = &operand->type;
      break;
    }
  const size_t end = ownTypeAt(operands.size(), attributes.size());
  auto *memory = static_cast<char *>(SmallBlocks::allocate(type ? end : end + sizeof(core::ValueType)));
  if (!type) {
    auto *own = ::new (memory + end) core::ValueType;
    eager::setType(*own, dtype, shape);
    type = own;
  }
  auto *node = ::new (memory) Node(state, tracks, op, *type);
  node->operandCount_ = static_cast<uint32_t>(operands.size());
  node->attributeCount_ = static_cast<uint32_t>(attributes.size());
  auto **nodeOperands = reinterpret_cast<Record **>(memory + sizeof(Node));
  for (size_t i = 0; i < operands.size(); ++i)
    nodeOperands[i] = operands[i];
  auto *nodeAttributes = reinterpret_cast<int64_t *>(nodeOperands + operands.size());
  for (size_t i = 0; i < attributes.size(); ++i)
    nodeAttributes[i] = attributes[i];
  const void *&recent = threadState.recentNodes[threadState.nodesMade++ % ThreadState::kRecentNodes];
  node->earlier = std::exchange(recent, node);
  state.addRecord(tracks);
  return node;
}

void Node::destroy(Node *node) noexcept {
  size_t bytes = ownTypeAt(node->operandCount_, node->attributeCount_);
  if (auto *own = reinterpret_cast<core::ValueType *>(reinterpret_cast<char *>(node) + bytes); &node->type == own) {
    own->~ValueType();
    bytes += sizeof(core::ValueType);
  }
  node->~Node();
  SmallBlocks::free(node, bytes);
}

const core::ValueType Call::kNoType{};

void Call::adopt(std::span<Record *const> operands) noexcept {
  auto **own = reinterpret_cast<Record **>(this + 1);
  operandCount_ = static_cast<uint32_t>(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    retain(operands[i]);
    own[i] = operands[i];
    if (keepOperands >> std::min<size_t>(i, 31) & 1)
      operands[i]->kept.store(true, std::memory_order_relaxed);
  }
}

void *Call::allocate(size_t operands) { return SmallBlocks::allocate(sizeof(Call) + operands * sizeof(Record *)); }

void Call::destroy(Call *call) noexcept {
  const size_t bytes = sizeof(Call) + call->operandCount_ * sizeof(Record *);
  call->~Call();
  SmallBlocks::free(call, bytes);
}

std::string_view nameOf(const Operation &operation) noexcept {
  if (operation.kind == RecordKind::Node)
    return core::schema(static_cast<const Node &>(operation).op).mnemonic;
  const auto &call = static_cast<const Call &>(operation);
  if (call.custom)
    return call.custom->name();
  return call.isForward ? "compiled" : "grad";
}

Call *Call::create(RuntimeState &state, std::shared_ptr<const core::DerivedFunction> callee, Digest digest,
                   std::vector<core::ValueType> results, std::span<Record *const> operands) {
  void *memory = allocate(operands.size());
  auto *call = ::new (memory) Call(state, std::move(callee), nullptr, std::move(results));
  call->digest = digest;
  call->keepOperands = ~uint32_t{0}; // the callee's derivative reads all of them
  call->adopt(operands);
  return call;
}

Call *Call::createCustom(RuntimeState &state, CustomPart part, std::vector<core::ValueType> results,
                         std::span<Record *const> operands, const std::vector<bool> &keepOperands) {
  auto custom = std::make_unique<CustomPart>(std::move(part));
  Digest digest;
  if (custom->function)
    digest = eager::digest(std::string_view(core::structureKey(*custom->function)));
  void *memory = allocate(operands.size());
  auto *call = ::new (memory) Call(state, nullptr, std::move(custom), std::move(results));
  call->digest = digest;
  for (size_t i = 0; i < keepOperands.size(); ++i)
    call->keepOperands |= static_cast<uint32_t>(keepOperands[i]) << std::min<size_t>(i, 31);
  call->adopt(operands);
  return call;
}

CallResult::CallResult(RuntimeState &state, bool tracks, Call &call, uint32_t index)
    : Record(RecordKind::Result, tracks, state, call.results[index]), call(&call), index(index) {
  retain(&call);
  state.addRecord(tracks);
}

namespace {

/// Records whose last reference is gone, linked through the space of their walk epoch: no allocation, no recursion.
class DeadList {
public:
  void push(Record *record) noexcept {
    std::memcpy(&record->walkEpoch, &head_, sizeof head_);
    head_ = record;
  }
  Record *pop() noexcept {
    Record *record = head_;
    if (record)
      std::memcpy(&head_, &record->walkEpoch, sizeof head_);
    return record;
  }

private:
  static_assert(sizeof(Record *) == sizeof(uint64_t));
  Record *head_ = nullptr;
};

void destroyOperands(Operation &operation, DeadList &dead) noexcept {
  for (Record *operand : operation.operands())
    if (dropReference(operand))
      dead.push(operand);
}

void destroy(Record *record, DeadList &dead) noexcept {
  RuntimeState &state = *record->state;
  const bool tracks = record->tracks;
  switch (record->kind) {
  case RecordKind::Constant:
    delete static_cast<ConstantLeaf *>(record);
    state.removeRecord(false);
    return;
  case RecordKind::Version: {
    auto *version = static_cast<VersionLeaf *>(record);
    version->slot->release();
    delete version;
    state.removeRecord(false);
    return;
  }
  case RecordKind::Variable: {
    auto *variable = static_cast<Variable *>(record);
    VersionLeaf *version = variable->releaseVersion();
    variable->slot()->release();
    delete variable;
    if (dropReference(version))
      dead.push(version);
    return;
  }
  case RecordKind::Node: {
    auto *node = static_cast<Node *>(record);
    destroyOperands(*node, dead);
    Node::destroy(node);
    state.removeRecord(tracks);
    return;
  }
  case RecordKind::Call: {
    auto *call = static_cast<Call *>(record);
    destroyOperands(*call, dead);
    Call::destroy(call);
    return;
  }
  case RecordKind::Result: {
    auto *result = static_cast<CallResult *>(record);
    Call *call = result->call;
    delete result;
    if (dropReference(call))
      dead.push(call);
    state.removeRecord(tracks);
    return;
  }
  case RecordKind::Staged:
    delete static_cast<StagedValue *>(record);
    state.removeRecord(false);
    return;
  }
}

} // namespace

void release(Record *record) noexcept {
  if (!dropReference(record))
    return;
  DeadList dead;
  dead.push(record);
  while (Record *next = dead.pop())
    destroy(next, dead);
}

void releaseHandle(Record *record) noexcept {
  if (record->handles.load(std::memory_order_acquire) != 1 &&
      record->handles.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  record->handles.store(0, std::memory_order_relaxed);
  // No new handle can come: the value of a node goes unless differentiation will ask for it.
  if ((record->kind == RecordKind::Node || record->kind == RecordKind::Result) &&
      !record->kept.load(std::memory_order_relaxed))
    record->value = Tensor();
  release(record);
}

} // namespace tenferro::eager
