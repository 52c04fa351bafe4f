// Between IR and lib/Core: types, attributes and operation kinds, both ways, and verification by lib/Core's rules.
#ifndef TENFERRO_DIALECT_SCHEMA_H
#define TENFERRO_DIALECT_SCHEMA_H

#include "lib/Core/Expected.h"
#include "lib/Core/Graph.h"
#include "lib/Core/OpSchema.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include <optional>

namespace tenferro::ir {

/// The element type of a dtype: bool is i1, u8 is ui8. Null for dtypes the dialect does not have.
mlir::Type elementTypeToIr(mlir::MLIRContext *context, DType dtype);
/// The dtype of an element type, if it is one.
std::optional<DType> elementTypeFromIr(mlir::Type type);

/// The tensor type of a value; null for dtypes the dialect does not have.
mlir::RankedTensorType typeToIr(mlir::MLIRContext *context, const core::ValueType &type);
/// The dtype and shape of a tensor type, if it is a static one of our element types.
std::optional<core::ValueType> typeFromIr(mlir::Type type);

/// The kind of an operation that a trace can hold; nothing for other operations.
std::optional<core::OpKind> kindOf(mlir::Operation *op);

/// An operation's attributes in the flat form of its schema. The operation must have a kind.
core::Attributes encodeAttributes(mlir::Operation *op);

/// The operation of that kind. The caller has inferred `result` by lib/Core's rule, so the operation verifies.
mlir::Operation *createOp(mlir::OpBuilder &builder, mlir::Location loc, core::OpKind kind, mlir::ValueRange operands,
                          const core::Attributes &attributes, const core::ValueType &result);

/// Names the results after the name in the operation's location, if it has one.
void nameResultsByLocation(mlir::Operation *op, mlir::OpAsmSetValueNameFn setName);

namespace detail {
/// Called when a dialect is loaded into a context, before any operation of it is built.
void registerSchemas(mlir::MLIRContext *context);
llvm::LogicalResult verifyBySchema(mlir::Operation *op);
llvm::LogicalResult inferBySchema(const core::OpSchema &schema, std::optional<mlir::Location> loc,
                                  mlir::ValueRange operands, mlir::DictionaryAttr attributes,
                                  llvm::SmallVectorImpl<mlir::Type> &results);
} // namespace detail

/// Operations whose result type lib/Core's rule infers and whose verifier is that rule.
template <typename ConcreteOp> class SchemaOp : public mlir::OpTrait::TraitBase<ConcreteOp, SchemaOp> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return detail::verifyBySchema(op); }
};

/// The body of `inferReturnTypes` of every operation with inferred results.
template <typename ConcreteOp>
llvm::LogicalResult inferResultBySchema(mlir::MLIRContext *context, std::optional<mlir::Location> loc,
                                        mlir::ValueRange operands, mlir::DictionaryAttr attributes,
                                        mlir::OpaqueProperties properties, llvm::SmallVectorImpl<mlir::Type> &results) {
  static const core::OpSchema *schema = core::findSchema(ConcreteOp::getOperationName().split('.').second);
  if constexpr (requires(typename ConcreteOp::Properties &p) { ConcreteOp::getPropertiesAsAttr(context, p); }) {
    if (properties)
      attributes = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(
          ConcreteOp::getPropertiesAsAttr(context, *properties.as<typename ConcreteOp::Properties *>()));
  }
  return detail::inferBySchema(*schema, loc, operands, attributes, results);
}

} // namespace tenferro::ir

#endif // TENFERRO_DIALECT_SCHEMA_H
