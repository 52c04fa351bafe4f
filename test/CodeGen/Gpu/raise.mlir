// RUN: tenferro-opt %s --tenferro-gpu-kernels --canonicalize --cse --mlir-print-local-scope | FileCheck %s

// An error is the smallest "operation << 8 | error" of the one status word; beside it stands a safe value. 2817 is
// operation 11 (here: the line) and error 1, a division by zero.
// CHECK-LABEL: gpu.func @division_0_div(
// CHECK-SAME:    %{{.*}}: memref<3xi32>, %{{.*}}: memref<3xi32>, %{{.*}}: memref<3xi32>, %[[STATUS:.*]]: memref<1xi32>)
// CHECK:         scf.if %{{.*}} {
// CHECK:           memref.atomic_rmw minu %c2817_i32, %[[STATUS]][%c0]
// CHECK:         arith.divsi
func.func @division(%a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi32> {
  %0 = tenferro.div %a, %b : tensor<3xi32>
  return %0 : tensor<3xi32>
}

// An index is counted from the end where it is negative; out of range is error 2 and a zero.
// CHECK-LABEL: gpu.func @taken_0_take(
// CHECK-SAME:    %[[X:.*]]: memref<15xf64>, %[[INDICES:.*]]: memref<2xi64>, %{{.*}}: memref<6xf64>, %[[STATUS:.*]]: memref<1xi32>)
// CHECK:         %[[RAW:.*]] = memref.load %[[INDICES]]
// CHECK:         %[[NEGATIVE:.*]] = arith.cmpi slt, %[[RAW]], %c0_i64
// CHECK:         %[[WRAPPED:.*]] = arith.addi %[[RAW]], %c5_i64
// CHECK:         %[[INDEX:.*]] = arith.select %[[NEGATIVE]], %[[WRAPPED]], %[[RAW]]
// CHECK:         %[[VALID:.*]] = arith.cmpi ult, %[[INDEX]], %c5_i64
// CHECK:         memref.atomic_rmw minu %c{{[0-9]+}}_i32, %[[STATUS]]
// CHECK:         scf.if %[[VALID]] -> (f64) {
// CHECK:           memref.load %[[X]]
func.func @taken(%x: tensor<5x3xf64>, %i: tensor<2xi64>) -> tensor<2x3xf64> {
  %0 = tenferro.take %x[%i] axis 0 : tensor<5x3xf64>, tensor<2xi64>
  return %0 : tensor<2x3xf64>
}

// Each target adds its updates in ascending order, without atomics; a kernel of its own checks the indices.
// CHECK-LABEL: gpu.func @scattered_0_check_index(
// CHECK:         memref.atomic_rmw minu
// CHECK-LABEL: gpu.func @scattered_1_scatter_add(
// CHECK:         scf.for %{{.*}} = %c0 to %c2 step %c1 iter_args(%[[SUM:.*]] = %cst) -> (f32) {
// CHECK:           %[[HIT:.*]] = arith.cmpi eq
// CHECK:           scf.if %[[HIT]] -> (f32) {
// CHECK:             %[[UPDATE:.*]] = memref.load
// CHECK:             arith.addf %[[SUM]], %[[UPDATE]]
func.func @scattered(%i: tensor<2xi32>, %u: tensor<2x3xf32>) -> tensor<5x3xf32> {
  %0 = tenferro.scatter_add %u at %i axis 0 extent 5 : tensor<2x3xf32>, tensor<2xi32>
  return %0 : tensor<5x3xf32>
}
