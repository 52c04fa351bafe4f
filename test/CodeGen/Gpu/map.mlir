// RUN: tenferro-opt %s --tenferro-to-linalg --tenferro-gpu-kernels --canonicalize --cse | FileCheck %s

// A thread per element, guarded. Buffers are flat, dimensions merged: neither kernel has coordinates.
// CHECK-LABEL: gpu.func @chain_0_mul_add(
// CHECK-SAME:    %[[X:.*]]: memref<6xf32>, %[[OUT:.*]]: memref<6xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>}
// CHECK:         %[[GROUP:.*]] = gpu.block_id x
// CHECK:         %[[FIRST:.*]] = arith.muli %[[GROUP]], %c128
// CHECK:         %[[THREAD:.*]] = gpu.thread_id x
// CHECK:         %[[I:.*]] = arith.addi %[[FIRST]], %[[THREAD]]
// CHECK:         %[[INSIDE:.*]] = arith.cmpi slt, %[[I]], %c6
// CHECK:         scf.if %[[INSIDE]] {
// CHECK:           %[[A:.*]] = memref.load %[[X]][%[[I]]]
// CHECK:           %[[P:.*]] = arith.mulf %[[A]], %[[A]] : f32
// CHECK:           %[[R:.*]] = arith.addf %[[P]], %[[A]] : f32
// CHECK:           memref.store %[[R]], %[[OUT]][%[[I]]]
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[IN:.*]]: memref<6xf32>, %[[RESULT:.*]]: memref<6xf32>) {
// CHECK:         gpu.launch_func @chain_kernels::@chain_0_mul_add
// CHECK-SAME:      blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%[[IN]] : memref<6xf32>, %[[RESULT]] : memref<6xf32>)
func.func @chain(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = tenferro.fused [2, 3] (%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%a: tensor<2x3xf32>):
    %p = tenferro.mul %a, %a : tensor<2x3xf32>
    %r = tenferro.add %p, %a : tensor<2x3xf32>
    tenferro.yield %r : tensor<2x3xf32>
  }
  return %0 : tensor<2x3xf32>
}

// A broadcast row is read by its own coordinate; axis 0 is the fastest.
// CHECK-LABEL: gpu.func @row_0_add(
// CHECK-SAME:    %[[X:.*]]: memref<6xf64>, %[[ROW:.*]]: memref<2xf64>, %{{.*}}: memref<6xf64>)
// CHECK:         %[[D0:.*]] = arith.remui %[[I:.*]], %c2
// CHECK-DAG:     memref.load %[[ROW]][%[[D0]]]
// CHECK-DAG:     memref.load %[[X]][
func.func @row(%x: tensor<2x3xf64>, %b: tensor<2xf64>) -> tensor<2x3xf64> {
  %0 = tenferro.fused [2, 3] (%x, %b) : (tensor<2x3xf64>, tensor<2xf64>) -> tensor<2x3xf64> {
  ^bb0(%a: tensor<2x3xf64>, %c: tensor<2xf64>):
    %row = tenferro.broadcast_in_dim %c [0] : tensor<2xf64> to tensor<2x3xf64>
    %r = tenferro.add %a, %row : tensor<2x3xf64>
    tenferro.yield %r : tensor<2x3xf64>
  }
  return %0 : tensor<2x3xf64>
}

// More elements than 65535 groups hold are walked by a loop.
// CHECK-LABEL: gpu.func @long_0_neg(
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c16777216 step %c8388480
// CHECK-LABEL: func.func @long(
// CHECK:         gpu.launch_func @long_kernels::@long_0_neg blocks in (%c65535,
func.func @long(%x: tensor<16777216xf32>) -> tensor<16777216xf32> {
  %0 = tenferro.neg %x : tensor<16777216xf32>
  return %0 : tensor<16777216xf32>
}

// Bools are bytes in memory; functions are expanded, no call and no math.exp is left.
// CHECK-LABEL: gpu.func @flags_0_select(
// CHECK:         %[[BYTE:.*]] = memref.load %{{.*}} : memref<3xi8>
// CHECK:         %[[FLAG:.*]] = arith.cmpi ne, %[[BYTE]], %c0_i8
// CHECK:         arith.select %[[FLAG]], {{.*}} : f64
// CHECK-LABEL: gpu.func @function_0_exp(
// CHECK-NOT:     math.exp
// CHECK:         math.fma
// CHECK:         gpu.return
func.func @flags(%p: tensor<3xi1>, %a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %0 = tenferro.select %p, %a, %b : tensor<3xi1>, tensor<3xf64>
  return %0 : tensor<3xf64>
}
func.func @function(%a: tensor<3xf64>) -> tensor<3xf64> {
  %0 = tenferro.exp %a : tensor<3xf64>
  return %0 : tensor<3xf64>
}
