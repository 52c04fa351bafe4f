// Reductions on a device. A group of 32 threads reduces a block of at most 4096 elements: thread l is lane l, adds
// elements l, l + 32, ... in this order, and then lane j takes lane j + 16, j + 8, j + 4, j + 2, j + 1 through the
// group's memory. Blocks' results are reduced by the next launch. So the numbers are added in the same order as on the
// CPU.
#include "lib/CodeGen/Gpu/Reduction.h"

#include "lib/CodeGen/Gpu/ElementBody.h"
#include "lib/CodeGen/Gpu/Launches.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using tenferro::runtime::kReductionBlock;
using tenferro::runtime::kReductionLanes;

namespace tenferro::compiler {

std::optional<DeviceCombine> combineOf(StringRef mnemonic) {
  return llvm::StringSwitch<std::optional<DeviceCombine>>(mnemonic)
      .Case("sum", DeviceCombine::Sum)
      .Case("prod", DeviceCombine::Prod)
      .Case("max", DeviceCombine::Max)
      .Case("min", DeviceCombine::Min)
      .Case("any", DeviceCombine::Any)
      .Case("all", DeviceCombine::All)
      .Default(std::nullopt);
}

/// 8-bit elements are u8 and bool.
static bool isSigned(Type type) { return !type.isSignlessInteger(8); }

/// The value that leaves every other unchanged: -0.0 for float sums.
static TypedAttr neutralOf(DeviceCombine combine, Type type) {
  Builder builder(type.getContext());
  if (isa<FloatType>(type)) {
    double infinity = std::numeric_limits<double>::infinity();
    return builder.getFloatAttr(type, combine == DeviceCombine::Sum    ? -0.0
                                      : combine == DeviceCombine::Prod ? 1.0
                                      : combine == DeviceCombine::Max  ? -infinity
                                                                       : infinity);
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  if (combine == DeviceCombine::Sum || combine == DeviceCombine::Any)
    return builder.getIntegerAttr(type, 0);
  if (combine == DeviceCombine::Prod || combine == DeviceCombine::All)
    return builder.getIntegerAttr(type, 1);
  if (combine == DeviceCombine::Max)
    return builder.getIntegerAttr(type, isSigned(type) ? APInt::getSignedMinValue(bits) : APInt::getMinValue(bits));
  return builder.getIntegerAttr(type, isSigned(type) ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits));
}

static Value combine(KernelWriter &writer, DeviceCombine how, Value a, Value b) {
  OpBuilder &ops = writer.ops();
  Location loc = writer.loc();
  bool isFloat = isa<FloatType>(a.getType());
  switch (how) {
  case DeviceCombine::Sum:
    return isFloat ? Value(arith::AddFOp::create(ops, loc, a, b)) : Value(arith::AddIOp::create(ops, loc, a, b));
  case DeviceCombine::Prod:
    return isFloat ? Value(arith::MulFOp::create(ops, loc, a, b)) : Value(arith::MulIOp::create(ops, loc, a, b));
  case DeviceCombine::Any:
    return arith::OrIOp::create(ops, loc, a, b);
  case DeviceCombine::All:
    return arith::AndIOp::create(ops, loc, a, b);
  case DeviceCombine::Max:
    return isFloat                 ? Value(arith::MaximumFOp::create(ops, loc, a, b))
           : isSigned(a.getType()) ? Value(arith::MaxSIOp::create(ops, loc, a, b))
                                   : Value(arith::MaxUIOp::create(ops, loc, a, b));
  case DeviceCombine::Min:
    return isFloat                 ? Value(arith::MinimumFOp::create(ops, loc, a, b))
           : isSigned(a.getType()) ? Value(arith::MinSIOp::create(ops, loc, a, b))
                                   : Value(arith::MinUIOp::create(ops, loc, a, b));
  }
  return {};
}

/// Writes what a reduction of nothing is: +0 for sums, the neutral element otherwise.
static void emitIdentity(DeviceProgram &program, const DeviceReduction &r, const Shape &kept) {
  KernelWriter writer(program, r.loc, r.label, r.outputs, Grid::forElements(kept.elementCount()));
  writer.forEachElement(kept.elementCount(), [&](Value i) {
    SmallVector<Value> coordinates = writer.coordinates(i, kept);
    for (auto [how, output] : llvm::zip_equal(r.combines, r.outputs)) {
      Type type = writer.elementType(output);
      Value identity = how == DeviceCombine::Sum
                           ? writer.zero(type)
                           : arith::ConstantOp::create(writer.ops(), r.loc, neutralOf(how, type)).getResult();
      writer.store(identity, output, coordinates);
    }
  });
  writer.finish();
}

void emitReduction(DeviceProgram &program, const DeviceReduction &r) {
  Shape reduced(r.iteration.begin(), r.iteration.begin() + r.reducedRank);
  Shape kept(r.iteration.begin() + r.reducedRank, r.iteration.end());
  int64_t count = reduced.elementCount();
  if (kept.elementCount() == 0)
    return;
  if (count == 0)
    return emitIdentity(program, r, kept);

  int64_t blocks = (count + kReductionBlock - 1) / kReductionBlock;
  // Pieces of work, the block fastest, and where their results go.
  Shape pieces{blocks};
  for (int64_t extent : kept)
    pieces.push_back(extent);
  SmallVector<Operand> results, all = r.inputs;
  for (const Operand &output : r.outputs) {
    Operand result = output;
    if (blocks > 1) {
      result = program.scratch(cast<MemRefType>(output.buffer.getType()).getElementType(), pieces, output.dtype);
    } else {
      result.shape = pieces;
      result.strides = IntList{0};
      for (int64_t stride : output.strides)
        result.strides.push_back(stride);
    }
    results.push_back(result);
  }
  all.append(results);

  KernelWriter writer(program, r.loc, r.label, all, Grid::forGroups(pieces.elementCount(), kReductionLanes),
                      r.fallible);
  OpBuilder &ops = writer.ops();
  Value lane = writer.thread();
  SmallVector<Value> memory, neutral;
  for (auto [how, result] : llvm::zip_equal(r.combines, results)) {
    Type type = writer.elementType(result);
    memory.push_back(writer.groupMemory(type, kReductionLanes));
    neutral.push_back(arith::ConstantOp::create(ops, r.loc, neutralOf(how, type)));
  }
  writer.forEachGroup(pieces.elementCount(), [&](Value piece) {
    SmallVector<Value> place = writer.coordinates(piece, pieces);
    Value first, n = writer.index(std::min(count, kReductionBlock));
    if (blocks > 1) {
      first = writer.mul(place[0], writer.index(kReductionBlock));
      if (count % kReductionBlock)
        n = arith::MinUIOp::create(ops, r.loc, n, writer.sub(writer.index(count), first));
    }
    SmallVector<Value> sums = writer.loop(lane, n, kReductionLanes, neutral, [&](Value k, ValueRange carried) {
      SmallVector<Value> coordinates = writer.coordinates(first ? writer.add(first, k) : k, reduced);
      coordinates.append(place.begin() + 1, place.end());
      SmallVector<Value> next;
      for (auto [how, sum, element] : llvm::zip_equal(r.combines, carried, r.element(writer, coordinates)))
        next.push_back(combine(writer, how, sum, element));
      return next;
    });
    for (auto [buffer, sum] : llvm::zip_equal(memory, sums))
      memref::StoreOp::create(ops, r.loc, sum, buffer, lane);
    writer.barrier();
    // 16, 8, 4, 2, 1: the same for all threads, so that they meet at the barrier.
    writer.loop(writer.index(0), writer.index(llvm::Log2_64(kReductionLanes)), 1, {}, [&](Value step, ValueRange) {
      Value half = arith::ShRUIOp::create(ops, r.loc, writer.index(kReductionLanes / 2), step);
      writer.when(writer.less(lane, half), [&] {
        Value other = writer.add(lane, half);
        for (auto [how, buffer] : llvm::zip_equal(r.combines, memory)) {
          Value low = memref::LoadOp::create(ops, r.loc, buffer, lane);
          Value high = memref::LoadOp::create(ops, r.loc, buffer, other);
          memref::StoreOp::create(ops, r.loc, combine(writer, how, low, high), buffer, lane);
        }
      });
      writer.barrier();
      return SmallVector<Value>();
    });
    writer.when(writer.less(lane, writer.index(1)), [&] {
      for (auto [buffer, result] : llvm::zip_equal(memory, results))
        writer.store(memref::LoadOp::create(ops, r.loc, buffer, writer.index(0)), result, place);
    });
    writer.barrier(); // the memory is written again by the next piece
  });
  writer.finish();

  if (blocks == 1)
    return;
  auto load = [&](KernelWriter &next, ValueRange coordinates) {
    SmallVector<Value> elements;
    for (const Operand &result : results)
      elements.push_back(next.load(result, coordinates));
    return elements;
  };
  emitReduction(program, {r.loc, r.label, pieces, 1, r.combines, results, r.outputs, load});
}

void emitReduce(DeviceProgram &program, const DeviceLaunch &launch) {
  const IntList &axes = launch.launch.axes;
  const Shape &shape = launch.inputs.front().shape;
  IntList kept = axesWithout(shape.rank(), axes);
  StringRef mnemonic = launch.origin->getName().stripDialect();
  if (auto body = launch.origin->getNumRegions() ? &launch.origin->getRegion(0).front().front() : nullptr)
    mnemonic = body->getAttrOfType<StringAttr>("tenferro.reduction").getValue();
  SmallVector<DeviceCombine> combines(launch.outputs.size(), *combineOf(mnemonic));

  // Reduced dimensions first, merged where all inputs allow it. Bodies that read coordinates get them in the old order.
  std::vector<IntList> strides;
  for (const Operand &input : launch.inputs)
    strides.push_back(input.isCoordinate() ? IntList() : pick(input.strides, axes));
  bool asIs = readsCoordinates(launch.inputs);
  LoopDims reduced{Shape(pick(shape, axes)), strides};
  if (!asIs)
    reduced = mergeDims(reduced.shape, std::move(strides));
  Shape iteration = reduced.shape;
  for (int64_t extent : pick(shape, kept))
    iteration.push_back(extent);
  SmallVector<Operand> inputs = launch.inputs;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (asIs || input.isCoordinate())
      continue;
    IntList all = reduced.strides[i];
    for (int64_t stride : pick(input.strides, kept))
      all.push_back(stride);
    input.shape = iteration;
    input.strides = all;
  }
  auto element = [&](KernelWriter &writer, ValueRange coordinates) {
    if (!asIs)
      return buildElements(writer, launch.origin, inputs, coordinates);
    SmallVector<Value> original(shape.size());
    for (auto [i, axis] : llvm::enumerate(axes))
      original[static_cast<size_t>(axis)] = coordinates[i];
    for (auto [i, axis] : llvm::enumerate(kept))
      original[static_cast<size_t>(axis)] = coordinates[axes.size() + i];
    return buildElements(writer, launch.origin, inputs, original);
  };
  emitReduction(program, {launch.origin->getLoc(), labelOf(launch.origin), iteration, reduced.shape.size(), combines,
                          inputs, launch.outputs, element, isFallible(launch.origin)});
}

} // namespace tenferro::compiler
