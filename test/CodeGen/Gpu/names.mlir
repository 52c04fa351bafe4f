// Functions may have any name and stand beside others: symbols of device code are identifiers, and free ones.
// RUN: tenferro-opt %s --tenferro-gpu-kernels | FileCheck %s
// RUN: rm -rf %t
// RUN: tenferro-opt %s --tenferro-nvvm-pipeline=output=%t/ptx -o /dev/null
// RUN: tenferro-opt %s --tenferro-spirv-pipeline=output=%t/spv -o /dev/null
// RUN: ls %t/ptx %t/spv | FileCheck %s --check-prefix=FILES

// FILES: _1_f_kernels.ptx
// FILES: ______a_b_c_kernels.ptx
// FILES: f_kernels_0.ptx
// FILES: f_kernels_kernels.ptx
// FILES: _1_f_kernels.spv
// FILES: ______a_b_c_kernels.spv
// FILES: f_kernels_0.spv
// FILES: f_kernels_kernels.spv

// CHECK-LABEL: gpu.module @f_kernels_0 {
// CHECK:         gpu.func @f_0_add(
// CHECK:       memref.global "private" constant @f_constants_0
// CHECK:       func.func @f(
// CHECK:         gpu.launch_func @f_kernels_0::@f_0_add
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = tenferro.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %r = tenferro.add %x, %c : tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func private @f_constants()
// CHECK-LABEL: gpu.module @f_kernels_kernels {
func.func @f_kernels(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = tenferro.neg %x : tensor<3xf32>
  return %r : tensor<3xf32>
}
// CHECK-LABEL: gpu.module @______a_b_c_kernels {
// CHECK:         gpu.func @______a_b_c_0_neg(
// CHECK:       func.func @"../../a b.c"(
func.func @"../../a b.c"(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = tenferro.neg %x : tensor<3xf32>
  return %r : tensor<3xf32>
}
// CHECK-LABEL: gpu.module @_1_f_kernels {
// CHECK:         gpu.func @_1_f_0_a_b_(
func.func @"1\C3f"(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = tenferro.kernel "a b\22"(%x) : (tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%in: memref<3xf32>, %out: memref<3xf32>):
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%in : memref<3xf32>) outs(%out : memref<3xf32>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    }
  }
  return %r : tensor<3xf32>
}
