// From a planned function to the program the executor runs, and the list of kernels it needs compiled.
#include "lib/CodeGen/Program/ProgramEmitter.h"

#include "dialects/tenferro/Extension.h"
#include "dialects/tenferro/Schema.h"
#include "dialects/tenferro/Structure.h"
#include "lib/CodeGen/Program/KernelKey.h"
#include "lib/Transforms/FusionPlan.h"
#include "lib/Transforms/Origin.h"
#include "lib/Transforms/TraceNumber.h"
#include "runtime/kernels/KernelName.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

using namespace mlir;

namespace tenferro::compiler {

using core::OpKind;
using runtime::Access;
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
    values_.assign(plan_.valueCount(), kNone);
    program.launches.reserve(operations);
    program.origins.reserve(operations);
    out_.origins.reserve(operations);
    for (const BufferPlan::Step &step : plan_.steps().drop_back())
      if (failed(emitOperation(step)))
        return failure();
    emitResults();
    return std::move(out_);
  }

private:
  //===- Values -------------------------------------------------------------------------------------------------===//

  uint32_t addValue(const core::ValueType &type, StorageKind storage, uint32_t index = 0, int64_t offset = 0) {
    ProgramValue &value = out_.program.values.emplace_back();
    value.type = type;
    value.storage = storage;
    value.index = index;
    value.offset = offset;
    return static_cast<uint32_t>(out_.program.values.size() - 1);
  }

  uint32_t addView(const core::ValueType &type, uint32_t source, View view) {
    uint32_t number = addValue(type, StorageKind::View, source);
    out_.program.values.back().view = std::move(view);
    return number;
  }

  /// Dtype and shape of a value; most are of the type that was asked about last.
  const core::ValueType &typeOf(Value value) {
    if (value.getType() != knownType_) {
      knownType_ = value.getType();
      knownValueType_ = valueTypeOf(value);
    }
    return knownValueType_;
  }

  static View reshaped() {
    View view;
    view.reshape = true;
    return view;
  }

  uint32_t resultValue(unsigned index) {
    auto [it, isNew] = results_.try_emplace(index, 0u);
    if (isNew) {
      Value returned = function_.getBody().front().getTerminator()->getOperand(index);
      it->second = addValue(valueTypeOf(returned), StorageKind::Result, index);
    }
    return it->second;
  }

  /// The program's number of a value of the function. Views are numbered from their source on, without recursion.
  uint32_t valueOf(Value value) {
    const uint32_t number = plan_.numberOf(value);
    if (values_[number] != kNone)
      return values_[number];
    SmallVector<Value> chain{value};
    while (!isKnown(chain.back()) && plan_.place(chain.back()).kind == Place::Kind::View)
      chain.push_back(chain.back().getDefiningOp()->getOperand(0));
    for (Value link : llvm::reverse(chain))
      if (!isKnown(link))
        addValueOf(link);
    return values_[number];
  }
  bool isKnown(Value value) const { return values_[plan_.numberOf(value)] != kNone; }
  /// The same for operand `i` of a step.
  uint32_t operandOf(const BufferPlan::Step &step, unsigned i) {
    const uint32_t known = values_[plan_.operand(step, i)];
    return known != kNone ? known : valueOf(step.op->getOperand(i));
  }

  /// Adds a value that has no number yet; the source of a view has one.
  void addValueOf(Value value) {
    const Place &place = plan_.place(value);
    const core::ValueType &type = typeOf(value);
    uint32_t number = 0;
    switch (place.kind) {
    case Place::Kind::Argument:
      number = addValue(type, StorageKind::Argument, place.index);
      break;
    case Place::Kind::Result:
      number = resultValue(place.index);
      break;
    case Place::Kind::ViewOfResult:
      number = addView(type, resultValue(place.index), reshaped());
      break;
    case Place::Kind::Arena:
      number = addValue(type, StorageKind::Arena, 0, place.offset);
      break;
    case Place::Kind::Constant: {
      DenseElementsAttr constant;
      matchPattern(value.getDefiningOp(), m_Constant(&constant));
      if (!constant.isSplat() || type.shape.rank() == 0) {
        number = addValue(type, StorageKind::Constant, 0, place.offset);
        break;
      }
      uint32_t scalar = addValue({type.dtype, Shape()}, StorageKind::Constant, 0, place.offset);
      number = addView(type, scalar, repeated(type.shape));
      break;
    }
    case Place::Kind::View:
      number = addView(type, values_[plan_.numberOf(value.getDefiningOp()->getOperand(0))],
                       viewOf(value.getDefiningOp()));
      break;
    case Place::Kind::Copy: {
      core::ValueType source = valueTypeOf(value.getDefiningOp()->getOperand(0));
      uint32_t copy = addValue(source, StorageKind::Arena, 0, place.offset);
      copies_[value] = copy;
      number = addView(type, copy, reshaped());
      break;
    }
    }
    values_[plan_.numberOf(value)] = number;
  }

  static View repeated(const Shape &shape) {
    View view;
    view.dims = IntList(shape.size(), -1);
    view.starts = IntList(shape.size(), 0);
    view.steps = IntList(shape.size(), 1);
    return view;
  }

  uint32_t coordinate(const Shape &shape, int64_t axis) {
    return addValue({DType::I64, shape}, StorageKind::Index, static_cast<uint32_t>(axis));
  }

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

  static void setWindows(Operation *op, runtime::WindowDimensions &windows) {
    windows.vectorDim = listAttribute(op, "index_vector_dim")[0];
    windows.mode = static_cast<IndexMode>(listAttribute(op, "mode")[0]);
  }

  void emitResults() {
    Operation *terminator = origin_ = function_.getBody().front().getTerminator();
    for (OpOperand &returned : terminator->getOpOperands()) {
      unsigned index = returned.getOperandNumber();
      uint32_t result = resultValue(index);
      if (plan_.isCopied(index))
        addCopy(valueOf(returned.get()), result);
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
        uint32_t from = valueOf(op->getOperand(0));
        valueOf(result);
        addCopy(from, copies_.lookup(result));
      }
      return success();
    }
    if (auto kernel = dyn_cast<ir::KernelOp>(op))
      return emitKernel(kernel);
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

  /// A view of as many elements from the origin on.
  static View part(const Shape &shape) {
    View view;
    for (int64_t d = 0; d < shape.rank(); ++d)
      view.dims.push_back(d);
    view.starts = IntList(shape.size(), 0);
    view.steps = IntList(shape.size(), 1);
    return view;
  }

  /// Each operand is copied to its place.
  void emitConcatenate(Operation *op) {
    uint32_t result = valueOf(op->getResult(0));
    int64_t axis = listAttribute(op, "axis")[0], start = 0;
    for (Value operand : op->getOperands()) {
      core::ValueType type = valueTypeOf(operand);
      View view = part(type.shape);
      view.starts[axis] = start;
      start += type.shape[axis];
      if (type.shape.elementCount() != 0)
        addCopy(valueOf(operand), addView(type, result, std::move(view)));
    }
  }

  /// Zeros, then the operand on their diagonal.
  void emitEmbedDiag(Operation *op) {
    core::ValueType type = valueTypeOf(op->getResult(0)), operand = valueTypeOf(op->getOperand(0));
    if (type.shape.elementCount() == 0)
      return;
    uint32_t result = valueOf(op->getResult(0));
    std::vector<uint8_t> &constants = out_.program.constants;
    constants.resize(llvm::alignTo(constants.size(), BufferPlan::kAlignment));
    uint32_t zero = addValue({type.dtype, Shape()}, StorageKind::Constant, 0, static_cast<int64_t>(constants.size()));
    constants.resize(constants.size() + byteSize(type.dtype), 0);
    addCopy(addView(type, zero, repeated(type.shape)), result);
    int64_t a = listAttribute(op, "axis_a")[0], b = listAttribute(op, "axis_b")[0];
    View diagonal = part(operand.shape);
    diagonal.alongside = IntList(operand.shape.size(), -1);
    for (int64_t &dim : diagonal.dims)
      dim += dim >= b;
    diagonal.alongside[a > b ? a - 1 : a] = b;
    addCopy(valueOf(op->getOperand(0)), addView(operand, result, std::move(diagonal)));
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
      launch.operands.push_back(valueOf(input));
    for (Value result : call.getOutputs())
      launch.operands.push_back(valueOf(result));
    addLaunch(std::move(launch), call);
    return success();
  }

  /// The kernel of an element-wise operation without attributes: its dtypes name it.
  /// `operands`: values of the program, the result last.
  const std::string &kernelOf(ArrayRef<uint32_t> operands, const core::OpSchema &schema) {
    SmallVector<DType, 4> dtypes;
    uint64_t key = static_cast<uint64_t>(schema.kind) + 1;
    for (uint32_t operand : operands) {
      dtypes.push_back(out_.program.values[operand].type.dtype);
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
      launch.operands.push_back(operandOf(step, i));
    if (schema.elementwise && schema.attributes.empty()) {
      launch.operands.push_back(valueOf(op->getResult(0)));
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
    switch (schema.kind) {
    case OpKind::DotGeneral:
      launch.kind = LaunchKind::Matmul;
      launch.dot->lhsContracting = listAttribute(op, "lhs_contracting");
      launch.dot->rhsContracting = listAttribute(op, "rhs_contracting");
      launch.dot->lhsBatch = listAttribute(op, "lhs_batch");
      launch.dot->rhsBatch = listAttribute(op, "rhs_batch");
      break;
    case OpKind::Take:
      launch.kind = LaunchKind::Take;
      launch.axes = listAttribute(op, "axis");
      break;
    case OpKind::ScatterAdd:
      launch.kind = LaunchKind::ScatterAdd;
      launch.axes = listAttribute(op, "axis");
      break;
    case OpKind::Pad:
      launch.kind = LaunchKind::Pad;
      launch.low = listAttribute(op, "low");
      launch.interior = listAttribute(op, "interior");
      break;
    case OpKind::Gather:
      launch.kind = LaunchKind::Gather;
      launch.windows->window = listAttribute(op, "offset_dims");
      launch.windows->fixed = listAttribute(op, "collapsed_slice_dims");
      launch.windows->map = listAttribute(op, "start_index_map");
      launch.windows->sizes = listAttribute(op, "slice_sizes");
      setWindows(op, *launch.windows);
      break;
    case OpKind::Scatter:
    case OpKind::ScatterPrefix:
      launch.windows->window = listAttribute(op, "update_window_dims");
      launch.windows->fixed = listAttribute(op, "inserted_window_dims");
      launch.windows->map = listAttribute(op, "scatter_dims_to_operand_dims");
      launch.windows->sizes = runtime::windowSizes(*launch.windows, types[0].shape.rank(), types[2].shape);
      launch.kind = schema.kind == OpKind::Scatter ? LaunchKind::Scatter : LaunchKind::ScatterPrefix;
      if (schema.kind == OpKind::Scatter)
        launch.windows->update = static_cast<ScatterUpdate>(listAttribute(op, "update")[0]);
      else
        launch.windows->backward = listAttribute(op, "order")[0] != 0;
      setWindows(op, *launch.windows);
      break;
    case OpKind::Cumsum:
      launch.kind = LaunchKind::CumulativeSum;
      launch.axes = listAttribute(op, "axis");
      launch.reverse = listAttribute(op, "order")[0] != 0;
      break;
    case OpKind::Argmax:
    case OpKind::Argmin:
      launch.kind = schema.kind == OpKind::Argmax ? LaunchKind::ArgMax : LaunchKind::ArgMin;
      launch.axes = listAttribute(op, "axis");
      break;
    case OpKind::Sum:
    case OpKind::Prod:
    case OpKind::Max:
    case OpKind::Min:
    case OpKind::Any:
    case OpKind::All:
      launch.kind = LaunchKind::Reduce;
      launch.axes = listAttribute(op, "axes");
      break;
    case OpKind::Iota:
      launch.operands.push_back(coordinate(result.shape, listAttribute(op, "axis")[0]));
      break;
    case OpKind::OneHot: {
      int64_t axis = listAttribute(op, "axis")[0];
      View view = repeated(result.shape);
      for (int64_t d = 0, k = 0; d < result.shape.rank(); ++d)
        if (d != axis)
          view.dims[d] = k++;
      launch.operands[0] = addView({types[0].dtype, result.shape}, launch.operands[0], std::move(view));
      launch.operands.push_back(coordinate(result.shape, axis));
      break;
    }
    default:
      break;
    }
    if (launch.kind == LaunchKind::Map || launch.kind == LaunchKind::Reduce) {
      launch.kernel =
          runtime::kernelName(schema.kind, {types.data(), types.size()}, ir::encodeAttributes(op), result.dtype);
      if (launch.kernel.empty())
        return op->emitOpError("expects an operation with a precompiled kernel");
    }
    launch.operands.push_back(valueOf(op->getResult(0)));
    addLaunch(std::move(launch), op);
    return success();
  }

  //===- Kernels ------------------------------------------------------------------------------------------------===//

  /// What tenferro-to-linalg makes: one generic from the inputs to the results, which it fills in order.
  static LogicalResult checkKernel(ir::KernelOp kernel) {
    Block &body = kernel.getBody().front();
    auto generic = llvm::hasSingleElement(body) ? dyn_cast<linalg::GenericOp>(body.front()) : linalg::GenericOp();
    if (!generic)
      return kernel.emitOpError("expects a body of one linalg.generic (tenferro-to-linalg makes it)");
    auto numberOf = [&](Value buffer) {
      auto argument = dyn_cast<BlockArgument>(buffer);
      return argument && argument.getOwner() == &body ? argument.getArgNumber() : body.getNumArguments();
    };
    unsigned inputs = kernel.getInputs().size();
    SmallVector<AffineExpr> kept;
    for (auto [d, type] : llvm::enumerate(generic.getIteratorTypesArray()))
      if (type == utils::IteratorType::parallel)
        kept.push_back(getAffineDimExpr(static_cast<unsigned>(d), kernel.getContext()));
    for (OpOperand *input : generic.getDpsInputOperands())
      if (numberOf(input->get()) >= inputs ||
          !generic.getMatchingIndexingMap(input).isProjectedPermutation(/*allowZeroInResults=*/true))
        return generic.emitOpError("expects inputs that are inputs of the kernel, read along axes or at 0, but not operand ")
               << input->getOperandNumber();
    for (auto [i, output] : llvm::enumerate(generic.getDpsInitsMutable()))
      if (numberOf(output.get()) != inputs + i || generic.getMatchingIndexingMap(&output).getResults() != ArrayRef(kept))
        return generic.emitOpError("expects outputs that are the results of the kernel, over its parallel axes in "
                                   "order, but not output ")
               << i;
    if (generic.getNumDpsInits() != kernel.getNumResults())
      return generic.emitOpError("expects an output for each of ") << kernel.getNumResults() << " results";
    if (generic.getNumReductionLoops() && !generic->hasAttr("tenferro.reduction"))
      return generic.emitOpError("expects 'tenferro.reduction' where it has reduced axes");
    return success();
  }

  LogicalResult emitKernel(ir::KernelOp kernel) {
    if (failed(checkKernel(kernel)))
      return failure();
    auto generic = cast<linalg::GenericOp>(kernel.getBody().front().front());
    auto extents = generic.getStaticLoopRanges();
    Shape iteration(extents.rbegin(), extents.rend());
    int64_t rank = iteration.rank();

    Launch launch;
    SmallVector<int64_t> reduced;
    auto iterators = generic.getIteratorTypesArray(); // outlives the loop
    for (auto [d, type] : llvm::enumerate(llvm::reverse(iterators)))
      if (type == utils::IteratorType::reduction)
        reduced.push_back(static_cast<int64_t>(d));
    bool isReduction = generic->hasAttr("tenferro.reduction");
    launch.kind = isReduction ? LaunchKind::Reduce : LaunchKind::Map;
    launch.axes = IntList(reduced.begin(), reduced.end());
    launch.outputs = kernel.getNumResults();
    int64_t vectorised = 0;
    while (vectorised < rank && iteration[vectorised] == 1)
      ++vectorised;
    // Rows where the fastest dimension is reduced; the other kernel would be slower there, and compiles for nothing.
    launch.rowOnly = isReduction && (vectorised == rank || llvm::is_contained(reduced, vectorised));

    for (OpOperand *input : generic.getDpsInputOperands()) {
      Value operand = kernel.getOperand(cast<BlockArgument>(input->get()).getArgNumber());
      AffineMap map = generic.getMatchingIndexingMap(input);
      View view = repeated(iteration);
      int64_t operandRank = map.getNumResults();
      for (auto [j, expr] : llvm::enumerate(map.getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          view.dims[rank - 1 - dim.getPosition()] = operandRank - 1 - static_cast<int64_t>(j);
      IntList source = plan_.strides(operand), strides;
      for (int64_t d = 0; d < rank; ++d)
        strides.push_back(view.dims[d] < 0 ? 0 : source[view.dims[d]]);
      uint32_t number = valueOf(operand);
      if (!map.isIdentity())
        number = addView({valueTypeOf(operand).dtype, iteration}, number, std::move(view));
      launch.operands.push_back(number);
      launch.access.push_back(accessOf(iteration, strides, vectorised, launch));
    }
    for (int64_t dimension : indexDimensions(generic)) {
      launch.operands.push_back(coordinate(iteration, rank - 1 - dimension));
      launch.access.push_back(Access::Index);
    }
    for (Value result : kernel.getResults()) {
      launch.operands.push_back(valueOf(result));
      launch.access.push_back(Access::Unit);
      if (auto reduction = generic->getAttrOfType<StringAttr>("tenferro.reduction"))
        launch.combine.push_back(reduction.str() + "." + std::string(name(valueTypeOf(result).dtype)));
    }
    launch.weight = weightOf(generic);
    for (Operation &op : *generic.getBody())
      if (op.getName().getStringRef() == "tenferro.raise_if")
        launch.opNumbers.push_back(traceNumber(op.getLoc()));
    launch.function = functionOf(generic, isReduction, launch.rowOnly, launch.access);
    addLaunch(std::move(launch), kernel);
    return success();
  }

  /// Vector instructions, roughly: a function of the math dialect is a polynomial with what goes before and after it.
  static uint32_t weightOf(linalg::GenericOp generic) {
    uint32_t weight = 0;
    for (Operation &op : generic.getBody()->without_terminator()) {
      if (isa<math::AbsFOp, math::CopySignOp, math::FloorOp, math::CeilOp, math::FmaOp>(op))
        weight += 1;
      else if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
        weight += 3;
      else if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp>(op))
        weight += 12;
      else if (op.getName().getDialectNamespace() == math::MathDialect::getDialectNamespace())
        weight += 24;
      else
        weight += !op.hasTrait<OpTrait::ConstantLike>();
    }
    return weight;
  }

  /// How the kernel reads an operand along the dimension its driver will vectorise, the first of extent over 1. A row
  /// kernel walks all reduced axes at once, and where either kernel of a reduction may run, a scalar is one element for
  /// all.
  static Access accessOf(const Shape &iteration, const IntList &strides, int64_t vectorised, const Launch &launch) {
    if (vectorised == iteration.rank())
      return Access::Unit;
    auto isWalked = [&](int64_t d) {
      if (launch.kind == LaunchKind::Map)
        return d == vectorised;
      return !launch.rowOnly || std::find(launch.axes.begin(), launch.axes.end(), d) != launch.axes.end();
    };
    for (int64_t d = vectorised; d < iteration.rank(); ++d)
      if (isWalked(d) && iteration[d] != 1 && strides[d] != 0)
        return Access::Unit;
    return Access::Scalar;
  }

  /// What the body does, as profilers and debuggers show it: "_mulf_exp_select".
  static std::string spelled(linalg::GenericOp generic) {
    constexpr size_t kLongest = 48;
    std::string text;
    for (Operation &op : generic.getBody()->without_terminator()) {
      StringRef name = op.getName().stripDialect();
      if (op.hasTrait<OpTrait::ConstantLike>() || text.ends_with(name))
        continue;
      if (text.size() + name.size() >= kLongest)
        break;
      text += "_";
      text += name;
    }
    return text;
  }

  /// The number of the function that runs this body, a new one or that of an equal body.
  uint32_t functionOf(linalg::GenericOp generic, bool isReduction, bool rowOnly, ArrayRef<Access> access) {
    std::string key = (rowOnly ? "rows only\n" : "") + kernelKey(generic, access);
    auto [it, isNew] = functions_.try_emplace(key, static_cast<uint32_t>(out_.functions.size()));
    if (!isNew)
      return it->second;
    KernelRequest request;
    request.generic = generic;
    request.isReduction = isReduction;
    request.access.assign(access.begin(), access.end());
    request.key = std::move(key);
    std::string name = "k" + std::to_string(out_.kernels.size()) + spelled(generic);
    if (isReduction && !rowOnly)
      request.symbols = {name + "_row", name + "_column"};
    else
      request.symbols = {isReduction ? name + "_row" : name};
    out_.functions.insert(out_.functions.end(), request.symbols.begin(), request.symbols.end());
    out_.kernels.push_back(std::move(request));
    return it->second;
  }

  func::FuncOp function_;
  const BufferPlan &plan_;
  EmittedProgram out_;
  Operation *origin_ = nullptr; ///< what the launches being added come from
  Type knownType_; ///< of `knownValueType_`
  core::ValueType knownValueType_;
  DenseMap<uint64_t, std::string> kernels_; ///< by kind and dtypes
  std::optional<Location> originLocation_; ///< of `known_`
  runtime::LaunchOrigin known_;
  static constexpr uint32_t kNone = ~uint32_t{0};
  std::vector<uint32_t> values_; ///< by the plan's numbers
  DenseMap<Value, uint32_t> copies_;
  DenseMap<unsigned, uint32_t> results_;
  llvm::StringMap<uint32_t> functions_;
};

} // namespace

FailureOr<EmittedProgram> emitProgram(func::FuncOp function, const BufferPlan &plan) {
  return Emitter(function, plan).emit();
}

} // namespace tenferro::compiler
