// The frame that takes a function's operations while it is recorded, and the program made of it.
#include "lib/Eager/Trace/Staging.h"

#include "lib/Core/ShapeRules.h"
#include "lib/Eager/Differentiate.h"
#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/Failures.h"
#include "lib/Eager/Located.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/TensorImpl.h"
#include "lib/Eager/ThreadState.h"
#include "lib/Eager/Trace/Walk.h"

#include <algorithm>

namespace tenferro::eager {

using core::OpKind;
using detail::EagerAccess;
using detail::TensorAccess;

namespace {

std::atomic<uint64_t> nextFrame{1};

constexpr uint32_t inputNumber(size_t i) noexcept { return static_cast<uint32_t>(2 * i); }
constexpr uint32_t resultNumber(size_t r) noexcept { return static_cast<uint32_t>(2 * r + 1); }
constexpr bool isResult(uint32_t number) noexcept { return number & 1; }

} // namespace

void raiseNoValue(std::string_view op, const Record &record) {
  raise(failureOf(
      ErrorKind::RuntimeState, op, {},
      "expects a tensor with a value, but " + std::string(name(record.type.dtype)) + record.type.shape.str() +
          " belongs to a function that is recorded, not run: its operations compute when the recorded program is "
          "called"));
}

StagedValue::StagedValue(RuntimeState &state, core::ValueType valueType, uint64_t frame, uint32_t number)
    : Record(RecordKind::Staged, isDifferentiable(valueType.dtype), state, type_), frame(frame), number(number),
      type_(std::move(valueType)) {
  state.addRecord(false);
}

StagingFrame::StagingFrame(RuntimeState &state)
    : state_(state), id_(nextFrame.fetch_add(1, std::memory_order_relaxed)),
      outer_(std::exchange(threadState.staging, this)), noGrad_(std::exchange(threadState.noGrad, 0)),
      capture_(std::exchange(threadState.capture, 0)) {}

StagingFrame::~StagingFrame() {
  threadState.staging = outer_;
  threadState.noGrad = noGrad_;
  threadState.capture = capture_;
}

StagingFrame *StagingFrame::of(const RuntimeState &state) noexcept {
  StagingFrame *frame = threadState.staging;
  while (frame && &frame->state_ != &state)
    frame = frame->outer_;
  return frame;
}

EagerTensor StagingFrame::addArgument(const core::ValueType &type) {
  ++arguments_;
  return EagerAccess::adopt(new StagedValue(state_, type, id_, addInput(type, {})));
}

uint32_t StagingFrame::addInput(core::ValueType type, EagerTensor capture) {
  inputs_.push_back(std::move(type));
  captures_.push_back(std::move(capture));
  return inputNumber(inputs_.size() - 1);
}

const uint32_t *StagingFrame::findNumber(const Record &record) const noexcept {
  if (record.kind == RecordKind::Staged && static_cast<const StagedValue &>(record).frame == id_)
    return &static_cast<const StagedValue &>(record).number;
  auto known = captured_.find(&record);
  return known == captured_.end() ? nullptr : &known->second;
}

uint32_t StagingFrame::numberOf(const EagerTensor &tensor, std::string_view op) {
  const Record *record = EagerAccess::record(tensor);
  if (!record)
    raise(failureOf(ErrorKind::InvalidArgument, op, {},
                    "expects a tensor, but it is empty (default-made or moved-from)"));
  requireRuntime(state_, *record, op);
  if (const uint32_t *known = findNumber(*record))
    return *known;
  if (record->kind == RecordKind::Staged) {
    uint64_t frame = static_cast<const StagedValue *>(record)->frame;
    const StagingFrame *around = outer_;
    while (around && around->id_ != frame)
      around = around->outer_;
    if (!around)
      raise(failureOf(
          ErrorKind::RuntimeState, op, {},
          "expects tensors of functions that this thread is recording, but got one of a recording that has ended or "
          "belongs to another thread"));
  }
  return capture(tensor);
}

uint32_t StagingFrame::capture(const EagerTensor &tensor) {
  const Record *record = EagerAccess::record(tensor);
  uint32_t number;
  if (record->kind == RecordKind::Constant && isRepeatedNumber(TensorAccess::view(record->value))) {
    // One element serves all places: the program takes the number and repeats it.
    const runtime::TensorView &view = TensorAccess::view(record->value);
    Tensor single = TensorAccess::withView(record->value, runtime::TensorView(view.data, view.dtype, {}, {}));
    core::GraphOp repeat;
    repeat.kind = OpKind::BroadcastInDim;
    repeat.operands = {
        addInput({view.dtype, {}}, EagerAccess::adopt(new ConstantLeaf(state_, std::move(single), record->where)))};
    repeat.attributes = {0, record->type.shape.rank()}; // no axes, then the shape
    for (int64_t extent : record->type.shape)
      repeat.attributes.push_back(extent);
    repeat.results = {record->type};
    number = append({std::move(repeat), {}});
    kept_.push_back(tensor);
  } else {
    number = addInput(record->type, tensor);
  }
  captured_.emplace(record, number);
  return number;
}

uint32_t StagingFrame::append(Operation operation) {
  operation.firstResult = static_cast<uint32_t>(producer_.size());
  producer_.resize(producer_.size() + operation.op.results.size(), static_cast<uint32_t>(operations_.size()));
  operations_.push_back(std::move(operation));
  return resultNumber(operations_.back().firstResult);
}

EagerTensor StagingFrame::handle(uint32_t number, const std::source_location &where) {
  if (threadState.noGrad) {
    core::GraphOp detach;
    detach.kind = OpKind::Detach;
    detach.operands = {number};
    detach.results = {type(number)};
    number = append({std::move(detach), where});
  }
  return EagerAccess::adopt(new StagedValue(state_, type(number), id_, number));
}

EagerTensor StagingFrame::apply(OpKind kind, std::span<const EagerTensor *const> tensors,
                                const core::Attributes &attributes, const std::source_location &where) {
  core::GraphOp op;
  op.kind = kind;
  op.attributes = attributes;
  std::vector<core::ValueType> types;
  try {
    for (const EagerTensor *tensor : tensors)
      op.operands.push_back(numberOf(*tensor, core::schema(kind).mnemonic));
  } catch (const Error &error) {
    raiseAt(error.failure(), where);
  }
  for (uint32_t operand : op.operands)
    types.push_back(type(operand));
  core::Expected<core::ValueType> result = core::inferResult(kind, types, attributes);
  if (!result)
    raiseAt(std::move(result.failure()), where);
  op.results = {std::move(*result)};
  return handle(append({std::move(op), where}), where);
}

std::vector<EagerTensor> StagingFrame::add(core::GraphOp op, std::vector<uint32_t> hidden,
                                           const std::source_location &where) {
  const size_t results = op.results.size();
  const uint32_t first = append({std::move(op), where, std::move(hidden)});
  std::vector<EagerTensor> handles;
  for (size_t i = 0; i < results; ++i)
    handles.push_back(handle(first + static_cast<uint32_t>(2 * i), where));
  return handles;
}

std::vector<EagerTensor> StagingFrame::splice(const core::Graph &graph, std::span<const std::source_location> locations,
                                              std::vector<uint32_t> values) {
  std::source_location where;
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    if (k < locations.size())
      where = locations[k];
    core::GraphOp op = graph.ops[k];
    for (uint32_t &operand : op.operands)
      operand = values[operand];
    const size_t results = op.results.size();
    uint32_t number = append({std::move(op), where});
    for (size_t r = 0; r < results; ++r, number += 2)
      values.push_back(number);
  }
  std::vector<EagerTensor> outputs;
  for (uint32_t output : graph.outputs)
    outputs.push_back(handle(values[output], where));
  return outputs;
}

const core::ValueType &StagingFrame::type(uint32_t number) const {
  if (!isResult(number))
    return inputs_[number / 2];
  const Operation &operation = operations_[producer_[number / 2]];
  return operation.op.results[number / 2 - operation.firstResult];
}

std::vector<uint32_t> StagingFrame::resultsOf(uint32_t operation) const {
  std::vector<uint32_t> numbers;
  for (size_t r = 0; r < operations_[operation].op.results.size(); ++r)
    numbers.push_back(resultNumber(operations_[operation].firstResult + r));
  return numbers;
}

StagingFrame::Part StagingFrame::part(std::span<const uint32_t> outputs, std::span<const uint32_t> inputs,
                                      std::span<const uint32_t> cut, Order order) const {
  Part part;
  std::vector<uint8_t> visited(operations_.size());
  auto isCut = [&](uint32_t number) { return std::find(cut.begin(), cut.end(), number) != cut.end(); };
  auto addInput = [&](uint32_t number) {
    if (part.places.try_emplace(number, static_cast<uint32_t>(part.inputs.size())).second)
      part.inputs.push_back(number);
  };
  for (uint32_t input : inputs)
    addInput(input);
  struct Visit {
    uint32_t operation, next;
  };
  std::vector<Visit> stack;
  auto visit = [&](uint32_t number) {
    if (!isResult(number) || isCut(number))
      return addInput(number);
    uint32_t operation = producer_[number / 2];
    if (!std::exchange(visited[operation], uint8_t{1}))
      stack.push_back({operation, 0});
  };
  for (uint32_t output : outputs) {
    visit(output);
    while (!stack.empty()) {
      auto &[index, next] = stack.back();
      const std::vector<uint32_t> &operands = operations_[index].op.operands;
      if (next < operands.size()) {
        visit(operands[next++]);
        continue;
      }
      part.operations.push_back(index);
      stack.pop_back();
    }
  }
  if (order == Order::Recorded)
    std::sort(part.operations.begin(), part.operations.end());
  for (uint32_t input : part.inputs)
    part.graph.inputs.push_back(type(input));
  uint32_t place = static_cast<uint32_t>(part.inputs.size());
  for (uint32_t index : part.operations) {
    const Operation &operation = operations_[index];
    core::GraphOp op = operation.op;
    for (uint32_t &operand : op.operands)
      operand = part.places.at(operand);
    for (size_t r = 0; r < op.results.size(); ++r, ++place)
      part.places.try_emplace(resultNumber(operation.firstResult + r), place); // a cut one is an input already
    part.graph.ops.push_back(std::move(op));
  }
  for (uint32_t output : outputs)
    part.graph.outputs.push_back(part.places.at(output));
  return part;
}

std::vector<uint32_t> StagingFrame::hiddenIn(std::span<const uint32_t> operations) const {
  std::vector<uint32_t> hidden;
  for (uint32_t index : operations)
    hidden.insert(hidden.end(), operations_[index].hidden.begin(), operations_[index].hidden.end());
  return hidden;
}

std::vector<std::source_location> StagingFrame::locationsOf(std::span<const uint32_t> operations) const {
  std::vector<std::source_location> locations;
  for (uint32_t operation : operations)
    locations.push_back(operations_[operation].where);
  return locations;
}

StagedFunction StagingFrame::finish(std::span<const EagerTensor> results, std::string_view op) {
  std::vector<uint32_t> outputs, arguments;
  for (const EagerTensor &result : results)
    outputs.push_back(numberOf(result, op));
  for (size_t i = 0; i < arguments_; ++i)
    arguments.push_back(inputNumber(i));
  Part whole = part(outputs, arguments, {}, Order::Recorded);
  StagedFunction function;
  for (size_t i = arguments_; i < whole.inputs.size(); ++i)
    function.captures.push_back(captures_[whole.inputs[i] / 2]);
  for (uint32_t index : whole.operations)
    function.locations.push_back(operations_[index].where);
  function.graph = std::move(whole.graph);
  return function;
}

StagedFunction stage(EagerRuntime &runtime, ExecutionEngine &engine, std::span<const core::ValueType> arguments,
                     std::string_view op, const StagedBody &body) {
  StagingFrame frame(EagerAccess::state(runtime));
  std::vector<EagerTensor> placeholders;
  for (const core::ValueType &type : arguments)
    placeholders.push_back(frame.addArgument(type));
  std::vector<EagerTensor> results =
      runtime.session(engine, [&](EagerSession &session) { return body(session, placeholders); });
  return frame.finish(results, op);
}

} // namespace tenferro::eager
