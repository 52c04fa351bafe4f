// The values of a program: storage by the plan, views from their source on.
#include "lib/CodeGen/Program/ProgramValues.h"

#include "lib/Transforms/OpFacts.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tenferro::compiler {

using runtime::ProgramValue;
using runtime::StorageKind;
using runtime::View;

View repeatedView(const Shape &shape) {
  View view;
  view.dims = IntList(shape.size(), -1);
  view.starts = IntList(shape.size(), 0);
  view.steps = IntList(shape.size(), 1);
  return view;
}

View partView(const Shape &shape) {
  View view = repeatedView(shape);
  for (int64_t d = 0; d < shape.rank(); ++d)
    view.dims[d] = d;
  return view;
}

static View reshapedView() {
  View view;
  view.reshape = true;
  return view;
}

ProgramValues::ProgramValues(func::FuncOp function, const BufferPlan &plan, runtime::Program &program)
    : function_(function), plan_(plan), program_(program), numbers_(plan.valueCount(), kNone) {}

uint32_t ProgramValues::add(const core::ValueType &type, StorageKind storage, uint32_t index, int64_t offset) {
  ProgramValue &value = program_.values.emplace_back();
  value.type = type;
  value.storage = storage;
  value.index = index;
  value.offset = offset;
  return static_cast<uint32_t>(program_.values.size() - 1);
}

uint32_t ProgramValues::addView(const core::ValueType &type, uint32_t source, View view) {
  uint32_t number = add(type, StorageKind::View, source);
  program_.values.back().view = std::move(view);
  return number;
}

uint32_t ProgramValues::addCoordinate(const Shape &shape, int64_t axis) {
  return add({DType::I64, shape}, StorageKind::Index, static_cast<uint32_t>(axis));
}

uint32_t ProgramValues::addZero(DType dtype) {
  std::vector<uint8_t> &constants = program_.constants;
  constants.resize(llvm::alignTo(constants.size(), BufferPlan::kAlignment));
  const uint32_t zero = add({dtype, Shape()}, StorageKind::Constant, 0, static_cast<int64_t>(constants.size()));
  constants.resize(constants.size() + byteSize(dtype), 0);
  return zero;
}

/// Dtype and shape of a value; most are of the type that was asked about last.
const core::ValueType &ProgramValues::typeOf(Value value) {
  if (value.getType() != knownType_) {
    knownType_ = value.getType();
    knownValueType_ = valueTypeOf(value);
  }
  return knownValueType_;
}

uint32_t ProgramValues::result(unsigned index) {
  auto [it, isNew] = results_.try_emplace(index, 0u);
  if (isNew) {
    Value returned = function_.getBody().front().getTerminator()->getOperand(index);
    it->second = add(valueTypeOf(returned), StorageKind::Result, index);
  }
  return it->second;
}

uint32_t ProgramValues::of(Value value) {
  const uint32_t known = plan_.numberOf(value);
  if (numbers_[known] != kNone)
    return numbers_[known];
  SmallVector<Value> chain{value};
  while (!isKnown(chain.back()) && plan_.place(chain.back()).kind == Place::Kind::View)
    chain.push_back(chain.back().getDefiningOp()->getOperand(0));
  for (Value link : llvm::reverse(chain))
    if (!isKnown(link))
      number(link);
  return numbers_[known];
}

uint32_t ProgramValues::operand(const BufferPlan::Step &step, unsigned i) {
  const uint32_t known = numbers_[plan_.operand(step, i)];
  return known != kNone ? known : of(step.op->getOperand(i));
}

/// Of a value that has no number yet; the source of a view has one.
void ProgramValues::number(Value value) {
  const Place &place = plan_.place(value);
  const core::ValueType &type = typeOf(value);
  uint32_t number = 0;
  switch (place.kind) {
  case Place::Kind::Argument:
    number = add(type, StorageKind::Argument, place.index);
    break;
  case Place::Kind::Result:
    number = result(place.index);
    break;
  case Place::Kind::ViewOfResult:
    number = addView(type, result(place.index), reshapedView());
    break;
  case Place::Kind::Arena:
    number = add(type, StorageKind::Arena, 0, place.offset);
    break;
  case Place::Kind::Constant: {
    DenseElementsAttr constant;
    matchPattern(value.getDefiningOp(), m_Constant(&constant));
    if (!constant.isSplat() || type.shape.rank() == 0) {
      number = add(type, StorageKind::Constant, 0, place.offset);
      break;
    }
    uint32_t scalar = add({type.dtype, Shape()}, StorageKind::Constant, 0, place.offset);
    number = addView(type, scalar, repeatedView(type.shape));
    break;
  }
  case Place::Kind::View:
    number =
        addView(type, numbers_[plan_.numberOf(value.getDefiningOp()->getOperand(0))], viewOf(value.getDefiningOp()));
    break;
  case Place::Kind::Copy: {
    core::ValueType source = valueTypeOf(value.getDefiningOp()->getOperand(0));
    uint32_t copy = add(source, StorageKind::Arena, 0, place.offset);
    copies_[value] = copy;
    number = addView(type, copy, reshapedView());
    break;
  }
  }
  numbers_[plan_.numberOf(value)] = number;
}

} // namespace tenferro::compiler
