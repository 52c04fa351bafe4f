// What planning reads of an operation of the dialect without knowing its class.
#include "lib/Transforms/OpFacts.h"

#include "dialects/tenferro/Schema.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tenferro::compiler {

const core::OpSchema *schemaOf(Operation *op) {
  std::optional<core::OpKind> kind = ir::kindOf(op);
  return kind ? &core::schema(*kind) : nullptr;
}

bool isConstant(Operation *op) { return !ir::kindOf(op) && op->hasTrait<OpTrait::ConstantLike>(); }

IntList listAttribute(Operation *op, StringRef name) {
  Attribute attribute = op->getAttr(name);
  if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
    return IntList(list.asArrayRef().data(), static_cast<size_t>(list.size()));
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute))
    return IntList{integer.getInt()};
  return {};
}

core::ValueType valueTypeOf(Value value) { return *ir::typeFromIr(value.getType()); }

int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() * static_cast<int64_t>(byteSize(*ir::elementTypeFromIr(type.getElementType())));
}

ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

} // namespace tenferro::compiler
