// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=f64 | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @f64
func.func @f64(%x: tensor<2x3xf64>) -> tensor<3xf64> {
  // CHECK: tenferro.min %{{.*}} [0] : tensor<2x3xf64>
  %0 = tenferro.min %x [0] : tensor<2x3xf64>
  return %0 : tensor<3xf64>
}

// VJP-LABEL: func.func @f64_vjp(
// VJP-SAME:    %[[X:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[Y:.*]] = tenferro.min %[[X]] [0]
// VJP:      %[[WIDE:.*]] = tenferro.broadcast_in_dim %[[Y]] [1]
// VJP:      %[[WINS:.*]] = tenferro.compare eq, %[[X]], %[[WIDE]]
// VJP:      tenferro.sum %{{.*}} [0]
// VJP:      %[[SHARE:.*]] = tenferro.select %[[WINS]], %{{.*}}, %{{.*}}
// VJP:      %[[CTS:.*]] = tenferro.broadcast_in_dim %[[CT]] [1]
// VJP:      %[[DX:.*]] = tenferro.szmul %[[CTS]], %[[SHARE]]
// VJP:      return %[[Y]], %[[DX]]

// CHECK-LABEL: func.func @f32
func.func @f32(%x: tensor<2x3xf32>) -> tensor<3xf32> {
  // CHECK: tenferro.min %{{.*}} [0] : tensor<2x3xf32>
  %0 = tenferro.min %x [0] : tensor<2x3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @i64
func.func @i64(%x: tensor<2x3xi64>) -> tensor<3xi64> {
  // CHECK: tenferro.min %{{.*}} [0] : tensor<2x3xi64>
  %0 = tenferro.min %x [0] : tensor<2x3xi64>
  return %0 : tensor<3xi64>
}

// CHECK-LABEL: func.func @i32
func.func @i32(%x: tensor<2x3xi32>) -> tensor<3xi32> {
  // CHECK: tenferro.min %{{.*}} [0] : tensor<2x3xi32>
  %0 = tenferro.min %x [0] : tensor<2x3xi32>
  return %0 : tensor<3xi32>
}

// CHECK-LABEL: func.func @ui8
func.func @ui8(%x: tensor<2x3xui8>) -> tensor<3xui8> {
  // CHECK: tenferro.min %{{.*}} [0] : tensor<2x3xui8>
  %0 = tenferro.min %x [0] : tensor<2x3xui8>
  return %0 : tensor<3xui8>
}

// CHECK-LABEL: func.func @all
func.func @all(%x: tensor<2x3xf64>) -> tensor<f64> {
  // CHECK: tenferro.min %{{.*}} [0, 1] : tensor<2x3xf64>
  %0 = tenferro.min %x [0, 1] : tensor<2x3xf64>
  return %0 : tensor<f64>
}

// CHECK-LABEL: func.func @none
func.func @none(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  // CHECK: tenferro.min %{{.*}} [] : tensor<2x3xf64>
  %0 = tenferro.min %x [] : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// CHECK-LABEL: func.func @beside_nothing
func.func @beside_nothing(%x: tensor<0x3xf64>) -> tensor<0xf64> {
  // CHECK: tenferro.min %{{.*}} [1] : tensor<0x3xf64>
  %0 = tenferro.min %x [1] : tensor<0x3xf64>
  return %0 : tensor<0xf64>
}
