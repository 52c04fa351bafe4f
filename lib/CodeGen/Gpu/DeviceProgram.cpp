// Buffers of the host function: arguments, results, the arena and the constants, in this order.
#include "lib/CodeGen/Gpu/DeviceProgram.h"

#include "dialects/tenferro/Schema.h"
#include "dialects/tenferro/Structure.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tenferro::compiler {

using runtime::StorageKind;

MemRefType DeviceProgram::bufferType(Type element, int64_t count) { return MemRefType::get({count}, element); }

static Type memoryTypeOf(MLIRContext *context, DType dtype) {
  return ir::memoryType(ir::elementTypeToIr(context, dtype));
}

static MemRefType typeOf(MLIRContext *context, const core::ValueType &type) {
  return DeviceProgram::bufferType(memoryTypeOf(context, type.dtype), type.shape.elementCount());
}

/// `text` with what an identifier of SPIR-V tools and PTX does not hold replaced: a function may have any name.
static std::string identifier(StringRef text) {
  std::string result = text.str();
  for (char &c : result)
    if (!llvm::isAlnum(c))
      c = '_';
  return result.empty() || llvm::isDigit(result.front()) ? "_" + result : result;
}

/// `name`, numbered if the module has such a symbol already.
static std::string freeSymbol(ModuleOp module, const std::string &name) {
  std::string result = name;
  for (int i = 0; module.lookupSymbol(result); ++i)
    result = name + "_" + std::to_string(i);
  return result;
}

DeviceProgram::DeviceProgram(ModuleOp module, const runtime::Program &program, StringRef name, Location loc,
                             bool fallible, StringRef target)
    : module_(module), name_(identifier(name)), target_(target), host_(module.getContext()) {
  MLIRContext *context = module.getContext();
  SmallVector<Type> types;
  for (const core::ValueType &argument : program.arguments)
    types.push_back(typeOf(context, argument));
  for (uint32_t result : program.results)
    types.push_back(typeOf(context, program.values[result].type));
  if (program.arenaBytes)
    types.push_back(bufferType(host_.getI8Type(), program.arenaBytes));
  if (fallible)
    types.push_back(bufferType(host_.getI32Type(), 1));

  host_.setInsertionPointToEnd(module.getBody());
  kernels_ = gpu::GPUModuleOp::create(host_, loc, freeSymbol(module, name_ + "_kernels"));
  function_ = func::FuncOp::create(host_, loc, name, host_.getFunctionType(types, {}));
  Block *entry = function_.addEntryBlock();
  host_.setInsertionPointToEnd(entry);
  unsigned next = program.arguments.size();
  for (size_t i = 0; i < program.results.size(); ++i)
    results_.push_back(entry->getArgument(next++));
  if (program.arenaBytes)
    arena_ = entry->getArgument(next++);
  if (fallible)
    status_ = entry->getArgument(next++);
  if (!program.constants.empty())
    constants_ = constantsBuffer(program);

  operands_.reserve(program.values.size());
  for (const runtime::ProgramValue &value : program.values) // sources stand before their views
    operands_.push_back(resolve(program, value));
}

Value DeviceProgram::constantsBuffer(const runtime::Program &program) {
  OpBuilder::InsertionGuard guard(host_);
  host_.setInsertionPoint(function_);
  auto type = bufferType(host_.getI8Type(), static_cast<int64_t>(program.constants.size()));
  auto bytes = DenseElementsAttr::getFromRawBuffer(
      RankedTensorType::get(type.getShape(), type.getElementType()),
      ArrayRef(reinterpret_cast<const char *>(program.constants.data()), program.constants.size()));
  std::string name = freeSymbol(module_, name_ + "_constants");
  memref::GlobalOp::create(host_, function_.getLoc(), name, host_.getStringAttr("private"), type, bytes,
                           /*constant=*/true, /*alignment=*/host_.getI64IntegerAttr(64));
  host_.setInsertionPointToEnd(&function_.getBody().front());
  return memref::GetGlobalOp::create(host_, function_.getLoc(), type, name);
}

Value DeviceProgram::viewOf(Value bytes, int64_t offset, Type element, int64_t count) {
  Location loc = function_.getLoc();
  Value at = arith::ConstantIndexOp::create(host_, loc, offset);
  return memref::ViewOp::create(host_, loc, bufferType(element, count), bytes, at, ValueRange());
}

Operand DeviceProgram::resolve(const runtime::Program &program, const runtime::ProgramValue &value) {
  Operand operand;
  operand.dtype = value.type.dtype;
  operand.shape = value.type.shape;
  operand.strides = operand.shape.contiguousStrides();
  Type element = memoryTypeOf(module_.getContext(), value.type.dtype);
  int64_t count = value.type.shape.elementCount();
  switch (value.storage) {
  case StorageKind::Argument:
    operand.buffer = function_.getArgument(value.index);
    break;
  case StorageKind::Result:
    operand.buffer = results_[value.index];
    break;
  case StorageKind::Arena:
    operand.buffer =
        count ? viewOf(arena_, value.offset, element, count) : scratch(element, operand.shape, operand.dtype).buffer;
    break;
  case StorageKind::Constant:
    operand.buffer = count ? viewOf(constants_, value.offset, element, count)
                           : scratch(element, operand.shape, operand.dtype).buffer;
    break;
  case StorageKind::Index:
    operand.axis = value.index;
    break;
  case StorageKind::View: {
    const Operand &source = operands_[value.index];
    operand.buffer = source.buffer;
    operand.offset = source.offset;
    if (value.view->reshape)
      break; // of contiguous memory
    operand.strides.clear();
    for (size_t d = 0; d < value.view->dims.size(); ++d) {
      int64_t from = value.view->dims[d], stride = from < 0 ? 0 : source.strides[static_cast<size_t>(from)];
      int64_t beside = value.view->alongside.empty() ? -1 : value.view->alongside[d];
      operand.strides.push_back(stride * value.view->steps[d] +
                                (beside < 0 ? 0 : source.strides[static_cast<size_t>(beside)]));
      operand.offset += stride * value.view->starts[d];
    }
    break;
  }
  }
  return operand;
}

Operand DeviceProgram::scratch(Type element, const Shape &shape, DType dtype) {
  Operand operand;
  operand.dtype = dtype;
  operand.shape = shape;
  operand.strides = shape.contiguousStrides();
  operand.buffer = memref::AllocOp::create(host_, function_.getLoc(), bufferType(element, shape.elementCount()));
  scratch_.push_back(operand.buffer);
  return operand;
}

std::string DeviceProgram::nextKernelName(StringRef label) {
  return name_ + "_" + std::to_string(count_++) + "_" + identifier(label);
}

LogicalResult DeviceProgram::finish() {
  for (Value buffer : scratch_)
    memref::DeallocOp::create(host_, function_.getLoc(), buffer);
  func::ReturnOp::create(host_, function_.getLoc());
  if (count_ == 0)
    kernels_.erase();
  return failure(failed_);
}

} // namespace tenferro::compiler
