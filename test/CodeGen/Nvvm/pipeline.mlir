// RUN: rm -rf %t
// RUN: tenferro-opt %s --tenferro-nvvm-pipeline=output=%t/80 | FileCheck %s
// RUN: cat %t/80/multiply_add_kernels.ptx %t/80/sum_kernels.ptx %t/80/product_kernels.ptx %t/80/rounded_kernels.ptx %t/80/function_kernels.ptx %t/80/division_kernels.ptx | FileCheck %s --check-prefix=PTX
// RUN: tenferro-opt %s --tenferro-nvvm-pipeline="chip=sm_90 output=%t/90" -o %t/90.mlir
// RUN: FileCheck %s --check-prefix=SM90 --input-file=%t/90/sum_kernels.ptx
// RUN: not tenferro-opt %s --tenferro-nvvm-pipeline=chip=sm_9 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP-NOT: processor
// CHIP: error: expects a chip such as sm_80, but got 'sm_9'
// CHIP-NOT: {{.}}
// SM90: .target sm_90

// The IR keeps host function and kernels; a kernel takes a pointer per buffer.
// CHECK-LABEL: gpu.module @multiply_add_kernels
// CHECK:         llvm.func @multiply_add_0_mul_add(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK-SAME:    nvvm.kernel
// CHECK-LABEL: func.func @multiply_add(
// CHECK:         gpu.launch_func @multiply_add_kernels::@multiply_add_0_mul_add

// Products and sums carry their rounding, so ptxas may not contract them.
// PTX: .target sm_80
// PTX-NOT: .extern
// PTX-LABEL: .entry multiply_add_0_mul_add(
// PTX-NOT: fma
// PTX: mul.rn.f32
// PTX-NOT: fma
// PTX: add.rn.f32
// PTX-NOT: fma
// PTX: ret;
func.func @multiply_add(%x: tensor<3xf32>) -> tensor<3xf32> {
  %p = tenferro.mul %x, %x : tensor<3xf32>
  %r = tenferro.add %p, %x : tensor<3xf32>
  return %r : tensor<3xf32>
}

// PTX-LABEL: .entry sum_0_sum(
// PTX: add.rn.f64
// PTX: st.shared.
// PTX: bar.sync
// PTX-LABEL: .entry product_0_dot_general(
// PTX: fma.rn.f32
func.func @sum(%x: tensor<100xf64>) -> tensor<f64> {
  %0 = tenferro.sum %x [0] : tensor<100xf64>
  return %0 : tensor<f64>
}
func.func @product(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %0 = tenferro.dot_general %a, %b contracting [1] x [0] : tensor<3x4xf32>, tensor<4x5xf32>
  return %0 : tensor<3x5xf32>
}

// Division and square root are the correctly rounded ones, f64 functions our own: nothing comes from libdevice.
// PTX-LABEL: .entry rounded_0_sqrt_div(
// PTX: sqrt.rn.f32
// PTX: div.rn.f32
// PTX-LABEL: .entry function_0_exp(
// PTX-NOT: .f32
// PTX-NOT: call
// PTX: fma.rn.f64
// PTX-LABEL: .entry division_0_div(
// PTX-NOT: .extern
// PTX: atom.{{.*}}min.u32
// PTX: div.s64
func.func @rounded(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %s = tenferro.sqrt %x : tensor<3xf32>
  %r = tenferro.div %s, %y : tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @function(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = tenferro.exp %x : tensor<3xf64>
  return %0 : tensor<3xf64>
}
func.func @division(%a: tensor<3xi64>, %b: tensor<3xi64>) -> tensor<3xi64> {
  %0 = tenferro.div %a, %b : tensor<3xi64>
  return %0 : tensor<3xi64>
}
