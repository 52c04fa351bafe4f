// What lib/AutoDiff needs of the dialect beyond its operations, so that it includes no op header.
#ifndef TENFERRO_DIALECT_DERIVATIVEDIALECTINTERFACE_H
#define TENFERRO_DIALECT_DERIVATIVEDIALECTINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectInterface.h"

#include <string>

namespace tenferro::ir {

/// Builders of the few operations the differentiation engine itself emits, and the attribute that names a rule.
class DerivativeDialectInterface : public mlir::DialectInterface::Base<DerivativeDialectInterface> {
public:
  explicit DerivativeDialectInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// Whether the dialect has values of this type.
  virtual bool hasType(mlir::Type type) const = 0;
  /// a + b, of equal types.
  virtual mlir::Value add(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a, mlir::Value b) const = 0;
  /// A tensor of +0 of this type: the materialised form of an absent derivative.
  virtual mlir::Value zero(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type) const = 0;
  /// A tensor of ones: the seed of a scalar loss.
  virtual mlir::Value one(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type) const = 0;
  /// Whether this operation is a splat of zeros (counts as linear for the linearity verifier).
  virtual bool isZero(mlir::Operation *op) const = 0;
  /// What an operation is called where it is explained: "log"; the user's name for a function or kernel that a user
  /// brought, and for its derivative that waits.
  virtual llvm::StringRef explainedName(mlir::Operation *op) const = 0;
  /// The operand of what `explainedName` names that operand `operand` of `op` stands for; -1 for none.
  virtual int64_t explainedOperand(mlir::Operation *op, int64_t operand) const = 0;
  /// The function a user gave to push `op` forward, its last `tangents` arguments being tangents; null if there is
  /// none.
  struct ForwardRule {
    mlir::FlatSymbolRefAttr function;
    unsigned tangents = 0;
  };
  virtual ForwardRule forwardRule(mlir::Operation *op) const = 0;
  /// `#tenferro.rule<...>`: metadata for the fused location of everything a rule emits. operand is -1 for a tangent.
  virtual mlir::Attribute rule(mlir::MLIRContext *context, llvm::StringRef op, bool cotangent, int64_t operand,
                               int64_t order) const = 0;
  /// The order a rule attribute carries, 0 if the attribute is none.
  virtual int64_t ruleOrder(mlir::Attribute rule) const = 0;
  /// What rule attributes call an operation: `explainedName`, behind an '@' if a user chose it, so that it is no
  /// mnemonic.
  virtual std::string ruleName(mlir::Operation *op) const = 0;
  /// The primal operation a rule attribute names as `ruleName` does, empty if the attribute is none.
  virtual llvm::StringRef ruleOp(mlir::Attribute rule) const = 0;
  /// What the rule made, in words: "mul: cotangent of operand 0"; "seed" where a derivative starts. Empty if the
  /// attribute is none.
  virtual std::string ruleTerm(mlir::Attribute rule) const = 0;
};

} // namespace tenferro::ir

#endif // TENFERRO_DIALECT_DERIVATIVEDIALECTINTERFACE_H
