// Reductions on a device, in the order of the tree of runtime/core/KernelAbi.h.
#ifndef TENFERRO_CODEGEN_GPU_REDUCTION_H
#define TENFERRO_CODEGEN_GPU_REDUCTION_H

#include "lib/CodeGen/Gpu/KernelWriter.h"

#include <optional>

namespace tenferro::compiler {

/// What a device reduction does with two elements.
enum class DeviceCombine : uint8_t { Sum, Prod, Max, Min, Any, All };

/// The kind of a reduction by the operation's name; nothing for those that have no kernel.
std::optional<DeviceCombine> combineOf(llvm::StringRef mnemonic);

/// A reduction of elements made by `element` at the coordinates of `iteration`, over its first `reducedRank`
/// dimensions; output o, strided over the other dimensions, is the result under `combines[o]`.
struct DeviceReduction {
  using Element = llvm::function_ref<llvm::SmallVector<mlir::Value>(KernelWriter &, mlir::ValueRange coordinates)>;

  mlir::Location loc;
  std::string label;
  Shape iteration;
  size_t reducedRank;
  llvm::SmallVector<DeviceCombine> combines;
  llvm::SmallVector<Operand> inputs, outputs; ///< what `element` loads, and where results go
  Element element;
  bool fallible = false;
};

/// One launch per level of the tree: blocks of 4096 elements, then their results.
void emitReduction(DeviceProgram &program, const DeviceReduction &reduction);

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_GPU_REDUCTION_H
