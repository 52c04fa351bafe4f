// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=rotate_axes | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @rotate_axes
func.func @rotate_axes(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  // CHECK: tenferro.transpose %{{.*}} [2, 0, 1] : tensor<2x3x4xf32>
  %0 = tenferro.transpose %x [2, 0, 1] : tensor<2x3x4xf32>
  return %0 : tensor<4x2x3xf32>
}

// VJP-LABEL: func.func @rotate_axes_vjp(
// VJP-SAME:    %[[X:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[DX:.*]] = tenferro.transpose %[[CT]] [1, 2, 0] : tensor<4x2x3xf32>
// VJP:      return %{{.*}}, %[[DX]]

// CHECK-LABEL: func.func @rank_0
func.func @rank_0(%x: tensor<f64>) -> tensor<f64> {
  // CHECK: tenferro.transpose %{{.*}} [] : tensor<f64>
  %0 = tenferro.transpose %x [] : tensor<f64>
  return %0 : tensor<f64>
}
