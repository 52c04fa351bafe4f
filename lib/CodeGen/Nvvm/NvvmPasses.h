// Declares and registers the passes to PTX.
#ifndef TENFERRO_CODEGEN_NVVM_NVVMPASSES_H
#define TENFERRO_CODEGEN_NVVM_NVVMPASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace tenferro::compiler {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/CodeGen/Nvvm/Passes.h.inc"

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_NVVM_NVVMPASSES_H
