// Loading a program: every number checked against the program, so that running it cannot leave its memory; then kernels
// found and loops planned.
#include "lib/Core/ShapeRules.h"
#include "runtime/core/ExecutableProgram.h"
#include "runtime/core/Failures.h"
#include "runtime/core/LaunchPosition.h"
#include "runtime/kernels/KernelTable.h"

#include <algorithm>
#include <unordered_map>

namespace tenferro::runtime {

namespace {

std::optional<Failure> wrong(std::string message) {
  return makeFailure(ErrorKind::Internal, "load program", std::move(message));
}

} // namespace

/// A value that is no view.
ResolvedValue ValueResolver::resolveStored(const ProgramValue &value) const {
  uint32_t arguments = static_cast<uint32_t>(program_.arguments.size());
  switch (value.storage) {
  case StorageKind::Argument:
    return {{kFirstArgumentSlot + value.index, 0},
            arguments_.empty() ? value.type.shape.contiguousStrides() : arguments_[value.index].strides};
  case StorageKind::Result:
    return {{kFirstArgumentSlot + arguments + value.index, 0}, value.type.shape.contiguousStrides()};
  case StorageKind::Constant:
    return {{kConstantSlot, value.offset}, value.type.shape.contiguousStrides()};
  case StorageKind::Index: {
    IntList strides(value.type.shape.size(), 0);
    if (value.index < strides.size())
      strides[value.index] = 1;
    return {{kIndexSlot, 0}, std::move(strides)};
  }
  case StorageKind::Arena:
  case StorageKind::View:
    break;
  }
  return {{kArenaSlot, value.offset}, value.type.shape.contiguousStrides()};
}

/// The view `value` of what `source` resolves to.
ResolvedValue ValueResolver::resolveView(const ProgramValue &value, const ResolvedValue &source) {
  if (value.view->reshape)
    return {source.place, value.type.shape.contiguousStrides()};
  // A coordinate is counted in ones, memory in elements.
  int64_t unit = source.place.slot == kIndexSlot ? 1 : static_cast<int64_t>(byteSize(value.type.dtype));
  ResolvedValue result = {source.place, IntList(value.type.shape.size(), 0)};
  if (value.type.shape.elementCount() == 0)
    return result; // its starts may lie outside
  for (size_t d = 0; d < value.type.shape.size(); ++d) {
    int64_t dim = value.view->dims[d];
    if (dim < 0)
      continue;
    result.place.offset += value.view->starts[d] * source.strides[dim] * unit;
    result.strides[d] = value.type.shape[d] > 1 ? value.view->steps[d] * source.strides[dim] : source.strides[dim];
    if (d < value.view->alongside.size() && value.view->alongside[d] >= 0)
      result.strides[d] += source.strides[value.view->alongside[d]];
  }
  return result;
}

ResolvedValue ValueResolver::resolve(uint32_t index) {
  // Down to memory or to a view that was resolved before, then up again: no recursion, and every view of a chain once.
  InlineVector<uint32_t, 8> chain;
  const ResolvedValue *known = nullptr;
  for (; program_.values[index].storage == StorageKind::View; index = program_.values[index].index) {
    if (auto found = views_.find(index); found != views_.end()) {
      known = &found->second;
      break;
    }
    chain.push_back(index);
  }
  ResolvedValue resolved = known ? *known : resolveStored(program_.values[index]);
  while (!chain.empty()) {
    const ProgramValue &value = program_.values[chain.back()];
    resolved = resolveView(value, resolved);
    if (program_.values[value.index].storage == StorageKind::View) // others cost as little to find again
      views_.emplace(chain.back(), resolved);
    chain.pop_back();
  }
  return resolved;
}

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
    executable_->launches_.resize(program().launches.size());
    for (size_t i = 0; i < program().launches.size(); ++i)
      if (auto failure = bind(i)) {
        failure->message += " in launch " + std::to_string(i);
        return failure;
      }
    estimateBytes();
    return std::nullopt;
  }

  std::shared_ptr<const LoadedProgram> take() { return std::move(executable_); }

private:
  const Program &program() const { return executable_->artifact_.program; }

  static int64_t bytesOf(const core::ValueType &type) {
    return type.shape.elementCount() * static_cast<int64_t>(byteSize(type.dtype));
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
          resolved.place.slot == kIndexSlot)
        return wrong("expects " + what + " to reshape a contiguous value of as many elements");
      if (resolved.place.slot >= kFirstArgumentSlot && resolved.place.slot < kFirstArgumentSlot + p.arguments.size())
        executable_->copied_[resolved.place.slot - kFirstArgumentSlot] = true;
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
      if (dim < 0 || dim >= source.type.shape.rank() || __builtin_mul_overflow(value.view->steps[d], extent - 1, &end) ||
          __builtin_add_overflow(end, start, &end) || std::min(start, end) < 0 ||
          std::max(start, end) >= source.type.shape[dim])
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

  /// Places of one launch, and its step: of launches that differ in places alone, one is planned for all.
  std::optional<Failure> bind(size_t number) {
    const Program &p = program();
    const Launch &launch = p.launches[number];
    BoundLaunch &bound = executable_->launches_[number];
    bool needsInputs = launch.kind != LaunchKind::Callback;
    if (launch.outputs == 0 || launch.operands.size() < launch.outputs + needsInputs)
      return wrong("expects inputs and outputs");
    auto step = std::make_unique<Step>();
    step->kind = launch.kind;
    size_t inputs = launch.operands.size() - launch.outputs;
    bound.places.reserve(launch.operands.size());
    step->views.reserve(launch.operands.size());
    for (size_t i = 0; i < launch.operands.size(); ++i) {
      uint32_t operand = launch.operands[i];
      if (operand >= p.values.size())
        return wrong("expects operands among the values, but got " + std::to_string(operand));
      ResolvedValue resolved = resolver_.resolve(operand);
      uint32_t slot = resolved.place.slot;
      bool argument = slot >= kFirstArgumentSlot && slot < kFirstArgumentSlot + p.arguments.size();
      if (i >= inputs && (argument || slot == kIndexSlot || slot == kConstantSlot))
        return wrong("expects to write results or the arena only");
      if (argument)
        bound.arguments.push_back(slot - kFirstArgumentSlot);
      bound.places.push_back(resolved.place);
      const core::ValueType &type = p.values[operand].type;
      step->views.emplace_back(nullptr, type.dtype, type.shape, std::move(resolved.strides));
    }
    step->places = bound.places;
    std::string key = stepKey(launch, *step);
    if (auto known = stepsByKey_.find(key); !key.empty() && known != stepsByKey_.end()) {
      bound.step = known->second;
      return std::nullopt;
    }
    bound.step = step.get();
    executable_->steps_.push_back(std::move(step));
    Step &fresh = *executable_->steps_.back();
    if (auto failure = plan(launch, fresh, inputs))
      return failure;
    if (!key.empty())
      stepsByKey_.emplace(std::move(key), &fresh);
    return std::nullopt;
  }

  /// Everything planning a map or a reduction reads of a launch, as bytes; empty for other kinds, which are planned for each.
  static std::string stepKey(const Launch &launch, const Step &step) {
    std::string key;
    if (launch.kind != LaunchKind::Map && launch.kind != LaunchKind::Reduce)
      return key;
    auto number = [&](int64_t value) { key.append(reinterpret_cast<const char *>(&value), sizeof value); };
    auto list = [&](const IntList &values) {
      number(static_cast<int64_t>(values.size()));
      key.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(int64_t));
    };
    auto text = [&](const std::string &value) { (key += value) += '\0'; };
    number(static_cast<int64_t>(launch.kind) | static_cast<int64_t>(launch.rowOnly) << 8 |
           static_cast<int64_t>(launch.outputs) << 32);
    number(launch.function);
    text(launch.kernel);
    list(launch.axes);
    number(static_cast<int64_t>(launch.access.size()));
    for (Access access : launch.access)
      key += static_cast<char>(access);
    number(static_cast<int64_t>(launch.combine.size()));
    for (const std::string &combine : launch.combine)
      text(combine);
    for (size_t i = 0; i < step.views.size(); ++i) {
      number(static_cast<int64_t>(step.views[i].dtype) << 8 | (step.places[i].slot == kIndexSlot));
      list(step.views[i].shape);
      list(step.views[i].strides);
    }
    return key;
  }

  std::optional<Failure> plan(const Launch &launch, Step &step, size_t inputs) {
    switch (launch.kind) {
    case LaunchKind::Map:
      return makeMap(launch, step, inputs);
    case LaunchKind::Reduce:
      return makeReduce(launch, step, inputs);
    case LaunchKind::Matmul:
      return checkMatmul(launch, step);
    case LaunchKind::Take:
    case LaunchKind::ScatterAdd:
      return checkIndexing(launch, step);
    case LaunchKind::Pad:
      return checkPad(launch, step);
    case LaunchKind::Gather:
    case LaunchKind::Scatter:
    case LaunchKind::ScatterPrefix:
      return checkWindows(launch, step);
    case LaunchKind::CumulativeSum:
      return checkScan(launch, step);
    case LaunchKind::ArgMax:
    case LaunchKind::ArgMin:
      return checkPosition(launch, step);
    case LaunchKind::Copy:
      if (launch.operands.size() != 2 || !sameType(step, 0, 1) || !(step.views[0].shape == step.views[1].shape))
        return wrong("expects a copy between equal types");
      return noIndex(step);
    case LaunchKind::Callback:
      if (launch.function >= program().callbacks.size())
        return wrong("expects a kernel among the program's callbacks, but got number " + std::to_string(launch.function));
      for (size_t i = inputs; i < step.views.size(); ++i)
        if (!step.views[i].isContiguous())
          return wrong("expects contiguous outputs of a callback");
      return noIndex(step);
    }
    return wrong("expects a known kind of launch");
  }

  static bool sameType(const Step &step, size_t a, size_t b) { return step.views[a].dtype == step.views[b].dtype; }

  static std::optional<Failure> noIndex(const Step &step) {
    for (const Place &place : step.places)
      if (place.slot == kIndexSlot)
        return wrong("expects operands in memory, but got a coordinate");
    return std::nullopt;
  }

  /// The accesses of a step and whether each operand can be read like that.
  std::optional<Failure> checkAccess(const Step &step, std::span<const Access> access, size_t inputs) {
    if (access.size() != step.views.size())
      return wrong("expects an access for each operand");
    for (size_t i = 0; i < access.size(); ++i) {
      if ((access[i] == Access::Index) != (step.places[i].slot == kIndexSlot))
        return wrong("expects coordinates exactly where the kernel does, but operand " + std::to_string(i) +
                     " differs");
      if (i >= inputs && access[i] != Access::Unit)
        return wrong("expects outputs of unit access");
    }
    return std::nullopt;
  }

  core::Expected<void *> function(uint32_t number) const {
    if (!executable_->code_ || number >= executable_->code_->functionCount())
      return std::move(*wrong("expects a function of the object, but got number " + std::to_string(number)));
    return executable_->code_->function(number);
  }

  core::Expected<const Tier0Kernel *> precompiled(const std::string &name, Tier0Class kind) const {
    const Tier0Kernel *kernel = executable_->kernels_->find(name);
    if (!kernel || kernel->kind != kind)
      return std::move(*wrong("expects a precompiled kernel '" + name + "'"));
    return kernel;
  }

  std::optional<Failure> makeMap(const Launch &launch, Step &step, size_t inputs) {
    for (const TensorView &view : step.views)
      if (!(view.shape == step.views[0].shape))
        return wrong("expects operands of one shape, but got " + step.views[0].shape.str() + " and " +
                     view.shape.str());
    step.mapFunction.outputs = launch.outputs;
    if (!launch.kernel.empty()) {
      auto kernel = precompiled(launch.kernel, Tier0Class::Map);
      if (!kernel)
        return std::move(kernel.failure());
      const Tier0Kernel &found = **kernel;
      if (found.inputs != inputs || launch.outputs != 1)
        return wrong("expects the operands of '" + launch.kernel + "'");
      for (size_t i = 0; i <= inputs; ++i) {
        step.access.push_back(i < inputs ? found.access[i] : Access::Unit);
        if (found.dtypes[i] != step.views[i].dtype)
          return wrong("expects operands of '" + launch.kernel + "', but operand " + std::to_string(i) + " is " +
                       std::string(name(step.views[i].dtype)));
      }
      step.mapFunction.precompiled = &found;
    } else {
      auto address = function(launch.function);
      if (!address)
        return std::move(address.failure());
      step.access = launch.access;
      step.mapFunction.jit = reinterpret_cast<MapKernel>(*address);
    }
    if (auto failure = checkAccess(step, step.access, inputs))
      return failure;
    step.mapFunction.access = step.access;
    std::vector<const TensorView *> operands;
    for (const TensorView &view : step.views)
      operands.push_back(&view);
    step.map = std::make_unique<MapPlan>(step.mapFunction, operands);
    return std::nullopt;
  }

  std::optional<Failure> makeReduce(const Launch &launch, Step &step, size_t inputs) {
    const Shape &shape = step.views[0].shape;
    Shape kept;
    int64_t reduced = 1;
    size_t next = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (next < launch.axes.size() && launch.axes[next] == static_cast<int64_t>(d)) {
        reduced *= shape[d];
        ++next;
      } else {
        kept.push_back(shape[d]);
      }
    }
    if (next != launch.axes.size())
      return wrong("expects ascending axes of " + shape.str() + ", but got " + launch.axes.str());
    for (size_t i = 0; i < step.views.size(); ++i)
      if (!(step.views[i].shape == (i < inputs ? shape : kept)))
        return wrong("expects inputs of " + shape.str() + " and outputs of " + kept.str() + ", but got " +
                     step.views[i].shape.str());
    if (launch.outputs > kMostReduceOutputs)
      return wrong("expects at most " + std::to_string(kMostReduceOutputs) + " outputs of a reduction");

    ReduceFunction &reduce = step.reduceFunction;
    reduce.outputs = launch.outputs;
    if (!launch.kernel.empty()) {
      auto kernel = precompiled(launch.kernel, Tier0Class::Reduce);
      if (!kernel)
        return std::move(kernel.failure());
      const Tier0Kernel &found = **kernel;
      if (found.inputs != 1 || inputs != 1 || launch.outputs != 1 || found.dtypes[0] != step.views[0].dtype ||
          found.dtypes[1] != step.views[1].dtype)
        return wrong("expects the operands of '" + launch.kernel + "'");
      step.access = {Access::Unit, Access::Unit};
      step.combine = {&found};
      reduce.row = reinterpret_cast<ReduceKernel>(found.variants[0]);
      reduce.column = reinterpret_cast<ReduceKernel>(found.variants[1]);
    } else {
      auto row = function(launch.function);
      if (!row)
        return std::move(row.failure());
      reduce.row = reinterpret_cast<ReduceKernel>(*row);
      if (!launch.rowOnly) {
        auto column = function(launch.function + 1);
        if (!column)
          return std::move(column.failure());
        reduce.column = reinterpret_cast<ReduceKernel>(*column);
      }
      step.access = launch.access;
      if (reduced > kReductionBlock && launch.combine.size() != launch.outputs)
        return wrong("expects the kernels that combine blocks of a long reduction");
      for (size_t j = 0; j < launch.combine.size() && j < launch.outputs; ++j) {
        auto kernel = precompiled(launch.combine[j], Tier0Class::Reduce);
        if (!kernel)
          return std::move(kernel.failure());
        if ((*kernel)->inputs != 1 || (*kernel)->dtypes[0] != step.views[inputs + j].dtype ||
            (*kernel)->dtypes[1] != step.views[inputs + j].dtype)
          return wrong("expects '" + launch.combine[j] + "' to combine results of " +
                       std::string(name(step.views[inputs + j].dtype)));
        step.combine.push_back(*kernel);
      }
    }
    if (auto failure = checkAccess(step, step.access, inputs))
      return failure;
    for (size_t i = 0; i < inputs; ++i) {
      const TensorView &view = step.views[i];
      if (step.access[i] == Access::Index && !isReducible(view, launch.axes))
        return wrong("expects coordinates that run evenly over the reduced elements");
      if (step.access[i] == Access::Scalar)
        for (size_t d = 0; d < view.shape.size(); ++d) {
          bool counts = !launch.rowOnly ||
                        std::find(launch.axes.begin(), launch.axes.end(), static_cast<int64_t>(d)) != launch.axes.end();
          if (counts && view.strides[d] != 0 && view.shape[d] > 1)
            return wrong("expects one element along the reduced axes (all axes where there is a column kernel) as scalar "
                         "operand of a reduction");
        }
    }
    reduce.access = step.access;
    reduce.combine = step.combine;
    std::vector<const TensorView *> operands;
    for (const TensorView &view : step.views)
      operands.push_back(&view);
    step.reduce = std::make_unique<ReducePlan>(reduce, launch.axes, operands);
    return std::nullopt;
  }

  std::optional<Failure> checkMatmul(const Launch &launch, const Step &step) {
    if (step.views.size() != 3 || launch.outputs != 1 || !sameType(step, 0, 1) || !sameType(step, 0, 2))
      return wrong("expects two operands and a result of one dtype");
    const DotDimensions &dot = *launch.dot;
    const Shape &lhs = step.views[0].shape, &rhs = step.views[1].shape;
    if (dot.lhsContracting.size() != dot.rhsContracting.size() || dot.lhsBatch.size() != dot.rhsBatch.size())
      return wrong("expects as many dimensions of both operands");
    auto named = [](const Shape &shape, const IntList &a, const IntList &b, InlineVector<uint8_t, 8> &seen) {
      seen = InlineVector<uint8_t, 8>(shape.size(), 0);
      for (const IntList *list : {&a, &b}) {
        for (int64_t d : *list) {
          if (d < 0 || d >= shape.rank() || seen[d])
            return false;
          seen[d] = 1;
        }
      }
      return true;
    };
    InlineVector<uint8_t, 8> lhsSeen, rhsSeen;
    if (!named(lhs, dot.lhsContracting, dot.lhsBatch, lhsSeen) ||
        !named(rhs, dot.rhsContracting, dot.rhsBatch, rhsSeen))
      return wrong("expects distinct dimensions of the operands");
    Shape expected;
    for (size_t d = 0; d < lhs.size(); ++d)
      if (!lhsSeen[d])
        expected.push_back(lhs[d]);
    for (size_t d = 0; d < rhs.size(); ++d)
      if (!rhsSeen[d])
        expected.push_back(rhs[d]);
    for (size_t i = 0; i < dot.lhsContracting.size(); ++i)
      if (lhs[dot.lhsContracting[i]] != rhs[dot.rhsContracting[i]])
        return wrong("expects contracting dimensions of one extent");
    for (size_t i = 0; i < dot.lhsBatch.size(); ++i) {
      if (lhs[dot.lhsBatch[i]] != rhs[dot.rhsBatch[i]])
        return wrong("expects batch dimensions of one extent");
      expected.push_back(lhs[dot.lhsBatch[i]]);
    }
    if (!(step.views[2].shape == expected) || !step.views[2].isContiguous())
      return wrong("expects a contiguous result of " + expected.str() + ", but got " + step.views[2].shape.str());
    DType dtype = step.views[0].dtype;
    const KernelTable &kernels = *executable_->kernels_;
    if (!kernels.matmul(dtype) || !kernels.dot(dtype) || !kernels.sum(dtype))
      return wrong("expects matrix product kernels for " + std::string(name(dtype)));
    return noIndex(step);
  }

  std::optional<Failure> checkIndexing(const Launch &launch, const Step &step) {
    if (step.views.size() != 3 || launch.outputs != 1 || launch.axes.size() != 1)
      return wrong("expects two operands, a result and one axis");
    bool scatter = launch.kind == LaunchKind::ScatterAdd;
    const TensorView &whole = step.views[scatter ? 2 : 0], &indices = step.views[scatter ? 0 : 1],
                     &picked = step.views[scatter ? 1 : 2];
    int64_t axis = launch.axes[0];
    if (axis < 0 || axis >= whole.shape.rank())
      return wrong("expects an axis of " + whole.shape.str() + ", but got " + std::to_string(axis));
    Shape expected(whole.shape.begin(), whole.shape.begin() + axis);
    for (int64_t extent : indices.shape)
      expected.push_back(extent);
    for (int64_t d = axis + 1; d < whole.shape.rank(); ++d)
      expected.push_back(whole.shape[d]);
    if (!(picked.shape == expected) || picked.dtype != whole.dtype || !isInteger(indices.dtype))
      return wrong("expects integer indices and " + expected.str() + ", but got " + picked.shape.str());
    if (scatter && !executable_->kernels_->add(whole.dtype))
      return wrong("expects an add kernel for " + std::string(name(whole.dtype)));
    return noIndex(step);
  }

  /// Gather and scatter follow lib/Core's rule of the operation.
  std::optional<Failure> checkWindows(const Launch &launch, const Step &step) {
    bool gather = launch.kind == LaunchKind::Gather, scatter = launch.kind == LaunchKind::Scatter;
    if (step.views.size() != (gather ? 3u : scatter ? 4u : 5u) || launch.outputs != 1)
      return wrong("expects the operands of a gather or a scatter");
    const WindowDimensions &windows = *launch.windows;
    core::Attributes attributes;
    auto append = [&](const IntList &list) {
      attributes.push_back(static_cast<int64_t>(list.size()));
      for (int64_t value : list)
        attributes.push_back(value);
    };
    if (!gather)
      attributes.push_back(scatter ? static_cast<int64_t>(windows.update) : int64_t{windows.backward});
    for (const IntList *list : {&windows.window, &windows.fixed, &windows.map})
      append(*list);
    attributes.push_back(windows.vectorDim);
    if (gather)
      append(windows.sizes);
    attributes.push_back(static_cast<int64_t>(windows.mode));
    std::vector<core::ValueType> types;
    for (size_t i = 0; i + 1 < step.views.size(); ++i)
      types.push_back({step.views[i].dtype, step.views[i].shape});
    core::Expected<core::ValueType> result =
        core::inferResult(gather    ? core::OpKind::Gather
                          : scatter ? core::OpKind::Scatter
                                    : core::OpKind::ScatterPrefix,
                          types, attributes);
    if (!result)
      return wrong(result.failure().message);
    const TensorView &out = step.views.back();
    if (!(result->shape == out.shape) || result->dtype != out.dtype)
      return wrong("expects a result of " + result->shape.str() + ", but got " + out.shape.str());
    if (!gather && !(windowSizes(windows, step.views[0].shape.rank(), step.views[2].shape) == windows.sizes))
      return wrong("expects the sizes of the updates' windows, but got " + windows.sizes.str());
    return noIndex(step);
  }

  static bool hasOneAxis(const Launch &launch, const Step &step) {
    return step.views.size() == 2 && launch.outputs == 1 && launch.axes.size() == 1 && launch.axes[0] >= 0 &&
           launch.axes[0] < step.views[0].shape.rank();
  }

  std::optional<Failure> checkScan(const Launch &launch, const Step &step) {
    if (!hasOneAxis(launch, step) || !sameType(step, 0, 1) || !(step.views[0].shape == step.views[1].shape))
      return wrong("expects running sums of an operand's type along one of its axes");
    if (!executable_->kernels_->add(step.views[0].dtype))
      return wrong("expects an add kernel for " + std::string(name(step.views[0].dtype)));
    return noIndex(step);
  }

  std::optional<Failure> checkPosition(const Launch &launch, const Step &step) {
    if (!hasOneAxis(launch, step) || step.views[1].dtype != DType::I64)
      return wrong("expects i64 positions along one axis of an operand");
    const TensorView &source = step.views[0];
    Shape expected = source.shape;
    expected.erase(static_cast<size_t>(launch.axes[0]));
    if (!(step.views[1].shape == expected) || source.shape[launch.axes[0]] == 0 || !hasPositions(source.dtype))
      return wrong("expects positions of " + expected.str() + " among at least one number, but got " +
                   step.views[1].shape.str() + " of " + std::string(name(source.dtype)));
    return noIndex(step);
  }

  std::optional<Failure> checkPad(const Launch &launch, const Step &step) {
    if (step.views.size() != 2 || !sameType(step, 0, 1) || step.views[0].shape.size() != step.views[1].shape.size() ||
        launch.low.size() != step.views[0].shape.size() || launch.interior.size() != launch.low.size())
      return wrong("expects a pad of each dimension");
    for (int64_t interior : launch.interior)
      if (interior < 0)
        return wrong("expects interior padding of at least 0");
    return noIndex(step);
  }

  void estimateBytes() {
    const CompiledArtifact &artifact = executable_->artifact_;
    size_t bytes = sizeof(ExecutableProgram) + artifact.object.size() + artifact.program.constants.size();
    bytes += ownsCode_ && executable_->code_ ? executable_->code_->bytes() : 0;
    bytes += artifact.program.values.size() * sizeof(ProgramValue) + artifact.program.launches.size() * sizeof(Launch);
    for (const std::string &function : artifact.functions)
      bytes += sizeof(std::string) + function.size();
    for (const ProgramValue &value : artifact.program.values)
      bytes += value.view.bytes();
    for (const Launch &launch : artifact.program.launches)
      bytes += launch.dot.bytes() + launch.windows.bytes() + (launch.operands.size() + launch.opNumbers.size()) * sizeof(uint32_t);
    for (const BoundLaunch &launch : executable_->launches_)
      bytes += sizeof launch + launch.places.size() * sizeof(Place) + launch.arguments.size() * sizeof(uint32_t);
    for (const auto &step : executable_->steps_)
      bytes += sizeof(Step) + (step->map ? sizeof(MapPlan) : 0) + (step->reduce ? sizeof(ReducePlan) : 0) +
               step->views.size() * (sizeof(TensorView) + sizeof(Place) + sizeof(Access));
    executable_->retainedBytes_ = bytes;
  }

  std::shared_ptr<ExecutableProgram> executable_;
  const CallbackResolver &resolve_;
  bool ownsCode_ = true; ///< the code is counted among the program's bytes
  ValueResolver resolver_;
  std::unordered_map<std::string, const Step *> stepsByKey_;
};

core::Expected<std::shared_ptr<const LoadedProgram>> LoadedProgram::load(CompiledArtifact artifact,
                                                                         const KernelTable &kernels,
                                                                         const CallbackResolver &callbacks) {
  ProgramLoader loader(std::move(artifact), kernels, callbacks);
  if (auto failure = loader.load())
    return std::move(*failure);
  return loader.take();
}

core::Expected<std::shared_ptr<const LoadedProgram>>
LoadedProgram::load(Program program, std::vector<bool> active, std::shared_ptr<const LoadedCode> code,
                    const KernelTable &kernels, const CallbackResolver &callbacks) {
  CompiledArtifact artifact;
  artifact.program = std::move(program);
  artifact.active = std::move(active);
  ProgramLoader loader(std::move(artifact), kernels, callbacks);
  if (auto failure = loader.load(std::move(code)))
    return std::move(*failure);
  return loader.take();
}

} // namespace tenferro::runtime
