// Kernels that walk lines: running sums, and the position of the largest or smallest element. A thread per line, in the
// order of the CPU's loops.
#include "lib/CodeGen/Gpu/Launches.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tenferro::compiler {

/// `kept` with the coordinate `at` put in at `axis`.
static SmallVector<Value> onLine(ArrayRef<Value> kept, size_t axis, Value at) {
  SmallVector<Value> coordinates(kept);
  coordinates.insert(coordinates.begin() + static_cast<ptrdiff_t>(axis), at);
  return coordinates;
}

static Shape linesOf(const Shape &shape, int64_t axis) { return Shape(pick(shape, axesWithout(shape.rank(), {axis}))); }

void emitCumulativeSum(DeviceProgram &program, const DeviceLaunch &launch) {
  const Operand &source = launch.inputs[0], &out = launch.outputs[0];
  int64_t axis = launch.launch.axes[0], length = out.shape[static_cast<size_t>(axis)];
  if (out.shape.elementCount() == 0)
    return;
  Shape lines = linesOf(out.shape, axis);
  KernelWriter writer(program, launch.origin->getLoc(), "cumsum", {source, out},
                      Grid::forElements(lines.elementCount()));
  writer.forEachElement(lines.elementCount(), [&](Value line) {
    SmallVector<Value> kept = writer.coordinates(line, lines);
    auto at = [&](Value k) {
      return onLine(kept, static_cast<size_t>(axis),
                    launch.launch.reverse ? writer.sub(writer.index(length - 1), k) : k);
    };
    Value first = writer.load(source, at(writer.index(0)));
    writer.store(first, out, at(writer.index(0)));
    writer.loop(writer.index(1), writer.index(length), 1, {first}, [&](Value k, ValueRange carried) {
      Value next = writer.load(source, at(k));
      Value sum = isa<FloatType>(next.getType())
                      ? Value(arith::AddFOp::create(writer.ops(), writer.loc(), carried[0], next))
                      : writer.add(carried[0], next);
      writer.store(sum, out, at(k));
      return SmallVector<Value>{sum};
    });
  });
  writer.finish();
}

/// Whether `x` takes the place of what came before it: beyond it, or the first NaN.
static Value beats(KernelWriter &writer, Value x, Value best, bool largest) {
  OpBuilder &ops = writer.ops();
  Location loc = writer.loc();
  if (isa<FloatType>(x.getType())) {
    auto isNan = [&](Value value) {
      return arith::CmpFOp::create(ops, loc, arith::CmpFPredicate::UNO, value, value).getResult();
    };
    auto beyond = largest ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    Value hadNan = isNan(best), yes = arith::ConstantOp::create(ops, loc, ops.getBoolAttr(true));
    Value isFirstNan = writer.both(isNan(x), arith::XOrIOp::create(ops, loc, hadNan, yes));
    return arith::OrIOp::create(ops, loc, arith::CmpFOp::create(ops, loc, beyond, x, best), isFirstNan);
  }
  bool isSigned = !x.getType().isSignlessInteger(8);
  auto beyond = largest ? (isSigned ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt)
                        : (isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult);
  return arith::CmpIOp::create(ops, loc, beyond, x, best);
}

void emitPosition(DeviceProgram &program, const DeviceLaunch &launch) {
  const Operand &source = launch.inputs[0], &out = launch.outputs[0];
  bool largest = launch.launch.kind == runtime::LaunchKind::ArgMax;
  int64_t axis = launch.launch.axes[0], length = source.shape[static_cast<size_t>(axis)];
  if (out.shape.elementCount() == 0)
    return;
  KernelWriter writer(program, launch.origin->getLoc(), largest ? "argmax" : "argmin", {source, out},
                      Grid::forElements(out.shape.elementCount()));
  OpBuilder &ops = writer.ops();
  writer.forEachElement(out.shape.elementCount(), [&](Value line) {
    SmallVector<Value> kept = writer.coordinates(line, out.shape);
    auto at = [&](Value k) { return writer.load(source, onLine(kept, static_cast<size_t>(axis), k)); };
    SmallVector<Value> first{at(writer.index(0)), writer.zero(ops.getI64Type())};
    SmallVector<Value> best =
        writer.loop(writer.index(1), writer.index(length), 1, first, [&](Value k, ValueRange carried) {
          Value x = at(k), better = beats(writer, x, carried[0], largest);
          Value position = arith::IndexCastOp::create(ops, writer.loc(), ops.getI64Type(), k);
          return SmallVector<Value>{arith::SelectOp::create(ops, writer.loc(), better, x, carried[0]),
                                    arith::SelectOp::create(ops, writer.loc(), better, position, carried[1])};
        });
    writer.store(best[1], out, kept);
  });
  writer.finish();
}

} // namespace tenferro::compiler
