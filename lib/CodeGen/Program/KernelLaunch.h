// Launches of kernels to be generated, and the functions they name.
#ifndef TENFERRO_CODEGEN_PROGRAM_KERNELLAUNCH_H
#define TENFERRO_CODEGEN_PROGRAM_KERNELLAUNCH_H

#include "dialects/tenferro/Structure.h"
#include "lib/CodeGen/Program/ProgramValues.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <utility>
#include <vector>

namespace tenferro::compiler {

/// One kernel to generate. A reduction has a row function and may have a column function, a map has one.
struct KernelRequest {
  mlir::linalg::GenericOp generic;
  bool isReduction = false;
  llvm::SmallVector<runtime::Access> access;
  /// Everything the code depends on: body, element types, access. Equal keys mean equal code; shapes do not enter.
  std::string key;
  std::vector<std::string> symbols;
};

/// The functions of a program, equal bodies one.
class KernelFunctions {
public:
  /// Of the function that runs this body.
  uint32_t numberOf(mlir::linalg::GenericOp generic, bool isReduction, bool rowOnly,
                    llvm::ArrayRef<runtime::Access> access);

  std::vector<KernelRequest> takeKernels() { return std::move(kernels_); }
  std::vector<std::string> takeSymbols() { return std::move(symbols_); } ///< by function number

private:
  llvm::StringMap<uint32_t> numbers_; ///< by key
  std::vector<KernelRequest> kernels_;
  std::vector<std::string> symbols_;
};

/// A diagnostic unless it is what tenferro-to-linalg makes: one generic from the inputs to the results, which it fills
/// in order.
mlir::LogicalResult checkKernel(ir::KernelOp kernel);

/// The launch of a kernel that passed `checkKernel`.
runtime::Launch launchOf(ir::KernelOp kernel, const BufferPlan &plan, ProgramValues &values,
                         KernelFunctions &functions);

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_PROGRAM_KERNELLAUNCH_H
