// The operands of a kernel under construction: where each one is and how a vector of it is read.
#ifndef TENFERRO_CODEGEN_CPU_KERNELOPERANDS_H
#define TENFERRO_CODEGEN_CPU_KERNELOPERANDS_H

#include "lib/CodeGen/Cpu/ScalarBody.h"

namespace tenferro::compiler {

/// Walks the inputs and outputs of a kernel over two nested dimensions: `fixed`, one position at a time, and the vectorised one.
/// Arguments are those of MapKernel and ReduceKernel: operands' addresses and two arrays of strides.
class KernelOperands {
public:
  /// Loads addresses and strides; `along` holds the strides of the vectorised dimension, `across` the other's.
  KernelOperands(KernelBuilder &builder, const ScalarBody &body, llvm::ArrayRef<runtime::Access> access, unsigned lanes,
                 mlir::Value args, mlir::Value along, mlir::Value across);

  /// The addresses (first coordinates for Access::Index) of inputs and outputs at position `i` of the other dimension.
  llvm::SmallVector<mlir::Value> at(mlir::Value i);

  /// Inputs that do not change along the vectorised dimension, as vectors, loaded once: pass it to `inputs`.
  llvm::SmallVector<mlir::Value> uniform(llvm::ArrayRef<mlir::Value> places);

  /// Input vectors of the iterations from `i` on.
  llvm::SmallVector<mlir::Value> inputs(llvm::ArrayRef<mlir::Value> places, llvm::ArrayRef<mlir::Value> uniform,
                                        mlir::Value i, const LaneMask &mask);

  /// Address of output `o` at element `i` of the vectorised dimension, which it runs along with unit stride.
  mlir::Value output(llvm::ArrayRef<mlir::Value> places, unsigned o, mlir::Value i);
  mlir::Value outputPlace(llvm::ArrayRef<mlir::Value> places, unsigned o) { return places[body_.inputs() + o]; }

private:
  KernelBuilder &builder_;
  const ScalarBody &body_;
  llvm::SmallVector<runtime::Access> access_;
  unsigned lanes_;
  llvm::SmallVector<mlir::Value> first_, across_, step_, ramp_;
};

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_CPU_KERNELOPERANDS_H
