// Element-wise kernels: an outer loop, an unrolled vector loop, a vector loop and one masked vector.
#include "lib/CodeGen/Cpu/KernelOperands.h"
#include "lib/CodeGen/Cpu/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using tenferro::runtime::Access;

namespace tenferro::compiler {

unsigned lanesFor(const ScalarBody &body, runtime::CpuLevel level) {
  return (level == runtime::CpuLevel::V4 ? 512 : 256) / body.elementBits();
}

/// Single operations gain up to a fifth in cache from unrolling; for fused bodies it would double the time to compile.
static unsigned unrolling(const ScalarBody &body) { return body.weight() <= 2 ? 4 : 1; }

/// Whether an operand has elements that AVX2 cannot mask.
static bool hasNarrowMemory(const ScalarBody &body) {
  auto narrow = [](Type type) { return type.getIntOrFloatBitWidth() < 32; };
  for (unsigned i = 0; i < body.memoryInputs(); ++i)
    if (narrow(body.inputType(i)))
      return true;
  for (unsigned o = 0; o < body.outputs(); ++o)
    if (narrow(body.outputType(o)))
      return true;
  return false;
}

bool buildsOnce(const ScalarBody &body, runtime::CpuLevel level, unsigned heavy) {
  return body.weight() > heavy && !(level == runtime::CpuLevel::V3 && hasNarrowMemory(body));
}

void buildMapKernel(KernelModule &module, StringRef symbol, const ScalarBody &body, ArrayRef<Access> access,
                    bool interleaved, Location loc) {
  if (interleaved && isGroupedMap(body, module.level))
    return buildGroupedMap(module, symbol, body, access, loc);
  if (!interleaved && isLongMap(body, access))
    return buildLongMap(module, symbol, body, access, loc);
  MLIRContext *context = module.op.getContext();
  runtime::CpuLevel level = module.level;
  Type ptr = LLVM::LLVMPointerType::get(context), i64 = IntegerType::get(context, 64);
  KernelBuilder builder(module, symbol, {ptr, ptr, ptr, i64, i64}, i64, loc);
  unsigned lanes = lanesFor(body, level), unroll = unrolling(body);
  KernelOperands operands(builder, body, access, lanes, builder.argument(0), builder.argument(1), builder.argument(2));
  Value n = builder.maximum(builder.argument(3), builder.i64(0)), zero = builder.i64(0);
  // Without columns nothing may be read, scalars neither.
  Value rows = arith::SelectOp::create(builder.ops(), loc, builder.positive(n), builder.argument(4), zero);
  Value vectorEnd = builder.roundDown(n, lanes);
  Value unrolledEnd = unroll > 1 ? builder.roundDown(n, int64_t(lanes) * unroll) : zero;

  bool once = buildsOnce(body, level, /*heavy=*/200);

  SmallVector<Value> status;
  if (body.fallible())
    status.push_back(builder.i64(static_cast<int64_t>(runtime::kOk)));
  builder.loop(zero, rows, 1, status, [&](Value row, SmallVectorImpl<Value> &status) {
    SmallVector<Value> places = operands.at(row), uniform = operands.uniform(places);
    // All loads come before all stores: an output may be the memory of an input.
    // Where `full` is given and set, memory is accessed without the mask: masked loads are not prefetched well.
    auto chunk = [&](Value i, unsigned count, const LaneMask &mask, Value full, SmallVectorImpl<Value> &status) {
      SmallVector<SmallVector<Value>> vectors;
      SmallVector<Value> positions;
      for (unsigned u = 0; u < count; ++u) {
        positions.push_back(u ? builder.add(i, builder.i64(int64_t(u) * lanes)) : i);
        if (!full) {
          vectors.push_back(operands.inputs(places, uniform, positions[u], mask));
          continue;
        }
        SmallVector<Value> values;
        for (unsigned input = 0; input < body.inputs(); ++input) {
          Type type = builder.vectorType(body.inputType(input), lanes);
          values.push_back(builder.constant(builder.ops().getZeroAttr(body.inputType(input)), type));
        }
        builder.branch(
            full, values, [&](auto &values) { values = operands.inputs(places, uniform, i, {}); },
            [&](auto &values) { values = operands.inputs(places, uniform, i, mask); });
        vectors.push_back(values);
      }
      Value word = body.fallible() ? status[0] : Value();
      for (auto &vector : vectors)
        vector = body.apply(builder, lanes, vector, mask.mask, word);
      auto store = [&](const LaneMask &mask) {
        for (unsigned u = 0; u < count; ++u)
          for (auto [o, value] : llvm::enumerate(vectors[u]))
            builder.storeVector(value, operands.output(places, o, positions[u]), mask);
      };
      SmallVector<Value> none;
      if (full)
        builder.branch(full, none, [&](auto &) { store({}); }, [&](auto &) { store(mask); });
      else
        store(mask);
      if (body.fallible())
        status[0] = word;
    };
    if (once) {
      builder.loop(zero, n, lanes, status, [&](Value i, SmallVectorImpl<Value> &status) {
        Value rest = builder.minimum(builder.sub(n, i), builder.i64(lanes));
        Value full = arith::CmpIOp::create(builder.ops(), loc, arith::CmpIPredicate::eq, rest, builder.i64(lanes));
        chunk(i, 1, builder.firstLanes(rest, lanes), full, status);
      });
      return;
    }
    if (unroll > 1)
      builder.loop(zero, unrolledEnd, int64_t(lanes) * unroll, status,
                   [&](Value i, SmallVectorImpl<Value> &status) { chunk(i, unroll, {}, Value(), status); });
    builder.loop(unrolledEnd, vectorEnd, lanes, status,
                 [&](Value i, SmallVectorImpl<Value> &status) { chunk(i, 1, {}, Value(), status); });
    Value rest = builder.sub(n, vectorEnd);
    builder.when(builder.positive(rest), status, [&](SmallVectorImpl<Value> &status) {
      chunk(vectorEnd, 1, builder.firstLanes(rest, lanes), Value(), status);
    });
  });
  builder.finish(body.fallible() ? status[0] : builder.i64(static_cast<int64_t>(runtime::kOk)));
}

} // namespace tenferro::compiler
