// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=f64 | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @f64
func.func @f64(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  // CHECK: tenferro.abs %{{.*}} : tensor<2x3xf64>
  %0 = tenferro.abs %x : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// VJP-LABEL: func.func @f64_vjp(
// VJP-SAME:    %[[X:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[SLOPE:.*]] = tenferro.sign %[[X]]
// VJP:      %[[DX:.*]] = tenferro.mul %[[SLOPE]], %[[CT]]
// VJP:      return %{{.*}}, %[[DX]]

// CHECK-LABEL: func.func @f32
func.func @f32(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: tenferro.abs %{{.*}} : tensor<2x3xf32>
  %0 = tenferro.abs %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @i64
func.func @i64(%x: tensor<2x3xi64>) -> tensor<2x3xi64> {
  // CHECK: tenferro.abs %{{.*}} : tensor<2x3xi64>
  %0 = tenferro.abs %x : tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

// CHECK-LABEL: func.func @i32
func.func @i32(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  // CHECK: tenferro.abs %{{.*}} : tensor<2x3xi32>
  %0 = tenferro.abs %x : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// CHECK-LABEL: func.func @ui8
func.func @ui8(%x: tensor<2x3xui8>) -> tensor<2x3xui8> {
  // CHECK: tenferro.abs %{{.*}} : tensor<2x3xui8>
  %0 = tenferro.abs %x : tensor<2x3xui8>
  return %0 : tensor<2x3xui8>
}

// CHECK-LABEL: func.func @rank_0
func.func @rank_0(%x: tensor<f64>) -> tensor<f64> {
  // CHECK: tenferro.abs %{{.*}} : tensor<f64>
  %0 = tenferro.abs %x : tensor<f64>
  return %0 : tensor<f64>
}

// CHECK-LABEL: func.func @zero_size
func.func @zero_size(%x: tensor<0x3xf64>) -> tensor<0x3xf64> {
  // CHECK: tenferro.abs %{{.*}} : tensor<0x3xf64>
  %0 = tenferro.abs %x : tensor<0x3xf64>
  return %0 : tensor<0x3xf64>
}
