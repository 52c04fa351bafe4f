// RUN: tenferro-opt %s --tenferro-gpu-kernels --canonicalize --cse | FileCheck %s

// A view that is returned is copied, through its strides.
// CHECK-LABEL: gpu.func @transposed_0_copy(
// CHECK-SAME:    %[[X:.*]]: memref<6xf64>, %[[OUT:.*]]: memref<6xf64>)
// CHECK:         %[[D0:.*]] = arith.remui %[[I:.*]], %c3
// CHECK:         %[[D1:.*]] = arith.divui %[[I]], %c3
// CHECK:         %[[TWICE:.*]] = arith.muli %[[D0]], %c2
// CHECK:         %[[AT:.*]] = arith.addi %[[TWICE]], %[[D1]]
// CHECK:         memref.load %[[X]][%[[AT]]]
func.func @transposed(%x: tensor<2x3xf64>) -> tensor<3x2xf64> {
  %0 = tenferro.transpose %x [1, 0] : tensor<2x3xf64>
  return %0 : tensor<3x2xf64>
}

// A slice is an offset and a stride of the kernel that reads it: element 1 + 2 i.
// CHECK-LABEL: gpu.func @sliced_0_neg(
// CHECK-SAME:    %[[X:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<3xf32>)
// CHECK:         %[[TWICE:.*]] = arith.muli %[[I:.*]], %c2
// CHECK:         %[[AT:.*]] = arith.addi %[[TWICE]], %c1
// CHECK:         memref.load %[[X]][%[[AT]]]
// CHECK:         memref.store %{{.*}}, %[[OUT]][%[[I]]]
func.func @sliced(%x: tensor<8xf32>) -> tensor<3xf32> {
  %0 = tenferro.slice %x [1] to [7] step [2] : tensor<8xf32>
  %1 = tenferro.neg %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}

// Zeros except at low + i * (interior + 1); nothing is read where there is nothing.
// CHECK-LABEL: gpu.func @padded_0_pad(
// CHECK:         %[[S:.*]] = arith.subi %{{.*}}, %c1
// CHECK:         arith.remui %[[S]], %c2
// CHECK:         %[[FROM:.*]] = arith.divui %[[S]], %c2
// CHECK:         %[[VALUE:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK:           memref.load %{{.*}}[%[[FROM]]]
// CHECK:         } else {
// CHECK:           scf.yield %c0_i32
// CHECK:         memref.store %[[VALUE]]
func.func @padded(%x: tensor<3xi32>) -> tensor<7xi32> {
  %0 = tenferro.pad %x low [1] high [1] interior [1] : tensor<3xi32>
  return %0 : tensor<7xi32>
}

// Nothing to do is no launch.
// CHECK-LABEL: func.func @empty(
// CHECK-NEXT:    return
func.func @empty(%x: tensor<0xf32>) -> tensor<0xf32> {
  %0 = tenferro.neg %x : tensor<0xf32>
  return %0 : tensor<0xf32>
}

// Values in between live in the arena, constants in a global, both bytes.
// CHECK-LABEL: memref.global "private" constant @between_constants : memref<{{.*}}xi8>
// CHECK-LABEL: func.func @between(
// CHECK-SAME:    %{{.*}}: memref<3xf64>, %{{.*}}: memref<4xf64>, %[[ARENA:.*]]: memref<{{[0-9]+}}xi8>) {
// CHECK:         %[[CONSTANTS:.*]] = memref.get_global @between_constants
// CHECK-DAG:     memref.view %[[CONSTANTS]][%c0][] : memref<{{.*}}xi8> to memref<4xf64>
// CHECK-DAG:     memref.view %[[ARENA]][%c0][] : memref<{{.*}}xi8> to memref<4xf64>
func.func @between(%x: tensor<3xf64>) -> tensor<4xf64> {
  %0 = tenferro.pad %x low [1] high [0] interior [0] : tensor<3xf64>
  %c = tenferro.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
  %1 = tenferro.mul %0, %c : tensor<4xf64>
  return %1 : tensor<4xf64>
}

// Of one element any step leaves it in place: the kernel's numbers stay below the result's extent.
// CHECK-LABEL: gpu.func @alone_0_pad(
// CHECK:         arith.remui %{{.*}}, %c4
func.func @alone(%x: tensor<1xf32>) -> tensor<3xf32> {
  %0 = tenferro.pad %x low [1] high [1] interior [4294967295] : tensor<1xf32>
  return %0 : tensor<3xf32>
}
