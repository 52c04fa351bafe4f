// From the LLVM dialect to an ELF object for one CPU level.
#ifndef TENFERRO_CODEGEN_CPU_OBJECTEMITTER_H
#define TENFERRO_CODEGEN_CPU_OBJECTEMITTER_H

#include "lib/CodeGen/Cpu/CpuCodeGen.h"

namespace tenferro::compiler {

/// Translates `module` (LLVM dialect only) and generates code. Generic features of the level, never the host's; no
/// fused multiply-add that was not written; no call to anything outside the object but functions of the runtime.
/// Thread-safe.
mlir::FailureOr<std::vector<uint8_t>> emitCpuObject(mlir::ModuleOp module, runtime::CpuLevel level,
                                                    const DumpCallback &dump);

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_CPU_OBJECTEMITTER_H
