// Loops, masks and vector memory access of generated kernels.
#include "lib/CodeGen/Cpu/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenferro::compiler {

static unsigned byteSizeOf(Type element) {
  return element.isIntOrFloat() ? std::max(1u, element.getIntOrFloatBitWidth() / 8) : 8; // pointers
}

KernelBuilder::KernelBuilder(KernelModule &module, StringRef symbol, ArrayRef<Type> arguments, Type result,
                             Location loc)
    : module_(module), builder_(module.op.getContext()), loc_(loc),
      ptr_(LLVM::LLVMPointerType::get(module.op.getContext())) {
  builder_.setInsertionPointToEnd(module.op.getBody());
  Type returned = result ? result : LLVM::LLVMVoidType::get(module.op.getContext());
  function_ = LLVM::LLVMFuncOp::create(builder_, loc, symbol, LLVM::LLVMFunctionType::get(returned, arguments));
  builder_.setInsertionPointToStart(function_.addEntryBlock(builder_));
}

void KernelBuilder::alignStack() { function_.setPassthroughAttr(builder_.getStrArrayAttr({"stackrealign"})); }

Value KernelBuilder::i64(int64_t value) { return arith::ConstantIntOp::create(builder_, loc_, value, 64); }
Value KernelBuilder::add(Value a, Value b) { return arith::AddIOp::create(builder_, loc_, a, b); }
Value KernelBuilder::sub(Value a, Value b) { return arith::SubIOp::create(builder_, loc_, a, b); }
Value KernelBuilder::mul(Value a, Value b) { return arith::MulIOp::create(builder_, loc_, a, b); }
Value KernelBuilder::minimum(Value a, Value b) { return arith::MinSIOp::create(builder_, loc_, a, b); }
Value KernelBuilder::maximum(Value a, Value b) { return arith::MaxSIOp::create(builder_, loc_, a, b); }

Value KernelBuilder::roundDown(Value a, int64_t powerOfTwo) {
  return arith::AndIOp::create(builder_, loc_, a, i64(-powerOfTwo));
}

Value KernelBuilder::lowBits(Value a, int64_t powerOfTwo) {
  return arith::AndIOp::create(builder_, loc_, a, i64(powerOfTwo - 1));
}

Value KernelBuilder::positive(Value a) {
  return arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::sgt, a, i64(0));
}

Value KernelBuilder::advance(Value pointer, Value bytes) { return element(pointer, builder_.getI8Type(), bytes); }

Value KernelBuilder::opaque(Value value) { return LLVM::FreezeOp::create(builder_, loc_, value); }

Value KernelBuilder::element(Value pointer, Type type, Value index) {
  return LLVM::GEPOp::create(builder_, loc_, ptr_, type, pointer, ArrayRef<LLVM::GEPArg>{index});
}

Value KernelBuilder::loadEntry(Value array, unsigned i, Type type) {
  return LLVM::LoadOp::create(builder_, loc_, type, element(array, i64Type(), i64(i)), /*alignment=*/8);
}

Value KernelBuilder::load(Type type, Value pointer) {
  return LLVM::LoadOp::create(builder_, loc_, type, pointer, byteSizeOf(getElementTypeOrSelf(type)));
}

void KernelBuilder::store(Value value, Value pointer) {
  LLVM::StoreOp::create(builder_, loc_, value, pointer, byteSizeOf(getElementTypeOrSelf(value.getType())));
}

// AVX2 has no masked access to bytes and halves; LLVM would make a chain of branches, a loop is smaller.
static bool needsStack(runtime::CpuLevel level, Type element) {
  return level == runtime::CpuLevel::V3 && element.getIntOrFloatBitWidth() < 32;
}

Value KernelBuilder::loadVector(VectorType type, Value pointer, const LaneMask &mask) {
  if (!mask)
    return load(type, pointer);
  Type element = type.getElementType();
  Value zero = constant(builder_.getZeroAttr(element), type);
  if (!needsStack(level(), element))
    return LLVM::MaskedLoadOp::create(builder_, loc_, type, pointer, mask.mask, zero,
                                      builder_.getI32IntegerAttr(byteSizeOf(element)), /*nontemporal=*/nullptr);
  Value buffer = stack(element, type.getNumElements());
  store(zero, buffer);
  SmallVector<Value> none;
  loop(i64(0), mask.count, 1, none, [&](Value i, SmallVectorImpl<Value> &) {
    store(load(element, this->element(pointer, element, i)), this->element(buffer, element, i));
  });
  return load(type, buffer);
}

void KernelBuilder::storeVector(Value value, Value pointer, const LaneMask &mask) {
  if (!mask)
    return store(value, pointer);
  auto type = cast<VectorType>(value.getType());
  Type element = type.getElementType();
  if (!needsStack(level(), element)) {
    LLVM::MaskedStoreOp::create(builder_, loc_, value, pointer, mask.mask, byteSizeOf(element));
    return;
  }
  Value buffer = stack(element, type.getNumElements());
  store(value, buffer);
  SmallVector<Value> none;
  loop(i64(0), mask.count, 1, none, [&](Value i, SmallVectorImpl<Value> &) {
    store(load(element, this->element(buffer, element, i)), this->element(pointer, element, i));
  });
}

Value KernelBuilder::splat(Value scalar, unsigned lanes) {
  VectorType type = vectorType(scalar.getType(), lanes);
  Value poison = LLVM::PoisonOp::create(builder_, loc_, type);
  Value zero = LLVM::ConstantOp::create(builder_, loc_, builder_.getI32Type(), builder_.getI32IntegerAttr(0));
  Value first = LLVM::InsertElementOp::create(builder_, loc_, poison, scalar, zero);
  return LLVM::ShuffleVectorOp::create(builder_, loc_, first, poison, SmallVector<int32_t>(lanes, 0));
}

Value KernelBuilder::constant(Attribute value, Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, value);
  return arith::ConstantOp::create(builder_, loc_, type, cast<TypedAttr>(value));
}

Value KernelBuilder::laneNumbers(Type element, unsigned lanes) {
  SmallVector<Attribute> numbers;
  for (unsigned i = 0; i < lanes; ++i)
    numbers.push_back(builder_.getIntegerAttr(element, i));
  VectorType type = vectorType(element, lanes);
  return arith::ConstantOp::create(builder_, loc_, type, DenseElementsAttr::get(type, numbers));
}

LaneMask KernelBuilder::firstLanes(Value count, unsigned lanes) {
  Type narrow = lanes > 16 ? builder_.getI8Type() : builder_.getI32Type();
  Value limit = splat(arith::TruncIOp::create(builder_, loc_, narrow, count), lanes);
  Value mask = arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::ult, laneNumbers(narrow, lanes), limit);
  return {mask, count};
}

Value KernelBuilder::extractLane(Value vector, unsigned lane) {
  Value index = LLVM::ConstantOp::create(builder_, loc_, builder_.getI32Type(), builder_.getI32IntegerAttr(lane));
  return LLVM::ExtractElementOp::create(builder_, loc_, vector, index);
}

Value KernelBuilder::slice(Value vector, unsigned first, unsigned count) {
  SmallVector<int32_t> lanes;
  for (unsigned i = 0; i < count; ++i)
    lanes.push_back(first + i);
  return LLVM::ShuffleVectorOp::create(builder_, loc_, vector, vector, lanes);
}

Value KernelBuilder::floatExtremum(Value a, Value b, bool largest) {
  auto type = cast<VectorType>(a.getType());
  unsigned bits = type.getElementTypeBitWidth();
  VectorType integers = vectorType(builder_.getIntegerType(bits), type.getNumElements());
  auto predicate = largest ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  // x86's max returns its second operand for equal operands, so both orders differ only for zeros of different sign:
  // the conjunction of the bits is +0 and the disjunction is -0.
  auto pick = [&](Value x, Value y) {
    Value better = arith::CmpFOp::create(builder_, loc_, predicate, x, y);
    Value picked = arith::SelectOp::create(builder_, loc_, better, x, y);
    return arith::BitcastOp::create(builder_, loc_, integers, picked).getResult();
  };
  Value one = pick(a, b), other = pick(b, a);
  Value both = largest ? Value(arith::AndIOp::create(builder_, loc_, one, other))
                       : Value(arith::OrIOp::create(builder_, loc_, one, other));
  Value unordered = arith::CmpFOp::create(builder_, loc_, arith::CmpFPredicate::UNO, a, b);
  Value nan = constant(builder_.getIntegerAttr(integers.getElementType(), -1), integers);
  Value result = arith::SelectOp::create(builder_, loc_, unordered, nan, both);
  return arith::BitcastOp::create(builder_, loc_, type, result);
}

Value KernelBuilder::stack(Type element, int64_t count) {
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(&function_.getBody().front());
  Value size = LLVM::ConstantOp::create(builder_, loc_, i64Type(), builder_.getI64IntegerAttr(count));
  return LLVM::AllocaOp::create(builder_, loc_, ptr_, element, size, /*alignment=*/64);
}

Value KernelBuilder::scratch(int64_t bytes) {
  if (bytes > scratchBytes_) {
    scratchBytes_ = bytes;
    scratch_ = stack(builder_.getI8Type(), bytes);
  }
  return scratch_;
}

void KernelBuilder::loop(Value from, Value to, int64_t step, SmallVectorImpl<Value> &carried, LoopBody body) {
  auto loop = scf::ForOp::create(builder_, loc_, from, to, i64(step), carried);
  {
    OpBuilder::InsertionGuard guard(builder_);
    Block *block = loop.getBody();
    // Without carried values the loop comes with its terminator.
    if (carried.empty())
      builder_.setInsertionPoint(block->getTerminator());
    else
      builder_.setInsertionPointToEnd(block);
    SmallVector<Value> values(loop.getRegionIterArgs());
    body(loop.getInductionVar(), values);
    if (!carried.empty())
      scf::YieldOp::create(builder_, loc_, values);
  }
  carried.assign(loop.getResults().begin(), loop.getResults().end());
}

void KernelBuilder::branch(Value condition, SmallVectorImpl<Value> &carried,
                           function_ref<void(SmallVectorImpl<Value> &)> then,
                           function_ref<void(SmallVectorImpl<Value> &)> otherwise) {
  SmallVector<Type> types(ValueRange(ArrayRef<Value>(carried)).getTypes());
  auto choice = scf::IfOp::create(builder_, loc_, types, condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (bool first : {true, false}) {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToEnd(first ? choice.thenBlock() : choice.elseBlock());
    SmallVector<Value> values(carried.begin(), carried.end());
    (first ? then : otherwise)(values);
    scf::YieldOp::create(builder_, loc_, values);
  }
  carried.assign(choice.getResults().begin(), choice.getResults().end());
}

void KernelBuilder::when(Value condition, SmallVectorImpl<Value> &carried,
                         function_ref<void(SmallVectorImpl<Value> &)> body) {
  branch(condition, carried, body, [](SmallVectorImpl<Value> &) {});
}

void KernelBuilder::finish(Value result) {
  LLVM::ReturnOp::create(builder_, loc_, result ? ValueRange(result) : ValueRange());
}

} // namespace tenferro::compiler
