// From an operation and its attributes to the launch driver that runs it.
#include "lib/Eager/Execution/Execute.h"

#include "lib/Eager/TensorImpl.h"
#include "runtime/core/FloatEnvironment.h"
#include "runtime/kernels/KernelTable.h"
#include "runtime/launch/LaunchIndexing.h"
#include "runtime/launch/LaunchMap.h"
#include "runtime/launch/LaunchMatmul.h"
#include "runtime/launch/LaunchPosition.h"
#include "runtime/launch/LaunchReduce.h"
#include "runtime/launch/LaunchScan.h"
#include "runtime/launch/LaunchWindows.h"
#include "runtime/launch/StridedCopy.h"
#include "runtime/program/Executor.h"

namespace tenferro::eager {

using core::OpKind;
using detail::TensorAccess;
using runtime::LaunchContext;
using runtime::Status;
using runtime::TensorView;
using runtime::Tier0Kernel;

runtime::LaunchContext launchContext(const ExecutionEngine &engine) {
  // EngineKind has one value so far.
  auto &cpu = static_cast<const CpuEngine &>(engine);
  auto level = static_cast<runtime::CpuLevel>(cpu.features());
  return {&runtime::KernelTable::forLevel(level), {cpu.threads(), detail::EngineAccess::cores(cpu)}};
}

namespace {

[[noreturn]] void raiseMissing(OpKind kind, std::span<const Tensor *const> operands, DType result) {
  Failure failure;
  failure.kind = ErrorKind::Unsupported;
  failure.phase = Phase::Execution;
  failure.op = core::schema(kind).mnemonic;
  failure.message = "has no kernel for";
  for (const Tensor *operand : operands) {
    failure.dtypes.push_back(operand->dtype());
    failure.message += ' ';
    failure.message += name(operand->dtype());
  }
  failure.message += operands.empty() ? " " : " to ";
  failure.message += name(result);
  failure.dtypes.push_back(result);
  raise(std::move(failure));
}

void check(OpKind kind, Status status) {
  if (status == runtime::kOk) [[likely]]
    return;
  Failure failure = runtime::describe(static_cast<runtime::KernelError>(status & 0xFF));
  failure.op = core::schema(kind).mnemonic;
  failure.phase = Phase::Execution;
  raise(std::move(failure));
}

/// The same for an operation that reads `indices` into an axis of `extent`: names the first one outside.
void checkIndices(OpKind kind, Status status, const Tensor &indices, int64_t extent) {
  if (static_cast<runtime::KernelError>(status & 0xFF) != runtime::KernelError::IndexOutOfRange) [[likely]]
    return check(kind, status);
  Failure failure = runtime::describe(
      runtime::withIndex({0, runtime::KernelError::IndexOutOfRange}, TensorAccess::view(indices), extent));
  failure.op = core::schema(kind).mnemonic;
  failure.phase = Phase::Execution;
  raise(std::move(failure));
}

/// The same for an operation that reads windows: names the first start outside.
void checkWindows(OpKind kind, Status status, const runtime::WindowDimensions &dims, const Tensor &whole,
                  const Tensor &indices) {
  if (status == runtime::kOk) [[likely]]
    return;
  Failure failure = runtime::describe(runtime::withStart({0, static_cast<runtime::KernelError>(status & 0xFF)}, dims,
                                                         whole.shape(), TensorAccess::view(indices)));
  failure.op = core::schema(kind).mnemonic;
  failure.phase = Phase::Execution;
  raise(std::move(failure));
}

/// Reads a flat attribute list from the front.
class Reader {
public:
  explicit Reader(const core::Attributes &attributes) : at_(attributes.data()) {}
  int64_t integer() { return *at_++; }
  IntList list() {
    auto count = static_cast<size_t>(*at_++);
    at_ += count;
    return IntList(at_ - count, count);
  }

private:
  const int64_t *at_;
};

/// One element in memory serves every position.
bool isScalarLike(const TensorView &view) noexcept {
  for (size_t d = 0; d < view.shape.size(); ++d)
    if (view.shape[d] != 1 && view.strides[d] != 0)
      return false;
  return true;
}

Tensor runElementwise(OpKind kind, const Tier0Kernel &kernel, std::span<const Tensor *const> operands, DType dtype,
                      const Shape &shape, const LaunchContext &context) {
  Tensor result = TensorAccess::allocate(dtype, shape);
  const TensorView &out = TensorAccess::view(result);
  const TensorView *views[4] = {};
  void *data[4] = {};
  uint32_t scalars = 0;
  bool simple = true;
  size_t count = operands.size();
  for (size_t i = 0; i < count; ++i) {
    const TensorView &view = TensorAccess::view(*operands[i]);
    views[i] = &view;
    data[i] = view.data;
    if (TensorAccess::isContiguous(*operands[i]))
      continue;
    if (isScalarLike(view))
      scalars |= 1u << i;
    else
      simple = false;
  }
  views[count] = &out;
  data[count] = out.data;
  if (simple && kernel.variants[scalars]) [[likely]]
    check(kind, runtime::runMapContiguous(kernel, scalars, data, TensorAccess::elementCount(result), context));
  else
    check(kind, runtime::runMap(kernel, {views, count + 1}, context));
  return result;
}

Tensor reshape(const Tensor &operand, const Shape &shape, const LaunchContext &context) {
  TensorView view;
  if (TensorAccess::view(operand).reshaped(shape, view))
    return TensorAccess::withView(operand, std::move(view));
  Tensor copy = TensorAccess::allocate(operand.dtype(), shape);
  runtime::copyToContiguous(TensorAccess::view(operand), TensorAccess::view(copy).data, context);
  return copy;
}

/// The coordinate along `axis` as a kernel's operand: no memory.
TensorView coordinate(const Shape &shape, size_t axis) {
  TensorView view(nullptr, DType::I64, shape, IntList(shape.size(), 0));
  view.strides[axis] = 1;
  return view;
}

Tensor oneHot(const Tier0Kernel &kernel, const Tensor &indices, int64_t axis, DType dtype, const Shape &shape,
              const LaunchContext &context) {
  Tensor result = TensorAccess::allocate(dtype, shape);
  IntList dims;
  for (int64_t d = 0; d < shape.rank(); ++d)
    if (d != axis)
      dims.push_back(d);
  TensorView repeated = TensorAccess::view(indices).broadcastTo(shape, dims);
  TensorView position = coordinate(shape, static_cast<size_t>(axis));
  const TensorView *views[] = {&repeated, &position, &TensorAccess::view(result)};
  check(OpKind::OneHot, runtime::runMap(kernel, views, context));
  return result;
}

} // namespace

const Tier0Kernel *elementwiseKernel(OpKind kind, std::span<const Tensor *const> operands,
                                     const core::Attributes &attributes, DType dtype,
                                     const runtime::KernelTable &kernels) {
  auto of = [&](size_t operand) { return TensorAccess::view(*operands[operand]).dtype; };
  switch (kind) {
  case OpKind::Convert:
  case OpKind::Cast:
    return kernels.find(kind, of(0), static_cast<uint32_t>(dtype));
  case OpKind::Compare:
    return kernels.find(kind, of(0), static_cast<uint32_t>(attributes[0]));
  case OpKind::Select:
    return kernels.find(kind, of(1));
  default:
    return kernels.find(kind, of(0));
  }
}

Tensor execute(OpKind kind, std::span<const Tensor *const> operands, const core::Attributes &attributes, DType dtype,
               const Shape &shape, const LaunchContext &context) {
  auto kernel = [&](DType of, uint32_t aux = 0) -> const Tier0Kernel & {
    const Tier0Kernel *found = context.kernels->find(kind, of, aux);
    if (!found)
      raiseMissing(kind, operands, dtype);
    return *found;
  };
  Reader reader(attributes);
  switch (kind) {
  case OpKind::Detach:
    return *operands[0];
  case OpKind::Reshape:
    return reshape(*operands[0], shape, context);
  case OpKind::Transpose:
    return TensorAccess::withView(*operands[0], TensorAccess::view(*operands[0]).transposed(attributes.size() ? reader.list() : IntList()));
  case OpKind::BroadcastInDim:
    return TensorAccess::withView(*operands[0], TensorAccess::view(*operands[0]).broadcastTo(shape, reader.list()));
  case OpKind::Slice: {
    IntList starts = reader.list();
    reader.list();
    IntList strides = reader.list();
    return TensorAccess::withView(*operands[0], TensorAccess::view(*operands[0]).sliced(starts, strides, shape));
  }
  case OpKind::Pad: {
    IntList low = reader.list();
    reader.list();
    IntList interior = reader.list();
    Tensor result = TensorAccess::allocate(dtype, shape);
    runtime::runPad(low, interior, TensorAccess::view(*operands[0]), TensorAccess::view(result), context);
    return result;
  }
  case OpKind::Cumsum: {
    if (!context.kernels->add(dtype))
      raiseMissing(kind, operands, dtype);
    Tensor result = TensorAccess::allocate(dtype, shape);
    int64_t axis = reader.integer();
    runtime::runCumulativeSum(axis, reader.integer() != 0, TensorAccess::view(*operands[0]), TensorAccess::view(result),
                              context);
    return result;
  }
  case OpKind::Argmax:
  case OpKind::Argmin: {
    if (!runtime::hasPositions(operands[0]->dtype()))
      raiseMissing(kind, operands, dtype);
    Tensor result = TensorAccess::allocate(dtype, shape);
    runtime::runArgExtremum(reader.integer(), kind == OpKind::Argmax, TensorAccess::view(*operands[0]),
                            TensorAccess::view(result), context);
    return result;
  }
  case OpKind::Sum:
  case OpKind::Prod:
  case OpKind::Max:
  case OpKind::Min:
  case OpKind::Any:
  case OpKind::All: {
    IntList axes = reader.list();
    if (axes.empty() && dtype == operands[0]->dtype())
      return *operands[0];
    const Tier0Kernel &found = kernel(TensorAccess::view(*operands[0]).dtype);
    Tensor result = TensorAccess::allocate(dtype, shape);
    check(kind, runtime::runReduce(found, axes, TensorAccess::view(*operands[0]), TensorAccess::view(result), context));
    return result;
  }
  case OpKind::DotGeneral: {
    kernel(TensorAccess::view(*operands[0]).dtype);
    runtime::DotDimensions dims;
    dims.lhsContracting = reader.list();
    dims.rhsContracting = reader.list();
    dims.lhsBatch = reader.list();
    dims.rhsBatch = reader.list();
    Tensor result = TensorAccess::allocate(dtype, shape);
    runtime::runMatmul(dims, TensorAccess::view(*operands[0]), TensorAccess::view(*operands[1]), TensorAccess::view(result),
                       context);
    return result;
  }
  case OpKind::Take: {
    Tensor result = TensorAccess::allocate(dtype, shape);
    int64_t axis = reader.integer();
    checkIndices(kind,
                 runtime::runTake(axis, TensorAccess::view(*operands[0]), TensorAccess::view(*operands[1]),
                                  TensorAccess::view(result), context),
                 *operands[1], operands[0]->shape()[static_cast<size_t>(axis)]);
    return result;
  }
  case OpKind::ScatterAdd: {
    if (!context.kernels->add(dtype))
      raiseMissing(kind, operands, dtype);
    Tensor result = TensorAccess::allocate(dtype, shape);
    int64_t axis = reader.integer();
    checkIndices(kind,
                 runtime::runScatterAdd(axis, TensorAccess::view(*operands[0]), TensorAccess::view(*operands[1]),
                                        TensorAccess::view(result), context),
                 *operands[0], shape[static_cast<size_t>(axis)]);
    return result;
  }
  case OpKind::Concatenate: {
    Tensor result = TensorAccess::allocate(dtype, shape);
    std::vector<const TensorView *> views;
    for (const Tensor *operand : operands)
      views.push_back(&TensorAccess::view(*operand));
    runtime::runConcatenate(reader.integer(), views, TensorAccess::view(result), context);
    return result;
  }
  case OpKind::Reverse:
    return TensorAccess::withView(*operands[0], TensorAccess::view(*operands[0]).reversed(reader.list()));
  case OpKind::ExtractDiag:
    return TensorAccess::withView(*operands[0], TensorAccess::view(*operands[0]).diagonal(attributes[0], attributes[1]));
  case OpKind::EmbedDiag: {
    Tensor result = TensorAccess::allocate(dtype, shape);
    runtime::runEmbedDiag(attributes[0], attributes[1], TensorAccess::view(*operands[0]), TensorAccess::view(result),
                          context);
    return result;
  }
  case OpKind::Gather: {
    runtime::WindowDimensions dims;
    dims.window = reader.list();
    dims.fixed = reader.list();
    dims.map = reader.list();
    dims.vectorDim = reader.integer();
    dims.sizes = reader.list();
    dims.mode = static_cast<IndexMode>(reader.integer());
    Tensor result = TensorAccess::allocate(dtype, shape);
    checkWindows(kind,
                 runtime::runGather(dims, TensorAccess::view(*operands[0]), TensorAccess::view(*operands[1]),
                                    TensorAccess::view(result), context),
                 dims, *operands[0], *operands[1]);
    return result;
  }
  case OpKind::Scatter:
  case OpKind::ScatterPrefix: {
    runtime::WindowDimensions dims;
    bool prefix = kind == OpKind::ScatterPrefix;
    int64_t first = reader.integer();
    dims.update = prefix ? ScatterUpdate::Add : static_cast<ScatterUpdate>(first);
    dims.backward = prefix && first != 0;
    dims.window = reader.list();
    dims.fixed = reader.list();
    dims.map = reader.list();
    dims.vectorDim = reader.integer();
    dims.mode = static_cast<IndexMode>(reader.integer());
    dims.sizes = runtime::windowSizes(dims, operands[0]->shape().rank(), operands[2]->shape());
    Tensor result = TensorAccess::allocate(dtype, shape);
    const TensorView *views[4] = {};
    for (size_t i = 0; i < operands.size(); ++i)
      views[i] = &TensorAccess::view(*operands[i]);
    const TensorView &out = TensorAccess::view(result);
    checkWindows(kind,
                 prefix ? runtime::runScatterPrefix(dims, *views[0], *views[1], *views[2], *views[3], out, context)
                        : runtime::runScatter(dims, *views[0], *views[1], *views[2], out, context),
                 dims, *operands[0], *operands[1]);
    return result;
  }
  case OpKind::OneHot:
    return oneHot(kernel(operands[0]->dtype(), static_cast<uint32_t>(dtype)), *operands[0], attributes[1], dtype, shape,
                  context);
  case OpKind::Iota: {
    const Tier0Kernel &found = kernel(dtype);
    Tensor result = TensorAccess::allocate(dtype, shape);
    TensorView position = coordinate(shape, static_cast<size_t>(reader.integer()));
    const TensorView *views[] = {&position, &TensorAccess::view(result)};
    check(kind, runtime::runMap(found, views, context));
    return result;
  }
  case OpKind::Convert:
  case OpKind::Cast:
    if (dtype == operands[0]->dtype())
      return *operands[0];
    [[fallthrough]];
  default: {
    const Tier0Kernel *found = elementwiseKernel(kind, operands, attributes, dtype, *context.kernels);
    if (!found)
      raiseMissing(kind, operands, dtype);
    return runElementwise(kind, *found, operands, dtype, shape, context);
  }
  }
}

Tensor addTensors(const Tensor &a, const Tensor &b, const LaunchContext &context) {
  runtime::FloatEnvironment environment;
  const Tensor *operands[] = {&a, &b};
  return execute(OpKind::Add, operands, {}, a.dtype(), a.shape(), context);
}

} // namespace tenferro::eager
