// The body of a kernel taken out of its linalg.generic, and its reconstruction on vectors.
#ifndef TENFERRO_CODEGEN_CPU_SCALARBODY_H
#define TENFERRO_CODEGEN_CPU_SCALARBODY_H

#include "lib/CodeGen/Cpu/KernelBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tenferro::compiler {

/// Whether the operation is tenferro.raise_if.
bool isRaise(mlir::Operation &op);

/// What a value of this type is in kernels, where coordinates are i64.
mlir::Type kernelType(mlir::Type type);

/// A body as a scalar function of its own: arguments are the memory inputs' elements, then one i64 coordinate for each
/// dimension the body asks for; results are the elements it yields.
class ScalarBody {
public:
  /// Copies the body of `generic` and expands its math functions. Everything in it can be rebuilt on vectors, or a
  /// diagnostic says what cannot.
  static mlir::FailureOr<ScalarBody> extract(mlir::linalg::GenericOp generic);

  unsigned memoryInputs() const { return memoryInputs_; }
  unsigned inputs() const { return memoryInputs_ + indexInputs_; }
  unsigned outputs() const { return outputTypes_.size(); }
  mlir::Type inputType(unsigned i) const { return inputTypes_[i]; }
  mlir::Type outputType(unsigned i) const { return outputTypes_[i]; }
  bool fallible() const { return fallible_; }

  /// Operations other than constants: how heavy one application is.
  unsigned weight() const { return weight_; }

  /// Bits of an element that vectors are filled by: of the widest one in memory, but half of the widest value in
  /// between at least, which then takes two registers.
  unsigned elementBits() const { return std::max(memoryBits_, widestBits_ / 2); }

  /// Whether values in between, but for those of rare parts, are wider than the vectors' elements.
  bool widens() const;

  /// Whether parts for rare values stand behind branches.
  bool branches() const;

  /// Rebuilds the body on vectors of `lanes` elements. `status` is updated if the body is fallible; lanes outside
  /// `mask` (null: all lanes count) raise nothing.
  llvm::SmallVector<mlir::Value> apply(KernelBuilder &builder, unsigned lanes, mlir::ValueRange inputs,
                                       mlir::Value mask, mlir::Value &status) const;

private:
  mlir::LogicalResult inspect();

  mlir::OwningOpRef<mlir::func::FuncOp> function_;
  unsigned memoryInputs_ = 0, indexInputs_ = 0;
  llvm::SmallVector<mlir::Type> inputTypes_, outputTypes_;
  bool fallible_ = false;
  unsigned weight_ = 0, memoryBits_ = 8, widestBits_ = 8;
};

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_CPU_SCALARBODY_H
