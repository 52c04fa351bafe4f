// Element-wise kernels of long bodies, which are most of what a compile takes: their only code is the loop over
// vectors, where the body stands once and an operand takes a load of its address and an access. Rows and remainders are
// the runtime's (runtime/launch/VectorLoop.h).
#include "lib/CodeGen/Cpu/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using tenferro::runtime::Access;

namespace tenferro::compiler {

bool isLongMap(const ScalarBody &body, ArrayRef<Access> access) {
  constexpr unsigned kLong = 24; // operations
  return body.weight() >= kLong && !body.fallible() && !llvm::is_contained(access, Access::Index) &&
         access.size() <= static_cast<size_t>(runtime::kMaxLoopOperands);
}

/// The function with the ABI of runtime::VectorLoop.
static LLVM::LLVMFuncOp buildVectorLoop(KernelModule &module, StringRef symbol, const ScalarBody &body,
                                        ArrayRef<Access> access, unsigned lanes, Location loc) {
  Type ptr = LLVM::LLVMPointerType::get(module.op.getContext()), i64 = IntegerType::get(module.op.getContext(), 64);
  KernelBuilder builder(module, symbol, {ptr, i64}, Type(), loc);
  builder.function().setLinkage(LLVM::Linkage::Internal);
  auto address = [&](unsigned operand) { return builder.loadEntry(builder.argument(0), operand, ptr); };
  SmallVector<Value> uniform(body.inputs()), none;
  for (unsigned k = 0; k < body.inputs(); ++k)
    if (access[k] == Access::Scalar)
      uniform[k] = builder.splat(builder.load(body.inputType(k), address(k)), lanes);
  builder.loop(builder.i64(0), builder.argument(1), lanes, none, [&](Value i, SmallVectorImpl<Value> &) {
    // All loads come before all stores: an output may be the memory of an input.
    SmallVector<Value> inputs(uniform);
    for (unsigned k = 0; k < body.inputs(); ++k)
      if (access[k] == Access::Unit)
        inputs[k] = builder.load(builder.vectorType(body.inputType(k), lanes),
                                 builder.element(address(k), body.inputType(k), i));
    Value status;
    for (auto [o, value] : llvm::enumerate(body.apply(builder, lanes, inputs, {}, status)))
      builder.store(value, builder.element(address(body.inputs() + o), body.outputType(o), i));
  });
  builder.finish({});
  return builder.function();
}

/// The runtime's function, declared on first use.
static LLVM::LLVMFuncOp declareRunner(OpBuilder builder, ModuleOp module) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(runtime::kRunVectorLoop))
    return known;
  Type ptr = LLVM::LLVMPointerType::get(module.getContext()), i64 = builder.getI64Type();
  builder.setInsertionPointToEnd(module.getBody());
  return LLVM::LLVMFuncOp::create(builder, module.getLoc(), runtime::kRunVectorLoop,
                                  LLVM::LLVMFunctionType::get(i64, {ptr, ptr, ptr, i64, i64, ptr}));
}

/// A constant runtime::VectorLoopShape.
static LLVM::GlobalOp buildShape(OpBuilder builder, ModuleOp module, StringRef symbol, const ScalarBody &body,
                                 ArrayRef<Access> access, unsigned lanes) {
  auto bytes = [](Type type) { return std::max(8u, type.getIntOrFloatBitWidth()) / 8; };
  SmallVector<int32_t> words{int32_t(lanes), int32_t(body.inputs()), int32_t(access.size())};
  for (unsigned k = 0; k < body.inputs(); ++k)
    words.push_back(access[k] == Access::Unit ? bytes(body.inputType(k)) : 0);
  for (unsigned o = 0; o < body.outputs(); ++o)
    words.push_back(bytes(body.outputType(o)));
  builder.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMArrayType::get(builder.getI32Type(), words.size());
  return LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal, symbol,
                                builder.getI32TensorAttr(words), /*alignment=*/4);
}

void buildLongMap(KernelModule &module, StringRef symbol, const ScalarBody &body, ArrayRef<Access> access,
                  Location loc) {
  Type ptr = LLVM::LLVMPointerType::get(module.op.getContext()), i64 = IntegerType::get(module.op.getContext(), 64);
  unsigned lanes = lanesFor(body, module.level);
  LLVM::LLVMFuncOp loop = buildVectorLoop(module, (symbol + "_loop").str(), body, access, lanes, loc);
  KernelBuilder builder(module, symbol, {ptr, ptr, ptr, i64, i64}, i64, loc);
  OpBuilder &ops = builder.ops();
  LLVM::LLVMFuncOp runner = declareRunner(ops, module.op);
  LLVM::GlobalOp shape = buildShape(ops, module.op, (symbol + "_shape").str(), body, access, lanes);
  auto call = LLVM::CallOp::create(ops, loc, runner,
                                   ValueRange{builder.argument(0), LLVM::AddressOfOp::create(ops, loc, loop),
                                              builder.argument(2), builder.argument(3), builder.argument(4),
                                              LLVM::AddressOfOp::create(ops, loc, shape)});
  call.setTailCallKind(LLVM::TailCallKind::Tail);
  builder.finish(call.getResult());
}

} // namespace tenferro::compiler
