// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=back | FileCheck %s --check-prefix=VJP
// RUN: tenferro-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @back
func.func @back(%x: tensor<4x2xf64>) -> tensor<4x2xf64> {
  // CHECK: tenferro.reverse %{{.*}} [0] : tensor<4x2xf64>
  %0 = tenferro.reverse %x [0] : tensor<4x2xf64>
  return %0 : tensor<4x2xf64>
}

// VJP-LABEL: func.func @back_vjp(
// VJP-SAME:    %[[CT:[a-z0-9]+]]: tensor<4x2xf64>) ->
// VJP:      %[[DX:.*]] = tenferro.reverse %[[CT]] [0] : tensor<4x2xf64>
// VJP:      return %{{.*}}, %[[DX]]

// FOLD-LABEL: func.func @twice
func.func @twice(%x: tensor<4x2xi32>) -> tensor<4x2xi32> {
  // FOLD-NEXT: return %{{.*}} : tensor<4x2xi32>
  %0 = tenferro.reverse %x [1, 0] : tensor<4x2xi32>
  %1 = tenferro.reverse %0 [1, 0] : tensor<4x2xi32>
  return %1 : tensor<4x2xi32>
}

// FOLD-LABEL: func.func @no_axis
func.func @no_axis(%x: tensor<f64>) -> tensor<f64> {
  // FOLD-NEXT: return
  %0 = tenferro.reverse %x [] : tensor<f64>
  return %0 : tensor<f64>
}

// FOLD-LABEL: func.func @splat
func.func @splat() -> tensor<3xf64> {
  // FOLD-NEXT: tenferro.constant dense<-0.000000e+00> : tensor<3xf64>
  // FOLD-NEXT: return
  %c = tenferro.constant dense<-0.0> : tensor<3xf64>
  %0 = tenferro.reverse %c [0] : tensor<3xf64>
  return %0 : tensor<3xf64>
}
