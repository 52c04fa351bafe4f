// Declares and registers the pass over the CPU code generator.
#ifndef TENFERRO_CODEGEN_CPU_CPUKERNELSPASS_H
#define TENFERRO_CODEGEN_CPU_CPUKERNELSPASS_H

#include "mlir/Pass/Pass.h"

namespace tenferro::compiler {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/CodeGen/Cpu/Passes.h.inc"

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_CPU_CPUKERNELSPASS_H
