// Launch by launch: which kernel, whether the operands are what it takes, and how the driver will walk them.
#include "runtime/program/LaunchPlanner.h"

#include "lib/Core/ShapeRules.h"
#include "runtime/core/Failures.h"
#include "runtime/kernels/KernelTable.h"
#include "runtime/launch/LaunchPosition.h"

#include <algorithm>

namespace tenferro::runtime {

static std::optional<Failure> wrong(std::string message) {
  return makeFailure(ErrorKind::Internal, "load program", std::move(message));
}

static bool sameType(const Step &step, size_t a, size_t b) { return step.views[a].dtype == step.views[b].dtype; }

static bool hasOneAxis(const Launch &launch, const Step &step) {
  return step.views.size() == 2 && launch.outputs == 1 && launch.axes.size() == 1 && launch.axes[0] >= 0 &&
         launch.axes[0] < step.views[0].shape.rank();
}

std::optional<Failure> LaunchPlanner::noCoordinate(std::span<const uint8_t> coordinates) {
  if (std::find(coordinates.begin(), coordinates.end(), 1) != coordinates.end())
    return wrong("expects operands in memory, but got a coordinate");
  return std::nullopt;
}

std::optional<Failure> LaunchPlanner::plan(const Launch &launch, std::span<const uint8_t> coordinates,
                                           Step &step) const {
  if (launch.kind == LaunchKind::Map)
    return planMap(launch, coordinates, step);
  if (launch.kind == LaunchKind::Reduce)
    return planReduce(launch, coordinates, step);
  if (auto failure = checkOther(launch, step))
    return failure;
  return noCoordinate(coordinates);
}

/// Kinds whose drivers do all that is left when they run.
std::optional<Failure> LaunchPlanner::checkOther(const Launch &launch, const Step &step) const {
  switch (launch.kind) {
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
    return std::nullopt;
  case LaunchKind::Callback:
    if (launch.function >= program_.callbacks.size())
      return wrong("expects a kernel among the program's callbacks, but got number " + std::to_string(launch.function));
    for (size_t i = launch.operands.size() - launch.outputs; i < step.views.size(); ++i)
      if (!step.views[i].isContiguous())
        return wrong("expects contiguous outputs of a callback");
    return std::nullopt;
  case LaunchKind::Map:
  case LaunchKind::Reduce:
    break;
  }
  return wrong("expects a known kind of launch");
}

/// The accesses of a step and whether each operand can be read like that.
std::optional<Failure> LaunchPlanner::checkAccess(const Step &step, std::span<const uint8_t> coordinates,
                                                  size_t inputs) {
  const std::vector<Access> &access = step.access;
  if (access.size() != step.views.size())
    return wrong("expects an access for each operand");
  for (size_t i = 0; i < access.size(); ++i) {
    if ((access[i] == Access::Index) != (coordinates[i] != 0))
      return wrong("expects coordinates exactly where the kernel does, but operand " + std::to_string(i) + " differs");
    if (i >= inputs && access[i] != Access::Unit)
      return wrong("expects outputs of unit access");
  }
  return std::nullopt;
}

core::Expected<void *> LaunchPlanner::function(uint32_t number) const {
  if (!code_ || number >= code_->functionCount())
    return std::move(*wrong("expects a function of the object, but got number " + std::to_string(number)));
  return code_->function(number);
}

core::Expected<const Tier0Kernel *> LaunchPlanner::precompiled(const std::string &name, Tier0Class kind) const {
  const Tier0Kernel *kernel = kernels_.find(name);
  if (!kernel || kernel->kind != kind)
    return std::move(*wrong("expects a precompiled kernel '" + name + "'"));
  return kernel;
}

std::optional<Failure> LaunchPlanner::planMap(const Launch &launch, std::span<const uint8_t> coordinates,
                                              Step &step) const {
  const size_t inputs = launch.operands.size() - launch.outputs;
  for (const TensorView &view : step.views)
    if (!(view.shape == step.views[0].shape))
      return wrong("expects operands of one shape, but got " + step.views[0].shape.str() + " and " + view.shape.str());
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
    step.mapFunction.weight = launch.weight;
  }
  if (auto failure = checkAccess(step, coordinates, inputs))
    return failure;
  step.mapFunction.access = step.access;
  std::vector<const TensorView *> operands;
  for (const TensorView &view : step.views)
    operands.push_back(&view);
  step.map = std::make_unique<MapPlan>(step.mapFunction, operands);
  return std::nullopt;
}

std::optional<Failure> LaunchPlanner::planReduce(const Launch &launch, std::span<const uint8_t> coordinates,
                                                 Step &step) const {
  const size_t inputs = launch.operands.size() - launch.outputs;
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
    reduce.weight = found.weight;
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
    reduce.weight = launch.weight;
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
  if (auto failure = checkAccess(step, coordinates, inputs))
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

std::optional<Failure> LaunchPlanner::checkMatmul(const Launch &launch, const Step &step) const {
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
  if (!named(lhs, dot.lhsContracting, dot.lhsBatch, lhsSeen) || !named(rhs, dot.rhsContracting, dot.rhsBatch, rhsSeen))
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
  if (!kernels_.matmul(dtype) || !kernels_.dot(dtype) || !kernels_.sum(dtype))
    return wrong("expects matrix product kernels for " + std::string(name(dtype)));
  return std::nullopt;
}

std::optional<Failure> LaunchPlanner::checkIndexing(const Launch &launch, const Step &step) const {
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
  if (scatter && !kernels_.add(whole.dtype))
    return wrong("expects an add kernel for " + std::string(name(whole.dtype)));
  return std::nullopt;
}

/// Gather and scatter follow lib/Core's rule of the operation.
std::optional<Failure> LaunchPlanner::checkWindows(const Launch &launch, const Step &step) const {
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
  core::Expected<core::ValueType> result = core::inferResult(gather    ? core::OpKind::Gather
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
  return std::nullopt;
}

std::optional<Failure> LaunchPlanner::checkScan(const Launch &launch, const Step &step) const {
  if (!hasOneAxis(launch, step) || !sameType(step, 0, 1) || !(step.views[0].shape == step.views[1].shape))
    return wrong("expects running sums of an operand's type along one of its axes");
  if (!kernels_.add(step.views[0].dtype))
    return wrong("expects an add kernel for " + std::string(name(step.views[0].dtype)));
  return std::nullopt;
}

std::optional<Failure> LaunchPlanner::checkPosition(const Launch &launch, const Step &step) const {
  if (!hasOneAxis(launch, step) || step.views[1].dtype != DType::I64)
    return wrong("expects i64 positions along one axis of an operand");
  const TensorView &source = step.views[0];
  Shape expected = source.shape;
  expected.erase(static_cast<size_t>(launch.axes[0]));
  if (!(step.views[1].shape == expected) || source.shape[launch.axes[0]] == 0 || !hasPositions(source.dtype))
    return wrong("expects positions of " + expected.str() + " among at least one number, but got " +
                 step.views[1].shape.str() + " of " + std::string(name(source.dtype)));
  return std::nullopt;
}

std::optional<Failure> LaunchPlanner::checkPad(const Launch &launch, const Step &step) const {
  if (step.views.size() != 2 || !sameType(step, 0, 1) || step.views[0].shape.size() != step.views[1].shape.size() ||
      launch.low.size() != step.views[0].shape.size() || launch.interior.size() != launch.low.size())
    return wrong("expects a pad of each dimension");
  for (int64_t interior : launch.interior)
    if (interior < 0)
      return wrong("expects interior padding of at least 0");
  return std::nullopt;
}

} // namespace tenferro::runtime
