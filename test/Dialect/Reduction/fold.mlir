// RUN: tenferro-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @along_nothing
// CHECK-SAME:    %[[X:.*]]: tensor<2xf64>
// CHECK-SAME:    %[[P:.*]]: tensor<2xi1>
func.func @along_nothing(%x: tensor<2xf64>, %p: tensor<2xi1>)
    -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xi1>, tensor<2xi1>) {
  %0 = tenferro.sum %x [] : tensor<2xf64>
  %1 = tenferro.max %x [] : tensor<2xf64>
  %2 = tenferro.min %x [] : tensor<2xf64>
  %3 = tenferro.prod %x [] : tensor<2xf64>
  %4 = tenferro.any %p [] : tensor<2xi1>
  %5 = tenferro.all %p [] : tensor<2xi1>
  // CHECK: return %[[X]], %[[X]], %[[X]], %[[X]], %[[P]], %[[P]]
  return %0, %1, %2, %3, %4, %5
    : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xi1>, tensor<2xi1>
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
