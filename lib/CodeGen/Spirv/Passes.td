// Device kernels to SPIR-V for Vulkan.
#ifndef TENFERRO_CODEGEN_SPIRV_PASSES
#define TENFERRO_CODEGEN_SPIRV_PASSES

include "mlir/Pass/PassBase.td"

def GpuToSpirvPass : Pass<"tenferro-gpu-to-spirv", "::mlir::ModuleOp"> {
  let summary = "converts each gpu.module to a spirv.module beside it";
  let description = [{
    One full conversion with upstream's patterns, those of math included, which `convert-gpu-to-spirv` leaves out. The
    target is what a Vulkan 1.3 device with 64-bit and 8-bit types offers; `spirv-update-vce` shrinks it to what a module
    uses. Buffers are bindings of set 0 in the order of the kernel's arguments; the memory of a group is a global variable.

    ```mlir
    // before
    gpu.func @k(%x: memref<4xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} { ... }
    // after
    spirv.func @k(%x: !spirv.ptr<!spirv.struct<(!spirv.array<4 x f32, stride=4> [0])>, StorageBuffer>
        {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}) "None"
        attributes {spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [128, 1, 1]>} { ... }
    ```
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def SpirvExactArithmeticPass : Pass<"tenferro-spirv-exact-arithmetic", "::mlir::spirv::ModuleOp"> {
  let summary = "forbids a driver to change arithmetic";
  let description = [{
    Products and sums are `NoContraction`, so that no multiply-add comes out of them; entry points ask for subnormals,
    infinities, NaN and the sign of zero to be kept and for rounding to nearest even, by the widths they use; buffers are
    `Aliased`, since an output may be the memory of an input. Run it after `spirv-update-vce`.

    What Vulkan leaves open all the same: division and square root in f32 may be off by 2.5 units in the last place, and
    `Fma` may round twice.

    ```mlir
    // before
    %2 = spirv.FMul %0, %1 : f32
    // after
    %2 = spirv.FMul %0, %1 {no_contraction} : f32
    spirv.ExecutionMode @k "SignedZeroInfNanPreserve", 32
    ```
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def WriteSpirvPass : Pass<"tenferro-write-spirv", "::mlir::ModuleOp"> {
  let summary = "writes each spirv.module to a file";
  let description = [{
    Module `__spv__f_kernels` becomes `f_kernels.spv` in the folder `output`, which is made if need be. Without a folder
    modules are serialized and dropped: what cannot be serialized is an error.

    ```
    tenferro-opt f.mlir --tenferro-spirv-pipeline=output=out && spirv-val --target-env vulkan1.3 out/f_kernels.spv
    ```
  }];
  let options = [Option<"output", "output", "std::string", "\"\"", "folder for the files">];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

#endif // TENFERRO_CODEGEN_SPIRV_PASSES
