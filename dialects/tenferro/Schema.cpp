// Types and attributes between IR and lib/Core; verification.
#include "dialects/tenferro/Schema.h"

#include "lib/Core/ShapeRules.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"

#include <array>
#include <mutex>

using namespace mlir;

namespace tenferro::ir {

Type elementTypeToIr(MLIRContext *context, DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return IntegerType::get(context, 1);
  case DType::U8:
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  case DType::I32:
    return IntegerType::get(context, 32);
  case DType::I64:
    return IntegerType::get(context, 64);
  case DType::F32:
    return Float32Type::get(context);
  case DType::F64:
    return Float64Type::get(context);
  default:
    return {};
  }
}

std::optional<DType> elementTypeFromIr(Type type) {
  if (type.isF32())
    return DType::F32;
  if (type.isF64())
    return DType::F64;
  if (type.isSignlessInteger(1))
    return DType::Bool;
  if (type.isUnsignedInteger(8))
    return DType::U8;
  if (type.isSignlessInteger(32))
    return DType::I32;
  if (type.isSignlessInteger(64))
    return DType::I64;
  return std::nullopt;
}

RankedTensorType typeToIr(MLIRContext *context, const core::ValueType &type) {
  Type element = elementTypeToIr(context, type.dtype);
  if (!element)
    return {};
  return RankedTensorType::get(ArrayRef(type.shape.data(), type.shape.size()), element);
}

std::optional<core::ValueType> typeFromIr(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding())
    return std::nullopt;
  std::optional<DType> dtype = elementTypeFromIr(tensor.getElementType());
  if (!dtype)
    return std::nullopt;
  return core::ValueType{*dtype, Shape(tensor.getShape().data(), tensor.getShape().size())};
}

namespace {
/// Operations by their class, which is the same in every context: names are compared once for a process.
struct SchemaTable {
  llvm::DenseMap<TypeID, const core::OpSchema *> byClass;
  std::array<TypeID, core::kOpKindCount> classes;
};
} // namespace

static SchemaTable schemaTable;

void detail::registerSchemas(MLIRContext *context) {
  static std::once_flag once;
  std::call_once(once, [&] {
    for (RegisteredOperationName name : context->getRegisteredOperations()) {
      const core::OpSchema *schema =
          name.getDialectNamespace() == "tenferro" ? core::findSchema(name.stripDialect()) : nullptr;
      if (schema) {
        schemaTable.byClass[name.getTypeID()] = schema;
        schemaTable.classes[static_cast<size_t>(schema->kind)] = name.getTypeID();
      }
    }
  });
}

/// The schema of an operation that a trace can hold, else null.
static const core::OpSchema *schemaOf(Operation *op) { return schemaTable.byClass.lookup(op->getName().getTypeID()); }

std::optional<core::OpKind> kindOf(Operation *op) {
  if (const core::OpSchema *schema = schemaOf(op))
    return schema->kind;
  return std::nullopt;
}

/// Appends one attribute to the flat form. `result` is null while the result is being inferred.
static void encode(const core::AttributeSchema &row, Attribute attribute, RankedTensorType result,
                   core::Attributes &flat) {
  switch (row.kind) {
  case core::AttributeKind::Int:
  case core::AttributeKind::Enum:
    if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute))
      flat.push_back(integer.getValue().getSExtValue());
    return;
  case core::AttributeKind::IntArray: {
    auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attribute);
    ArrayRef<int64_t> values = array ? array.asArrayRef() : ArrayRef<int64_t>();
    flat.push_back(static_cast<int64_t>(values.size()));
    for (int64_t value : values)
      flat.push_back(value);
    return;
  }
  case core::AttributeKind::ResultShape:
    flat.push_back(result.getRank());
    for (int64_t extent : result.getShape())
      flat.push_back(extent);
    return;
  case core::AttributeKind::ResultDType:
    if (std::optional<DType> dtype = elementTypeFromIr(result.getElementType()))
      flat.push_back(static_cast<int64_t>(*dtype));
    return;
  }
}

core::Attributes encodeAttributes(Operation *op) {
  core::Attributes flat;
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  for (const core::AttributeSchema &row : schemaOf(op)->attributes)
    encode(row, op->getAttr(StringRef(row.name)), result, flat);
  return flat;
}

Operation *createOp(OpBuilder &builder, Location loc, core::OpKind kind, ValueRange operands,
                    const core::Attributes &attributes, const core::ValueType &result) {
  const core::OpSchema &schema = core::schema(kind);
  MLIRContext *context = builder.getContext();
  OperationState state(loc, *RegisteredOperationName::lookup(schemaTable.classes[static_cast<size_t>(kind)], context));
  state.addOperands(operands);
  state.addTypes(typeToIr(context, result));
  size_t at = 0;
  for (const core::AttributeSchema &row : schema.attributes) {
    StringRef name(row.name);
    switch (row.kind) {
    case core::AttributeKind::Int:
      state.addAttribute(name, builder.getI64IntegerAttr(attributes[at++]));
      break;
    case core::AttributeKind::Enum:
      state.addAttribute(name, builder.getI32IntegerAttr(attributes[at++]));
      break;
    case core::AttributeKind::IntArray: {
      size_t count = static_cast<size_t>(attributes[at++]);
      state.addAttribute(name, builder.getDenseI64ArrayAttr(ArrayRef(attributes.data() + at, count)));
      at += count;
      break;
    }
    case core::AttributeKind::ResultShape:
      at += 1 + static_cast<size_t>(attributes[at]);
      break;
    case core::AttributeKind::ResultDType:
      ++at;
      break;
    }
  }
  return builder.create(state);
}

void nameResultsByLocation(Operation *op, OpAsmSetValueNameFn setName) {
  if (auto named = op->getLoc()->findInstanceOf<NameLoc>())
    for (Value result : op->getResults())
      setName(result, named.getName());
}

namespace detail {

/// Appends the types for lib/Core; returns the first that is not ours, or null.
static Type coreTypes(TypeRange types, SmallVectorImpl<core::ValueType> &converted) {
  for (Type type : types) {
    std::optional<core::ValueType> ours = typeFromIr(type);
    if (!ours)
      return type;
    converted.push_back(*ours);
  }
  return {};
}

static constexpr const char *kForeignType = "expects tensors of static shape and known dtype, but got ";

LogicalResult verifyBySchema(Operation *op) {
  const core::OpSchema *schema = schemaOf(op);
  SmallVector<core::ValueType> operands, results;
  Type foreign = coreTypes(op->getOperandTypes(), operands);
  if (!foreign)
    foreign = coreTypes(op->getResultTypes(), results);
  if (foreign)
    return op->emitOpError(kForeignType) << foreign;
  core::Expected<core::ValueType> result =
      core::inferResult(schema->kind, {operands.data(), operands.size()}, encodeAttributes(op));
  if (!result)
    return op->emitOpError(result.failure().message);
  if (!(*result == results.front()))
    return op->emitOpError("expects a result of ")
           << typeToIr(op->getContext(), *result) << ", but got " << op->getResult(0).getType();
  return success();
}

/// The result of an element-wise operation without attributes on tensors of one shape: the rule, asked about scalars of
/// these dtypes, so that no shape is copied. Null where that does not tell, or the rule is broken.
static Type inferElementwise(const core::OpSchema &schema, TypeRange operands) {
  constexpr size_t kMost = 4;
  if (!schema.elementwise || !schema.attributes.empty() || operands.empty() || operands.size() > kMost)
    return {};
  core::ValueType scalars[kMost];
  ArrayRef<int64_t> shape;
  for (auto [i, type] : llvm::enumerate(operands)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding() || (i && tensor.getShape() != shape))
      return {};
    shape = tensor.getShape();
    std::optional<DType> dtype = elementTypeFromIr(tensor.getElementType());
    if (!dtype)
      return {};
    scalars[i].dtype = *dtype;
  }
  if (!Shape(shape.data(), shape.size()).isValid())
    return {};
  core::Expected<core::ValueType> result = core::inferResult(schema.kind, {scalars, operands.size()}, {});
  if (!result || result->shape.rank() != 0)
    return {};
  for (auto [i, type] : llvm::enumerate(operands))
    if (scalars[i].dtype == result->dtype)
      return type;
  return RankedTensorType::get(shape, elementTypeToIr(operands.front().getContext(), result->dtype));
}

LogicalResult inferBySchema(const core::OpSchema &schema, std::optional<Location> loc, ValueRange operands,
                            DictionaryAttr attributes, SmallVectorImpl<Type> &results) {
  if (Type type = inferElementwise(schema, operands.getTypes())) {
    results.push_back(type);
    return success();
  }
  StringRef mnemonic(schema.mnemonic);
  SmallVector<core::ValueType> types;
  if (Type foreign = coreTypes(operands.getTypes(), types))
    return emitOptionalError(loc, "'tenferro.", mnemonic, "' op ", kForeignType, foreign);
  core::Attributes flat;
  for (const core::AttributeSchema &row : schema.attributes)
    encode(row, attributes ? attributes.get(StringRef(row.name)) : Attribute(), {}, flat);
  core::Expected<core::ValueType> result = core::inferResult(schema.kind, {types.data(), types.size()}, flat);
  if (!result)
    return emitOptionalError(loc, "'tenferro.", mnemonic, "' op ", result.failure().message);
  results.push_back(typeToIr(operands.front().getContext(), *result));
  return success();
}

} // namespace detail
} // namespace tenferro::ir
