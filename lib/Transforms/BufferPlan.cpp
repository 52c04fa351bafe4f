// Where each value of a program lives while it runs.
#include "lib/Transforms/BufferPlan.h"

#include "dialects/tenferro/Schema.h"
#include "dialects/tenferro/Structure.h"
#include "lib/Transforms/ConstantBytes.h"
#include "lib/Transforms/FusionPlan.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tenferro::compiler {

using core::OpKind;

bool isViewOp(Operation *op) {
  const core::OpSchema *schema = schemaOf(op);
  return schema ? schema->view : isa<ir::PerturbOp>(op); // only derivatives see a perturbation
}

/// Runs of extents other than 1, which a reshape keeps when it only adds and drops extents of 1.
static bool sameApartFromOnes(const Shape &from, const Shape &to, IntList &dims) {
  int64_t next = 0;
  for (int64_t d = 0; d < to.rank(); ++d) {
    if (to[d] == 1) {
      dims.push_back(-1);
      continue;
    }
    while (next < from.rank() && from[next] == 1)
      ++next;
    if (next == from.rank() || from[next] != to[d])
      return false;
    dims.push_back(next++);
  }
  while (next < from.rank())
    if (from[next++] != 1)
      return false;
  return true;
}

runtime::View viewOf(Operation *op) {
  runtime::View view;
  Shape from = valueTypeOf(op->getOperand(0)).shape, to = valueTypeOf(op->getResult(0)).shape;
  auto fill = [&] {
    view.starts = IntList(static_cast<size_t>(to.rank()), 0);
    view.steps = IntList(static_cast<size_t>(to.rank()), 1);
  };
  if (isa<ir::PerturbOp>(op)) {
    fill();
    for (int64_t d = 0; d < to.rank(); ++d)
      view.dims.push_back(d);
    return view;
  }
  switch (schemaOf(op)->kind) {
  case OpKind::Transpose:
    fill();
    view.dims = listAttribute(op, "permutation");
    break;
  case OpKind::BroadcastInDim: {
    fill();
    IntList dimensions = listAttribute(op, "dims");
    view.dims = IntList(static_cast<size_t>(to.rank()), -1);
    for (size_t k = 0; k < dimensions.size(); ++k)
      if (from[k] == to[dimensions[k]])
        view.dims[dimensions[k]] = static_cast<int64_t>(k);
    break;
  }
  case OpKind::Slice:
    for (int64_t d = 0; d < to.rank(); ++d)
      view.dims.push_back(d);
    view.starts = listAttribute(op, "starts");
    view.steps = listAttribute(op, "strides");
    break;
  case OpKind::Reverse:
    fill();
    for (int64_t d = 0; d < to.rank(); ++d)
      view.dims.push_back(d);
    for (int64_t d : listAttribute(op, "axes")) {
      view.starts[d] = std::max<int64_t>(from[d] - 1, 0);
      view.steps[d] = -1;
    }
    break;
  case OpKind::ExtractDiag: {
    fill();
    int64_t a = listAttribute(op, "axis_a")[0], b = listAttribute(op, "axis_b")[0];
    for (int64_t d = 0; d < from.rank(); ++d) {
      if (d == b)
        continue;
      view.dims.push_back(d);
      view.alongside.push_back(d == a ? b : -1);
    }
    break;
  }
  default:
    if (sameApartFromOnes(from, to, view.dims)) {
      fill();
    } else {
      view.dims.clear();
      view.reshape = true;
    }
    break;
  }
  return view;
}

static bool isContiguous(const Shape &shape, const IntList &strides) {
  int64_t next = 1;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape[d] == 0)
      return true;
    if (shape[d] != 1 && strides[d] != next)
      return false;
    next *= shape[d];
  }
  return true;
}

static int64_t alignUp(int64_t bytes) {
  return (bytes + BufferPlan::kAlignment - 1) / BufferPlan::kAlignment * BufferPlan::kAlignment;
}

//===- Plan -----------------------------------------------------------------------------------------------------===//

LogicalResult checkPlannable(func::FuncOp function, size_t *operations) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitOpError("expects a body of one block");
  if (Operation &last = function.getBody().front().back(); !isa<func::ReturnOp>(last))
    return function.emitOpError("expects a function that returns, but got '") << last.getName() << "' at its end";
  Type known; // most values are of one type
  auto isOurs = [&](Type type) {
    if (type != known && !ir::typeFromIr(type))
      return false;
    known = type;
    return true;
  };
  for (Type type : function.getFunctionType().getInputs())
    if (!isOurs(type))
      return function.emitOpError("expects arguments that are tensors of static shape and known dtype, but got ") << type;
  size_t count = 0;
  for (Operation &op : function.getBody().front()) {
    ++count;
    for (Type type : op.getResultTypes())
      if (!isOurs(type))
        return op.emitOpError("expects a program of tensors of static shape and known dtype, but makes ") << type;
    DenseElementsAttr value;
    if (isConstant(&op) && !matchPattern(&op, m_Constant(&value)))
      return op.emitOpError("expects a dense constant");
  }
  if (operations)
    *operations += count;
  return success();
}

static constexpr uint32_t kReused = ~uint32_t{0};

BufferPlan::BufferPlan(func::FuncOp function) : function_(function) {
  contiguous_.assign(function.getNumArguments(), false);
  for (BlockArgument argument : function.getArguments())
    addValue(argument, {Place::Kind::Argument, argument.getArgNumber(), 0});
  for (Operation &op : function.getBody().front()) {
    steps_.push_back({&op, static_cast<uint32_t>(uses_.size()), static_cast<uint32_t>(places_.size())});
    for (Value operand : op.getOperands())
      uses_.push_back(numberOf(operand));
    if (isConstant(&op))
      addConstant(&op);
    else if (isViewOp(&op))
      addView(&op);
    else
      for (Value result : op.getResults())
        addValue(result, {Place::Kind::Arena, 0, 0});
  }
  placeResults();
  placeOperations();
}

void BufferPlan::addValue(Value value, const Place &place) {
  const auto number = static_cast<uint32_t>(places_.size());
  numbers_[value] = number;
  places_.push_back(place);
  owners_.push_back(number);
  bytes_.push_back(place.kind == Place::Kind::Arena ? bytesOf(value) : 0);
}

void BufferPlan::addConstant(Operation *op) {
  DenseElementsAttr value;
  matchPattern(op, m_Constant(&value));
  constants_.resize(static_cast<size_t>(alignUp(static_cast<int64_t>(constants_.size()))));
  addValue(op->getResult(0), {Place::Kind::Constant, 0, static_cast<int64_t>(constants_.size())});
  appendColumnMajor(value, constants_);
}

void BufferPlan::addView(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  const uint32_t owner = owners_[numberOf(source)];
  addValue(result, {Place::Kind::View, 0, 0});
  owners_.back() = owner;
  if (viewOf(op).reshape) {
    if (!isContiguous(valueTypeOf(source).shape, strides(source))) {
      places_.back().kind = Place::Kind::Copy;
      bytes_.back() = bytesOf(result);
      owners_.back() = numberOf(result);
    } else if (places_[owner].kind == Place::Kind::Argument) {
      contiguous_[places_[owner].index] = true;
    }
  }
  strides_[result] = stridesThrough(op);
}

static bool isReshape(Operation *op) {
  const core::OpSchema *schema = schemaOf(op);
  return schema && schema->kind == OpKind::Reshape;
}

void BufferPlan::placeResults() {
  Operation *terminator = steps_.back().op;
  copied_.assign(terminator->getNumOperands(), true);
  for (OpOperand &returned : terminator->getOpOperands()) {
    unsigned index = returned.getOperandNumber();
    Value value = returned.get();
    // Behind reshapes, a launch can write to the result itself.
    Value computed = value;
    while (place(computed).kind == Place::Kind::View && isReshape(computed.getDefiningOp()))
      computed = computed.getDefiningOp()->getOperand(0);
    if (place(computed).kind != Place::Kind::Arena)
      continue;
    places_[numberOf(computed)] = {computed == value ? Place::Kind::Result : Place::Kind::ViewOfResult, index, 0};
    places_[numberOf(value)] = {Place::Kind::Result, index, 0};
    owners_[numberOf(value)] = numberOf(value);
    copied_[index] = false;
  }
}

/// Which operands of an element-wise launch are read only where the result is written.
static SmallVector<unsigned> overwritableInputs(Operation *op) {
  SmallVector<unsigned> inputs;
  if (auto kernel = dyn_cast<ir::KernelOp>(op)) {
    auto generics = kernel.getBody().front().getOps<linalg::GenericOp>();
    if (generics.empty())
      return inputs;
    linalg::GenericOp generic = *generics.begin();
    if (generic.getNumReductionLoops() != 0)
      return inputs;
    llvm::SmallDenseMap<Value, bool> inPlace;
    for (OpOperand *input : generic.getDpsInputOperands()) {
      bool identity = generic.getMatchingIndexingMap(input).isIdentity();
      auto [it, isNew] = inPlace.try_emplace(input->get(), identity);
      it->second &= identity;
    }
    for (unsigned i = 0; i < kernel.getInputs().size(); ++i)
      if (inPlace.lookup(kernel.getBody().getArgument(i)))
        inputs.push_back(i);
    return inputs;
  }
  if (fusionRole(op) == FusionRole::Elementwise)
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (op->getOperand(i).getType() == op->getResult(0).getType() ||
          shapeOf(op->getOperand(i)) == shapeOf(op->getResult(0)))
        inputs.push_back(i);
  return inputs;
}

void BufferPlan::placeLaunch(const Step &step, uint32_t position) {
  Operation *op = step.op;
  SmallVector<unsigned> candidates; // operands whose memory may take a result
  for (unsigned i : overwritableInputs(op)) {
    const uint32_t input = operand(step, i);
    bool isAlone = owners_[input] == input && places_[input].kind == Place::Kind::Arena && lastUse_[input] == position;
    for (unsigned j = 0; isAlone && j < op->getNumOperands(); ++j) // once, and no view of it beside it
      isAlone = operand(step, j) == input ? j >= i : owners_[operand(step, j)] != input;
    if (isAlone)
      candidates.push_back(i);
  }
  for (OpResult result : op->getResults()) {
    const uint32_t number = step.results + result.getResultNumber();
    Place &here = places_[number];
    if (here.kind != Place::Kind::Arena)
      continue;
    auto reused = llvm::find_if(candidates, [&](unsigned i) {
      Value input = op->getOperand(i);
      return input.getType() == result.getType() ||
             (shapeOf(input) == shapeOf(result) && bytes_[operand(step, i)] == bytes_[number]);
    });
    if (reused != candidates.end()) {
      const uint32_t input = operand(step, *reused);
      here.offset = places_[input].offset;
      lastUse_[input] = kReused;
      candidates.erase(reused);
    } else {
      here.offset = arena_.take(bytes_[number]);
    }
  }
}

void BufferPlan::placeOperations() {
  const auto count = static_cast<uint32_t>(steps_.size());
  const auto afterResults = [&](uint32_t position) {
    return position + 1 < count ? steps_[position + 1].results : static_cast<uint32_t>(places_.size());
  };
  // A view of a value keeps it alive until the view's own last use, which counts for the owner.
  lastUse_.assign(places_.size(), 0);
  for (uint32_t position = 0; position < count; ++position) {
    const uint32_t end = position + 1 < count ? steps_[position + 1].uses : static_cast<uint32_t>(uses_.size());
    for (uint32_t use = steps_[position].uses; use < end; ++use)
      lastUse_[owners_[uses_[use]]] = position;
    for (uint32_t number = steps_[position].results; number < afterResults(position); ++number)
      if (places_[number].kind != Place::Kind::View)
        lastUse_[number] = position;
  }
  // What dies at each position, as lists through the values.
  constexpr uint32_t kNone = ~uint32_t{0};
  std::vector<uint32_t> firstDying(count, kNone), nextDying(places_.size(), kNone);
  for (uint32_t number = steps_.front().results; number < places_.size(); ++number)
    if (places_[number].kind == Place::Kind::Arena || places_[number].kind == Place::Kind::Copy) {
      nextDying[number] = firstDying[lastUse_[number]];
      firstDying[lastUse_[number]] = number;
    }
  for (uint32_t position = 0; position + 1 < count; ++position) {
    const Step &step = steps_[position];
    const bool isView = owners_[step.results] != step.results && afterResults(position) == step.results + 1;
    if (afterResults(position) == step.results + 1 && places_[step.results].kind == Place::Kind::Copy)
      places_[step.results].offset = arena_.take(bytes_[step.results]);
    else if (!isView)
      placeLaunch(step, position);
    for (uint32_t dead = firstDying[position]; dead != kNone; dead = nextDying[dead])
      if (lastUse_[dead] != kReused)
        arena_.give(places_[dead].offset, bytes_[dead]);
  }
  arenaBytes_ = arena_.bytes();
}

IntList BufferPlan::strides(Value value) const {
  const Place &here = place(value);
  Shape shape = valueTypeOf(value).shape;
  if (here.kind == Place::Kind::Constant) {
    DenseElementsAttr constant;
    matchPattern(value.getDefiningOp(), m_Constant(&constant));
    return constant.isSplat() ? IntList(static_cast<size_t>(shape.rank()), 0) : shape.contiguousStrides();
  }
  if (here.kind != Place::Kind::View)
    return shape.contiguousStrides();
  return strides_.find(value)->second;
}

/// Strides of a view from those of its operand.
IntList BufferPlan::stridesThrough(Operation *op) const {
  Shape shape = valueTypeOf(op->getResult(0)).shape;
  runtime::View view = viewOf(op);
  if (view.reshape)
    return shape.contiguousStrides();
  IntList source = strides(op->getOperand(0)), result;
  for (int64_t d = 0; d < shape.rank(); ++d) { // of one element no step is taken, and the product may not fit
    result.push_back(view.dims[d] < 0 ? 0 : source[view.dims[d]] * (shape[d] > 1 ? view.steps[d] : 1));
    if (!view.alongside.empty() && view.alongside[d] >= 0)
      result[d] += source[view.alongside[d]];
  }
  return result;
}

//===- Annotation -----------------------------------------------------------------------------------------------===//

static std::string describe(const Place &place) {
  switch (place.kind) {
  case Place::Kind::Argument:
    return "argument " + std::to_string(place.index);
  case Place::Kind::Result:
  case Place::Kind::ViewOfResult:
    return "result " + std::to_string(place.index);
  case Place::Kind::Arena:
    return "arena " + std::to_string(place.offset);
  case Place::Kind::Constant:
    return "constant " + std::to_string(place.offset);
  case Place::Kind::View:
    return "view";
  case Place::Kind::Copy:
    return "copy " + std::to_string(place.offset);
  }
  return {};
}

void BufferPlan::annotate() const {
  func::FuncOp function = function_;
  Builder builder(function.getContext());
  for (Operation &op : function.getBody().front().without_terminator()) {
    SmallVector<Attribute> storage;
    for (Value result : op.getResults())
      storage.push_back(builder.getStringAttr(describe(place(result))));
    op.setAttr("tenferro.storage", builder.getArrayAttr(storage));
  }
  function->setAttr("tenferro.arena_bytes", builder.getI64IntegerAttr(arenaBytes_));
  for (auto [i, isContiguous] : llvm::enumerate(contiguous_))
    if (isContiguous)
      function.setArgAttr(static_cast<unsigned>(i), "tenferro.contiguous", builder.getUnitAttr());
}

} // namespace tenferro::compiler
