// Element-wise kernels: a thread per element, over dimensions merged where all operands allow it.
#include "lib/CodeGen/Gpu/ElementBody.h"
#include "lib/CodeGen/Gpu/Launches.h"

using namespace mlir;

namespace tenferro::compiler {

void emitMap(DeviceProgram &program, const DeviceLaunch &launch) {
  SmallVector<Operand> inputs = launch.inputs, outputs = launch.outputs, all = inputs;
  all.append(outputs);
  Shape shape = outputs.front().shape;
  int64_t count = shape.elementCount();
  if (count == 0)
    return;
  if (!readsCoordinates(inputs)) {
    std::vector<IntList> strides;
    for (const Operand &operand : all)
      strides.push_back(operand.strides);
    LoopDims merged = mergeDims(shape, std::move(strides));
    shape = merged.shape;
    for (auto [i, strides] : llvm::enumerate(merged.strides)) {
      Operand &operand = i < inputs.size() ? inputs[i] : outputs[i - inputs.size()];
      operand.shape = shape;
      operand.strides = strides;
    }
  }
  KernelWriter writer(program, launch.origin->getLoc(), labelOf(launch.origin), all, Grid::forElements(count),
                      isFallible(launch.origin));
  writer.forEachElement(count, [&](Value i) {
    SmallVector<Value> coordinates = writer.coordinates(i, shape);
    SmallVector<Value> elements = buildElements(writer, launch.origin, inputs, coordinates);
    for (auto [output, element] : llvm::zip_equal(outputs, elements))
      writer.store(element, output, coordinates);
  });
  writer.finish();
}

} // namespace tenferro::compiler
