// RUN: tenferro-opt %s --tenferro-gpu-kernels --canonicalize --cse | FileCheck %s

// Starts are moved inside by clip: nothing can fail, there is no status word.
// CHECK-LABEL: gpu.func @clipped_0_gather(
// CHECK-SAME:    %[[X:.*]]: memref<20xf64>, %[[INDICES:.*]]: memref<6xi64>, %[[OUT:.*]]: memref<6xf64>) kernel
// CHECK:         %[[RAW:.*]] = memref.load %[[INDICES]]
// CHECK:         %[[LOW:.*]] = arith.maxsi %[[RAW]], %c0_i64
// CHECK:         arith.minsi %[[LOW]], %c3_i64
// CHECK:         %[[E:.*]] = memref.load %[[X]]
// CHECK:         memref.store %[[E]], %[[OUT]]
func.func @clipped(%x: tensor<5x4xf64>, %i: tensor<3x2xi64>) -> tensor<2x3xf64> {
  %0 = tenferro.gather %x[%i] offset [0] collapsed [1] map [0, 1] vector 1 sizes [2, 1] clip
     : tensor<5x4xf64>, tensor<3x2xi64>
  return %0 : tensor<2x3xf64>
}

// Vectors of no component hold nothing: the windows start at 0, and no buffer of nothing is bound.
// CHECK-LABEL: gpu.func @everything_0_gather(
// CHECK-SAME:    %{{.*}}: memref<20xf64>, %{{.*}}: memref<60xf64>) kernel
func.func @everything(%x: tensor<5x4xf64>, %i: tensor<3x0xi64>) -> tensor<5x4x3xf64> {
  %0 = tenferro.gather %x[%i] offset [0, 1] collapsed [] map [] vector 1 sizes [5, 4] clip
     : tensor<5x4xf64>, tensor<3x0xi64>
  return %0 : tensor<5x4x3xf64>
}
// CHECK-LABEL: gpu.func @everywhere_0_scatter(
// CHECK-SAME:    %{{.*}}: memref<20xf64>, %{{.*}}: memref<60xf64>, %{{.*}}: memref<20xf64>) kernel
func.func @everywhere(%x: tensor<5x4xf64>, %i: tensor<3x0xi64>, %u: tensor<5x4x3xf64>) -> tensor<5x4xf64> {
  %0 = tenferro.scatter %x[%i] add %u window [0, 1] inserted [] map [] vector 1 clip
     : tensor<5x4xf64>, tensor<3x0xi64>, tensor<5x4x3xf64>
  return %0 : tensor<5x4xf64>
}

// Each target starts with the operand and meets its updates in ascending order; a kernel of its own reports windows outside.
// CHECK-LABEL: gpu.func @largest_0_check_index(
// CHECK:         memref.atomic_rmw minu
// CHECK-LABEL: gpu.func @largest_1_scatter(
// CHECK:         %[[OLD:.*]] = memref.load
// CHECK:         scf.for %{{.*}} = %c0 to %c6 step %c1 iter_args(%[[VALUE:.*]] = %[[OLD]]) -> (i32) {
// CHECK:           scf.if %{{.*}} -> (i32) {
// CHECK:             arith.maxsi %[[VALUE]], %{{.*}} : i32
func.func @largest(%x: tensor<4x3xi32>, %i: tensor<2x1xi64>, %u: tensor<2x3xi32>) -> tensor<4x3xi32> {
  %0 = tenferro.scatter %x[%i] max %u window [1] inserted [0] map [0] vector 1 error
     : tensor<4x3xi32>, tensor<2x1xi64>, tensor<2x3xi32>
  return %0 : tensor<4x3xi32>
}
