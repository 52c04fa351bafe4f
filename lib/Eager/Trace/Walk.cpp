// The iterative walk, its numbering and its key.
#include "lib/Eager/Trace/Walk.h"

#include "lib/Compiler/CompileInterface.h"
#include "lib/Eager/Custom/CustomCall.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/TensorImpl.h"
#include "lib/Eager/ThreadOwned.h"
#include "lib/Eager/Trace/Digest.h"

#include <algorithm>
#include <optional>

namespace tenferro::eager {

void Walk::clear() noexcept {
  stack_.clear();
  leaves_.clear();
  saved_.clear();
  repeated_.clear();
  repeats_ = 0;
  extents_ = 0;
  customs_.clear();
  callees_.clear();
  stale_.clear();
  wrt_.clear();
  operations_.clear();
  operandNumbers_.clear();
  wrtNumbers_.clear();
  savedNumbers_.clear();
  results_ = 0;
  repeatsSlots_ = false;
}

void Walk::run(RuntimeState &state, const DerivativeRequest &request) {
  std::optional<CpuEngine> own; // reading rules computes nothing, but a session has an engine
  while (!tryRun(state, request)) {
    ExecutionEngine &engine = request.engine ? *request.engine : own ? *own : own.emplace();
    for (Call *call : stale_)
      refreshRules(state, engine, *call);
  }
}

namespace {

/// Long traces leave the caches between two walks. Where the next records are known, or likely, the walk asks for them
/// this many records ahead.
constexpr size_t kAhead = 8;

/// The lines of an operation that a walk reads. As numbers: there may be none, or none any more.
void prefetch(const void *operation) noexcept {
  const auto first = reinterpret_cast<uintptr_t>(operation);
  for (uintptr_t offset : {0, 64})
    __builtin_prefetch(reinterpret_cast<const void *>(first + offset));
}

} // namespace

bool Walk::tryRun(RuntimeState &state, const DerivativeRequest &request) {
  clear();
  installed_ = state.extensions.epoch();
  kind_ = request.kind;
  seedOnes_ = request.seedOnes;
  std::lock_guard lock(state.walkLock);
  epoch_ = ++state.walkEpoch;
  if (request.cutAtWrt)
    for (Record *wrt : request.wrt) {
      // Numbered when the walk first meets it, like any leaf.
      wrt->walkEpoch = epoch_;
      wrt->walkNumber = kCut;
    }
  visit(request.output);
  while (!stack_.empty()) {
    Frame &frame = stack_.back();
    std::span<Record *const> operands = frame.operation->operands();
    if (frame.next < operands.size()) {
      visit(operands[frame.next++]);
      continue;
    }
    if (stack_.size() > kAhead)
      prefetch(stack_[stack_.size() - kAhead - 1].operation);
    finish(frame.operation);
    stack_.pop_back();
  }
  if (!stale_.empty())
    return false;
  outputNumber_ = numberOf(request.output);
  collectWrt(request);
  hash(request);
  state.visited.store(state.visited.load(std::memory_order_relaxed) + leaves_.size() + operations_.size(),
                      std::memory_order_relaxed);
  return true;
}

void Walk::visit(Record *record) {
  if (record->walkEpoch == epoch_) {
    if (record->walkNumber == kCut)
      addLeaf(record);
    return;
  }
  if (record->isLeaf()) {
    record->walkEpoch = epoch_;
    record->walkNumber = 0;
    addLeaf(record);
    return;
  }
  auto *operation = record->kind == RecordKind::Result
                        ? static_cast<Operation *>(static_cast<CallResult *>(record)->call)
                        : static_cast<Operation *>(record);
  if (operation->walkEpoch == epoch_)
    return;
  operation->walkEpoch = epoch_;
  operation->walkSaved = false;
  prefetch(operation->earlier);
  stack_.push_back({operation, 0});
}

bool isRepeatedNumber(const runtime::TensorView &view) noexcept {
  bool repeats = false;
  for (size_t d = 0; d < view.shape.size(); ++d) {
    if (view.shape[d] == 0 || (view.shape[d] != 1 && view.strides[d] != 0))
      return false;
    repeats |= view.shape[d] != 1;
  }
  return repeats;
}

void Walk::addLeaf(Record *record) {
  const bool isWrt = record->walkNumber == kCut && record->walkEpoch == epoch_;
  record->walkNumber = leafNumber(leaves_.size());
  leaves_.push_back(record);
  extents_ += record->type.shape.size();
  // What a derivative may be asked by stays as it is.
  bool repeated = record->kind == RecordKind::Constant && !isWrt && !record->captured.load(std::memory_order_relaxed) &&
                  isRepeatedNumber(detail::TensorAccess::view(record->value));
  repeated_.push_back(repeated ? ++repeats_ : 0);
}

const runtime::TensorView *Walk::leafArgument(size_t i, ViewRoom &room) const {
  const runtime::TensorView &leaf = detail::TensorAccess::view(leaves_[i]->value);
  if (!repeated_[i])
    return &leaf;
  runtime::TensorView &number = room.add();
  number.data = leaf.data;
  number.dtype = leaf.dtype;
  number.shape.clear();
  number.strides.clear();
  return &number;
}

uint32_t Walk::numberOf(const Record *record) const noexcept {
  if (record->kind != RecordKind::Result || record->walkEpoch == epoch_)
    return record->walkNumber;
  auto *result = static_cast<const CallResult *>(record);
  return result->call->walkNumber + 2 * result->index;
}

void Walk::finish(Operation *operation) {
  const bool isCall = operation->kind == RecordKind::Call;
  operation->walkNumber = resultNumber(results_);
  results_ += isCall ? static_cast<uint32_t>(static_cast<Call *>(operation)->results.size()) : 1;
  operations_.push_back(operation);
  uint32_t position = 0;
  for (Record *operand : operation->operands()) {
    operandNumbers_.push_back(numberOf(operand));
    if (operation->keepOperands >> std::min(position, 31u) & 1)
      save(operand);
    ++position;
  }
  if (!isCall) {
    if (static_cast<Node *>(operation)->keepResult)
      save(operation);
    return;
  }
  auto *call = static_cast<Call *>(operation);
  const CustomPart *custom = call->custom.get();
  if (!custom) {
    if (call->familyEpoch != Call::kNoFamilies) {
      if (call->familyEpoch != installed_)
        stale_.push_back(call);
      callees_.emplace_back(call, call->callee);
    }
    return;
  }
  if (!custom->function || (!custom->family.empty() && custom->epoch != installed_))
    stale_.push_back(call);
  customs_.emplace_back(call, custom->function);
  for (uint32_t i = 0; i < custom->keptResults.size(); ++i) {
    if (custom->keptResults[i].empty())
      continue;
    saved_.push_back({call, call, &custom->keptResults[i], i});
    savedNumbers_.push_back(call->walkNumber + 2 * i);
  }
}

namespace {

/// Whether the operand of this node can be read off its result: every element is there, under strides that tell.
bool isInvertibleView(const Record *record) noexcept {
  if (record->kind != RecordKind::Node)
    return false;
  core::OpKind op = static_cast<const Node *>(record)->op;
  return op == core::OpKind::Transpose || op == core::OpKind::BroadcastInDim;
}

/// The operand of an invertible view, from the view. Both operations list first where the operand's axes went:
/// transpose by the inverse, broadcast as such.
runtime::TensorView operandView(const Node &node, const runtime::TensorView &view) {
  const core::ValueType &type = node.operands()[0]->type;
  const int64_t *axes = node.attributes().data() + 1;
  runtime::TensorView operand(view.data, type.dtype, type.shape, IntList(type.shape.size(), 0));
  for (size_t k = 0; k < type.shape.size(); ++k) {
    if (node.op == core::OpKind::Transpose)
      operand.strides[static_cast<size_t>(axes[k])] = view.strides[k];
    else if (type.shape[k] != 1)
      operand.strides[k] = view.strides[static_cast<size_t>(axes[k])];
  }
  return operand;
}

} // namespace

void Walk::save(Record *carrier) {
  // Leaves, and what is cut to one, are bound already.
  Record *record = carrier;
  // Further than a few views of views nobody looks: each value of a long chain of them may be kept.
  constexpr int kMostViews = 16;
  for (int views = 0; views < kMostViews && numberOf(record) & 1 && isInvertibleView(record); ++views)
    record = static_cast<Node *>(record)->operands()[0];
  uint32_t number = numberOf(record);
  if (!(number & 1))
    return;
  if (record->kind == RecordKind::Result) {
    auto *result = static_cast<CallResult *>(record);
    if (result->call->custom && !result->call->custom->keptResults[result->index].empty())
      return; // the call keeps it itself
    if (std::exchange(result->savedEpoch, epoch_) == epoch_)
      return;
  } else if (std::exchange(static_cast<Node *>(record)->walkSaved, true)) {
    return;
  }
  saved_.push_back({record, carrier, nullptr, 0});
  savedNumbers_.push_back(number);
}

const core::ValueType &Walk::savedType(size_t i) const noexcept {
  const Saved &saved = saved_[i];
  return saved.kept ? static_cast<const Call *>(saved.record)->results[saved.index] : saved.record->type;
}

const runtime::TensorView *Walk::savedArgument(size_t i, ViewRoom &room) const {
  const Saved &saved = saved_[i];
  if (i + kAhead < saved_.size())
    __builtin_prefetch(&saved_[i + kAhead].carrier->value);
  if (saved.kept)
    return &detail::TensorAccess::view(*saved.kept);
  const runtime::TensorView *view = &detail::TensorAccess::view(saved.carrier->value);
  if (saved.carrier == saved.record)
    return view;
  runtime::TensorView &operand = room.add();
  operand = *view;
  for (const Record *record = saved.carrier; record != saved.record; record = static_cast<const Node *>(record)->operands()[0])
    operand = operandView(*static_cast<const Node *>(record), operand);
  return &operand;
}

void Walk::collectWrt(const DerivativeRequest &request) {
  if (request.allVariables) {
    for (Record *leaf : leaves_) {
      if (leaf->kind != RecordKind::Version || !leaf->tracks)
        continue;
      wrt_.push_back(leaf);
      Slot &slot = *static_cast<VersionLeaf *>(leaf)->slot;
      repeatsSlots_ |= slot.walkEpoch == epoch_;
      slot.walkEpoch = epoch_;
    }
  } else {
    bool variables = false;
    for (Record *record : request.wrt) {
      if (record->kind == RecordKind::Variable) {
        static_cast<Variable *>(record)->slot()->walkEpoch = epoch_;
        variables = true;
      } else if (reached(record)) {
        wrt_.push_back(record);
      }
    }
    if (variables) // all versions of those that were marked
      for (Record *leaf : leaves_)
        if (leaf->kind == RecordKind::Version && static_cast<VersionLeaf *>(leaf)->slot->walkEpoch == epoch_)
          wrt_.push_back(leaf);
    if (wrt_.size() > 1)
      std::sort(wrt_.begin(), wrt_.end(), [this](Record *a, Record *b) { return numberOf(a) < numberOf(b); });
  }
  for (Record *record : wrt_)
    wrtNumbers_.push_back(numberOf(record));
}

bool Walk::reached(const Record *record) const noexcept {
  if (record->walkEpoch == epoch_)
    return record->walkNumber != kCut;
  return record->kind == RecordKind::Result && static_cast<const CallResult *>(record)->call->walkEpoch == epoch_;
}

void Walk::hash(const DerivativeRequest &request) {
  const Target &target = request.target;
  // At most: what is counted below, numbers by pairs.
  const size_t most = 6 + leaves_.size() + extents_ + 3 * operations_.size() + operandNumbers_.size() + wrtNumbers_.size() +
                      savedNumbers_.size();
  if (words_.size() < most)
    words_.resize(most);
  uint64_t *word = words_.data();
  *word++ = static_cast<uint64_t>(request.kind) | static_cast<uint64_t>(request.seedOnes) << 8 |
            static_cast<uint64_t>(target.level) << 24 |
            static_cast<uint64_t>(target.engineKind) << 32;
  *word++ = static_cast<uint64_t>(compiler::kRuleSetVersion) << 32 | static_cast<uint64_t>(compiler::kPipelineVersion);
  *word++ = static_cast<uint64_t>(leaves_.size()) << 32 | operations_.size();
  *word++ = static_cast<uint64_t>(wrtNumbers_.size()) << 32 | savedNumbers_.size();
  for (size_t i = 0; i < leaves_.size(); ++i) {
    const core::ValueType &type = leaves_[i]->type;
    *word++ = static_cast<uint64_t>(repeated_[i] != 0) << 40 | static_cast<uint64_t>(type.dtype) << 32 | type.shape.size();
    for (int64_t extent : type.shape)
      *word++ = static_cast<uint64_t>(extent);
  }
  auto put = [&word](uint32_t first, const uint32_t *more, size_t count) __attribute__((always_inline)) {
    *word++ = first | (count ? static_cast<uint64_t>(more[0]) << 32 : 0);
    for (size_t i = 1; i < count; i += 2)
      *word++ = more[i] | (i + 1 < count ? static_cast<uint64_t>(more[i + 1]) << 32 : 0);
  };
  const uint32_t *numbers = operandNumbers_.data();
  for (size_t i = 0; i < operations_.size(); ++i) {
    const Operation *operation = operations_[i];
    if (i + kAhead < operations_.size())
      __builtin_prefetch(reinterpret_cast<const char *>(operations_[i + kAhead]) + 64);
    const size_t count = operation->operands().size();
    *word++ = operation->digest.low;
    *word++ = operation->digest.high;
    put(static_cast<uint32_t>(count), numbers, count);
    numbers += count;
  }
  put(outputNumber_, wrtNumbers_.data(), wrtNumbers_.size());
  put(0, savedNumbers_.data(), savedNumbers_.size());
  Digest hashed = digest(std::span<const uint64_t>(words_.data(), word));
  key_ = {hashed.low, hashed.high};
}

uint32_t Walk::graphNumber(uint32_t number, bool forRun) const noexcept {
  const size_t inputs = leaves_.size() + (forRun ? saved_.size() : 0);
  if (number & 1)
    return static_cast<uint32_t>(inputs + (forRun ? repeats_ : 0) + number / 2);
  const uint32_t leaf = number / 2;
  return forRun && repeated_[leaf] ? static_cast<uint32_t>(inputs + repeated_[leaf] - 1) : leaf;
}

core::Graph Walk::graph(bool forRun) const {
  core::Graph graph;
  for (size_t i = 0; i < leaves_.size(); ++i) {
    const core::ValueType &type = leaves_[i]->type;
    if (!forRun || !repeated_[i]) {
      graph.inputs.push_back(type);
      continue;
    }
    graph.inputs.push_back({type.dtype, {}});
    core::GraphOp op;
    op.kind = core::OpKind::BroadcastInDim;
    op.operands = {static_cast<uint32_t>(i)};
    op.attributes = {0, type.shape.rank()}; // no axes, then the shape
    for (int64_t extent : type.shape)
      op.attributes.push_back(extent);
    op.results = {type};
    graph.ops.push_back(std::move(op));
  }
  if (forRun)
    for (size_t i = 0; i < saved_.size(); ++i) {
      graph.saved.push_back({graphNumber(savedNumbers_[i], true), static_cast<uint32_t>(graph.inputs.size())});
      graph.inputs.push_back(savedType(i));
    }
  size_t position = 0;
  auto custom = customs_.begin();
  auto callee = callees_.begin();
  for (const Operation *operation : operations_) {
    core::GraphOp op;
    for (size_t i = 0; i < operation->operands().size(); ++i)
      op.operands.push_back(graphNumber(operandNumbers_[position++], forRun));
    if (operation->kind == RecordKind::Call) {
      auto *call = static_cast<const Call *>(operation);
      if (callee != callees_.end() && callee->first == call)
        op.callee = (callee++)->second;
      else
        op.callee = call->callee;
      if (custom != customs_.end() && custom->first == call)
        op.custom = (custom++)->second;
      op.results = call->results;
    } else {
      op.kind = static_cast<const Node *>(operation)->op;
      op.attributes = core::Attributes(operation->attributes().data(), operation->attributes().size());
      op.results.push_back(operation->type);
    }
    graph.ops.push_back(std::move(op));
  }
  graph.outputs.push_back(graphNumber(outputNumber_, forRun));
  return graph;
}

core::Transform Walk::transform(bool forRun) const {
  core::Transform transform;
  transform.kind = kind_;
  transform.seedOnes = seedOnes_;
  for (uint32_t number : wrtNumbers_)
    transform.wrt.push_back(graphNumber(number, forRun));
  return transform;
}

namespace {
/// A walk that visited more than this gives its memory back.
constexpr size_t kSpareOperations = 1 << 15;
using Spare = ThreadOwned<std::unique_ptr<Workspace>>;
} // namespace

WorkspaceLease::WorkspaceLease() {
  if (std::unique_ptr<Workspace> *spare = Spare::get())
    workspace_ = std::move(*spare);
  if (!workspace_)
    workspace_ = std::make_unique<Workspace>();
}

WorkspaceLease::~WorkspaceLease() {
  workspace_->results.clear();
  const Walk &walk = workspace_->walk;
  if (walk.operations().size() > kSpareOperations || walk.leaves().size() > kSpareOperations)
    return;
  if (std::unique_ptr<Workspace> *spare = Spare::get())
    *spare = std::move(workspace_);
}

} // namespace tenferro::eager
