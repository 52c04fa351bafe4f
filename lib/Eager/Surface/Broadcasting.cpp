// Scalars, promotion and NumPy broadcasting: the sugar of the front end, as operations one can see in the trace.
#include "lib/Core/ShapeRules.h"
#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/Execution/BlockedRun.h"
#include "lib/Eager/Execution/Execute.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/Surface/SessionCall.h"
#include "lib/Eager/TensorImpl.h"
#include "lib/Eager/ThreadState.h"
#include "runtime/core/FloatEnvironment.h"

#include <cstring>
#include <limits>

namespace tenferro::eager {

using core::OpKind;

void appendList(core::Attributes &attributes, const IntList &list) {
  attributes.push_back(static_cast<int64_t>(list.size()));
  for (int64_t value : list)
    attributes.push_back(value);
}

Shape reducedShape(const Shape &shape, const IntList &axes, bool keepDims) {
  Shape reduced;
  size_t next = 0;
  for (int64_t axis = 0; axis < shape.rank(); ++axis) {
    bool isReduced = next < axes.size() && axes[next] == axis;
    next += isReduced;
    if (!isReduced)
      reduced.push_back(shape[static_cast<size_t>(axis)]);
    else if (keepDims)
      reduced.push_back(1);
  }
  return reduced;
}

template <typename Body> auto SessionCall::named(const Body &body) const {
  try {
    return body();
  } catch (const Error &error) {
    // The user knows this call, not the operation inside it that found the fault.
    if (error.op() == op_ || error.failure().kind == ErrorKind::Internal)
      throw;
    fail(error.failure());
  }
}

EagerTensor SessionCall::apply(OpKind kind, std::span<const EagerTensor *const> operands,
                               const core::Attributes &attributes) const {
  return named([&] { return eager::apply(runtime_, engine_, kind, operands, attributes, where_, blocks_); });
}

bool SessionCall::isWorthBlocks(const EagerTensor &x) const noexcept {
  const ThreadState &thread = threadState;
  const Record &record = *detail::EagerAccess::record(x);
  const core::ValueType &type = record.type;
  // Numbers are checked after each operation, and a function that is being recorded has none.
  return type.shape.elementCount() * static_cast<int64_t>(byteSize(type.dtype)) >= thread.blocksFrom &&
         !thread.staging && !thread.checkNumerics && !blocks_ && record.kind != RecordKind::Staged &&
         type.shape.size() <= BlockedRun::kMostAxes;
}

EagerTensor SessionCall::runInBlocks(const EagerTensor &x, EagerTensor (*body)(const void *),
                                     const void *context) const {
  BlockedRun run(x.value(where_), launchContext(engine_));
  struct Collecting {
    BlockedRun *&blocks;
    ~Collecting() { blocks = nullptr; }
  } collecting{blocks_ = &run};
  EagerTensor result = body(context);
  named([&] {
    runtime::FloatEnvironment environment;
    run.run();
  });
  return result;
}

void SessionCall::fail(Failure failure) const {
  failure.op = op_;
  if (failure.file.empty()) {
    failure.file = where_.file_name();
    failure.line = static_cast<int>(where_.line());
  }
  raise(std::move(failure));
}

void SessionCall::fail(ErrorKind kind, std::string_view argument, std::string message,
                       std::initializer_list<const EagerTensor *> facts) const {
  Failure failure;
  failure.kind = kind;
  failure.argument = argument;
  failure.message = std::move(message);
  for (const EagerTensor *tensor : facts) {
    failure.shapes.push_back(tensor->shape());
    failure.dtypes.push_back(tensor->dtype());
  }
  fail(std::move(failure));
}

void SessionCall::requireTensor(const EagerTensor &x) const {
  const Record *record = detail::EagerAccess::record(x);
  if (!record) [[unlikely]]
    fail(ErrorKind::InvalidArgument, "", "expects a tensor, but it is empty (default-made or moved-from)");
  const RuntimeState &mine = detail::EagerAccess::state(runtime_);
  if (record->state == &mine) [[likely]]
    return;
  Failure failure;
  failure.kind = ErrorKind::ContextMismatch;
  failure.message = "expects tensors of one runtime, but got runtimes " + std::to_string(mine.id) + " and " +
                    std::to_string(record->state->id);
  failure.ids = {mine.id, record->state->id};
  fail(std::move(failure));
}

void SessionCall::requireFloat(const EagerTensor &x) const {
  if (!isFloat(x.dtype()))
    fail(ErrorKind::DTypeMismatch, "x", "expects floats, but got " + std::string(name(x.dtype())) + "; cast first",
         {&x});
}

/// One element in memory, read at every place of `shape`.
template <typename T> static Tensor repeated(T value, const Shape &shape) {
  runtime::BufferRef buffer = runtime::BufferRef::allocate(sizeof(T));
  std::memcpy(buffer.data(), &value, sizeof(T));
  runtime::TensorView view(buffer.data(), dtypeOf<T>, shape, IntList(shape.size(), 0));
  return detail::TensorAccess::make(std::move(buffer), std::move(view));
}

EagerTensor SessionCall::number(double value, DType dtype, const Shape &shape) const {
  runtime::FloatEnvironment environment; // the conversion rounds to nearest and keeps subnormals
  auto make = [&](auto element) {
    return named([&] { return constantLeaf(runtime_, repeated(element, shape), where_); });
  };
  switch (dtype) {
  case DType::F64:
    return make(value);
  case DType::F32:
    return make(static_cast<float>(value));
  default:
    fail(ErrorKind::Unsupported, "", "has no kernels for " + std::string(name(dtype)));
  }
}

EagerTensor SessionCall::scalar(const Operand &operand, DType dtype, const Shape &shape) const {
  if (isDifferentiable(dtype)) {
    runtime::FloatEnvironment environment; // for the integers
    return number(operand.real(), dtype, shape);
  }
  if (operand.kind() == Operand::Kind::Real)
    fail(ErrorKind::DTypeMismatch, "",
         "expects an integer beside a tensor of " + std::string(name(dtype)) +
             ", but got a real number; cast the tensor first");
  int64_t value = operand.integer();
  auto make = [&]<typename T>(T) {
    if (value < static_cast<int64_t>(std::numeric_limits<T>::min()) ||
        value > static_cast<int64_t>(std::numeric_limits<T>::max()))
      fail(ErrorKind::InvalidArgument, "",
           "expects a number that " + std::string(name(dtype)) + " holds, but got " + std::to_string(value));
    return named([&] { return constantLeaf(runtime_, repeated(static_cast<T>(value), shape), where_); });
  };
  switch (dtype) {
  case DType::Bool:
    return make(bool());
  case DType::U8:
    return make(uint8_t());
  case DType::I8:
    return make(int8_t());
  case DType::I16:
    return make(int16_t());
  case DType::I32:
    return make(int32_t());
  default:
    return make(int64_t());
  }
}

EagerTensor SessionCall::promote(const EagerTensor &x, DType dtype) const {
  if (x.dtype() == dtype)
    return x;
  // Wide integers round where they meet a narrower float; the promotion table says so, and only a cast may.
  return apply(core::isLossless(x.dtype(), dtype) ? OpKind::Convert : OpKind::Cast, {&x},
               {static_cast<int64_t>(dtype)});
}

EagerTensor SessionCall::reshape(const EagerTensor &x, const Shape &shape) const {
  if (x.shape() == shape)
    return x;
  core::Attributes attributes;
  appendList(attributes, shape);
  return apply(OpKind::Reshape, {&x}, attributes);
}

EagerTensor SessionCall::broadcast(const EagerTensor &x, const Shape &shape) const {
  if (x.shape() == shape)
    return x;
  IntList dimensions;
  for (int64_t axis = 0, offset = shape.rank() - x.rank(); axis < x.rank(); ++axis)
    dimensions.push_back(offset + axis);
  core::Attributes attributes;
  appendList(attributes, dimensions);
  appendList(attributes, shape);
  return apply(OpKind::BroadcastInDim, {&x}, attributes);
}

SessionCall::Pair SessionCall::promotePair(const Operand &a, const Operand &b) const {
  const EagerTensor *x = a.tensor(), *y = b.tensor();
  for (const EagerTensor *tensor : {x, y})
    if (tensor)
      requireTensor(*tensor);
  if (x && y) {
    DType dtype = core::promote(x->dtype(), y->dtype());
    return {promote(*x, dtype), promote(*y, dtype)};
  }
  if (x)
    return {*x, scalar(b, x->dtype(), x->shape())};
  if (y)
    return {scalar(a, y->dtype(), y->shape()), *y};
  // Two numbers: as C++ has them.
  auto natural = [](const Operand &operand) {
    return operand.kind() == Operand::Kind::Real      ? DType::F64
           : operand.kind() == Operand::Kind::Integer ? DType::I64
                                                      : DType::Bool;
  };
  DType dtype = core::promote(natural(a), natural(b));
  return {scalar(a, dtype), scalar(b, dtype)};
}

EagerTensor SessionCall::binary(OpKind kind, const EagerTensor &a, const EagerTensor &b,
                                const core::Attributes &attributes) const {
  if (a.shape() == b.shape())
    return apply(kind, {&a, &b}, attributes);
  Shape shape = check(core::broadcastShapes(op_, a.shape(), b.shape()));
  EagerTensor x = broadcast(a, shape), y = broadcast(b, shape);
  return apply(kind, {&x, &y}, attributes);
}

EagerTensor SessionCall::binary(OpKind kind, const Operand &a, const Operand &b,
                                const core::Attributes &attributes) const {
  if (const EagerTensor *x = a.tensor(), *y = b.tensor(); x && y) {
    const Record *left = detail::EagerAccess::record(*x), *right = detail::EagerAccess::record(*y);
    if (left && right && left->type.dtype == right->type.dtype) {
      if (sameExtents(left->type.shape, right->type.shape)) [[likely]]
        return apply(kind, {x, y}, attributes);
      return binary(kind, *x, *y, attributes);
    }
  }
  Pair pair = promotePair(a, b);
  return binary(kind, pair.a, pair.b, attributes);
}

EagerTensor SessionCall::select(const EagerTensor &predicate, const EagerTensor &a, const EagerTensor &b) const {
  if (predicate.dtype() != DType::Bool)
    fail(ErrorKind::DTypeMismatch, "predicate",
         "expects a bool predicate, but got " + std::string(name(predicate.dtype())), {&predicate});
  auto shapeOf = [](const EagerTensor &x) -> const Shape & { return detail::EagerAccess::record(x)->type.shape; };
  if (sameExtents(shapeOf(predicate), shapeOf(a)) && sameExtents(shapeOf(a), shapeOf(b)))
    return apply(OpKind::Select, {&predicate, &a, &b});
  Shape shape = check(core::broadcastShapes(op_, a.shape(), b.shape()));
  shape = check(core::broadcastShapes(op_, predicate.shape(), shape));
  EagerTensor p = broadcast(predicate, shape), x = broadcast(a, shape), y = broadcast(b, shape);
  return apply(OpKind::Select, {&p, &x, &y});
}

int64_t SessionCall::axis(int64_t axis, int64_t rank) const { return check(core::normalizeAxis(op_, axis, rank)); }

IntList SessionCall::axes(const Axes &axes, int64_t rank) const {
  return check(core::normalizeAxes(op_, axes.all() ? nullptr : &axes.list(), rank));
}

EagerTensor SessionCall::reduce(OpKind kind, const EagerTensor &x, const IntList &axes, bool keepDims) const {
  core::Attributes attributes;
  appendList(attributes, axes);
  EagerTensor reduced = apply(kind, {&x}, attributes);
  return keepDims ? reshape(reduced, reducedShape(x.shape(), axes, true)) : reduced;
}

} // namespace tenferro::eager
