// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=f64 | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @f64
func.func @f64(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  // CHECK: tenferro.erf %{{.*}} : tensor<2x3xf64>
  %0 = tenferro.erf %x : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// VJP-LABEL: func.func @f64_vjp(
// VJP-SAME:    %[[X:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[Y:.*]] = tenferro.erf %[[X]]
// VJP:      %[[FAR:.*]] = tenferro.constant dense<2.800000e+01>
// VJP:      %[[SIZE:.*]] = tenferro.abs %[[X]]
// VJP:      %[[BEYOND:.*]] = tenferro.compare lt, %[[FAR]], %[[SIZE]]
// VJP:      %[[NEAR:.*]] = tenferro.select %[[BEYOND]], %[[FAR]], %[[X]]
// VJP:      %[[SQUARE:.*]] = tenferro.mul %[[NEAR]], %[[NEAR]]
// VJP:      %[[MINUS:.*]] = tenferro.neg %[[SQUARE]]
// VJP:      %[[GAUSS:.*]] = tenferro.exp %[[MINUS]]
// VJP:      %[[SCALE:.*]] = tenferro.constant dense<1.1283791670955126>
// VJP:      %[[SLOPE:.*]] = tenferro.mul %[[SCALE]], %[[GAUSS]]
// VJP:      %[[DX:.*]] = tenferro.mul %[[SLOPE]], %[[CT]]
// VJP:      return %[[Y]], %[[DX]]

// CHECK-LABEL: func.func @f32
func.func @f32(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: tenferro.erf %{{.*}} : tensor<2x3xf32>
  %0 = tenferro.erf %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @rank_0
func.func @rank_0(%x: tensor<f64>) -> tensor<f64> {
  // CHECK: tenferro.erf %{{.*}} : tensor<f64>
  %0 = tenferro.erf %x : tensor<f64>
  return %0 : tensor<f64>
}

// CHECK-LABEL: func.func @zero_size
func.func @zero_size(%x: tensor<0x3xf64>) -> tensor<0x3xf64> {
  // CHECK: tenferro.erf %{{.*}} : tensor<0x3xf64>
  %0 = tenferro.erf %x : tensor<0x3xf64>
  return %0 : tensor<0x3xf64>
}
