// Writes one kernel: a gpu.func over flat buffers, and its launch in the host function.
#include "lib/CodeGen/Gpu/KernelWriter.h"

#include "dialects/tenferro/Structure.h"
#include "lib/CodeGen/Gpu/Coverage.h"
#include "lib/Conversion/ExpandMath/ExpandMath.h"
#include "lib/Transforms/TraceNumber.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

using namespace mlir;

namespace tenferro::compiler {

constexpr int64_t kElementThreads = 128; ///< per group; every Vulkan device has them
constexpr int64_t kMostGroups = 65535;   ///< along one dimension, likewise

Grid Grid::forElements(int64_t count) {
  return forGroups((count + kElementThreads - 1) / kElementThreads, kElementThreads);
}

Grid Grid::forGroups(int64_t count, int64_t threads) { return {std::clamp<int64_t>(count, 1, kMostGroups), threads}; }

KernelWriter::KernelWriter(DeviceProgram &program, Location loc, StringRef label, ArrayRef<Operand> operands, Grid grid,
                           bool fallible)
    : program_(program), loc_(loc), label_(label), grid_(grid), builder_(loc.getContext()) {
  for (const Operand &operand : operands) // nothing is read of an operand without elements, and Vulkan binds none
    if (operand.buffer && operand.shape.elementCount() && !llvm::is_contained(buffers_, operand.buffer))
      buffers_.push_back(operand.buffer);
  if (fallible)
    buffers_.push_back(program.status());
  SmallVector<Type> types;
  for (Value buffer : buffers_)
    types.push_back(buffer.getType());
  builder_.setInsertionPointToEnd(program.kernels().getBody());
  auto threads = builder_.getDenseI32ArrayAttr({static_cast<int32_t>(grid.threads), 1, 1});
  function_ = gpu::GPUFuncOp::create(builder_, loc, program.nextKernelName(label), builder_.getFunctionType(types, {}));
  function_->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder_.getUnitAttr());
  function_.setKnownBlockSizeAttr(threads);
  builder_.setInsertionPointToEnd(&function_.getBody().front());
  if (fallible)
    status_ = function_.getArgument(buffers_.size() - 1);
}

Value KernelWriter::group() { return gpu::BlockIdOp::create(builder_, loc_, gpu::Dimension::x); }
Value KernelWriter::thread() { return gpu::ThreadIdOp::create(builder_, loc_, gpu::Dimension::x); }
Value KernelWriter::index(int64_t value) { return arith::ConstantIndexOp::create(builder_, loc_, value); }
Value KernelWriter::add(Value a, Value b) { return arith::AddIOp::create(builder_, loc_, a, b); }
Value KernelWriter::sub(Value a, Value b) { return arith::SubIOp::create(builder_, loc_, a, b); }
Value KernelWriter::mul(Value a, Value b) { return arith::MulIOp::create(builder_, loc_, a, b); }
Value KernelWriter::div(Value a, Value b) { return arith::DivUIOp::create(builder_, loc_, a, b); }
Value KernelWriter::rem(Value a, Value b) { return arith::RemUIOp::create(builder_, loc_, a, b); }
Value KernelWriter::less(Value a, Value b) {
  return arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::slt, a, b);
}
Value KernelWriter::both(Value a, Value b) { return arith::AndIOp::create(builder_, loc_, a, b); }
Value KernelWriter::zero(Type type) { return arith::ConstantOp::create(builder_, loc_, builder_.getZeroAttr(type)); }

SmallVector<Value> KernelWriter::coordinates(Value linear, const Shape &shape) {
  SmallVector<Value> result;
  size_t last = shape.size();
  while (last > 0 && shape[last - 1] == 1)
    --last;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) {
      result.push_back(index(0));
    } else if (d + 1 == last) {
      result.push_back(linear);
    } else {
      Value extent = index(shape[d]);
      result.push_back(rem(linear, extent));
      linear = div(linear, extent);
    }
  }
  return result;
}

Value KernelWriter::place(const Operand &operand, ValueRange coordinates) {
  Value at;
  for (size_t d = 0; d < operand.shape.size(); ++d) {
    int64_t stride = operand.strides[d];
    if (stride == 0 || operand.shape[d] == 1)
      continue;
    Value term = stride == 1 ? coordinates[d] : mul(coordinates[d], index(stride));
    at = at ? add(at, term) : term;
  }
  if (!at)
    return index(operand.offset);
  return operand.offset ? add(at, index(operand.offset)) : at;
}

Type KernelWriter::elementType(const Operand &operand) {
  return cast<MemRefType>(operand.buffer.getType()).getElementType();
}

Value KernelWriter::load(const Operand &operand, ValueRange coordinates) {
  auto argument = std::distance(buffers_.begin(), llvm::find(buffers_, operand.buffer));
  return memref::LoadOp::create(builder_, loc_, function_.getArgument(static_cast<unsigned>(argument)),
                                place(operand, coordinates));
}

void KernelWriter::store(Value value, const Operand &operand, ValueRange coordinates) {
  auto argument = std::distance(buffers_.begin(), llvm::find(buffers_, operand.buffer));
  memref::StoreOp::create(builder_, loc_, value, function_.getArgument(static_cast<unsigned>(argument)),
                          place(operand, coordinates));
}

Value KernelWriter::groupMemory(Type element, int64_t count) {
  auto space = gpu::AddressSpaceAttr::get(builder_.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  return function_.addWorkgroupAttribution(MemRefType::get({count}, element, MemRefLayoutAttrInterface(), space), loc_);
}

void KernelWriter::barrier() { gpu::BarrierOp::create(builder_, loc_); }

void KernelWriter::walkTo(Value first, int64_t count, int64_t step, bool onePass, Body body) {
  if (onePass)
    return when(less(first, index(count)), [&] { body(first); });
  loop(first, index(count), step, {}, [&](Value i, ValueRange) {
    body(i);
    return SmallVector<Value>();
  });
}

void KernelWriter::forEachElement(int64_t count, Body body) {
  Value first = add(mul(group(), index(grid_.threads)), thread());
  walkTo(first, count, grid_.groups * grid_.threads, count <= grid_.groups * grid_.threads, body);
}

void KernelWriter::forEachGroup(int64_t count, Body body) {
  if (count == grid_.groups)
    return body(group());
  walkTo(group(), count, grid_.groups, false, body);
}

void KernelWriter::when(Value condition, function_ref<void()> body) {
  scf::IfOp::create(builder_, loc_, condition, [&](OpBuilder &, Location) {
    body();
    scf::YieldOp::create(builder_, loc_);
  });
}

Value KernelWriter::valueWhen(Value condition, function_ref<Value()> then, Value otherwise) {
  auto branch = scf::IfOp::create(
      builder_, loc_, condition, [&](OpBuilder &, Location) { scf::YieldOp::create(builder_, loc_, then()); },
      [&](OpBuilder &, Location) { scf::YieldOp::create(builder_, loc_, otherwise); });
  return branch.getResult(0);
}

SmallVector<Value> KernelWriter::loop(Value from, Value to, int64_t step, ValueRange carried, LoopBody body) {
  auto made = scf::ForOp::create(builder_, loc_, from, to, index(step), carried,
                                 [&](OpBuilder &, Location, Value i, ValueRange values) {
                                   SmallVector<Value> next = body(i, values);
                                   scf::YieldOp::create(builder_, loc_, next);
                                 });
  return SmallVector<Value>(made.getResults());
}

void KernelWriter::raiseIf(Value condition, Location loc, runtime::KernelError error) {
  ir::RaiseIfOp::create(builder_, loc, condition, static_cast<uint64_t>(error));
}

void KernelWriter::lowerRaises() {
  SmallVector<ir::RaiseIfOp> raises;
  function_.walk([&](ir::RaiseIfOp raise) { raises.push_back(raise); });
  OpBuilder::InsertionGuard guard(builder_);
  for (ir::RaiseIfOp raise : raises) {
    uint32_t number = traceNumber(raise.getLoc());
    if (number >> 24) {
      emitError(raise.getLoc()) << "operation " << number
                                << " of the trace does not fit the status word of a kernel on " << program_.target()
                                << ", which holds 24 bits of it";
      program_.fail();
    }
    builder_.setInsertionPoint(raise);
    int64_t code =
        static_cast<int64_t>(runtime::makeStatus(number, static_cast<runtime::KernelError>(raise.getError())));
    when(raise.getCondition(), [&] {
      Value word = arith::ConstantOp::create(builder_, loc_, builder_.getI32IntegerAttr(static_cast<int32_t>(code)));
      memref::AtomicRMWOp::create(builder_, loc_, arith::AtomicRMWKind::minu, word, status_, ValueRange(index(0)));
    });
    raise.erase();
  }
}

/// The larger (or smaller) of two floats as arith.maximumf says: NaN if either is, -0 below +0. Targets' own
/// instructions leave the order of zeros open.
static Value expandExtremum(OpBuilder &builder, Location loc, Value a, Value b, bool largest) {
  Type bits = builder.getIntegerType(a.getType().getIntOrFloatBitWidth());
  Value aBits = arith::BitcastOp::create(builder, loc, bits, a),
        bBits = arith::BitcastOp::create(builder, loc, bits, b);
  // Equal numbers differ in the sign of zero at most.
  Value same = largest ? Value(arith::AndIOp::create(builder, loc, aBits, bBits))
                       : Value(arith::OrIOp::create(builder, loc, aBits, bBits));
  Value equal = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, b);
  Value rest = arith::SelectOp::create(builder, loc, equal, arith::BitcastOp::create(builder, loc, a.getType(), same),
                                       arith::AddFOp::create(builder, loc, a, b)); // NaN
  auto wins = [&](Value x, Value y) {
    return arith::CmpFOp::create(builder, loc, largest ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, x, y);
  };
  Value second = arith::SelectOp::create(builder, loc, wins(b, a), b, rest);
  return arith::SelectOp::create(builder, loc, wins(a, b), a, second);
}

static void expandExtrema(Operation *root) {
  OpBuilder builder(root->getContext());
  root->walk([&](Operation *op) {
    if (!isa<arith::MaximumFOp, arith::MinimumFOp>(op))
      return;
    builder.setInsertionPoint(op);
    Value value =
        expandExtremum(builder, op->getLoc(), op->getOperand(0), op->getOperand(1), isa<arith::MaximumFOp>(op));
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  });
}

void KernelWriter::finish() {
  lowerRaises();
  gpu::ReturnOp::create(builder_, loc_);
  // Before anything folds: upstream folds math functions of constants with the host's library.
  if (failed(expandMath(function_)))
    program_.fail();
  expandExtrema(function_);
  if (failed(checkKernelCode(function_, label_, program_.target())))
    program_.fail();
  OpBuilder &host = program_.host();
  Value one = arith::ConstantIndexOp::create(host, loc_, 1);
  gpu::KernelDim3 groups{arith::ConstantIndexOp::create(host, loc_, grid_.groups), one, one};
  gpu::KernelDim3 threads{arith::ConstantIndexOp::create(host, loc_, grid_.threads), one, one};
  gpu::LaunchFuncOp::create(host, loc_, function_, groups, threads, Value(), buffers_);
}

} // namespace tenferro::compiler
