// RUN: tenferro-opt %s --tenferro-gpu-kernels --canonicalize --cse | FileCheck %s

// A thread per line, one addition after the other.
// CHECK-LABEL: gpu.func @running_0_cumsum(
// CHECK-SAME:    %[[X:.*]]: memref<15xf32>, %[[OUT:.*]]: memref<15xf32>)
// CHECK:         arith.cmpi slt, %{{.*}}, %c3
// CHECK:         %[[FIRST:.*]] = memref.load %[[X]]
// CHECK:         memref.store %[[FIRST]], %[[OUT]]
// CHECK:         scf.for %{{.*}} = %c1 to %c5 step %c1 iter_args(%[[SUM:.*]] = %[[FIRST]]) -> (f32) {
// CHECK:           %[[NEXT:.*]] = memref.load %[[X]]
// CHECK:           %[[NEW:.*]] = arith.addf %[[SUM]], %[[NEXT]]
// CHECK:           memref.store %[[NEW]], %[[OUT]]
func.func @running(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = tenferro.cumsum forward %x axis 1 : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// The first of the largest, the first NaN if there is one.
// CHECK-LABEL: gpu.func @position_0_argmax(
// CHECK:         scf.for %[[K:.*]] = %c1 to %c5 step %c1 iter_args(%[[BEST:.*]] = %{{.*}}, %[[AT:.*]] = %c0_i64) -> (f64, i64) {
// CHECK-DAG:       arith.cmpf uno, %[[BEST]], %[[BEST]]
// CHECK-DAG:       arith.cmpf ogt, %{{.*}}, %[[BEST]]
func.func @position(%x: tensor<3x5xf64>) -> tensor<3xi64> {
  %0 = tenferro.argmax %x axis 1 : tensor<3x5xf64>
  return %0 : tensor<3xi64>
}
