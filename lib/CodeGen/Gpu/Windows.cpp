// gather and scatter in general form: windows of a tensor (`whole`) whose first elements the indices name, and the
// tensor of their elements (`picked`). A thread per element of the result; a target of a scatter looks for its updates
// in ascending order, so that they meet it in the fixed order without atomics.
#include "lib/CodeGen/Gpu/Launches.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;

namespace tenferro::compiler {

namespace {

bool contains(const IntList &list, int64_t value) { return std::find(list.begin(), list.end(), value) != list.end(); }

/// Where a window lies: the coordinates of its first element, as indices, where `isInside`.
struct Window {
  SmallVector<Value> first;
  Value isInside;
};

class WindowReader {
public:
  WindowReader(KernelWriter &writer, const runtime::WindowDimensions &dims, const Operand &indices, const Shape &whole)
      : writer_(writer), dims_(dims), indices_(indices), whole_(whole) {}

  /// The window of the batch coordinates of an element of `picked`.
  Window find(ValueRange batch) {
    OpBuilder &ops = writer_.ops();
    Window window{SmallVector<Value>(whole_.size(), writer_.index(0)), constant(true)};
    for (int64_t d : dims_.fixed)
      if (whole_[static_cast<size_t>(d)] == 0)
        window.isInside = constant(false);
    bool hasVectors = dims_.vectorDim < indices_.shape.rank();
    for (size_t k = 0; k < dims_.map.size(); ++k) {
      auto d = static_cast<size_t>(dims_.map[k]);
      SmallVector<Value> at(batch);
      if (hasVectors)
        at.insert(at.begin() + dims_.vectorDim, writer_.index(static_cast<int64_t>(k)));
      Value start = place(extended(writer_.load(indices_, at)), whole_[d], dims_.sizes[d], window.isInside);
      window.first[d] = arith::IndexCastOp::create(ops, writer_.loc(), ops.getIndexType(), start);
    }
    return window;
  }

  /// The coordinates in `whole` of an element of `picked`.
  SmallVector<Value> inWhole(const Window &window, ValueRange picked) {
    SmallVector<Value> coordinates(window.first);
    size_t next = 0;
    for (size_t d = 0; d < whole_.size(); ++d)
      if (!contains(dims_.fixed, static_cast<int64_t>(d)))
        coordinates[d] = writer_.add(coordinates[d], picked[static_cast<size_t>(dims_.window[next++])]);
    return coordinates;
  }

  /// The coordinates of an element of `picked` that number its window.
  SmallVector<Value> batchOf(ValueRange picked) {
    SmallVector<Value> batch;
    for (auto [d, coordinate] : llvm::enumerate(picked))
      if (!contains(dims_.window, static_cast<int64_t>(d)))
        batch.push_back(coordinate);
    return batch;
  }

private:
  Value constant(bool value) {
    return arith::ConstantOp::create(writer_.ops(), writer_.loc(), writer_.ops().getBoolAttr(value));
  }
  Value constant(int64_t value) {
    return arith::ConstantOp::create(writer_.ops(), writer_.loc(), writer_.ops().getI64IntegerAttr(value));
  }

  Value extended(Value index) {
    OpBuilder &ops = writer_.ops();
    Type i64 = ops.getI64Type();
    if (index.getType() == i64)
      return index;
    return indices_.dtype == DType::U8 ? Value(arith::ExtUIOp::create(ops, writer_.loc(), i64, index))
                                       : Value(arith::ExtSIOp::create(ops, writer_.loc(), i64, index));
  }

  /// The start by the mode; `isInside` becomes false where it is outside.
  Value place(Value start, int64_t extent, int64_t size, Value &isInside) {
    OpBuilder &ops = writer_.ops();
    Location loc = writer_.loc();
    if (size > extent) {
      isInside = constant(false);
      return start;
    }
    Value last = constant(extent - size), zero = constant(int64_t(0));
    if (dims_.mode == IndexMode::Clip)
      return arith::MinSIOp::create(ops, loc, arith::MaxSIOp::create(ops, loc, start, zero), last);
    if (dims_.mode == IndexMode::Error)
      start = arith::SelectOp::create(ops, loc, writer_.less(start, zero), writer_.add(start, constant(extent)), start);
    // Unsigned, a negative number is a large one.
    isInside = writer_.both(isInside, arith::CmpIOp::create(ops, loc, arith::CmpIPredicate::ule, start, last));
    return start;
  }

  KernelWriter &writer_;
  const runtime::WindowDimensions &dims_;
  const Operand &indices_;
  const Shape &whole_;
};

/// A kernel of its own that reports windows outside, where they are errors.
void emitWindowCheck(DeviceProgram &program, const DeviceLaunch &launch, const Operand &indices, const Shape &whole) {
  const runtime::WindowDimensions &dims = *launch.launch.windows;
  Shape batch;
  for (int64_t d = 0; d < indices.shape.rank(); ++d)
    if (d != dims.vectorDim)
      batch.push_back(indices.shape[static_cast<size_t>(d)]);
  int64_t count = batch.elementCount();
  if (dims.mode != IndexMode::Error || count == 0)
    return;
  SmallVector<Operand> operands;
  if (indices.shape.elementCount())
    operands.push_back(indices);
  KernelWriter writer(program, launch.origin->getLoc(), "check_index", operands, Grid::forElements(count), true);
  WindowReader reader(writer, dims, indices, whole);
  writer.forEachElement(count, [&](Value i) {
    Value isInside = reader.find(writer.coordinates(i, batch)).isInside;
    Value yes = arith::ConstantOp::create(writer.ops(), writer.loc(), writer.ops().getBoolAttr(true));
    writer.raiseIf(arith::XOrIOp::create(writer.ops(), writer.loc(), isInside, yes), writer.loc(),
                   runtime::KernelError::IndexOutOfRange);
  });
  writer.finish();
}

/// How an update meets its target.
Value meet(KernelWriter &writer, ScatterUpdate update, const Operand &target, Value old, Value value) {
  OpBuilder &ops = writer.ops();
  Location loc = writer.loc();
  bool isFloat = isa<FloatType>(value.getType()), isSigned = target.dtype != DType::U8 && target.dtype != DType::Bool;
  switch (update) {
  case ScatterUpdate::Add:
    return isFloat ? Value(arith::AddFOp::create(ops, loc, old, value)) : writer.add(old, value);
  case ScatterUpdate::Mul:
    return isFloat ? Value(arith::MulFOp::create(ops, loc, old, value)) : writer.mul(old, value);
  case ScatterUpdate::Max:
    return isFloat    ? Value(arith::MaximumFOp::create(ops, loc, old, value))
           : isSigned ? Value(arith::MaxSIOp::create(ops, loc, old, value))
                      : Value(arith::MaxUIOp::create(ops, loc, old, value));
  case ScatterUpdate::Min:
    return isFloat    ? Value(arith::MinimumFOp::create(ops, loc, old, value))
           : isSigned ? Value(arith::MinSIOp::create(ops, loc, old, value))
                      : Value(arith::MinUIOp::create(ops, loc, old, value));
  case ScatterUpdate::Set:
    break;
  }
  return value;
}

} // namespace

void emitGather(DeviceProgram &program, const DeviceLaunch &launch) {
  const Operand &whole = launch.inputs[0], &indices = launch.inputs[1], &picked = launch.outputs[0];
  emitWindowCheck(program, launch, indices, whole.shape);
  int64_t count = picked.shape.elementCount();
  if (count == 0)
    return;
  bool isEmpty = whole.shape.elementCount() == 0;
  SmallVector<Operand> operands{picked};
  if (!isEmpty)
    operands = {whole, indices, picked};
  KernelWriter writer(program, launch.origin->getLoc(), "gather", operands, Grid::forElements(count));
  WindowReader reader(writer, *launch.launch.windows, indices, whole.shape);
  writer.forEachElement(count, [&](Value i) {
    SmallVector<Value> at = writer.coordinates(i, picked.shape);
    Value element = writer.zero(writer.elementType(picked));
    if (!isEmpty) {
      Window window = reader.find(reader.batchOf(at));
      element =
          writer.valueWhen(window.isInside, [&] { return writer.load(whole, reader.inWhole(window, at)); }, element);
    }
    writer.store(element, picked, at);
  });
  writer.finish();
}

void emitScatter(DeviceProgram &program, const DeviceLaunch &launch) {
  const Operand &source = launch.inputs[0], &indices = launch.inputs[1], &updates = launch.inputs[2],
                &out = launch.outputs[0];
  emitWindowCheck(program, launch, indices, out.shape);
  int64_t count = out.shape.elementCount(), updateCount = updates.shape.elementCount();
  if (count == 0)
    return;
  SmallVector<Operand> operands{source, out};
  if (updateCount)
    operands = {source, indices, updates, out};
  KernelWriter writer(program, launch.origin->getLoc(), "scatter", operands, Grid::forElements(count));
  OpBuilder &ops = writer.ops();
  WindowReader reader(writer, *launch.launch.windows, indices, out.shape);
  writer.forEachElement(count, [&](Value i) {
    SmallVector<Value> at = writer.coordinates(i, out.shape), value{writer.load(source, at)};
    if (updateCount)
      value = writer.loop(writer.index(0), writer.index(updateCount), 1, value, [&](Value u, ValueRange carried) {
        SmallVector<Value> picked = writer.coordinates(u, updates.shape);
        Window window = reader.find(reader.batchOf(picked));
        Value isHit = window.isInside;
        for (auto [mine, its] : llvm::zip_equal(at, reader.inWhole(window, picked)))
          isHit = writer.both(isHit, arith::CmpIOp::create(ops, writer.loc(), arith::CmpIPredicate::eq, mine, its));
        auto met = [&] {
          return meet(writer, launch.launch.windows->update, out, carried[0], writer.load(updates, picked));
        };
        return SmallVector<Value>{writer.valueWhen(isHit, met, carried[0])};
      });
    writer.store(value[0], out, at);
  });
  writer.finish();
}

} // namespace tenferro::compiler
