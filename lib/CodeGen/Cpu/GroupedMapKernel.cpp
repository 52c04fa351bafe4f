// Element-wise kernels of long bodies where time to run counts more than time to compile: vectors of several registers
// are operations in groups, which hide each other's latency. A loop over groups of four, and one under a mask over
// groups of two for what they leave.
#include "lib/CodeGen/Cpu/KernelOperands.h"
#include "lib/CodeGen/Cpu/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using tenferro::runtime::Access;

namespace tenferro::compiler {

bool isGroupedMap(const ScalarBody &body, runtime::CpuLevel level) {
  constexpr unsigned kLong = 16; // operations from which on latency counts more than the ends of loops
  return level == runtime::CpuLevel::V4 && body.weight() >= kLong;
}

void buildGroupedMap(KernelModule &module, StringRef symbol, const ScalarBody &body, ArrayRef<Access> access,
                     Location loc) {
  Type ptr = LLVM::LLVMPointerType::get(module.op.getContext()), i64 = IntegerType::get(module.op.getContext(), 64);
  KernelBuilder builder(module, symbol, {ptr, ptr, ptr, i64, i64}, i64, loc);
  // A body whose values are wider than its memory has pairs to begin with. A short one with a branch in it has its
  // registers full across it, and little latency to hide.
  unsigned pair = lanesFor(body, module.level) * (body.widens() ? 1 : 2);
  unsigned group = body.branches() && body.weight() < 64 ? pair : 2 * pair;
  auto operandsOf = [&](unsigned lanes) {
    return KernelOperands(builder, body, access, lanes, builder.argument(0), builder.argument(1), builder.argument(2));
  };
  KernelOperands pairs = operandsOf(pair), groups = operandsOf(group);
  Value n = builder.maximum(builder.argument(3), builder.i64(0)), zero = builder.i64(0);
  Value groupsEnd = builder.roundDown(n, group);
  // Without columns nothing may be read, scalars neither.
  Value rows = arith::SelectOp::create(builder.ops(), loc, builder.positive(n), builder.argument(4), zero);

  SmallVector<Value> status;
  if (body.fallible())
    status.push_back(builder.i64(static_cast<int64_t>(runtime::kOk)));
  builder.loop(zero, rows, 1, status, [&](Value row, SmallVectorImpl<Value> &status) {
    SmallVector<Value> places = pairs.at(row);
    auto over = [&](KernelOperands &operands, unsigned lanes, Value from, Value to, bool masked) {
      SmallVector<Value> uniform = operands.uniform(places);
      builder.loop(from, to, lanes, status, [&](Value i, SmallVectorImpl<Value> &status) {
        LaneMask mask;
        if (masked)
          mask = builder.firstLanes(builder.minimum(builder.sub(to, i), builder.i64(lanes)), lanes);
        // All loads come before all stores: an output may be the memory of an input.
        SmallVector<Value> inputs = operands.inputs(places, uniform, i, mask);
        Value word = body.fallible() ? status[0] : Value();
        for (auto [o, value] : llvm::enumerate(body.apply(builder, lanes, inputs, mask.mask, word)))
          builder.storeVector(value, operands.output(places, o, i), mask);
        if (body.fallible())
          status[0] = word;
      });
    };
    over(groups, group, zero, groupsEnd, /*masked=*/false);
    over(pairs, pair, groupsEnd, n, /*masked=*/true);
  });
  builder.finish(body.fallible() ? status[0] : builder.i64(static_cast<int64_t>(runtime::kOk)));
}

} // namespace tenferro::compiler
