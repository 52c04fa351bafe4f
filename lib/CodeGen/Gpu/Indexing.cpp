// take and scatter_add: a thread per element of the result. scatter_add lets each target look for its updates in
// ascending order, so that they add in the fixed order without atomics.
#include "lib/CodeGen/Gpu/Launches.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using tenferro::runtime::KernelError;

namespace tenferro::compiler {

namespace {

/// An index as i64, counted from the end where it is negative, and whether it is in range.
struct CheckedIndex {
  Value index, isValid;
};

CheckedIndex loadIndex(KernelWriter &writer, const Operand &indices, ValueRange coordinates, int64_t extent) {
  OpBuilder &ops = writer.ops();
  Location loc = writer.loc();
  Type i64 = ops.getI64Type();
  Value index = writer.load(indices, coordinates);
  if (index.getType() != i64)
    index = indices.dtype == DType::U8 ? Value(arith::ExtUIOp::create(ops, loc, i64, index))
                                       : Value(arith::ExtSIOp::create(ops, loc, i64, index));
  Value zero = writer.zero(i64);
  Value bound = arith::ConstantOp::create(ops, loc, ops.getI64IntegerAttr(extent));
  index = arith::SelectOp::create(ops, loc, writer.less(index, zero), writer.add(index, bound), index);
  // Unsigned, a negative number is a large one.
  Value isValid = arith::CmpIOp::create(ops, loc, arith::CmpIPredicate::ult, index, bound);
  return {index, isValid};
}

void raiseInvalid(KernelWriter &writer, Value isValid) {
  Value yes = arith::ConstantOp::create(writer.ops(), writer.loc(), writer.ops().getBoolAttr(true));
  Value isInvalid = arith::XOrIOp::create(writer.ops(), writer.loc(), isValid, yes);
  writer.raiseIf(isInvalid, writer.loc(), KernelError::IndexOutOfRange);
}

/// A kernel of its own that reports indices out of range.
void emitIndexCheck(DeviceProgram &program, const DeviceLaunch &launch, const Operand &indices, int64_t extent) {
  int64_t count = indices.shape.elementCount();
  if (count == 0)
    return;
  KernelWriter writer(program, launch.origin->getLoc(), "check_index", {indices}, Grid::forElements(count), true);
  writer.forEachElement(count, [&](Value i) {
    raiseInvalid(writer, loadIndex(writer, indices, writer.coordinates(i, indices.shape), extent).isValid);
  });
  writer.finish();
}

/// `coordinates` with `count` of them from `axis` on replaced by `with`.
SmallVector<Value> replaced(ValueRange coordinates, size_t axis, size_t count, ValueRange with) {
  SmallVector<Value> result(coordinates.begin(), coordinates.begin() + axis);
  result.append(with.begin(), with.end());
  result.append(coordinates.begin() + axis + count, coordinates.end());
  return result;
}

Value toIndex(KernelWriter &writer, Value i64) {
  return arith::IndexCastOp::create(writer.ops(), writer.loc(), writer.ops().getIndexType(), i64);
}

} // namespace

void emitTake(DeviceProgram &program, const DeviceLaunch &launch) {
  const Operand &source = launch.inputs[0], &indices = launch.inputs[1], &out = launch.outputs[0];
  auto axis = static_cast<size_t>(launch.launch.axes[0]);
  int64_t count = out.shape.elementCount(), extent = source.shape[axis];
  if (count == 0 || source.shape.elementCount() == 0) {
    // Nothing can be read: whatever the result holds, every index is wrong or there is no result.
    emitIndexCheck(program, launch, indices, extent);
    return;
  }
  KernelWriter writer(program, launch.origin->getLoc(), "take", {source, indices, out}, Grid::forElements(count), true);
  writer.forEachElement(count, [&](Value i) {
    SmallVector<Value> coordinates = writer.coordinates(i, out.shape);
    ValueRange at = ValueRange(coordinates).slice(axis, indices.shape.size());
    CheckedIndex checked = loadIndex(writer, indices, at, extent);
    raiseInvalid(writer, checked.isValid);
    auto read = [&] {
      return writer.load(source, replaced(coordinates, axis, indices.shape.size(), toIndex(writer, checked.index)));
    };
    writer.store(writer.valueWhen(checked.isValid, read, writer.zero(writer.elementType(out))), out, coordinates);
  });
  writer.finish();
}

void emitScatterAdd(DeviceProgram &program, const DeviceLaunch &launch) {
  const Operand &indices = launch.inputs[0], &updates = launch.inputs[1], &out = launch.outputs[0];
  auto axis = static_cast<size_t>(launch.launch.axes[0]);
  int64_t count = out.shape.elementCount(), extent = out.shape[axis], positions = indices.shape.elementCount();
  emitIndexCheck(program, launch, indices, extent);
  if (count == 0)
    return;
  SmallVector<Operand> operands{out};
  if (updates.shape.elementCount())
    operands = {indices, updates, out};
  KernelWriter writer(program, launch.origin->getLoc(), "scatter_add", operands, Grid::forElements(count));
  OpBuilder &ops = writer.ops();
  writer.forEachElement(count, [&](Value i) {
    SmallVector<Value> coordinates = writer.coordinates(i, out.shape), sum{writer.zero(writer.elementType(out))};
    if (positions) {
      Value target = arith::IndexCastOp::create(ops, writer.loc(), ops.getI64Type(), coordinates[axis]);
      sum = writer.loop(writer.index(0), writer.index(positions), 1, sum, [&](Value j, ValueRange carried) {
        SmallVector<Value> at = writer.coordinates(j, indices.shape);
        Value index = loadIndex(writer, indices, at, extent).index;
        Value isHit = arith::CmpIOp::create(ops, writer.loc(), arith::CmpIPredicate::eq, index, target);
        auto added = [&] {
          Value update = writer.load(updates, replaced(coordinates, axis, 1, at));
          return isa<FloatType>(update.getType()) ? Value(arith::AddFOp::create(ops, writer.loc(), carried[0], update))
                                                  : writer.add(carried[0], update);
        };
        return SmallVector<Value>{writer.valueWhen(isHit, added, carried[0])};
      });
    }
    writer.store(sum[0], out, coordinates);
  });
  writer.finish();
}

} // namespace tenferro::compiler
