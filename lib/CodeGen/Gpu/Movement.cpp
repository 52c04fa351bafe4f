// Kernels that move elements without computing.
#include "lib/CodeGen/Gpu/Launches.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;

namespace tenferro::compiler {

void emitCopy(DeviceProgram &program, const DeviceLaunch &launch) {
  const Operand &from = launch.inputs.front(), &to = launch.outputs.front();
  int64_t count = to.shape.elementCount();
  if (count == 0)
    return;
  KernelWriter writer(program, launch.origin->getLoc(), "copy", {from, to}, Grid::forElements(count));
  writer.forEachElement(count, [&](Value i) {
    SmallVector<Value> coordinates = writer.coordinates(i, to.shape);
    writer.store(writer.load(from, coordinates), to, coordinates);
  });
  writer.finish();
}

void emitPad(DeviceProgram &program, const DeviceLaunch &launch) {
  const Operand &from = launch.inputs.front(), &to = launch.outputs.front();
  int64_t count = to.shape.elementCount();
  if (count == 0)
    return;
  bool isEmpty = from.shape.elementCount() == 0;
  SmallVector<Operand> operands{to};
  if (!isEmpty)
    operands.push_back(from);
  KernelWriter writer(program, launch.origin->getLoc(), "pad", operands, Grid::forElements(count));
  writer.forEachElement(count, [&](Value i) {
    SmallVector<Value> coordinates = writer.coordinates(i, to.shape), source;
    Value nothing = writer.zero(writer.elementType(to)), inside;
    if (isEmpty)
      return writer.store(nothing, to, coordinates);
    auto require = [&](Value condition) { inside = inside ? writer.both(inside, condition) : condition; };
    for (size_t d = 0; d < to.shape.size(); ++d) {
      // Element s of the source stands at low + s * step.
      // Of a single element, which every step beyond the result leaves where it is, the step may be huge.
      int64_t low = launch.launch.low[d], step = std::min(launch.launch.interior[d], to.shape[d]) + 1;
      Value at = low ? writer.sub(coordinates[d], writer.index(low)) : coordinates[d];
      if (low > 0)
        require(writer.less(writer.index(-1), at));
      if (step > 1) {
        require(arith::CmpIOp::create(writer.ops(), writer.loc(), arith::CmpIPredicate::eq,
                                      writer.rem(at, writer.index(step)), writer.index(0)));
        at = writer.div(at, writer.index(step));
      }
      require(writer.less(at, writer.index(from.shape[d])));
      source.push_back(at);
    }
    Value element = inside ? writer.valueWhen(
                                 inside, [&] { return writer.load(from, source); }, nothing)
                           : writer.load(from, source);
    writer.store(element, to, coordinates);
  });
  writer.finish();
}

} // namespace tenferro::compiler
