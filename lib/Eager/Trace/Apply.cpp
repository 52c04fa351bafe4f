// The primitive step: check, run, record.
#include "lib/Core/ShapeRules.h"
#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/Execution/BlockedRun.h"
#include "lib/Eager/Execution/Execute.h"
#include "lib/Eager/Execution/Numerics.h"
#include "lib/Eager/Located.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/TensorImpl.h"
#include "lib/Eager/ThreadOwned.h"
#include "lib/Eager/ThreadState.h"
#include "lib/Eager/Trace/Digest.h"
#include "lib/Eager/Trace/Recorder.h"
#include "lib/Eager/Trace/ResidualMasks.h"
#include "lib/Eager/Trace/Staging.h"
#include "runtime/core/FloatEnvironment.h"

#include <array>
#include <memory>

namespace tenferro::eager {

using core::OpKind;
using detail::EagerAccess;
using detail::TensorAccess;

namespace {

constexpr size_t kInlineOperands = 4;

[[noreturn]] void raiseEmptyOperand(OpKind kind, size_t index, const std::source_location &where) {
  Failure failure;
  failure.kind = ErrorKind::InvalidArgument;
  failure.op = core::schema(kind).mnemonic;
  failure.message = "expects tensors, but operand " + std::to_string(index) + " is empty (default-made or moved-from)";
  raiseAt(std::move(failure), where);
}

[[noreturn]] void raiseForeign(OpKind kind, const RuntimeState &session, const RuntimeState &operand,
                               const std::source_location &where) {
  Failure failure;
  failure.kind = ErrorKind::ContextMismatch;
  failure.op = core::schema(kind).mnemonic;
  failure.message = "expects tensors of one runtime, but got runtimes " + std::to_string(session.id) + " and " +
                    std::to_string(operand.id);
  failure.ids = {session.id, operand.id};
  raiseAt(std::move(failure), where);
}

[[noreturn]] void raiseStaged(OpKind kind, const Record &record, const std::source_location &where) {
  try {
    raiseNoValue(core::schema(kind).mnemonic, record);
  } catch (const Error &error) {
    raiseAt(error.failure(), where);
  }
}

/// The operands of one call: for each the record that a node would own (a variable's is its current version) and its
/// value.
class Operands {
public:
  Operands(OpKind kind, const RuntimeState &state, std::span<const EagerTensor *const> tensors,
           const std::source_location &where) {
    if (tensors.size() > kInlineOperands) [[unlikely]]
      grow(tensors.size());
    for (const EagerTensor *tensor : tensors) {
      Record *record = EagerAccess::record(*tensor);
      if (!record || record->state != &state || record->kind == RecordKind::Staged) [[unlikely]]
        refuse(kind, state, record, where);
      if (record->kind == RecordKind::Variable) {
        record = static_cast<Variable *>(record)->current();
        ownsVersions_ = true;
      }
      records_[size_] = record;
      values_[size_++] = &record->value;
      tracked_ |= record->tracks;
    }
  }
  Operands(const Operands &) = delete;
  ~Operands() {
    if (ownsVersions_)
      release();
  }

  std::span<Record *const> records() const noexcept { return {records_, size_}; }
  std::span<const Tensor *const> values() const noexcept { return {values_, size_}; }
  bool tracked() const noexcept { return tracked_; }

  /// Adds a reference to each record for a node that owns them from now on; those of versions, which are owned already, are handed
  /// over.
  void giveReferences() noexcept {
    for (size_t i = 0; i < size_; ++i)
      if (records_[i]->kind != RecordKind::Version)
        retain(records_[i]);
    ownsVersions_ = false;
  }

private:
  [[noreturn, gnu::noinline, gnu::cold]] void refuse(OpKind kind, const RuntimeState &state, const Record *record,
                                                     const std::source_location &where) {
    release();
    if (!record)
      raiseEmptyOperand(kind, size_, where);
    if (record->state != &state)
      raiseForeign(kind, state, *record->state, where);
    raiseStaged(kind, *record, where);
  }
  [[gnu::noinline, gnu::cold]] void grow(size_t size) {
    many_.resize(size);
    manyValues_.resize(size);
    records_ = many_.data();
    values_ = manyValues_.data();
  }
  [[gnu::noinline]] void release() noexcept {
    for (size_t i = 0; i < size_; ++i)
      if (records_[i]->kind == RecordKind::Version) // no handle leads to one but a variable's
        eager::release(records_[i]);
  }
  Record *fewRecords_[kInlineOperands];
  const Tensor *fewValues_[kInlineOperands];
  Record **records_ = fewRecords_;
  const Tensor **values_ = fewValues_;
  size_t size_ = 0;
  bool tracked_ = false, ownsVersions_ = false;
  std::vector<Record *> many_; ///< where there are more
  std::vector<const Tensor *> manyValues_;
};

/// Result dtype plus one of operations whose rule is "equal shapes and dtypes" and that have no attributes, once the
/// rule has said so for that dtype; 0 where it has not been asked.
std::array<std::array<std::atomic<uint8_t>, kDTypeCount>, core::kOpKindCount> elementwiseResults;

bool isUniform(std::span<const Tensor *const> values) {
  const runtime::TensorView &first = TensorAccess::view(*values[0]);
  for (size_t i = 1; i < values.size(); ++i) {
    const runtime::TensorView &view = TensorAccess::view(*values[i]);
    if (view.dtype != first.dtype || !sameExtents(view.shape, first.shape))
      return false;
  }
  return true;
}

/// What this thread learned about an operation on operands of some types: programs ask the same again.
struct OperationMemo {
  static constexpr size_t kNothing = ~size_t{0}, kUniform = kNothing - 1;
  OpKind kind{};
  size_t count = kNothing; ///< of the operands that the rule was asked for; kUniform: it was not, `operands` is unused
  core::Attributes attributes;
  std::array<core::ValueType, 3> operands;
  core::ValueType result;
  bool hasDigest = false;
  Digest digest; ///< of the operation with `attributes` and `result`
};

/// The memos of a thread, by a few bits of what is asked: a program has some shapes for each of its operations.
class OperationMemos {
public:
  /// The calling thread's; null at its end.
  static OperationMemos *get() { return ThreadOwned<OperationMemos>::get(); }

  OperationMemo &at(OpKind kind, std::span<const Tensor *const> values, const core::Attributes &attributes) noexcept {
    Bits bits(kind);
    for (int64_t attribute : attributes)
      bits.add(attribute);
    for (const Tensor *value : values)
      bits.add(TensorAccess::view(*value).shape);
    return memos_[bits.get()];
  }
  /// Where no attributes and one shape tell.
  OperationMemo &at(OpKind kind, const Shape &shape) noexcept {
    Bits bits(kind);
    bits.add(shape);
    return memos_[bits.get()];
  }

private:
  static constexpr int kBits = 7;
  class Bits {
  public:
    explicit Bits(OpKind kind) noexcept : mixed_(static_cast<uint64_t>(kind) + 1) {}
    void add(int64_t word) noexcept { mixed_ = (mixed_ + static_cast<uint64_t>(word)) * 0x9E3779B97F4A7C15u; }
    void add(const Shape &shape) noexcept {
      for (int64_t extent : shape)
        add(extent);
    }
    size_t get() const noexcept { return mixed_ * 0x9E3779B97F4A7C15u >> (64 - kBits); }

  private:
    uint64_t mixed_;
  };
  std::array<OperationMemo, size_t{1} << kBits> memos_;
};

bool matches(const OperationMemo &memo, OpKind kind, std::span<const Tensor *const> values,
             const core::Attributes &attributes) {
  if (memo.kind != kind || memo.count != values.size() || !sameExtents(memo.attributes, attributes))
    return false;
  for (size_t i = 0; i < values.size(); ++i) {
    const runtime::TensorView &view = TensorAccess::view(*values[i]);
    if (view.dtype != memo.operands[i].dtype || !sameExtents(view.shape, memo.operands[i].shape))
      return false;
  }
  return true;
}

core::ValueType askRule(OpKind kind, std::span<const Tensor *const> values, const core::Attributes &attributes,
                        const std::source_location &where) {
  std::vector<core::ValueType> types;
  types.reserve(values.size());
  for (const Tensor *value : values)
    types.push_back({TensorAccess::view(*value).dtype, TensorAccess::view(*value).shape});
  core::Expected<core::ValueType> result = core::inferResult(kind, types, attributes);
  if (!result)
    raiseAt(std::move(result.failure()), where);
  return std::move(*result);
}

/// The type of a result from the rule or from an answer it gave before; refers to an operand, to the thread's memo or to itself.
class ResultType {
public:
  ResultType(OpKind kind, std::span<const Tensor *const> values, const core::Attributes &attributes,
             const std::source_location &where) {
    if (attributes.empty() && !values.empty() && core::schema(kind).elementwise && isUniform(values)) {
      const runtime::TensorView &view = TensorAccess::view(*values[0]);
      std::atomic<uint8_t> &known = elementwiseResults[static_cast<size_t>(kind)][static_cast<size_t>(view.dtype)];
      uint8_t answer = known.load(std::memory_order_relaxed);
      if (!answer) [[unlikely]] {
        answer = static_cast<uint8_t>(static_cast<uint8_t>(askRule(kind, values, attributes, where).dtype) + 1);
        known.store(answer, std::memory_order_relaxed);
      }
      dtype_ = static_cast<DType>(answer - 1);
      shape_ = &view.shape;
      isUniform_ = true;
      return;
    }
    OperationMemos *memos = OperationMemos::get();
    if (!memos || values.size() > std::tuple_size_v<decltype(OperationMemo::operands)>) [[unlikely]] {
      own_ = std::make_unique<core::ValueType>(askRule(kind, values, attributes, where));
      refer(*own_);
      return;
    }
    memo_ = &memos->at(kind, values, attributes);
    if (!matches(*memo_, kind, values, attributes)) [[unlikely]]
      learn(kind, values, attributes, where);
    refer(memo_->result);
  }
  ResultType(const ResultType &) = delete;

  DType dtype() const noexcept { return dtype_; }
  const Shape &shape() const noexcept { return *shape_; }

  /// Of the operation with its attributes and this result.
  Digest digest(OpKind kind, const core::Attributes &attributes) {
    auto make = [&] {
      return operationDigest(static_cast<uint64_t>(kind), {attributes.data(), attributes.size()}, dtype_, *shape_);
    };
    if (isUniform_) {
      if (OperationMemos *memos = OperationMemos::get()) [[likely]] {
        memo_ = &memos->at(kind, *shape_);
        if (!(memo_->kind == kind && memo_->count == OperationMemo::kUniform && memo_->result.dtype == dtype_ &&
              sameExtents(memo_->result.shape, *shape_))) [[unlikely]]
          learnUniform(kind);
      }
    }
    if (!memo_) [[unlikely]]
      return make();
    if (!memo_->hasDigest) [[unlikely]] {
      memo_->digest = make();
      memo_->hasDigest = true;
    }
    return memo_->digest;
  }

private:
  [[gnu::noinline, gnu::cold]] void learn(OpKind kind, std::span<const Tensor *const> values,
                                          const core::Attributes &attributes, const std::source_location &where) {
    memo_->count = OperationMemo::kNothing;
    memo_->kind = kind;
    memo_->hasDigest = false;
    memo_->result = askRule(kind, values, attributes, where);
    memo_->attributes = attributes;
    for (size_t i = 0; i < values.size(); ++i)
      memo_->operands[i] = {TensorAccess::view(*values[i]).dtype, TensorAccess::view(*values[i]).shape};
    memo_->count = values.size();
  }
  [[gnu::noinline, gnu::cold]] void learnUniform(OpKind kind) {
    memo_->count = OperationMemo::kNothing;
    memo_->kind = kind;
    memo_->hasDigest = false;
    memo_->result = {dtype_, *shape_};
    memo_->attributes.clear();
    memo_->count = OperationMemo::kUniform;
  }
  void refer(const core::ValueType &type) noexcept {
    dtype_ = type.dtype;
    shape_ = &type.shape;
  }
  DType dtype_{};
  bool isUniform_ = false; ///< equal operands without attributes: the memo holds at most the digest
  const Shape *shape_ = nullptr;
  OperationMemo *memo_ = nullptr;
  std::unique_ptr<const core::ValueType> own_;
};

/// A node for the result.
Record *record(RuntimeState &state, OpKind kind, Operands &operands, const core::Attributes &attributes, ResultType &type,
               const std::source_location &where) {
  uint32_t active = 0;
  const bool capture = threadState.capture;
  uint32_t position = 0;
  for (Record *operand : operands.records()) {
    bool isActive = operand->tracks || (capture && isDifferentiable(operand->type.dtype));
    active |= static_cast<uint32_t>(isActive) << std::min(position++, 31u);
    if (capture && operand->isLeaf() && !operand->captured.load(std::memory_order_relaxed))
      operand->captured.store(true, std::memory_order_relaxed);
  }
  const Digest digest = type.digest(kind, attributes);
  Node *node = Node::create(state, active && isDifferentiable(type.dtype()), kind, operands.records(),
                            {attributes.data(), attributes.size()}, type.dtype(), type.shape());
  operands.giveReferences();
  node->digest = digest;
  node->where = where;
  ResidualMask mask = residualMask(kind, active);
  node->keepOperands = mask.operands;
  node->keepResult = mask.result;
  if (mask.result)
    node->kept.store(true, std::memory_order_relaxed);
  position = 0;
  for (Record *operand : operands.records())
    if (mask.operands >> std::min(position++, 31u) & 1 && !operand->kept.load(std::memory_order_relaxed))
      operand->kept.store(true, std::memory_order_relaxed);
  return node;
}

} // namespace

EagerTensor apply(EagerRuntime &runtime, ExecutionEngine &engine, OpKind kind,
                  std::span<const EagerTensor *const> tensors, const core::Attributes &attributes,
                  const std::source_location &where, BlockedRun *blocks) {
  RuntimeState &state = EagerAccess::state(runtime);
  if (threadState.staging) [[unlikely]]
    if (StagingFrame *frame = StagingFrame::of(state))
      return frame->apply(kind, tensors, attributes, where);
  Operands operands(kind, state, tensors, where);
  ResultType type(kind, operands.values(), attributes, where);
  Tensor value = located(where, [&] {
    runtime::FloatEnvironment environment;
    if (blocks)
      if (std::optional<Tensor> pending = blocks->add(kind, operands.values(), attributes, type.dtype(), type.shape()))
        return std::move(*pending);
    return execute(kind, operands.values(), attributes, type.dtype(), type.shape(), launchContext(engine));
  });
  if (threadState.checkNumerics) [[unlikely]]
    checkOperation(kind, operands.values(), value, where);
  // A repeated constant is recorded too, so that programs take the constant and not its copies.
  const bool records = (operands.tracked() || threadState.capture || kind == OpKind::BroadcastInDim) &&
                       !threadState.noGrad && !tensors.empty();
  if (!records)
    return EagerAccess::adopt(new ConstantLeaf(state, std::move(value), where));
  Record *node = record(state, kind, operands, attributes, type, where);
  node->value = std::move(value);
  return EagerAccess::adopt(node);
}

EagerTensor constantLeaf(EagerRuntime &runtime, const Tensor &value, const std::source_location &where) {
  return EagerAccess::adopt(new ConstantLeaf(EagerAccess::state(runtime), value, where));
}

} // namespace tenferro::eager
