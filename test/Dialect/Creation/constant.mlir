// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s

// CHECK-LABEL: func.func @splat
func.func @splat() -> tensor<2x3xf64> {
  // CHECK: tenferro.constant dense<5.000000e-01> : tensor<2x3xf64>
  %0 = tenferro.constant dense<5.000000e-01> : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// CHECK-LABEL: func.func @elements
func.func @elements() -> tensor<3xi32> {
  // CHECK: tenferro.constant dense<[1, 2, 3]> : tensor<3xi32>
  %0 = tenferro.constant dense<[1, 2, 3]> : tensor<3xi32>
  return %0 : tensor<3xi32>
}

// CHECK-LABEL: func.func @bytes
func.func @bytes() -> tensor<2xui8> {
  // CHECK: tenferro.constant dense<[0, 255]> : tensor<2xui8>
  %0 = tenferro.constant dense<[0, 255]> : tensor<2xui8>
  return %0 : tensor<2xui8>
}

// CHECK-LABEL: func.func @bools
func.func @bools() -> tensor<2xi1> {
  // CHECK: tenferro.constant dense<[true, false]> : tensor<2xi1>
  %0 = tenferro.constant dense<[true, false]> : tensor<2xi1>
  return %0 : tensor<2xi1>
}

// CHECK-LABEL: func.func @rank_0
func.func @rank_0() -> tensor<f32> {
  // CHECK: tenferro.constant dense<-0.000000e+00> : tensor<f32>
  %0 = tenferro.constant dense<-0.000000e+00> : tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @not_a_number
func.func @not_a_number() -> tensor<f64> {
  // CHECK: tenferro.constant dense<0x7FF8000000000000> : tensor<f64>
  %0 = tenferro.constant dense<0x7FF8000000000000> : tensor<f64>
  return %0 : tensor<f64>
}
