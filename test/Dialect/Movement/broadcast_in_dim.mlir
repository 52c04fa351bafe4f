// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=swapped | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @new_axis
func.func @new_axis(%x: tensor<3xf64>) -> tensor<2x3xf64> {
  // CHECK: tenferro.broadcast_in_dim %{{.*}} [1] : tensor<3xf64> to tensor<2x3xf64>
  %0 = tenferro.broadcast_in_dim %x [1] : tensor<3xf64> to tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// CHECK-LABEL: func.func @unit_axis
func.func @unit_axis(%x: tensor<2x1xi64>) -> tensor<2x3xi64> {
  // CHECK: tenferro.broadcast_in_dim %{{.*}} [0, 1] : tensor<2x1xi64> to tensor<2x3xi64>
  %0 = tenferro.broadcast_in_dim %x [0, 1] : tensor<2x1xi64> to tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

// CHECK-LABEL: func.func @scalar
func.func @scalar(%x: tensor<f64>) -> tensor<2x3xf64> {
  // CHECK: tenferro.broadcast_in_dim %{{.*}} [] : tensor<f64> to tensor<2x3xf64>
  %0 = tenferro.broadcast_in_dim %x [] : tensor<f64> to tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// CHECK-LABEL: func.func @swapped
func.func @swapped(%x: tensor<3x2xf64>) -> tensor<2x3xf64> {
  // CHECK: tenferro.broadcast_in_dim %{{.*}} [1, 0] : tensor<3x2xf64> to tensor<2x3xf64>
  %0 = tenferro.broadcast_in_dim %x [1, 0] : tensor<3x2xf64> to tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// VJP-LABEL: func.func @swapped_vjp(
// VJP-SAME:    %[[X:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[DX:.*]] = tenferro.transpose %[[CT]] [1, 0] : tensor<2x3xf64>
// VJP:      return %{{.*}}, %[[DX]]

// CHECK-LABEL: func.func @to_nothing
func.func @to_nothing(%x: tensor<1xf64>) -> tensor<0xf64> {
  // CHECK: tenferro.broadcast_in_dim %{{.*}} [0] : tensor<1xf64> to tensor<0xf64>
  %0 = tenferro.broadcast_in_dim %x [0] : tensor<1xf64> to tensor<0xf64>
  return %0 : tensor<0xf64>
}
