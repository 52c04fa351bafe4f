// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s

// CHECK-LABEL: func.func @f64
func.func @f64() -> tensor<2x3xf64> {
  // CHECK: tenferro.iota axis 1 : tensor<2x3xf64>
  %0 = tenferro.iota axis 1 : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// CHECK-LABEL: func.func @f32
func.func @f32() -> tensor<4xf32> {
  // CHECK: tenferro.iota axis 0 : tensor<4xf32>
  %0 = tenferro.iota axis 0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @i64
func.func @i64() -> tensor<4xi64> {
  // CHECK: tenferro.iota axis 0 : tensor<4xi64>
  %0 = tenferro.iota axis 0 : tensor<4xi64>
  return %0 : tensor<4xi64>
}

// CHECK-LABEL: func.func @i32
func.func @i32() -> tensor<4xi32> {
  // CHECK: tenferro.iota axis 0 : tensor<4xi32>
  %0 = tenferro.iota axis 0 : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @ui8
func.func @ui8() -> tensor<4xui8> {
  // CHECK: tenferro.iota axis 0 : tensor<4xui8>
  %0 = tenferro.iota axis 0 : tensor<4xui8>
  return %0 : tensor<4xui8>
}

// CHECK-LABEL: func.func @zero_size
func.func @zero_size() -> tensor<0xi64> {
  // CHECK: tenferro.iota axis 0 : tensor<0xi64>
  %0 = tenferro.iota axis 0 : tensor<0xi64>
  return %0 : tensor<0xi64>
}
