// RUN: tenferro-opt %s --tenferro-gpu-kernels --canonicalize --cse | FileCheck %s

// A thread per element: one chain of fused multiply-adds from +0 over ascending k.
// CHECK-LABEL: gpu.func @chain_0_dot_general(
// CHECK-SAME:    %[[A:.*]]: memref<12xf32>, %[[B:.*]]: memref<20xf32>, %[[C:.*]]: memref<15xf32>)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[ROW:.*]] = arith.remui %{{.*}}, %c3
// CHECK-DAG:     %[[COLUMN:.*]] = arith.divui %{{.*}}, %c3
// CHECK:         %[[SUM:.*]] = scf.for %[[K:.*]] = %c0 to %c4 step %c1 iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (f32) {
// CHECK:           %[[X:.*]] = memref.load %[[A]]
// CHECK:           %[[Y:.*]] = memref.load %[[B]]
// CHECK:           %[[NEXT:.*]] = math.fma %[[X]], %[[Y]], %[[ACC]] : f32
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         memref.store %[[SUM]], %[[C]]
func.func @chain(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %0 = tenferro.dot_general %a, %b contracting [1] x [0] : tensor<3x4xf32>, tensor<4x5xf32>
  return %0 : tensor<3x5xf32>
}

// Few outputs of many terms: the reduction tree over the products.
// CHECK-LABEL: gpu.func @tree_0_dot_general(
// CHECK-SAME:    workgroup(
// CHECK-NOT:     math.fma
// CHECK:         %[[P:.*]] = arith.mulf
// CHECK:         arith.addf %{{.*}}, %[[P]]
// CHECK:         gpu.barrier
func.func @tree(%a: tensor<256xf64>, %b: tensor<256xf64>) -> tensor<f64> {
  %0 = tenferro.dot_general %a, %b contracting [0] x [0] : tensor<256xf64>, tensor<256xf64>
  return %0 : tensor<f64>
}

// Integers wrap; several contracted axes and a batch axis, the first pair fastest.
// CHECK-LABEL: gpu.func @integers_0_dot_general(
// CHECK:         scf.for %[[K:.*]] = %c0 to %c6 step %c1
// CHECK:           arith.muli {{.*}} : i32
// CHECK:           arith.addi {{.*}} : i32
func.func @integers(%a: tensor<2x3x5xi32>, %b: tensor<2x3x5xi32>) -> tensor<5xi32> {
  %0 = tenferro.dot_general %a, %b contracting [0, 1] x [0, 1] batch [2] x [2] : tensor<2x3x5xi32>, tensor<2x3x5xi32>
  return %0 : tensor<5xi32>
}

// A contraction of nothing is +0 and reads nothing.
// CHECK-LABEL: gpu.func @nothing_0_dot_general(%{{.*}}: memref<6xf64>) kernel
func.func @nothing(%a: tensor<2x0xf64>, %b: tensor<0x3xf64>) -> tensor<2x3xf64> {
  %0 = tenferro.dot_general %a, %b contracting [1] x [0] : tensor<2x0xf64>, tensor<0x3xf64>
  return %0 : tensor<2x3xf64>
}
