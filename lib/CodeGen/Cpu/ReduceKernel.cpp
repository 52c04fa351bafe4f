// Reductions over the fixed tree of runtime/core/KernelAbi.h: element k goes to lane k mod 32, lanes add in ascending
// k, then lane j takes lane j+16, j+8, j+4, j+2, j+1. The row kernel spreads the lanes over vectors, the column kernel
// keeps 32 vectors, so both add the same numbers in the same order.
#include "lib/CodeGen/Cpu/KernelOperands.h"
#include "lib/CodeGen/Cpu/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using tenferro::runtime::Access;
using tenferro::runtime::kReductionLanes;

namespace tenferro::compiler {

namespace {

/// Operations from which on a reduced body is built once per kernel.
constexpr unsigned kHeavyReduction = 60;

/// One output of a reduction: its element type and what is done with elements.
struct Reduction {
  Combine combine;
  Type type;

  bool isSigned() const { return !type.isSignlessInteger(8); } // 8-bit elements are u8 and bool

  /// The value that leaves every other unchanged: -0.0 for float sums.
  Attribute neutral() const {
    OpBuilder builder(type.getContext());
    bool isFloat = isa<FloatType>(type);
    unsigned bits = type.getIntOrFloatBitWidth();
    double infinity = std::numeric_limits<double>::infinity();
    switch (combine) {
    case Combine::Sum:
      return isFloat ? Attribute(builder.getFloatAttr(type, -0.0)) : builder.getIntegerAttr(type, 0);
    case Combine::Prod:
      return isFloat ? Attribute(builder.getFloatAttr(type, 1.0)) : builder.getIntegerAttr(type, 1);
    case Combine::Max:
      if (isFloat)
        return builder.getFloatAttr(type, -infinity);
      return builder.getIntegerAttr(type, isSigned() ? APInt::getSignedMinValue(bits) : APInt::getMinValue(bits));
    case Combine::Min:
      if (isFloat)
        return builder.getFloatAttr(type, infinity);
      return builder.getIntegerAttr(type, isSigned() ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits));
    case Combine::Any:
      return builder.getIntegerAttr(type, 0);
    case Combine::All:
      return builder.getIntegerAttr(type, 1);
    }
    return {};
  }

  /// The result of reducing nothing.
  Attribute identity() const {
    return isa<FloatType>(type) && combine == Combine::Sum ? OpBuilder(type.getContext()).getFloatAttr(type, 0.0)
                                                           : neutral();
  }

  Value apply(KernelBuilder &builder, Value a, Value b) const {
    OpBuilder &ops = builder.ops();
    Location loc = builder.loc();
    bool isFloat = isa<FloatType>(type);
    switch (combine) {
    case Combine::Sum:
      return isFloat ? Value(arith::AddFOp::create(ops, loc, a, b)) : Value(arith::AddIOp::create(ops, loc, a, b));
    case Combine::Prod:
      return isFloat ? Value(arith::MulFOp::create(ops, loc, a, b)) : Value(arith::MulIOp::create(ops, loc, a, b));
    case Combine::Max:
      return isFloat      ? builder.floatExtremum(a, b, true)
             : isSigned() ? Value(arith::MaxSIOp::create(ops, loc, a, b))
                          : Value(arith::MaxUIOp::create(ops, loc, a, b));
    case Combine::Min:
      return isFloat      ? builder.floatExtremum(a, b, false)
             : isSigned() ? Value(arith::MinSIOp::create(ops, loc, a, b))
                          : Value(arith::MinUIOp::create(ops, loc, a, b));
    case Combine::Any:
      return arith::OrIOp::create(ops, loc, a, b);
    case Combine::All:
      return arith::AndIOp::create(ops, loc, a, b);
    }
    return {};
  }
};

/// State shared by the two kernels.
struct ReductionBuilder {
  KernelBuilder builder;
  const ScalarBody &body;
  SmallVector<Reduction> reductions;
  unsigned lanes;

  ReductionBuilder(KernelModule &module, StringRef symbol, const ScalarBody &body, ArrayRef<Combine> combines,
                   Location loc)
      : builder(module, symbol, argumentTypes(module.op), IntegerType::get(module.op.getContext(), 64), loc),
        body(body), lanes(std::min<unsigned>(lanesFor(body, module.level), kReductionLanes)) {
    for (auto [o, combine] : llvm::enumerate(combines))
      reductions.push_back({combine, body.outputType(o)});
  }

  static SmallVector<Type> argumentTypes(ModuleOp module) {
    Type ptr = LLVM::LLVMPointerType::get(module.getContext()), i64 = IntegerType::get(module.getContext(), 64);
    return {ptr, ptr, ptr, i64, i64};
  }

  VectorType vector(const Reduction &reduction) { return builder.vectorType(reduction.type, lanes); }

  SmallVector<Value> firstStatus() {
    SmallVector<Value> status;
    if (body.fallible())
      status.push_back(builder.i64(static_cast<int64_t>(runtime::kOk)));
    return status;
  }

  /// The body's elements for these inputs, status updated.
  SmallVector<Value> elements(ValueRange inputs, Value mask, SmallVectorImpl<Value> &status) {
    Value word = body.fallible() ? status.back() : Value();
    SmallVector<Value> values = body.apply(builder, lanes, inputs, mask, word);
    if (body.fallible())
      status.back() = word;
    return values;
  }

  void finish(ArrayRef<Value> status) {
    builder.finish(body.fallible() ? status[0] : builder.i64(static_cast<int64_t>(runtime::kOk)));
  }
};

} // namespace

void buildRowReduction(KernelModule &module, StringRef symbol, const ScalarBody &body, ArrayRef<Combine> combines,
                       ArrayRef<Access> access, Location loc) {
  ReductionBuilder r(module, symbol, body, combines, loc);
  KernelBuilder &builder = r.builder;
  OpBuilder &ops = builder.ops();
  unsigned lanes = r.lanes, vectors = kReductionLanes / lanes, outputs = body.outputs();
  // Heavy bodies are built once and keep their accumulators in memory; light ones keep 32 lanes in registers.
  bool inRegisters = body.weight() * vectors <= 64 && vectors * outputs <= 8;

  KernelOperands operands(builder, body, access, lanes, builder.argument(0), builder.argument(1), builder.argument(2));
  Value n = builder.argument(3), zero = builder.i64(0);
  Value vectorEnd = builder.roundDown(n, lanes), rest = builder.sub(n, vectorEnd);
  Value blockEnd = inRegisters ? builder.roundDown(n, kReductionLanes) : zero;
  SmallVector<Value> buffers;
  for (const Reduction &reduction : r.reductions)
    buffers.push_back(builder.stack(reduction.type, kReductionLanes));

  SmallVector<Value> status = r.firstStatus();
  builder.loop(zero, builder.argument(4), 1, status, [&](Value row, SmallVectorImpl<Value> &status) {
    SmallVector<Value> places = operands.at(row), uniform;
    // Nothing may be read where there is nothing to reduce: scalars come from the buffer instead, which holds
    // something.
    for (unsigned i = 0; i < body.inputs(); ++i)
      if (access[i] == Access::Scalar) {
        places[i] = arith::SelectOp::create(ops, loc, builder.positive(n), places[i], buffers[0]);
      }
    SmallVector<Value> accumulators;
    for (const Reduction &reduction : r.reductions)
      accumulators.append(vectors, builder.constant(reduction.neutral(), r.vector(reduction)));
    auto place = [&](unsigned o, Value lane) { return builder.element(buffers[o], r.reductions[o].type, lane); };
    auto spill = [&] {
      for (unsigned o = 0; o < outputs; ++o)
        for (unsigned v = 0; v < vectors; ++v)
          builder.store(accumulators[o * vectors + v], place(o, builder.i64(int64_t(v) * lanes)));
    };
    if (!inRegisters || llvm::is_contained(access.take_front(body.inputs()), Access::Scalar))
      spill();
    uniform = operands.uniform(places);
    if (inRegisters) {
      accumulators.append(status.begin(), status.end());
      builder.loop(zero, blockEnd, kReductionLanes, accumulators, [&](Value i, SmallVectorImpl<Value> &carried) {
        SmallVector<SmallVector<Value>> inputs;
        for (unsigned v = 0; v < vectors; ++v)
          inputs.push_back(operands.inputs(places, uniform, builder.add(i, builder.i64(int64_t(v) * lanes)), {}));
        for (unsigned v = 0; v < vectors; ++v)
          for (auto [o, element] : llvm::enumerate(r.elements(inputs[v], {}, carried))) {
            Value &accumulator = carried[o * vectors + v];
            accumulator = r.reductions[o].apply(builder, accumulator, element);
          }
      });
      if (body.fallible())
        status[0] = accumulators.pop_back_val();
      spill();
    }
    auto step = [&](Value i, const LaneMask &mask, SmallVectorImpl<Value> &status) {
      SmallVector<Value> inputs = operands.inputs(places, uniform, i, mask);
      for (auto [o, element] : llvm::enumerate(r.elements(inputs, mask.mask, status))) {
        const Reduction &reduction = r.reductions[o];
        if (mask)
          element = arith::SelectOp::create(ops, loc, mask.mask, element,
                                            builder.constant(reduction.neutral(), r.vector(reduction)));
        Value where = place(o, builder.lowBits(i, kReductionLanes));
        builder.store(reduction.apply(builder, builder.load(r.vector(reduction), where), element), where);
      }
    };
    if (buildsOnce(body, module.level, kHeavyReduction)) {
      builder.loop(blockEnd, n, lanes, status, [&](Value i, SmallVectorImpl<Value> &status) {
        step(i, builder.firstLanes(builder.minimum(builder.sub(n, i), builder.i64(lanes)), lanes), status);
      });
    } else {
      builder.loop(blockEnd, vectorEnd, lanes, status,
                   [&](Value i, SmallVectorImpl<Value> &status) { step(i, {}, status); });
      builder.when(builder.positive(rest), status,
                   [&](SmallVectorImpl<Value> &status) { step(vectorEnd, builder.firstLanes(rest, lanes), status); });
    }
    for (auto [o, reduction] : llvm::enumerate(r.reductions)) {
      SmallVector<Value> tree;
      for (unsigned v = 0; v < vectors; ++v)
        tree.push_back(builder.load(r.vector(reduction), place(o, builder.i64(int64_t(v) * lanes))));
      for (unsigned half = vectors / 2; half; half /= 2)
        for (unsigned v = 0; v < half; ++v)
          tree[v] = reduction.apply(builder, tree[v], tree[v + half]);
      Value total = tree[0];
      for (unsigned half = lanes / 2; half; half /= 2)
        total = reduction.apply(builder, builder.slice(total, 0, half), builder.slice(total, half, half));
      Value result = builder.extractLane(total, 0);
      if (reduction.identity() != reduction.neutral())
        result = arith::SelectOp::create(ops, loc, builder.positive(n), result,
                                         builder.constant(reduction.identity(), reduction.type));
      builder.store(result, operands.outputPlace(places, o));
    }
  });
  r.finish(status);
}

void buildColumnReduction(KernelModule &module, StringRef symbol, const ScalarBody &body, ArrayRef<Combine> combines,
                          ArrayRef<Access> access, Location loc) {
  ReductionBuilder r(module, symbol, body, combines, loc);
  KernelBuilder &builder = r.builder;
  unsigned lanes = r.lanes, outputs = body.outputs();
  // Several vectors of a light body at a time use more of each cache line's neighbourhood.
  unsigned group = outputs > 1 || body.weight() > 16 ? 1 : body.weight() <= 2 ? 4 : 2;
  // A heavy body is built once, with a choice between the first 32 rows and the others inside.
  bool oneLoop = body.weight() > 16;

  // Here the vectorised dimension is the kept one.
  KernelOperands operands(builder, body, access, lanes, builder.argument(0), builder.argument(2), builder.argument(1));
  Value n = builder.argument(3), m = builder.maximum(builder.argument(4), builder.i64(0)), zero = builder.i64(0);
  Value touched = builder.minimum(n, builder.i64(kReductionLanes));
  SmallVector<Value> buffers, origin = operands.at(zero);
  for (const Reduction &reduction : r.reductions)
    buffers.push_back(builder.stack(reduction.type, int64_t(kReductionLanes) * lanes * group));

  auto columns = [&](Value j, unsigned count, const LaneMask &mask, SmallVectorImpl<Value> &status) {
    auto place = [&](unsigned o, Value lane, unsigned g) {
      Value index =
          builder.add(builder.mul(lane, builder.i64(int64_t(lanes) * count)), builder.i64(int64_t(g) * lanes));
      return builder.element(buffers[o], r.reductions[o].type, index);
    };
    // Rows 0 to 31 start a lane each, the others add to theirs.
    auto rows = [&](Value from, Value to, bool first) {
      builder.loop(from, to, 1, status, [&](Value k, SmallVectorImpl<Value> &status) {
        SmallVector<Value> places = operands.at(k), uniform = operands.uniform(places);
        Value lane = builder.lowBits(k, kReductionLanes), starts;
        if (oneLoop)
          starts =
              arith::CmpIOp::create(builder.ops(), loc, arith::CmpIPredicate::slt, k, builder.i64(kReductionLanes));
        for (unsigned g = 0; g < count; ++g) {
          Value i = builder.add(j, builder.i64(int64_t(g) * lanes));
          SmallVector<Value> inputs = operands.inputs(places, uniform, i, mask);
          for (auto [o, element] : llvm::enumerate(r.elements(inputs, mask.mask, status))) {
            const Reduction &reduction = r.reductions[o];
            Value where = place(o, lane, g), value = element;
            if (!first)
              value = reduction.apply(builder, builder.load(r.vector(reduction), where), element);
            if (oneLoop)
              value = arith::SelectOp::create(builder.ops(), loc, starts, element, value);
            builder.store(value, where);
          }
        }
      });
    };
    if (!oneLoop)
      rows(zero, touched, true);
    rows(oneLoop ? zero : touched, n, false);
    SmallVector<Value> none;
    for (int64_t half = kReductionLanes / 2; half; half /= 2) {
      // After this step lanes below min(n, half) count.
      Value pairs = builder.minimum(builder.sub(n, builder.i64(half)), builder.i64(half));
      builder.loop(zero, pairs, 1, none, [&](Value lane, SmallVectorImpl<Value> &) {
        for (auto [o, reduction] : llvm::enumerate(r.reductions))
          for (unsigned g = 0; g < count; ++g) {
            Value low = place(o, lane, g), high = place(o, builder.add(lane, builder.i64(half)), g);
            VectorType type = r.vector(reduction);
            builder.store(reduction.apply(builder, builder.load(type, low), builder.load(type, high)), low);
          }
      });
    }
    for (auto [o, reduction] : llvm::enumerate(r.reductions))
      for (unsigned g = 0; g < count; ++g) {
        SmallVector<Value> result{builder.constant(reduction.identity(), r.vector(reduction))};
        builder.when(builder.positive(n), result, [&](SmallVectorImpl<Value> &result) {
          result[0] = builder.load(r.vector(reduction), place(o, zero, g));
        });
        Value i = builder.add(j, builder.i64(int64_t(g) * lanes));
        builder.storeVector(result[0], operands.output(origin, o, i), mask);
      }
  };

  SmallVector<Value> status = r.firstStatus();
  Value groupEnd = group > 1 ? builder.roundDown(m, int64_t(lanes) * group) : zero;
  Value vectorEnd = builder.roundDown(m, lanes), rest = builder.sub(m, vectorEnd);
  if (buildsOnce(body, module.level, kHeavyReduction)) {
    builder.loop(zero, m, lanes, status, [&](Value j, SmallVectorImpl<Value> &status) {
      columns(j, 1, builder.firstLanes(builder.minimum(builder.sub(m, j), builder.i64(lanes)), lanes), status);
    });
    return r.finish(status);
  }
  if (group > 1)
    builder.loop(zero, groupEnd, int64_t(lanes) * group, status,
                 [&](Value j, SmallVectorImpl<Value> &status) { columns(j, group, {}, status); });
  builder.loop(groupEnd, vectorEnd, lanes, status,
               [&](Value j, SmallVectorImpl<Value> &status) { columns(j, 1, {}, status); });
  builder.when(builder.positive(rest), status,
               [&](SmallVectorImpl<Value> &status) { columns(vectorEnd, 1, builder.firstLanes(rest, lanes), status); });
  r.finish(status);
}

} // namespace tenferro::compiler
