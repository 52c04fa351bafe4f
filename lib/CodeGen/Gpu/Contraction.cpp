// Matrix products: a thread per element that walks the contracted dimensions, a chain of fused multiply-adds; or the
// reduction tree over the products where the shape says so.
#include "lib/CodeGen/Gpu/Launches.h"
#include "lib/CodeGen/Gpu/Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tenferro::compiler {

// The rule of runtime/launch/LaunchMatmul.cpp.
constexpr int64_t kTreeMaxOutputs = 64; ///< fewer outputs per batch element ...
constexpr int64_t kTreeMinTerms = 256;  ///< ... of at least as many terms

/// An operand of the product over the dimensions contracted, left free, right free, batch.
static Operand over(const Operand &operand, std::initializer_list<IntList> groups, const Shape &iteration) {
  Operand result = operand;
  result.shape = iteration;
  result.strides = IntList();
  for (const IntList &strides : groups)
    for (int64_t stride : strides)
      result.strides.push_back(stride);
  return result;
}

void emitDotGeneral(DeviceProgram &program, const DeviceLaunch &launch) {
  const runtime::DotDimensions &dot = *launch.launch.dot;
  const Operand &lhs = launch.inputs[0], &rhs = launch.inputs[1], &out = launch.outputs[0];
  Location loc = launch.origin->getLoc();
  IntList lhsFree = axesWithout(lhs.shape.rank(), dot.lhsContracting, dot.lhsBatch);
  IntList rhsFree = axesWithout(rhs.shape.rank(), dot.rhsContracting, dot.rhsBatch);
  Shape rows(pick(lhs.shape, lhsFree)), columns(pick(rhs.shape, rhsFree)), terms(pick(lhs.shape, dot.lhsContracting));
  int64_t count = out.shape.elementCount(), k = terms.elementCount();
  if (count == 0)
    return;

  LoopDims contracted =
      mergeDims(terms, {pick(lhs.strides, dot.lhsContracting), pick(rhs.strides, dot.rhsContracting)});
  Shape iteration = contracted.shape;
  for (int64_t extent : out.shape)
    iteration.push_back(extent);
  Operand a = over(
      lhs,
      {contracted.strides[0], pick(lhs.strides, lhsFree), IntList(columns.size(), 0), pick(lhs.strides, dot.lhsBatch)},
      iteration);
  Operand b = over(
      rhs,
      {contracted.strides[1], IntList(rows.size(), 0), pick(rhs.strides, rhsFree), pick(rhs.strides, dot.rhsBatch)},
      iteration);
  bool isFloat = isa<FloatType>(cast<MemRefType>(out.buffer.getType()).getElementType());

  if (rows.elementCount() * columns.elementCount() < kTreeMaxOutputs && k >= kTreeMinTerms) {
    auto product = [&](KernelWriter &writer, ValueRange coordinates) {
      Value x = writer.load(a, coordinates), y = writer.load(b, coordinates);
      return SmallVector<Value>{isFloat ? Value(arith::MulFOp::create(writer.ops(), loc, x, y)) : writer.mul(x, y)};
    };
    return emitReduction(
        program,
        {loc, "dot_general", iteration, contracted.shape.size(), {DeviceCombine::Sum}, {a, b}, {out}, product});
  }

  SmallVector<Operand> operands{out};
  if (k)
    operands = {a, b, out};
  KernelWriter writer(program, loc, "dot_general", operands, Grid::forElements(count));
  writer.forEachElement(count, [&](Value i) {
    SmallVector<Value> place = writer.coordinates(i, out.shape), sum{writer.zero(writer.elementType(out))};
    if (k)
      sum = writer.loop(writer.index(0), writer.index(k), 1, sum, [&](Value term, ValueRange carried) {
        SmallVector<Value> coordinates = writer.coordinates(term, contracted.shape);
        coordinates.append(place.begin(), place.end());
        Value x = writer.load(a, coordinates), y = writer.load(b, coordinates);
        return SmallVector<Value>{isFloat ? Value(math::FmaOp::create(writer.ops(), loc, x, y, carried[0]))
                                          : writer.add(carried[0], writer.mul(x, y))};
      });
    writer.store(sum[0], out, place);
  });
  writer.finish();
}

} // namespace tenferro::compiler
