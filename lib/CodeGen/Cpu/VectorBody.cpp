// Clones a kernel's body operation by operation with vector types; what only rare values need goes behind branches, and
// where it is long into functions that the kernels of a module share.
#include "lib/CodeGen/Cpu/RareRegions.h"
#include "lib/CodeGen/Cpu/ScalarBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tenferro::compiler {

/// index_cast between i64 and index is nothing here; between other widths it is an extension or truncation.
static Value castCoordinate(KernelBuilder &builder, Value value, Type element, unsigned lanes, bool isSigned) {
  unsigned from = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth(), to = element.getIntOrFloatBitWidth();
  Type type = builder.vectorType(element, lanes);
  if (from == to)
    return value;
  if (from > to)
    return arith::TruncIOp::create(builder.ops(), builder.loc(), type, value);
  return isSigned ? Value(arith::ExtSIOp::create(builder.ops(), builder.loc(), type, value))
                  : Value(arith::ExtUIOp::create(builder.ops(), builder.loc(), type, value));
}

/// Whether any lane of a vector of i1 is set.
static Value anyLane(KernelBuilder &builder, Value condition) {
  OpBuilder &ops = builder.ops();
  Location loc = builder.loc();
  Type bits = ops.getIntegerType(cast<VectorType>(condition.getType()).getNumElements());
  Value word = LLVM::BitcastOp::create(ops, loc, bits, condition);
  Value zero = arith::ConstantOp::create(ops, loc, bits, ops.getIntegerAttr(bits, 0));
  return arith::CmpIOp::create(ops, loc, arith::CmpIPredicate::ne, word, zero);
}

/// Lowers `status` to this operation's where a lane of `condition` within `mask` is set.
static void raise(KernelBuilder &builder, Value condition, Value mask, runtime::Status raised, Value &status) {
  OpBuilder &ops = builder.ops();
  Location loc = builder.loc();
  if (mask)
    condition = arith::AndIOp::create(ops, loc, condition, mask);
  Value lowered = arith::MinUIOp::create(ops, loc, status, builder.i64(static_cast<int64_t>(raised)));
  status = arith::SelectOp::create(ops, loc, anyLane(builder, condition), lowered, status);
}

namespace {

/// A rare region as a function of its own: what it reads and gives back, and what it computes.
struct RareFunction {
  SmallVector<Value> inputs;          ///< values of the body
  SmallVector<Operation *> constants; ///< of the body, outside the region
  SmallVector<Value> outputs;         ///< what its selects may choose
  std::string key;                    ///< equal for equal functions of one context
  unsigned operations = 0;            ///< other than constants
};

/// Finds out what a rare region would be as a function.
class RareFunctionFinder {
public:
  RareFunctionFinder(const RareRegions &regions, unsigned lanes) : regions_(regions) { add(lanes); }

  RareFunction find(unsigned region) {
    walk(region);
    for (arith::SelectOp select : regions_.selects(region)) {
      use(select.getTrueValue());
      found_.outputs.push_back(select.getTrueValue());
    }
    return std::move(found_);
  }

private:
  // What stands in the key where a number might be.
  static constexpr unsigned kConstant = ~0u, kEndOfRegion = ~1u;

  template <typename T> void add(T value) { found_.key.append(reinterpret_cast<const char *>(&value), sizeof(T)); }
  void add(Type type) { add(type.getAsOpaquePointer()); }

  /// Numbers are those of inputs and results in the order they are met; constants stand for themselves.
  void use(Value value) {
    auto [it, isNew] = numbers_.try_emplace(value, numbers_.size());
    if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
      if (isNew && !inside_.contains(constant))
        found_.constants.push_back(constant);
      add(kConstant);
      add(constant.getValue().getAsOpaquePointer());
      return;
    }
    add(it->second);
    if (isNew) {
      found_.inputs.push_back(value);
      add(value.getType());
    }
  }

  void walk(unsigned region) {
    for (Operation *op : regions_.operations(region)) {
      inside_.insert(op);
      if (isa<arith::ConstantOp>(op))
        continue;
      ++found_.operations;
      if (unsigned inner = regions_.startedBy(op)) {
        walk(inner);
        add(kEndOfRegion);
        for (arith::SelectOp select : regions_.selects(inner))
          define(select);
      } else {
        define(op);
      }
    }
  }

  void define(Operation *op) {
    add(op->getName().getAsOpaquePointer());
    add(op->getResult(0).getType());
    add(size_t(op->hashProperties()));
    for (Value operand : op->getOperands())
      use(operand);
    numbers_.try_emplace(op->getResult(0), numbers_.size());
  }

  const RareRegions &regions_;
  RareFunction found_;
  llvm::DenseMap<Value, unsigned> numbers_;
  llvm::SmallPtrSet<Operation *, 32> inside_;
};

/// Operations from which on a rare region is worth a function.
constexpr unsigned kLongRegion = 24;

/// Clones a body's operations with vector types.
struct VectorBody {
  KernelBuilder &builder;
  unsigned lanes;
  Value mask;
  Value &status;
  const RareRegions &regions;
  IRMapping map;
  uint64_t ordinal = 0;

  void region(unsigned number) {
    for (Operation *op : regions.operations(number))
      if (unsigned inside = regions.startedBy(op))
        rare(inside);
      else
        clone(*op);
  }

  /// The region's operations behind a branch that is taken where any lane selects their values.
  void rare(unsigned number) {
    OpBuilder &ops = builder.ops();
    Location loc = builder.loc();
    SmallVector<arith::SelectOp> selects(regions.selects(number));
    Value condition = map.lookup(selects[0].getCondition());
    Value never = arith::ConstantIntOp::create(ops, loc, 0, 1);
    Value any = LLVM::ExpectOp::create(ops, loc, anyLane(builder, condition), never);
    SmallVector<Value> values;
    for (arith::SelectOp select : selects)
      values.push_back(map.lookup(select.getFalseValue()));
    RareFunction function = RareFunctionFinder(regions, lanes).find(number);
    auto isFlag = [](Value value) { return value.getType().isInteger(1); };
    bool calls = function.operations >= kLongRegion && llvm::none_of(function.inputs, isFlag) &&
                 llvm::none_of(function.outputs, isFlag);
    builder.when(any, values, [&](SmallVectorImpl<Value> &values) {
      SmallVector<Value> chosen;
      if (calls) {
        chosen = call(number, function);
      } else {
        region(number);
        for (Value output : function.outputs)
          chosen.push_back(map.lookup(output));
      }
      for (size_t i = 0; i < values.size(); ++i)
        values[i] = arith::SelectOp::create(ops, loc, condition, chosen[i], values[i]);
    });
    for (size_t i = 0; i < values.size(); ++i)
      map.map(selects[i].getResult(), values[i]);
  }

  VectorType typeOf(Value value) { return builder.vectorType(kernelType(value.getType()), lanes); }

  /// Calls the function of a rare region, which may be there from another kernel. Inputs and outputs go through memory,
  /// so that nothing but the pointer to them has to be in a register of its own.
  SmallVector<Value> call(unsigned number, const RareFunction &function) {
    int64_t slots = std::max(function.inputs.size(), function.outputs.size());
    Value memory = builder.scratch(slots * slotBytes());
    for (auto [i, input] : llvm::enumerate(function.inputs))
      builder.store(map.lookup(input), slot(memory, i));
    LLVM::LLVMFuncOp &callee = builder.module().rareFunctions[function.key];
    if (!callee)
      callee = define(number, function);
    LLVM::CallOp::create(builder.ops(), builder.loc(), callee, ValueRange(memory));
    SmallVector<Value> outputs;
    for (auto [i, output] : llvm::enumerate(function.outputs))
      outputs.push_back(builder.load(typeOf(output), slot(memory, i)));
    return outputs;
  }

  LLVM::LLVMFuncOp define(unsigned number, const RareFunction &function) {
    KernelModule &module = builder.module();
    std::string name = "rare" + std::to_string(module.rareFunctions.size() - 1);
    KernelBuilder inner(module, name, {builder.ptrType()}, Type(), builder.loc());
    inner.function().setLinkage(LLVM::Linkage::Internal);
    // It keeps the registers of its callers; without a vzeroupper, which would clear what it restored.
    OpBuilder &ops = inner.ops();
    inner.function().setPassthroughAttr(ops.getArrayAttr(
        {ops.getStringAttr("no_caller_saved_registers"), ops.getStrArrayAttr({"target-features", "-vzeroupper"})}));
    VectorBody body{inner, lanes, {}, status, regions, {}};
    for (Operation *constant : function.constants)
      body.clone(*constant);
    Value memory = inner.argument(0);
    for (auto [i, input] : llvm::enumerate(function.inputs))
      body.map.map(input, inner.load(typeOf(input), body.slot(memory, i)));
    body.region(number);
    for (auto [i, output] : llvm::enumerate(function.outputs))
      inner.store(body.map.lookup(output), body.slot(memory, i));
    inner.finish({});
    return inner.function();
  }

  /// Of the widest value.
  int64_t slotBytes() const { return int64_t(lanes) * 8; }
  Value slot(Value memory, size_t i) { return i ? builder.advance(memory, builder.i64(i * slotBytes())) : memory; }

  void clone(Operation &op) {
    OpBuilder &ops = builder.ops();
    if (isRaise(op)) {
      auto error = static_cast<runtime::KernelError>(op.getAttrOfType<IntegerAttr>("error").getInt());
      raise(builder, map.lookup(op.getOperand(0)), mask, runtime::makeStatus(ordinal++, error), status);
      return;
    }
    Value result = op.getResult(0);
    Type element = kernelType(result.getType());
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      Attribute value = constant.getValue();
      if (result.getType().isIndex())
        value = ops.getI64IntegerAttr(cast<IntegerAttr>(value).getInt());
      map.map(result, builder.constant(value, builder.vectorType(element, lanes)));
    } else if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
      map.map(result,
              castCoordinate(builder, map.lookup(op.getOperand(0)), element, lanes, isa<arith::IndexCastOp>(op)));
    } else if (isa<arith::MaximumFOp, arith::MinimumFOp>(op)) {
      Value a = map.lookup(op.getOperand(0)), b = map.lookup(op.getOperand(1));
      map.map(result, builder.floatExtremum(a, b, isa<arith::MaximumFOp>(op)));
    } else {
      // Every other operation of the two dialects is element-wise: the same operation on vectors.
      Operation *copy = op.clone(map);
      copy->getResult(0).setType(builder.vectorType(element, lanes));
      map.map(result, ops.insert(copy)->getResult(0));
    }
  }
};

} // namespace

SmallVector<Value> ScalarBody::apply(KernelBuilder &builder, unsigned lanes, ValueRange inputs, Value mask,
                                     Value &status) const {
  constexpr unsigned kLong = 16; // operations that may need more registers than there are
  if (weight_ >= kLong)
    builder.alignStack();
  Block &block = function_.get().getBody().front();
  RareRegions regions(block);
  VectorBody body{builder, lanes, mask, status, regions, {}};
  body.map.map(block.getArguments(), inputs);
  Operation *end = block.getTerminator();
  body.region(0);
  SmallVector<Value> results;
  for (Value value : end->getOperands())
    results.push_back(body.map.lookup(value));
  return results;
}

} // namespace tenferro::compiler
