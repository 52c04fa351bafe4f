// RUN: rm -rf %t
// RUN: tenferro-opt %s --tenferro-spirv-pipeline=output=%t | FileCheck %s

// What no driver may change: contraction, subnormals, special values, rounding. f32 alone needs no 64-bit types.
// CHECK-LABEL: spirv.module @__spv__multiply_add_kernels
// CHECK-SAME:    requires #spirv.vce<v1.0, [Shader, {{(Matrix, )?}}DenormPreserve, SignedZeroInfNanPreserve, RoundingModeRTE], [SPV_KHR_storage_buffer_storage_class, SPV_KHR_float_controls]>
// CHECK-DAG:     spirv.GlobalVariable @multiply_add_0_mul_add_arg_0 bind(0, 0) {aliased} : !spirv.ptr<!spirv.struct<(!spirv.array<3 x f32, stride=4> [0])>, StorageBuffer>
// CHECK-DAG:     spirv.GlobalVariable @multiply_add_0_mul_add_arg_1 bind(0, 1) {aliased}
// CHECK:         %[[P:.*]] = spirv.FMul %[[A:.*]], %[[A]] {no_contraction} : f32
// CHECK:         spirv.FAdd %[[P]], %[[A]] {no_contraction} : f32
// CHECK:         spirv.EntryPoint "GLCompute" @multiply_add_0_mul_add
// CHECK-DAG:     spirv.ExecutionMode @multiply_add_0_mul_add "DenormPreserve", 32
// CHECK-DAG:     spirv.ExecutionMode @multiply_add_0_mul_add "SignedZeroInfNanPreserve", 32
// CHECK-DAG:     spirv.ExecutionMode @multiply_add_0_mul_add "RoundingModeRTE", 32
// CHECK-DAG:     spirv.ExecutionMode @multiply_add_0_mul_add "LocalSize", 128, 1, 1
func.func @multiply_add(%x: tensor<3xf32>) -> tensor<3xf32> {
  %p = tenferro.mul %x, %x : tensor<3xf32>
  %r = tenferro.add %p, %x : tensor<3xf32>
  return %r : tensor<3xf32>
}

// A reduction's lanes are the group's memory, and the chain of a product is the only place with Fma.
// CHECK-LABEL: spirv.module @__spv__sum_kernels
// CHECK:         spirv.GlobalVariable @__workgroup_mem__{{[0-9]+}} : !spirv.ptr<!spirv.struct<(!spirv.array<32 x f64>)>, Workgroup>
// CHECK:         spirv.ControlBarrier <Workgroup>, <Workgroup>
// CHECK:         spirv.ExecutionMode @sum_0_sum "LocalSize", 32, 1, 1
// CHECK-LABEL: spirv.module @__spv__product_kernels
// CHECK:         spirv.GL.Fma
func.func @sum(%x: tensor<100xf64>) -> tensor<f64> {
  %0 = tenferro.sum %x [0] : tensor<100xf64>
  return %0 : tensor<f64>
}
func.func @product(%a: tensor<3x4xf64>, %b: tensor<4x5xf64>) -> tensor<3x5xf64> {
  %0 = tenferro.dot_general %a, %b contracting [1] x [0] : tensor<3x4xf64>, tensor<4x5xf64>
  return %0 : tensor<3x5xf64>
}

// Lanes beyond the last element make no iteration of the loop: they keep the neutral element, not what a variable happens to
// hold.
// CHECK-LABEL: spirv.module @__spv__short_kernels
// CHECK:         %[[ONE:.*]] = spirv.Constant 1.000000e+00 : f32
// CHECK:         %[[LANE:.*]] = spirv.CompositeExtract %{{.*}}[0 : i32]
// CHECK:         spirv.mlir.loop {
// CHECK:         %[[LOOPED:.*]] = spirv.Load "Function"
// CHECK:         %[[RUNS:.*]] = spirv.SLessThan %[[LANE]], %{{.*}} : i32
// CHECK:         %[[PRODUCT:.*]] = spirv.Select %[[RUNS]], %[[LOOPED]], %[[ONE]] : i1, f32
// CHECK:         spirv.Store "Workgroup" %{{.*}}, %[[PRODUCT]] : f32
func.func @short(%x: tensor<7xf32>) -> tensor<f32> {
  %0 = tenferro.prod %x [0] : tensor<7xf32>
  return %0 : tensor<f32>
}

// f64 functions have no instruction: ours are there, and nothing is narrowed. Bytes are bytes; errors are an atomic minimum.
// CHECK-LABEL: spirv.module @__spv__function_kernels
// CHECK-SAME:    Float64
// CHECK-NOT:     GL.Exp
// CHECK-NOT:     spirv.FConvert
// CHECK:         spirv.GL.Fma {{.*}} : f64
// CHECK-LABEL: spirv.module @__spv__bytes_kernels
// CHECK-SAME:    StorageBuffer8BitAccess
// CHECK:         !spirv.array<3 x i8, stride=1>
// CHECK-LABEL: spirv.module @__spv__division_kernels
// CHECK:         spirv.AtomicUMin <Device> <AcquireRelease>
func.func @function(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = tenferro.exp %x : tensor<3xf64>
  return %0 : tensor<3xf64>
}
func.func @bytes(%a: tensor<3xui8>, %b: tensor<3xui8>) -> tensor<3xui8> {
  %0 = tenferro.add %a, %b : tensor<3xui8>
  return %0 : tensor<3xui8>
}
func.func @division(%a: tensor<3xi64>, %b: tensor<3xi64>) -> tensor<3xi64> {
  %0 = tenferro.div %a, %b : tensor<3xi64>
  return %0 : tensor<3xi64>
}
