// RUN: tenferro-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @along_nothing
// CHECK-SAME:    %[[X:.*]]: tensor<2xf64>
func.func @along_nothing(%x: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %0 = tenferro.sum %x [] : tensor<2xf64>
  %1 = tenferro.max %x [] : tensor<2xf64>
  %2 = tenferro.min %x [] : tensor<2xf64>
  // CHECK: return %[[X]], %[[X]], %[[X]]
  return %0, %1, %2 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}

// Sums are not rewritten across a broadcast or another sum: that would change the order of additions.
// CHECK-LABEL: func.func @sum_of_sum
func.func @sum_of_sum(%x: tensor<2x3xf64>) -> tensor<f64> {
  // CHECK: tenferro.sum %{{.*}} [0] : tensor<2x3xf64>
  %0 = tenferro.sum %x [0] : tensor<2x3xf64>
  // CHECK: tenferro.sum %{{.*}} [0] : tensor<3xf64>
  %1 = tenferro.sum %0 [0] : tensor<3xf64>
  return %1 : tensor<f64>
}
