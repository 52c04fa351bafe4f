// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s

// CHECK-LABEL: func.func @f64
func.func @f64(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  // CHECK: tenferro.ceil %{{.*}} : tensor<2x3xf64>
  %0 = tenferro.ceil %x : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// CHECK-LABEL: func.func @f32
func.func @f32(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: tenferro.ceil %{{.*}} : tensor<2x3xf32>
  %0 = tenferro.ceil %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @rank_0
func.func @rank_0(%x: tensor<f64>) -> tensor<f64> {
  // CHECK: tenferro.ceil %{{.*}} : tensor<f64>
  %0 = tenferro.ceil %x : tensor<f64>
  return %0 : tensor<f64>
}

// CHECK-LABEL: func.func @zero_size
func.func @zero_size(%x: tensor<0x3xf64>) -> tensor<0x3xf64> {
  // CHECK: tenferro.ceil %{{.*}} : tensor<0x3xf64>
  %0 = tenferro.ceil %x : tensor<0x3xf64>
  return %0 : tensor<0x3xf64>
}
