// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=f64 | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @f64
func.func @f64(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  // CHECK: tenferro.silu %{{.*}} : tensor<2x3xf64>
  %0 = tenferro.silu %x : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// VJP-LABEL: func.func @f64_vjp(
// VJP-SAME:    %[[X:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[Y:.*]] = tenferro.silu %[[X]]
// VJP:      %[[BOUNDED:.*]] = tenferro.minimum %[[Y]], %{{.*}}
// VJP:      %[[LEFT:.*]] = tenferro.sigmoid %[[X]]
// VJP:      %[[MINUS:.*]] = tenferro.neg %[[X]]
// VJP:      %[[RIGHT:.*]] = tenferro.sigmoid %[[MINUS]]
// VJP:      %[[CURVE:.*]] = tenferro.mul %[[BOUNDED]], %[[RIGHT]]
// VJP:      %[[SLOPE:.*]] = tenferro.add %[[LEFT]], %[[CURVE]]
// VJP:      %[[DX:.*]] = tenferro.mul %[[SLOPE]], %[[CT]]
// VJP:      return %[[Y]], %[[DX]]

// CHECK-LABEL: func.func @f32
func.func @f32(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: tenferro.silu %{{.*}} : tensor<2x3xf32>
  %0 = tenferro.silu %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @rank_0
func.func @rank_0(%x: tensor<f64>) -> tensor<f64> {
  // CHECK: tenferro.silu %{{.*}} : tensor<f64>
  %0 = tenferro.silu %x : tensor<f64>
  return %0 : tensor<f64>
}

// CHECK-LABEL: func.func @zero_size
func.func @zero_size(%x: tensor<0x3xf64>) -> tensor<0x3xf64> {
  // CHECK: tenferro.silu %{{.*}} : tensor<0x3xf64>
  %0 = tenferro.silu %x : tensor<0x3xf64>
  return %0 : tensor<0x3xf64>
}
