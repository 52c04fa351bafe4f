// Loading a program: every number checked against the program, so that running it cannot leave its memory; then
// launches are planned and bound.
#include "runtime/core/Failures.h"
#include "runtime/program/ExecutableProgram.h"
#include "runtime/program/LaunchPlanner.h"

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_map>

namespace tenferro::runtime {

namespace {

std::optional<Failure> wrong(std::string message) {
  return makeFailure(ErrorKind::Internal, "load program", std::move(message));
}

/// Bytes of plain values, one behind the other.
class KeyText {
public:
  void clear() { text_.clear(); }
  const std::string &text() const noexcept { return text_; }
  void number(int64_t value) { text_.append(reinterpret_cast<const char *>(&value), sizeof value); }
  void list(const IntList &values) {
    number(static_cast<int64_t>(values.size()));
    text_.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(int64_t));
  }
  void word(const std::string &value) { (text_ += value) += '\0'; }
  void byte(uint8_t value) { text_ += static_cast<char>(value); }

private:
  std::string text_;
};

/// What a container keeps on the heap beside itself; a block costs the allocator's header too.
constexpr size_t kBlock = 16;
template <typename T> size_t heapBytes(const std::vector<T> &list) {
  return list.capacity() ? list.capacity() * sizeof(T) + kBlock : 0;
}
size_t heapBytes(const std::vector<bool> &list) { return list.capacity() ? list.capacity() / 8 + kBlock : 0; }
size_t heapBytes(const std::string &text) { return text.capacity() > 15 ? text.capacity() + kBlock : 0; }
size_t heapBytes(const IntList &list) {
  return list.size() > IntList::kInline ? list.size() * sizeof(int64_t) + kBlock : 0;
}
size_t heapBytes(const core::ValueType &type) { return heapBytes(type.shape); }

} // namespace

/// One load. Each step returns what is wrong, if anything.
class ProgramLoader {
public:
  ProgramLoader(CompiledArtifact artifact, const KernelTable &kernels, const CallbackResolver &callbacks)
      : executable_(std::make_shared<ExecutableProgram>()), resolve_(callbacks),
        resolver_(executable_->artifact_.program) {
    executable_->artifact_ = std::move(artifact);
    executable_->kernels_ = &kernels;
  }

  /// `shared`: machine code that is there already.
  std::optional<Failure> load(std::shared_ptr<const LoadedCode> shared = nullptr) {
    if (auto failure = checkInterface())
      return failure;
    if (auto failure = checkValues())
      return failure;
    const CompiledArtifact &artifact = executable_->artifact_;
    ownsCode_ = !shared;
    executable_->code_ = std::move(shared);
    if (ownsCode_ && (!artifact.object.empty() || !artifact.functions.empty())) {
      auto code = loadCode(artifact.object, artifact.functions);
      if (!code)
        return std::move(code.failure());
      executable_->code_ = std::move(*code);
    }
    for (const CallbackName &name : program().callbacks) {
      if (!resolve_)
        return makeFailure(ErrorKind::Unsupported, name.family, "expects a runtime that has the kernel of this family");
      auto callback = resolve_(name);
      if (!callback)
        return std::move(callback.failure());
      executable_->callbacks_.push_back(std::move(*callback));
    }
    const LaunchPlanner planner(program(), *executable_->kernels_, executable_->code_.get());
    size_t operands = 0;
    for (const Launch &launch : program().launches)
      operands += launch.operands.size();
    if (operands > kMostOperands)
      return wrong("expects at most " + std::to_string(kMostOperands) + " operands of all launches together");
    executable_->launches_.resize(program().launches.size() + 1);
    executable_->places_.reserve(operands);
    for (size_t i = 0; i < program().launches.size(); ++i)
      if (auto failure = bind(i, planner)) {
        failure->message += " in launch " + std::to_string(i);
        return failure;
      }
    executable_->rowBlocks_ = RowBlocks::find(
        program(), resolver_, std::span(executable_->launches_.data(), program().launches.size()), executable_->steps_);
    executable_->calls_.shrink_to_fit();
    executable_->steps_.shrink_to_fit();
    if (program().launches.size() > ExecutableProgram::kManyLaunches)
      measureCode();
    estimateBytes();
    return std::nullopt;
  }

  std::shared_ptr<const LoadedProgram> take() { return std::move(executable_); }

private:
  /// So that places and calls have numbers of 32 bits.
  static constexpr size_t kMostOperands = size_t{1} << 29;

  const Program &program() const { return executable_->artifact_.program; }

  static int64_t bytesOf(const core::ValueType &type) {
    return type.shape.elementCount() * static_cast<int64_t>(byteSize(type.dtype));
  }

  /// Programs have few types, also with many arguments.
  uint32_t typeNumber(const core::ValueType &type) {
    key_.clear();
    key_.number(static_cast<int64_t>(type.dtype));
    key_.list(type.shape);
    auto [found, isNew] = typesByKey_.try_emplace(key_.text(), static_cast<uint32_t>(executable_->types_.size()));
    if (isNew) {
      std::vector<int64_t> &words = executable_->typeWords_;
      executable_->types_.push_back(
          {type.dtype, static_cast<uint32_t>(type.shape.size()), static_cast<uint32_t>(words.size())});
      const IntList strides = type.shape.contiguousStrides();
      words.insert(words.end(), type.shape.begin(), type.shape.end());
      words.insert(words.end(), strides.begin(), strides.end());
    }
    return found->second;
  }

  std::optional<Failure> checkInterface() {
    const Program &p = program();
    if (p.argumentUsed.size() != p.arguments.size() || p.argumentContiguous.size() != p.arguments.size())
      return wrong("expects flags for each argument");
    for (const core::ValueType &type : p.arguments)
      if (!type.shape.isValid())
        return wrong("expects arguments of valid shapes, but got " + type.shape.str());
    if (p.arenaBytes < 0)
      return wrong("expects an arena of at least 0 bytes");
    executable_->copied_ = p.argumentContiguous;
    for (size_t i = 0; i < p.arguments.size(); ++i)
      executable_->argumentTypes_.push_back(p.argumentUsed[i] ? typeNumber(p.arguments[i])
                                                              : ExecutableProgram::kUnused);
    for (size_t i = 0; i < p.results.size(); ++i) {
      if (p.results[i] >= p.values.size())
        return wrong("expects results among the values, but got " + std::to_string(p.results[i]));
      const ProgramValue &value = p.values[p.results[i]];
      if (value.storage != StorageKind::Result || value.index != i)
        return wrong("expects result " + std::to_string(i) + " in result buffer " + std::to_string(i));
      if (!value.type.shape.isValid())
        return wrong("expects results of valid shapes, but got " + value.type.shape.str());
      executable_->resultBytes_.push_back(static_cast<size_t>(bytesOf(value.type)));
    }
    return std::nullopt;
  }

  std::optional<Failure> checkValues() {
    const Program &p = program();
    for (size_t v = 0; v < p.values.size(); ++v) {
      const ProgramValue &value = p.values[v];
      std::string what = "value " + std::to_string(v);
      if (static_cast<size_t>(value.type.dtype) >= kDTypeCount || !value.type.shape.isValid())
        return wrong("expects values of valid types, but " + what + " has shape " + value.type.shape.str());
      int64_t bytes = bytesOf(value.type), room = 0;
      switch (value.storage) {
      case StorageKind::Argument:
        if (value.index >= p.arguments.size() || !(p.arguments[value.index] == value.type))
          return wrong("expects " + what + " to be an argument of its type");
        if (!p.argumentUsed[value.index])
          return wrong("expects " + what + " to be an argument that is used");
        continue;
      case StorageKind::Result:
        if (value.index >= p.results.size() || bytes > static_cast<int64_t>(executable_->resultBytes_[value.index]))
          return wrong("expects " + what + " inside a result");
        continue;
      case StorageKind::Arena:
      case StorageKind::Constant:
        room = value.storage == StorageKind::Arena ? p.arenaBytes : static_cast<int64_t>(p.constants.size());
        if (value.offset < 0 || value.offset > room || bytes > room - value.offset)
          return wrong("expects " + what + " inside the " +
                       (value.storage == StorageKind::Arena ? "arena" : "constants"));
        continue;
      case StorageKind::Index:
        if (value.type.dtype != DType::I64 || (value.index >= value.type.shape.size() && !value.type.shape.empty()))
          return wrong("expects " + what + " to be an i64 coordinate along one of its axes");
        continue;
      case StorageKind::View:
        if (auto failure = checkView(static_cast<uint32_t>(v), value, what))
          return failure;
        continue;
      }
      return wrong("expects " + what + " to have a storage");
    }
    return std::nullopt;
  }

  std::optional<Failure> checkView(uint32_t index, const ProgramValue &value, const std::string &what) {
    const Program &p = program();
    if (value.index >= index)
      return wrong("expects " + what + " to view an earlier value");
    const ProgramValue &source = p.values[value.index];
    if (source.type.dtype != value.type.dtype)
      return wrong("expects " + what + " to keep the dtype it views");
    size_t rank = value.type.shape.size();
    if (value.view->reshape) {
      ResolvedValue resolved = resolver_.resolve(value.index);
      TensorView view(nullptr, value.type.dtype, source.type.shape, resolved.strides);
      if (!view.isContiguous() || source.type.shape.elementCount() != value.type.shape.elementCount() ||
          resolved.slot == kIndexSlot)
        return wrong("expects " + what + " to reshape a contiguous value of as many elements");
      if (resolved.slot >= kFirstArgumentSlot && resolved.slot < kFirstArgumentSlot + p.arguments.size())
        executable_->copied_[resolved.slot - kFirstArgumentSlot] = true;
      return std::nullopt;
    }
    if (value.view->dims.size() != rank || value.view->starts.size() != rank || value.view->steps.size() != rank ||
        (!value.view->alongside.empty() && value.view->alongside.size() != rank))
      return wrong("expects " + what + " to describe each dimension");
    if (value.type.shape.elementCount() == 0)
      return std::nullopt;
    if (source.type.shape.elementCount() == 0)
      return wrong("expects " + what + " to view elements that are there");
    // Each coordinate of the source is the sum of the dimensions that walk it.
    InlineVector<int64_t, 8> least(source.type.shape.size(), 0), most(source.type.shape.size(), 0);
    for (size_t d = 0; d < rank; ++d) {
      int64_t dim = value.view->dims[d], extent = value.type.shape[d], start = value.view->starts[d], end = 0;
      if (dim == -1)
        continue;
      if (dim < 0 || dim >= source.type.shape.rank() ||
          __builtin_mul_overflow(value.view->steps[d], extent - 1, &end) || __builtin_add_overflow(end, start, &end) ||
          std::min(start, end) < 0 || std::max(start, end) >= source.type.shape[dim])
        return wrong("expects " + what + " inside the value it views");
      least[dim] += std::min(start, end);
      most[dim] += std::max(start, end);
      if (value.view->alongside.empty() || value.view->alongside[d] == -1)
        continue;
      int64_t other = value.view->alongside[d];
      if (other < 0 || other >= source.type.shape.rank() || value.view->steps[d] != 1)
        return wrong("expects " + what + " to walk diagonals of the value it views");
      most[other] += extent - 1;
    }
    for (size_t d = 0; d < most.size(); ++d)
      if (most[d] >= source.type.shape[d])
        return wrong("expects " + what + " inside the value it views");
    return std::nullopt;
  }

  /// A place for an offset that need not fit in it.
  Place placeOf(uint32_t slot, int64_t offset) {
    const auto low = static_cast<uint32_t>(offset);
    if (offset == static_cast<int64_t>(low))
      return {slot, low};
    std::vector<FarBase> &bases = executable_->farBases_;
    const FarBase base = {slot, offset - static_cast<int64_t>(low)};
    const size_t number = static_cast<size_t>(std::find(bases.begin(), bases.end(), base) - bases.begin());
    if (number == bases.size())
      bases.push_back(base);
    return {static_cast<uint32_t>(kFirstArgumentSlot + program().arguments.size() + program().results.size() + number),
            low};
  }

  /// Places of one launch, and its step: one is planned for all launches that may share it.
  std::optional<Failure> bind(size_t number, const LaunchPlanner &planner) {
    const Program &p = program();
    const Launch &launch = p.launches[number];
    bool needsInputs = launch.kind != LaunchKind::Callback;
    if (launch.outputs == 0 || launch.operands.size() < launch.outputs + needsInputs)
      return wrong("expects inputs and outputs");
    size_t inputs = launch.operands.size() - launch.outputs;
    BoundLaunch &bound = executable_->launches_[number];
    bound.places = static_cast<uint32_t>(executable_->places_.size());
    bound.operands = static_cast<uint32_t>(launch.operands.size()) & (~uint32_t{0} >> 1);
    resolved_.clear();
    coordinates_.clear();
    for (size_t i = 0; i < launch.operands.size(); ++i) {
      uint32_t operand = launch.operands[i];
      if (operand >= p.values.size())
        return wrong("expects operands among the values, but got " + std::to_string(operand));
      resolved_.push_back(resolver_.resolve(operand));
      uint32_t slot = resolved_.back().slot;
      bool argument = slot >= kFirstArgumentSlot && slot < kFirstArgumentSlot + p.arguments.size();
      if (i >= inputs && (argument || slot == kIndexSlot || slot == kConstantSlot))
        return wrong("expects to write results or the arena only");
      coordinates_.push_back(slot == kIndexSlot);
      executable_->places_.push_back(placeOf(slot, resolved_.back().offset));
    }
    writeKey(launch);
    auto [known, isNew] = stepsByKey_.try_emplace(key_.text(), static_cast<uint32_t>(executable_->steps_.size()));
    if (isNew)
      if (auto failure = addStep(launch, planner))
        return failure;
    bound.step = known->second;
    const Step &step = *executable_->steps_[bound.step];
    if (launch.kind == LaunchKind::Map) {
      bound.kernel = step.map->kernel();
      if (launch.kernel.empty()) {
        auto function = planner.function(launch.function);
        if (!function)
          return std::move(function.failure());
        bound.kernel = reinterpret_cast<MapKernel>(*function);
      }
      bound.isSplit = step.map->isSplit();
    } else if (launch.kind == LaunchKind::Reduce) {
      bound.kernel = step.reduceFunction.row;
    }
    bound.call = callOfStep_[bound.step];
    return std::nullopt;
  }

  std::optional<Failure> addStep(const Launch &launch, const LaunchPlanner &planner) {
    executable_->steps_.push_back(std::make_unique<Step>());
    Step &step = *executable_->steps_.back();
    step.kind = launch.kind;
    step.views.reserve(launch.operands.size());
    for (size_t i = 0; i < launch.operands.size(); ++i) {
      const core::ValueType &type = program().values[launch.operands[i]].type;
      step.views.emplace_back(nullptr, type.dtype, type.shape, std::move(resolved_[i].strides));
    }
    if (auto failure = planner.plan(launch, coordinates_, step))
      return failure;
    const KernelCall call = step.map ? step.map->oneCall() : step.reduce ? step.reduce->oneCall() : KernelCall();
    callOfStep_.push_back(call && launch.operands.size() <= BoundLaunch::kMostOperands
                              ? addCall(call, launch.operands.size())
                              : BoundLaunch::kNoCall);
    return std::nullopt;
  }

  uint32_t addCall(const KernelCall &call, size_t operands) {
    std::vector<int64_t> &calls = executable_->calls_;
    const auto at = static_cast<uint32_t>(calls.size());
    calls.push_back(call.n);
    calls.push_back(call.m);
    calls.insert(calls.end(), call.inner, call.inner + operands);
    calls.insert(calls.end(), call.outer, call.outer + operands);
    return at;
  }

  /// How much code each kernel has; functions lie one behind the other.
  void measureCode() {
    ExecutableProgram &e = *executable_;
    const size_t launches = program().launches.size();
    e.codeLines_.resize(launches + 1, 0);
    std::vector<uintptr_t> functions;
    for (size_t i = 0; e.code_ && i < e.code_->functionCount(); ++i)
      functions.push_back(reinterpret_cast<uintptr_t>(e.code_->function(i)));
    std::sort(functions.begin(), functions.end());
    for (size_t i = 0; i < launches; ++i) {
      const auto start = reinterpret_cast<uintptr_t>(e.launches_[i].kernel);
      auto next = std::upper_bound(functions.begin(), functions.end(), start);
      if (next == functions.begin() || next == functions.end() || next[-1] != start)
        continue; // precompiled, or of unknown size
      constexpr uintptr_t kMostLines = 128;
      e.codeLines_[i] = static_cast<uint8_t>(std::min((*next - start) / ExecutableProgram::kCacheLine, kMostLines));
    }
  }

  /// Everything planning reads of a launch but the JIT function of a map. Reductions have two of them, which they keep
  /// in the step; a callback is bound to its own.
  void writeKey(const Launch &launch) {
    key_.clear();
    key_.number(static_cast<int64_t>(launch.kind) | static_cast<int64_t>(launch.rowOnly) << 8 |
                static_cast<int64_t>(launch.reverse) << 9 | static_cast<int64_t>(launch.outputs) << 32);
    key_.number(launch.kind == LaunchKind::Map ? 0 : launch.function);
    key_.word(launch.kernel);
    key_.number(std::bit_width(launch.weight)); // about as heavy
    for (const IntList *list : {&launch.axes, &launch.low, &launch.interior})
      key_.list(*list);
    key_.number(static_cast<int64_t>(launch.access.size()));
    for (Access access : launch.access)
      key_.byte(static_cast<uint8_t>(access));
    key_.number(static_cast<int64_t>(launch.combine.size()));
    for (const std::string &combine : launch.combine)
      key_.word(combine);
    if (launch.kind == LaunchKind::Matmul) {
      for (const IntList *list :
           {&launch.dot->lhsContracting, &launch.dot->rhsContracting, &launch.dot->lhsBatch, &launch.dot->rhsBatch})
        key_.list(*list);
    } else if (launch.windows.bytes()) {
      const WindowDimensions &windows = *launch.windows;
      for (const IntList *list : {&windows.window, &windows.fixed, &windows.map, &windows.sizes})
        key_.list(*list);
      key_.number(windows.vectorDim);
      key_.number(static_cast<int64_t>(windows.mode) | static_cast<int64_t>(windows.update) << 8 |
                  static_cast<int64_t>(windows.backward) << 16);
    }
    for (size_t i = 0; i < resolved_.size(); ++i) {
      const core::ValueType &type = program().values[launch.operands[i]].type;
      key_.number(static_cast<int64_t>(type.dtype) << 8 | coordinates_[i]);
      key_.list(type.shape);
      key_.list(resolved_[i].strides);
    }
  }

  /// What is on the heap, counted. Executors of other sizes that share the code do not count it again.
  void estimateBytes() {
    const ExecutableProgram &e = *executable_;
    const CompiledArtifact &artifact = e.artifact_;
    const Program &p = artifact.program;
    size_t bytes =
        sizeof e + kBlock + (ownsCode_ && e.code_ ? e.code_->bytes() + e.code_->functionCount() * sizeof(void *) : 0);
    bytes += heapBytes(artifact.object) + heapBytes(artifact.functions) + heapBytes(artifact.active);
    for (const std::string &function : artifact.functions)
      bytes += heapBytes(function);
    bytes += heapBytes(p.values) + heapBytes(p.launches) + heapBytes(p.origins) + heapBytes(p.arguments) +
             heapBytes(p.argumentUsed) + heapBytes(p.argumentContiguous) + heapBytes(p.results) +
             heapBytes(p.constants) + heapBytes(p.callbacks);
    for (const ProgramValue &value : p.values)
      bytes += heapBytes(value.type) + value.view.bytes();
    for (const core::ValueType &type : p.arguments)
      bytes += heapBytes(type);
    for (const Launch &launch : p.launches) {
      bytes += heapBytes(launch.kernel) + heapBytes(launch.operands) + heapBytes(launch.access) +
               heapBytes(launch.axes) + heapBytes(launch.low) + heapBytes(launch.interior) + launch.dot.bytes() +
               launch.windows.bytes() + heapBytes(launch.combine) + heapBytes(launch.opNumbers);
      for (const std::string &combine : launch.combine)
        bytes += heapBytes(combine);
    }
    for (const LaunchOrigin &origin : p.origins)
      bytes += heapBytes(origin.made);
    bytes += heapBytes(e.launches_) + heapBytes(e.places_) + heapBytes(e.codeLines_) + heapBytes(e.calls_) +
             heapBytes(e.farBases_) + heapBytes(e.argumentTypes_) + heapBytes(e.types_) + heapBytes(e.typeWords_) +
             heapBytes(e.resultBytes_) + heapBytes(e.copied_) + heapBytes(e.steps_) + heapBytes(e.callbacks_);
    for (const auto &step : e.steps_)
      bytes += sizeof(Step) + kBlock + (step->map ? sizeof(MapPlan) + kBlock : 0) +
               (step->reduce ? sizeof(ReducePlan) + kBlock : 0) + heapBytes(step->combine) + heapBytes(step->access) +
               heapBytes(step->views);
    bytes += heapBytes(e.rowBlocks_);
    for (const RowBlocks &group : e.rowBlocks_)
      bytes += group.bytes();
    executable_->retainedBytes_ = bytes;
  }

  std::shared_ptr<ExecutableProgram> executable_;
  const CallbackResolver &resolve_;
  bool ownsCode_ = true; ///< the code is counted among the program's bytes
  ValueResolver resolver_;
  std::unordered_map<std::string, uint32_t> stepsByKey_, typesByKey_;
  std::vector<uint32_t> callOfStep_;
  // Of the launch that is being bound.
  KeyText key_;
  std::vector<ResolvedValue> resolved_;
  std::vector<uint8_t> coordinates_;
};

core::Expected<std::shared_ptr<const LoadedProgram>>
LoadedProgram::load(CompiledArtifact artifact, const KernelTable &kernels, const CallbackResolver &callbacks) {
  ProgramLoader loader(std::move(artifact), kernels, callbacks);
  if (auto failure = loader.load())
    return std::move(*failure);
  return loader.take();
}

core::Expected<std::shared_ptr<const LoadedProgram>> LoadedProgram::load(Program program, std::vector<bool> active,
                                                                         std::shared_ptr<const LoadedCode> code,
                                                                         const KernelTable &kernels,
                                                                         const CallbackResolver &callbacks) {
  CompiledArtifact artifact;
  artifact.program = std::move(program);
  artifact.active = std::move(active);
  ProgramLoader loader(std::move(artifact), kernels, callbacks);
  if (auto failure = loader.load(std::move(code)))
    return std::move(*failure);
  return loader.take();
}

} // namespace tenferro::runtime
