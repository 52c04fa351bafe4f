// The precompiled kernels: which ones there are, and the linalg.generic of each.
#ifndef TENFERRO_TOOLS_AOT_KERNELLIST_H
#define TENFERRO_TOOLS_AOT_KERNELLIST_H

#include "lib/Core/Graph.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/kernels/Tier0.h"

#include <functional>
#include <string>
#include <vector>

namespace tenferro::aot {

/// One kernel of the table before it has code.
struct KernelSpec {
  std::string name;
  runtime::Tier0Class kind = runtime::Tier0Class::Map;
  std::vector<DType> inputs; ///< those in memory
  bool coordinate = false;   ///< one more input: the coordinate
  DType output{};
  std::string reduction; ///< of Tier0Class::Reduce: the mnemonic ("sum")
  /// The scalar meaning on i1, i8, i32, i64, f32 and f64; not set for Tier0Class::Matmul.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)> body;

  unsigned inputCount() const { return inputs.size() + coordinate; }
};

/// Every operation of the dialect that has a kernel, on every dtype its shape rule takes, sorted by name. `scratch` is a
/// module that receives the operations the bodies are asked of; it outlives them. Empty, with a diagnostic, if an operation's attributes
/// are of a kind that no kernel list covers.
std::vector<KernelSpec> listKernels(mlir::ModuleOp scratch);

/// The generic of a kernel, in a new function of `scratch`.
mlir::linalg::GenericOp buildGeneric(mlir::ModuleOp scratch, const KernelSpec &spec);

/// The element type of a dtype in memory: i8 for bool and u8.
mlir::Type memoryType(mlir::MLIRContext *context, DType dtype);

} // namespace tenferro::aot

#endif // TENFERRO_TOOLS_AOT_KERNELLIST_H
