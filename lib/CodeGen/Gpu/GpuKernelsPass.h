// Declares and registers the pass that makes device kernels.
#ifndef TENFERRO_CODEGEN_GPU_GPUKERNELSPASS_H
#define TENFERRO_CODEGEN_GPU_GPUKERNELSPASS_H

#include "mlir/Pass/Pass.h"

namespace tenferro::compiler {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/CodeGen/Gpu/Passes.h.inc"

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_GPU_GPUKERNELSPASS_H
