// The generators behind CpuModule, one per kernel class.
#ifndef TENFERRO_CODEGEN_CPU_KERNELS_H
#define TENFERRO_CODEGEN_CPU_KERNELS_H

#include "lib/CodeGen/Cpu/CpuCodeGen.h"
#include "lib/CodeGen/Cpu/ScalarBody.h"

namespace tenferro::compiler {

/// What a reduction does with two elements.
enum class Combine : uint8_t { Sum, Prod, Max, Min, Any, All };

/// Lanes a body is vectorised with: as many as its widest value allows.
unsigned lanesFor(const ScalarBody &body, runtime::CpuLevel level);

/// Whether a body of more than `heavy` operations is built once for whole vectors and tail, under a mask all the time:
/// it compiles in half the time and runs a little slower. Never where masks are slow.
bool buildsOnce(const ScalarBody &body, runtime::CpuLevel level, unsigned heavy);

/// Whether buildLongMap takes a kernel: its body is long, raises no errors and asks for no coordinates.
bool isLongMap(const ScalarBody &body, llvm::ArrayRef<runtime::Access> access);

/// As buildMapKernel, with as little code as there can be.
void buildLongMap(KernelModule &module, llvm::StringRef symbol, const ScalarBody &body,
                  llvm::ArrayRef<runtime::Access> access, mlir::Location loc);

/// Whether buildGroupedMap takes an interleaved kernel: its body is long, and the level has registers for it.
bool isGroupedMap(const ScalarBody &body, runtime::CpuLevel level);

/// As buildMapKernel, working on several vectors at a time.
void buildGroupedMap(KernelModule &module, llvm::StringRef symbol, const ScalarBody &body,
                     llvm::ArrayRef<runtime::Access> access, mlir::Location loc);

/// `interleaved` as CpuModule::addMap.
void buildMapKernel(KernelModule &module, llvm::StringRef symbol, const ScalarBody &body,
                    llvm::ArrayRef<runtime::Access> access, bool interleaved, mlir::Location loc);

void buildRowReduction(KernelModule &module, llvm::StringRef symbol, const ScalarBody &body,
                       llvm::ArrayRef<Combine> combines, llvm::ArrayRef<runtime::Access> access, mlir::Location loc);

void buildColumnReduction(KernelModule &module, llvm::StringRef symbol, const ScalarBody &body,
                          llvm::ArrayRef<Combine> combines, llvm::ArrayRef<runtime::Access> access, mlir::Location loc);

MatmulTile buildMatmulKernels(KernelModule &module, llvm::StringRef prefix, mlir::Type element, mlir::Location loc);

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_CPU_KERNELS_H
