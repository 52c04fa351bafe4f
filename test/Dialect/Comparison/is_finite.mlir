// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s

// CHECK-LABEL: func.func @f64
func.func @f64(%x: tensor<2x3xf64>) -> tensor<2x3xi1> {
  // CHECK: tenferro.is_finite %{{.*}} : tensor<2x3xf64>
  %0 = tenferro.is_finite %x : tensor<2x3xf64>
  return %0 : tensor<2x3xi1>
}

// CHECK-LABEL: func.func @f32
func.func @f32(%x: tensor<2x3xf32>) -> tensor<2x3xi1> {
  // CHECK: tenferro.is_finite %{{.*}} : tensor<2x3xf32>
  %0 = tenferro.is_finite %x : tensor<2x3xf32>
  return %0 : tensor<2x3xi1>
}

// CHECK-LABEL: func.func @rank_0
func.func @rank_0(%x: tensor<f64>) -> tensor<i1> {
  // CHECK: tenferro.is_finite %{{.*}} : tensor<f64>
  %0 = tenferro.is_finite %x : tensor<f64>
  return %0 : tensor<i1>
}

// CHECK-LABEL: func.func @zero_size
func.func @zero_size(%x: tensor<0x3xf64>) -> tensor<0x3xi1> {
  // CHECK: tenferro.is_finite %{{.*}} : tensor<0x3xf64>
  %0 = tenferro.is_finite %x : tensor<0x3xf64>
  return %0 : tensor<0x3xi1>
}
