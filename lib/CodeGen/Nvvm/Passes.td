// Device kernels to PTX.
#ifndef TENFERRO_CODEGEN_NVVM_PASSES
#define TENFERRO_CODEGEN_NVVM_PASSES

include "mlir/Pass/PassBase.td"

def GpuToNvvmPass : Pass<"tenferro-gpu-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "converts the kernels of a gpu.module to the LLVM and NVVM dialects";
  let description = [{
    One conversion with upstream's patterns. `convert-gpu-to-nvvm` would call libdevice even for what is one instruction
    (`__nv_fmaf`, `__nv_sqrt`); here nothing does. Kernels have unstructured control flow (`convert-scf-to-cf`) and take a
    pointer per buffer.

    ```mlir
    // before
    gpu.func @k(%x: memref<4xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} { ... }
    // after
    llvm.func @k(%x: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>} { ... }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def WritePtxPass : Pass<"tenferro-write-ptx", "::mlir::ModuleOp"> {
  let summary = "generates PTX of each gpu.module and writes it to a file";
  let description = [{
    Takes modules in the LLVM and NVVM dialects. Module `f_kernels` becomes `f_kernels.ptx` in the folder `output`, which is made
    if need be; without a folder the text is generated and dropped. Products and sums carry their rounding (`mul.rn`,
    `add.rn`), which forbids ptxas to contract them; division and square root are the correctly rounded ones, subnormals
    are kept. Nothing of libdevice is called: functions are expanded before.

    ```
    tenferro-opt f.mlir --tenferro-nvvm-pipeline="chip=sm_90 output=out" && ptxas -arch=sm_90 out/f_kernels.ptx
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_80\"", "compute capability: sm_80, sm_90, ...">,
    Option<"output", "output", "std::string", "\"\"", "folder for the files">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // TENFERRO_CODEGEN_NVVM_PASSES
