// The CPU code generator as a pass, for tenferro-opt.
#ifndef TENFERRO_CODEGEN_CPU_PASSES
#define TENFERRO_CODEGEN_CPU_PASSES

include "mlir/Pass/PassBase.td"

def CpuKernelsPass : Pass<"tenferro-cpu-kernels", "::mlir::ModuleOp"> {
  let summary = "replaces a module by the CPU kernels of its linalg.generics";
  let description = [{
    Shows what the code generator makes of kernels; compilation calls the generator itself. Generic number i becomes
    `@map<i>`, or, if it has the attribute `tenferro.reduction`, `@row<i>` and `@column<i>`; every memory operand is
    read with unit stride.

    Before:

    ```mlir
    linalg.generic {...} ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %a : f32
      linalg.yield %c : f32
    }
    ```

    After:

    ```mlir
    llvm.func @map0(%args: !llvm.ptr, %inner: !llvm.ptr, %outer: !llvm.ptr, %n: i64, %m: i64) -> i64 {
      scf.for ... {
        %c = arith.addf %a, %a : vector<16xf32>
      }
    }
    ```
  }];
  let options = [
    Option<"level", "level", "int", "4", "feature level: 3 or 4 (x86-64-v3 or v4)">,
    Option<"stage", "stage", "std::string", "\"vector\"", "vector (scf and arith), llvm (LLVM dialect), ir (LLVM IR, printed) or asm (printed)">,
  ];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect", "mlir::func::FuncDialect",
                           "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect", "mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numKernels", "num-kernels", "Number of kernels generated">];
}

#endif // TENFERRO_CODEGEN_CPU_PASSES
