// RUN: tenferro-opt %s | tenferro-opt | FileCheck %s
// RUN: tenferro-opt %s --tenferro-vjp=function=f64 | FileCheck %s --check-prefix=VJP

// CHECK-LABEL: func.func @f64
func.func @f64(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  // CHECK: tenferro.atan2 %{{.*}}, %{{.*}} : tensor<2x3xf64>
  %0 = tenferro.atan2 %a, %b : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// VJP-LABEL: func.func @f64_vjp(
// VJP-SAME:    %[[A:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[B:[a-z0-9]+]]: tensor<{{[^,]*}}>, %[[CT:[a-z0-9]+]]: tensor<{{[^,]*}}>)
// VJP:      %[[Y:.*]] = tenferro.atan2 %[[A]], %[[B]]
// VJP:      %[[H:.*]] = tenferro.hypot %[[A]], %[[B]]
// VJP:      %[[SAFE:.*]] = tenferro.select %{{.*}}, %{{.*}}, %[[H]]
// VJP-DAG:  %[[PA:.*]] = tenferro.div %[[B]], %[[SAFE]]
// VJP-DAG:  %[[QA:.*]] = tenferro.div %[[PA]], %[[SAFE]]
// VJP-DAG:  %[[SA:.*]] = tenferro.select %{{.*}}, %{{.*}}, %[[QA]]
// VJP-DAG:  %[[DA:.*]] = tenferro.szmul %[[SA]], %[[CT]]
// VJP-DAG:  %[[MINUS:.*]] = tenferro.neg %[[A]]
// VJP-DAG:  %[[PB:.*]] = tenferro.div %[[MINUS]], %[[SAFE]]
// VJP-DAG:  %[[QB:.*]] = tenferro.div %[[PB]], %[[SAFE]]
// VJP-DAG:  %[[SB:.*]] = tenferro.select %{{.*}}, %{{.*}}, %[[QB]]
// VJP-DAG:  %[[DB:.*]] = tenferro.szmul %[[SB]], %[[CT]]
// VJP:      return %[[Y]], %[[DA]], %[[DB]]

// CHECK-LABEL: func.func @f32
func.func @f32(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: tenferro.atan2 %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %0 = tenferro.atan2 %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @rank_0
func.func @rank_0(%a: tensor<f64>, %b: tensor<f64>) -> tensor<f64> {
  // CHECK: tenferro.atan2 %{{.*}}, %{{.*}} : tensor<f64>
  %0 = tenferro.atan2 %a, %b : tensor<f64>
  return %0 : tensor<f64>
}

// CHECK-LABEL: func.func @zero_size
func.func @zero_size(%a: tensor<0x3xf64>, %b: tensor<0x3xf64>) -> tensor<0x3xf64> {
  // CHECK: tenferro.atan2 %{{.*}}, %{{.*}} : tensor<0x3xf64>
  %0 = tenferro.atan2 %a, %b : tensor<0x3xf64>
  return %0 : tensor<0x3xf64>
}
