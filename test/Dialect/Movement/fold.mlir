// RUN: tenferro-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @identities
// CHECK-SAME:    %[[X:.*]]: tensor<2x3xf64>
func.func @identities(%x: tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>) {
  %0 = tenferro.reshape %x : tensor<2x3xf64> to tensor<2x3xf64>
  %1 = tenferro.transpose %x [0, 1] : tensor<2x3xf64>
  %2 = tenferro.broadcast_in_dim %x [0, 1] : tensor<2x3xf64> to tensor<2x3xf64>
  %3 = tenferro.slice %x [0, 0] to [2, 3] step [1, 1] : tensor<2x3xf64>
  %4 = tenferro.pad %x low [0, 0] high [0, 0] interior [0, 0] : tensor<2x3xf64>
  // CHECK: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
  return %0, %1, %2, %3, %4 : tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>
}

// CHECK-LABEL: func.func @compositions
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4xf64>
func.func @compositions(%x: tensor<2x3x4xf64>) -> (tensor<24xf64>, tensor<3x4x2xf64>, tensor<2x3x4xf64>) {
  %0 = tenferro.reshape %x : tensor<2x3x4xf64> to tensor<6x4xf64>
  // CHECK: %[[FLAT:.*]] = tenferro.reshape %[[X]] : tensor<2x3x4xf64> to tensor<24xf64>
  %1 = tenferro.reshape %0 : tensor<6x4xf64> to tensor<24xf64>
  %2 = tenferro.transpose %x [2, 0, 1] : tensor<2x3x4xf64>
  // CHECK: %[[TURNED:.*]] = tenferro.transpose %[[X]] [1, 2, 0] : tensor<2x3x4xf64>
  %3 = tenferro.transpose %2 [2, 0, 1] : tensor<4x2x3xf64>
  %4 = tenferro.transpose %3 [2, 0, 1] : tensor<3x4x2xf64>
  // CHECK: return %[[FLAT]], %[[TURNED]], %[[X]]
  return %1, %3, %4 : tensor<24xf64>, tensor<3x4x2xf64>, tensor<2x3x4xf64>
}

// CHECK-LABEL: func.func @broadcast_of_broadcast
// CHECK-SAME:    %[[X:.*]]: tensor<3xf64>
func.func @broadcast_of_broadcast(%x: tensor<3xf64>) -> tensor<4x2x3xf64> {
  %0 = tenferro.broadcast_in_dim %x [1] : tensor<3xf64> to tensor<2x3xf64>
  // CHECK: tenferro.broadcast_in_dim %[[X]] [2] : tensor<3xf64> to tensor<4x2x3xf64>
  %1 = tenferro.broadcast_in_dim %0 [1, 2] : tensor<2x3xf64> to tensor<4x2x3xf64>
  return %1 : tensor<4x2x3xf64>
}

// A square permutation is no identity.
// CHECK-LABEL: func.func @swap
func.func @swap(%x: tensor<2x2xf64>) -> tensor<2x2xf64> {
  // CHECK: tenferro.broadcast_in_dim
  %0 = tenferro.broadcast_in_dim %x [1, 0] : tensor<2x2xf64> to tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}

// CHECK-LABEL: func.func @splats
func.func @splats() -> (tensor<2x3xf64>, tensor<3x2xf64>) {
  %c = tenferro.constant dense<2.5> : tensor<f64>
  // CHECK-DAG: %[[A:.*]] = tenferro.constant dense<2.500000e+00> : tensor<2x3xf64>
  %0 = tenferro.broadcast_in_dim %c [] : tensor<f64> to tensor<2x3xf64>
  // CHECK-DAG: %[[B:.*]] = tenferro.constant dense<2.500000e+00> : tensor<3x2xf64>
  %1 = tenferro.transpose %0 [1, 0] : tensor<2x3xf64>
  // CHECK: return %[[A]], %[[B]]
  return %0, %1 : tensor<2x3xf64>, tensor<3x2xf64>
}
