// From a planned function to the program the executor runs, and the list of kernels it needs compiled.
#include "lib/CodeGen/Program/ProgramEmitter.h"

#include "dialects/tenferro/Extension.h"
#include "dialects/tenferro/Schema.h"
#include "dialects/tenferro/Structure.h"
#include "lib/CodeGen/Program/OperationLaunch.h"
#include "lib/Transforms/FusionPlan.h"
#include "lib/Transforms/Origin.h"
#include "lib/Transforms/TraceNumber.h"
#include "runtime/kernels/KernelName.h"

#include <optional>

using namespace mlir;

namespace tenferro::compiler {

using core::OpKind;
using runtime::Launch;
using runtime::LaunchKind;
using runtime::ProgramValue;
using runtime::StorageKind;
using runtime::View;

namespace {

class Emitter {
public:
  Emitter(func::FuncOp function, const BufferPlan &plan) : function_(function), plan_(plan) {}

  FailureOr<EmittedProgram> emit() {
    runtime::Program &program = out_.program;
    for (BlockArgument argument : function_.getArguments())
      program.arguments.push_back(valueTypeOf(argument));
    program.argumentUsed.assign(program.arguments.size(), false);
    program.argumentContiguous = plan_.argumentContiguous();
    program.arenaBytes = plan_.arenaBytes();
    program.constants = plan_.constants();
    size_t operations = plan_.steps().size();
    program.values.reserve(operations);
    program.launches.reserve(operations);
    program.origins.reserve(operations);
    out_.origins.reserve(operations);
    for (const BufferPlan::Step &step : plan_.steps().drop_back())
      if (failed(emitOperation(step)))
        return failure();
    emitResults();
    out_.kernels = functions_.takeKernels();
    out_.functions = functions_.takeSymbols();
    return std::move(out_);
  }

private:
  /// The numbers and the term of a location, which neighbours share: a rule gives one to all it makes.
  const runtime::LaunchOrigin &originAt(Location location) {
    if (originLocation_ != location) {
      originLocation_ = location;
      known_ = {traceNumber(location), innerTraceNumber(location), originsOf(location, 1).front().term};
    }
    return known_;
  }
  uint32_t numberOf(Operation *op) { return originAt(op->getLoc()).opNumber; }

  runtime::LaunchOrigin originOf(Operation *op) {
    if (!op)
      return {0, 0, "copy"};
    runtime::LaunchOrigin origin = originAt(op->getLoc());
    if (origin.made.empty())
      origin.made = explainedName(op);
    return origin;
  }

  /// `op`: what the launch stands for; null for one the program's storage asks for.
  void addLaunch(Launch &&launch, Operation *op = nullptr) {
    for (uint32_t operand : launch.operands) {
      const ProgramValue *value = &out_.program.values[operand];
      while (value->storage == StorageKind::View)
        value = &out_.program.values[value->index];
      if (value->storage == StorageKind::Argument)
        out_.program.argumentUsed[value->index] = true;
    }
    out_.program.launches.push_back(std::move(launch));
    out_.program.origins.push_back(originOf(op));
    out_.origins.push_back(origin_);
  }

  void addCopy(uint32_t from, uint32_t to) {
    Launch launch;
    launch.kind = LaunchKind::Copy;
    launch.operands = {from, to};
    addLaunch(std::move(launch));
  }

  void emitResults() {
    Operation *terminator = origin_ = function_.getBody().front().getTerminator();
    for (OpOperand &returned : terminator->getOpOperands()) {
      unsigned index = returned.getOperandNumber();
      uint32_t result = values_.result(index);
      if (plan_.isCopied(index))
        addCopy(values_.of(returned.get()), result);
      out_.program.results.push_back(result);
    }
  }

  //===- Operations ---------------------------------------------------------------------------------------------===//

  LogicalResult emitOperation(const BufferPlan::Step &step) {
    Operation *op = origin_ = step.op;
    if (isConstant(op))
      return success();
    if (isViewOp(op)) {
      Value result = op->getResult(0);
      if (plan_.place(result).kind == Place::Kind::Copy) {
        uint32_t from = values_.of(op->getOperand(0));
        values_.of(result);
        addCopy(from, values_.copyBehind(result));
      }
      return success();
    }
    if (auto kernel = dyn_cast<ir::KernelOp>(op)) {
      if (failed(checkKernel(kernel)))
        return failure();
      addLaunch(launchOf(kernel, plan_, values_, functions_), kernel);
      return success();
    }
    if (auto call = dyn_cast<ir::CustomCallOp>(op))
      return emitCallback(call);
    const core::OpSchema *schema = schemaOf(op);
    if (schema && schema->kind == OpKind::Concatenate) {
      emitConcatenate(op);
      return success();
    }
    if (schema && schema->kind == OpKind::EmbedDiag) {
      emitEmbedDiag(op);
      return success();
    }
    if (schema)
      return emitPrecompiled(step, *schema);
    return op->emitOpError("expects an operation of the tenferro dialect that can be launched");
  }

  /// Each operand is copied to its place.
  void emitConcatenate(Operation *op) {
    uint32_t result = values_.of(op->getResult(0));
    int64_t axis = listAttribute(op, "axis")[0], start = 0;
    for (Value operand : op->getOperands()) {
      core::ValueType type = valueTypeOf(operand);
      View view = partView(type.shape);
      view.starts[axis] = start;
      start += type.shape[axis];
      if (type.shape.elementCount() != 0)
        addCopy(values_.of(operand), values_.addView(type, result, std::move(view)));
    }
  }

  /// Zeros, then the operand on their diagonal.
  void emitEmbedDiag(Operation *op) {
    core::ValueType type = valueTypeOf(op->getResult(0)), operand = valueTypeOf(op->getOperand(0));
    if (type.shape.elementCount() == 0)
      return;
    uint32_t result = values_.of(op->getResult(0));
    uint32_t zero = values_.addZero(type.dtype);
    addCopy(values_.addView(type, zero, repeatedView(type.shape)), result);
    int64_t a = listAttribute(op, "axis_a")[0], b = listAttribute(op, "axis_b")[0];
    View diagonal = partView(operand.shape);
    diagonal.alongside = IntList(operand.shape.size(), -1);
    for (int64_t &dim : diagonal.dims)
      dim += dim >= b;
    diagonal.alongside[a > b ? a - 1 : a] = b;
    addCopy(values_.of(op->getOperand(0)), values_.addView(operand, result, std::move(diagonal)));
  }

  /// An opaque kernel: its family's callback on the inputs.
  LogicalResult emitCallback(ir::CustomCallOp call) {
    if (call.getPrimal())
      return call.emitOpError("expects an opaque kernel (tenferro-inline-custom-calls puts bodies in place)");
    runtime::CallbackName name;
    name.family = call.getName().str();
    name.version = static_cast<uint64_t>(call.getVersion());
    name.parameters = IntList(call.getParameters().data(), call.getParameters().size());
    std::vector<runtime::CallbackName> &known = out_.program.callbacks;
    auto at = llvm::find(known, name);
    Launch launch;
    launch.kind = LaunchKind::Callback;
    launch.function = static_cast<uint32_t>(at - known.begin());
    if (at == known.end())
      known.push_back(std::move(name));
    launch.opNumbers = {numberOf(call)};
    launch.outputs = call.getNumResults();
    for (Value input : call.getValues().take_front(call.inputCount()))
      launch.operands.push_back(values_.of(input));
    for (Value result : call.getOutputs())
      launch.operands.push_back(values_.of(result));
    addLaunch(std::move(launch), call);
    return success();
  }

  /// The kernel of an element-wise operation without attributes: its dtypes name it.
  /// `operands`: values of the program, the result last.
  const std::string &kernelOf(ArrayRef<uint32_t> operands, const core::OpSchema &schema) {
    SmallVector<DType, 4> dtypes;
    uint64_t key = static_cast<uint64_t>(schema.kind) + 1;
    for (uint32_t operand : operands) {
      dtypes.push_back(values_.type(operand).dtype);
      key = key << 8 | static_cast<uint64_t>(dtypes.back());
    }
    auto [at, isNew] = kernels_.try_emplace(key);
    if (isNew) {
      SmallVector<core::ValueType, 4> types(operands.size() - 1);
      for (size_t i = 0; i < types.size(); ++i)
        types[i].dtype = dtypes[i];
      at->second = runtime::kernelName(schema.kind, {types.data(), types.size()}, {}, dtypes.back());
    }
    return at->second;
  }

  LogicalResult emitPrecompiled(const BufferPlan::Step &step, const core::OpSchema &schema) {
    Operation *op = step.op;
    Launch launch;
    launch.opNumbers = {numberOf(op)};
    launch.operands.reserve(op->getNumOperands() + 1);
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      launch.operands.push_back(values_.operand(step, i));
    if (schema.elementwise && schema.attributes.empty()) {
      launch.operands.push_back(values_.of(op->getResult(0)));
      launch.kernel = kernelOf(launch.operands, schema);
      if (launch.kernel.empty())
        return op->emitOpError("expects an operation with a precompiled kernel");
      addLaunch(std::move(launch), op);
      return success();
    }
    SmallVector<core::ValueType> types;
    for (Value operand : op->getOperands())
      types.push_back(valueTypeOf(operand));
    core::ValueType result = valueTypeOf(op->getResult(0));
    describeLaunch(op, schema, types, launch);
    if (schema.kind == OpKind::Iota) {
      launch.operands.push_back(values_.addCoordinate(result.shape, listAttribute(op, "axis")[0]));
    } else if (schema.kind == OpKind::OneHot) {
      int64_t axis = listAttribute(op, "axis")[0];
      View view = repeatedView(result.shape);
      for (int64_t d = 0, k = 0; d < result.shape.rank(); ++d)
        if (d != axis)
          view.dims[d] = k++;
      launch.operands[0] = values_.addView({types[0].dtype, result.shape}, launch.operands[0], std::move(view));
      launch.operands.push_back(values_.addCoordinate(result.shape, axis));
    }
    if (launch.kind == LaunchKind::Map || launch.kind == LaunchKind::Reduce) {
      launch.kernel =
          runtime::kernelName(schema.kind, {types.data(), types.size()}, ir::encodeAttributes(op), result.dtype);
      if (launch.kernel.empty())
        return op->emitOpError("expects an operation with a precompiled kernel");
    }
    launch.operands.push_back(values_.of(op->getResult(0)));
    addLaunch(std::move(launch), op);
    return success();
  }

  func::FuncOp function_;
  const BufferPlan &plan_;
  EmittedProgram out_;
  ProgramValues values_{function_, plan_, out_.program};
  KernelFunctions functions_;
  Operation *origin_ = nullptr;             ///< what the launches being added come from
  DenseMap<uint64_t, std::string> kernels_; ///< by kind and dtypes
  std::optional<Location> originLocation_;  ///< of `known_`
  runtime::LaunchOrigin known_;
};

} // namespace

FailureOr<EmittedProgram> emitProgram(func::FuncOp function, const BufferPlan &plan) {
  return Emitter(function, plan).emit();
}

} // namespace tenferro::compiler
