// Kernels for x86-64: scalar bodies in, a position-independent object out. The just-in-time path and tenferro-aot both
// come through here, which is why their bits agree.
#ifndef TENFERRO_CODEGEN_CPU_CPUCODEGEN_H
#define TENFERRO_CODEGEN_CPU_CPUCODEGEN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"
#include "runtime/core/KernelAbi.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tenferro::compiler {

/// Readable stages of one emission, for `tenferro-opt` and bug reports: called with "llvm" (LLVM IR) and "asm".
using DumpCallback = std::function<void(llvm::StringRef stage, llvm::StringRef text)>;

/// The register tile of a matrix product's kernels.
struct MatmulTile {
  int columns = 0; ///< the widest kernel: `<prefix>1` to `<prefix><columns>` exist
  int rows = 0;    ///< most rows one call may take
};

/// Dialects whose operations the generator creates; a context that compiles kernels must have them registered.
void registerCpuCodeGenDialects(mlir::DialectRegistry &registry);

/// Operations of a kernel's body other than constants once its math functions are expanded: how heavy one application is.
mlir::FailureOr<unsigned> weightOf(mlir::linalg::GenericOp generic);

struct KernelModule;

/// One object file in the making: kernels are added, then the object is emitted once.
///
/// A kernel is described by a `linalg.generic` on memrefs whose body is scalar arith and math, `linalg.index` and
/// `tenferro.raise_if`. Shapes and indexing maps are not looked at: sizes and strides come at run time. Operands of the
/// kernel are the generic's inputs, then one Access::Index operand for each dimension that `linalg.index` names
/// (ordered by dimension, steps 1), then its outputs. Memory of bools is i8 in the body. Failures are diagnostics on
/// the context that name the operation at fault.
class CpuModule {
public:
  /// `context` outlives the module and is single-threaded while it works.
  CpuModule(mlir::MLIRContext *context, runtime::CpuLevel level);
  ~CpuModule();
  CpuModule(const CpuModule &) = delete;
  CpuModule &operator=(const CpuModule &) = delete;

  /// Adds `symbol` with the ABI of `runtime::MapKernel`. `access` has one entry per kernel operand, outputs Unit. With
  /// `interleaved`, long bodies work on four vectors at a time where there are registers: up to a half faster, and three
  /// times as long to compile.
  mlir::LogicalResult addMap(llvm::StringRef symbol, mlir::linalg::GenericOp generic,
                             llvm::ArrayRef<runtime::Access> access, bool interleaved = false);

  /// Adds a row and a column kernel with the ABI of `runtime::ReduceKernel`. The body computes the element to reduce;
  /// how is the generic's attribute `tenferro.reduction`: "sum", "prod", "max", "min", "any" or "all", or an array of
  /// these, one per output (i8 counts as unsigned, for any and all as bool). An empty symbol leaves that kernel out.
  mlir::LogicalResult addReduce(llvm::StringRef rowSymbol, llvm::StringRef columnSymbol,
                                mlir::linalg::GenericOp generic, llvm::ArrayRef<runtime::Access> rowAccess,
                                llvm::ArrayRef<runtime::Access> columnAccess);

  /// Adds `<prefix>1`, `<prefix>2`, ... with the ABI of `runtime::MatmulKernel` for f32, f64, i32, i64 or i8 elements.
  mlir::FailureOr<MatmulTile> addMatmul(llvm::StringRef prefix, mlir::Type element);

  /// The kernels so far, before they leave MLIR (scf, arith, math and llvm operations).
  mlir::ModuleOp module() { return *module_; }

  /// Converts what `module()` holds to the LLVM dialect in place. `emitObject` does it where it has not happened.
  mlir::LogicalResult convertToLLVM();

  /// The ELF object: symbols as added, no undefined one but functions of the runtime, only relocations the loader
  /// takes.
  mlir::FailureOr<std::vector<uint8_t>> emitObject(const DumpCallback &dump = {});

private:
  mlir::MLIRContext *context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::unique_ptr<KernelModule> kernels_;
  bool converted_ = false;
};

} // namespace tenferro::compiler

#endif // TENFERRO_CODEGEN_CPU_CPUCODEGEN_H
