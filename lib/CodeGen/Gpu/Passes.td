// Kernels for devices, whichever target they are for.
#ifndef TENFERRO_CODEGEN_GPU_PASSES
#define TENFERRO_CODEGEN_GPU_PASSES

include "mlir/Pass/PassBase.td"

def GpuKernelsPass : Pass<"tenferro-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "turns the launches of lowered functions into gpu.func kernels and gpu.launch_func";
  let description = [{
    Takes a function as the CPU path compiles it (cleaned up, fused, lowered to `tenferro.kernel`), plans its buffers and makes
    a device kernel of each launch. Every buffer is a flat memref; shapes, strides and offsets are constants of the
    kernel. A reduction is a group of 32 threads per output and block of 4096 elements, one thread per lane of the tree. The arguments of
    the function become buffers of contiguous elements, its results trailing ones. If anything can fail, the last
    argument is one status word, which the caller sets to -1: kernels lower it to the smallest `operation << 8 | error`.

    Kernels are named after the function and what they do, in letters, digits and underscores; `NAME_kernels` gets a number
    where a symbol has this name already.

    Operations without a kernel are errors that name operation, dtype and target, all of them at once.

    ```mlir
    // before
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tenferro.neg %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    // after
    gpu.module @f_kernels {
      gpu.func @f_0_neg(%x: memref<4xf32>, %out: memref<4xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
        ...
      }
    }
    func.func @f(%x: memref<4xf32>, %result: memref<4xf32>) {
      gpu.launch_func @f_kernels::@f_0_neg blocks in (%1, %1, %1) threads in (%128, %1, %1) args(%x, %result)
      return
    }
    ```
  }];
  let options = [Option<"target", "target", "std::string", "\"spirv\"", "spirv or nvvm: what errors name and limits are those of">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"kernels", "kernels", "number of kernels made">];
}

#endif // TENFERRO_CODEGEN_GPU_PASSES
