// From the operations of a composite to a loop over blocks, and from its values back to tensors.
#include "lib/Eager/Execution/BlockedRun.h"

#include "lib/Eager/Execution/Execute.h"
#include "lib/Eager/TensorImpl.h"
#include "runtime/kernels/KernelTable.h"
#include "runtime/program/Executor.h"

#include <algorithm>

namespace tenferro::eager {

using core::OpKind;
using detail::TensorAccess;
using runtime::TensorView;

namespace {

/// Kernels of these dtypes report no errors, which would have to name an operation that ran long ago.
bool neverFails(DType dtype) noexcept { return dtype == DType::F64 || dtype == DType::F32 || dtype == DType::Bool; }

} // namespace

BlockedRun::BlockedRun(const Tensor &like, const runtime::LaunchContext &context) : context_(context) {
  const TensorView &view = TensorAccess::view(like);
  shape_ = view.shape;
  loop_.extents = view.shape;
  for (int64_t axis = 0; axis < view.shape.rank(); ++axis) {
    identity_.push_back(axis);
    size_t at = loop_.order.size();
    auto distance = [&](int64_t a) { return std::llabs(view.strides[static_cast<size_t>(a)]); };
    loop_.order.push_back(axis);
    for (; at > 0 && distance(loop_.order[at - 1]) > distance(axis); --at)
      std::swap(loop_.order[at], loop_.order[at - 1]);
  }
}

BlockedRun::Entry *BlockedRun::findPending(const Tensor &tensor) noexcept {
  for (Entry &entry : entries_)
    if (entry.source != Source::Memory && TensorAccess::isSame(entry.tensor, tensor))
      return &entry;
  return nullptr;
}

BlockedRun::Entry *BlockedRun::find(const Tensor &tensor, Source source) noexcept {
  Entry *entry = findPending(tensor);
  return entry && entry->source == source ? entry : nullptr;
}

bool BlockedRun::isSpace(const Shape &shape) const noexcept { return shape == shape_; }

AxisSet BlockedRun::setOf(const IntList &axes) const noexcept {
  AxisSet set = 0;
  for (int64_t axis : axes)
    if (axis >= 0 && shape_[static_cast<size_t>(axis)] > 1)
      set |= AxisSet{1} << axis;
  return set;
}

/// The value of the loop that a tensor with these axes is, pending or there already.
uint32_t BlockedRun::valueOf(const Tensor &tensor, const IntList &axes) {
  for (const Entry &entry : entries_)
    if (TensorAccess::isSame(entry.tensor, tensor) && (entry.source == Source::Loop || entry.axes == axes))
      return entry.value;
  const TensorView &view = TensorAccess::view(tensor);
  BlockedLoop::Value value;
  value.dtype = view.dtype;
  value.array = view.data;
  value.strides = IntList(shape_.size(), 0);
  for (size_t d = 0; d < axes.size(); ++d)
    if (axes[d] >= 0 && view.shape[d] > 1 && view.strides[d]) {
      value.strides[static_cast<size_t>(axes[d])] = view.strides[d];
      value.axes |= AxisSet{1} << axes[d];
    }
  loop_.values.push_back(std::move(value));
  const auto number = static_cast<uint32_t>(loop_.values.size() - 1);
  entries_.push_back({tensor, number, axes, Source::Memory});
  return number;
}

/// Completes a step with its result.
Tensor BlockedRun::addPending(DType dtype, const Shape &shape, const IntList &axes, BlockedLoop::Step &step) {
  const auto number = static_cast<uint32_t>(loop_.values.size());
  BlockedLoop::Value value;
  value.dtype = dtype;
  value.axes = setOf(axes);
  loop_.values.push_back(std::move(value));
  step.values[step.inputs] = number;
  loop_.steps.push_back(step);
  const AxisSet every = loop_.longAxes();
  const Source source = (step.reduced & every) == every ? Source::Behind : Source::Loop;
  entries_.push_back({TensorAccess::make({}, TensorView::contiguous(nullptr, dtype, shape)), number, axes, source});
  return entries_.back().tensor;
}

std::optional<Tensor> BlockedRun::add(OpKind kind, std::span<const Tensor *const> operands,
                                      const core::Attributes &attributes, DType dtype, const Shape &shape) {
  std::optional<Tensor> result;
  const Entry *only = operands.size() == 1 ? find(*operands[0], Source::Loop) : nullptr;
  if (std::any_of(operands.begin(), operands.end(),
                  [&](const Tensor *operand) { return find(*operand, Source::Behind); }))
    result = addBehind(kind, operands, attributes, dtype, shape);
  else if (only && (kind == OpKind::Reshape || kind == OpKind::BroadcastInDim))
    result = addView(kind, *only, attributes, shape);
  else if (only && kind == OpKind::Detach)
    return *operands[0];
  else if (kind == OpKind::OneHot)
    result = addOneHot(*operands[0], attributes, dtype, shape);
  else if (core::schema(kind).reduction)
    result = addReduction(kind, *operands[0], attributes, dtype, shape);
  else if (core::schema(kind).elementwise && operands.size() <= 3)
    result = addMap(kind, operands, attributes, dtype, shape);
  if (!result &&
      std::any_of(operands.begin(), operands.end(), [&](const Tensor *operand) { return findPending(*operand); }))
    run();
  return result;
}

/// The same value under another shape, where each dimension remains an axis of the space.
std::optional<Tensor> BlockedRun::addView(OpKind kind, const Entry &entry, const core::Attributes &attributes,
                                          const Shape &shape) {
  const TensorView &from = TensorAccess::view(entry.tensor);
  TensorView view;
  IntList axes;
  if (kind == OpKind::Reshape) {
    if (!from.reshaped(shape, view))
      return {};
    size_t next = 0;
    for (int64_t extent : shape) {
      if (extent == 1) {
        axes.push_back(-1);
        continue;
      }
      while (next < from.shape.size() && from.shape[next] == 1)
        ++next;
      if (next == from.shape.size() || from.shape[next] != extent)
        return {};
      axes.push_back(entry.axes[next++]);
    }
  } else {
    if (!isSpace(shape))
      return {};
    const IntList dimensions(attributes.data() + 1, static_cast<size_t>(attributes[0]));
    for (size_t d = 0; d < dimensions.size(); ++d)
      if (from.shape[d] > 1 && entry.axes[d] != dimensions[d])
        return {};
    view = from.broadcastTo(shape, dimensions);
    axes = identity_;
  }
  Tensor tensor = TensorAccess::make({}, std::move(view));
  entries_.push_back({tensor, entry.value, std::move(axes), Source::Loop});
  return tensor;
}

std::optional<Tensor> BlockedRun::addMap(OpKind kind, std::span<const Tensor *const> operands,
                                         const core::Attributes &attributes, DType dtype, const Shape &shape) {
  const Entry *first = nullptr;
  for (const Tensor *operand : operands) {
    if (!neverFails(operand->dtype()))
      return {};
    if (Entry *entry = find(*operand, Source::Loop)) {
      if (first && !(first->axes == entry->axes))
        return {};
      first = entry;
    }
  }
  if (!neverFails(dtype) || !(first || isSpace(shape)))
    return {};
  const bool converts = kind == OpKind::Convert || kind == OpKind::Cast;
  if (converts && dtype == operands[0]->dtype())
    return *operands[0];
  BlockedLoop::Step step;
  step.kernel = elementwiseKernel(kind, operands, attributes, dtype, *context_.kernels);
  if (!step.kernel)
    return {};
  const IntList axes = first ? first->axes : identity_;
  step.axes = setOf(axes);
  for (const Tensor *operand : operands)
    step.values[step.inputs++] = valueOf(*operand, axes);
  return addPending(dtype, shape, axes, step);
}

/// Reads the coordinate along its new axis, beside indices that do not have this axis.
std::optional<Tensor> BlockedRun::addOneHot(const Tensor &indices, const core::Attributes &attributes, DType dtype,
                                            const Shape &shape) {
  BlockedLoop::Step step;
  step.kernel = context_.kernels->find(OpKind::OneHot, indices.dtype(), static_cast<uint32_t>(dtype));
  if (!step.kernel || findPending(indices) || !isSpace(shape))
    return {};
  const int64_t axis = attributes[1];
  IntList others;
  for (int64_t d : identity_)
    if (d != axis)
      others.push_back(d);
  BlockedLoop::Value coordinate;
  coordinate.dtype = DType::I64;
  coordinate.isCoordinate = true;
  coordinate.strides = IntList(shape_.size(), 0);
  coordinate.strides[static_cast<size_t>(axis)] = 1;
  coordinate.axes = AxisSet{1} << axis;
  step.axes = setOf(identity_);
  step.values[step.inputs++] = valueOf(indices, others);
  step.values[step.inputs++] = static_cast<uint32_t>(loop_.values.size());
  loop_.values.push_back(std::move(coordinate));
  return addPending(dtype, shape, identity_, step);
}

std::optional<Tensor> BlockedRun::addReduction(OpKind kind, const Tensor &operand, const core::Attributes &attributes,
                                               DType dtype, const Shape &shape) {
  const Entry *entry = find(operand, Source::Loop);
  if (!neverFails(operand.dtype()) || !neverFails(dtype) || !(entry || isSpace(operand.shape())) || !attributes[0])
    return {};
  const IntList from = entry ? entry->axes : identity_;
  IntList kept;
  BlockedLoop::Step step;
  step.axes = setOf(from);
  const int64_t *next = attributes.data() + 1, *end = next + attributes[0];
  for (size_t d = 0; d < from.size(); ++d) {
    if (next == end || *next != static_cast<int64_t>(d)) {
      kept.push_back(from[d]);
      continue;
    }
    ++next;
    if (from[d] < 0)
      return {}; // a slice of one element
    step.reduced |= AxisSet{1} << from[d];
  }
  const AxisSet every = loop_.longAxes();
  if ((step.reduced & every) == every) { // behind the loop, if it brings something
    if (!entry || (loop_.reduced() & every) != (loop_.reduced() ? every : 0) || !loop_.flattened())
      return {};
  } else if (loop_.smallestBlock(loop_.reduced() | step.reduced) > 4 * BlockedLoop::kBlock) {
    return {};
  }
  step.kernel = context_.kernels->find(kind, operand.dtype());
  if (!step.kernel)
    return {};
  step.values[step.inputs++] = valueOf(operand, from);
  return addPending(dtype, shape, kept, step);
}

/// An operation on what comes behind the loop, if it is small and reads nothing of the loop.
std::optional<Tensor> BlockedRun::addBehind(OpKind kind, std::span<const Tensor *const> operands,
                                            const core::Attributes &attributes, DType dtype, const Shape &shape) {
  const bool isView = kind == OpKind::Reshape || kind == OpKind::BroadcastInDim;
  if (!(isView || core::schema(kind).elementwise) || !neverFails(dtype) || shape.elementCount() != 1)
    return {};
  for (const Tensor *operand : operands)
    if (!neverFails(operand->dtype()) || find(*operand, Source::Loop))
      return {};
  if (!isView && !elementwiseKernel(kind, operands, attributes, dtype, *context_.kernels))
    return {};
  Operation operation{kind, {}, attributes, TensorAccess::make({}, TensorView::contiguous(nullptr, dtype, shape))};
  for (const Tensor *operand : operands)
    operation.operands.push_back(*operand);
  behind_.push_back(operation);
  entries_.push_back({operation.result, kNoValue, {}, Source::Behind});
  return operation.result;
}

/// Memory for each value that has a tensor which others than the entries hold.
void BlockedRun::placeVisible() {
  for (const Entry &entry : entries_) {
    if (entry.source == Source::Memory || entry.value == kNoValue || loop_.values[entry.value].array)
      continue;
    if (entry.source == Source::Loop && !TensorAccess::isShared(entry.tensor))
      continue;
    // The first entry is the operation's own result, which is contiguous.
    const Entry &own =
        *std::find_if(entries_.begin(), entries_.end(), [&](const Entry &other) { return other.value == entry.value; });
    BlockedLoop::Value &value = loop_.values[entry.value];
    const TensorView &view = TensorAccess::view(own.tensor);
    const auto bytes = static_cast<size_t>(view.elementCount()) * byteSize(view.dtype);
    runtime::BufferRef buffer = runtime::BufferRef::allocate(bytes);
    value.array = buffer.data();
    value.strides = IntList(shape_.size(), 0);
    for (size_t d = 0; d < own.axes.size(); ++d)
      if (own.axes[d] >= 0 && view.shape[d] > 1)
        value.strides[static_cast<size_t>(own.axes[d])] = view.strides[d];
    for (Entry &other : entries_)
      if (other.value == entry.value)
        TensorAccess::place(other.tensor, buffer);
  }
}

void BlockedRun::runBehind() {
  for (const Operation &operation : behind_) {
    std::vector<const Tensor *> operands;
    for (const Tensor &operand : operation.operands)
      operands.push_back(&operand);
    const TensorView &type = TensorAccess::view(operation.result);
    TensorAccess::fill(operation.result,
                       execute(operation.kind, operands, operation.attributes, type.dtype, type.shape, context_));
  }
}

void BlockedRun::run() {
  if (!loop_.steps.empty()) {
    placeVisible();
    const runtime::Status status = loop_.run(context_);
    if (status != runtime::kOk) [[unlikely]]
      raise(runtime::describe(static_cast<runtime::KernelError>(status & 0xFF)));
  }
  runBehind();
  behind_.clear();
  loop_.steps.clear();
  loop_.values.clear();
  entries_.clear();
}

} // namespace tenferro::eager
