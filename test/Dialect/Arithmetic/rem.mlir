// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=f64 | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @f64
func.func @f64(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  // CHECK: tenferro.rem %{{.*}}, %{{.*}} : tensor<2x3xf64>
  %0 = tenferro.rem %a, %b : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// VJP-LABEL: func.func @f64_vjp(
// VJP-SAME:    %[[A:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[B:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[Y:.*]] = tenferro.rem %[[A]], %[[B]]
// VJP:      %[[WHOLE:.*]] = tenferro.sub %[[A]], %[[Y]]
// VJP:      %[[Q:.*]] = tenferro.div %[[WHOLE]], %[[B]]
// VJP:      %[[N:.*]] = tenferro.round %[[Q]]
// VJP:      %[[SLOPE:.*]] = tenferro.neg %[[N]]
// VJP:      %[[DB:.*]] = tenferro.szmul %[[SLOPE]], %[[CT]]
// VJP:      return %[[Y]], %[[CT]], %[[DB]]

// CHECK-LABEL: func.func @f32
func.func @f32(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: tenferro.rem %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %0 = tenferro.rem %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @i64
func.func @i64(%a: tensor<2x3xi64>, %b: tensor<2x3xi64>) -> tensor<2x3xi64> {
  // CHECK: tenferro.rem %{{.*}}, %{{.*}} : tensor<2x3xi64>
  %0 = tenferro.rem %a, %b : tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

// CHECK-LABEL: func.func @i32
func.func @i32(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> tensor<2x3xi32> {
  // CHECK: tenferro.rem %{{.*}}, %{{.*}} : tensor<2x3xi32>
  %0 = tenferro.rem %a, %b : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// CHECK-LABEL: func.func @ui8
func.func @ui8(%a: tensor<2x3xui8>, %b: tensor<2x3xui8>) -> tensor<2x3xui8> {
  // CHECK: tenferro.rem %{{.*}}, %{{.*}} : tensor<2x3xui8>
  %0 = tenferro.rem %a, %b : tensor<2x3xui8>
  return %0 : tensor<2x3xui8>
}

// CHECK-LABEL: func.func @rank_0
func.func @rank_0(%a: tensor<f64>, %b: tensor<f64>) -> tensor<f64> {
  // CHECK: tenferro.rem %{{.*}}, %{{.*}} : tensor<f64>
  %0 = tenferro.rem %a, %b : tensor<f64>
  return %0 : tensor<f64>
}

// CHECK-LABEL: func.func @zero_size
func.func @zero_size(%a: tensor<0x3xf64>, %b: tensor<0x3xf64>) -> tensor<0x3xf64> {
  // CHECK: tenferro.rem %{{.*}}, %{{.*}} : tensor<0x3xf64>
  %0 = tenferro.rem %a, %b : tensor<0x3xf64>
  return %0 : tensor<0x3xf64>
}
