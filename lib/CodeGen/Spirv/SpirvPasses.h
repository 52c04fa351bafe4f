// Declares and registers the passes to SPIR-V.
#ifndef TENFERRO_CODEGEN_SPIRV_SPIRVPASSES_H
#define TENFERRO_CODEGEN_SPIRV_SPIRVPASSES_H

#include "mlir/Pass/Pass.h"

namespace tenferro::compiler {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/CodeGen/Spirv/Passes.h.inc"

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_SPIRV_SPIRVPASSES_H
